//! The platform's own counts, as they are: HWUI's summary, timestats' totals, what a log tells.
//!
//! Numbers of the platform under keys of their own, beside the metrics and never mixed with them: Android 12 counts by
//! the deadline where Android 7 to 11 count by the interval, so each rule has its own key. Must not know metrics.

use crate::command_error::CommandError;
use farmjank_frames::gfxinfo::{GPU_REST_MS, Summary};
use farmjank_frames::timestats::Counted;
use farmjank_measure::saved::{Asked, SavedError, Unseen, whole_only};
use farmjank_reporters::clean;
use farmjank_results::logcat_events::{LogEvent, LogWatch};
use farmjank_results::timestats::names;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Blocks of a summary shown to people; JSON has all of them.
const SHOWN: usize = 8;

/// Counts for programs and for people.
pub(super) struct Summarised {
    /// The `summary` of the JSON form.
    pub json: Value,
    /// Titles, each with its lines: a name and what it says.
    pub blocks: Vec<(String, Vec<(String, String)>)>,
}

/// HWUI's counters: of each process, then of its windows. People see those of process `pid` where one is given, and no
/// window that says what its process said already.
pub(super) fn of_blocks(blocks: &[Summary], pid: Option<u32>) -> Summarised {
    let listed: Vec<Value> = blocks.iter().map(block_json).collect();
    let own = blocks.iter().filter(|block| pid.is_none_or(|pid| block.pid == pid));
    let repeats = |block: &Summary| {
        let process = blocks.iter().find(|other| other.window.is_none() && other.pid == block.pid);
        block.window.is_some() && process.is_some_and(|process| block_lines(process) == block_lines(block))
    };
    let titled = own.filter(|block| !repeats(block)).take(SHOWN).map(|block| {
        let whole = if block.window.is_none() { "process" } else { "window" };
        (format!("{whole} {}", clean::line(&block.name(), 120)), block_lines(block))
    });
    Summarised { json: json!({ "kind": "gfxinfo", "blocks": listed }), blocks: titled.collect() }
}

/// The counters asked for, of HWUI's own without its rings, and the name of the process or window they are of.
pub(super) fn chosen(asked: &Asked, blocks: &[Summary]) -> Result<(String, Summarised), CommandError> {
    whole_only(asked, "a summary counts frames since the app started")?;
    let fits = |block: &&Summary| {
        let name = block.window.as_ref().unwrap_or(&block.process);
        asked.layer.as_deref().is_none_or(|wanted| block.name().contains(wanted))
            && asked.package.as_deref().is_none_or(|app| names(name, app) || names(&block.process, app))
    };
    let chosen: Vec<Summary> = blocks.iter().filter(fits).cloned().collect();
    let Some(first) = chosen.first() else {
        let known: Vec<String> = blocks.iter().map(Summary::name).collect();
        return Err(SavedError::Unseen(Unseen { what: "process or window", known }).into());
    };
    Ok((first.name(), of_blocks(&chosen, None)))
}

/// Missed frames by the rule they were counted by: by the deadline (Android 12 and newer), and by the interval.
fn missed(block: &Summary) -> (Option<u64>, Option<u64>) {
    match block.janky_legacy {
        Some(by_interval) => (block.janky, Some(by_interval)),
        None => (None, block.janky),
    }
}

