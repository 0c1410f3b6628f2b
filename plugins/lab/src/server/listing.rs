//! The list of phones as `adb devices` and `adb devices -l` print it.

use crate::live_phone::{LivePhone, Presence};
use std::fmt::Write as _;
use std::rc::Rc;

/// A phone's state in adb's word.
pub(super) fn state(presence: Presence) -> &'static str {
    match presence {
        Presence::Ready => "device",
        Presence::Offline => "offline",
        Presence::Unauthorized => "unauthorized",
        Presence::NoPermissions => {
            "no permissions (user in plugdev group; are your udev rules wrong?); \
             see [http://developer.android.com/tools/device.html]"
        }
        Presence::Recovery => "recovery",
        Presence::Absent => "disconnect",
    }
}

/// One line for each phone that is there.
pub(super) fn device_list(phones: &[Rc<LivePhone>], long: bool) -> String {
    let mut list = String::new();
    for phone in phones {
        let presence = phone.cable().presence;
        if presence == Presence::Absent {
            continue;
        }
        if !long {
            let _ = writeln!(list, "{}\t{}", phone.serial(), state(presence));
            continue;
        }
        let _ = write!(list, "{:<22} {} usb:1-{}", phone.serial(), state(presence), phone.number());
        if presence == Presence::Ready {
            let banner = phone.banner();
            for (key, value) in
                [("product", &banner.product), ("model", &banner.model), ("device", &banner.device)]
            {
                if !value.is_empty() {
                    let _ = write!(list, " {key}:{}", sanitized(value));
                }
            }
        }
        let _ = writeln!(list, " transport_id:{}", phone.number());
    }
    list
}

/// As a server prints a property: anything but letters and digits becomes `_`.
fn sanitized(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
