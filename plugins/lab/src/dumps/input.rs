//! `dumpsys input` (docs/design/phones.md#input): the dispatcher's last events in each release's words, among
//! everything else that dump tells: devices, windows, connections, some 30 to 100 kB.

use super::{Scene, line};
use crate::phone_sim::dispatcher::{Said, Taken};
use crate::phone_sim::finger::Motions;
use std::sync::OnceLock;

/// The touch screen's number, which injected fingers carry too.
const SCREEN: u32 = 4;
const NAMES: [&str; 6] =
    ["gpio-keys", "qpnp_pon", "fts_ts", "uinput-fpc", "soundcard Headset Jack", "soundcard Button Jack"];

/// Writes the answer.
pub fn input(scene: &Scene<'_>, out: &mut Vec<u8>) {
    line!(out, "INPUT MANAGER (dumpsys input)");
    line!(out);
    devices(scene, out);
    dispatcher(scene, out);
}

/// What the event hub and the reader know: long, and nothing of it about events.
fn devices(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let model = scene.archetype();
    let (right, bottom) = (model.width - 1, model.height - 1);
    line!(out, "Event Hub State:");
    line!(out, "  BuiltInKeyboardId: -2");
    line!(out, "  Devices:");
    for (at, name) in NAMES.iter().enumerate() {
        line!(out, "    {}: {name}", at + 2);
        line!(out, "      Classes: {}", if at + 2 == SCREEN as usize { "0x00000014" } else { "0x00000001" });
        line!(out, "      Path: /dev/input/event{at}");
        line!(out, "      Enabled: true");
        line!(out, "      Descriptor: {:040x}", (at as u128 + 3) * 0x9e37_79b9_7f4a_7c15_f39c_c060);
        line!(out, "      Location: ");
        line!(out, "      ControllerNumber: 0");
        line!(out, "      Identifier: bus=0x0018, vendor=0x0000, product=0x0000, version=0x0000");
        line!(out, "      KeyLayoutFile: /system/usr/keylayout/Generic.kl");
        line!(out, "      KeyCharacterMapFile: /system/usr/keychars/Generic.kcm");
        line!(out, "      ConfigurationFile: ");
    }
    line!(out);
    line!(out, "Input Reader State:");
    for (at, name) in NAMES.iter().enumerate() {
        line!(out, "  Device {}: {name}", at + 2);
        line!(out, "    Generation: {}", at * 7 + 12);
        line!(out, "    IsExternal: false");
        line!(out, "    Sources: 0x00001002");
        line!(out, "    Motion Ranges:");
        for (axis, most) in [("X", right), ("Y", bottom), ("PRESSURE", 1), ("TOUCH_MAJOR", bottom)] {
            line!(
                out,
                "      {axis}: source=0x00001002, min=0.000, max={most}.000, flat=0.000, fuzz=0.000, resolution=0.000"
            );
        }
        line!(out, "    Keyboard Input Mapper:");
        out.extend_from_slice(KEYS.get_or_init(keys));
    }
    line!(out);
}

/// Written once: the same on every phone, and most of what a lab of hundreds would write anew all the time.
static KEYS: OnceLock<Vec<u8>> = OnceLock::new();

/// The keys of a layout: most of the text of a real dump.
fn keys() -> Vec<u8> {
    let mut out = Vec::new();
    for code in 0..100 {
        line!(
            &mut out,
            "      scanCode={code}, keyCode={}, flags=0x00000000, usage=0x{:08x}",
            code + 7,
            0x0007_0000 + code
        );
    }
    out
}

