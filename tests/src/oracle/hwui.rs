//! hwui's own judgement of frames, and Matrix's of the UI thread's part, from what the lab's renderers did.
//!
//! A queue that was stuffed before the first frame of a motion is not known to the tool: the counts that stand on the
//! state of the queue may be off by so many frames as such a state lasts.

use super::answer::Answer;
use super::framestats::Stages;
use super::presents::PERIOD_ERROR;
use farmjank_lab::truth::hwui::TruthHwuiFrame;

/// Frames by which counts on the state of the queue may be off, for each gesture.
const QUEUE: f64 = 2.0;

impl Stages<'_> {
    /// Whether each frame of the motions missed its deadline, and whether it met it behind a stuffed queue.
    fn missed(&self) -> Vec<(&TruthHwuiFrame, bool, bool)> {
        if self.modern {
            let judged = |f: &&'_ TruthHwuiFrame| f.gpu >= f.deadline;
            return self.frames.iter().map(|f| (*f, judged(f), f.stuffed && !judged(f))).collect();
        }
        let mut deadline: Option<i64> = None;
        let mut all = Vec::new();
        for f in &self.before {
            let last = deadline.unwrap_or(i64::MIN / 2);
            let stuffed = (last - f.intended) as f64 > 0.1 * f.interval as f64;
            let mut next = (last + f.interval).max(f.intended + f.interval);
            let took = f.completed - f.intended - (f.sync_start - f.sync_queued);
            let missed = f.completed >= next && took >= f.interval;
            if missed {
                next = f.completed - (f.completed - f.vsync) % f.interval + f.interval;
            }
            deadline = Some(next);
            all.push((*f, missed, stuffed && !missed));
        }
        all.retain(|(f, ..)| self.frames.iter().any(|inside| inside.intended == f.intended));
        all
    }

    /// Gestures: stretches of frames without half a second between them.
    fn gestures(&self) -> f64 {
        let apart = |two: &&[&TruthHwuiFrame]| two[1].intended - two[0].intended > 500_000_000;
        1.0 + self.frames.windows(2).filter(apart).count() as f64
    }

    pub(super) fn judged(&self, key: &str) -> Option<Answer> {
        let missed = self.missed();
        let all = missed.len() as f64;
        let count = |is: &dyn Fn(&TruthHwuiFrame) -> bool| {
            missed.iter().filter(|(f, missed, _)| *missed && is(f)).count() as f64
        };
        let slack = if self.modern { 0.0 } else { QUEUE * self.gestures() };
        let about = |value: f64| Answer::about(value, slack + 1e-6);
        let share = |from: i64, to: i64, f: &TruthHwuiFrame| (to - from) as f64 / f.interval as f64;
        Some(match key {
            "jank_deadline" if !self.modern => Answer::Absent,
            "jank_deadline_pct" if !self.modern => Answer::Absent,
            "jank_deadline" => about(count(&|_| true)),
            "jank_deadline_pct" => Answer::exact(100.0 * count(&|_| true) / all),
            "hwui_missed_vsync" => about(count(&|f| f.vsync > f.intended)),
            "hwui_slow_ui" => about(count(&|f| share(f.vsync, f.sync_queued, f) >= 0.5)),
            "hwui_slow_upload" => about(count(&|f| share(f.sync_start, f.issue, f) >= 0.2)),
            "hwui_slow_draw" => about(count(&|f| share(f.issue, f.completed, f) >= 0.75)),
            "hwui_high_input_latency" => {
                let stuffed = missed.iter().filter(|(_, _, stuffed)| *stuffed).count() as f64;
                Answer::about(stuffed, QUEUE * self.gestures())
            }
            "frameOverrunMs" if !self.modern => Answer::Absent,
            "frameOverrunMs" => self.overrun(),
            _ => return None,
        })
    }

    /// Completion less the promised deadline.
    fn overrun(&self) -> Answer {
        let mut over: Vec<f64> =
            self.frames.iter().map(|f| (f.completed - f.promised) as f64 / 1e6).collect();
        over.sort_by(f64::total_cmp);
        let at = |percent: f64| {
            let place = percent / 100.0 * (over.len() - 1) as f64;
            let (low, high) = (over[place.floor() as usize], over[place.ceil() as usize]);
            low + (high - low) * place.fract()
        };
        Answer::list([50.0, 90.0, 95.0, 99.0].map(at), 0.0)
    }

    pub(super) fn matrix(&self, key: &str) -> Option<Answer> {
        let errors: &[f64] =
            if self.modern { &[0.0] } else { &[0.0, -PERIOD_ERROR, PERIOD_ERROR, -5e-4, 5e-4] };
        let tried: Vec<Vec<f64>> = errors.iter().map(|error| self.rates(1.0 + error)).collect();
        Some(match key {
            "matrix_do_frame_levels" => {
                let dropped = |f: &&TruthHwuiFrame| (f.sync_queued - f.intended).max(0) / f.interval;
                let mut counts = [0.0; 5];
                for f in &self.frames {
                    let missed = dropped(f);
                    counts[[3, 9, 24, 42].into_iter().filter(|level| missed >= *level).count()] += 1.0;
                }
                let shares =
                    self.frames.iter().map(|f| (f.sync_queued - f.intended) as f64 / f.interval as f64);
                let near =
                    |line: f64| shares.clone().filter(|s| (s - line).abs() <= line * PERIOD_ERROR).count();
                let slack = if self.modern { 0 } else { [3.0, 9.0, 24.0, 42.0].map(near).iter().sum() };
                Answer::list(counts, slack as f64)
            }
            "matrix_fps200" => {
                Answer::OneOf(tried, if self.modern { 1e-3 } else { 240.0 * 2.0 * PERIOD_ERROR })
            }
            "matrix_fps200_mean" => {
                let means = tried.iter().map(|rates| rates.iter().sum::<f64>() / rates.len() as f64);
                let (low, high) =
                    means.fold((f64::MAX, f64::MIN), |(low, high), mean| (low.min(mean), high.max(mean)));
                Answer::between(low, high, if self.modern { 0.0 } else { high * PERIOD_ERROR })
            }
            _ => return None,
        })
    }

    /// Frames per 200 ms of charged time, the interval so much longer.
    fn rates(&self, scale: f64) -> Vec<f64> {
        let mut rates = Vec::new();
        let mut frames = 0.0;
        let mut cost = 0.0;
        for f in &self.frames {
            let interval = f.interval as f64 * scale / 1e6;
            let dropped = ((f.sync_queued - f.intended).max(0) as f64 / 1e6 / interval).floor();
            frames += 1.0;
            cost += (dropped + 1.0) * interval;
            if cost >= 200.0 - 1e-9 {
                rates.push((1e3 * frames / cost).min(1e3 / interval));
                (frames, cost) = (0.0, 0.0);
            }
        }
        rates
    }
}
