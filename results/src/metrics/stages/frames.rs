//! The drawn frames of a window as the metrics read them: which there are, the interval each was drawn for, ranks of
//! times in ms, and the words for when there is nothing.
//!
//! The interval is the one the renderer printed (Android 12+); older releases print none, there it is the refresh
//! period the window is judged by. Units: ns inside, ms in readings.

use crate::estimate::nearest_rank;
use crate::framestats::FrameStats;
use crate::metric::{Reading, Refusal};
use crate::period::PeriodTimeline;
use crate::time::Span;
use crate::window::Window;
use std::cell::OnceCell;

/// The drawn frames of a window; at least one.
pub(super) struct Frames<'w> {
    /// In order of the vsync they were scheduled for.
    pub all: &'w [FrameStats],
    window: &'w Window,
    /// The periods in force and the usual one: asked for only where the renderer printed no interval.
    told: OnceCell<(PeriodTimeline, Option<Span>)>,
}

impl<'w> Frames<'w> {
    /// Of a window; the reason when there are none.
    pub fn of(window: &'w Window) -> Result<Frames<'w>, Refusal> {
        let Some(stages) = &window.beside.framestats else {
            return Err("no framestats of the app were read in this window".into());
        };
        if stages.frames.is_empty() {
            return Err(
                "the app drew no frame through its views inside the motions, as far as framestats show \
                        (games, Flutter, video and web views draw past them)"
                    .into(),
            );
        }
        Ok(Frames { all: &stages.frames, window, told: OnceCell::new() })
    }

    /// The period in force while a frame was drawn, by what the window was judged by.
    fn judging(&self, frame: &FrameStats) -> Option<Span> {
        let (periods, usual) = self.told.get_or_init(|| told(self.window));
        periods.judging(frame.intended, frame.completed).or(*usual)
    }

    /// The interval a frame was drawn for, ns, > 0; none when nothing tells.
    pub fn interval(&self, frame: &FrameStats) -> Option<i64> {
        frame.interval.or_else(|| self.judging(frame)).map(Span::ns).filter(|ns| *ns > 0)
    }

    /// Frames with the interval each was drawn for; the reason when no frame has one.
    pub(crate) fn with_interval(&self) -> Result<Vec<(&'w FrameStats, i64)>, Refusal> {
        let known = self.all.iter().filter_map(|frame| Some((frame, self.interval(frame)?)));
        let known: Vec<_> = known.collect();
        if known.is_empty() { Err(NO_INTERVAL.into()) } else { Ok(known) }
    }

    /// How many, as a float for divisions.
    pub fn count(&self) -> f64 {
        self.all.len() as f64
    }
}

/// The period segments of a window, and the median of the periods its intervals are judged by.
fn told(window: &Window) -> (PeriodTimeline, Option<Span>) {
    let periods = PeriodTimeline { segments: window.coverage.periods.clone(), uncertain: Vec::new() };
    let mut judging: Vec<Span> = window.intervals.iter().map(|interval| interval.period).collect();
    judging.retain(|period| period.ns() > 0);
    judging.sort_unstable();
    (periods, judging.get(judging.len().saturating_sub(1) / 2).copied())
}

const NO_INTERVAL: &str = "the frame interval is not known: Android prints it from 12 on, and no refresh period was \
                           found in this window; pin it with --vsync";

/// A reading from the frames of a window, or the reason there is none.
pub(super) fn read(window: &Window, value: impl Fn(&Frames<'_>) -> Result<Reading, Refusal>) -> Reading {
    Frames::of(window).and_then(|frames| value(&frames)).unwrap_or_else(Reading::from)
}

/// Nearest ranks (percent, 1..=100) of times in ns, as ms; none of nothing.
pub(super) fn ranks(mut times: Vec<i64>, percents: &[usize]) -> Option<Vec<f64>> {
    times.sort_unstable();
    percents.iter().map(|percent| nearest_rank(&times, *percent).map(|ns| *ns as f64 / 1e6)).collect()
}

/// A share in percent.
pub(super) fn percent(part: usize, of: usize) -> f64 {
    part as f64 * 100.0 / of as f64
}

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, frame, window};
    use super::*;
    use crate::period::{PeriodOrigin, PeriodSegment};

    #[test]
    fn the_printed_interval_wins_then_the_periods_then_the_intervals() {
        let mut window = window(vec![frame(0, 0)]);
        let of = |window: &Window| {
            let frames = Frames::of(window).unwrap();
            frames.interval(&frames.all[0])
        };
        assert_eq!(of(&window), Some(P60));
        window.beside.framestats.as_mut().unwrap().frames[0].interval = None;
        assert_eq!(of(&window), None);
        let intervals = crate::metrics::samples::window(11_111_111, &[11_111_111; 3]).intervals;
        window.intervals = intervals;
        assert_eq!(of(&window), Some(11_111_111));
        let from = window.beside.framestats.as_ref().unwrap().frames[0].intended;
        let period = Span::from_ns(8_333_333);
        window.coverage.periods = vec![PeriodSegment { from, period, origin: PeriodOrigin::Fitted }];
        assert_eq!(of(&window), Some(8_333_333));
    }

    #[test]
    fn nothing_read_and_nothing_drawn_have_their_own_words() {
        let mut window = window(Vec::new());
        assert!(Frames::of(&window).err().unwrap().to_string().contains("drew no frame"));
        window.beside.framestats = None;
        assert!(Frames::of(&window).err().unwrap().to_string().starts_with("no framestats"));
    }
}