fn dispatcher(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    line!(out, "Input Dispatcher State:");
    line!(out, "  DispatchEnabled: {}", if sdk >= 29 { "true" } else { "1" });
    line!(out, "  DispatchFrozen: {}", if sdk >= 29 { "false" } else { "0" });
    touched(scene, out);
    windows(scene, out);
    line!(out, "  MonitoringChannels:");
    line!(out, "    0: 'WindowManager (server)'");
    let recent = scene.sim.input.dispatcher.recent(&scene.sim.panel, scene.now);
    match recent.is_empty() {
        true => line!(out, "  RecentQueue: <empty>"),
        false => line!(out, "  RecentQueue: length={}", recent.len()),
    }
    for event in &recent {
        line!(out, "    {}, age={}", described(scene, event), age(sdk, scene.now - event.stamp()));
    }
    line!(out, "  PendingEvent: <none>");
    line!(out, "  InboundQueue: <empty>");
    line!(out, "  ReplacedKeys: <empty>");
    line!(out, "  Connections:");
    for (at, (hash, title)) in shown(scene).into_iter().enumerate() {
        line!(
            out,
            "    {}: channelName='{hash:07x} {title} (server)', windowName='{hash:07x} {title} (server)', status=NORMAL, monitor=false, inputPublisherBlocked=false",
            300 + at
        );
        line!(out, "      OutboundQueue: <empty>");
        line!(out, "      WaitQueue: <empty>");
    }
    line!(out, "  AppSwitch: not pending");
    line!(out, "  Configuration:");
    match sdk {
        ..=29 => line!(out, "    KeyRepeatDelay: 50.0ms\n    KeyRepeatTimeout: 500.0ms"),
        _ => line!(out, "    KeyRepeatDelay: 50ms\n    KeyRepeatTimeout: 400ms"),
    }
}

/// Windows a finger is on. From 13 on with the time it came down there.
fn touched(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    let Some(down) = scene.sim.input.dispatcher.touching() else {
        match sdk {
            ..=29 => line!(out, "  TouchStates: <no displays touched>"),
            _ => line!(out, "  TouchStatesByDisplay: <no displays touched>"),
        }
        return;
    };
    let (hash, title) = shown(scene).into_iter().next().unwrap_or((0, "StatusBar".to_owned()));
    line!(out, "  TouchStatesByDisplay:");
    match sdk {
        ..=32 => {
            line!(out, "    0: down=true, split=true, deviceId={SCREEN}, source=0x00001002");
            line!(out, "      Windows:");
            line!(out, "        0: name='{hash:07x} {title}', pointerIds=0x80000000, targetFlags=0x105");
        }
        33 => {
            line!(out, "    0: down=true, split=true, deviceId={SCREEN}, source=0x00001002");
            line!(out, "      Windows:");
            line!(
                out,
                "        0: name='{hash:07x} {title}', pointerIds=0x1, targetFlags=FOREGROUND | SPLIT | DISPATCH_AS_IS, firstDownTimeInTarget={down}"
            );
        }
        _ => {
            line!(out, "    0 :     deviceId={SCREEN}, source=TOUCHSCREEN");
            line!(out, "      Windows:");
            line!(
                out,
                "        0 : name='{hash:07x} {title}', pointerIds={:032b}, targetFlags=FOREGROUND | SPLIT | DISPATCH_AS_IS, \
                 firstDownTimeInTarget={down}, mHoveringPointerIdsByDevice=, pilferedPointerIds={:032b}",
                1,
                0
            );
        }
    }
}

/// Windows from the top, those of the system behind them.
fn shown(scene: &Scene<'_>) -> Vec<(u32, String)> {
    let apps = &scene.sim.setup.apps;
    let mut all: Vec<(u32, String)> = (0..apps.len())
        .flat_map(|app| scene.windows(app).map(move |window| (window.hash, apps[app].title(window.page))))
        .collect();
    all.reverse();
    let system = [
        "NavigationBar0",
        "NotificationShade",
        "StatusBar",
        "ScreenDecorOverlay",
        "InputMethod",
        "ShellDropTarget",
    ];
    all.extend(
        system.iter().enumerate().map(|(at, name)| (0x00a4_7f21 + at as u32 * 977, (*name).to_owned())),
    );
    all.push((0x0062_1b0e, "com.android.launcher3/com.android.launcher3.Launcher".to_owned()));
    all
}

