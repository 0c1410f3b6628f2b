//! The bytes of a frame log: differences as variable-length integers, a byte or two for a frame on time.
//!
//! ```text
//! "fjstrip" version:u8 origin:zigzag bars:varint, then for each bar one varint
//!   token = zigzag(length - expected) << 1 | changed
//!   changed: a mask byte and, in the order of its bits, what is not as before:
//!     1 skip µs since the end of the bar before   2 what   4 phase   8 period ns   16 cadence
//!     32 vsyncs (else the cadence; 0 for what is no frame)   64 blame   128 stage
//! ```
//!
//! `expected` is vsyncs × period, rounded half up to µs; what, phase, period and cadence stay until they change.
//! Reading is bounded by the file: a bar takes a byte at least.

use super::{Bar, FrameLog, MOST_PERIOD_NS, MOST_US, MOST_VSYNCS, What};
use crate::frame_timeline::JankOwner;
use crate::metrics::STAGE_NAMES;
use crate::motion::Phase;
use crate::time::DeviceTime;
use crate::window::Why;
use farmjank_leaf::varint::{self, unzigzag, zigzag};
use std::fmt;

/// Version of the format.
pub const VERSION: u8 = 1;
/// Largest frame log read.
pub const MOST_BYTES: usize = 16 << 20;
const MAGIC: &[u8] = b"fjstrip";

const SKIP: u8 = 1;
const WHAT: u8 = 2;
const PHASE: u8 = 4;
const PERIOD: u8 = 8;
const CADENCE: u8 = 16;
const VSYNCS: u8 = 32;
const BLAME: u8 = 64;
const STAGE: u8 = 128;

const WHATS: [What; 4] =
    [What::Frame, What::Uncounted(Why::Idle), What::Uncounted(Why::Ambiguous), What::Uncounted(Why::Gap)];
const PHASES: [Phase; 4] = [Phase::Finger, Phase::Fling, Phase::Scroll, Phase::Free];

/// Why bytes are no frame log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damaged {
    /// They begin otherwise, or with a version not known here.
    NotOne,
    /// They are larger than any frame log.
    TooLarge,
    /// They end before their last bar, or go on after it.
    Torn,
    /// This bar (from 0) cannot be.
    Bar(usize),
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damaged::NotOne => write!(f, "no frame log of version {VERSION}"),
            Damaged::TooLarge => write!(f, "larger than {} MiB", MOST_BYTES >> 20),
            Damaged::Torn => f.write_str("cut off or added to"),
            Damaged::Bar(nth) => write!(f, "damaged at frame {nth}"),
        }
    }
}

/// What stays until it changes.
struct State {
    end: u64,
    what: What,
    phase: Phase,
    period: u64,
    cadence: u32,
}

impl State {
    const NEW: State = State { end: 0, what: What::Frame, phase: Phase::Finger, period: 0, cadence: 1 };

    fn vsyncs(&self) -> u32 {
        if self.what == What::Frame { self.cadence } else { 0 }
    }
}

/// The length of so many vsyncs in µs, rounded half up.
fn expected(vsyncs: u32, period: u64) -> u64 {
    (u64::from(vsyncs) * period + 500) / 1000
}

impl FrameLog {
    /// The frame log as bytes. The same frame log gives the same bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(24 + self.bars.len() * 3);
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        varint::write(&mut out, zigzag(self.origin.ns()));
        varint::write(&mut out, self.bars.len() as u64);
        let mut state = State::NEW;
        for bar in &self.bars {
            put(&mut out, &mut state, bar);
        }
        out
    }

    /// A frame log from bytes of anyone.
    ///
    /// ```
    /// # use farmjank_results::frame_log::FrameLog;
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/evidence/job-0/trial-0/");
    /// let bytes = std::fs::read(format!("{folder}/0-fling-the-feed.strip"))?;
    /// let frames = FrameLog::decode(&bytes).map_err(|why| why.to_string())?;
    /// for frame in frames.bars.iter().filter(|frame| frame.late() > 0) {
    ///     println!("at {} ms a frame came {} vsyncs late", frame.to_us() / 1000, frame.late());
    /// }
    /// # assert!(frames.bars.iter().any(|frame| frame.late() > 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When they are not what [`FrameLog::encode`] writes.
    pub fn decode(bytes: &[u8]) -> Result<FrameLog, Damaged> {
        if bytes.len() > MOST_BYTES {
            return Err(Damaged::TooLarge);
        }
        let body = bytes.strip_prefix(MAGIC).ok_or(Damaged::NotOne)?;
        let mut reader = Reader { left: body };
        if reader.byte() != Some(VERSION) {
            return Err(Damaged::NotOne);
        }
        let origin = reader.varint().map(unzigzag).ok_or(Damaged::Torn)?;
        let count = reader.varint().and_then(|count| usize::try_from(count).ok()).ok_or(Damaged::Torn)?;
        if count > reader.left.len() {
            return Err(Damaged::Torn);
        }
        let mut bars = Vec::with_capacity(count);
        let mut state = State::NEW;
        for nth in 0..count {
            match reader.bar(&mut state) {
                Some(bar) => bars.push(bar),
                None if reader.left.is_empty() => return Err(Damaged::Torn),
                None => return Err(Damaged::Bar(nth)),
            }
        }
        if !reader.left.is_empty() {
            return Err(Damaged::Torn);
        }
        Ok(FrameLog { origin: DeviceTime::from_ns(origin), bars })
    }
}

