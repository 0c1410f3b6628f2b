//! `pm`, `cmd` and `pidof`: what is installed, what runs (docs/design/phones.md#starting-apps).

use super::command::{Answer, Running};
use super::intent::Intent;
use super::lab_time::LabTime;
use super::state::{MS, Phone};
use super::{activity, input, install, services};
use crate::dumps::gfxinfo::{SYSTEMUI, SYSTEMUI_PID};
use crate::dumps::package::code_path;
use crate::phone_sim::acts::Act;

/// The process that compiles apps, while it does.
pub(super) const DEX2OAT_PID: u32 = 7_421;
/// Packages every phone has.
const SYSTEM: &[&str] = &["android", "com.android.launcher3", "com.android.settings", SYSTEMUI];

pub(super) fn pm(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let rest = arguments.get(1..).unwrap_or_default();
    let name = rest.iter().rfind(|word| !word.starts_with('-')).cloned().unwrap_or_default();
    match arguments.first().map(String::as_str) {
        Some("path") => {
            let sdk = phone.sim.setup.archetype.sdk;
            let answer = match activity::app(phone, &name).filter(|_| !SYSTEM.contains(&name.as_str())) {
                Some(app) => {
                    Answer::said(format!("package:{}/base.apk\n", code_path(&phone.sim.setup.apps[app], sdk)))
                }
                None if SYSTEM.contains(&name.as_str()) => {
                    Answer::said(format!("package:/system/priv-app/{name}/base.apk\n"))
                }
                None => Answer { status: 1, ..Answer::default() },
            };
            phone.served(27, answer)
        }
        Some("list") if rest.first().is_some_and(|word| word == "packages" || word == "package") => {
            let listed = packages(phone, &rest[1..]);
            phone.served(27, Answer::said(listed))
        }
        Some("install") => install::install(phone, now, rest),
        Some("uninstall") => install::uninstall(phone, now, &name),
        Some("clear") => match activity::app(phone, &name) {
            Some(app) => {
                let running = phone.served(27, Answer::said("Success\n"));
                phone.act(now, running.takes.ns() - 3 * MS, Act::Stop(app));
                running
            }
            None => {
                let status = if phone.sim.setup.archetype.sdk >= 28 { 1 } else { 0 };
                phone.served(27, Answer { out: b"Failed\n".to_vec(), status, ..Answer::default() })
            }
        },
        Some("resolve-activity") => resolve_activity(phone, rest),
        Some("grant") => {
            let package = rest.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
            let running = phone.served(27, Answer::default());
            if let Some(app) = activity::app(phone, &package) {
                phone.act(now, running.takes.ns() - 2 * MS, Act::Granted(app));
            }
            running
        }
        Some("revoke" | "enable" | "disable" | "trim-caches") => phone.served(27, Answer::default()),
        Some(other) => phone.served(27, Answer::failed(format!("Unknown command: {other}\n"), 255)),
        None => phone.served(
            27,
            Answer::failed("Package manager (package) commands:\n  help\n    Print this help text.\n", 255),
        ),
    }
}

/// `pm list packages [-3] [-s] [-f] [-U] [FILTER]`
fn packages(phone: &Phone, flags: &[String]) -> String {
    let has = |flag: &str| flags.iter().any(|word| word == flag);
    let filter = flags.iter().find(|word| !word.starts_with('-')).map_or("", String::as_str);
    let own =
        activity::present(phone).map(|(_, app)| app.id()).filter(|id| !has("-s") && !SYSTEM.contains(id));
    let system = SYSTEM.iter().copied().filter(|_| !has("-3"));
    // Android 7 does not know user ids here.
    let ids = has("-U") && phone.sim.setup.archetype.sdk >= 26;
    let mut text = String::new();
    for name in system.chain(own).filter(|name| name.contains(filter)) {
        text += &match has("-f") {
            true => match activity::app(phone, name) {
                Some(app) => {
                    let path = code_path(&phone.sim.setup.apps[app], phone.sim.setup.archetype.sdk);
                    format!("package:{path}/base.apk={name}\n")
                }
                None => format!("package:/system/priv-app/{name}/base.apk={name}\n"),
            },
            false if ids => {
                format!(
                    "package:{name} uid:{}\n",
                    activity::app(phone, name).map_or(1_000, crate::dumps::package::uid)
                )
            }
            false => format!("package:{name}\n"),
        };
    }
    text
}

