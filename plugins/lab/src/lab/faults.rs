//! Faults begin and end, on schedule or by hand.

use super::running::LiveLab;
use crate::fault::{Kind, Remedy, Scheduled, Whom};
use crate::live_phone::{LivePhone, Presence};
use crate::phone_fault::PhoneFault;
use crate::remedy::{self, REBOOT};
use crate::server::LiveServer;
use crate::shell_process::{begin_foreign, end_foreign};
use std::rc::Rc;
use std::time::Duration;

/// How long a server stays away when a restart has no length.
const RESTART: Duration = Duration::from_secs(2);

/// How long SurfaceFlinger's dumps are held back when a ring overflow has no length.
const OVERFLOW: Duration = Duration::from_secs(4);

/// Starts the clocks of scheduled faults.
pub(super) fn schedule(lab: &Rc<LiveLab>, faults: &[Scheduled]) {
    for fault in faults {
        if fault.at.is_zero() {
            // So it is from the beginning: nobody sees the phone before.
            strike(lab, fault);
            continue;
        }
        let lab = Rc::downgrade(lab);
        let fault = fault.clone();
        tokio::task::spawn_local(async move {
            tokio::time::sleep(fault.at).await;
            if let Some(lab) = lab.upgrade() {
                strike(&lab, &fault);
            }
        });
    }
}

fn strike(lab: &LiveLab, fault: &Scheduled) {
    for phone in chosen(lab, &fault.whom) {
        lab.inject(phone.serial(), fault.kind.clone(), fault.length);
        if let Some(until) = fault.until {
            phone.ailments.ails(until, fault.kind.clone());
        }
    }
}

fn chosen(lab: &LiveLab, whom: &Whom) -> Vec<Rc<LivePhone>> {
    lab.phones()
        .filter(|phone| *whom == Whom::All || *whom == Whom::Phone(phone.serial().to_owned()))
        .cloned()
        .collect()
}

impl LiveLab {
    /// The same as [`LiveLab::inject`], until somebody does this about it.
    pub fn inject_until(&self, serial: &str, kind: Kind, until: Remedy) -> bool {
        if let Some(phone) = self.phone(serial) {
            phone.ailments.ails(until, kind.clone());
        }
        self.inject(serial, kind, None)
    }

    /// Makes something go wrong with a phone now, for a length where that has a meaning. False when there is no such
    /// phone. Call inside the lab's `LocalSet`.
    pub fn inject(&self, serial: &str, kind: Kind, length: Option<Duration>) -> bool {
        let Some(server) = self.servers().iter().find(|s| s.phones().iter().any(|p| p.serial() == serial))
        else {
            return false;
        };
        if let Some(phone) = server.phones().iter().find(|phone| phone.serial() == serial) {
            begin(phone, server, &kind, length);
            let default = match kind {
                Kind::Reboot => Some(REBOOT),
                Kind::ServerRestart => Some(RESTART),
                _ => None,
            };
            if let Some(length) = length.or(default) {
                let (phone, server) = (Rc::downgrade(phone), Rc::downgrade(server));
                tokio::task::spawn_local(async move {
                    tokio::time::sleep(length).await;
                    if let (Some(phone), Some(server)) = (phone.upgrade(), server.upgrade()) {
                        end(&phone, &server, &kind);
                    }
                });
            }
        }
        true
    }
}

fn begin(phone: &Rc<LivePhone>, server: &LiveServer, kind: &Kind, length: Option<Duration>) {
    match kind {
        Kind::Unplug => remedy::show(phone, Presence::Absent),
        Kind::Reboot => remedy::goes_down(phone),
        Kind::Offline => remedy::show(phone, Presence::Offline),
        Kind::Unauthorized => remedy::show(phone, Presence::Unauthorized),
        Kind::NoPermissions => remedy::show(phone, Presence::NoPermissions),
        Kind::Recovery => remedy::show(phone, Presence::Recovery),
        Kind::Wedge => phone.set_cable(|cable| cable.wedged = true),
        Kind::Slow(factor) => phone.set_cable(|cable| cable.slow = *factor),
        Kind::Garble => phone.set_cable(|cable| cable.garbled = true),
        Kind::ServerRestart => server.set_up(false),
        Kind::Heat(status) => phone.set_fault(PhoneFault::Thermal { status: *status }),
        Kind::Dexopt => phone.set_fault(PhoneFault::Dexopt { running: true }),
        Kind::RingOverflow => phone.block_rings(length.unwrap_or(OVERFLOW)),
        Kind::ScreenOff => phone.set_fault(PhoneFault::ScreenOff { stuck: true }),
        Kind::DumpTimeout => phone.hang_rings(true),
        Kind::ForeignLoop(line) => begin_foreign(phone, line),
        Kind::ClockDrift(ppm) => phone.set_drift(*ppm),
        Kind::Model(fault) => phone.set_fault(fault.clone()),
    }
}

fn end(phone: &LivePhone, server: &LiveServer, kind: &Kind) {
    match kind {
        Kind::Reboot => remedy::booted(phone),
        Kind::Unplug | Kind::Offline | Kind::Unauthorized | Kind::NoPermissions | Kind::Recovery => {
            let rebooting = phone.cable().rebooting;
            remedy::show(phone, if rebooting { Presence::Absent } else { Presence::Ready });
        }
        Kind::Wedge => phone.set_cable(|cable| cable.wedged = false),
        Kind::Slow(_) => phone.set_cable(|cable| cable.slow = 1.0),
        Kind::Garble => phone.set_cable(|cable| cable.garbled = false),
        Kind::ServerRestart => server.set_up(true),
        Kind::Heat(_) => phone.set_fault(PhoneFault::Thermal { status: 0 }),
        Kind::Dexopt => phone.set_fault(PhoneFault::Dexopt { running: false }),
        Kind::ScreenOff => phone.set_fault(PhoneFault::ScreenOff { stuck: false }),
        Kind::DumpTimeout => phone.hang_rings(false),
        Kind::ForeignLoop(line) => end_foreign(phone, line),
        Kind::ClockDrift(_) => phone.set_drift(0.0),
        Kind::Model(fault) => over(phone, fault),
        Kind::RingOverflow => {}
    }
}

/// What can end inside a phone ends.
fn over(phone: &LivePhone, fault: &PhoneFault) {
    match fault {
        PhoneFault::PermissionDialog { .. } => phone.set_fault(PhoneFault::PermissionDialog { asks: false }),
        PhoneFault::NoScroll { .. } => phone.set_fault(PhoneFault::NoScroll { stuck: false }),
        PhoneFault::DiskFull { .. } => phone.set_fault(PhoneFault::DiskFull { full: false }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;

    #[test]
    fn a_cable_does_not_make_a_rebooting_phone_ready() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), async {
            let lab = Lab::named("demo").expect("in the gallery").build().expect("it runs");
            let serial = lab.serials().into_iter().next().expect("a phone");
            let after = async |seconds| {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                lab.phone(&serial).expect("the phone").cable().presence
            };
            lab.inject(&serial, Kind::Unplug, Some(Duration::from_secs(5)));
            lab.inject(&serial, Kind::Reboot, Some(Duration::from_secs(20)));
            assert_eq!(after(10).await, Presence::Absent, "plugged in again, and still on its way up");
            assert_eq!(after(11).await, Presence::Ready);
        });
    }
}
