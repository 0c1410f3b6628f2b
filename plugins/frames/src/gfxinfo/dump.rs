//! Reads the text of `dumpsys gfxinfo PACKAGE framestats`: processes, their windows, and each window's ring.
//!
//! Scopes values by nesting: the summary of a process and of its windows use the same words. Everything outside the
//! few lines that matter is skipped, whatever language or vendor it comes from. Must not know: phones, marks.

use super::columns::Header;
use super::window::{Rows, Window};
use crate::refusal::{noise, refusal};
use crate::text::{contains, decode, find, lines, shown};
use farmjank_results::time::ClockMap;
use farmjank_seams::source::Unreadable;

/// The line before and after a ring.
pub(crate) const FENCE: &[u8] = b"---PROFILEDATA---";
/// Begins the section of a process.
pub(crate) const PROCESS: &[u8] = b"** Graphics info for pid ";
/// The first line of every gfxinfo dump.
pub(crate) const TITLE: &[u8] = b"Applications Graphics Acceleration Info:";
/// Most windows read from one dump.
const MOST_WINDOWS: usize = 256;
/// Longest title taken from the dump, bytes.
const LONGEST_TITLE: usize = 400;
/// Frames may finish while the dump is being written, ns after its header.
const WHILE_DUMPING: i64 = 5_000_000;

/// The map between the phone's two clocks that the dump's header shows (`Uptime: U Realtime: R`, both ms).
pub fn read_clock(text: &[u8]) -> Option<ClockMap> {
    let text = decode(text);
    header_clock(&text).map(|(uptime, realtime)| ClockMap::from_header_ms(uptime, realtime))
}

fn header_clock(text: &[u8]) -> Option<(i64, i64)> {
    // The header is among the first lines; noise of the shell may stand before it.
    let line = lines(text).take(50).find(|line| line.starts_with(b"Uptime:"))?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let (Some("Uptime:"), Some(uptime)) = (words.next(), words.next()) else { return None };
    let (Some("Realtime:"), Some(realtime)) = (words.next(), words.next()) else { return None };
    let plausible =
        |text: &str| text.parse::<i64>().ok().filter(|ms| (0..=i64::MAX / 2_000_000).contains(ms));
    Some((plausible(uptime)?, plausible(realtime)?))
}