fn windows(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let model = scene.archetype();
    let (width, height) = (model.width, model.height);
    line!(out, "  Windows:");
    for (at, (hash, title)) in shown(scene).into_iter().enumerate() {
        let name = if model.sdk <= 25 {
            format!("Window{{{hash:07x} u0 {title}}}")
        } else {
            format!("{hash:07x} {title}")
        };
        line!(
            out,
            "    {at}: name='{name}', displayId=0, paused=false, hasFocus={}, hasWallpaper=false, visible=true, canReceiveKeys=true, \
             flags=0x81810120, type=0x00000001, layer={}, frame=[0,0][{width},{height}], scale=1.000000, \
             touchableRegion=[0,0][{width},{height}], inputFeatures=0x00000000, ownerPid={}, ownerUid=10117, dispatchingTimeout=5000.000ms",
            at == 0,
            21_000 + 5 * at,
            2_000 + 31 * at
        );
    }
}

/// Tenths of a ms up to 10, whole ms later.
fn age(sdk: u32, ns: i64) -> String {
    if sdk <= 29 { format!("{:.1}ms", ns as f64 / 1e6) } else { format!("{}ms", ns.div_euclid(1_000_000)) }
}

fn described(scene: &Scene<'_>, event: &Taken) -> String {
    let (model, at) = (scene.archetype(), event.stamp());
    let what = match event.said {
        Said::Finger(_) => "MotionEvent",
        Said::Key(..) => "KeyEvent",
    };
    if model.hides_events {
        return what.to_owned();
    }
    let when = if model.sdk >= 31 { format!("eventTime={at}, ") } else { String::new() };
    match event.said {
        Said::Key(code, down) => {
            let action = match (model.sdk, down) {
                (..=25, true) => "0",
                (..=25, false) => "1",
                (_, true) => "DOWN",
                (_, false) => "UP",
            };
            format!(
                "KeyEvent(deviceId=-1, {when}source=0x00000101, displayId=-1, action={action}, flags=0x00000008, keyCode={code}, \
                 scanCode=0, metaState=0x00000000, repeatCount=0), policyFlags=0x6b000000"
            )
        }
        Said::Finger(motion) => finger(model.sdk, &when, motion, event.point),
    }
}

fn finger(sdk: u32, when: &str, motion: Motions, (x, y): (f64, f64)) -> String {
    let (number, name) = match motion {
        Motions::Down => (0, "DOWN"),
        Motions::Up => (1, "UP"),
        Motions::Move => (2, "MOVE"),
        Motions::Cancel => (3, "CANCEL"),
    };
    let flags = "flags=0x00000000, metaState=0x00000000, buttonState=0x00000000";
    let place = format!("pointers=[0: ({x:.1}, {y:.1})]), policyFlags=0x6b000000");
    match sdk {
        ..=25 => format!(
            "MotionEvent(deviceId={SCREEN}, source=0x00001002, action={number}, actionButton=0x00000000, {flags}, \
             edgeFlags=0x00000000, xPrecision=1.0, yPrecision=1.0, displayId=0, {place}"
        ),
        26..=29 => format!(
            "MotionEvent(deviceId={SCREEN}, source=0x00001002, displayId=0, action={name}, actionButton=0x00000000, {flags}, \
             classification=NONE, edgeFlags=0x00000000, xPrecision=1.0, yPrecision=1.0, {place}"
        ),
        _ => {
            let source = if sdk >= 33 { "TOUCHSCREEN" } else { "0x00001002" };
            format!(
                "MotionEvent(deviceId={SCREEN}, {when}source={source}, displayId=0, action={name}, actionButton=0x00000000, {flags}, \
                 classification=NONE, edgeFlags=0x00000000, xPrecision=1.0, yPrecision=1.0, xCursorPosition=nan, \
                 yCursorPosition=nan, {place}"
            )
        }
    }
}