/// Without a frame HWUI prints the top of its scale: no percentile is meant.
fn percentiles(block: &Summary) -> [(&'static str, &BTreeMap<u32, u32>); 2] {
    static NONE: BTreeMap<u32, u32> = BTreeMap::new();
    match block.total_frames {
        Some(0) => [("percentiles_ms", &NONE), ("gpu_percentiles_ms", &NONE)],
        _ => [("percentiles_ms", &block.percentiles), ("gpu_percentiles_ms", &block.gpu_percentiles)],
    }
}

fn block_json(block: &Summary) -> Value {
    let (deadline, interval) = missed(block);
    let mut all = json!({
        "name": block.name(),
        "pid": block.pid,
        "process": block.process,
        "window": block.window,
        "pipeline": block.pipeline,
        "since_ns": block.since.map(|since| since.ns()),
        "frames": block.total_frames,
        "jank_deadline": deadline,
        "jank_legacy": interval,
        "reasons": block.reasons,
    });
    if let Value::Object(fields) = &mut all {
        let keyed = |counts: Map<String, Value>| Value::Object(counts);
        for (name, printed) in percentiles(block) {
            let of = printed.iter().map(|(percent, ms)| (format!("p{percent}"), Value::from(*ms)));
            fields.insert(name.to_owned(), keyed(of.collect()));
        }
        for (name, printed) in
            [("histogram_ms", &block.histogram), ("gpu_histogram_ms", &block.gpu_histogram)]
        {
            let counted = printed.iter().filter(|(_, frames)| **frames > 0);
            let of = counted.map(|(ms, frames)| (ms.to_string(), Value::from(*frames)));
            fields.insert(name.to_owned(), keyed(of.collect()));
        }
        // What "4950" under the keys above means; for programs, which take keys for lengths.
        fields.insert(
            "open_ended_ms".to_owned(),
            json!({ "bucket": GPU_REST_MS, "gpu_from": open_from(true, GPU_REST_MS) }),
        );
    }
    all
}

/// A bucket for people. The last one of each histogram has no upper end: it stands for its beginning and more.
fn bucket(gpu: bool, ms: u32) -> String {
    match open_from(gpu, ms) {
        Some(from) => format!("≥ {from} ms"),
        None => ms.to_string(),
    }
}

/// Where the open-ended bucket begins, ms, when this is it. HWUI prints GPU times of 25 ms and more as 4950 too.
fn open_from(gpu: bool, ms: u32) -> Option<u32> {
    (ms == GPU_REST_MS).then_some(if gpu { 25 } else { GPU_REST_MS })
}

fn block_lines(block: &Summary) -> Vec<(String, String)> {
    let (deadline, interval) = missed(block);
    let frames = block.total_frames;
    let counted = |count: u64| match frames.filter(|frames| *frames > 0) {
        Some(frames) => format!("{count} ({:.2} %)", count as f64 * 100.0 / frames as f64),
        None => count.to_string(),
    };
    let mut lines = Vec::new();
    let mut line = |name: &str, text: String| lines.push((name.to_owned(), text));
    if let Some(frames) = frames {
        line("frames", frames.to_string());
    }
    if let Some(count) = deadline {
        line("jank_deadline", format!("{} by the deadline (Android 12 and newer)", counted(count)));
    }
    if let Some(count) = interval {
        line("jank_legacy", format!("{} longer than an interval (Android 7 to 11)", counted(count)));
    }
    for ((_, printed), name) in percentiles(block).iter().zip(["render_ms", "gpu_ms"]) {
        if !printed.is_empty() {
            let of =
                printed.iter().map(|(percent, ms)| format!("p{percent} {}", bucket(name == "gpu_ms", *ms)));
            line(name, of.collect::<Vec<_>>().join(", "));
        }
    }
    let reasons: Vec<String> = block
        .reasons
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    if !block.reasons.is_empty() {
        line("reasons", if reasons.is_empty() { "none".to_owned() } else { reasons.join(", ") });
    }
    lines
}

/// What timestats counts of the whole phone, where its head was saved too.
pub(super) fn of_totals(counted: &Counted) -> Summarised {
    let totals = &counted.totals;
    let named = [
        ("frames", totals.frames),
        ("missed", totals.missed),
        ("client_composed", totals.client_composed),
        ("rate_switches", totals.rate_switches),
        ("display_on_ms", totals.display_on_ms),
    ];
    let known: Vec<(&str, u64)> =
        named.into_iter().filter_map(|(name, count)| Some((name, count?))).collect();
    let mut json = json!({
        "kind": "timestats",
        "started": totals.started,
        "ended": totals.ended,
        "layers": counted.layers.len(),
        "counters": totals.counters,
    });
    if let Value::Object(fields) = &mut json {
        fields.extend(known.iter().map(|(name, count)| ((*name).to_owned(), Value::from(*count))));
    }
    let lines: Vec<(String, String)> =
        known.into_iter().map(|(name, count)| (name.to_owned(), count.to_string())).collect();
    let blocks = if lines.is_empty() { Vec::new() } else { vec![("whole phone".to_owned(), lines)] };
    Summarised { json, blocks }
}

/// How many entries of each kind a log has; what the metrics count is among them.
pub(super) fn of_log_entries(log: &LogWatch) -> Summarised {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in &log.entries {
        let kind = match entry.what {
            LogEvent::SlowMessage { .. } => "slow_dispatch",
            LogEvent::SlowDelivery { .. } => "slow_delivery",
            LogEvent::SkippedFrames(_) => "skipped_frames_lines",
            LogEvent::Davey { .. } => "davey_lines",
            LogEvent::Anr(_) => "anr",
            LogEvent::Crash(_) => "crash",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    let span = log.span.map(|(from, to)| (to - from).ms());
    let mut lines: Vec<(String, String)> =
        kinds.iter().map(|(kind, count)| ((*kind).to_owned(), count.to_string())).collect();
    if let Some(ms) = span {
        lines.push(("span_ms".to_owned(), format!("{ms:.0}")));
    }
    let blocks = if lines.is_empty() { Vec::new() } else { vec![("the log holds".to_owned(), lines)] };
    Summarised { json: json!({ "kind": "logcat", "span_ms": span, "entries": kinds }), blocks }
}