/// Reads every window that has a ring, visible ones first, then the one drawn last first. `answered_ns` is when the
/// dump was over on the frames' clock, where known: frames may have finished up to then.
///
/// Errors: [`Unreadable::Missing`] when no process or no window is there, [`Unreadable::Empty`] when the windows never
/// drew a frame through HWUI, [`Unreadable::Refused`] when the app could not answer, [`Unreadable::Garbled`] otherwise,
/// a dump without `framestats` included.
pub fn read_framestats(text: &[u8], answered_ns: Option<i64>) -> Result<Vec<Window>, Unreadable> {
    let text = decode(text);
    let header = header_clock(&text).map(|(uptime, _)| uptime * 1_000_000 + WHILE_DUMPING);
    let now = match (header, answered_ns) {
        (Some(header), Some(answered)) => Some(header.max(answered)),
        (Some(header), None) => Some(header),
        (None, answered) => answered,
    };
    let mut reader = Reader { now, ..Reader::default() };
    for line in lines(&text) {
        reader.line(line)?;
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    now: Option<i64>,
    windows: Vec<Window>,
    /// What is known of the window that comes next.
    next: Window,
    ring: Option<Ring>,
    refused: Option<String>,
    missing: Option<String>,
    first: Option<String>,
    seen: Seen,
}

#[derive(Default)]
struct Seen {
    title: bool,
    process: bool,
    root: bool,
    summary: bool,
}

struct Ring {
    header: Option<Header>,
    rows: Rows,
    window: Window,
    /// Opened by a fence, closed by one; otherwise a bare table that ends with its numbers.
    fenced: bool,
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), Unreadable> {
        if line.starts_with(farmjank_seams::sampling_loop::NOTE.as_bytes()) {
            return Err(Unreadable::Refused(
                refusal(line).map_or_else(|| shown(line), |refusal| refusal.what),
            ));
        }
        if self.ring.is_some() && self.in_ring(line) {
            return Ok(());
        }
        if self.first.is_none() && !line.trim_ascii().is_empty() {
            self.first = Some(shown(line));
        }
        match line {
            [b'\t', rest @ ..] => self.root(rest),
            _ if line.starts_with(FENCE) => self.open(None, true),
            _ if line.starts_with(b"Flags,") => self.open(Header::read(line), false),
            _ if line.starts_with(PROCESS) => self.process(&line[PROCESS.len()..]),
            _ if line.starts_with(b"Window: ") => self.titled(&line[b"Window: ".len()..]),
            _ if line.starts_with(b"Total frames rendered:") => self.total(line),
            _ if line.starts_with(TITLE) => self.seen.title = true,
            _ if line.starts_with(b"No process found for:") => self.missing = Some(shown(line)),
            _ => self.failure(line),
        }
        Ok(())
    }

    /// A line inside a ring. False when it belongs to what follows.
    fn in_ring(&mut self, line: &[u8]) -> bool {
        let Some(ring) = &mut self.ring else { return false };
        if line.starts_with(FENCE) {
            let fenced = ring.fenced;
            self.close();
            return fenced;
        }
        let data = line.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
        if line.starts_with(PROCESS) || (!ring.fenced && !data) {
            self.close();
            return false;
        }
        match &ring.header {
            None => ring.header = Header::read(line),
            // Nearly every line is a row, and a row is neither empty nor noise.
            Some(header) => match header.row(line) {
                Some(cells) => ring.rows.push(Some(&cells), self.now),
                None if line.trim_ascii().is_empty() || noise(line) => {}
                None => ring.rows.push(None, self.now),
            },
        }
        true
    }

    fn open(&mut self, header: Option<Header>, fenced: bool) {
        let Window { pid, ref process, .. } = self.next;
        let fresh = Window { pid, process: process.clone(), ..Window::default() };
        let window = std::mem::replace(&mut self.next, fresh);
        self.ring = Some(Ring { header, rows: Rows::default(), window, fenced });
    }

    fn close(&mut self) {
        let Some(Ring { header: Some(_), rows, mut window, .. }) = self.ring.take() else { return };
        if window.title.is_empty() {
            window.title = format!("window {}", self.windows.len() + 1);
        }
        if self.windows.len() < MOST_WINDOWS {
            rows.finish(&mut window);
            self.windows.push(window);
        }
    }

    fn process(&mut self, rest: &[u8]) {
        self.seen.process = true;
        let (pid, process) = read_process(rest);
        self.next = Window { pid, process, ..Window::default() };
    }

    /// `TITLE/CLASS@HASH (visibility=N)`: the view root of the window that follows.
    fn root(&mut self, line: &[u8]) {
        let Some(at) = find(line, b" (visibility=") else { return };
        let value = &line[at + b" (visibility=".len()..];
        self.seen.root = true;
        self.next.visibility = crate::text::integer(value).and_then(|(value, _)| u8::try_from(value).ok());
        let name = &line[..at.min(LONGEST_TITLE)];
        self.next.title = shown(title_and_hash(name).as_bytes());
    }

    /// `Window: TITLE`: the same title without the hash; only used where no view root was printed.
    fn titled(&mut self, title: &[u8]) {
        self.next.total_frames = None;
        if self.next.title.is_empty() {
            self.next.title = shown(&title[..title.len().min(LONGEST_TITLE)]);
        }
    }

    fn total(&mut self, line: &[u8]) {
        self.seen.summary = true;
        let digits = line.rsplit(|&byte| byte == b':').next().and_then(crate::text::whole_integer);
        self.next.total_frames = digits.and_then(|total| u64::try_from(total).ok());
    }

    fn failure(&mut self, line: &[u8]) {
        // Dumps hold titles and names the app chose: only lines that begin like a failure are taken for one.
        if self.refused.is_none() && !line.starts_with(b" ") {
            self.refused = refusal(line).map(|refusal| refusal.what);
        }
    }

    fn finish(mut self) -> Result<Vec<Window>, Unreadable> {
        self.close();
        if self.windows.is_empty() {
            return Err(self.nothing());
        }
        self.windows.sort_by_key(|window| std::cmp::Reverse((window.visible(), window.newest())));
        Ok(self.windows)
    }

    fn nothing(self) -> Unreadable {
        if let Some(refused) = self.refused {
            return Unreadable::Refused(refused);
        }
        if let Some(missing) = self.missing {
            return Unreadable::Missing(format!("the phone answered `{missing}`: the app is not running"));
        }
        if self.seen.summary {
            return Unreadable::Garbled(
                "a summary of gfxinfo without frames; ask with `dumpsys gfxinfo PACKAGE framestats`"
                    .to_owned(),
            );
        }
        if self.seen.root || (self.seen.title && self.seen.process) {
            return Unreadable::Empty(
                "HWUI drew no frame in this app: it has no window yet, or draws by itself (Flutter, Unity, games, video, \
                 web views); use the source surfaceflinger"
                    .to_owned(),
            );
        }
        if self.seen.title {
            return Unreadable::Missing("no process in the dump: the app is not running".to_owned());
        }
        Unreadable::Garbled(self.first.unwrap_or_else(|| "(nothing)".to_owned()))
    }
}

/// `com.foo/com.foo.Main/android.view.ViewRootImpl@73f2e63` becomes `com.foo/com.foo.Main@73f2e63`.
pub(super) fn title_and_hash(root: &[u8]) -> String {
    let root = String::from_utf8_lossy(root);
    let cut = root.rsplit_once('/').filter(|(_, class)| contains(class.as_bytes(), b"ViewRootImpl"));
    match cut {
        Some((title, class)) => {
            let hash = class.rsplit_once('@').map(|(_, hash)| hash).filter(|hash| !hash.is_empty());
            hash.map_or_else(|| title.to_owned(), |hash| format!("{title}@{hash}"))
        }
        None => root.into_owned(),
    }
}

/// `2101 [com.example.shop] **`: the process id, 0 where it is none, and the name.
pub(super) fn read_process(rest: &[u8]) -> (u32, String) {
    let rest = String::from_utf8_lossy(&rest[..rest.len().min(LONGEST_TITLE)]);
    let (pid, name) = rest.split_once(' ').unwrap_or((&rest, ""));
    let name = name.trim_start_matches('[').split(']').next().unwrap_or_default();
    (pid.parse().unwrap_or(0), shown(name.as_bytes()))
}
