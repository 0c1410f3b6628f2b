//! What several iterations found, as one: times and counts add up, to the microsecond.

use crate::hitch_causes::{
    CallStacks, Confidence, Group, HitchCause, HitchCauses, KindTime, LateFrame, StallCauses, Stalled,
    Unexplained,
};
use crate::time::Span;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Late frames that are kept, those that were late by most; half as many stalls. As many as of one trial.
const FRAMES: usize = 60;

/// All of them; each of these tells the whole ([`HitchCauses::whole`]).
pub(super) fn merged(each: &[(u32, &HitchCauses)]) -> HitchCauses {
    let all = || each.iter().map(|(_, found)| *found);
    let sum = |of: fn(&HitchCauses) -> i64| all().map(of).sum();
    let count = |of: fn(&HitchCauses) -> u32| all().map(of).sum();
    let (frames, left_out) = longest(all().flat_map(|one| &one.frames), FRAMES, |frame| frame.hitch_us);
    let costliest = all().filter(|one| one.lanes.is_some()).max_by_key(|one| one.hitch_us);
    let motion = all().filter_map(|one| one.motion).map(Span::ns).sum();
    HitchCauses {
        hitch_us: sum(|one| one.hitch_us),
        explained_us: sum(|one| one.explained_us),
        unexplained_us: sum(|one| one.unexplained_us),
        unknown_us: sum(|one| one.unknown_us),
        unexplained: reasons(all().flat_map(|one| &one.unexplained)),
        late_frames: count(|one| one.late_frames),
        in_time: count(|one| one.in_time),
        dropped: count(|one| one.dropped),
        motion: Some(Span::from_ns(motion)),
        causes: causes(all().flat_map(|one| &one.causes)),
        smaller: count(|one| one.smaller),
        smaller_us: sum(|one| one.smaller_us),
        smaller_kinds: kinds(all().flat_map(|one| &one.smaller_kinds)),
        frames: sorted(frames, |frame: &LateFrame| frame.shown_at),
        frames_left_out: count(|one| one.frames_left_out) + left_out,
        stalls: stalls(all().map(|one| &one.stalls)),
        stacks: stacks(all().filter_map(|one| one.stacks.as_ref())),
        doubts: Vec::new(),
        lanes: costliest.and_then(|one| one.lanes.clone()),
    }
}

fn stalls<'a>(each: impl Iterator<Item = &'a StallCauses> + Clone) -> StallCauses {
    let sum = |of: fn(&StallCauses) -> i64| each.clone().map(of).sum();
    let count = |of: fn(&StallCauses) -> u32| each.clone().map(of).sum::<u32>();
    let (list, left_out) = longest(each.clone().flat_map(|one| &one.list), FRAMES / 2, |one| one.us);
    StallCauses {
        us: sum(|one| one.us),
        explained_us: sum(|one| one.explained_us),
        unexplained_us: sum(|one| one.unexplained_us),
        unknown_us: sum(|one| one.unknown_us),
        unexplained: reasons(each.clone().flat_map(|one| &one.unexplained)),
        count: count(|one| one.count),
        causes: causes(each.clone().flat_map(|one| &one.causes)),
        smaller: count(|one| one.smaller),
        smaller_us: sum(|one| one.smaller_us),
        list: sorted(list, |one: &Stalled| one.began),
        left_out: count(|one| one.left_out) + left_out,
    }
}

fn causes<'a>(all: impl Iterator<Item = &'a HitchCause>) -> Vec<HitchCause> {
    let mut by_print: BTreeMap<&str, Vec<&HitchCause>> = BTreeMap::new();
    all.for_each(|one| by_print.entry(&one.fingerprint).or_default().push(one));
    let mut causes: Vec<HitchCause> = by_print.into_values().filter_map(|mut own| one(&mut own)).collect();
    causes.sort_by(|left, right| (right.us, &left.named).cmp(&(left.us, &right.named)));
    causes
}

/// One cause: as it is called where it cost most, and as sure as at least half of its time.
fn one(own: &mut [&HitchCause]) -> Option<HitchCause> {
    own.sort_by_key(|one| Reverse(one.us));
    let most = (*own.first()?).clone();
    let us: i64 = own.iter().map(|one| one.us).sum();
    let usual: i64 = own.iter().map(|one| one.usual_us).sum();
    let frames = own.iter().map(|one| one.frames).sum();
    let sure = |least: Confidence| {
        let own = own.iter().filter(|one| one.confidence <= least).map(|one| one.us);
        2 * own.sum::<i64>() >= us
    };
    let confidence = [Confidence::Sure, Confidence::Likely].into_iter().find(|one| sure(*one));
    Some(HitchCause {
        us,
        frames,
        usual_us: usual / own.len() as i64,
        confidence: confidence.unwrap_or(Confidence::Weak),
        ..most
    })
}

/// Stacks of all of them; why there are none, where none has any.
fn stacks<'a>(all: impl Iterator<Item = &'a CallStacks>) -> Option<CallStacks> {
    all.cloned().reduce(|one, other| {
        let taken = one.taken + other.taken;
        let reason = one.reason.or(other.reason).filter(|_| taken == 0);
        CallStacks { taken, lost: one.lost + other.lost, reason }
    })
}

fn kinds<'a>(all: impl Iterator<Item = &'a KindTime>) -> Vec<KindTime> {
    let mut kinds: BTreeMap<(&str, Group), i64> = BTreeMap::new();
    all.for_each(|one| *kinds.entry((&one.kind, one.group)).or_default() += one.us);
    kinds.into_iter().map(|((kind, group), us)| KindTime { kind: kind.to_owned(), group, us }).collect()
}

fn reasons<'a>(all: impl Iterator<Item = &'a Unexplained>) -> Vec<Unexplained> {
    let mut by_reason: BTreeMap<&str, i64> = BTreeMap::new();
    all.for_each(|one| *by_reason.entry(&one.reason).or_default() += one.us);
    let mut reasons: Vec<Unexplained> =
        by_reason.into_iter().map(|(reason, us)| Unexplained { reason: reason.to_owned(), us }).collect();
    reasons.sort_by_key(|one| Reverse(one.us));
    reasons
}

/// The longest of them, and how many are left out.
fn longest<'a, T: Clone + 'a>(
    all: impl Iterator<Item = &'a T>,
    most: usize,
    length: impl Fn(&T) -> i64,
) -> (Vec<T>, u32) {
    let mut all: Vec<&T> = all.collect();
    all.sort_by_key(|one| Reverse(length(one)));
    let left_out = all.len().saturating_sub(most);
    all.truncate(most);
    (all.into_iter().cloned().collect(), u32::try_from(left_out).unwrap_or(u32::MAX))
}

fn sorted<T, K: Ord>(mut all: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    all.sort_by_key(key);
    all
}
