//! The counters HWUI keeps beside its rings: frames, late frames, reasons and histograms, for a process and for each
//! window.
//!
//! They never overflow, so they check what the rings show and stay when no single frame is known. The same lines stand
//! for the process and for its windows: their place tells which is meant. Times in the histograms are render times in
//! whole ms, not distances of presents. Must not know: rows of frames.

use super::dump::{PROCESS, read_process, title_and_hash};
use crate::text::{decode, find, integer, lines, shown, whole_integer};
use farmjank_results::time::DeviceTime;
use farmjank_results::timestats::FrameCounts;
use std::collections::BTreeMap;

/// Most blocks read from one dump.
const MOST_BLOCKS: usize = 512;
/// Most buckets of one histogram; HWUI prints 155.
const MOST_BUCKETS: usize = 512;
/// Longest title taken from the dump, bytes.
const LONGEST_TITLE: usize = 400;
/// The bucket of GPU times that stands for 25 ms and more, ms.
pub const GPU_REST_MS: u32 = 4950;

/// One block of counters. One field for each line the phone prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Process id; 0 where the dump does not say.
    pub pid: u32,
    /// Process name; empty where the dump does not say.
    pub process: String,
    /// Title of the window, as [`super::Window::title`] has it; none for the whole process.
    pub window: Option<String>,
    /// When the counters began.
    pub since: Option<DeviceTime>,
    /// Frames rendered.
    pub total_frames: Option<u64>,
    /// `Janky frames`: by the interval up to Android 11, by the deadline from 12 on.
    pub janky: Option<u64>,
    /// `Janky frames (legacy)`: by the interval (Android 12+).
    pub janky_legacy: Option<u64>,
    /// `Number …` lines by their names, in lower case with underscores: `missed_vsync`, `high_input_latency`,
    /// `slow_ui_thread`, `slow_bitmap_uploads`, `slow_issue_draw_commands`, `frame_deadline_missed`,
    /// `frame_deadline_missed_legacy`.
    pub reasons: BTreeMap<String, u64>,
    /// Render time in ms by percent, as printed.
    pub percentiles: BTreeMap<u32, u32>,
    /// Frames by render time in ms: whole ms rounded down, the first bucket is all up to it.
    pub histogram: BTreeMap<u32, u64>,
    /// GPU time in ms by percent, as printed (Android 11+).
    pub gpu_percentiles: BTreeMap<u32, u32>,
    /// Frames by GPU time in ms; [`GPU_REST_MS`] stands for 25 ms and more.
    pub gpu_histogram: BTreeMap<u32, u64>,
    /// What draws: `Skia (OpenGL)`, `Skia (Vulkan)`, `FrameBuilder`; only for a process.
    pub pipeline: Option<String>,
}

