//! What a `perf.data` file counts (`perf_event_attr`), and which fields its records have by that.

use super::bytes::{Bytes, section};

/// Bits of `sample_type`.
const IP: u64 = 1;
const TID: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const ADDRESS: u64 = 1 << 3;
const READ: u64 = 1 << 4;
const CALLCHAIN: u64 = 1 << 5;
const ID: u64 = 1 << 6;
const CPU: u64 = 1 << 7;
const PERIOD: u64 = 1 << 8;
const STREAM_ID: u64 = 1 << 9;
const IDENTIFIER: u64 = 1 << 16;
/// Bit of the flags: records that are no samples end with when and whose they are.
const SAMPLE_ID_ALL: u64 = 1 << 18;
/// Software events that count ns: `cpu-clock` and `task-clock`.
const SOFTWARE: u32 = 1;
const CLOCKS: [u64; 2] = [0, 1];
/// Most events one file counts.
const MOST: usize = 256;

/// One thing that is counted.
#[derive(Clone, Debug)]
pub struct Attribute {
    kind: u32,
    config: u64,
    sample_type: u64,
    read_format: u64,
    all_have_ids: bool,
    ids: Vec<u64>,
}

/// One sample.
#[derive(Clone, Copy, Debug)]
pub struct SampleRecord<'a> {
    /// Process.
    pub process: i32,
    /// Thread.
    pub thread: i32,
    /// When, ns.
    pub at: i64,
    /// What was counted since the one before.
    pub period: Option<u64>,
    /// Where it was: the first of `calls`, where there are any.
    pub ip: u64,
    /// Addresses, the innermost first, eight bytes each, between marks of whose they are.
    pub calls: &'a [u8],
}

/// When something else than a sample was, and of whom.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Process.
    pub process: i32,
    /// Thread.
    pub thread: i32,
    /// When, ns.
    pub at: i64,
}

/// Everything that is counted.
#[derive(Clone, Debug)]
pub struct Attributes(Vec<Attribute>);

impl Attributes {
    /// Reads the section of a file: entries of `entry` bytes, each with the place of its ids at its end.
    pub fn read(file: &[u8], attributes: &[u8], entry: u64) -> Option<Attributes> {
        let entry = usize::try_from(entry).ok().filter(|entry| *entry >= 48 + 16)?;
        let one = |entry: &[u8]| {
            let mut bytes = Bytes(entry);
            let (kind, _size, config, _period) = (bytes.u32()?, bytes.u32()?, bytes.u64()?, bytes.u64()?);
            let (sample_type, read_format, flags) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
            let mut ids = Bytes(entry.get(entry.len() - 16..)?);
            let ids = section(file, ids.u64()?, ids.u64()?)?;
            let ids = ids.chunks_exact(8).filter_map(|id| Bytes(id).u64()).collect();
            let all_have_ids = flags & SAMPLE_ID_ALL != 0;
            Some(Attribute { kind, config, sample_type, read_format, all_have_ids, ids })
        };
        let all: Option<Vec<Attribute>> = attributes.chunks_exact(entry).take(MOST).map(one).collect();
        all.filter(|all| !all.is_empty()).map(Attributes)
    }

    /// What a sample is one of.
    pub fn of_sample(&self, body: &[u8]) -> Option<&Attribute> {
        let first = self.0.first()?;
        if self.0.len() == 1 {
            return Some(first);
        }
        // Every sample has its id at the same place, whatever else it has.
        let before = match first.sample_type & IDENTIFIER {
            0 => {
                [IP, TID, TIME, ADDRESS].iter().filter(|bit| first.sample_type & **bit != 0).count() as u64
                    * 8
            }
            _ => 0,
        };
        let mut bytes = Bytes(body);
        bytes.take(before)?;
        let id = bytes.u64()?;
        self.0.iter().find(|one| one.ids.contains(&id))
    }

    /// When a record that is no sample was, and of whom; none where it does not say.
    pub fn stamp(&self, body: &[u8]) -> Option<Stamp> {
        let first = self.0.first().filter(|first| first.all_have_ids)?;
        let has = |bit: u64| first.sample_type & bit != 0;
        let length = [TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER].iter().filter(|bit| has(**bit)).count() * 8;
        let mut bytes = Bytes(body.get(body.len().checked_sub(length)?..)?);
        let (process, thread) = if has(TID) { (bytes.i32()?, bytes.i32()?) } else { return None };
        let at = if has(TIME) { bytes.u64()?.cast_signed() } else { return None };
        Some(Stamp { process, thread, at })
    }
}

impl Attribute {
    /// Whether it counts ns of a thread's running.
    pub fn is_clock(&self) -> bool {
        self.kind == SOFTWARE && CLOCKS.contains(&self.config)
    }

    /// Whether it is this event, by the two numbers the kernel knows it by.
    pub fn is(&self, kind: u32, config: u64) -> bool {
        (self.kind, self.config) == (kind, config)
    }

    /// The fields of a sample.
    pub fn sample<'a>(&self, body: &'a [u8]) -> Option<SampleRecord<'a>> {
        let has = |bit: u64| self.sample_type & bit != 0;
        let mut bytes = Bytes(body);
        let mut number = |bit: u64| if has(bit) { bytes.u64().map(Some) } else { Some(None) };
        number(IDENTIFIER)?;
        let ip = number(IP)?.unwrap_or_default();
        let ids = number(TID)??;
        let at = number(TIME)??.cast_signed();
        number(ADDRESS)?;
        number(ID)?;
        number(STREAM_ID)?;
        number(CPU)?;
        let period = number(PERIOD)?;
        if has(READ) {
            self.skip_read(&mut bytes)?;
        }
        let calls = if has(CALLCHAIN) {
            let count = bytes.u64()?;
            bytes.take(count.checked_mul(8)?)?
        } else {
            &[]
        };
        let (process, thread) = ((ids as u32).cast_signed(), ((ids >> 32) as u32).cast_signed());
        Some(SampleRecord { process, thread, at, period, ip, calls })
    }

    /// Values that were read with a sample: which there are, another field tells.
    fn skip_read(&self, bytes: &mut Bytes<'_>) -> Option<()> {
        const GROUP: u64 = 1 << 3;
        let times = u64::from((self.read_format & 3).count_ones());
        let each = 1 + u64::from((self.read_format >> 2 & 1 | self.read_format >> 3 & 2).count_ones());
        let length = match self.read_format & GROUP {
            0 => times + each,
            _ => bytes.u64()?.checked_mul(each)?.checked_add(times)?,
        };
        bytes.take(length.checked_mul(8)?).map(drop)
    }
}
