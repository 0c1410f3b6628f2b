//! Whether the counts are of the window that asked for them: who cleared or collected them in between.
//!
//! Times are wall clock seconds of the phone, the only ones timestats knows. Must not know: frames, metrics.

use super::{Counted, MARK};
use crate::text::{lines, whole_integer};
use farmjank_results::device::App;
use farmjank_results::timestats;
use farmjank_seams::source::Unreadable;

/// What begin and end printed beside the dump, wall clock seconds of the phone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// Just before and just after counting was enabled.
    pub began: Option<(i64, i64)>,
    /// Just after the dump.
    pub ended: Option<i64>,
}

impl Marked {
    /// From what begin printed and what end printed.
    pub fn read(begin: &[u8], end: &[u8]) -> Marked {
        let numbers = |text: &[u8], word: &str| -> Vec<i64> {
            let prefix = format!("{MARK} {word} ").into_bytes();
            let line = lines(text).find_map(|line| line.strip_prefix(prefix.as_slice()).map(<[u8]>::to_vec));
            let words = line.unwrap_or_default();
            words.split(|&byte| byte == b' ').filter_map(whole_integer).take(2).collect()
        };
        let began = match numbers(begin, "began").as_slice() {
            [before, after] => Some((*before, *after)),
            _ => None,
        };
        Marked { began, ended: numbers(end, "ended").first().copied() }
    }
}

/// Why these counts may not be of the whole window, in words. `asked` layers were asked for at most.
pub(super) fn doubts(counted: &Counted, marked: &Marked, asked: usize) -> Vec<String> {
    let mut doubts = Vec::new();
    if let (Some(started), Some((before, after))) = (counted.totals.started, marked.began) {
        // The clock is read in whole seconds.
        if started > after.saturating_add(1) {
            let late = started.saturating_sub(after);
            doubts.push(format!(
                "another program cleared them, or SurfaceFlinger restarted, {late} s after the window began"
            ));
        } else if started < before.saturating_sub(1) {
            doubts.push("they were begun before the window: clearing them did not work".to_owned());
        }
    }
    // Android 11 and newer count every layer of every composed frame, so the layers together cannot have far fewer
    // frames than were composed, unless the statistics service took the layers' counts and left the phone's.
    let layers: u64 = counted.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.total_frames));
    let composed = counted.totals.frames.unwrap_or(0);
    let missing = composed.saturating_sub(layers);
    if counted.any_name && counted.blocks < asked && missing > 20 && missing > composed / 2 {
        doubts.push(format!(
            "the layers have {layers} of {composed} composed frames: Android's statistics service has collected them"
        ));
    }
    doubts
}

/// The app's layers are not in the dump for a reason that is known.
pub(super) fn missing(counted: &Counted, app: &App) -> Result<(), Unreadable> {
    let seen = counted.layers.iter().any(|layer| timestats::names(&layer.layer, &app.0));
    if seen || counted.any_name || app.0.starts_with("com.") {
        return Ok(());
    }
    Err(Unreadable::Missing(format!(
        "Android 9 and 10 count only layers whose names begin with \"com.\", not those of \"{}\"",
        crate::text::shown(app.0.as_bytes())
    )))
}

/// The same error in words that fit a window that enabled the counts itself.
pub(super) fn explain(error: Unreadable) -> Unreadable {
    match error {
        Unreadable::Empty(_) => Unreadable::Empty(
            "SurfaceFlinger's counts are gone: another program disabled and cleared them, or SurfaceFlinger restarted"
                .to_owned(),
        ),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestats::Totals;
    use farmjank_results::timestats::FrameCounts;

    fn counted(started: i64, composed: u64, layer: u64) -> Counted {
        let counts = FrameCounts { layer: "com.a/b#1".into(), total_frames: layer, ..FrameCounts::default() };
        let totals = Totals { started: Some(started), frames: Some(composed), ..Totals::default() };
        Counted { totals, layers: vec![counts], blocks: 1, any_name: true }
    }

    #[test]
    fn counts_that_began_with_the_window_are_believed() {
        let marked = Marked::read(
            b"farmjank-timestats began 1000 1001\n",
            b"x = 1\n\nfarmjank-timestats ended 1060\n",
        );
        assert_eq!(marked, Marked { began: Some((1_000, 1_001)), ended: Some(1_060) });
        for started in 999..=1_002 {
            assert_eq!(doubts(&counted(started, 60, 58), &marked, 64), [""; 0], "{started}");
        }
        assert_eq!(Marked::read(b"", b"noise"), Marked::default());
        assert_eq!(doubts(&counted(5, 60, 58), &Marked::default(), 64), [""; 0]);
    }

    #[test]
    fn counts_that_began_later_or_earlier_are_doubted() {
        let marked = Marked { began: Some((1_000, 1_001)), ended: None };
        assert!(doubts(&counted(1_003, 60, 58), &marked, 64)[0].contains("cleared"));
        assert!(doubts(&counted(998, 60, 58), &marked, 64)[0].contains("before the window"));
    }

    #[test]
    fn layers_that_were_collected_are_noticed_and_a_filtered_list_is_not_taken_for_it() {
        let marked = Marked::default();
        assert!(doubts(&counted(0, 600, 40), &marked, 64)[0].contains("40 of 600"));
        assert_eq!(doubts(&counted(0, 600, 300), &marked, 64), [""; 0]);
        assert_eq!(doubts(&counted(0, 600, 40), &marked, 1), [""; 0], "the rest was not asked for");
        let old = Counted { any_name: false, ..counted(0, 600, 40) };
        assert_eq!(doubts(&old, &marked, 64), [""; 0]);
        assert!(matches!(missing(&old, &App("org.b".into())), Err(Unreadable::Missing(_))));
        assert_eq!(missing(&old, &App("com.b".into())), Ok(()));
    }
}