impl Summary {
    /// Its process or window by name: `pid/title`, `pid/process`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.pid, self.window.as_ref().unwrap_or(&self.process))
    }

    /// The render time in ms that `percent` of the frames do not exceed, reckoned from the histogram as HWUI does. None
    /// without frames: HWUI prints its top bucket then.
    pub fn percentile(&self, percent: u32) -> Option<u32> {
        from_histogram(&self.histogram, percent)
    }

    /// What was counted after `earlier`, of the same process or window. None when the counters were reset in between or
    /// are not the same ones: what was counted then is unknown.
    pub fn after(&self, earlier: &Summary) -> Option<Summary> {
        let same = (self.pid, &self.process, &self.window, self.since)
            == (earlier.pid, &earlier.process, &earlier.window, earlier.since);
        if !same {
            return None;
        }
        let histogram = difference(&self.histogram, &earlier.histogram)?;
        let gpu_histogram = difference(&self.gpu_histogram, &earlier.gpu_histogram)?;
        let percents = |printed: &BTreeMap<u32, u32>, histogram: &BTreeMap<u32, u64>| {
            printed
                .keys()
                .filter_map(|percent| Some((*percent, from_histogram(histogram, *percent)?)))
                .collect()
        };
        Some(Summary {
            total_frames: less(self.total_frames, earlier.total_frames)?,
            janky: less(self.janky, earlier.janky)?,
            janky_legacy: less(self.janky_legacy, earlier.janky_legacy)?,
            reasons: difference(&self.reasons, &earlier.reasons)?,
            percentiles: percents(&self.percentiles, &histogram),
            gpu_percentiles: percents(&self.gpu_percentiles, &gpu_histogram),
            histogram,
            gpu_histogram,
            ..self.clone()
        })
    }

    /// The counters as counts of frames, by the platform's own names. There are no distances of presents in it.
    pub fn counts(&self) -> FrameCounts {
        let mut counters = self.reasons.clone();
        counters.extend(self.janky.map(|count| ("janky_frames".to_owned(), count)));
        counters.extend(self.janky_legacy.map(|count| ("janky_frames_legacy".to_owned(), count)));
        FrameCounts {
            layer: self.name(),
            total_frames: self.total_frames.unwrap_or(0),
            counters,
            ..FrameCounts::default()
        }
    }

    fn is_empty(&self) -> bool {
        self.since.is_none() && self.total_frames.is_none() && self.histogram.is_empty()
    }
}

/// HWUI counts down from the longest until what is left is below the percentile.
fn from_histogram(histogram: &BTreeMap<u32, u64>, percent: u32) -> Option<u32> {
    let total: u128 = histogram.values().map(|count| u128::from(*count)).sum();
    let above = total - u128::from(percent.min(100)) * total / 100;
    let mut seen = 0;
    let mut counted = histogram.iter().rev().filter(|(_, count)| **count > 0);
    let bucket = counted.find(|(_, count)| {
        seen += u128::from(**count);
        seen >= above
    });
    bucket.map(|(ms, _)| *ms)
}

fn difference<K: Ord + Clone>(
    later: &BTreeMap<K, u64>,
    earlier: &BTreeMap<K, u64>,
) -> Option<BTreeMap<K, u64>> {
    let less = |(key, count): (&K, &u64)| {
        Some((key.clone(), count.checked_sub(earlier.get(key).copied().unwrap_or(0))?))
    };
    later.iter().map(less).collect()
}

/// The outer none: it went back.
fn less(later: Option<u64>, earlier: Option<u64>) -> Option<Option<u64>> {
    match later.zip(earlier) {
        Some((later, earlier)) => later.checked_sub(earlier).map(Some),
        None => Some(None),
    }
}

/// Every block of counters in the text of `dumpsys gfxinfo`, with or without `framestats`, in print order: first a
/// process, then its windows. Empty where there is none: nothing rendered, or another text.
pub fn read_summary(text: &[u8]) -> Vec<Summary> {
    let text = decode(text);
    let mut reader = Reader::default();
    lines(&text).for_each(|line| reader.line(line));
    reader.done();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Summary>,
    block: Summary,
    /// Rows of frames and tables follow until the next window or process.
    closed: bool,
}

impl Reader {
    fn line(&mut self, line: &[u8]) {
        if let Some(rest) = line.strip_prefix(PROCESS) {
            self.done();
            let (pid, process) = read_process(rest);
            self.block = Summary { pid, process, ..Summary::default() };
            self.closed = false;
        } else if let [b'\t', rest @ ..] = line {
            self.root(rest);
        } else if let Some(title) = line.strip_prefix(b"Window: ") {
            // Named by its view root already, where one was printed.
            if self.block.window.is_none() || !self.block.is_empty() {
                self.window(shown(&title[..title.len().min(LONGEST_TITLE)]));
            }
        } else if line.starts_with(super::FENCE) {
            self.closed = true;
        } else if !self.closed {
            self.field(line);
        }
    }

