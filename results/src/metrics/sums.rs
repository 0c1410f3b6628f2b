//! The integer sums most metrics divide, and the words for when there is nothing to divide.
//!
//! Units: nanoseconds and whole vsyncs, wide enough never to overflow; floats appear only in the final division.

use crate::metric::{Reading, Refusal};
use crate::motion::{Motion, Phase};
use crate::window::{Interval, Window};

const NO_PERIOD: &str =
    "the refresh period is not known, so lengths in vsyncs cannot be told; pin it with --vsync";

/// Sums over counted intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// m: how many.
    pub frames: u64,
    /// T: sum of d, ns.
    pub time: i128,
    /// Sum of L.
    pub vsyncs: u64,
    /// Sum of L - 1.
    pub dropped: u64,
    /// Sum of l.
    pub late: u64,
    /// Sum of l P, ns.
    pub hitch: i128,
    /// Every interval has a period.
    pub periods_known: bool,
}

impl Sums {
    fn over<'a>(intervals: impl Iterator<Item = &'a Interval>) -> Sums {
        let mut sums = Sums { periods_known: true, ..Sums::default() };
        for interval in intervals {
            let (vsyncs, late) = (u64::from(interval.vsyncs), u64::from(interval.late));
            sums.frames += 1;
            sums.time += i128::from(interval.length.ns());
            sums.vsyncs += vsyncs;
            sums.dropped += vsyncs.saturating_sub(1);
            sums.late += late;
            sums.hitch += i128::from(late) * i128::from(interval.period.ns());
            sums.periods_known &= interval.period.ns() > 0;
        }
        sums
    }

    /// Over every counted interval; the reason when there is none.
    pub fn of(window: &Window) -> Result<Sums, Refusal> {
        let sums = Sums::over(window.intervals.iter());
        if sums.frames == 0 || sums.time <= 0 { Err(no_frames(window).into()) } else { Ok(sums) }
    }

    /// The same for metrics in vsyncs: also the reason when the period is not known.
    pub(crate) fn in_vsyncs(window: &Window) -> Result<Sums, Refusal> {
        let sums = Sums::of(window)?;
        if sums.periods_known { Ok(sums) } else { Err(NO_PERIOD.into()) }
    }

    /// Over the intervals of gestures and their flings only.
    pub(crate) fn of_gestures(window: &Window) -> Result<Sums, Refusal> {
        Sums::of_phases(window, Phase::is_gesture)
    }

    /// Over the intervals that begin while a finger is surely down; the reason when none does.
    pub(crate) fn of_sure_fingers(window: &Window) -> Result<Sums, Refusal> {
        let sums = Sums::of_phase(window, Phase::Finger)?;
        let fingers = window.motions.iter().filter(|motion| motion.phase == Phase::Finger);
        if fingers.clone().all(|motion| motion.touch.is_none()) {
            return Ok(sums);
        }
        let sure: Vec<_> = fingers.filter_map(Motion::sure).collect();
        let is_sure = |interval: &&Interval| {
            interval.phase == Phase::Finger
                && sure.iter().any(|(from, to)| interval.from >= *from && interval.from < *to)
        };
        let sums = Sums::over(window.intervals.iter().filter(is_sure));
        match sums.frames > 0 && sums.time > 0 {
            true => Ok(sums),
            false => Err("no frame came while the finger was surely down: when it came down and was lifted is not known \
                well enough (docs/touches.md)".into()),
        }
    }

    /// Over the intervals of one phase of gestures only.
    pub fn of_phase(window: &Window, phase: Phase) -> Result<Sums, Refusal> {
        let sums = Sums::of_phases(window, |own| own == phase);
        let lift_unknown = || window.motions.iter().any(|motion| motion.phase == Phase::Scroll);
        match sums {
            Err(_) if lift_unknown() => {
                Err("when the finger was lifted is not known here, so finger and fling are one".into())
            }
            sums => sums,
        }
    }

    fn of_phases(window: &Window, wanted: impl Fn(Phase) -> bool) -> Result<Sums, Refusal> {
        if !window.motions.iter().any(|motion| motion.phase.is_gesture()) {
            return Err("no gesture in this window".into());
        }
        let sums = Sums::over(window.intervals.iter().filter(|interval| wanted(interval.phase)));
        if sums.frames > 0 && sums.time > 0 {
            return Ok(sums);
        }
        match window.motions.iter().any(|motion| wanted(motion.phase)) {
            true if window.intervals.is_empty() => Err(no_frames(window).into()),
            true => Err("no two presents in a row inside this phase of the gestures".into()),
            false => Err("no gesture of this window has this phase".into()),
        }
    }
}

