//! Reads the text of `dumpsys SurfaceFlinger --latency LAYER` as every release from Android 7 on prints it.
//!
//! A period line, then rows of three integers: desired present, actual present, frame ready (ns, CLOCK_MONOTONIC), a
//! blank line after each layer. The classic engine prints 127 rows, unfilled ones as zeros; the engine of 15 QPR2 and
//! newer prints only what its 64-frame history holds, dropped frames with present 0. Both are told apart by the text.
//! Must not know: layers, phones, marks. Never allocates per line.

use crate::refusal::{noise, refusal};
use crate::text::{Integers, decode, lines, shown, whole_integer};
use farmjank_results::frame::{Row, Sample, Stamp};
use farmjank_results::time::{DeviceTime, Span};
use farmjank_seams::source::Unreadable;

/// Rows the classic engine always prints.
pub const CLASSIC_ROWS: u32 = 127;
/// Layers of one dump whose rings get their room at once.
const LAYERS: usize = 16;
/// Display frames the newer engine keeps.
pub const HISTORY_ROWS: u32 = 64;

/// What stands for a fence that has not signalled yet.
const PENDING: i64 = i64::MAX;
/// Periods a display can have, ns: 2000 Hz to once in two seconds. Anything else says nothing.
const PERIODS: std::ops::RangeInclusive<i64> = 500_000..=2_000_000_000;
/// A bare integer below this begins another dump; above, it is the first column of a row that was cut short.
const LARGEST_HEADER: i64 = 10_000_000_000;

/// The rows of one ring in one dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Which dump of the text, from 0: a file may hold several dumps one after another.
    pub dump: u32,
    /// Which block of its dump, from 0: Android 7 prints one for each layer of the same name.
    pub nth: u32,
    /// The period line, where it is a period.
    pub period: Option<Span>,
    /// Frames in print order.
    pub rows: Vec<Row>,
    /// Rows of zeros: never filled, or cleared.
    pub zero_rows: u32,
    /// Rows with a bad fence or a wrong number of columns.
    pub invalid_rows: u32,
    /// Frames that were dropped before they were presented (newer engine).
    pub ignored_rows: u32,
}

impl Block {
    /// Rows printed, of whatever kind.
    pub fn printed(&self) -> u32 {
        self.rows.len() as u32 + self.zero_rows + self.invalid_rows + self.ignored_rows
    }

    /// Rows this ring can print at most: 127, or what was printed but no less than the newer engine's 64.
    pub fn capacity(&self) -> u32 {
        self.printed().max(HISTORY_ROWS)
    }

    /// Whether this comes from the classic engine, which always prints 127 rows.
    pub fn classic(&self) -> bool {
        self.printed() == CLASSIC_ROWS
    }

    /// Whether every row is zero: a layer that never got a buffer.
    pub fn hollow(&self) -> bool {
        self.zero_rows > 0 && self.zero_rows == self.printed()
    }

    /// The block as a sample of its ring, with the phone's clock before and after the dump.
    pub fn into_sample(self, asked: Option<DeviceTime>, answered: Option<DeviceTime>) -> Sample {
        Sample {
            asked,
            answered,
            period: self.period,
            zero_rows: self.zero_rows,
            invalid_rows: self.invalid_rows,
            ignored_rows: self.ignored_rows,
            capacity: self.capacity(),
            completions: false,
            rows: self.rows,
            framestats: Vec::new(),
            aside: Vec::new(),
        }
    }
}

/// Reads every block of the text. At least one block comes back, and at least one of them is not hollow.
///
/// Errors: [`Unreadable::Missing`] for a period without rows, [`Unreadable::Empty`] when every row is zero,
/// [`Unreadable::Refused`] for a known failure text anywhere, [`Unreadable::Garbled`] for any other text.
pub fn read_latency(text: &[u8]) -> Result<Vec<Block>, Unreadable> {
    let blocks = read_blocks(text)?;
    if blocks.iter().all(|block| block.printed() == 0) {
        return Err(Unreadable::Missing(
            "only the refresh period, no row: there is no layer of that name, or none was named".to_owned(),
        ));
    }
    if blocks.iter().all(Block::hollow) {
        return Err(Unreadable::Empty(
            "every row is zero: the layer is a container that never gets a buffer, or nothing was drawn yet"
                .to_owned(),
        ));
    }
    Ok(blocks)
}

