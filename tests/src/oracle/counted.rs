//! What SurfaceFlinger counted and the log told over a window, from the lab's truth.
//!
//! Both begin and end somewhere between two stamps of the phone (10 ms grain, and the call itself): every number is
//! held between the least and the most that any such beginning and end allow. SurfaceFlinger does not count a layer's
//! first frame of a stretch, nor the last three, which wait for a later one.

use super::answer::Answer;
use farmjank_lab::truth::hwui::TruthHwuiFrame;
use farmjank_lab::truth::{Truth, TruthFrame, TruthMessage, verdict};
use farmjank_results::dump::Dump;
use farmjank_results::frame::SourceId;
use farmjank_results::time::{BootTime, ClockMap};

/// A stretch whose ends are known to lie within these, ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// It began after the first and before the second.
    pub began: (i64, i64),
    /// It ended so.
    pub ended: (i64, i64),
}

/// Grain of the phone's stamps, ns.
const GRAIN: i64 = 11_000_000;
/// Frames at the end of a stretch that SurfaceFlinger has not counted yet.
const WAITING: usize = 3;

/// When a probe began and ended, by the stamps kept with what it said.
pub fn between(dumps: &[Dump], source: SourceId, clock: ClockMap) -> Option<Between> {
    let half = |name: &str| {
        let dump = dumps.iter().find(|dump| dump.source == source && dump.target == name)?;
        let at = |stamp: BootTime| clock.to_device(stamp).ns();
        Some((at(dump.asked?) - GRAIN, at(dump.answered?) + GRAIN))
    };
    Some(Between { began: half("begin")?, ended: half("end")? })
}

impl Between {
    /// Least and most of something that happened at instants.
    fn range(&self, events: impl Iterator<Item = (i64, f64)>) -> (f64, f64) {
        let mut least = 0.0;
        let mut most = 0.0;
        for (at, weight) in events {
            least += if at > self.began.1 && at < self.ended.0 { weight } else { 0.0 };
            most += if at >= self.began.0 && at <= self.ended.1 { weight } else { 0.0 };
        }
        (least, most)
    }
}

/// The platform's bucket of a length, and the middle of what it holds, ms.
fn bucket(ns: i64) -> (f64, f64) {
    let mut edges: Vec<i64> = (0..=34).collect();
    edges.extend((36..=50).step_by(2));
    edges.extend((54..=150).step_by(4));
    edges.extend((200..=1000).step_by(50));
    let at = edges.iter().position(|edge| ns / 1_000_000 <= *edge).unwrap_or(edges.len() - 1);
    let below = if at == 0 { -1 } else { edges[at - 1] };
    (edges[at] as f64, (below + edges[at]) as f64 / 2.0 + 1.0)
}

/// What a count of SurfaceFlinger must read; none for keys this does not know.
pub fn timestats(truth: &Truth<'_>, layer: &str, between: Between, sdk: u32, key: &str) -> Option<Answer> {
    let of = || truth.layers.iter().filter(|known| super::base(&known.name) == super::base(layer));
    let mut frames: Vec<&TruthFrame> = of().flat_map(|known| &known.frames).collect();
    frames.sort_by_key(|frame| frame.present);
    let count = |bits: &[u32]| {
        let of = |frame: &&TruthFrame| bits.iter().filter(|bit| frame.jank & **bit != 0).count() as f64;
        let (least, most) = between.range(frames.iter().map(|frame| (frame.latch, of(frame))));
        let waiting = (WAITING * bits.len()) as f64;
        // The first frame is judged without the one before it, so a wait in a full queue may be taken for something
        // else.
        Answer::Number((least - waiting).max(0.0), most + 1.0)
    };
    if sdk < 28 {
        return Some(Answer::Absent);
    }
    Some(match key {
        "tally_dropped_frames" if sdk < 29 => Answer::Absent,
        "tally_dropped_frames" => {
            let dropped = of().flat_map(|known| &known.dropped).map(|dropped| (dropped.at, 1.0));
            let (least, most) = between.range(dropped);
            Answer::Number((least - 1.0).max(0.0), most)
        }
        "tally_app_missed" | "tally_sf_missed" if sdk < 31 => Answer::Absent,
        "tally_app_missed" => count(&[verdict::APP_DEADLINE]),
        "tally_sf_missed" => {
            count(&[verdict::SF_CPU, verdict::SF_GPU, verdict::DISPLAY_HAL, verdict::SF_SCHEDULING])
        }
        _ => return histogram(&frames, between, key),
    })
}

