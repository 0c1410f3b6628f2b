//! Gathers [`DeviceFacts`] in a handful of shell calls. What a phone does not say stays unknown.

use super::{display, say, state};
use crate::patience::Patience;
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::device::{DeviceFacts, DeviceId};
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

/// Asks the phone for everything worth knowing before a trial.
pub async fn gather(device: &dyn Device, patience: &Patience) -> Result<DeviceFacts, Fault> {
    let mut facts = identity(device, patience).await?;
    // Each of these may be missing on some build: an answer that cannot be had leaves the fact unknown, but a lost
    // phone is still a fault.
    let modes = lenient(device, "dumpsys display", patience).await?;
    let shown = display::display(&modes);
    let wm = lenient(device, "wm size; wm density", patience).await?;
    facts.screen = display::screen(&wm, shown.rotation);
    facts.modes = shown.modes;
    facts.active_hz = shown.active_hz;
    let settings = lenient(
        device,
        "settings get global window_animation_scale; settings get global transition_animation_scale; \
         settings get global animator_duration_scale; settings get global low_power",
        patience,
    )
    .await?;
    let settings: Vec<&str> = settings.lines().collect();
    facts.animations = state::animation_scales(&settings);
    facts.battery = state::battery(&lenient(device, "dumpsys battery", patience).await?);
    if let Some(battery) = &mut facts.battery {
        battery.saver = settings.get(3).is_some_and(|line| line.trim() == "1");
    }
    if facts.sdk >= 29 {
        facts.thermal_status =
            state::thermal_status(&lenient(device, "dumpsys thermalservice", patience).await?);
    }
    facts.awake = state::awake(&lenient(device, "dumpsys power", patience).await?);
    facts.keyguard = state::keyguard(&lenient(device, "dumpsys window policy", patience).await?);
    facts.ram_mb = memory(&lenient(device, "cat /proc/meminfo", patience).await?);
    Ok(facts)
}

async fn identity(device: &dyn Device, patience: &Patience) -> Result<DeviceFacts, Fault> {
    let line = PROPERTIES.map(|name| format!("getprop {name}")).join("; ");
    let text = say(device, &line, patience.call).await?;
    let values: Vec<&str> = text.lines().map(str::trim).collect();
    let [model, manufacturer, sdk, release, fingerprint, qemu, boot_qemu, is_virtual, booted] = values[..]
    else {
        let what = format!("the phone answered {} lines for {} properties", values.len(), PROPERTIES.len());
        return Err(Fault::new(Blame::Lab, "facts_unreadable", what).passing());
    };
    let Ok(sdk) = sdk.parse() else {
        let what = format!(
            "the phone gives no Android version (ro.build.version.sdk is `{}`)",
            super::clip(sdk, 20)
        );
        return Err(Fault::new(Blame::Lab, "facts_unreadable", what).passing());
    };
    if booted != "1" {
        let fault = Fault::new(Blame::Lab, "booting", "the phone has not finished booting");
        return Err(fault.passing().advise("wait until its home screen shows"));
    }
    Ok(DeviceFacts {
        id: DeviceId(device.id().0.clone()),
        model: model.to_owned(),
        manufacturer: manufacturer.to_owned(),
        sdk,
        release: release.to_owned(),
        fingerprint: fingerprint.to_owned(),
        screen: None,
        modes: Vec::new(),
        active_hz: None,
        ram_mb: None,
        battery: None,
        thermal_status: None,
        animations: None,
        keyguard: None,
        awake: None,
        emulator: qemu == "1" || boot_qemu == "1",
        is_virtual: is_virtual == "1",
        tags: BTreeSet::new(),
    })
}

/// Standard output whatever the status: for probes whose absence only leaves a fact unknown.
async fn lenient(device: &dyn Device, line: &str, patience: &Patience) -> Result<String, Fault> {
    Ok(device.shell(line, patience.dump).await?.text())
}

/// `MemTotal:        7645236 kB` in MB.
fn memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kb| kb / 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_megabytes() {
        assert_eq!(super::memory("MemTotal:        7645236 kB\nMemFree: 1 kB\n"), Some(7466));
        assert_eq!(super::memory(""), None);
    }
}