fn put(out: &mut Vec<u8>, state: &mut State, bar: &Bar) {
    let mut mask = 0;
    let mut set = |bit: u8, changed: bool| mask |= if changed { bit } else { 0 };
    let skip = bar.from_us.saturating_sub(state.end);
    set(SKIP, skip > 0);
    set(WHAT, bar.what != state.what);
    set(PHASE, bar.phase != state.phase);
    set(PERIOD, bar.period_ns != state.period);
    set(CADENCE, bar.cadence != state.cadence);
    *state = State {
        end: bar.to_us(),
        what: bar.what,
        phase: bar.phase,
        period: bar.period_ns,
        cadence: bar.cadence,
    };
    set(VSYNCS, bar.vsyncs != state.vsyncs());
    set(BLAME, bar.owner.is_some());
    set(STAGE, bar.stage.is_some());
    let off = bar.length_us as i64 - expected(bar.vsyncs, bar.period_ns) as i64;
    varint::write(out, zigzag(off) << 1 | u64::from(mask != 0));
    if mask == 0 {
        return;
    }
    out.push(mask);
    let place = |found: Option<usize>| found.unwrap_or(0) as u8;
    if mask & SKIP != 0 {
        varint::write(out, skip);
    }
    if mask & WHAT != 0 {
        out.push(place(WHATS.iter().position(|what| *what == bar.what)));
    }
    if mask & PHASE != 0 {
        out.push(place(PHASES.iter().position(|phase| *phase == bar.phase)));
    }
    if mask & PERIOD != 0 {
        varint::write(out, bar.period_ns);
    }
    if mask & CADENCE != 0 {
        varint::write(out, u64::from(bar.cadence));
    }
    if mask & VSYNCS != 0 {
        varint::write(out, u64::from(bar.vsyncs));
    }
    if let Some(owner) = bar.owner {
        out.push(place(JankOwner::ALL.iter().position(|one| *one == owner)));
    }
    out.extend(bar.stage);
}

