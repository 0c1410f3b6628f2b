//! `dumpsys gfxinfo [PKG|PID] [framestats] [reset]` (docs/design/phones.md#gfxinfo).

use super::{Scene, framestats, line};
use crate::phone_sim::hwui::{BUCKETS, JankCounts, bucket_ms};
use crate::phone_sim::window::Window;

/// What was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Package or pid; all when absent.
    pub target: Option<String>,
    /// With per-frame rows.
    pub framestats: bool,
    /// Clear afterwards.
    pub reset: bool,
}

impl Asked {
    /// From the arguments after `gfxinfo`.
    pub fn read(arguments: &[String]) -> Asked {
        let mut asked = Asked::default();
        for argument in arguments {
            match argument.as_str() {
                "framestats" | "-a" => asked.framestats = true,
                "reset" => asked.reset = true,
                // `--list framestats` asks for all: a word with `-` names no process.
                other if asked.target.is_none() && !other.starts_with('-') => {
                    asked.target = Some(other.to_owned());
                }
                _ => {}
            }
        }
        asked
    }

    /// Apps it means (indices) that run.
    pub fn apps(&self, scene: &Scene<'_>) -> Vec<usize> {
        let meant = |app: &usize| match (&self.target, scene.sim.activities.processes[*app].pid) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(target), Some(pid)) => {
                scene.sim.setup.apps[*app].id() == target || target.parse() == Ok(pid)
            }
        };
        (0..scene.sim.activities.processes.len()).filter(meant).collect()
    }
}

/// Process id of the system's own interface.
pub(crate) const SYSTEMUI_PID: u32 = 2_145;
/// Its package.
pub(crate) const SYSTEMUI: &str = "com.android.systemui";

/// Writes the answer.
pub fn gfxinfo(scene: &Scene<'_>, asked: &Asked, out: &mut Vec<u8>) {
    let apps = asked.apps(scene);
    let system =
        asked.target.as_ref().is_none_or(|target| target == SYSTEMUI || target.parse() == Ok(SYSTEMUI_PID));
    if apps.is_empty() && !system {
        line!(out, "No process found for: {}", asked.target.as_deref().unwrap_or(""));
        return;
    }
    line!(out, "Applications Graphics Acceleration Info:");
    line!(out, "{}", scene.clocks());
    line!(out);
    if system {
        line!(out, "** Graphics info for pid {SYSTEMUI_PID} [{SYSTEMUI}] **");
        line!(out);
        summary(scene, &JankCounts::new(scene.sim.setup.origin), out);
        pipeline(scene, out);
        line!(out, "\tStatusBar/android.view.ViewRootImpl@5d2c31a (visibility=0)");
        hierarchy(scene, &["StatusBar/android.view.ViewRootImpl@5d2c31a".to_owned()], out);
    }
    for app in apps {
        process(scene, asked, app, out);
    }
}

fn process(scene: &Scene<'_>, asked: &Asked, app: usize, out: &mut Vec<u8>) {
    let process = &scene.sim.activities.processes[app];
    let spec = &scene.sim.setup.apps[app];
    let pid = process.pid.unwrap_or(0);
    line!(out, "** Graphics info for pid {pid} [{}] **", spec.id());
    if process.frozen.is_some() {
        let user = 10_100 + app % 800;
        line!(
            out,
            "Failure while dumping the app: ProcessRecord{{{:07x} {pid}:{}/u0a{}}}",
            pid * 977,
            spec.id(),
            user - 10_000
        );
        return;
    }
    line!(out);
    if process.counts.total > 0 {
        summary(scene, &process.counts, out);
    }
    pipeline(scene, out);
    let root = |window: &Window| {
        format!("{}/android.view.ViewRootImpl@{:07x}", spec.title(window.page), window.hash ^ 0x0031_1b2a)
    };
    let mut roots = Vec::new();
    for window in scene.windows(app) {
        let shown = window.resumed;
        line!(out, "\t{} (visibility={})", root(window), if shown { 0 } else { 8 });
        roots.push(root(window));
        if asked.framestats {
            line!(out, "Window: {}", spec.title(window.page));
            summary(scene, &window.hwui.counts, out);
            framestats::block(
                &window.hwui,
                scene.archetype().sdk,
                spec.spec.metrics_listener,
                scene.now,
                out,
            );
            line!(out);
        }
    }
    hierarchy(scene, &roots, out);
}

