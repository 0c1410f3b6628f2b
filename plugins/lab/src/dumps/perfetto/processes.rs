//! The process list of a trace: one scan of the whole phone when the trace begins, later births only where the kernel's
//! events are traced too (`linux.ftrace`), as `linux.process_stats` learns of them from those.
//!
//! Must not know frames.

use super::capture::Capture;
use super::proto::Message;
use super::ring::Ring;
use super::{FTRACE, SURFACEFLINGER_PID, kernel};
use crate::chance::{Draw, Stream};

const PROBES: u32 = 2;
/// Threads of the kernel a phone has.
const KERNEL: u32 = 220;
/// A process that was just forked still bears its parent's name for so long, ns.
const NAMELESS: i64 = 20_000_000;

/// Daemons of the system: names and users.
const DAEMONS: &[(&str, u64)] = &[
    ("/system/bin/init", 0),
    ("/system/bin/ueventd", 0),
    ("/system/bin/logd", 1_036),
    ("/system/bin/servicemanager", 1_000),
    ("/system/bin/hwservicemanager", 1_000),
    ("/vendor/bin/vndservicemanager", 1_000),
    ("/system/bin/vold", 0),
    ("zygote64", 0),
    ("zygote", 0),
    ("/system/bin/netd", 0),
    ("/system/bin/statsd", 1_066),
    ("/system/bin/audioserver", 1_041),
    ("/system/bin/cameraserver", 1_047),
    ("/system/bin/installd", 0),
    ("/system/bin/keystore2", 1_017),
    ("/system/bin/lmkd", 1_069),
    ("/apex/com.android.adbd/bin/adbd", 2_000),
    ("/system/bin/traced", 9_999),
    ("/system/bin/traced_probes", 9_999),
];
/// Processes of packages that come with the phone, each with more of its kind.
const PACKAGES: &[&str] = &[
    "com.android.phone",
    "com.android.nfc",
    "com.android.se",
    "com.android.bluetooth",
    "com.android.networkstack.process",
    "com.android.permissioncontroller",
    "com.android.providers.media.module",
    "com.android.inputmethod.latin",
    "com.android.providers.calendar",
    "com.android.deskclock",
    "com.android.externalstorage",
    "com.android.traceur",
    "android.process.acore",
    "android.ext.services",
    "webview_zygote",
];
/// Vendors' services: so many of each.
const SERVICES: &[&str] = &[
    "audio",
    "camera.provider",
    "drm",
    "gnss",
    "graphics.composer",
    "health",
    "power",
    "sensors",
    "thermal",
];
const OF_EACH: u32 = 8;

/// Writes them.
pub fn write(capture: &Capture<'_>, ring: &mut Ring) {
    let mut tree = Message::default();
    let mut entry = Message::default();
    let first = |pid: u32| u64::from(pid.min(2));
    let traces_threads = capture.config.kernel.is_some();
    let mut process = |pid: u32, parent: u64, name: &str, user: u64| {
        entry.clear().number(1, u64::from(pid)).number(2, parent).number(5, user).field(3, name.as_bytes());
        tree.field(1, entry.bytes());
        // Every process but the kernel's has threads beside its first.
        for nth in 1..=u64::from(if user == 0 { 0 } else { pid % 3 }) {
            entry.clear().number(1, u64::from(pid) + nth).number(3, u64::from(pid));
            tree.field(2, entry.bytes());
        }
        if traces_threads && kernel::appears(capture, pid) {
            threads(pid, &mut tree);
        }
    };
    for nth in 0..KERNEL {
        process(2 + nth * 2, first(nth), &format!("kworker/{}:{}-events", nth % 8, nth / 8), 0);
    }
    for (nth, (name, user)) in (0..).zip(DAEMONS) {
        let pid = if nth == 0 { 1 } else { 512 + nth * 3 };
        process(pid, u64::from(nth > 0), name, *user);
    }
    process(SURFACEFLINGER_PID, 1, "/system/bin/surfaceflinger", 1_000);
    process(1_412, 533, "system_server", 1_000);
    process(crate::dumps::gfxinfo::SYSTEMUI_PID, 533, "com.android.systemui", 10_089);
    for (nth, name) in (0..).zip(SERVICES) {
        for copy in 0..OF_EACH {
            let name = format!("/vendor/bin/hw/android.hardware.{name}-service.{copy}");
            process(640 + (nth * OF_EACH + copy) * 4, 1, &name, 1_000);
        }
    }
    for (nth, name) in (0..).zip(PACKAGES) {
        process(2_200 + nth * 7, 533, name, 10_040 + u64::from(nth));
    }
    for (born, pid, name) in capture.births.iter().filter(|(born, ..)| *born <= capture.began) {
        let named = born + NAMELESS <= capture.began;
        process(*pid, 533, if named { name } else { "zygote64" }, 10_100);
    }
    commit(capture, capture.began, &tree, true, ring);
    if !capture.config.sources.iter().any(|(name, _)| name == FTRACE) {
        return;
    }
    let later = |born: &i64| (capture.began + 1..=capture.ended).contains(born);
    for (born, pid, name) in capture.births.iter().filter(|(born, ..)| later(born)) {
        let mut tree = Message::default();
        entry.clear().number(1, u64::from(*pid)).number(2, 533).number(5, 10_100).field(3, name.as_bytes());
        tree.field(1, entry.bytes());
        if traces_threads {
            threads(*pid, &mut tree);
        }
        let seen = Draw::of(capture.seed, Stream::Trace, *born as u64).whole(NAMELESS, 5 * NAMELESS);
        if born + seen <= capture.ended {
            commit(capture, born + seen, &tree, false, ring);
        }
    }
}

/// The threads of a process that the kernel's events tell of, by name.
fn threads(pid: u32, tree: &mut Message) {
    let mut entry = Message::default();
    for (tid, name) in kernel::named(pid) {
        entry.clear().number(1, u64::from(tid)).field(2, name.as_bytes()).number(3, u64::from(pid));
        tree.field(2, entry.bytes());
    }
}

fn commit(capture: &Capture<'_>, at: i64, tree: &Message, first: bool, ring: &mut Ring) {
    let mut packet = Message::default();
    packet.number(8, (at + capture.boot_offset) as u64);
    if first {
        packet.number(41, 1);
    }
    packet.field(2, tree.bytes()).number(3, 9_999).number(10, u64::from(PROBES)).number(79, 571);
    if first {
        // Nobody knows what a writer wrote before its first packet: it says so.
        packet.number(42, 1);
    }
    ring.commit(&[packet.bytes()]);
}
