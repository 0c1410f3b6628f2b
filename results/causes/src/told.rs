//! What was found, as logs and reports keep it: sentences for kinds, and long lists cut, with what is left out counted.

use crate::add::{Charged, Charges};
use crate::cause::{Cause, clip};
use crate::inquiry::{self, Answer, Confidence, Found, Late, Total};
use crate::kind::Why;
use farmjank_results::hitch_causes::{
    FrameCause, FrameCauses, Group, HitchCause, HitchCauses, KindTime, LateFrame, NamedCause, StallCauses,
    Stalled, Unexplained,
};
use farmjank_results::time::{BootTime, DeviceTime};
use std::collections::BTreeMap;

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Causes over all late frames.
    pub causes: usize,
    /// Late frames: those that were late by most; half as many stalls, the longest.
    pub frames: usize,
    /// Causes of one frame.
    pub of_frame: usize,
    /// Bytes of a name of the phone's, each.
    pub name: usize,
}

impl Most {
    /// Everything.
    pub const ALL: Most =
        Most { causes: usize::MAX, frames: usize::MAX, of_frame: usize::MAX, name: usize::MAX };
    /// What a log keeps of a window: some tens of kilobytes, whatever the trace held.
    pub const LOGGED: Most = Most { causes: 40, frames: 60, of_frame: 5, name: 300 };
}

/// What was found of an app, in this much room. `clock` gives an instant of the trace on the clock of frames.
pub fn told(
    found: &Found,
    app: &str,
    most: Most,
    clock: &impl Fn(BootTime) -> Option<DeviceTime>,
) -> HitchCauses {
    let room = Room { app, most, title: Cause::sentence };
    let (causes, rest) = found.totals.split_at(found.totals.len().min(most.causes));
    let frames = longest(&found.late, most.frames, |late| late.frame.hitch);
    HitchCauses {
        hitch_us: found.hitch_us,
        explained_us: found.explained_us,
        unexplained_us: found.unexplained_us,
        unknown_us: found.unknown_us,
        unexplained: unexplained(&found.why),
        late_frames: count(found.late.len()),
        in_time: count(found.in_time),
        causes: causes.iter().map(|total| room.cause(total)).collect(),
        smaller: count(rest.len()),
        smaller_us: rest.iter().map(|total| total.us).sum(),
        smaller_kinds: room.kinds(rest),
        frames_left_out: count(found.late.len() - frames.len()),
        frames: frames.into_iter().map(|late| room.frame(late, clock)).collect(),
        stalls: stalls(found, Room { title: Cause::in_stall, ..room }, clock),
        ..HitchCauses::default()
    }
}

fn stalls(found: &Found, room: Room<'_>, clock: &impl Fn(BootTime) -> Option<DeviceTime>) -> StallCauses {
    let sum = &found.stalls;
    let (causes, rest) = sum.totals.split_at(sum.totals.len().min(room.most.causes));
    let list = longest(&found.stalled, room.most.frames / 2, |one| one.stall.to - one.stall.from);
    StallCauses {
        us: sum.us,
        explained_us: sum.explained_us,
        unexplained_us: sum.unexplained_us,
        unknown_us: sum.unknown_us,
        unexplained: unexplained(&sum.why),
        count: count(found.stalled.len()),
        causes: causes.iter().map(|total| room.cause(total)).collect(),
        smaller: count(rest.len()),
        smaller_us: rest.iter().map(|total| total.us).sum(),
        left_out: count(found.stalled.len() - list.len()),
        list: list.into_iter().map(|one| room.stall(one, clock)).collect(),
    }
}

/// The longest of what is in order of time, in that order.
fn longest<T>(all: &[T], most: usize, length: impl Fn(&T) -> i64) -> Vec<&T> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|nth| (std::cmp::Reverse(length(&all[*nth])), *nth));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|nth| &all[nth]).collect()
}

fn unexplained(why: &[(Why, i64)]) -> Vec<Unexplained> {
    why.iter().map(|(why, us)| Unexplained { reason: why.words().to_owned(), us: *us }).collect()
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

/// How causes are told.
#[derive(Clone, Copy)]
struct Room<'a> {
    app: &'a str,
    most: Most,
    title: fn(&Cause) -> String,
}

impl Room<'_> {
    fn named(&self, cause: &Cause, most: usize) -> NamedCause {
        NamedCause {
            kind: clip(&cause.word(), most),
            group: cause.group(),
            title: clip(&(self.title)(cause), most),
            thread: clip(&cause.thread, most),
            object: clip(&cause.object, most),
        }
    }

    fn cause(&self, total: &Total) -> HitchCause {
        HitchCause {
            // Of the whole names: what is cut off tells two causes apart.
            fingerprint: self.named(&total.cause, usize::MAX).fingerprint(self.app),
            named: self.named(&total.cause, self.most.name),
            us: total.us,
            frames: count(total.frames),
            usual_us: total.usual_us,
            detail: clip(&total.detail, self.most.name),
            method: clip(&total.method, self.most.name),
            owner: None,
            confidence: total.confidence,
        }
    }

    /// What kinds these are of, in order of their words.
    fn kinds(&self, totals: &[Total]) -> Vec<KindTime> {
        let mut kinds: BTreeMap<(String, Group), i64> = BTreeMap::new();
        for total in totals {
            let NamedCause { kind, group, .. } = self.named(&total.cause, self.most.name);
            *kinds.entry((kind, group)).or_default() += total.us;
        }
        kinds.into_iter().map(|((kind, group), us)| KindTime { kind, group, us }).collect()
    }

    fn charged(&self, charges: &Charges, confidence: Confidence) -> FrameCauses {
        let (told, rest) = charges.charged.split_at(charges.charged.len().min(self.most.of_frame));
        let of = |one: &Charged| FrameCause {
            named: self.named(&one.cause, self.most.name),
            us: one.us,
            took_us: one.took_us,
            usual_us: one.usual_us,
            detail: clip(&one.detail, self.most.name),
        };
        FrameCauses {
            causes: told.iter().map(of).collect(),
            smaller: count(rest.len()),
            smaller_us: rest.iter().map(|one| one.us).sum(),
            unexplained_us: charges.unexplained_us,
            confidence,
        }
    }

    fn answer(&self, answer: &Answer) -> (Option<FrameCauses>, Option<String>) {
        match answer {
            Err(why) => (None, Some(why.clone())),
            Ok((charges, confidence)) => (Some(self.charged(charges, *confidence)), None),
        }
    }

    fn frame(&self, late: &Late, clock: &impl Fn(BootTime) -> Option<DeviceTime>) -> LateFrame {
        let frame = &late.frame;
        let shown_at = BootTime::from_ns(frame.to);
        let (charged, reason) = self.answer(&late.charges);
        LateFrame {
            token: frame.token,
            process: frame.process,
            layer: clip(&frame.layer, self.most.name),
            shown_at,
            present: clock(shown_at),
            hitch_us: frame.hitch / 1_000,
            charged,
            reason,
        }
    }

    fn stall(&self, one: &inquiry::Stalled, clock: &impl Fn(BootTime) -> Option<DeviceTime>) -> Stalled {
        let stall = &one.stall;
        let began = BootTime::from_ns(stall.from);
        let (charged, reason) = self.answer(&one.charges);
        Stalled {
            process: stall.process,
            began,
            from: clock(began),
            us: (stall.to - stall.from) / 1_000,
            touch_us: stall.touch.map(|ns| ns / 1_000),
            charged,
            reason,
        }
    }
}
