//! Breaking a phone on purpose.

use super::state::{MS, Phone};
use crate::phone_fault::PhoneFault;
use crate::phone_sim::acts::Act;

/// See [`Phone::set_fault`].
pub(super) fn set(phone: &mut Phone, fault: PhoneFault) {
    let now = phone.sim.clock();
    match fault {
        PhoneFault::SlowDumpsys { factor } => phone.body.quirks.slow_dumps = factor.clamp(1.0, 1_000.0),
        PhoneFault::FrozenApp => phone.sim.act(now, Act::Freeze),
        PhoneFault::CrashApp { at } => phone.sim.act(phone.clocks.monotonic(at), Act::Crash(None)),
        PhoneFault::Thermal { status } => {
            let status = status.min(6);
            phone.body.thermal_status = status;
            phone.sim.act(now, Act::Heat(1.0 + 0.12 * f64::from(status.saturating_sub(1))));
        }
        PhoneFault::Battery { celsius } => phone.body.celsius = celsius.clamp(-40.0, 120.0),
        PhoneFault::Dexopt { running } => phone.body.compiling = running,
        PhoneFault::RingRows { n } => phone.body.quirks.ring_rows = Some(n.clamp(1, 127)),
        PhoneFault::LayerReborn { at } => phone.sim.act(phone.clocks.monotonic(at), Act::Reborn),
        PhoneFault::ClearedByOther { at } => phone.sim.act(phone.clocks.monotonic(at), Act::ClearAll),
        PhoneFault::Keyguard => phone.sim.act(now, Act::Keyguard(true)),
        PhoneFault::ScreenOff { stuck } => phone.sim.act(now, Act::Dark(stuck)),
        PhoneFault::NoInjection => phone.body.quirks.injection_blocked = true,
        PhoneFault::PeriodOnly => phone.body.quirks.period_only = true,
        PhoneFault::SwappedColumns => phone.body.quirks.swapped = true,
        PhoneFault::HeaderPeriod { ns } => phone.body.quirks.header_ns = Some(ns),
        PhoneFault::PermissionDialog { asks } => phone.sim.act(now, Act::Asks(asks)),
        PhoneFault::NoScroll { stuck } => phone.sim.act(now, Act::Stuck(stuck)),
        PhoneFault::AppReplaced => super::install::again(phone, now),
        PhoneFault::DiskFull { full } => phone.storage.fill(full),
        PhoneFault::ClockJump { ms } => {
            phone.clocks.slept = phone.clocks.slept.saturating_add(ms.saturating_mul(MS));
        }
        PhoneFault::TraceLoss { share } => phone.tracing.faults.loss = share.clamp(0.0, 1.0),
        PhoneFault::NoTracing => phone.tracing.faults.refused = true,
        PhoneFault::TraceCut { kept } => phone.tracing.faults.kept = kept.clamp(0.0, 1.0),
    }
}
