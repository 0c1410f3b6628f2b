//! `dumpsys SurfaceFlinger --timestats -dump`: totals, then a block per layer, in the words of Android 9, 10, 11, 12,
//! 13 and 14+ (docs/design/phones.md#timestats).
//!
//! A layer's first frame has no predecessor and is not counted; a frame is counted when a later one is taken after its
//! present fence signalled. Histograms are in ms. Must not know flags, nor when counting is on.

use super::digits::Digits;
use super::{Scene, line};
use crate::phone_sim::layer::{Layer, Role};
use crate::truth::verdict::{self, judge};
use crate::truth::{TruthFrame, TruthLayer};
use std::collections::BTreeMap;

const MS: i64 = 1_000_000;
/// Layers the platform tracks.
const TRACKED: usize = 200;
/// Width of the buckets of refresh and render rate, Hz.
const RATE_STEP: i64 = 30;

/// Upper edges of the buckets, ms.
pub fn buckets() -> impl Iterator<Item = i64> {
    (0..=34).chain((36..=50).step_by(2)).chain((54..=150).step_by(4)).chain((200..=1000).step_by(50))
}

/// The bucket of a length in ns; negative lengths have none.
fn bucket(ns: i64) -> Option<i64> {
    let ms = ns / MS;
    match ms {
        ..0 => None,
        // One bucket for each.
        0..=34 => Some(ms),
        _ => Some(buckets().find(|edge| *edge >= ms).unwrap_or(1000)),
    }
}

/// One histogram.
#[derive(Clone, Debug, Default)]
struct Histogram(BTreeMap<i64, u64>);

impl Histogram {
    fn add(&mut self, ns: i64) {
        if let Some(bucket) = bucket(ns) {
            *self.0.entry(bucket).or_default() += 1;
        }
    }

    fn total_ms(&self) -> i64 {
        self.0.iter().map(|(ms, count)| ms * *count as i64).sum()
    }

    fn mean_ms(&self) -> f64 {
        self.total_ms() as f64 / self.0.values().sum::<u64>() as f64
    }

    fn print(&self, name: &str, out: &mut Vec<u8>) {
        line!(out, "{name} histogram is as below:");
        // A layer has a dozen histograms of 85 buckets, nearly all of them empty: made without formatting.
        let mut digits = Digits::default();
        let mut counts = self.0.iter().peekable();
        let start = out.len();
        for edge in buckets() {
            if out.len() > start {
                out.push(b' ');
            }
            digits.put(edge, b'm', out);
            out.extend_from_slice(b"s=");
            match counts.next_if(|(ms, _)| **ms == edge) {
                Some((_, count)) => out.extend_from_slice(itoa::Buffer::new().format(*count).as_bytes()),
                None => out.push(b'0'),
            }
        }
        out.push(b'\n');
    }
}

/// Counters of FrameTimeline's verdicts.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    total: u64,
    bits: [u64; 8],
}

/// What the counters are called, and which verdicts they count; the first counts any of them.
const VERDICTS: [(&str, u32); 8] = [
    ("jankyFrames", u32::MAX ^ verdict::NONE),
    ("sfLongCpuJankyFrames", verdict::SF_CPU),
    ("sfLongGpuJankyFrames", verdict::SF_GPU),
    ("sfUnattributedJankyFrames", verdict::DISPLAY_HAL),
    ("appUnattributedJankyFrames", verdict::APP_DEADLINE),
    ("sfSchedulingJankyFrames", verdict::SF_SCHEDULING),
    ("sfPredictionErrorJankyFrames", verdict::PREDICTION_ERROR),
    ("appBufferStuffingJankyFrames", verdict::STUFFING),
];

impl Judged {
    fn add(&mut self, frame: &TruthFrame) {
        if frame.token.is_none() {
            return;
        }
        self.total += 1;
        for (count, (_, bits)) in self.bits.iter_mut().zip(VERDICTS) {
            *count += u64::from(frame.jank & bits != 0);
        }
    }

    fn print(&self, out: &mut Vec<u8>) {
        line!(out, "totalTimelineFrames = {}", self.total);
        for (count, (name, _)) in self.bits.iter().zip(VERDICTS) {
            line!(out, "{name} = {count}");
        }
    }
}

/// One block: a layer, on 12 and newer at one refresh rate. One field for each line of it.
#[derive(Clone, Debug, Default)]
struct Block {
    layer: usize,
    rate: i64,
    total: u64,
    dropped: u64,
    judged: Judged,
    present2present: Histogram,
    latch2present: Histogram,
    desired2present: Histogram,
    acquire2present: Histogram,
    post2present: Histogram,
    post2acquire: Histogram,
    deltas: Histogram,
}

