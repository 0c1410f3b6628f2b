//! `dumpsys window …`: who has the focus, and the lock screen (docs/design/phones.md#state).

use super::{Scene, line};
use crate::phone_sim::activities::Front;

/// Writes the answer to the arguments after `window`.
pub fn window(scene: &Scene<'_>, arguments: &[String], out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    match arguments.first().map(String::as_str) {
        Some("policy" | "p") => policy(scene, out),
        Some("windows" | "w") => {
            line!(out, "WINDOW MANAGER WINDOWS (dumpsys window windows)");
            windows(scene, out);
            if sdk <= 29 {
                focus(scene, "  ", out);
            }
        }
        Some("displays" | "d") => {
            line!(out, "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)");
            line!(out, "  Display: mDisplayId=0");
            focus(scene, "  ", out);
        }
        _ => {
            policy(scene, out);
            line!(out);
            line!(out, "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)");
            line!(out, "  Display: mDisplayId=0");
            if sdk >= 30 {
                focus(scene, "  ", out);
            }
            line!(out);
            line!(out, "WINDOW MANAGER WINDOWS (dumpsys window windows)");
            windows(scene, out);
            if sdk <= 29 {
                focus(scene, "  ", out);
            }
        }
    }
}

/// Hash and title of the window that has the focus.
fn focused(scene: &Scene<'_>) -> Option<(u32, String)> {
    let sim = scene.sim;
    if !sim.screen.awake || sim.screen.keyguard {
        let title = match scene.archetype().sdk {
            ..=29 => "StatusBar",
            _ => "NotificationShade",
        };
        return sim.screen.awake.then(|| (0x00a4_7f21, title.to_owned()));
    }
    for (app, process) in sim.activities.processes.iter().enumerate() {
        let id = sim.setup.apps[app].id();
        if process.anr.is_some_and(|at| at <= scene.now) {
            return Some((0x003b_8f91, format!("Application Not Responding: {id}")));
        }
        if process.crashed {
            return Some((0x003b_8f92, format!("Application Error: {id}")));
        }
    }
    if sim.activities.asked().is_some() {
        return Some((0x0093_11c5, asker(scene.archetype().sdk).to_owned()));
    }
    match sim.activities.front {
        Front::Launcher => {
            Some((0x0062_1b0e, "com.android.launcher3/com.android.launcher3.Launcher".to_owned()))
        }
        Front::Window(index) => sim
            .activities
            .window(index)
            .map(|window| (window.hash, sim.setup.apps[window.app].title(window.page))),
    }
}

/// The window that asks for permissions, as phones with Google's packages name it: up to Android 9 the installer's,
/// since a package of its own, whose classes moved with Android 11.
fn asker(sdk: u32) -> &'static str {
    match sdk {
        ..=28 => {
            "com.google.android.packageinstaller/com.android.packageinstaller.permission.ui.GrantPermissionsActivity"
        }
        29 => {
            "com.google.android.permissioncontroller/com.android.packageinstaller.permission.ui.GrantPermissionsActivity"
        }
        _ => {
            "com.google.android.permissioncontroller/com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
        }
    }
}

/// The activity that should have the focus, as its record.
fn focused_app(scene: &Scene<'_>) -> String {
    let record = match scene.sim.activities.front {
        Front::Launcher => "ActivityRecord{51f0ab3 u0 com.android.launcher3/.Launcher t1".to_owned(),
        Front::Window(index) => match scene.sim.activities.window(index) {
            Some(window) if scene.sim.activities.asked().is_some() => {
                format!("ActivityRecord{{0b1c3de u0 {} t{}", asker(scene.archetype().sdk), window.task)
            }
            Some(window) => {
                let short = scene.sim.setup.apps[window.app].short(window.page);
                format!("ActivityRecord{{{:07x} u0 {short} t{}", window.hash ^ 0x002a_51c3, window.task)
            }
            None => return "null".to_owned(),
        },
    };
    match scene.archetype().sdk {
        ..=29 => format!("AppWindowToken{{8f1e210 token=Token{{98c758b {record}}}}}}}"),
        _ => format!("{record}}}"),
    }
}

fn focus(scene: &Scene<'_>, indent: &str, out: &mut Vec<u8>) {
    match focused(scene) {
        Some((hash, title)) => line!(out, "{indent}mCurrentFocus=Window{{{hash:07x} u0 {title}}}"),
        None => line!(out, "{indent}mCurrentFocus=null"),
    }
    line!(out, "{indent}mFocusedApp={}", focused_app(scene));
}

fn windows(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let sim = scene.sim;
    let mut number = 0;
    let mut print = |hash: u32, title: &str, package: &str, shown: bool, out: &mut Vec<u8>| {
        line!(out, "  Window #{number} Window{{{hash:07x} u0 {title}}}:");
        line!(out, "    mDisplayId=0 package={package} appop=NONE");
        line!(out, "    mHasSurface={shown} isReadyForDisplay()={shown}");
        line!(out, "    isOnScreen={shown}");
        line!(out, "    isVisible={shown}");
        number += 1;
    };
    print(0x00a4_7f21, "StatusBar", "com.android.systemui", true, out);
    for (app, spec) in sim.setup.apps.iter().enumerate() {
        for window in scene.windows(app) {
            print(window.hash, &spec.title(window.page), spec.id(), window.resumed, out);
        }
    }
    let home = sim.activities.front == Front::Launcher;
    print(
        0x0062_1b0e,
        "com.android.launcher3/com.android.launcher3.Launcher",
        "com.android.launcher3",
        home,
        out,
    );
}

fn policy(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let sim = scene.sim;
    let locked = sim.screen.keyguard;
    line!(out, "WINDOW MANAGER POLICY STATE (dumpsys window policy)");
    line!(out, "    mSystemReady=true mSystemBooted=true");
    line!(
        out,
        "    mAwake={} mScreenOnEarly={} mScreenOnFully={}",
        sim.screen.awake,
        sim.screen.awake,
        sim.screen.awake
    );
    match scene.archetype().sdk {
        ..=28 => {
            line!(out, "    mShowingDream=false mDreamingLockscreen=false");
            line!(out, "    isStatusBarKeyguard={locked} mShowingLockscreen={locked}");
            line!(out, "    KeyguardServiceDelegate");
            line!(out, "      showing={locked}");
        }
        _ => {
            line!(out, "    KeyguardServiceDelegate");
            line!(out, "      showing={locked}");
            line!(out, "      showingAndNotOccluded={locked}");
            line!(out, "      inputRestricted={locked}");
            line!(out, "      occluded=false");
            line!(out, "      secure={}", sim.setup.keyguard.1);
            line!(out, "      dreaming=false");
            line!(out, "      systemIsReady=true");
            line!(out, "      deviceHasKeyguard=true");
            line!(out, "      enabled=true");
            line!(
                out,
                "      interactiveState={}",
                if sim.screen.awake { "INTERACTIVE_STATE_AWAKE" } else { "INTERACTIVE_STATE_SLEEP" }
            );
        }
    }
}
