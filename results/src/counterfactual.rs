//! What would have passed: how many hitches fewer a breached limit needed, by the metric's own formula.
//!
//! Late frames are made on time until the limit holds: the worst of all iterations first, or the iterations that need
//! least first, whichever takes fewer. Every number comes from the registry of metrics and the judge, none from here.
//! Known only where the frames at hand give the recorded readings, so that a metric that sees something else is never
//! explained by what it does not see. Must not know: where frame logs are kept, words.

use crate::event::WindowMeasured;
use crate::frame_log::{Bar, FrameLog, What};
use crate::judge::{IterationValue, judge};
use crate::metric::{Metric, Needs};
use crate::metrics::find;
use crate::threshold::{Judgement, Limit, Outcome};
use crate::time::Span;
use crate::window::{Beside, Interval, Window};

/// Readings from the frames of a frame log agree with the recorded ones to this share: frame logs are rounded to µs.
const AGREES: f64 = 0.002;

/// What would have had to be otherwise for a breached limit to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counterfactual {
    /// So many hitches fewer would have passed.
    Fewer {
        /// How many.
        hitches: usize,
        /// Time they were late by, µs.
        us: u64,
        /// Time all hitches were late by, µs.
        of_us: u64,
    },
    /// Not even without any hitch: it would then be this, in the metric's unit; none where it would have no value.
    Unexplained(Option<f64>),
}

/// What would have passed, where a limit was breached and frames tell. `iterations` are those that counted, in order,
/// each with its frames.
pub fn counterfactual(
    judgement: &Judgement,
    iterations: &[(&WindowMeasured, &FrameLog)],
) -> Option<Counterfactual> {
    if judgement.outcome != Outcome::Breached || judgement.confidence_bound.is_some() {
        return None;
    }
    let metric = find(&judgement.metric).filter(|one| matches!(one.needs, Needs::Frames | Needs::Vsyncs))?;
    let limit = Limit::parse(&judgement.text, judgement.unit).ok()?;
    let asked = Asked::new(metric, &limit, iterations)?;
    if !asked.agrees(judgement) {
        return None;
    }
    let everything = asked.late.iter().map(Vec::len).collect::<Vec<_>>();
    if everything.iter().all(|late| *late == 0) || !asked.held(&everything) {
        return Some(Counterfactual::Unexplained(asked.without(&everything).actual));
    }
    let cheapest =
        [asked.worst_first(), asked.easiest_first()].into_iter().min_by_key(|fewer| count(fewer))?;
    let taken = |(late, fewer): (&Vec<Late>, &usize)| late[..*fewer].iter().map(|late| late.us).sum::<u64>();
    let us = asked.late.iter().zip(&cheapest).map(taken).sum();
    let of_us = asked.late.iter().flatten().map(|late| late.us).sum();
    Some(Counterfactual::Fewer { hitches: count(&cheapest), us, of_us })
}

fn count(fewer: &[usize]) -> usize {
    fewer.iter().sum()
}

/// A late frame: its place in its iteration, and how late.
struct Late {
    nth: usize,
    us: u64,
}

/// A limit, and the frames it is asked of.
struct Asked<'a> {
    metric: &'static Metric,
    limit: &'a Limit,
    iterations: Vec<(Window, Option<f64>)>,
    /// Of each iteration, the worst first.
    late: Vec<Vec<Late>>,
}