fn summary(scene: &Scene<'_>, counts: &JankCounts, out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    let share = |count: u64| if counts.total == 0 { 0.0 } else { 100.0 * count as f64 / counts.total as f64 };
    line!(out, "Stats since: {}ns", counts.since);
    line!(out, "Total frames rendered: {}", counts.total);
    line!(out, "Janky frames: {} ({:.2}%)", counts.janky, share(counts.janky));
    if sdk >= 31 {
        line!(out, "Janky frames (legacy): {} ({:.2}%)", counts.legacy, share(counts.legacy));
    }
    for percent in [50, 90, 95, 99] {
        line!(out, "{percent}th percentile: {}ms", counts.percentile(percent));
    }
    line!(out, "Number Missed Vsync: {}", counts.missed_vsync);
    line!(out, "Number High input latency: {}", counts.high_input);
    line!(out, "Number Slow UI thread: {}", counts.slow_ui);
    line!(out, "Number Slow bitmap uploads: {}", counts.slow_upload);
    line!(out, "Number Slow issue draw commands: {}", counts.slow_draw);
    if sdk >= 28 {
        line!(out, "Number Frame deadline missed: {}", counts.missed);
    }
    if sdk >= 31 {
        line!(out, "Number Frame deadline missed (legacy): {}", counts.missed_legacy);
    }
    out.extend_from_slice(b"HISTOGRAM:");
    for bucket in 0..BUCKETS {
        bucket_text(out, bucket_ms(bucket) as u64, counts.times[bucket] as u64);
    }
    line!(out);
    if sdk >= 30 {
        for percent in [50, 90, 95, 99] {
            line!(out, "{percent}th gpu percentile: {}ms", counts.gpu_percentile(percent));
        }
        out.extend_from_slice(b"GPU HISTOGRAM:");
        for (bucket, count) in counts.gpu.iter().enumerate() {
            let ms = if bucket == 25 { 4950 } else { bucket + 1 };
            bucket_text(out, ms as u64, *count as u64);
        }
        line!(out);
    }
    line!(out);
}

/// One bucket of a histogram. A dump has hundreds, so this does without formatting.
fn bucket_text(out: &mut Vec<u8>, ms: u64, count: u64) {
    let mut digits = itoa::Buffer::new();
    out.push(b' ');
    out.extend_from_slice(digits.format(ms).as_bytes());
    out.extend_from_slice(b"ms=");
    out.extend_from_slice(digits.format(count).as_bytes());
}

/// Caches, memory, and the heading of the windows.
fn pipeline(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let archetype = scene.archetype();
    if archetype.sdk <= 25 {
        out.extend_from_slice(
            b"Caches:\nCurrent memory usage / total memory usage (bytes):\n  TextureCache          2211840 / 58720256\n  \
              LayerCache                  0 / 33554432 (numLayers = 0)\n  RenderBufferCache           0 /  8388608\n  \
              GradientCache           16384 /  1048576\n  PathCache                   0 / 16777216\n  \
              FontRenderer total    1048576 /  1048576\nOther:\n  FboCache                    0 /        0\n\
              Total memory usage:\n  3276800 bytes, 3.13 MB\n\n\n",
        );
    }
    line!(out, "Pipeline={}", archetype.pipeline);
    if archetype.sdk >= 29 {
        out.extend_from_slice(
            b"CPU Caches:\n  Glyph Cache: 212.40 KB (1 entry)\n  Glyph Count: 44 \nTotal CPU memory usage:\n  \
              217497 bytes, 212.40 KB (0.00 bytes is purgeable)\nGPU Caches:\n  Other:\n    Other: 9.17 KB (1 entry)\n  \
              Image:\n    Texture: 3.81 MB (12 entries)\n  Scratch:\n    Buffer Object: 78.00 KB (2 entries)\n\
              Total GPU memory usage:\n  4087808 bytes, 3.90 MB (1.21 MB is purgeable)\n\n",
        );
    }
    line!(out, "Profile data in ms:");
    line!(out);
}

fn hierarchy(scene: &Scene<'_>, roots: &[String], out: &mut Vec<u8>) {
    let modern = scene.archetype().sdk >= 29;
    let kind = if modern { "render nodes" } else { "display lists" };
    line!(out, "View hierarchy:");
    line!(out);
    for root in roots {
        line!(out, "  {root}");
        line!(out, "  118 views, 131.80 kB of {kind}");
        line!(out);
    }
    line!(out);
    let count = roots.len();
    if modern {
        line!(out, "Total ViewRootImpl   : {count}");
        line!(out, "Total attached Views : {}", 118 * count);
        line!(
            out,
            "Total RenderNode     : {:.2} kB (used) / {:.2} kB (capacity)",
            131.8 * count as f64,
            212.5 * count as f64
        );
    } else {
        line!(out, "Total ViewRootImpl: {count}");
        line!(out, "Total Views:        {}", 118 * count);
        line!(out, "Total DisplayList:  {:.2} kB", 131.8 * count as f64);
    }
    line!(out);
}