/// The same for what stands on the histogram, for every stretch it may be of.
fn histogram(frames: &[&TruthFrame], between: Between, key: &str) -> Option<Answer> {
    let value = |frames: &[&TruthFrame]| -> Option<f64> {
        let lengths = frames.windows(2).map(|two| two[1].present - two[0].present);
        let mut all: Vec<(f64, f64)> = lengths.map(bucket).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        let moving: Vec<(f64, f64)> = all.iter().copied().filter(|(edge, _)| *edge < 200.0).collect();
        let rank =
            |percent: f64| moving[(percent * moving.len() as f64 / 100.0 - 1e-9).ceil() as usize - 1].0;
        Some(match key {
            "tally_frames" => all.len() as f64,
            "tally_fps" => 1e3 * moving.len() as f64 / moving.iter().map(|(_, middle)| middle).sum::<f64>(),
            "tally_p50_ms" => rank(50.0),
            "tally_p90_ms" => rank(90.0),
            "tally_p95_ms" => rank(95.0),
            "tally_p99_ms" => rank(99.0),
            "tally_long_frames" => moving.iter().filter(|(edge, _)| *edge > 50.0).count() as f64,
            "tally_gaps" => (all.len() - moving.len()) as f64,
            _ => return None,
        })
    };
    let at = |instant: i64| frames.partition_point(|frame| frame.latch < instant);
    // The interval from the frame before counting began may be in it, and the last frames not yet.
    let first = at(between.began.0).saturating_sub(1)..=at(between.began.1);
    let after = at(between.ended.0).saturating_sub(WAITING)..=at(between.ended.1);
    let tried = first.flat_map(|first| after.clone().map(move |after| (first, after)));
    let long_enough = tried.filter(|(first, after)| *after > first + 2);
    let mut values = Vec::new();
    for (first, after) in long_enough {
        values.push(value(&frames[first..after])?);
    }
    if values.is_empty() {
        return Some(Answer::Absent);
    }
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(*one), high.max(*one)));
    Some(Answer::between(low, high, 0.0))
}

/// What a metric on the log must read; none for keys this does not know. `watched`: the platform's watch on slow
/// messages was enabled before the app began.
pub fn log(truth: &Truth<'_>, package: &str, between: Between, watched: bool, key: &str) -> Option<Answer> {
    let ms = |message: &TruthMessage| (message.ended / 1_000_000 - message.began / 1_000_000) as f64;
    let messages = |least: f64| {
        let of = truth.messages.iter().filter(move |message| message.package == package);
        of.filter(move |message| ms(message) >= least)
    };
    let drawn =
        || truth.hwui_frames.iter().filter(move |frame| frame.package == package && frame.flags & 8 == 0);
    let count = |least: f64| between.range(messages(least).map(|message| (message.ended, 1.0)));
    let number = |(least, most): (f64, f64)| Answer::Number(least, most);
    let rows = |(least, most): (f64, f64)| Answer::RowCount(least as usize, most as usize);
    let skipped = |frame: &TruthHwuiFrame| ((frame.start - frame.intended) / frame.interval) as f64;
    Some(match key {
        "davey_count" => {
            let long = drawn().filter(|frame| frame.completed - frame.intended >= 700_000_000);
            number(between.range(long.map(|frame| (frame.completed, 1.0))))
        }
        "choreographer_skipped_frames" => {
            let late = drawn().filter(|frame| skipped(frame) >= 30.0);
            number(between.range(late.map(|frame| (frame.start, skipped(frame)))))
        }
        _ if !watched => Answer::Absent,
        "slow_message_count" => number(count(80.0)),
        "evil_message_count" => number(count(700.0)),
        "slow_messages" => rows(count(80.0)),
        "evil_messages" => rows(count(700.0)),
        "main_thread_blocked_ms" => {
            // What began before the window counts from its beginning on.
            let inside = |message: &TruthMessage, from: i64| {
                ((message.ended - from.max(message.began)) as f64 / 1e6).max(0.0)
            };
            let least = messages(80.0).map(|message| (message.ended, inside(message, between.began.1)));
            let most = messages(80.0).map(|message| (message.ended, inside(message, between.began.0)));
            // The log tells lengths in whole milliseconds.
            let grain = count(80.0).1;
            Answer::Number(between.range(least).0 - grain, between.range(most).1 + grain)
        }
        _ => return None,
    })
}