impl<'a> Asked<'a> {
    /// None where an iteration has no coverage.
    fn new(
        metric: &'static Metric,
        limit: &'a Limit,
        of: &[(&WindowMeasured, &FrameLog)],
    ) -> Option<Asked<'a>> {
        let mut iterations = Vec::new();
        let mut late = Vec::new();
        for (measured, frame_log) in of {
            let frames = || frame_log.bars.iter().filter(|bar| bar.what == What::Frame);
            let delayed = frames().enumerate().filter(|(_, bar)| bar.late() > 0);
            let mut delayed: Vec<Late> = delayed.map(|(nth, bar)| Late { nth, us: bar.late_us() }).collect();
            delayed.sort_by_key(|late| std::cmp::Reverse(late.us));
            late.push(delayed);
            let window = Window {
                intervals: intervals(frame_log),
                uncounted: Vec::new(),
                motions: measured.motions.clone(),
                presents: Vec::new(),
                first_frame: Vec::new(),
                ambiguous: Span::ZERO,
                idle: (0, Span::ZERO),
                coverage: measured.coverage.clone()?,
                beside: Beside::default(),
            };
            iterations.push((window, measured.refresh_hz));
        }
        Some(Asked { metric, limit, iterations, late })
    }

    fn held(&self, fewer: &[usize]) -> bool {
        self.without(fewer).outcome == Outcome::Held
    }

    /// The fewest of the worst hitches of all iterations together.
    fn worst_first(&self) -> Vec<usize> {
        let numbered = self.late.iter().enumerate();
        let mut order: Vec<(u64, usize)> =
            numbered.flat_map(|(nth, late)| late.iter().map(move |late| (late.us, nth))).collect();
        order.sort_by_key(|(us, nth)| (std::cmp::Reverse(*us), *nth));
        let fewer = |taken: usize| {
            let mut fewer = vec![0; self.late.len()];
            order[..taken].iter().for_each(|(_, nth)| fewer[*nth] += 1);
            fewer
        };
        fewer(fewest(order.len(), |taken| self.held(&fewer(taken))))
    }

    /// Iterations made to hold by themselves, those that need least first, until all together hold: what a median or an
    /// extreme asks for.
    fn easiest_first(&self) -> Vec<usize> {
        let alone = |nth: usize| {
            fewest(self.late[nth].len(), |taken| {
                let value = self.value(nth, taken);
                judge(self.metric.key, self.metric.unit, self.limit, &[value]).outcome == Outcome::Held
            })
        };
        let mut order: Vec<(usize, usize)> = (0..self.late.len()).map(|nth| (alone(nth), nth)).collect();
        order.sort_unstable();
        let mut fewer = vec![0; self.late.len()];
        for (needed, nth) in order {
            fewer[nth] = needed;
            if self.held(&fewer) {
                break;
            }
        }
        // An iteration may need others to be better than it ever gets.
        if self.held(&fewer) { fewer } else { self.late.iter().map(Vec::len).collect() }
    }

    /// Whether these frames give the readings that were judged.
    fn agrees(&self, judgement: &Judgement) -> bool {
        let again = self.without(&vec![0; self.late.len()]);
        let near = |(mine, theirs): (&Option<f64>, &Option<f64>)| match (mine, theirs) {
            (Some(mine), Some(theirs)) => (mine - theirs).abs() <= AGREES * theirs.abs().max(0.01),
            _ => false,
        };
        again.outcome == Outcome::Breached
            && again.values.len() == judgement.values.len()
            && again.values.iter().zip(&judgement.values).all(near)
    }

    /// The judgement, had the worst so many late frames of each iteration come on time.
    fn without(&self, fewer: &[usize]) -> Judgement {
        let values: Vec<IterationValue> =
            fewer.iter().enumerate().map(|(nth, taken)| self.value(nth, *taken)).collect();
        judge(self.metric.key, self.metric.unit, self.limit, &values)
    }

    /// What one iteration would read.
    fn value(&self, nth: usize, taken: usize) -> IterationValue {
        let (window, refresh_hz) = &self.iterations[nth];
        let mut window = window.clone();
        for late in &self.late[nth][..taken] {
            let interval = &mut window.intervals[late.nth];
            (interval.vsyncs, interval.late) = (interval.due(), 0);
            interval.length = Span::from_ns(interval.period.ns() * i64::from(interval.vsyncs));
        }
        IterationValue { value: self.metric.measure(&window).value(), refresh_hz: *refresh_hz }
    }
}

/// The smallest number up to `all` for which it holds, given that more never does harm.
fn fewest(all: usize, holds: impl Fn(usize) -> bool) -> usize {
    if holds(0) {
        return 0;
    }
    let mut breached = 0;
    let mut enough = all;
    while enough - breached > 1 {
        let middle = breached + (enough - breached) / 2;
        *(if holds(middle) { &mut enough } else { &mut breached }) = middle;
    }
    enough
}

/// The frames of a frame log as the metrics read them, exact to the µs.
fn intervals(frame_log: &FrameLog) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    let mut end = None;
    let mut segment = 0;
    for bar in frame_log.bars.iter().filter(|bar| bar.what == What::Frame) {
        if end.is_some_and(|end| end != bar.from_us) {
            segment += 1;
        }
        end = Some(bar.to_us());
        intervals.push(interval(frame_log, bar, segment));
    }
    intervals
}