/// Writes the answer; nothing when counting was never on. `most` blocks at most, those with most frames first.
pub fn timestats(scene: &Scene<'_>, most: Option<usize>, out: &mut Vec<u8>) {
    let Some(started) = scene.sim.flinger.counting.started_s else { return };
    let sdk = scene.archetype().sdk;
    let mut layers: Vec<TruthLayer> = scene
        .sim
        .flinger
        .layers
        .iter()
        .flatten()
        .filter(|layer| layer.role == Role::Buffers)
        .map(|layer| seen(scene, layer))
        .filter(|layer| !layer.frames.is_empty())
        .collect();
    judge(&mut layers, sdk, false);
    let mut blocks: Vec<Block> = layers
        .iter()
        .enumerate()
        .filter(|(_, layer)| named(sdk, &layer.name))
        .take(TRACKED)
        .flat_map(|(index, layer)| counted(sdk, index, layer))
        .collect();
    head(scene, started, &layers, &blocks, out);
    blocks.sort_by_key(|block| std::cmp::Reverse(block.total));
    blocks.truncate(most.unwrap_or(usize::MAX));
    if sdk == 28 {
        line!(out, "TimeStats for each layer is as below:");
    }
    for block in &blocks {
        print(scene, &layers[block.layer], block, out);
    }
    line!(out);
}

/// The frames of a layer that counting has seen by now.
fn seen(scene: &Scene<'_>, layer: &Layer) -> TruthLayer {
    let counting = &scene.sim.flinger.counting;
    let taken =
        layer.history().iter().filter(|frame| frame.latch <= scene.now && counting.covers(frame.latch));
    let last = taken.clone().next_back().map_or(i64::MIN, |frame| frame.latch);
    TruthLayer {
        name: layer.name.clone(),
        package: layer.package.clone(),
        born: layer.born,
        died: layer.died,
        pid: layer.pid,
        dropped: layer.given_up(scene.now).filter(|dropped| counting.covers(dropped.at)).copied().collect(),
        frames: taken.filter(|frame| frame.present <= last).copied().collect(),
    }
}

/// Android 9 and 10 count only layers with names they know; later ones all but pop-ups.
fn named(sdk: u32, name: &str) -> bool {
    if sdk >= 30 {
        return !name.starts_with("PopupWindow");
    }
    let Some((name, number)) = name.rsplit_once('#') else { return false };
    let name =
        name.strip_prefix("SurfaceView").map_or(name, |rest| rest.trim_start_matches(['-', ' ', '\t']));
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "./$_".contains(letter);
    !number.is_empty()
        && number.bytes().all(|digit| digit.is_ascii_digit())
        && (matches!(name, "StatusBar" | "NavigationBar")
            || (name.starts_with("com.") && name.chars().all(plain)))
}

/// Rates are cut to steps, on 13 and newer to the nearest one.
fn rate(sdk: u32, period: i64) -> i64 {
    let hz = (1_000_000_000 + period / 2) / period.max(1);
    match sdk {
        ..=30 => 0,
        31..=32 => hz / RATE_STEP * RATE_STEP,
        _ => (hz + RATE_STEP / 2) / RATE_STEP * RATE_STEP,
    }
}

/// A layer's blocks in order of first appearance; frames that are only judged do not make one.
fn counted(sdk: u32, layer: usize, truth: &TruthLayer) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut before: Option<(&TruthFrame, i64)> = None;
    for frame in &truth.frames {
        let rate = rate(sdk, frame.period);
        let place = blocks.iter().position(|block| block.rate == rate).unwrap_or_else(|| {
            blocks.push(Block { layer, rate, ..Block::default() });
            blocks.len() - 1
        });
        let block = &mut blocks[place];
        block.judged.add(frame);
        let Some((previous, last)) = before.replace((frame, frame.present)) else { continue };
        let length = frame.present - last;
        block.total += 1;
        block.present2present.add(length);
        block.latch2present.add(frame.present - frame.latch);
        block.desired2present.add(frame.present - frame.desired);
        block.acquire2present.add(frame.present - frame.ready);
        block.post2present.add(frame.present - frame.start);
        block.post2acquire.add(frame.ready - frame.start);
        block.deltas.add((length - previous.period).abs());
    }
    if let Some(block) = blocks.iter_mut().find(|block| block.total > 0) {
        block.dropped = truth.dropped.len() as u64;
    }
    blocks.retain(|block| block.total > 0);
    blocks
}

