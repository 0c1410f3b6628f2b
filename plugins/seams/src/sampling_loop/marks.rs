//! Marks that a shell loop prints around its dumps, so that one stream of lines can be cut into stamped dumps.
//!
//! A mark is a line `@fj:NONCE b INDEX UPTIME` before a dump and `@fj:NONCE e INDEX UPTIME STATUS` after it; UPTIME is
//! the first number of `/proc/uptime` (CLOCK_BOOTTIME, seconds with two decimals). The nonce is a hash of what is asked
//! for and a counter: text that a phone or an app chose beforehand cannot contain it. No randomness: one seed, one
//! script. Must not know: what the dumps are.

use farmjank_leaf::hash::Fnv;
use farmjank_results::time::{BootTime, Span};

/// Begins the lines that farmjank itself adds to a dump that did not end as it should.
pub const NOTE: &str = "@fj: ";

/// Shell commands to run in turn, with marks around each.
#[derive(Clone, Debug)]
pub struct Script {
    commands: Vec<String>,
    marker: Marker,
}

impl Script {
    /// A script that runs these commands in turn. Everything foreign in them is quoted already.
    pub fn new(commands: Vec<String>, seed: u64) -> Self {
        let marker = Marker::new(commands.iter().map(String::as_bytes), seed);
        Script { commands, marker }
    }

    /// The marker its output is cut by.
    pub fn marker(&self) -> &Marker {
        &self.marker
    }

    /// One cycle: every command once, stamped. Uses only what every phone's shell has built in.
    pub fn once(&self) -> String {
        let prefix = &self.marker.prefix;
        let cycle = self.commands.iter().enumerate().map(|(index, command)| {
            format!(
                "read a x </proc/uptime; echo \"{prefix}b {index} $a\"; {command} 2>&1; s=$?; \
                 read b x </proc/uptime; echo \"{prefix}e {index} $b $s\"; "
            )
        });
        let mut line: String = cycle.collect();
        line.truncate(line.trim_end_matches("; ").len());
        line
    }

    /// Cycles for ever, with a pause between the end of one and the start of the next.
    pub fn endless(&self, pause: Span) -> String {
        let pause = pause.ns().max(0) / 1_000_000;
        format!("while :; do {}; sleep {}.{:03}; done", self.once(), pause / 1000, pause % 1000)
    }
}

/// What begins a mark in this script's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    prefix: String,
}

/// A mark found in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A dump begins.
    Begin { index: usize, at: Option<BootTime> },
    /// A dump has ended with this exit status.
    End { index: usize, at: Option<BootTime>, status: Option<i32> },
}

impl Marker {
    fn new<'a>(texts: impl Iterator<Item = &'a [u8]>, seed: u64) -> Self {
        let hash = texts.fold(Fnv::NOTHING.and(seed.to_le_bytes()), |hash, text| hash.part(text));
        Marker { prefix: format!("@fj:{} ", hash.hex()) }
    }

    /// Where the first line starts that may hold a mark: what lies before it holds none. The length of the text where
    /// no line does.
    pub(super) fn first_line(&self, lines: &[u8]) -> usize {
        let begins = |at: &usize| lines[*at..].starts_with(self.prefix.as_bytes());
        let Some(at) = memchr::memchr_iter(b'@', lines).find(begins) else { return lines.len() };
        memchr::memrchr(b'\n', &lines[..at]).map_or(0, |end| end + 1)
    }

    /// Finds a mark at the end of a line: the mark, and where it starts. Text before it belongs to the dump (a command
    /// that did not end its last line).
    pub(super) fn find(&self, line: &[u8]) -> Option<(Mark, usize)> {
        let mut end = line.len();
        // The last `@` that begins a whole mark. Lines of dumps rarely hold any `@` at all.
        while let Some(at) = memchr::memrchr(b'@', &line[..end]) {
            if let Some(rest) = line[at..].strip_prefix(self.prefix.as_bytes())
                && let Some(mark) = parse(rest)
            {
                return Some((mark, at));
            }
            end = at;
        }
        None
    }
}