fn interval(frame_log: &FrameLog, bar: &Bar, segment: u32) -> Interval {
    let us = |us: u64| Span::from_ns(i64::try_from(us).unwrap_or(0).saturating_mul(1000));
    Interval {
        from: frame_log.origin + us(bar.from_us),
        length: us(bar.length_us),
        period: Span::from_ns(i64::try_from(bar.period_ns).unwrap_or(0)),
        vsyncs: bar.vsyncs,
        late: bar.late(),
        segment,
        phase: bar.phase,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::SourceId;
    use crate::metric::Unit;
    use crate::motion::Phase;
    use crate::time::DeviceTime;
    use crate::timeline::RowCounts;
    use crate::window::Coverage;

    const P: u64 = 10_000_000;

    fn measured() -> WindowMeasured {
        let coverage = Coverage {
            frames_seen: 9,
            samples: 1,
            proved: true,
            share: 1.0,
            gaps: Vec::new(),
            source: SourceId::SurfaceFlinger,
            layer: None,
            periods: Vec::new(),
            period_uncertain: Span::ZERO,
            late_uncertain: Span::ZERO,
            row_counts: RowCounts::default(),
            untold: 0,
            doubts: Vec::new(),
        };
        WindowMeasured { coverage: Some(coverage), refresh_hz: Some(100.0), ..WindowMeasured::default() }
    }

    /// Frames of so many vsyncs of 10 ms each.
    fn frame_log(vsyncs: &[u32]) -> FrameLog {
        let mut from_us = 0;
        let bar = |vsyncs: &u32| {
            let length_us = u64::from(*vsyncs) * P / 1000;
            from_us += length_us;
            Bar {
                from_us: from_us - length_us,
                length_us,
                what: What::Frame,
                phase: Phase::Finger,
                period_ns: P,
                vsyncs: *vsyncs,
                cadence: 1,
                owner: None,
                stage: None,
            }
        };
        FrameLog { origin: DeviceTime::from_ns(5), bars: vsyncs.iter().map(bar).collect() }
    }

    fn said(key: &str, limit: &str, iterations: &[&[u32]]) -> Option<Counterfactual> {
        let (window, frame_logs) =
            (measured(), iterations.iter().map(|vsyncs| frame_log(vsyncs)).collect::<Vec<_>>());
        let seen: Vec<_> = frame_logs.iter().map(|frame_log| (&window, frame_log)).collect();
        let metric = find(key).unwrap();
        let limit = Limit::parse(limit, metric.unit).unwrap();
        let judgement = Asked::new(metric, &limit, &seen).unwrap().without(&vec![0; iterations.len()]);
        counterfactual(&judgement, &seen)
    }

    fn fewer(hitches: usize, ms: u64, of_ms: u64) -> Option<Counterfactual> {
        Some(Counterfactual::Fewer { hitches, us: ms * 1000, of_us: of_ms * 1000 })
    }

    #[test]
    fn the_fewest_of_the_worst_hitches_that_would_have_passed() {
        // 90 ms late in 170 ms.
        let slow: &[u32] = &[1, 1, 4, 1, 7, 1, 1, 1];
        assert_eq!(said("hitch_ms", "max < 40ms", &[slow]), fewer(1, 60, 90));
        assert_eq!(said("hitch_ms", "max < 30ms", &[slow]), fewer(2, 90, 90));
        assert_eq!(said("hitch_ms", "max < 100ms", &[slow]), None);
        assert_eq!(said("hitch_ms", "mean <= 30ms", &[slow, &[1, 1, 4, 1]]), fewer(1, 60, 120));
        assert_eq!(said("fps", "mean >= 99", &[slow]), fewer(2, 90, 90));
    }

    #[test]
    fn what_hitches_do_not_explain_is_not_put_down_to_them() {
        let Some(Counterfactual::Unexplained(Some(best))) = said("fps", "mean >= 120", &[&[1, 2, 1]]) else {
            panic!("120 frames per second of 100 Hz are out of reach");
        };
        assert!((best - 100.0).abs() < 0.01, "{best}");
    }

    #[test]
    fn frames_that_give_another_reading_explain_nothing() {
        let (window, frame_log) = (measured(), frame_log(&[1, 4]));
        let seen = [(&window, &frame_log)];
        let limit = Limit::parse("max < 10ms", Unit::Ms).unwrap();
        let mut judgement = Asked::new(find("hitch_ms").unwrap(), &limit, &seen).unwrap().without(&[0]);
        assert!(counterfactual(&judgement, &seen).is_some());
        judgement.values = vec![Some(55.0)];
        assert_eq!(counterfactual(&judgement, &seen), None);
    }
}
