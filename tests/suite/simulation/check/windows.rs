//! What must be true of every measured window: its numbers beside the lab's truth, its evidence, its verdict.

use super::World;
use super::expected::{ExpectedFrames, expected};
use farmjank_lab::truth::{Cause, Truth};
use farmjank_measure::probe_read;
use farmjank_measure::read_back::ReadBack;
use farmjank_measure::weigh::{Ask, remeasure};
use farmjank_results::device::App;
use farmjank_results::event::{Ending, WindowMeasured};
use farmjank_results::frame::SourceId;
use farmjank_results::metric::{Needs, Reading};
use farmjank_results::metric_key::MetricKey;
use farmjank_results::metrics::find;
use farmjank_results::motion::Motion;
use farmjank_results::record::JobRecord;
use farmjank_results::threshold::Judgement;
use farmjank_results::verdict::Verdict;
use farmjank_tests::oracle::Expected;
use farmjank_tests::stage::{Story, readers};
use std::collections::BTreeMap;

/// Everything that is wrong with the windows of a run.
pub fn wrongs(world: &World, story: &Story) -> Vec<String> {
    let mut wrongs = Vec::new();
    for (number, job) in &story.record.jobs {
        let Some(device) = &job.planned.device else { continue };
        let modes = story.record.devices.get(device).map(|facts| facts.modes.iter().map(|mode| mode.hz));
        let modes: Vec<f64> = modes.into_iter().flatten().collect();
        for (at, trial) in job.trials.iter().enumerate() {
            for window in &trial.windows {
                let place =
                    format!("job {number} on {device}, try {at} (trial {}), {}", trial.trial, window.window);
                let mut found = readings(window);
                let pinned = pinned(world, &job.planned.scenario);
                found.extend(again(story, window, &modes, pinned));
                if !world.rebooted.contains(&device.0) {
                    let expected = expected(story, &device.0, window);
                    let held = |truth: &Truth<'_>| truthful(truth, window, expected.as_ref()?);
                    found.extend(story.lab.truth(&device.0, held).flatten());
                }
                wrongs.extend(found.into_iter().map(|words| format!("{place}: {words}")));
            }
        }
        wrongs.extend(passes(job).into_iter().map(|words| format!("job {number} on {device}: {words}")));
    }
    wrongs
}

/// No number without proof, no null without a reason, nothing that is no number.
fn readings(window: &WindowMeasured) -> Vec<String> {
    let proved = window.coverage.as_ref().is_some_and(|coverage| coverage.proved);
    let mut wrongs = Vec::new();
    for (key, reading) in &window.readings {
        let needs = find(key).map_or(Needs::Frames, |metric| metric.needs);
        let free = !matches!(needs, Needs::Frames | Needs::Vsyncs | Needs::Presents | Needs::Layers);
        match reading {
            Reading::Unmeasurable(why) if why.trim().is_empty() => wrongs.push(format!("{key}: no reason")),
            Reading::Unmeasurable(_) => {}
            _ if !proved && !free => wrongs.push(format!("{key} is {reading:?} without proved coverage")),
            Reading::Value(value) if !value.is_finite() || *value < 0.0 => {
                wrongs.push(format!("{key} is {value}"))
            }
            _ => {}
        }
    }
    if window.coverage.is_none() && window.void.is_none() && window.readings.is_empty() {
        wrongs.push("nothing was measured and nothing says why".to_owned());
    }
    // Where no source saw a frame and SurfaceFlinger counted some, its counts are told, and nothing else.
    let counted =
        |(key, reading): (&MetricKey, &Reading)| key.starts_with("tally_") && reading.value() > Some(0.0);
    let told = window.coverage.is_none() && window.readings.iter().any(counted);
    if !proved && !told && window.void.is_none() && !window.motions.is_empty() {
        wrongs.push("coverage is not proved and the window is not void".to_owned());
    }
    let spans = window.motions.windows(2).all(|pair| pair[0].to <= pair[1].from);
    if !spans || window.motions.iter().any(|motion| motion.to < motion.from) {
        wrongs.push(format!("its motions overlap: {:?}", window.motions));
    }
    wrongs
}

/// The source a scenario of this world pins.
fn pinned(world: &World, scenario: &str) -> Option<SourceId> {
    let named = |text: &&String| text.lines().any(|line| line.trim_end() == format!("name: {scenario}"));
    let text = world.scenarios.iter().find(named)?;
    let pins = [("surfaceflinger", SourceId::SurfaceFlinger), ("gfxinfo", SourceId::Gfxinfo)];
    pins.into_iter().find_map(|(word, source)| text.contains(&format!("source: {word}\n")).then_some(source))
}

