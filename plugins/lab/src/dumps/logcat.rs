//! `logcat -d`: what the rings of the log hold, filtered by tag (docs/design/phones.md#logs).
//!
//! Slow messages are there only where their process began after the threshold was set. Must not know flags.

use super::{Scene, framestats, line};
use crate::phone_sim::hwui::HwuiFrame;
use crate::phone_sim::journal::{Noted, Said, Work};

const MS: i64 = 1_000_000;
/// Process id of the system server.
const SYSTEM: u32 = 1_412;

/// What `logcat` was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Rings.
    pub rings: Vec<String>,
    /// Stamps of CLOCK_MONOTONIC instead of the wall clock.
    pub monotonic: bool,
    /// `TAG:LEVEL`; everything when empty.
    pub filters: Vec<(String, char)>,
    /// Only the newest lines.
    pub newest: Option<usize>,
    /// Everything up to this instant was cleared.
    pub cleared: i64,
}

/// One line before it is printed.
struct Entry {
    at: i64,
    ring: &'static str,
    pid: u32,
    thread: u32,
    level: char,
    tag: String,
    text: String,
}

/// Writes what the rings hold at the scene's instant.
pub fn logcat(scene: &Scene<'_>, asked: &Asked, out: &mut Vec<u8>) {
    let booted = scene.sim.setup.origin - 40_000 * MS;
    let boot = |ring, tag: &str, text: &str| system(booted, ring, 'I', tag, text.to_owned());
    let mut entries = vec![
        boot("main", "SystemServer", "Entered the Android system server!"),
        boot("system", "SystemServiceManager", "Starting phase 1000"),
    ];
    entries.extend(scene.sim.journal.until(scene.now).into_iter().flat_map(|note| told(scene, note)));
    entries.retain(|entry| {
        entry.at > asked.cleared && asked.rings.iter().any(|ring| ring == entry.ring) && passes(asked, entry)
    });
    entries.sort_by_key(|entry| entry.at);
    let skip = asked.newest.map_or(0, |newest| entries.len().saturating_sub(newest));
    let mut begun: Vec<&str> = Vec::new();
    for entry in &entries[skip..] {
        if !begun.contains(&entry.ring) {
            begun.push(entry.ring);
            line!(out, "--------- beginning of {}", entry.ring);
        }
        let stamp = if asked.monotonic { stamp(entry.at) } else { wall(entry.at) };
        let Entry { pid, thread, level, tag, text, .. } = entry;
        line!(out, "{stamp} {pid:>5} {thread:>5} {level} {tag:<8}: {text}");
    }
}

fn passes(asked: &Asked, entry: &Entry) -> bool {
    const LEVELS: &str = "VDIWEFS";
    let rank = |level| LEVELS.find(level).unwrap_or(0);
    let named = asked.filters.iter().rfind(|(tag, _)| *tag == entry.tag);
    let rest = || asked.filters.iter().rfind(|(tag, _)| tag == "*");
    named.or_else(rest).is_none_or(|(_, least)| rank(entry.level) >= rank(*least))
}

fn system(at: i64, ring: &'static str, level: char, tag: &str, text: String) -> Entry {
    Entry { at, ring, pid: SYSTEM, thread: SYSTEM + 21, level, tag: tag.to_owned(), text }
}

/// The lines of a note.
fn told(scene: &Scene<'_>, note: &Noted) -> Vec<Entry> {
    let sdk = scene.archetype().sdk;
    let package = note.app.map_or("", |app| scene.sim.setup.apps[app].id());
    let (at, pid) = (note.at, note.pid);
    let own = |ring, level, tag: &str, thread: u32, text: String| {
        vec![Entry { at, ring, pid, thread, level, tag: tag.to_owned(), text }]
    };
    match &note.what {
        Said::Message { began, work, slow_ms } => {
            let took = at / MS - began / MS;
            let slow = slow_ms.is_some_and(|least| sdk >= 28 && took >= i64::from(least));
            let text = || format!("Slow dispatch took {took}ms main {}", handler(*work, package, at));
            if slow { own("system", 'W', "Looper", pid, text()) } else { Vec::new() }
        }
        Said::Skipped(frames) => {
            let text = format!(
                "Skipped {frames} frames!  The application may be doing too much work on its main thread."
            );
            own("main", 'I', "Choreographer", pid, text)
        }
        Said::Davey(row) => {
            let total = row.completed(sdk) - row.stages.intended;
            let tag = if sdk >= 30 { "HWUI" } else { "OpenGLRenderer" };
            own("main", 'I', tag, pid + 18, davey(row, total, sdk))
        }
        Said::Started => {
            let uid = note.app.map_or(1_000, super::package::uid);
            let text = format!("[0,{pid},{uid},{package},pre-top-activity,{{{package}/.MainActivity}}]");
            vec![system(at, "events", 'I', "am_proc_start", text)]
        }
        Said::NotResponding => not_responding(at, pid, package),
        Said::Crashed => crashed(at, pid, package),
        Said::Line { tag, level, message } => own("main", *level, tag, pid, message.clone()),
    }
}

