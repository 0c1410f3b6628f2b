//! `dumpsys package PKG`: version and flags (frame-sources.md 6.3).

use super::{Scene, line};

/// Writes the answer for one package.
pub fn package(scene: &Scene<'_>, name: &str, out: &mut Vec<u8>) {
    let apps = &scene.pulse.setup.apps;
    let Some(place) = apps.iter().position(|app| app.id() == name) else {
        line!(out, "Unable to find package: {name}");
        return;
    };
    let (app, sdk) = (&apps[place].spec, scene.archetype().sdk);
    let digits: String = app.version.chars().filter(char::is_ascii_digit).collect();
    let debug = if app.debuggable { "DEBUGGABLE " } else { "" };
    line!(out, "Packages:");
    line!(out, "  Package [{name}] (5e1c0d{place:x}):");
    line!(out, "    userId={}", uid(place));
    line!(out, "    codePath={}", code_path(name, sdk));
    line!(out, "    versionCode={digits} minSdk=24 targetSdk={}", sdk.min(34));
    line!(out, "    versionName={}", app.version);
    line!(out, "    flags=[ {debug}HAS_CODE ALLOW_CLEAR_USER_DATA ]");
    if sdk >= 29 {
        line!(out, "    privateFlags=[ PRIVATE_FLAG_ACTIVITIES_RESIZE_MODE_RESIZEABLE ]");
    }
    line!(out, "    pkgFlags=[ {debug}HAS_CODE ALLOW_CLEAR_USER_DATA ]");
    line!(out, "    firstInstallTime=2024-11-02 10:12:44");
}

/// User id of an app (index).
pub fn uid(app: usize) -> usize {
    10_100 + app
}

/// Folder the app is installed in.
pub fn code_path(name: &str, sdk: u32) -> String {
    match sdk {
        ..=29 => format!("/data/app/{name}-1"),
        _ => format!("/data/app/~~Zf3kQ0x1uVfWm6b2cT9y1A==/{name}-h8s2LkPq0vXn5dYt7RwEzg=="),
    }
}
