//! `dumpsys power` (docs/design/phones.md#state).

use super::{Scene, line};

/// Writes the answer.
pub fn power(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let (sim, body) = (scene.sim, scene.body);
    let state = if sim.screen.awake { "Awake" } else { "Asleep" };
    line!(out, "POWER MANAGER (dumpsys power)");
    line!(out);
    line!(out, "Power Manager State:");
    if scene.archetype().sdk >= 26 {
        line!(out, "  Settings power_manager_constants:");
        line!(out, "    no_cached_wake_locks=true");
    }
    line!(out, "  mDirty=0x0");
    line!(out, "  mWakefulness={state}");
    line!(out, "  mWakefulnessChanging=false");
    line!(out, "  mIsPowered={}", body.plugged);
    line!(out, "  mPlugType={}", if body.plugged { 2 } else { 0 });
    line!(out, "  mBatteryLevel={}", body.battery_level);
    line!(out, "  mStayOn=false");
    line!(out, "  mBootCompleted=true");
    line!(out, "  mSystemReady=true");
    line!(out);
    if scene.archetype().sdk <= 25 {
        line!(out, "Display Power: state={}", if sim.screen.awake { "ON" } else { "OFF" });
    }
}