/// Handler, callback and code of a message.
fn handler(work: Work, package: &str, at: i64) -> String {
    let hash = (at / 1_000) & 0xfff_ffff;
    match work {
        Work::Launch => "h=android.app.ActivityThread$H c=null m=159".to_owned(),
        Work::Frame => format!(
            "h=android.view.Choreographer$FrameHandler c=android.view.Choreographer$FrameDisplayEventReceiver@{hash:x} m=0"
        ),
        Work::Load => format!("h=android.os.Handler c={package}.ImageLoader$Decode@{hash:x} m=0"),
        Work::Refresh => format!("h=android.os.Handler c={package}.Refresh$Poll@{hash:x} m=0"),
    }
}

const REASON: &str = "Input dispatching timed out (waited 5000ms for MotionEvent)";

fn not_responding(at: i64, pid: u32, package: &str) -> Vec<Entry> {
    let manager = |text: String| system(at, "system", 'E', "ActivityManager", text);
    vec![
        system(at, "events", 'I', "am_anr", format!("[0,{pid},{package},952680005,{REASON}]")),
        manager(format!("ANR in {package} ({package}/.MainActivity)")),
        manager(format!("PID: {pid}")),
        manager(format!("Reason: {REASON}")),
    ]
}

fn crashed(at: i64, pid: u32, package: &str) -> Vec<Entry> {
    let exception = "java.lang.IllegalStateException: no more items";
    let runtime = |text: String| Entry {
        at,
        ring: "crash",
        pid,
        thread: pid,
        level: 'E',
        tag: "AndroidRuntime".to_owned(),
        text,
    };
    let event =
        format!("[{pid},0,{package},952680005,java.lang.IllegalStateException,no more items,Feed.java,212]");
    vec![
        runtime("FATAL EXCEPTION: main".to_owned()),
        runtime(format!("Process: {package}, PID: {pid}")),
        runtime(exception.to_owned()),
        runtime(format!("\tat {package}.Feed.next(Feed.java:212)")),
        system(at, "events", 'I', "am_crash", event),
    ]
}

fn davey(row: &HwuiFrame, total: i64, sdk: u32) -> String {
    let stages = row.stages;
    let token = if sdk >= 31 { format!("FrameTimelineVsyncId={}, ", row.token) } else { String::new() };
    let names = framestats::columns(sdk).len();
    let late = if names > 17 { format!(", GpuCompleted={}", stages.ready) } else { String::new() };
    format!(
        "Davey! duration={}ms; Flags={}, {token}IntendedVsync={}, Vsync={}, HandleInputStart={}, AnimationStart={}, \
         PerformTraversalsStart={}, DrawStart={}, SyncQueued={}, SyncStart={}, IssueDrawCommandsStart={}, SwapBuffers={}, \
         FrameCompleted={}{late}",
        total / 1_000_000,
        row.flags,
        stages.intended,
        stages.vsync,
        stages.start + 4_000,
        stages.start + 9_000,
        stages.traversal,
        stages.draw,
        stages.sync_queued,
        stages.sync_start,
        stages.issue,
        stages.swap,
        row.completed(sdk),
    )
}

fn stamp(at: i64) -> String {
    format!("{:>6}.{:03}", at / 1_000_000_000, at / 1_000_000 % 1_000)
}

/// A wall clock that began with the month: the virtual phone has no other.
fn wall(at: i64) -> String {
    let ms = at / 1_000_000;
    format!(
        "11-{:02} {:02}:{:02}:{:02}.{:03}",
        1 + ms / 86_400_000 % 28,
        ms / 3_600_000 % 24,
        ms / 60_000 % 60,
        ms / 1_000 % 60,
        ms % 1_000
    )
}
