//! Lines in order become entries: whose process a line is of, and lines that are only understood together.
//!
//! An ANR is logged by the system about the app, a crash takes several lines, and the system tells which process is the
//! app's. Must not know: marks, windows. Memory is bounded.

use super::line::Line;
use super::message::read_message;
use crate::text::{shown, whole_integer};
use farmjank_results::logcat_events::{LogEntry, LogEvent};
use farmjank_results::time::DeviceTime;
use std::collections::BTreeSet;

/// Most entries kept.
const MOST_ENTRIES: usize = 10_000;
/// Most processes of one app kept track of.
const MOST_PIDS: usize = 1_000;

/// What happened to one app.
pub(super) struct Story<'a> {
    /// None: every app.
    app: Option<&'a [u8]>,
    /// Processes of the app, by what was asked and by what the log says.
    pub(super) pids: BTreeSet<i32>,
    /// Entries of any process; cut down to the app's in the end.
    entries: Vec<(LogEntry, Teller)>,
    /// Lines of the app were dropped by the log itself.
    pub(super) expired: u64,
    /// More happened than is kept.
    pub(super) overfull: bool,
}

/// Who told: the system may tell the same twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Teller {
    Process,
    EventAnr,
    SystemAnr,
    EventCrash,
}

impl<'a> Story<'a> {
    pub(super) fn new(app: Option<&'a str>, pids: BTreeSet<i32>) -> Story<'a> {
        Story { app: app.map(str::as_bytes), pids, entries: Vec::new(), expired: 0, overfull: false }
    }

    /// A line from before the window: only tells which process is the app's.
    pub(super) fn earlier(&mut self, line: &Line<'_>) {
        if line.tag == b"am_proc_start" {
            self.started(line.message);
        }
    }

    /// A line of the window.
    pub(super) fn line(&mut self, line: &Line<'_>, at: DeviceTime) {
        let pid = line.pid;
        match line.tag {
            b"am_proc_start" => self.started(line.message),
            b"am_anr" => self.event(line.message, 4, at, Teller::EventAnr),
            b"am_crash" => self.event(line.message, 4, at, Teller::EventCrash),
            b"ActivityManager" => self.activity_manager(line.message, at),
            b"AndroidRuntime" => self.runtime(pid, line.message, at),
            b"chatty" => self.chatty(pid, line.message),
            tag => {
                if let Some(what) = read_message(tag, line.message) {
                    self.note(LogEntry { at, pid, what }, Teller::Process);
                }
            }
        }
    }

    /// The app's entries in order of time, each event once.
    pub(super) fn finish(mut self) -> Vec<LogEntry> {
        let told = |entries: &[(LogEntry, Teller)], teller| entries.iter().any(|(_, other)| *other == teller);
        let by_event = told(&self.entries, Teller::EventAnr);
        let own = |entry: &LogEntry| self.app.is_none() || self.pids.contains(&entry.pid);
        let by_runtime = |entry: &(LogEntry, Teller)| {
            entry.1 == Teller::Process && matches!(entry.0.what, LogEvent::Crash(_)) && own(&entry.0)
        };
        let crashed = self.entries.iter().any(by_runtime);
        let kept = |(entry, teller): &(LogEntry, Teller)| match teller {
            Teller::Process => own(entry),
            Teller::EventAnr => true,
            Teller::SystemAnr => !by_event,
            Teller::EventCrash => !crashed,
        };
        self.entries.retain(kept);
        let mut entries: Vec<LogEntry> = self.entries.into_iter().map(|(entry, _)| entry).collect();
        entries.sort_by_key(|entry| entry.at);
        entries
    }

    /// Whether a process or package of this name is the app's.
    fn told_of(&self, name: &[u8]) -> bool {
        self.app.is_none_or(|app| app == name)
    }

    fn note(&mut self, entry: LogEntry, teller: Teller) {
        if self.entries.len() < MOST_ENTRIES {
            self.entries.push((entry, teller));
        } else {
            self.overfull = true;
        }
    }

    /// `[0,12345,10123,com.example.shop,pre-top-activity,{…}]`: user, pid, uid, process.
    fn started(&mut self, message: &[u8]) {
        let fields = fields(message);
        if fields.get(3).is_some_and(|name| self.told_of(name))
            && let Some(pid) = fields.get(1).and_then(|pid| process(pid))
            && self.pids.len() < MOST_PIDS
        {
            self.pids.insert(pid);
        }
    }

    /// `am_anr: [user,pid,package,flags,reason]` and `am_crash: [pid,user,package,flags,exception,message,…]`.
    fn event(&mut self, message: &[u8], from: usize, at: DeviceTime, teller: Teller) {
        let fields = fields(message);
        let at_pid = if teller == Teller::EventAnr { 1 } else { 0 };
        let Some(pid) = fields.get(at_pid).and_then(|pid| process(pid)) else { return };
        if !fields.get(2).is_some_and(|name| self.told_of(name)) {
            return;
        }
        let text = fields.get(from..).unwrap_or_default();
        let what = match teller {
            Teller::EventAnr => LogEvent::Anr(shown(&text.join(&b","[..]))),
            _ => LogEvent::Crash(shown(&text[..text.len().min(2)].join(&b": "[..]))),
        };
        self.note(LogEntry { at, pid, what }, teller);
    }

    /// `ANR in com.example.shop (com.example.shop/.Main)`, then `PID: 4711`, then `Reason: …`.
    fn activity_manager(&mut self, message: &[u8], at: DeviceTime) {
        if let Some(name) = message.strip_prefix(b"ANR in ") {
            let end = name.iter().position(|&byte| byte == b' ').unwrap_or(name.len());
            if self.told_of(&name[..end]) {
                let what = LogEvent::Anr(shown(message));
                self.note(LogEntry { at, pid: 0, what }, Teller::SystemAnr);
            }
            return;
        }
        let Some((entry, Teller::SystemAnr)) = self.entries.last_mut() else { return };
        if let Some(pid) = message.strip_prefix(b"PID: ") {
            entry.pid = process(pid).unwrap_or(0);
        } else if let Some(reason) = message.strip_prefix(b"Reason: ") {
            entry.what = LogEvent::Anr(shown(reason));
        }
    }

    /// `FATAL EXCEPTION: main`, then `Process: com.example.shop, PID: 4711`, then the exception.
    fn runtime(&mut self, pid: i32, message: &[u8], at: DeviceTime) {
        if message.starts_with(b"FATAL EXCEPTION") {
            self.note(LogEntry { at, pid, what: LogEvent::Crash(shown(message)) }, Teller::Process);
            return;
        }
        if let Some(process) = message.strip_prefix(b"Process: ") {
            let end = process.iter().position(|&byte| byte == b',').unwrap_or(process.len());
            if self.told_of(&process[..end]) && self.pids.len() < MOST_PIDS {
                self.pids.insert(pid);
            }
            return;
        }
        let last = self.entries.iter_mut().rev().find(|(entry, _)| entry.pid == pid);
        if let Some((LogEntry { what: LogEvent::Crash(text), .. }, Teller::Process)) = last
            && text.starts_with("FATAL EXCEPTION")
        {
            *text = shown(message);
        }
    }

    /// `uid=10123(com.example.shop) expire 12 lines`: the log dropped lines of one that wrote too much.
    fn chatty(&mut self, pid: i32, message: &[u8]) {
        let Some(at) = crate::text::find(message, b" expire ") else { return };
        if self.app.is_none() || self.pids.contains(&pid) {
            let lines = crate::text::integer(&message[at + 8..]).map_or(1, |(lines, _)| lines.max(1));
            self.expired = self.expired.saturating_add(lines.unsigned_abs());
        }
    }
}

/// `[a,b,c]`
fn fields(message: &[u8]) -> Vec<&[u8]> {
    let inner = message.strip_prefix(b"[").unwrap_or(message);
    let inner = inner.strip_suffix(b"]").unwrap_or(inner);
    inner.split(|&byte| byte == b',').take(64).collect()
}

fn process(text: &[u8]) -> Option<i32> {
    whole_integer(text).and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0)
}