/// Why nothing can be counted: no motion, no present, one present, or no two in a row. Never 0, never 60.
pub(super) fn no_frames(window: &Window) -> String {
    match (window.motions.len(), window.presents.len()) {
        (0, _) => "no motion window: no gesture was made here, so nothing was expected to move".to_owned(),
        (_, 0) => "no present at all: the layer put no frame on the screen while content should have moved"
            .to_owned(),
        (_, 1) => "one present only: a single present has no rate".to_owned(),
        (_, many) => format!("{many} presents, but no two in a row inside one motion"),
    }
}

/// A reading from a quotient or the reason there is none.
pub(super) fn read(sums: Result<Sums, Refusal>, value: impl Fn(&Sums) -> f64) -> Reading {
    match sums {
        Ok(sums) => Reading::Value(value(&sums)),
        Err(why) => why.into(),
    }
}

/// The counted intervals; the reason when there is none.
pub(super) fn counted(window: &Window) -> Result<&[Interval], Refusal> {
    if window.intervals.is_empty() { Err(no_frames(window).into()) } else { Ok(&window.intervals) }
}

/// The same for metrics in vsyncs: also the reason when a period is not known.
pub(super) fn in_vsyncs(window: &Window) -> Result<&[Interval], Refusal> {
    let frames = counted(window)?;
    let known = frames.iter().all(|frame| frame.period.ns() > 0);
    if known { Ok(frames) } else { Err(NO_PERIOD.into()) }
}

/// A reading from a number or the reason there is none.
pub(super) fn number(value: Result<f64, Refusal>) -> Reading {
    value.map_or_else(Reading::from, Reading::Value)
}

/// Refresh rate in force over the counted intervals, Hz: sum of whole vsyncs over counted time, so a window that
/// switches rates weighs each rate by its own time. None without counted intervals, or where the refresh period is
/// unknown or too uncertain to read vsyncs at all (the rule of [`super::doubt`]).
pub fn refresh_hz(window: &Window) -> Option<f64> {
    if super::doubt(crate::metric::Needs::Vsyncs, window).is_some() {
        return None;
    }
    let sums = Sums::in_vsyncs(window).ok()?;
    Some(sums.vsyncs as f64 * 1e9 / sums.time as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::samples::{P60, window};
    use crate::time::Span;

    #[test]
    fn every_case_of_nothing_has_its_own_words() {
        let mut none = window(P60, &[]);
        none.motions.clear();
        assert!(no_frames(&none).starts_with("no motion window"));
        let mut silent = window(P60, &[]);
        silent.presents.clear();
        assert!(no_frames(&silent).starts_with("no present at all"));
        assert!(no_frames(&window(P60, &[])).starts_with("one present"));
        let mut apart = window(P60, &[P60, P60]);
        apart.intervals.clear();
        assert_eq!(no_frames(&apart), "3 presents, but no two in a row inside one motion");
    }

    #[test]
    fn refresh_weighs_each_rate_by_its_time() {
        let mut window = window(10_000_000, &[10_000_000, 20_000_000]);
        window.intervals[1].period = Span::from_ns(20_000_000);
        window.intervals[1].vsyncs = 1;
        assert_eq!(refresh_hz(&window), Some(2e9 / 30e6));
        window.intervals[1].period = Span::ZERO;
        assert_eq!(refresh_hz(&window), None);
    }

    #[test]
    fn a_frame_on_its_declared_schedule_is_not_late() {
        let mut window = window(P60, &[2 * P60, 3 * P60, P60]);
        for interval in &mut window.intervals {
            interval.late = interval.vsyncs.saturating_sub(2);
        }
        let sums = Sums::in_vsyncs(&window).unwrap();
        assert_eq!((sums.hitch, sums.late, sums.vsyncs, sums.dropped), (i128::from(P60), 1, 6, 3));
    }
}
