//! The words of a timestats dump: which names are counters, and how a histogram line is read.
//!
//! Must not know: blocks, releases.

use crate::text::{integer, whole_integer};
use std::collections::BTreeMap;

/// Counters kept per layer and in all, by the platform's own names.
const COUNTERS: [&str; 11] = [
    "totalTimelineFrames",
    "jankyFrames",
    "sfLongCpuJankyFrames",
    "sfLongGpuJankyFrames",
    "sfUnattributedJankyFrames",
    "appUnattributedJankyFrames",
    "sfSchedulingJankyFrames",
    "sfPredictionErrorJankyFrames",
    "appBufferStuffingJankyFrames",
    "lateAcquireFrames",
    "badDesiredPresentFrames",
];

/// Longest bucket believed, ms: the platform's own is 1000.
const LARGEST_BUCKET: i64 = 100_000;
/// Most buckets kept: the platform has 85.
const MOST_BUCKETS: usize = 256;

/// A counter's own name, when the line is of one.
pub(super) fn counter(name: &[u8]) -> Option<&'static str> {
    COUNTERS.into_iter().find(|known| known.as_bytes() == name)
}

/// `name = value` and `name= value`; values are not cut further.
pub(super) fn pair(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == b'=')?;
    Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
}

/// A count: digits, and a unit behind them at most (`1234 ms`).
pub(super) fn count(value: &[u8]) -> Option<u64> {
    let (number, length) = integer(value)?;
    let rest = value.get(length..).unwrap_or_default();
    (rest.is_empty() || rest[0] == b' ').then_some(number).and_then(|number| u64::try_from(number).ok())
}

/// A histogram as far as it was printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Histogram {
    /// Bucket in ms → frames; empty buckets are left out.
    pub(super) buckets: BTreeMap<u32, u64>,
    /// Buckets were left out of the text (`(...)`), or cannot be read.
    pub(super) cut: bool,
}

impl Histogram {
    /// Adds one printed line; false when the line is none of a histogram.
    pub(super) fn line(&mut self, line: &[u8]) -> bool {
        if !line.first().is_some_and(u8::is_ascii_digit) {
            return false;
        }
        for token in line.split(|byte| byte.is_ascii_whitespace()).filter(|token| !token.is_empty()) {
            match bucket(token) {
                Some((_, 0)) => {}
                Some((bucket, frames)) if self.buckets.len() < MOST_BUCKETS => {
                    let sum = self.buckets.entry(bucket).or_default();
                    *sum = sum.saturating_add(frames);
                }
                _ => self.cut = true,
            }
        }
        true
    }
}

/// `16ms=850`
fn bucket(token: &[u8]) -> Option<(u32, u64)> {
    let (ms, length) = integer(token)?;
    let frames = whole_integer(token.get(length..)?.strip_prefix(b"ms=")?)?;
    let ms = u32::try_from(ms).ok().filter(|ms| i64::from(*ms) <= LARGEST_BUCKET)?;
    Some((ms, u64::try_from(frames).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_pair_are_read() {
        assert_eq!(pair(b"totalFrames = 28"), Some((&b"totalFrames"[..], &b"28"[..])));
        assert_eq!(pair(b"totalFrames= 28"), Some((&b"totalFrames"[..], &b"28"[..])));
        assert_eq!(pair(b"packageName ="), Some((&b"packageName"[..], &b""[..])));
        assert_eq!(pair(b"no pair"), None);
        assert_eq!(
            (count(b"12 ms"), count(b"12"), count(b"12x"), count(b"-1")),
            (Some(12), Some(12), None, None)
        );
    }

    #[test]
    fn histograms_keep_what_is_not_empty_and_know_what_was_left_out() {
        let mut whole = Histogram::default();
        assert!(whole.line(b"0ms=0 8ms=3 16ms=850 "));
        assert!(whole.line(b"1000ms=2"));
        assert!(!whole.line(b"latch2present histogram is as below:") && !whole.line(b""));
        assert_eq!(whole.buckets, BTreeMap::from([(8, 3), (16, 850), (1000, 2)]));
        assert!(!whole.cut);
        for broken in
            [&b"0ms=0 1ms=4 (...)"[..], b"1ms=x", b"1ms=-4", b"5000000000ms=1", b"16ms=99999999999999999999"]
        {
            let mut cut = Histogram::default();
            assert!(cut.line(broken) && cut.cut, "{}", String::from_utf8_lossy(broken));
        }
    }
}
