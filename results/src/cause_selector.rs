//! Which causes a limit is on: `hitch_ms_per_s[lock.*]` is the part of `hitch_ms_per_s` that is charged to locks.
//!
//! In the brackets stand a group (`waiting`), a kind (`lock.monitor`) or a pattern of kinds, in which `*` is any run of
//! characters. The value of an iteration is the part of its metric that those causes are charged, in ms per second of
//! motion; of an iteration that does not tell the whole there is none, with the reason (docs/causes.md, "Limits on
//! causes"). Must not know
//! limits, nor how a cause is found.

use crate::hitch_causes::{Group, HitchCauses};
use crate::metric::Reading;
use crate::window_causes::whole;
use farmjank_leaf::nearest::nearest;

/// The one metric that is split by causes.
pub const SPLIT: &str = "hitch_ms_per_s";

/// Kinds of causes that late frames have, in the order of docs/causes.md. Those of the compositor's thread have `sf.`
/// before them; `binder.` is followed by a process.
pub const KINDS: [&str; 32] = [
    "memory.reclaim",
    "gc.wait",
    "gc.self",
    "lock.monitor",
    "lock.art",
    "lock.mutex",
    "io.disk",
    "kernel.sleep",
    "cpu.starved",
    "cpu.slow",
    "cpu.throttled",
    "ui.inflate",
    "ui.layout",
    "ui.draw",
    "ui.input",
    "ui.animation",
    "ui.compose",
    "bitmap.decode",
    "gpu.upload",
    "gpu.shader",
    "art.class",
    "art.jit",
    "main.message",
    "app.code",
    "app.off_cpu",
    "wait.thread",
    "gpu.busy",
    "display.hal",
    "queue.stuffed",
    "sf.work",
    "binder.system_server",
    "unexplained",
];
const COMPOSITOR: &str = "sf.";
const CALLS: &str = "binder.";

/// Why a selector selects nothing: what is wrong, and what to write in the brackets instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unselected {
    /// What is wrong.
    pub what: String,
    /// What to write instead.
    pub instead: String,
}

/// A metric's key and what stands in brackets behind it; none without brackets.
pub fn parts(key: &str) -> Option<(&str, &str)> {
    let (metric, rest) = key.split_once('[')?;
    Some((metric, rest.strip_suffix(']').unwrap_or(rest)))
}

/// What a limit's key selects; none where it is on a whole metric.
pub fn selected(key: &str) -> Option<&str> {
    parts(key).filter(|(metric, _)| *metric == SPLIT).map(|(_, pattern)| pattern)
}

/// Whether what stands in the brackets selects anything that there is.
///
/// # Errors
/// What is wrong with it, and what is nearest.
pub fn check(pattern: &str) -> Result<(), Unselected> {
    let known = || KINDS.into_iter().chain(Group::ALL.map(Group::word));
    let of_call = |kind: &str| kind.strip_prefix(CALLS).is_some_and(|process| !process.is_empty());
    let own = pattern.strip_prefix(COMPOSITOR).unwrap_or(pattern);
    let finds = |pattern: &str| known().any(|kind| fits(pattern, kind));
    if finds(pattern) || !own.is_empty() && finds(own) || of_call(own) {
        return Ok(());
    }
    let family = format!("{}.", own.trim_end_matches(['.', '*']));
    let (what, instead) = if pattern.is_empty() {
        ("the brackets name no cause".to_owned(), "lock.*".to_owned())
    } else if known().any(|kind| kind.starts_with(&family)) {
        (format!("`{pattern}` is no cause alone: its kinds follow a point"), format!("{family}*"))
    } else {
        let instead = nearest(own, known()).unwrap_or("lock.*");
        (format!("no cause is called `{pattern}`"), instead.to_owned())
    };
    Err(Unselected { what, instead })
}

/// Whether a kind, in its group, is selected.
pub fn selects(pattern: &str, kind: &str, group: Group) -> bool {
    match Group::ALL.into_iter().find(|group| group.word() == pattern) {
        Some(own) => own == group,
        None => fits(pattern, kind),
    }
}

/// Time charged to what is selected, µs; what is unexplained is a cause like others here.
pub fn charged(pattern: &str, found: &HitchCauses) -> i64 {
    let listed = found.causes.iter().map(|cause| (cause.named.kind.as_str(), cause.named.group, cause.us));
    let rest = found.smaller_kinds.iter().map(|rest| (rest.kind.as_str(), rest.group, rest.us));
    let unexplained = (Group::Unexplained.word(), Group::Unexplained, found.unexplained_us);
    let all = listed.chain(rest).chain([unexplained]);
    all.filter(|(kind, group, _)| selects(pattern, kind, *group)).map(|(_, _, us)| us).sum()
}

/// What an iteration reads, ms per second of motion: that part of [`SPLIT`] (`split`, what the iteration reads of it)
/// which is charged to what is selected, of all time that frames were late by. So parts and what is unexplained are the
/// whole, although the frame timeline counts lateness otherwise. Why nothing, where that is not known.
pub fn reading(pattern: &str, found: Result<&HitchCauses, &str>, split: Option<&Reading>) -> Reading {
    let told =
        found.map_err(|why| format!("why its frames were late is not known: {why}")).and_then(|found| {
            let listed: i64 = found.causes.iter().map(|cause| cause.us).sum();
            let rest: i64 = found.smaller_kinds.iter().map(|rest| rest.us).sum();
            if listed + rest != found.explained_us {
                return Err("its log, of before, does not tell the kinds of its smaller causes".to_owned());
            }
            whole(found).map_err(|why| why.to_string())?;
            let late = match split {
                Some(Reading::Value(late)) => *late,
                Some(Reading::Unmeasurable(why)) => return Err(why.to_string()),
                _ => return Err(format!("it has no {SPLIT}")),
            };
            match found.hitch_us {
                0 if late == 0.0 => Ok(0.0),
                0 => Err(format!(
                    "frames came late on its screen ({late:.1} ms/s), and none by what they were promised"
                )),
                all => Ok(late * charged(pattern, found) as f64 / all as f64),
            }
        });
    told.map_or_else(|why| Reading::Unmeasurable(why.into()), Reading::Value)
}