/// Reads every block of the text, also where none holds a frame: a period without rows is one block without rows.
///
/// Errors: as [`read_latency`], but neither [`Unreadable::Missing`] nor [`Unreadable::Empty`].
pub(crate) fn read_blocks(text: &[u8]) -> Result<Vec<Block>, Unreadable> {
    let text = decode(text);
    let mut reader = Reader::default();
    let mut integers = Integers::default();
    let mut rest = text.as_ref();
    while !rest.is_empty() {
        rest = match reader.seen_header.then(|| row(rest, &mut integers)).flatten() {
            Some((values, length)) => {
                reader.row(values);
                &rest[length..]
            }
            None => {
                let line = lines(rest).next().unwrap_or_default();
                reader.other(line)?;
                let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                rest.get(end + 1..).unwrap_or_default()
            }
        };
    }
    reader.finish()
}

/// A row of three integers at the start of the text, and its length including the line end.
#[inline]
fn row(text: &[u8], integers: &mut Integers) -> Option<([i64; 3], usize)> {
    let mut values = [0; 3];
    let mut at = 0;
    for (column, value) in values.iter_mut().enumerate() {
        let start = at;
        while matches!(text.get(at), Some(b'\t' | b' ')) {
            at += 1;
        }
        if column > 0 && at == start {
            return None;
        }
        let (read, length) = integers.next(&text[at..])?;
        *value = read;
        at += length;
    }
    loop {
        match text.get(at) {
            None => return Some((values, at)),
            Some(b'\n') => return Some((values, at + 1)),
            Some(b'\t' | b' ' | b'\r') => at += 1,
            Some(_) => return None,
        }
    }
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    current: Block,
    seen_header: bool,
    misshapen: Option<String>,
    read_any: bool,
}

impl Reader {
    #[inline]
    fn row(&mut self, [desired, present, ready]: [i64; 3]) {
        let block = &mut self.current;
        // An app has some layers; who prints thousands of rings gets no room in advance.
        if block.rows.capacity() == 0 && self.blocks.len() < LAYERS {
            block.rows.reserve_exact(CLASSIC_ROWS as usize);
        }
        self.read_any = true;
        let time = |value: i64| (value > 0 && value != PENDING).then(|| DeviceTime::from_ns(value));
        let present = match present {
            0 if desired > 0 => {
                block.ignored_rows += 1;
                return;
            }
            0 => {
                block.zero_rows += 1;
                return;
            }
            PENDING => Stamp::Pending,
            value if value < 0 => {
                block.invalid_rows += 1;
                return;
            }
            value => Stamp::At(DeviceTime::from_ns(value)),
        };
        block.rows.push(Row { present, desired: time(desired), ready: time(ready), intended: None });
    }

    /// A line that is not a row of three integers.
    fn other(&mut self, line: &[u8]) -> Result<(), Unreadable> {
        if line.trim_ascii().is_empty() {
            // Only the classic engine prints several layers, each with all its rows; any other blank line is spacing
            // that an editor or a terminal added.
            if self.current.classic() {
                self.end_block();
            }
            return Ok(());
        }
        if let Some(value) = whole_integer(line).filter(|value| (0..LARGEST_HEADER).contains(value)) {
            self.header(value);
            return Ok(());
        }
        if noise(line) {
            return Ok(());
        }
        if let Some(refusal) = refusal(line) {
            return Err(Unreadable::Refused(refusal.what));
        }
        let numeric = line.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'\t' | b' '));
        if self.seen_header && numeric {
            self.current.invalid_rows += 1;
            self.misshapen.get_or_insert_with(|| shown(line));
            return Ok(());
        }
        Err(Unreadable::Garbled(shown(line)))
    }

    fn header(&mut self, value: i64) {
        self.end_block();
        let dump = if self.seen_header { self.current.dump + 1 } else { 0 };
        let period = PERIODS.contains(&value).then(|| Span::from_ns(value));
        self.current = Block { dump, period, ..Block::default() };
        self.seen_header = true;
    }

    fn end_block(&mut self) {
        if self.current.printed() > 0 {
            let Block { dump, nth, period, .. } = self.current;
            let next = Block { dump, nth: nth + 1, period, ..Block::default() };
            self.blocks.push(std::mem::replace(&mut self.current, next));
        }
    }

    fn finish(mut self) -> Result<Vec<Block>, Unreadable> {
        self.end_block();
        if !self.seen_header {
            return Err(Unreadable::Garbled("(nothing)".to_owned()));
        }
        if self.blocks.is_empty() {
            self.blocks.push(self.current);
        }
        if let Some(line) = self.misshapen.filter(|_| !self.read_any) {
            return Err(Unreadable::Garbled(line));
        }
        Ok(self.blocks)
    }
}
