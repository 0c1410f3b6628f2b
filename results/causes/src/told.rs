//! What was found, as logs and reports keep it: sentences for kinds, and long lists cut, with what is left out counted.

use crate::add::Charged;
use crate::cause::Cause;
use crate::inquiry::{Found, Late, Total};
use farmjank_results::hitch_causes::{
    FrameCause, FrameCauses, HitchCause, HitchCauses, LateFrame, NamedCause, Unexplained,
};
use farmjank_results::time::{BootTime, DeviceTime};

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Causes over all late frames.
    pub causes: usize,
    /// Late frames: those that were late by most.
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
    let (causes, rest) = found.totals.split_at(found.totals.len().min(most.causes));
    let mut frames: Vec<&Late> = found.late.iter().collect();
    frames.sort_by_key(|late| (std::cmp::Reverse(late.frame.hitch), late.frame.to));
    frames.truncate(most.frames);
    frames.sort_by_key(|late| (late.frame.to, late.frame.token));
    let unexplained =
        |(why, us): &(crate::kind::Why, i64)| Unexplained { reason: why.words().to_owned(), us: *us };
    HitchCauses {
        hitch_us: found.hitch_us,
        explained_us: found.explained_us,
        unexplained_us: found.unexplained_us,
        unknown_us: found.unknown_us,
        unexplained: found.why.iter().map(unexplained).collect(),
        late_frames: count(found.late.len()),
        in_time: count(found.in_time),
        causes: causes.iter().map(|total| cause(total, app, most)).collect(),
        smaller: count(rest.len()),
        smaller_us: rest.iter().map(|total| total.us).sum(),
        frames_left_out: count(found.late.len() - frames.len()),
        frames: frames.into_iter().map(|late| frame(late, most, clock)).collect(),
        ..HitchCauses::default()
    }
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

fn clip(text: &str, most: usize) -> String {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end == text.len() { text.to_owned() } else { format!("{}…", &text[..end]) }
}

fn named(cause: &Cause, most: Most) -> NamedCause {
    let clip = |text: &str| clip(text, most.name);
    NamedCause {
        kind: clip(&cause.word()),
        group: cause.group(),
        title: clip(&cause.sentence()),
        thread: clip(&cause.thread),
        object: clip(&cause.object),
    }
}

fn cause(total: &Total, app: &str, most: Most) -> HitchCause {
    HitchCause {
        // Of the whole names: what is cut off tells two causes apart.
        fingerprint: named(&total.cause, Most::ALL).fingerprint(app),
        named: named(&total.cause, most),
        us: total.us,
        frames: count(total.frames),
        usual_us: total.usual_us,
        detail: clip(&total.detail, most.name),
        confidence: total.confidence,
    }
}

fn frame(late: &Late, most: Most, clock: &impl Fn(BootTime) -> Option<DeviceTime>) -> LateFrame {
    let frame = &late.frame;
    let shown_at = BootTime::from_ns(frame.to);
    let of = |one: &Charged| FrameCause {
        named: named(&one.cause, most),
        us: one.us,
        took_us: one.took_us,
        usual_us: one.usual_us,
        detail: clip(&one.detail, most.name),
    };
    let (charged, reason) = match &late.charges {
        Err(why) => (None, Some(why.clone())),
        Ok((charges, confidence)) => {
            let (told, rest) = charges.charged.split_at(charges.charged.len().min(most.of_frame));
            let charged = FrameCauses {
                causes: told.iter().map(of).collect(),
                smaller: count(rest.len()),
                smaller_us: rest.iter().map(|one| one.us).sum(),
                unexplained_us: charges.unexplained_us,
                confidence: *confidence,
            };
            (Some(charged), None)
        }
    };
    LateFrame {
        token: frame.token,
        process: frame.process,
        layer: clip(&frame.layer, most.name),
        shown_at,
        present: clock(shown_at),
        hitch_us: frame.hitch / 1_000,
        charged,
        reason,
    }
}
