//! `dumpsys battery` and `dumpsys thermalservice` (docs/design/phones.md#state).

use super::{Scene, line};
use crate::chance::{Draw, Stream};
use crate::spec::Refused;

/// Writes `dumpsys battery`.
pub fn battery(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let body = scene.body;
    let sdk = scene.archetype().sdk;
    let noise = Draw::of(body.seed, Stream::Sensor, scene.minutes() as u64);
    line!(out, "Current Battery Service state:");
    line!(out, "  AC powered: false");
    line!(out, "  USB powered: {}", body.plugged);
    line!(out, "  Wireless powered: false");
    if sdk >= 33 {
        line!(out, "  Dock powered: false");
    }
    line!(out, "  Max charging current: {}", if body.plugged { 500_000 } else { 0 });
    line!(out, "  Max charging voltage: {}", if body.plugged { 5_000_000 } else { 0 });
    line!(out, "  Charge counter: {}", body.battery_level * 42_000);
    line!(out, "  status: {}", if body.plugged { 2 } else { 3 });
    line!(out, "  health: 2");
    line!(out, "  present: true");
    line!(out, "  level: {}", body.battery_level);
    line!(out, "  scale: 100");
    line!(out, "  voltage: {}", 3_600 + body.battery_level * 7 + (noise.0 % 20) as u32);
    if !body.refuses.contains(&Refused::Temperature) {
        line!(out, "  temperature: {}", (body.celsius * 10.0).round() as i64 + (noise.0 >> 20) as i64 % 3);
    }
    line!(out, "  technology: Li-ion");
}

/// Writes `dumpsys thermalservice` (Android 10 and newer).
pub fn thermal(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let body = scene.body;
    let noise = Draw::of(body.seed, Stream::Sensor, scene.minutes() as u64 ^ 0x7700);
    let status = body.thermal_status;
    let skin = body.celsius + 3.0 + 3.5 * f64::from(status) + noise.unit();
    let readings = |age: f64| {
        [
            (skin + 9.0 - age, 0, "CPU0"),
            (skin + 7.0 - age, 1, "GPU"),
            (body.celsius, 2, "battery"),
            (skin - age, 3, "skin"),
        ]
    };
    line!(out, "IsStatusOverride: false");
    line!(out, "ThermalEventListeners:");
    line!(out, "\tcallbacks: 3");
    line!(out, "\tkilled: false");
    line!(out, "\tbroadcasts count: -1");
    line!(out, "ThermalStatusListeners:");
    line!(out, "\tcallbacks: 2");
    line!(out, "\tkilled: false");
    line!(out, "\tbroadcasts count: -1");
    line!(out, "Thermal Status: {status}");
    line!(out, "Cached temperatures:");
    let print = |age: f64, out: &mut Vec<u8>| {
        for (value, kind, name) in readings(age) {
            let level = if matches!(kind, 0 | 3) { status } else { 0 };
            line!(out, "\tTemperature{{mValue={value:.1}, mType={kind}, mName={name}, mStatus={level}}}");
        }
    };
    print(1.5, out);
    line!(out, "HAL Ready: true");
    line!(out, "HAL connection:");
    line!(out, "\tThermalHAL 2.0 connected: yes");
    line!(out, "Current temperatures from HAL:");
    print(0.0, out);
    line!(out, "Current cooling devices from HAL:");
    line!(out, "\tCoolingDevice{{mValue={status}, mType=2, mName=thermal-cpufreq-0}}");
}
