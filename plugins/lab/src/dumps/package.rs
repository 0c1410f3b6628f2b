//! `dumpsys package PKG`: version and flags (docs/design/phones.md#starting-apps).

use super::{Scene, line};
use crate::app::App;

/// Writes the answer for one package.
pub fn package(scene: &Scene<'_>, name: &str, out: &mut Vec<u8>) {
    let apps = &scene.sim.setup.apps;
    let Some(place) = apps.iter().position(|app| app.id() == name && !app.absent) else {
        line!(out, "Unable to find package: {name}");
        return;
    };
    let app = &apps[place].spec;
    let sdk = scene.archetype().sdk;
    let debug = if app.debuggable { "DEBUGGABLE " } else { "" };
    line!(out, "Packages:");
    line!(out, "  Package [{name}] (5e1c0d{place:x}):");
    line!(out, "    userId={}", uid(place));
    line!(out, "    codePath={}", code_path(&apps[place], sdk));
    line!(out, "    versionCode={} minSdk=24 targetSdk={}", app.version_code(), sdk.min(34));
    line!(out, "    versionName={}", app.version);
    line!(out, "    flags=[ {debug}HAS_CODE ALLOW_CLEAR_USER_DATA ]");
    if sdk >= 29 {
        // What is debuggable may be looked into without saying so.
        let profile = if app.profileable || app.debuggable { " PROFILEABLE_BY_SHELL" } else { "" };
        line!(out, "    privateFlags=[ PRIVATE_FLAG_ACTIVITIES_RESIZE_MODE_RESIZEABLE{profile} ]");
    }
    line!(out, "    pkgFlags=[ {debug}HAS_CODE ALLOW_CLEAR_USER_DATA ]");
    line!(out, "    firstInstallTime=2024-11-02 10:12:44");
    match apps[place].put {
        None => line!(out, "    lastUpdateTime=2024-11-02 10:12:44"),
        Some((_, at)) => {
            line!(out, "    lastUpdateTime=2026-01-01 {}", time_of_day(at - scene.sim.setup.origin))
        }
    }
}

/// User id of an app (index).
pub fn uid(app: usize) -> usize {
    10_100 + app
}

/// Folder the app is installed in.
pub(crate) fn code_path(app: &App, sdk: u32) -> String {
    let name = app.id();
    let times = app.put.map_or(0, |(times, _)| times);
    match sdk {
        // Two folders in turn, as the old one goes only when the new one is there.
        ..=25 => format!("/data/app/{name}-{}", 1 + times % 2),
        26..=29 if times == 0 => format!("/data/app/{name}-1"),
        26..=29 => format!("/data/app/{name}-h8s2LkPq0vXn5dYt7R{times:04}=="),
        _ if times == 0 => format!("/data/app/~~Zf3kQ0x1uVfWm6b2cT9y1A==/{name}-h8s2LkPq0vXn5dYt7RwEzg=="),
        _ => format!("/data/app/~~Zf3kQ0x1uVfWm6b2cT{times:04}==/{name}-h8s2LkPq0vXn5dYt7R{times:04}=="),
    }
}

/// Time of the phones' first day, from ns since the lab began.
fn time_of_day(ns: i64) -> String {
    let seconds = ns.div_euclid(1_000_000_000);
    format!("{:02}:{:02}:{:02}", seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60)
}
