//! `settings`, `wm`, `getprop`, `svc`, `service` (docs/design/phones.md#displays, docs/design/phones.md#state).

use super::command::{Answer, Running};
use super::lab_time::LabTime;
use super::settings::caps;
use super::state::{MS, Phone};
use crate::phone_sim::acts::Act;
use std::collections::BTreeMap;

/// A point in the coordinates of `input`, which an override of the size stretches, on the panel.
pub(super) fn on_panel(phone: &Phone, (x, y): (f64, f64)) -> (f64, f64) {
    let (width, height) =
        (f64::from(phone.sim.setup.archetype.width), f64::from(phone.sim.setup.archetype.height));
    match phone.settings.overrides.size {
        Some((w, h)) if w > 0 && h > 0 => (x * width / f64::from(w), y * height / f64::from(h)),
        _ => (x, y),
    }
}

/// `settings get|put|delete|list NAMESPACE [KEY] [VALUE]`
pub(super) fn settings(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let words: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    let known = |namespace: &str| matches!(namespace, "global" | "system" | "secure");
    let answer = match words.as_slice() {
        ["get", namespace, key] if known(namespace) => {
            let value =
                phone.settings.table.get(&format!("{namespace}/{key}")).map_or("null", String::as_str);
            Answer::said(format!("{value}\n"))
        }
        ["put", namespace, key, value, ..] if known(namespace) => {
            phone.settings.table.insert(format!("{namespace}/{key}"), (*value).to_owned());
            phone.act(now, 5 * MS, Act::Cap(caps(&phone.settings.table)));
            Answer::default()
        }
        ["delete", namespace, key] if known(namespace) => {
            let gone = phone.settings.table.remove(&format!("{namespace}/{key}")).is_some();
            phone.act(now, 5 * MS, Act::Cap(caps(&phone.settings.table)));
            Answer::said(format!("Deleted {} rows\n", u8::from(gone)))
        }
        ["list", namespace] if known(namespace) => {
            let own =
                phone.settings.table.iter().filter_map(|(key, value)| {
                    Some((key.strip_prefix(namespace)?.strip_prefix('/')?, value))
                });
            Answer::said(own.map(|(key, value)| format!("{key}={value}\n")).collect::<String>())
        }
        [verb @ ("get" | "put" | "delete" | "list"), namespace, ..] if !known(namespace) => {
            let _ = verb;
            Answer::failed(format!("Invalid namespace '{namespace}'\n"), 255)
        }
        _ => Answer::failed("Bad arguments\n", 255),
    };
    phone.served(25, answer)
}

/// `wm size|density|dismiss-keyguard`
pub(super) fn wm(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let (width, height) = (phone.sim.setup.archetype.width, phone.sim.setup.archetype.height);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match words.as_slice() {
        ["size"] => {
            let mut text = format!("Physical size: {width}x{height}\n");
            if let Some((width, height)) = phone.settings.overrides.size {
                text += &format!("Override size: {width}x{height}\n");
            }
            Answer::said(text)
        }
        ["density"] => {
            let mut text = format!("Physical density: {}\n", phone.sim.setup.archetype.density);
            if let Some(density) = phone.settings.overrides.density {
                text += &format!("Override density: {density}\n");
            }
            Answer::said(text)
        }
        ["size", "reset"] => {
            phone.settings.overrides.size = None;
            Answer::default()
        }
        ["density", "reset"] => {
            phone.settings.overrides.density = None;
            Answer::default()
        }
        ["size", size] => {
            match size.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?))) {
                Some(size) => {
                    phone.settings.overrides.size = Some(size);
                    Answer::default()
                }
                None => Answer::failed(format!("Error: bad size {size}\n"), 255),
            }
        }
        ["density", density] => match density.parse() {
            Ok(density) => {
                phone.settings.overrides.density = Some(density);
                Answer::default()
            }
            Err(_) => Answer::failed(format!("Error: bad density {density}\n"), 255),
        },
        ["dismiss-keyguard"] => {
            if phone.sim.screen.keyguard && phone.sim.screen.awake && !phone.sim.setup.keyguard.1 {
                phone.act(now, 12 * MS, Act::Keyguard(false));
            }
            Answer::default()
        }
        _ => Answer::failed("Window manager (window) commands:\n  help\n      Print this help text.\n", 255),
    };
    phone.served(27, answer)
}