fn parse(rest: &[u8]) -> Option<Mark> {
    let rest = std::str::from_utf8(rest.trim_ascii_end()).ok()?;
    let mut fields = rest.split(' ');
    let kind = fields.next()?;
    let index = fields.next()?.parse().ok()?;
    let at = fields.next().unwrap_or_default();
    let last = fields.next();
    if fields.next().is_some() {
        return None;
    }
    match (kind, last) {
        ("b", None) => Some(Mark::Begin { index, at: uptime(at) }),
        ("e", status) => {
            Some(Mark::End { index, at: uptime(at), status: status.and_then(|text| text.parse().ok()) })
        }
        _ => None,
    }
}

/// `SECONDS.FRACTION` as printed in `/proc/uptime`, at most nine digits on either side.
pub fn uptime(text: &str) -> Option<BootTime> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let fraction: i64 = part.parse().ok()?;
    let scale = 10_i64.pow(9 - u32::try_from(part.len()).ok()?);
    Some(BootTime::from_ns(seconds * 1_000_000_000 + fraction * scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        Script::new(vec!["dumpsys A 'x'".into(), "dumpsys B".into()], 7)
    }

    #[test]
    fn the_script_is_plain_shell_and_the_same_for_the_same_seed() {
        let prefix = &script().marker.prefix.clone();
        assert_eq!(
            script().once(),
            format!(
                "read a x </proc/uptime; echo \"{prefix}b 0 $a\"; dumpsys A 'x' 2>&1; s=$?; \
                 read b x </proc/uptime; echo \"{prefix}e 0 $b $s\"; \
                 read a x </proc/uptime; echo \"{prefix}b 1 $a\"; dumpsys B 2>&1; s=$?; \
                 read b x </proc/uptime; echo \"{prefix}e 1 $b $s\""
            )
        );
        let endless = script().endless(Span::from_ms(1330));
        assert!(endless.starts_with("while :; do read a x </proc/uptime; "), "{endless}");
        assert!(endless.ends_with(" $s\"; sleep 1.330; done"), "{endless}");
        assert_eq!(script().marker(), script().marker());
        assert_ne!(script().marker(), Script::new(script().commands, 8).marker());
    }

    #[test]
    fn marks_are_found_at_the_end_of_a_line_and_nowhere_else() {
        let script = script();
        let line = |text: &str| text.replace('@', &script.marker.prefix).into_bytes();
        let at = |ns| Some(BootTime::from_ns(ns));
        let find = |text: &str| script.marker.find(&line(text)).map(|(mark, _)| mark);
        assert_eq!(find("@b 1 12.34"), Some(Mark::Begin { index: 1, at: at(12_340_000_000) }));
        assert_eq!(
            find("@e 0 12.34 0\r"),
            Some(Mark::End { index: 0, at: at(12_340_000_000), status: Some(0) })
        );
        assert_eq!(find("@b 1 "), Some(Mark::Begin { index: 1, at: None }));
        assert_eq!(find("@e 0  127"), Some(Mark::End { index: 0, at: None, status: Some(127) }));
        assert_eq!(script.marker.find(&line("tail@b 0 1.5")).map(|(_, at)| at), Some(4));
        for wrong in ["@b x 1.0", "@c 0 1.0", "@b 0 1.0 more", "@", "b 0 1.0"] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
        assert_eq!(script.marker.find(b"@fj:0000000000000000 b 0 1.0"), None);
    }

    #[test]
    fn uptimes_are_exact() {
        assert_eq!(uptime("350735.47"), Some(BootTime::from_ns(350_735_470_000_000)));
        assert_eq!(uptime("0.00"), Some(BootTime::from_ns(0)));
        for wrong in ["", "-1.0", "1.", ".5", "99999999999.0", "1.2.3", "nan"] {
            assert_eq!(uptime(wrong), None, "{wrong}");
        }
    }
}
