//! Reads the whole dump: the totals in its head, then one block per layer and refresh rate.
//!
//! A layer's block begins at `layerName`; on Android 12 and newer its rates come before that, so `displayRefreshRate`
//! ends the block before it. Between the head and the layers those releases print the timeline counters of the whole
//! phone. Must not know: who cleared the counts, which layer is wanted. Memory is bounded whatever is printed.

use super::words::{Histogram, count, counter, pair};
use crate::refusal::{noise, refusal};
use crate::text::{decode, lines, shown};
use farmjank_results::timestats::FrameCounts;
use farmjank_seams::source::Unreadable;
use std::collections::BTreeMap;

/// Most layers kept: the platform tracks 200.
const MOST_LAYERS: usize = 1_000;
/// Longest layer name kept, bytes. Real names stay below 400.
const LONGEST_NAME: usize = 4_096;

/// Counts of the whole phone, as the head of the dump prints them. One field for each line it prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Counting began, in wall clock seconds of the phone.
    pub started: Option<i64>,
    /// Counting ended (for a dump: the dump), in wall clock seconds of the phone.
    pub ended: Option<i64>,
    /// Frames composed.
    pub frames: Option<u64>,
    /// Frames SurfaceFlinger missed.
    pub missed: Option<u64>,
    /// Frames composed by the GPU instead of the display hardware.
    pub client_composed: Option<u64>,
    /// Changes of the refresh rate (Android 11+).
    pub rate_switches: Option<u64>,
    /// Display on, ms (Android 10+).
    pub display_on_ms: Option<u64>,
    /// Present-to-present of composed frames: bucket in ms → frames (Android 10+).
    pub present_to_present: BTreeMap<u32, u64>,
    /// Timeline counters of the whole phone, all refresh rates added up (Android 12+).
    pub counters: BTreeMap<String, u64>,
}

/// A dump, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Its head.
    pub totals: Totals,
    /// Its layers in order of first appearance, each once.
    pub layers: Vec<FrameCounts>,
    /// Blocks read: a layer has one per refresh rate on Android 12 and newer.
    pub blocks: usize,
    /// Printed in the shape of Android 11 or newer, which counts layers of any name.
    pub any_name: bool,
}

/// Reads a dump of any release: the layers in order of first appearance, each once, all their refresh rates added up.
///
/// # Errors
/// [`Unreadable::Empty`] when nothing was printed (never enabled), [`Unreadable::Refused`], [`Unreadable::Garbled`]
/// when it is another text.
pub fn read_counted(text: &[u8]) -> Result<Counted, Unreadable> {
    let text = decode(text);
    let mut reader = Reader::default();
    let mut first: Option<&[u8]> = None;
    for line in lines(&text) {
        let line = line.trim_ascii();
        if line.is_empty() || noise(line) || line.starts_with(super::MARK.as_bytes()) {
            continue;
        }
        if first.is_none() {
            if let Some(refusal) = refusal(line) {
                return Err(Unreadable::Refused(refusal.what));
            }
            first = Some(line);
        }
        reader.line(line);
    }
    reader.close();
    match first {
        None => Err(Unreadable::Empty(
            "SurfaceFlinger printed no counts: timestats was never enabled, or was cleared while disabled"
                .to_owned(),
        )),
        Some(line) if !reader.known => {
            Err(Unreadable::Garbled(format!("not a `--timestats` dump at this line: `{}`", shown(line))))
        }
        Some(_) => Ok(reader.counted),
    }
}

/// Which histogram the next lines are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The layer's present-to-present.
    Layer,
    /// The phone's present-to-present.
    Phone,
}

#[derive(Default)]
struct Reader {
    counted: Counted,
    /// Layer by name → place in `counted.layers`.
    places: BTreeMap<String, usize>,
    block: Option<FrameCounts>,
    histogram: Option<(Of, Histogram)>,
    known: bool,
}

impl Reader {
    fn line(&mut self, line: &[u8]) {
        if let Some((_, histogram)) = &mut self.histogram
            && histogram.line(line)
        {
            return;
        }
        self.end_histogram();
        if let Some(name) = line.strip_suffix(b" histogram is as below:") {
            let of = match (name, &self.block) {
                (b"present2present" | b"presentToPresent", Some(_)) => Some(Of::Layer),
                (b"presentToPresent", None) => Some(Of::Phone),
                _ => None,
            };
            self.histogram = of.map(|of| (of, Histogram::default()));
        } else if line == b"SurfaceFlinger TimeStats:" {
            self.known = true;
        } else if let Some((name, value)) = pair(line) {
            self.pair(name, value);
        }
    }

    fn pair(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"layerName" => {
                self.close();
                self.known = true;
                let name = &value[..value.len().min(LONGEST_NAME)];
                let layer = String::from_utf8_lossy(name).into_owned();
                self.block = Some(FrameCounts { layer, ..FrameCounts::default() });
            }
            // The rates of the next layer.
            b"displayRefreshRate" => self.close(),
            _ => match &mut self.block {
                Some(block) => of_layer(block, name, value),
                None => self.counted.any_name |= of_phone(&mut self.counted.totals, name, value),
            },
        }
    }

    fn end_histogram(&mut self) {
        match (self.histogram.take(), &mut self.block) {
            // Half a histogram would pass for a whole one: none is kept.
            (Some((_, histogram)), _) if histogram.cut => {}
            (Some((Of::Layer, histogram)), Some(block)) => block.present_to_present = histogram.buckets,
            (Some((Of::Phone, histogram)), _) => self.counted.totals.present_to_present = histogram.buckets,
            _ => {}
        }
    }

    fn close(&mut self) {
        self.end_histogram();
        let Some(block) = self.block.take() else { return };
        self.counted.blocks += 1;
        self.counted.any_name |= !block.counters.is_empty();
        match self.places.get(&block.layer) {
            Some(place) => self.counted.layers[*place].absorb(&block),
            None if self.counted.layers.len() < MOST_LAYERS => {
                self.places.insert(block.layer.clone(), self.counted.layers.len());
                self.counted.layers.push(block);
            }
            None => {}
        }
    }
}

fn of_layer(block: &mut FrameCounts, name: &[u8], value: &[u8]) {
    let Some(number) = count(value) else { return };
    match name {
        b"totalFrames" => block.total_frames = number,
        b"droppedFrames" => block.dropped_frames = Some(number),
        _ => {
            if let Some(name) = counter(name) {
                block.counters.insert(name.to_owned(), number);
            }
        }
    }
}

/// True when the name is one that only Android 11 and newer print.
fn of_phone(totals: &mut Totals, name: &[u8], value: &[u8]) -> bool {
    let Some(number) = count(value) else { return false };
    let seconds = i64::try_from(number).ok();
    match name {
        b"statsStart" => totals.started = seconds,
        b"statsEnd" => totals.ended = seconds,
        b"totalFrames" => totals.frames = Some(number),
        b"missedFrames" => totals.missed = Some(number),
        b"clientCompositionFrames" => totals.client_composed = Some(number),
        b"displayOnTime" => totals.display_on_ms = Some(number),
        b"refreshRateSwitches" => totals.rate_switches = Some(number),
        _ => {
            if let Some(name) = counter(name) {
                let sum = totals.counters.entry(name.to_owned()).or_default();
                *sum = sum.saturating_add(number);
            }
            return name == b"clientCompositionReusedFrames";
        }
    }
    name == b"refreshRateSwitches"
}
