//! What the letters of formulas stand for and when a metric has no value, in words for people.
//!
//! Must not know single metrics: letters follow from what a metric reads. Lower-case fragments without a full stop.

use crate::metric::{Metric, Needs};

const OF_PRESENTS: [(&str, &str); 9] = [
    ("d", "length of a frame: time from the present before it to its own"),
    ("P", "refresh period of the panel at that moment"),
    ("L", "length in whole refreshes: d / P rounded, at least 1"),
    ("D", "refreshes missed: L - 1"),
    ("f", "length in refreshes, not rounded: d / P"),
    (
        "l",
        "refreshes a frame came late by: all but one of those it took, or by the schedule of the target rate the scenario names",
    ),
    ("m", "how many frames count"),
    ("T", "the time they take together: sum d"),
    ("i", "a frame; i-1 is the one before it in the same segment (frames in a row without a break)"),
];
const OF_STAGES: [(&str, &str); 3] = [
    ("R", "render time of a frame: FrameCompleted - IntendedVsync"),
    ("I", "interval the frame was given by Android, else the refresh period"),
    ("m", "how many drawn frames count"),
];
const OF_TIMELINE: [(&str, &str); 2] =
    [("P", "refresh period of the panel at that moment"), ("T", "time of the motion that the frames cover")];

/// The letters of a metric's formula and what each stands for, in a fixed order.
pub fn letters(metric: &Metric) -> Vec<(&'static str, &'static str)> {
    let known: &[(&str, &str)] = match metric.needs {
        Needs::Frames | Needs::Vsyncs | Needs::Presents | Needs::Layers | Needs::Counters => &OF_PRESENTS,
        Needs::Stages | Needs::Finishes => &OF_STAGES,
        Needs::Timeline => &OF_TIMELINE,
        Needs::Log | Needs::Timestats | Needs::Cross | Needs::Launch | Needs::Resources => &[],
    };
    let used: Vec<&str> = metric
        .formula
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() == 1)
        .collect();
    known.iter().copied().filter(|(letter, _)| used.contains(letter)).collect()
}

/// When a metric that reads this has no value.
pub fn absence(needs: Needs) -> &'static str {
    match needs {
        Needs::Frames => {
            "no two presents in a row inside a motion; a frame may have been missed; more than 5 % of the motion is time \
            in a fling that nothing explains"
        }
        Needs::Vsyncs => {
            "no two presents in a row inside a motion; a frame may have been missed; more than 5 % of the motion is time \
            in a fling that nothing explains; the refresh period is unknown, or uncertain for more than 5 % of the motion \
            or 1 ms/s of lateness"
        }
        Needs::Presents => "no gesture, or none that a present followed; a present may have been missed",
        Needs::Counters => "no dump was taken",
        Needs::Stages => {
            "no framestats of the app were read; a drawn frame may have been missed; no frame was drawn"
        }
        Needs::Finishes => "neither framestats nor a trace show every drawn frame; no frame has a deadline",
        Needs::Timeline => "no trace was taken (Android 12 and newer can); the trace may have lost a frame",
        Needs::Layers => {
            "the layers were not read apart; no layer has two presents in a row; a present may have been missed"
        }
        Needs::Log => "the phone's log was not read; lines may have been lost",
        Needs::Timestats => {
            "SurfaceFlinger's counts were not taken (Android 9 and newer can); something else cleared them"
        }
        Needs::Cross => "only one source saw the single frames of the window",
        Needs::Resources => "nobody asked for it (`beside`, or a limit); the phone does not tell a shell",
        Needs::Launch => "no launchApp step in the window, or the phone did not say how long it took",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{find, registry};
    use super::*;

    fn of(key: &str) -> String {
        letters(find(key).unwrap()).iter().map(|(letter, _)| *letter).collect()
    }

    #[test]
    fn letters_of_a_formula_are_explained_and_no_others() {
        assert_eq!(of("fps"), "mT");
        assert_eq!(of("hitch_ms_per_s"), "PlT");
        assert_eq!(of("perfdog_jank"), "di");
        assert_eq!(of("chromium_jank_count"), "fi");
        assert_eq!(of("zero_rows"), "");
        assert_eq!(of("launch_total_ms"), "");
    }

    #[test]
    fn every_absence_has_words() {
        assert!(registry().iter().all(|metric| absence(metric.needs).len() > 15));
    }
}