/// Whether a pattern is a text, each `*` being any run of characters.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) =
            rest.split_once(part).filter(|_| !part.is_empty()).or(part.is_empty().then_some(("", rest)))
        else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hitch_causes::{Confidence, HitchCause, KindTime, NamedCause};
    use crate::time::Span;

    #[test]
    fn patterns_are_kinds_groups_and_stars() {
        let locks = ["lock.monitor", "lock.art", "lock.mutex"];
        assert!(locks.iter().all(|kind| selects("lock.*", kind, Group::Waiting)));
        assert!(
            !selects("lock.*", "sf.lock.art", Group::System)
                && selects("*lock*", "sf.lock.art", Group::System)
        );
        assert!(
            selects("waiting", "io.disk", Group::Waiting) && !selects("waiting", "io.disk", Group::System)
        );
        assert!(
            selects("lock.monitor", locks[0], Group::Waiting) && !selects("lock", locks[0], Group::Waiting)
        );
        assert!(selects("*.*k", "io.disk", Group::Waiting) && !selects("*.*kk", "io.disk", Group::Waiting));
        assert!(!fits("ab*ba", "aba") && fits("a**a", "aa") && fits("*", ""));
    }

    #[test]
    fn what_selects_nothing_is_told_with_what_is_nearest() {
        for fine in [
            "lock.*",
            "binder.com.other",
            "binder.*",
            "sf.cpu.*",
            "app",
            "unexplained",
            "*",
            "sf.work",
            "sf.*",
        ] {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        let instead = |pattern: &str| check(pattern).expect_err(pattern).instead;
        assert_eq!(instead("lock"), "lock.*");
        assert_eq!(instead("lock.monitr"), "lock.monitor");
        assert_eq!(instead("wating"), "waiting");
        assert_eq!(instead(""), "lock.*");
        assert_eq!(instead("binder"), "binder.*");
        assert_eq!(parts("fps[lock.*]"), Some(("fps", "lock.*")));
        assert_eq!((selected("fps[lock.*]"), selected("hitch_ms_per_s")), (None, None));
    }

    fn found() -> HitchCauses {
        let cause = |kind: &str, us| HitchCause {
            named: NamedCause {
                kind: kind.to_owned(),
                group: Group::Waiting,
                title: String::new(),
                thread: "main".to_owned(),
                object: String::new(),
            },
            fingerprint: kind.to_owned(),
            us,
            frames: 1,
            usual_us: 0,
            detail: String::new(),
            method: String::new(),
            owner: None,
            confidence: Confidence::Sure,
        };
        let rest = KindTime { kind: "lock.art".to_owned(), group: Group::Waiting, us: 2_000 };
        HitchCauses {
            hitch_us: 20_000,
            explained_us: 15_000,
            unexplained_us: 5_000,
            in_time: 40,
            late_frames: 2,
            motion: Some(Span::from_ms(2_000)),
            causes: vec![cause("lock.monitor", 10_000), cause("io.disk", 3_000)],
            smaller: 1,
            smaller_us: 2_000,
            smaller_kinds: vec![rest],
            ..HitchCauses::default()
        }
    }

    #[test]
    fn an_iteration_reads_its_part_of_the_metric_parts_are_the_whole_and_small_causes_count_too() {
        let reads = |pattern: &str| reading(pattern, Ok(&found()), Some(&Reading::Value(8.0)));
        assert_eq!(reads("lock.*"), Reading::Value(4.8));
        assert_eq!(reads("waiting"), Reading::Value(6.0));
        assert_eq!(reads("unexplained"), Reading::Value(2.0));
        assert_eq!(reads("*"), Reading::Value(8.0));
        assert_eq!(reads("gc.*"), Reading::Value(0.0));
    }

    #[test]
    fn where_the_screen_and_the_frame_timeline_tell_of_different_frames_nobody_knows_the_part() {
        let calm = HitchCauses { in_time: 40, motion: Some(Span::from_ms(2_000)), ..HitchCauses::default() };
        let reads = |split: Reading| reading("lock.*", Ok(&calm), Some(&split));
        assert_eq!(reads(Reading::Value(0.0)), Reading::Value(0.0));
        let Reading::Unmeasurable(why) = reads(Reading::Value(8.0)) else { panic!("a number of nothing") };
        assert!(why.contains("8.0 ms/s"), "{why}");
        let lost = Reading::Unmeasurable("frames may be missing".into());
        assert_eq!(reads(lost.clone()), lost);
    }

    #[test]
    fn one_that_does_not_tell_the_whole_reads_nothing_and_says_why() {
        let why =
            |found: Result<&HitchCauses, &str>| match reading("lock.*", found, Some(&Reading::Value(8.0))) {
                Reading::Unmeasurable(why) => why.to_string(),
                other => panic!("{other:?}"),
            };
        assert!(why(Err("it is too old")).ends_with("it is too old"));
        assert!(why(Ok(&HitchCauses { unknown_us: 1, ..found() })).contains("some of its late frames"));
        assert!(why(Ok(&HitchCauses { motion: None, ..found() })).contains("nothing moved"));
        assert!(why(Ok(&HitchCauses { smaller_kinds: Vec::new(), ..found() })).contains("of before"));
    }
}