/// `cmd SERVICE …`
pub(super) fn cmd(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let rest = arguments.get(1..).unwrap_or_default().to_vec();
    let sdk = phone.sim.setup.archetype.sdk;
    match arguments.first().map(String::as_str) {
        Some("package") if rest.first().is_some_and(|word| word == "compile") => {
            install::compile(phone, &rest)
        }
        Some("package") => pm(phone, now, &rest),
        Some("activity") if sdk >= 26 => activity::am(phone, now, &rest),
        Some("input") if sdk >= 31 => input::input(phone, now, &rest),
        Some("settings") if sdk >= 26 => services::settings(phone, now, &rest),
        Some("window") if sdk >= 26 => services::wm(phone, now, &rest),
        Some("thermalservice") if sdk >= 29 => override_heat(phone, &rest),
        Some("statusbar" | "notification" | "power" | "deviceidle" | "battery") => {
            phone.native(Answer::default())
        }
        Some(other) => phone.native(Answer::failed(format!("cmd: Can't find service: {other}\n"), 20)),
        None => phone.native(Answer::failed("cmd: No service specified; use -l to list all services\n", 20)),
    }
}

/// `cmd thermalservice override-status N` and `reset`.
fn override_heat(phone: &mut Phone, rest: &[String]) -> Running {
    match rest.first().map(String::as_str) {
        Some("override-status") => {
            if let Some(status) = rest.get(1).and_then(|word| word.parse().ok()) {
                phone.body.thermal_status = u8::min(status, 6);
            }
        }
        Some("reset") => phone.body.thermal_status = 0,
        _ => {}
    }
    phone.native(Answer::default())
}

fn resolve_activity(phone: &mut Phone, rest: &[String]) -> Running {
    let Ok(intent) = Intent::read(rest) else {
        return phone.served(25, Answer::failed("Error: bad intent\n", 255));
    };
    let package =
        intent.package.clone().or_else(|| intent.component.as_ref().map(|component| component.0.clone()));
    let apps = activity::present(phone)
        .map(|(_, app)| app)
        .filter(|app| package.as_ref().is_none_or(|package| app.id() == package));
    let found = apps.filter_map(|app| {
        let page = match &intent.data {
            Some(link) => app.by_link(link),
            None => app.launcher(),
        };
        page.map(|page| app.short(page))
    });
    let answer = match found.collect::<Vec<_>>().as_slice() {
        [] => Answer::said("No activity found\n"),
        [short] => Answer::said(format!(
            "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n{short}\n"
        )),
        _ => Answer::said(
            "priority=0 preferredOrder=0 match=0x0 specificIndex=-1 isDefault=false\nandroid/com.android.internal.app.ResolverActivity\n",
        ),
    };
    phone.served(25, answer)
}

/// `pidof NAME`
pub(super) fn pidof(phone: &mut Phone, arguments: &[String]) -> Running {
    // A program per word size since the compiler comes with the ART module.
    let compiler = if phone.sim.setup.archetype.sdk >= 31 { "dex2oat64" } else { "dex2oat" };
    let of = |name: &String| match activity::app(phone, name) {
        Some(app) => phone.sim.activities.processes[app].pid,
        None if name == SYSTEMUI => Some(SYSTEMUI_PID),
        None if phone.body.compiling && name == compiler => Some(DEX2OAT_PID),
        None => None,
    };
    let pids: Vec<String> = arguments
        .iter()
        .filter(|word| !word.starts_with('-'))
        .filter_map(of)
        .map(|pid| pid.to_string())
        .collect();
    let answer = match pids.is_empty() {
        true => Answer { status: 1, ..Answer::default() },
        false => Answer::said(format!("{}\n", pids.join(" "))),
    };
    phone.native(answer)
}