    fn root(&mut self, line: &[u8]) {
        if let Some(at) = find(line, b" (visibility=") {
            self.window(shown(title_and_hash(&line[..at.min(LONGEST_TITLE)]).as_bytes()));
        }
    }

    fn window(&mut self, title: String) {
        let Summary { pid, ref process, .. } = self.block;
        let block = Summary { pid, process: process.clone(), window: Some(title), ..Summary::default() };
        self.done();
        self.block = block;
        self.closed = false;
    }

    /// Ends a block.
    fn done(&mut self) {
        let block = std::mem::take(&mut self.block);
        if !block.is_empty() && self.blocks.len() < MOST_BLOCKS {
            self.blocks.push(block);
        }
    }

    fn field(&mut self, line: &[u8]) {
        if let Some(pipeline) = line.strip_prefix(b"Pipeline=") {
            self.block.pipeline = Some(shown(pipeline));
            return;
        }
        let Some(at) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = (&line[..at], line[at + 1..].trim_ascii());
        let count =
            || whole_integer(value.split(|byte| *byte == b' ').next()?).and_then(|n| u64::try_from(n).ok());
        let block = &mut self.block;
        match name {
            b"Stats since" => block.since = nanoseconds(value),
            b"Total frames rendered" => block.total_frames = count(),
            b"Janky frames" => block.janky = count(),
            b"Janky frames (legacy)" => block.janky_legacy = count(),
            b"HISTOGRAM" => block.histogram = histogram(value),
            b"GPU HISTOGRAM" => block.gpu_histogram = histogram(value),
            _ => {
                if let Some(reason) = name.strip_prefix(b"Number ") {
                    let reason = count().zip(reason_key(reason));
                    block.reasons.extend(reason.map(|(count, key)| (key.to_owned(), count)));
                } else if let Some((percent, gpu)) = percentile(name) {
                    let to = if gpu { &mut block.gpu_percentiles } else { &mut block.percentiles };
                    to.extend(milliseconds(value).map(|ms| (percent, ms)));
                }
            }
        }
    }
}

/// The names a release may print, by what is printed.
fn reason_key(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"Missed Vsync" => "missed_vsync",
        b"High input latency" => "high_input_latency",
        b"Slow UI thread" => "slow_ui_thread",
        b"Slow bitmap uploads" => "slow_bitmap_uploads",
        b"Slow issue draw commands" => "slow_issue_draw_commands",
        b"Frame deadline missed" => "frame_deadline_missed",
        b"Frame deadline missed (legacy)" => "frame_deadline_missed_legacy",
        _ => return None,
    })
}

/// `50th percentile`, `50th gpu percentile`: the percent, and whether it is the GPU's.
fn percentile(name: &[u8]) -> Option<(u32, bool)> {
    let (percent, length) = integer(name)?;
    let percent = u32::try_from(percent).ok().filter(|percent| *percent <= 100)?;
    match &name[length..] {
        b"th percentile" => Some((percent, false)),
        b"th gpu percentile" => Some((percent, true)),
        _ => None,
    }
}

fn nanoseconds(value: &[u8]) -> Option<DeviceTime> {
    let (ns, length) = integer(value)?;
    (ns >= 0 && &value[length..] == b"ns").then(|| DeviceTime::from_ns(ns))
}

fn milliseconds(value: &[u8]) -> Option<u32> {
    let (ms, length) = integer(value)?;
    u32::try_from(ms).ok().filter(|_| &value[length..] == b"ms")
}

/// `5ms=11 6ms=2 …`; what is no bucket is passed over.
fn histogram(value: &[u8]) -> BTreeMap<u32, u64> {
    let bucket = |word: &[u8]| {
        let (ms, length) = integer(word)?;
        let count = whole_integer(word[length..].strip_prefix(b"ms=")?)?;
        Some((u32::try_from(ms).ok()?, u64::try_from(count).ok()?))
    };
    value.split(|byte| *byte == b' ').filter_map(bucket).take(MOST_BUCKETS).collect()
}