/// The kept dumps read back and say the same.
fn again(story: &Story, window: &WindowMeasured, modes: &[f64], pinned: Option<SourceId>) -> Option<String> {
    if window.evidence.is_empty() {
        return window.coverage.is_some().then(|| "it has coverage and no evidence".to_owned());
    }
    let files: Vec<(String, Vec<u8>)> =
        window.evidence.iter().map(|path| (path.clone(), story.files.read(path))).collect();
    let app = App("com.example.shop".to_owned());
    let how = probe_read::ProbeContext { app: &app, clock: window.clock, modes };
    let kept = match ReadBack::read(files, &readers(), how) {
        Ok(kept) => kept,
        Err(why) => return Some(format!("its evidence cannot be measured: {why}")),
    };
    let ask = Ask { app: &app, target_fps: None, pinned };
    let again = remeasure(window, kept, ask);
    let kept = window.frame_log.as_ref().map(|path| story.files.read(path));
    if again.frame_log.map(|frame_log| frame_log.encode()) != kept {
        return Some("measured again its frames are others than those kept for the report".to_owned());
    }
    match again.window {
        again if again.readings != window.readings => {
            let differ = |(key, reading): (&MetricKey, &Reading)| {
                (again.readings.get(key.as_str()) != Some(reading))
                    .then(|| format!("{key}: {reading:?}, again {:?}", again.readings.get(key.as_str())))
            };
            let words: Vec<String> = window.readings.iter().filter_map(differ).take(3).collect();
            Some(format!("measured again it says something else: {}", words.join("; ")))
        }
        again if again.coverage != window.coverage => {
            Some(format!("measured again its coverage is {:?}, was {:?}", again.coverage, window.coverage))
        }
        again if again.void.is_some() != window.void.is_some() => {
            Some(format!("measured again its void is {:?}, was {:?}", again.void, window.void))
        }
        _ => None,
    }
}

/// Where coverage is proved, exactly the frames that existed and that anything on the phone told were seen, on the
/// layer that moved most.
fn truthful(truth: &Truth<'_>, window: &WindowMeasured, frames: &ExpectedFrames) -> Option<String> {
    let ExpectedFrames { expected, existed, until } = frames;
    let coverage = window.coverage.as_ref()?;
    if !coverage.proved || coverage.source == SourceId::Gfxinfo || window.motions.is_empty() {
        return None;
    }
    if coverage.frames_seen != expected.frames {
        return Some(format!(
            "{} frames seen, {} existed on {:?}, and coverage is called proved",
            coverage.frames_seen, expected.frames, coverage.layer
        ));
    }
    let mut moved: BTreeMap<&str, u64> = BTreeMap::new();
    for layer in truth.layers.iter().filter(|layer| layer.package == "com.example.shop") {
        let inside = |at: i64| window.motions.iter().any(|m| at >= m.from.ns() && at <= m.to.ns());
        let frames = layer.frames.iter().filter(|frame| inside(frame.present)).count() as u64;
        let name = layer.name.rsplit_once('#').map_or(layer.name.as_str(), |(base, _)| base);
        *moved.entry(name).or_default() += frames;
    }
    let busiest = moved.iter().max_by_key(|(_, frames)| **frames)?;
    if *busiest.1 > *existed {
        return Some(format!("judged by {:?} ({} frames) while {busiest:?} moved", coverage.layer, existed));
    }
    metrics(expected, window, steady(truth, window)).or_else(|| freezes(truth, window, *until))
}

/// A freeze in the middle of a motion whose end was told is never taken for rest.
fn freezes(truth: &Truth<'_>, window: &WindowMeasured, until: i64) -> Option<String> {
    let (told, layer) =
        (window.readings.get("frozen_frames")?.value()?, window.coverage.as_ref()?.layer.clone()?);
    let base = |name: &str| name.rsplit_once('#').map_or(name.to_owned(), |(base, _)| base.to_owned());
    let layers = truth.layers.iter().filter(|known| base(&known.name) == base(&layer));
    let frozen = layers.flat_map(|layer| layer.frames.windows(2)).filter(|pair| {
        let inside = |m: &Motion| pair[0].present >= m.from.ns() && pair[1].present <= m.to.ns();
        let moving = pair[0].gesture.is_some() && pair[0].gesture == pair[1].gesture;
        let long = pair[1].present - pair[0].present > 700_000_000;
        long && moving
            && pair[1].present < until
            && pair[1].cause == Cause::Frozen
            && window.motions.iter().any(inside)
    });
    let frozen = frozen.count();
    (told < frozen as f64).then(|| format!("{frozen} freezes in mid-motion, {told} told"))
}

