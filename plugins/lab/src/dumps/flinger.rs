//! `dumpsys SurfaceFlinger`: the small sub-commands, and a short full dump with the lines that tell of refresh rates
//! (docs/design/phones.md#displays).

use super::{Scene, latency, layers, line, timestats};
use crate::archetype::Rate;

/// Writes the answer to the arguments after `SurfaceFlinger`. Clearing is done by the caller; it prints nothing.
pub(crate) fn flinger(scene: &Scene<'_>, arguments: &[String], out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    match arguments.first().map(String::as_str) {
        Some("--list") => layers::list(scene, out),
        Some("--latency") => latency::latency(scene, arguments.get(1).map(String::as_str), out),
        Some("--latency-clear") => {}
        Some("--timestats") if sdk >= 28 => {
            let has = |flag: &str| arguments.iter().any(|word| word == flag);
            let most = arguments.iter().position(|word| word == "-maxlayers");
            let most = most.and_then(|place| arguments.get(place + 1)?.parse().ok());
            if has("-dump") {
                timestats::timestats(scene, most, out);
            }
        }
        Some("--display-id") if sdk >= 29 => {
            line!(out, "Display {DISPLAY} (HWC display 0): port=0 pnpId=QCM displayName=\"\"")
        }
        Some("--vsync") if (29..=33).contains(&sdk) => vsync(scene, out),
        Some("--scheduler") if sdk >= 34 => scheduler(scene, out),
        Some("--displays") if sdk >= 33 => displays(scene, out),
        _ => full(scene, out),
    }
}

/// Id of the built-in display.
pub const DISPLAY: u64 = 4_630_946_545_580_055_169;

fn rate(scene: &Scene<'_>) -> Rate {
    scene.archetype().rates[scene.sim.panel.at(scene.now).rate]
}

fn vsync(scene: &Scene<'_>, out: &mut Vec<u8>) {
    line!(out, "VSYNC period: {} ns", rate(scene).printed);
    line!(out, "VsyncDispatch:");
    line!(out, "\tmTimerSlack: 0.50ms mMinVsyncDistance: 3.00ms");
}

/// Time spent at each rate since boot, slowest first; before the lab began the phone was idle.
fn residency(scene: &Scene<'_>) -> Vec<(Rate, i64)> {
    let archetype = scene.archetype();
    let segments = scene.sim.panel.segments();
    let mut spent: Vec<(Rate, i64)> = archetype.rates.iter().map(|rate| (*rate, 0)).collect();
    for (index, segment) in segments.iter().enumerate() {
        let until = segments.get(index + 1).map_or(scene.now, |next| next.from).min(scene.now);
        spent[segment.rate].1 += (until - segment.from).max(0);
    }
    spent[segments[0].rate].1 += scene.sim.setup.origin / 3;
    spent
}

fn clock(ns: i64) -> String {
    let ms = ns / 1_000_000;
    let (s, days) = (ms / 1_000, ms / 86_400_000);
    format!("{days}d{:02}:{:02}:{:02}.{:03}", s / 3_600 % 24, s / 60 % 60, s % 60, ms % 1_000)
}

fn residencies(scene: &Scene<'_>, out: &mut Vec<u8>) {
    line!(out, "ScreenOff: {}", clock(scene.sim.setup.origin * 2 / 3));
    for (rate, spent) in residency(scene) {
        match scene.archetype().sdk {
            ..=32 => line!(out, "{:.2}fps: {}", rate.hz, clock(spent)),
            _ => line!(out, "{:.2} Hz: {}", rate.hz, clock(spent)),
        }
    }
}

fn scheduler(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let archetype = scene.archetype();
    line!(out, "Scheduler:");
    line!(out, "Features");
    line!(out, "    PresentFences=true");
    line!(out, "    KernelIdleTimer=false");
    line!(out, "    ContentDetection={}", archetype.policy.motion != 0);
    line!(out);
    line!(out, "Policy");
    line!(out, "    pacesetterDisplayId={DISPLAY}");
    line!(out, "    layerHistory={{size={}, active=1}}", scene.sim.flinger.alive(scene.now).count());
    line!(out, "    touchTimer={}.000 ms", archetype.policy.boost_ms);
    line!(out, "    displayPowerTimer=nullopt");
    line!(out);
    line!(out, "FrameRateOverrides=none");
    line!(out);
    residencies(scene, out);
    line!(out);
}

fn modes(scene: &Scene<'_>) -> Vec<String> {
    let archetype = scene.archetype();
    let size = format!("{}x{}", archetype.width, archetype.height);
    let dpi = archetype.density as f32 * 0.92;
    let each = archetype.modes.iter().enumerate().map(|(index, mode)| match archetype.sdk {
        ..=33 => format!("{{id={index}, hwcId={index}, resolution={size}, refreshRate={:.2} Hz, dpi={dpi:.2}x{dpi:.2}, group=0}}", mode.fps),
        _ => format!(
            "{{id={index}, hwcId={index}, resolution={size}, vsyncRate={:.2} Hz, dpi={dpi:.2}x{dpi:.2}, group=0, vrrConfig={}}}",
            mode.vsync,
            if mode.vsync > mode.fps + 1.0 { "{minFrameIntervalNs=8333333}" } else { "N/A" }
        ),
    });
    each.collect()
}

fn displays(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let active = rate(scene);
    let place = scene.archetype().modes.iter().position(|mode| mode.id == active.mode).unwrap_or(0);
    line!(out, "Display {DISPLAY}");
    line!(out, "    connectionType=Internal");
    if scene.archetype().sdk >= 35 {
        line!(out, "    renderRate={:.2} Hz", active.hz);
    }
    let modes = modes(scene);
    line!(out, "    activeMode={}", modes[place]);
    line!(out, "    displayModes=");
    for mode in modes {
        line!(out, "        {mode}");
    }
}

fn full(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let archetype = scene.archetype();
    let active = rate(scene);
    line!(
        out,
        "Build configuration: [sf PRESENT_TIME_OFFSET=0 FORCE_HWC_FOR_RBG_TO_YUV=1 NUM_FRAMEBUFFER_SURFACE_BUFFERS=3] [libui] [libgui]"
    );
    line!(out);
    line!(out, "Sync configuration: [using: EGL_ANDROID_native_fence_sync EGL_KHR_wait_sync]");
    match archetype.sdk {
        ..=28 => line!(
            out,
            "DispSync configuration: app phase 1000000 ns, sf phase 1000000 ns, present offset 0 ns (refresh {} ns)",
            active.printed
        ),
        29..=33 => {
            line!(out);
            line!(out, "Scheduler:");
            line!(out, "+  Content detection: on");
            residencies(scene, out);
            line!(out, "VSYNC period: {} ns", active.printed);
        }
        _ => scheduler(scene, out),
    }
    line!(out);
    if archetype.sdk >= 31 {
        displays(scene, out);
        line!(out);
    }
    line!(out, "Visible layers (count = {})", scene.sim.flinger.alive(scene.now).count());
    for layer in scene.sim.flinger.alive(scene.now) {
        line!(out, "+ Layer ({})", layer.name);
    }
    line!(out);
    let unit = if archetype.sdk >= 31 { "Hz" } else { "fps" };
    let digits = if archetype.sdk >= 31 { 2 } else { 6 };
    line!(out, "  refresh-rate              : {:.digits$} {unit}", active.hz);
    if archetype.sdk >= 35 {
        line!(out, "  peak-refresh-rate         : {:.2} Hz", archetype.fastest_hz());
    }
    if archetype.sdk >= 36 {
        line!(out, "deprecate_frame_tracker: {}", archetype.history_engine);
    }
}
