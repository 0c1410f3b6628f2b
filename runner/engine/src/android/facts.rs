//! Gathers [`DeviceFacts`] in a handful of shell calls. What a phone does not say stays unknown.

use super::together::{Answer, as_far_as_told};
use super::{display, say, state};
use crate::patience::Patience;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::Device;
use std::collections::BTreeSet;

const PROPERTIES: [&str; 9] = [
    "ro.product.model",
    "ro.product.manufacturer",
    "ro.build.version.sdk",
    "ro.build.version.release",
    "ro.build.fingerprint",
    "ro.kernel.qemu",
    "ro.boot.qemu",
    "ro.farmjank.virtual",
    "sys.boot_completed",
];

/// What is asked beside the identity, in one call: a phone in a lab of many answers one call sooner than seven.
const QUESTIONS: [&str; 8] = [
    "dumpsys display",
    "wm size; wm density",
    "settings get global window_animation_scale; settings get global transition_animation_scale; \
     settings get global animator_duration_scale; settings get global low_power",
    "dumpsys battery",
    "dumpsys thermalservice",
    "dumpsys power",
    "dumpsys window policy",
    "cat /proc/meminfo",
];

/// Asks the phone for everything worth knowing before a trial.
pub async fn gather(device: &dyn Device, patience: &Patience) -> Result<DeviceFacts, Fault> {
    let mut facts = identity(device, patience).await?;
    // Each answer may be missing on some build, which leaves its fact unknown; a lost phone is still a fault.
    let answers = as_far_as_told(device, &QUESTIONS, patience.dump).await?;
    fill(&mut facts, answers.iter().map(Answer::text).collect());
    Ok(facts)
}

/// Fills in what the questions brought, in their order; the last ones may be missing.
fn fill(facts: &mut DeviceFacts, mut answers: Vec<String>) {
    answers.resize(QUESTIONS.len(), String::new());
    let [display, wm, settings, battery, thermal, power, policy, memory] = &answers[..] else { return };
    let shown = display::display(display);
    facts.screen = display::screen(wm, shown.rotation);
    facts.modes = shown.modes;
    facts.active_hz = shown.active_hz;
    let settings: Vec<&str> = settings.lines().collect();
    facts.animations = state::animation_scales(&settings);
    facts.battery = state::battery(battery);
    if let Some(battery) = &mut facts.battery {
        battery.saver = settings.get(3).is_some_and(|line| line.trim() == "1");
    }
    facts.thermal_status = state::thermal_status(thermal);
    facts.awake = state::awake(power);
    facts.keyguard = state::keyguard(policy);
    facts.ram_mb = self::memory(memory);
}

async fn identity(device: &dyn Device, patience: &Patience) -> Result<DeviceFacts, Fault> {
    let line = PROPERTIES.map(|name| format!("getprop {name}")).join("; ");
    let text = say(device, &line, patience.call).await?;
    let values: Vec<&str> = text.lines().map(str::trim).collect();
    let [model, manufacturer, sdk, release, fingerprint, qemu, boot_qemu, is_virtual, booted] = values[..]
    else {
        let what = format!("the phone answered {} lines for {} properties", values.len(), PROPERTIES.len());
        return Err(Fault::new(FaultCode::FactsUnreadable, what).passing());
    };
    let Ok(sdk) = sdk.parse() else {
        let what = format!(
            "the phone gives no Android version (ro.build.version.sdk is `{}`)",
            super::clip(sdk, 20)
        );
        return Err(Fault::new(FaultCode::FactsUnreadable, what).passing());
    };
    if booted != "1" {
        let fault = Fault::new(FaultCode::Booting, "the phone has not finished booting");
        return Err(fault.passing().advise("wait until its home screen shows"));
    }
    let mut facts = unknown(&device.id().0, model, sdk);
    facts.manufacturer = manufacturer.to_owned();
    facts.release = release.to_owned();
    facts.fingerprint = fingerprint.to_owned();
    facts.emulator = qemu == "1" || boot_qemu == "1";
    facts.is_virtual = is_virtual == "1";
    Ok(facts)
}

/// A phone of which nothing else is known yet.
fn unknown(serial: &str, model: &str, sdk: u32) -> DeviceFacts {
    DeviceFacts {
        id: DeviceId(serial.to_owned()),
        model: model.to_owned(),
        manufacturer: String::new(),
        sdk,
        release: String::new(),
        fingerprint: String::new(),
        screen: None,
        modes: Vec::new(),
        active_hz: None,
        ram_mb: None,
        battery: None,
        thermal_status: None,
        animations: None,
        keyguard: None,
        awake: None,
        emulator: false,
        is_virtual: false,
        tags: BTreeSet::new(),
    }
}

/// `MemTotal:        7645236 kB` in MB.
fn memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kb| kb / 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn answers_are_told_apart_and_missing_ones_leave_facts_unknown() {
        let mut facts = super::unknown("P", "Pixel", 34);
        let answers = [
            "nothing\n",
            "Physical size: 1080x2400\n",
            "1.0\nnull\n0.5\n1\n",
            "  level: 80\n",
            "Can't find service: thermalservice\n",
            "  mWakefulness=Awake\n",
        ];
        super::fill(&mut facts, answers.map(str::to_owned).to_vec());
        assert_eq!(facts.screen.map(|screen| screen.height), Some(2400));
        assert_eq!(facts.animations.map(|scales| (scales.transition, scales.animator)), Some((1.0, 0.5)));
        assert!(facts.battery.is_some_and(|battery| battery.saver && battery.percent == 80));
        assert_eq!(
            (facts.thermal_status, facts.awake, facts.keyguard, facts.ram_mb),
            (None, Some(true), None, None)
        );
    }

    #[test]
    fn memory_is_megabytes() {
        assert_eq!(super::memory("MemTotal:        7645236 kB\nMemFree: 1 kB\n"), Some(7466));
        assert_eq!(super::memory(""), None);
    }
}