/// Whether the panel kept its rate, also for a second after: where its last switch was is known to a frame or two.
fn steady(truth: &Truth<'_>, window: &WindowMeasured) -> bool {
    let (from, to) = (window.motions.first(), window.motions.last());
    let Some((from, to)) = from.zip(to).map(|(first, last)| (first.from.ns(), last.to.ns())) else {
        return true;
    };
    !truth.switches.iter().any(|switch| switch.at > from && switch.at < to + 1_000_000_000)
}

/// Numbers are the truth's; those in vsyncs where the panel kept its rate (what a switch may cost is for the truth
/// tests). Where a fling came to rest, what counts is for the rules of idleness to say, and for their own tests.
fn metrics(expected: &Expected, window: &WindowMeasured, steady: bool) -> Option<String> {
    if expected.partial > 0 || expected.intervals.iter().any(|interval| interval.ms > 250.0) {
        return None;
    }
    // The fitted period is off by less than 0.3 ms over a second of presents.
    let exact = ["fps", "scroll_fps", "p50_ms", "p95_ms", "max_ms", "frozen_frames"].map(|key| (key, 1e-9));
    let vsyncs =
        [("dropped_frames", 1e-9), ("delivery_ratio", 1e-9), ("hitch_ms", 0.003), ("hitch_ms_per_s", 0.003)];
    // A panel may have rested at a slower rate before the first frame that was seen, and nobody heard.
    let believed = window.coverage.as_ref().map_or(0, |coverage| coverage.periods.len().saturating_sub(1));
    let vsyncs = vsyncs.into_iter().filter(|_| steady && believed == 0);
    let differs = exact.into_iter().chain(vsyncs).find_map(|(key, share)| {
        let (value, truth) = (window.readings.get(key)?.value()?, expected.metric(key)?);
        let differs = (value - truth).abs() > 1e-6 + truth.abs() * share;
        differs.then(|| format!("{key} is {value}, the truth is {truth}"))
    });
    differs.or_else(|| (steady && believed > 0).then(|| price(expected, window, believed)).flatten())
}

/// Each switch that is believed may cost one frame that was late by one refresh
/// (docs/design/windows.md#length-in-refreshes), and no more.
fn price(expected: &Expected, window: &WindowMeasured, switches: usize) -> Option<String> {
    let dropped = window.readings.get("dropped_frames")?.value()?;
    let truth = expected.metric("dropped_frames")?;
    let fair = 0.0..=switches as f64;
    (!fair.contains(&(truth - dropped))).then(|| {
        format!("dropped_frames is {dropped}, the truth is {truth}, and {switches} switches are believed")
    })
}

/// A window judged Pass stands on counted trials whose coverage is proved.
fn passes(job: &JobRecord) -> Vec<String> {
    let mut wrongs = Vec::new();
    for judged in
        job.windows.iter().filter(|judged| judged.verdict == Verdict::Pass && judged.window != "launch")
    {
        let counted =
            job.trials.iter().filter(|trial| trial.counted && trial.ending == Some(Ending::Completed));
        let windows =
            counted.flat_map(|trial| &trial.windows).filter(|window| window.window == judged.window);
        let valid: Vec<&WindowMeasured> = windows.filter(|window| window.void.is_none()).collect();
        if valid.is_empty() || valid.len() != judged.counted as usize {
            wrongs.push(format!(
                "{} passed on {} trials, {} are not void",
                judged.window,
                judged.counted,
                valid.len()
            ));
        }
        // A launch without gestures is timed by the phone itself: there are no frames to prove.
        let by_frames = |judgement: &Judgement| {
            find(&judgement.metric)
                .is_none_or(|metric| !matches!(metric.needs, Needs::Launch | Needs::Counters | Needs::Log))
        };
        if !judged.judgements.is_empty() && !judged.judgements.iter().any(by_frames) {
            continue;
        }
        if let Some(still) =
            valid.iter().find(|window| window.coverage.as_ref().is_some_and(|c| c.frames_seen == 0))
        {
            wrongs.push(format!("{} passed and nothing moved in {:?}", judged.window, still.span));
        }
        let unproved =
            valid.iter().filter(|window| !window.coverage.as_ref().is_some_and(|c| c.proved)).count();
        if unproved > 0 {
            wrongs.push(format!("{} passed with {unproved} unproved trials", judged.window));
        }
        if judged.judgements.iter().any(|judgement| judgement.values.iter().any(Option::is_none)) {
            wrongs.push(format!("{} passed with a value missing", judged.window));
        }
    }
    wrongs
}
