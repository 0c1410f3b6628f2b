//! Stalls without a frame, in the words that every report of a run says it in. Names of threads, locks and sections are
//! of the phone.

use super::{MOST, SHARE, Why, ms};
use crate::words::several;
use farmjank_results::hitch_causes::{HitchCause, StallCauses};

/// What a report says of the stalls of a window: first all together, then their largest causes, largest first; none
/// where there was no stall.
pub(crate) fn told(found: &StallCauses) -> Option<(String, Vec<Why>)> {
    if found.is_none() {
        return None;
    }
    let cause = |one: &HitchCause| {
        let mut what = one.named.title.clone();
        if !one.detail.is_empty() {
            what += &format!("; {}", one.detail);
        }
        let of = several(found.count, "stall", "stalls");
        let how = format!("{} in {} of {of}, {}", one.named.kind, one.frames, one.confidence.word());
        Why { us: one.us, what, how }
    };
    let plain = |us: i64, what: String| Why { us, what, how: String::new() };
    let unexplained =
        found.unexplained.iter().map(|one| plain(one.us, format!("unexplained: {}", one.reason)));
    let unknown = (found.unknown_us > 0)
        .then(|| plain(found.unknown_us, "of stalls nothing can be said of".to_owned()));
    let mut all: Vec<Why> =
        found.causes.iter().take(MOST).map(cause).chain(unexplained).chain(unknown).collect();
    all.retain(|why| why.us.saturating_mul(SHARE) >= found.us);
    all.sort_by_key(|why| std::cmp::Reverse(why.us));
    let count = several(found.count, "stall without a frame", "stalls without a frame");
    let touch = found.list.iter().filter_map(|one| one.touch_us).max();
    let touch = touch.map_or_else(String::new, |us| format!(", a touch waited {}", ms(us)));
    Some((format!("{count}, {} in all{touch}", ms(found.us)), all))
}