fn head(scene: &Scene<'_>, started: i64, layers: &[TruthLayer], blocks: &[Block], out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    let mut shown: Vec<(i64, i64)> = layers
        .iter()
        .flat_map(|layer| layer.frames.iter().map(|frame| (frame.vsync, frame.present)))
        .collect();
    shown.sort_unstable();
    shown.dedup_by_key(|frame| frame.0);
    let missed =
        layers.iter().flat_map(|layer| &layer.frames).filter(|frame| frame.trouble.refreshes() > 0).count();
    line!(out, "SurfaceFlinger TimeStats:");
    if sdk >= 31 {
        line!(out, "Legacy stats are as follows:");
    }
    line!(out, "statsStart = {started}");
    line!(out, "statsEnd = {}", scene.wall_s);
    if sdk == 28 {
        line!(out, "totalFrames= {}", shown.len());
        line!(out, "missedFrames= {missed}");
        line!(out, "clientCompositionFrames= 0");
        return;
    }
    line!(out, "totalFrames = {}", shown.len());
    line!(out, "missedFrames = {missed}");
    line!(out, "clientCompositionFrames = 0");
    let spent = spent(scene);
    if sdk >= 30 {
        line!(out, "clientCompositionReusedFrames = 0");
        line!(out, "refreshRateSwitches = {}", spent.1);
        line!(out, "compositionStrategyChanges = 0");
    }
    if sdk >= 33 {
        line!(out, "compositionStrategyPredicted = 0");
        line!(out, "compositionStrategyPredictionSucceeded = 0");
        line!(out, "compositionStrategyPredictionFailed = 0");
    }
    line!(out, "displayOnTime = {} ms", spent.0.values().sum::<i64>());
    line!(out, "displayConfigStats is as below:");
    if sdk >= 31 {
        spent.0.iter().for_each(|(hz, ms)| line!(out, "{hz}fps = {ms}ms"));
    } else {
        let rates: Vec<String> = spent.0.iter().map(|(hz, ms)| format!("{hz}fps={ms}ms")).collect();
        line!(out, "{}", rates.join(" "));
    }
    let mut histogram = Histogram::default();
    shown.windows(2).for_each(|pair| histogram.add(pair[1].1 - pair[0].1));
    line!(out, "totalP2PTime = {} ms", histogram.total_ms());
    histogram.print("presentToPresent", out);
    if sdk >= 30 {
        line!(out, "averageFrameDuration = 0.000 ms");
        Histogram::default().print("frameDuration", out);
        line!(out, "averageRenderEngineTiming = 0.000 ms");
        Histogram::default().print("renderEngineTiming", out);
    }
    if sdk >= 31 {
        groups(blocks, out);
    }
}

/// Time at each rate while counting, ms by Hz, and changes of it.
fn spent(scene: &Scene<'_>) -> (BTreeMap<i64, i64>, usize) {
    let mut spent = BTreeMap::new();
    let mut switches = 0;
    let segments = scene.sim.panel.segments();
    for (from, until) in &scene.sim.flinger.counting.stretches {
        let until = until.unwrap_or(scene.now);
        for (index, segment) in segments.iter().enumerate() {
            let end = segments.get(index + 1).map_or(until, |next| next.from).min(until);
            let length = end - segment.from.max(*from);
            if length > 0 {
                let hz = scene.archetype().rates[segment.rate].hz.round() as i64;
                *spent.entry(hz).or_default() += length / MS;
                switches += usize::from(segment.from > *from);
            }
        }
    }
    (spent, switches)
}

/// The timeline counters of the whole phone, by refresh rate.
fn groups(blocks: &[Block], out: &mut Vec<u8>) {
    let mut rates: BTreeMap<i64, Judged> = BTreeMap::new();
    for block in blocks {
        let sum = rates.entry(block.rate).or_default();
        sum.total += block.judged.total;
        sum.bits.iter_mut().zip(block.judged.bits).for_each(|(sum, count)| *sum += count);
    }
    line!(out);
    line!(out, "Global aggregated jank payload (Timeline stats):");
    for (rate, judged) in rates {
        line!(out, "displayRefreshRate = {rate} fps");
        line!(out, "renderRate = {rate} fps");
        judged.print(out);
        Histogram::default().print("sfDeadlineMisses", out);
        Histogram::default().print("sfPredictionErrors", out);
    }
}

fn print(scene: &Scene<'_>, layer: &TruthLayer, block: &Block, out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    line!(out);
    if sdk >= 31 {
        let app = scene.sim.setup.apps.iter().position(|app| app.id() == layer.package);
        line!(out, "displayRefreshRate = {} fps", block.rate);
        line!(out, "renderRate = {} fps", block.rate);
        line!(out, "uid = {}", app.map_or(1_000, super::package::uid));
    }
    line!(out, "layerName = {}", layer.name);
    line!(out, "packageName = {}", if sdk <= 29 { layer.package.as_str() } else { "" });
    if sdk >= 31 {
        line!(out, "gameMode = Unsupported");
    }
    line!(out, "totalFrames{} {}", if sdk == 28 { "=" } else { " =" }, block.total);
    if sdk >= 29 {
        line!(out, "droppedFrames = {}", block.dropped);
    }
    if sdk >= 30 {
        line!(out, "lateAcquireFrames = 0");
        line!(out, "badDesiredPresentFrames = 0");
    }
    if sdk >= 31 {
        line!(out, "Jank payload for this layer:");
        block.judged.print(out);
        line!(out, "{} vote for this layer:", if sdk >= 34 { "SetFrameRate" } else { "SetFrateRate" });
        line!(out, "frameRate = 0.00");
        line!(out, "frameRateCompatibility = Undefined");
        line!(out, "seamlessness = Undefined");
    }
    line!(out, "averageFPS = {:.3}", 1e3 / block.present2present.mean_ms().max(1.0));
    block.present2present.print("present2present", out);
    if sdk >= 34 {
        block.deltas.print("present2presentDelta", out);
    }
    block.latch2present.print("latch2present", out);
    block.desired2present.print("desired2present", out);
    block.acquire2present.print("acquire2present", out);
    block.post2present.print("post2present", out);
    block.post2acquire.print("post2acquire", out);
}
