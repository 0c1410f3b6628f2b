//! Numbers on render stages, from what the lab's renderers did, in loops and floats.
//!
//! Stages are printed as they were, so times are exact. Before Android 12 no frame interval is printed: there it is the
//! fitted refresh period, and frames within its error of a line may fall on either side ([`PERIOD_ERROR`]).

use super::answer::Answer;
use super::presents::PERIOD_ERROR;
use farmjank_lab::truth::Truth;
use farmjank_lab::truth::hwui::TruthHwuiFrame;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;

/// The frames one window of the app was scheduled to draw inside the motions.
pub struct Stages<'t> {
    /// In order.
    pub frames: Vec<&'t TruthHwuiFrame>,
    /// The same, from the beginning of the window: what the platform's own counters go by.
    pub before: Vec<&'t TruthHwuiFrame>,
    /// When each was seen: its present, ns; its completion where the window is judged by framestats alone.
    pub presents: Vec<Option<i64>>,
    /// The window is judged by framestats alone.
    pub alone: bool,
    /// Android 12 or newer.
    pub modern: bool,
    /// The phone prints when the GPU began (13 and newer in the lab: 12 too).
    pub gpu: bool,
}

/// Of the window that drew most of them. The last dump is taken when the app has answered: a frame that was still on
/// its UI thread when the measured window ended is in the ring then.
pub fn of_window<'t>(truth: &'t Truth<'_>, measured: &WindowMeasured, sdk: u32) -> Stages<'t> {
    let inside = |frame: &&TruthHwuiFrame| {
        measured.motions.iter().any(|motion| (motion.from.ns()..=motion.to.ns()).contains(&frame.intended))
    };
    let of = |layer: &str| -> Vec<&TruthHwuiFrame> {
        truth.hwui_frames.iter().filter(|frame| frame.flags == 0 && frame.layer == layer).collect()
    };
    let layers = truth.hwui_frames.iter().map(|frame| frame.layer.as_str());
    let busiest = layers.max_by_key(|layer| of(layer).into_iter().filter(inside).count()).unwrap_or("");
    let before = of(busiest);
    let frames: Vec<&TruthHwuiFrame> = before.iter().copied().filter(inside).collect();
    // A layer that was made anew has the same name.
    let shown = || truth.layers.iter().filter(|layer| layer.name == busiest).flat_map(|layer| &layer.frames);
    let twin = |frame: &&TruthHwuiFrame| shown().find(|shown| shown.token == Some(frame.token));
    let alone = measured.coverage.as_ref().is_some_and(|coverage| coverage.source == SourceId::Gfxinfo);
    let seen = |frame: &&TruthHwuiFrame| match alone {
        true => Some(frame.completed),
        false => twin(frame).map(|shown| shown.present),
    };
    Stages {
        presents: frames.iter().map(seen).collect(),
        frames,
        before,
        alone,
        modern: sdk >= 31,
        gpu: sdk >= 31,
    }
}

const STAGES: [&str; 10] = [
    "stage_unknown_delay_ms",
    "stage_input_ms",
    "stage_animation_ms",
    "stage_layout_measure_ms",
    "stage_draw_ms",
    "stage_sync_queue_ms",
    "stage_sync_ms",
    "stage_command_issue_ms",
    "stage_swap_buffers_ms",
    "stage_gpu_ms",
];

/// Durations of the stages of a frame, ns, in the order of their names.
fn stages(frame: &TruthHwuiFrame) -> [i64; 10] {
    let f = frame;
    [
        f.handle_input - f.intended,
        f.animation - f.handle_input,
        f.traversals - f.animation,
        f.draw - f.traversals,
        f.sync_queued - f.draw,
        f.sync_start - f.sync_queued,
        f.issue - f.sync_start,
        f.swap - f.issue,
        f.queued - f.swap,
        f.gpu - f.submitted,
    ]
}

fn ms(ns: i64) -> f64 {
    ns as f64 / 1e6
}

fn nearest(mut values: Vec<f64>, percent: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (percent * values.len() as f64 / 100.0 - 1e-9).ceil().max(1.0) as usize;
    values.get(rank - 1).copied().unwrap_or(f64::NAN)
}

