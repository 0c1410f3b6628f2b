//! What somebody at the computer does for a phone, through its adb server or its daemon: connect it anew, boot it
//! again.
//!
//! A fault of a lab may wait for just that (`until: reconnect`); others such a thing does not end.

use crate::fault::{Kind, Remedy};
use crate::live_phone::{LivePhone, Presence};
use std::rc::Rc;
use std::time::Duration;

/// How long a reboot takes when it has no length.
pub(crate) const REBOOT: Duration = Duration::from_secs(30);

/// How long a connection that is made anew is away.
const RECONNECTS: Duration = Duration::from_millis(1_500);

pub(crate) fn show(phone: &LivePhone, presence: Presence) {
    phone.set_cable(|cable| {
        cable.presence = presence;
        if presence != Presence::Ready {
            cable.cuts += 1;
        }
    });
}

/// The phone goes down, to boot again.
pub(crate) fn goes_down(phone: &LivePhone) {
    phone.set_cable(|cable| cable.rebooting = true);
    show(phone, Presence::Absent);
}

/// It is up again.
pub(crate) fn booted(phone: &LivePhone) {
    phone.rebooted();
    let ended = phone.ailments.ended_by(Remedy::Reboot);
    phone.set_cable(|cable| {
        cable.rebooting = false;
        cable.wedged &= !ended.contains(&Kind::Wedge);
    });
    show(phone, Presence::Ready);
}

/// From being told to boot until the phone goes down: its daemon has answered by then.
const SHUTS_DOWN: Duration = Duration::from_millis(400);

/// `adb reboot`: down in a moment, and up after a while.
pub(crate) fn reboot(phone: &Rc<LivePhone>) {
    let phone = phone.clone();
    tokio::task::spawn_local(async move {
        tokio::time::sleep(SHUTS_DOWN).await;
        goes_down(&phone);
        tokio::time::sleep(REBOOT).await;
        booted(&phone);
    });
}

/// How a phone shows itself over a connection made anew: what was wrong with the old one is there again, unless a new
/// one ends it.
fn anew(phone: &LivePhone, before: Presence) -> Presence {
    let ended = phone.ailments.ended_by(Remedy::Reconnect);
    phone.set_cable(|cable| cable.wedged &= !ended.contains(&Kind::Wedge));
    let mended = match before {
        Presence::Absent => ended.contains(&Kind::Unplug),
        Presence::Offline => ended.contains(&Kind::Offline),
        _ => false,
    };
    if mended { Presence::Ready } else { before }
}

/// A server made its connection to the phone's daemon anew.
pub(crate) fn connected(phone: &LivePhone) {
    anew(phone, Presence::Ready);
}

/// `adb reconnect`: the connection is closed and made anew.
pub(crate) fn reconnect(phone: &Rc<LivePhone>) {
    let before = phone.cable();
    if before.rebooting {
        return;
    }
    show(phone, Presence::Absent);
    let after = anew(phone, before.presence);
    let phone = phone.clone();
    tokio::task::spawn_local(async move {
        tokio::time::sleep(RECONNECTS).await;
        if phone.cable().presence == Presence::Absent && !phone.cable().rebooting {
            show(&phone, after);
        }
    });
}

/// `adb disconnect ADDRESS`, for phones over the network: off the list until it is connected again. False where it was
/// off the list before.
pub(crate) fn disconnect(phone: &LivePhone) -> bool {
    let before = phone.cable().presence;
    if phone.cable().disconnected.is_some() || before == Presence::Absent {
        return false;
    }
    phone.set_cable(|cable| cable.disconnected = Some(before));
    show(phone, Presence::Absent);
    true
}

/// `adb connect ADDRESS`: whether the phone can be reached.
pub(crate) fn connect(phone: &LivePhone) -> bool {
    let cable = phone.cable();
    let before = cable.disconnected.unwrap_or(cable.presence);
    phone.set_cable(|cable| cable.disconnected = None);
    if !phone.cable().rebooting {
        let after = anew(phone, before);
        show(phone, after);
    }
    phone.cable().presence != Presence::Absent
}