struct Reader<'b> {
    left: &'b [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(*first)
    }

    /// Each number has one form.
    fn varint(&mut self) -> Option<u64> {
        varint::take(&mut self.left)
    }

    fn small(&mut self, most: u32) -> Option<u32> {
        u32::try_from(self.varint()?).ok().filter(|value| *value <= most)
    }

    fn bar(&mut self, state: &mut State) -> Option<Bar> {
        let token = self.varint()?;
        let mask = if token & 1 == 1 { self.byte().filter(|mask| *mask != 0)? } else { 0 };
        let has = |bit: u8| mask & bit != 0;
        let skip = if has(SKIP) { self.varint()? } else { 0 };
        if has(WHAT) {
            state.what = *WHATS.get(usize::from(self.byte()?))?;
        }
        if has(PHASE) {
            state.phase = *PHASES.get(usize::from(self.byte()?))?;
        }
        if has(PERIOD) {
            state.period = self.varint().filter(|period| *period < MOST_PERIOD_NS)?;
        }
        if has(CADENCE) {
            state.cadence = self.small(MOST_VSYNCS)?;
        }
        let vsyncs = if has(VSYNCS) { self.small(MOST_VSYNCS)? } else { state.vsyncs() };
        let owner = if has(BLAME) { Some(*JankOwner::ALL.get(usize::from(self.byte()?))?) } else { None };
        let known = |stage: &u8| usize::from(*stage) <= STAGE_NAMES.len();
        let stage = if has(STAGE) { Some(self.byte().filter(known)?) } else { None };
        let off = unzigzag(token >> 1);
        let expected = i64::try_from(expected(vsyncs, state.period)).ok()?;
        let length_us = u64::try_from(expected.checked_add(off)?).ok().filter(|length| *length < MOST_US)?;
        let from_us = state.end.checked_add(skip).filter(|from| *from < MOST_US)?;
        state.end = from_us + length_us;
        let State { what, phase, period: period_ns, cadence, .. } = *state;
        Some(Bar { from_us, length_us, what, phase, period_ns, vsyncs, cadence, owner, stage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bars() -> impl Strategy<Value = Vec<Bar>> {
        let phase = prop::sample::select(PHASES.to_vec());
        let period = prop_oneof![Just(0), Just(8_333_333), Just(16_666_667), 0..MOST_PERIOD_NS];
        let vsyncs = prop_oneof![5 => Just(1u32), 1 => 0..=MOST_VSYNCS];
        let owner = prop::option::weighted(0.1, prop::sample::select(JankOwner::ALL.to_vec()));
        let stage = prop::option::weighted(0.1, 0u8..=10);
        let cadence = prop_oneof![3 => Just(1u32), 1 => 0..=MOST_VSYNCS];
        let what = prop::sample::select(WHATS.to_vec());
        let length = prop_oneof![3 => 16_000u64..17_400, 1 => 0..(1u64 << 36)];
        let skip = prop_oneof![3 => Just(0u64), 1 => 0..(1u64 << 36)];
        let bar = (skip, length, what, phase, period, vsyncs, cadence, (owner, stage));
        prop::collection::vec(bar, 0..60).prop_map(|parts| {
            let mut end = 0;
            let bar = |(skip, length_us, what, phase, period_ns, vsyncs, cadence, (owner, stage))| {
                let from_us = end + skip;
                end = from_us + length_us;
                Bar { from_us, length_us, what, phase, period_ns, vsyncs, cadence, owner, stage }
            };
            parts.into_iter().map(bar).collect()
        })
    }

    fn frame(nth: u64, jitter: u64) -> Bar {
        Bar {
            from_us: nth * 16_700,
            length_us: 16_700 - jitter,
            what: What::Frame,
            phase: Phase::Fling,
            period_ns: 16_666_667,
            vsyncs: 1,
            cadence: 1,
            owner: None,
            stage: None,
        }
    }

    #[test]
    fn frames_on_time_take_a_byte_or_two() {
        let bars: Vec<Bar> = (0..1000).map(|nth| Bar { length_us: 16_700, ..frame(nth, 0) }).collect();
        let bytes = FrameLog { origin: DeviceTime::from_ns(1 << 50), bars }.encode();
        assert!(bytes.len() < 2_100, "{}", bytes.len());
    }

    #[test]
    fn what_is_no_strip_is_refused_in_words() {
        let whole =
            FrameLog { origin: DeviceTime::from_ns(-7), bars: (0..3).map(|nth| frame(nth, nth)).collect() };
        let bytes = whole.encode();
        for end in 0..bytes.len() {
            assert!(FrameLog::decode(&bytes[..end]).is_err(), "cut at {end}");
        }
        assert_eq!(FrameLog::decode(&[&bytes[..], &[0]].concat()), Err(Damaged::Torn));
        let mut newer = bytes.clone();
        newer[MAGIC.len()] = 2;
        assert_eq!(FrameLog::decode(&newer), Err(Damaged::NotOne));
        // A count of 2^63 bars costs nothing.
        let mut many = MAGIC.to_vec();
        many.extend([VERSION, 0]);
        varint::write(&mut many, 1 << 63);
        assert_eq!(FrameLog::decode(&many), Err(Damaged::Torn));
        assert_eq!(FrameLog::decode(&vec![0; MOST_BYTES + 1]), Err(Damaged::TooLarge));
    }

    proptest! {
        #[test]
        fn every_strip_comes_back(origin in any::<i64>(), bars in bars()) {
            let frame_log = FrameLog { origin: DeviceTime::from_ns(origin), bars };
            prop_assert_eq!(FrameLog::decode(&frame_log.encode()), Ok(frame_log));
        }

        #[test]
        fn bytes_of_anyone_are_read_or_refused(tail in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = MAGIC.to_vec();
            bytes.push(VERSION);
            bytes.extend(tail);
            if let Ok(frame_log) = FrameLog::decode(&bytes) {
                prop_assert!(frame_log.bars.len() <= bytes.len());
                // What was understood is written the same way again, but for marks of what did not change.
                prop_assert_eq!(FrameLog::decode(&frame_log.encode()), Ok(frame_log));
            }
        }
    }
}