fn linear(mut values: Vec<f64>, percent: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = percent / 100.0 * (values.len() - 1) as f64;
    let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

impl Stages<'_> {
    /// What a metric must read; none for keys this does not know.
    pub fn answer(&self, key: &str) -> Option<Answer> {
        if self.frames.is_empty() {
            return Some(Answer::Absent);
        }
        self.times(key).or_else(|| self.counts(key)).or_else(|| self.judged(key)).or_else(|| self.matrix(key))
    }

    fn render(&self) -> Vec<f64> {
        self.frames.iter().map(|frame| ms(frame.completed - frame.intended)).collect()
    }

    /// Render time in intervals.
    fn intervals(&self) -> Vec<f64> {
        self.frames.iter().map(|f| (f.completed - f.intended) as f64 / f.interval as f64).collect()
    }

    /// How many of these values are so near to a line that the period's error decides.
    fn undecided(&self, values: impl Iterator<Item = f64>, line: f64) -> f64 {
        if self.modern {
            return 0.0;
        }
        values.filter(|value| (value - line).abs() <= line * PERIOD_ERROR).count() as f64
    }

    fn times(&self, key: &str) -> Option<Answer> {
        if let Some(nth) = STAGES.iter().position(|stage| *stage == key) {
            let took: Vec<f64> = self.frames.iter().map(|frame| ms(stages(frame)[nth])).collect();
            let list = Answer::list([50.0, 95.0, 100.0].map(|percent| nearest(took.clone(), percent)), 0.0);
            return Some(if nth == 9 && !self.gpu { Answer::Absent } else { list });
        }
        let rank = |percent: f64| nearest(self.render(), percent);
        let percents = [50.0, 90.0, 95.0, 99.0];
        Some(match key {
            "render_ms" => Answer::list(percents.map(rank), 0.0),
            "render_p50_ms" => Answer::exact(rank(50.0)),
            "render_p90_ms" => Answer::exact(rank(90.0)),
            "render_p95_ms" => Answer::exact(rank(95.0)),
            "render_p99_ms" => Answer::exact(rank(99.0)),
            "render_max_ms" => Answer::exact(rank(100.0)),
            "frameDurationCpuMs" => {
                let began = |f: &TruthHwuiFrame| if self.modern { f.start } else { f.handle_input };
                let took: Vec<f64> = self.frames.iter().map(|f| ms(f.queued - began(f))).collect();
                Answer::list(percents.map(|percent| linear(took.clone(), percent)), 0.0)
            }
            "input_latency_ms" => self.input(50.0),
            "input_latency_p95_ms" => self.input(95.0),
            _ => return None,
        })
    }

    /// From a touch to the very frame that showed it. The tool takes the first present after its completion, which may
    /// be one refresh before where the frame waited its turn.
    fn input(&self, percent: f64) -> Answer {
        let shown = self.frames.iter().zip(&self.presents);
        let latencies: Vec<f64> = shown.filter_map(|(f, present)| Some(ms((*present)? - f.input?))).collect();
        if self.modern || latencies.is_empty() {
            return Answer::Absent;
        }
        let period = ms(self.frames[0].interval);
        let value = nearest(latencies, percent);
        Answer::Number(value - period * 1.1, value + 0.5)
    }

    fn counts(&self, key: &str) -> Option<Answer> {
        let render = self.render();
        let all = render.len() as f64;
        let over = |line: f64| render.iter().filter(|ms| **ms > line).count() as f64;
        let long = self.intervals().iter().filter(|r| **r > 1.0).count() as f64;
        let near = self.undecided(self.intervals().into_iter(), 1.0);
        Some(match key {
            "frame_count" => Answer::exact(all),
            "vitals_slow" => Answer::exact(over(16.0)),
            "vitals_slow_pct" => Answer::exact(100.0 * over(16.0) / all),
            "vitals_frozen" => Answer::exact(over(700.0)),
            "frozen_render" => Answer::exact(render.iter().filter(|ms| **ms >= 700.0).count() as f64),
            "over_interval_pct" => Answer::about(100.0 * long / all, 100.0 * near / all + 1e-6),
            "jank_legacy" => Answer::about(long, near + 1e-6),
            "main_factor" => self.factors(),
            "main_factor_none_pct" => self.no_factor(),
            _ => return None,
        })
    }

    /// Which stage ate the frames longer than two intervals: index of the stage, ten for none.
    fn eaten(&self) -> Vec<usize> {
        let long = self.frames.iter().filter(|f| f.completed - f.intended > 2 * f.interval);
        let eater = |f: &&TruthHwuiFrame| {
            let took = stages(f);
            let known = if self.gpu { 10 } else { 9 };
            let longest = (0..known).rev().max_by_key(|nth| took[*nth]).unwrap_or(10);
            if took[longest] > f.interval { longest } else { 10 }
        };
        long.map(eater).collect()
    }

    /// Frames whose class the period's error decides.
    fn doubtful(&self) -> f64 {
        let stage = |f: &TruthHwuiFrame, nth: usize| stages(f)[nth] as f64 / f.interval as f64;
        let shares = self.frames.iter().flat_map(|f| (0..10).map(|nth| stage(f, nth)));
        self.undecided(self.intervals().into_iter(), 2.0) + self.undecided(shares, 1.0)
    }

    fn factors(&self) -> Answer {
        let eaten = self.eaten();
        let count = |nth: usize| eaten.iter().filter(|at| **at == nth).count() as f64;
        Answer::list((0..11).map(count), self.doubtful())
    }

    fn no_factor(&self) -> Answer {
        let eaten = self.eaten();
        let none = eaten.iter().filter(|at| **at == 10).count() as f64;
        let all = eaten.len() as f64;
        match (eaten.is_empty(), self.doubtful() > 0.0) {
            (_, true) => Answer::Number(0.0, 100.0),
            (true, _) => Answer::Absent,
            _ => Answer::exact(100.0 * none / all),
        }
    }
}