/// `getprop [NAME [DEFAULT]]`
pub(super) fn getprop(phone: &mut Phone, arguments: &[String]) -> Running {
    let properties = properties(phone);
    let answer = match arguments {
        [] => {
            let known = properties.iter().map(|(key, value)| (*key, value.as_str()));
            let written = phone.settings.properties.iter().map(|(key, value)| (key.as_str(), value.as_str()));
            let all: BTreeMap<&str, &str> = known.chain(written).collect();
            all.iter().map(|(key, value)| format!("[{key}]: [{value}]\n")).collect::<String>()
        }
        [name, rest @ ..] => {
            let own = properties.get(name.as_str()).or_else(|| phone.settings.properties.get(name));
            let value = own.filter(|value| !value.is_empty()).or(rest.first());
            format!("{}\n", value.map_or("", String::as_str))
        }
    };
    phone.native(Answer::said(answer))
}

fn properties(phone: &Phone) -> BTreeMap<&'static str, String> {
    let archetype = phone.sim.setup.archetype;
    let brand = archetype.brand();
    BTreeMap::from([
        ("ro.build.version.sdk", archetype.sdk.to_string()),
        ("ro.build.version.release", archetype.release.to_owned()),
        ("ro.build.id", archetype.build.to_owned()),
        ("ro.build.display.id", archetype.build.to_owned()),
        ("ro.build.fingerprint", archetype.fingerprint()),
        ("ro.build.type", "user".to_owned()),
        ("ro.build.tags", "release-keys".to_owned()),
        ("ro.build.characteristics", "default".to_owned()),
        ("ro.product.model", phone.body.model.clone()),
        ("ro.product.manufacturer", archetype.manufacturer.to_owned()),
        ("ro.product.brand", brand),
        ("ro.product.device", archetype.device.to_owned()),
        ("ro.product.name", archetype.device.to_owned()),
        ("ro.product.cpu.abi", "arm64-v8a".to_owned()),
        ("ro.sf.lcd_density", archetype.density.to_string()),
        ("ro.serialno", phone.serial.clone()),
        ("ro.debuggable", "0".to_owned()),
        ("ro.secure", "1".to_owned()),
        ("ro.farmjank.virtual", "1".to_owned()),
        ("sys.boot_completed", "1".to_owned()),
        ("dev.bootcomplete", "1".to_owned()),
        ("persist.sys.locale", "en-US".to_owned()),
        ("persist.sys.timezone", "UTC".to_owned()),
    ])
}

/// `svc power|wifi|data …`: silent.
pub(super) fn svc(phone: &mut Phone, arguments: &[String]) -> Running {
    let answer = match arguments.first().map(String::as_str) {
        Some("power" | "wifi" | "data" | "usb" | "nfc" | "bluetooth") => Answer::default(),
        _ => Answer::failed(
            "Available commands:\n    help     Show information about the subcommands\n    power    Control the power manager\n",
            255,
        ),
    };
    phone.served(u32::MAX, answer)
}

/// `service check|list|call`
pub(super) fn service(phone: &mut Phone, arguments: &[String]) -> Running {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let exists = |name: &str| {
        matches!(name, "SurfaceFlinger" | "activity" | "window" | "package" | "display" | "power" | "input")
    };
    let answer = match words.as_slice() {
        ["check", name] => {
            Answer::said(format!("Service {name}: {}\n", if exists(name) { "found" } else { "not found" }))
        }
        ["list"] => Answer::said(
            "Found 4 services:\n0\tactivity: [android.app.IActivityManager]\n1\tpackage: [android.content.pm.IPackageManager]\n2\twindow: [android.view.IWindowManager]\n3\tSurfaceFlinger: [android.ui.ISurfaceComposer]\n",
        ),
        // What needs more than the shell's rights is refused.
        ["call", name, ..] if exists(name) => {
            Answer::said("Result: Parcel(Error: 0xffffffffffffffff \"Operation not permitted\")\n")
        }
        ["call", name, ..] => Answer::failed(format!("service: Service {name} does not exist\n"), 10),
        _ => {
            Answer::failed("Usage: service [-h|-?]\n       service list\n       service check SERVICE\n", 10)
        }
    };
    phone.native(answer)
}
