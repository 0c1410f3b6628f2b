//! What simpleperf adds to a `perf.data` file: about the recording, and the symbols of every file that was hit, as the
//! phone has them.

use super::bytes::Bytes;
use crate::frametimeline::wire::fields;
use std::collections::BTreeMap;

/// Kinds of files.
const KERNEL: u32 = 0;
const ELF: u32 = 2;
const DEX: u32 = 3;
const SYMBOL_MAP: u32 = 4;
/// Most symbols kept of all files.
const MOST: usize = 8_000_000;

/// About the recording.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The app it is of.
    pub app: Option<String>,
    /// It was to tell when threads leave their CPUs.
    pub off_cpu: bool,
    /// The clock of its stamps.
    pub clock: Option<String>,
    /// Name, kind and number of the events that were counted.
    pub events: Vec<(String, u32, u64)>,
}

impl About {
    /// Keys and values, a zero after each.
    pub fn read(section: &[u8]) -> About {
        let mut about = About::default();
        let mut bytes = Bytes(section);
        while !bytes.0.is_empty() {
            let (key, value) = (bytes.text(), bytes.text());
            match key.as_str() {
                "app_package_name" if !value.is_empty() => about.app = Some(value),
                "clockid" if !value.is_empty() => about.clock = Some(value),
                "trace_offcpu" => about.off_cpu = value == "true",
                "event_type_info" => about.events = value.lines().filter_map(event).collect(),
                _ => {}
            }
        }
        about
    }
}

/// `sched:sched_switch,2,45`.
fn event(line: &str) -> Option<(String, u32, u64)> {
    let (rest, config) = line.rsplit_once(',')?;
    let (name, kind) = rest.rsplit_once(',')?;
    Some((name.to_owned(), kind.parse().ok()?, config.parse().ok()?))
}

/// Symbols of one file.
#[derive(Clone, Debug, Default)]
struct File {
    kind: u32,
    /// Address of its first code, as it was linked.
    first_address: u64,
    /// Where that is in the file; none where nobody says.
    first_offset: Option<u64>,
    /// Address and name, in order.
    symbols: Vec<(u64, u64, String)>,
}

/// Symbols of all files.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    files: BTreeMap<String, File>,
    count: usize,
}

impl Symbols {
    /// Files one after another, each with its length before it; as messages, or in the older form. What is damaged is
    /// left out.
    pub fn read(section: &[u8], messages: bool) -> Symbols {
        let mut all = Symbols::default();
        let mut bytes = Bytes(section);
        while let Some(one) = bytes.u32().and_then(|length| bytes.take(u64::from(length))) {
            let read = if messages { message(one) } else { older(one) };
            if let Some((path, mut file)) = read {
                file.symbols.truncate(MOST - all.count);
                file.symbols.sort_unstable();
                all.count += file.symbols.len();
                all.files.insert(path, file);
            }
        }
        all
    }

    /// The name of what lies at a place of a file that is mapped to an address; none where no symbol tells.
    pub fn name(&self, file: &str, place: u64, address: u64) -> Option<&str> {
        let file = self.files.get(file)?;
        let at = match file.kind {
            // Known by where they are in memory.
            KERNEL | SYMBOL_MAP => address,
            ELF => place.wrapping_sub(file.first_offset.unwrap_or(0)).wrapping_add(file.first_address),
            _ => place,
        };
        let before = file.symbols.partition_point(|(start, ..)| *start <= at);
        let (start, length, name) = file.symbols.get(before.checked_sub(1)?)?;
        (at - start < (*length).max(1) && !name.is_empty()).then_some(name.as_str())
    }
}

fn message(bytes: &[u8]) -> Option<(String, File)> {
    let mut file = File::default();
    let mut path = None;
    for (number, value) in fields(bytes) {
        match number {
            1 => path = value.bytes().map(|path| String::from_utf8_lossy(path).into_owned()),
            2 => file.kind = u32::try_from(value.number()?).ok()?,
            3 => file.first_address = value.number()?,
            4 => file.symbols.push(symbol(value.bytes()?)),
            6 => file.first_offset = fields(value.bytes()?).find(|(number, _)| *number == 1)?.1.number(),
            _ => {}
        }
    }
    // Zero is not written.
    file.first_offset = file.first_offset.or((file.kind == ELF).then_some(0));
    Some((path?, file))
}

fn symbol(bytes: &[u8]) -> (u64, u64, String) {
    let mut symbol = (0, 0, String::new());
    for (number, value) in fields(bytes) {
        match number {
            1 => symbol.0 = value.number().unwrap_or_default(),
            2 => symbol.1 = value.number().unwrap_or_default(),
            3 => symbol.2 = String::from_utf8_lossy(value.bytes().unwrap_or_default()).into_owned(),
            _ => {}
        }
    }
    symbol
}

/// As phones with Android 11 and 12 write it.
fn older(bytes: &[u8]) -> Option<(String, File)> {
    let mut bytes = Bytes(bytes);
    let path = bytes.text();
    let (kind, first_address, count) = (bytes.u32()?, bytes.u64()?, bytes.u32()?);
    let mut symbols = Vec::new();
    for _ in 0..count {
        symbols.push((bytes.u64()?, u64::from(bytes.u32()?), bytes.text()));
    }
    if kind == DEX {
        return Some((path, File { kind, first_address, first_offset: None, symbols }));
    }
    let first_offset = bytes.u64().filter(|offset| *offset != u64::MAX);
    Some((path, File { kind, first_address, first_offset, symbols }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_a_recording_it_is_told_of_which_app_it_is_and_what_was_counted() {
        let section = b"trace_offcpu\0true\0app_package_name\0com.shop\0event_type_info\0cpu-clock,1,0\n\
                        sched:sched_switch,2,45\0last";
        let about = About::read(section);
        assert_eq!((about.app.as_deref(), about.off_cpu), (Some("com.shop"), true));
        let events = [("cpu-clock".to_owned(), 1, 0), ("sched:sched_switch".to_owned(), 2, 45)];
        assert_eq!(about.events, events);
    }

    #[test]
    fn symbols_of_the_older_form_are_found_by_where_the_code_lies_in_its_file() {
        let mut one = b"/data/app/libshop.so\0".to_vec();
        one.extend(ELF.to_le_bytes());
        one.extend(0x2000_u64.to_le_bytes());
        one.extend(1_u32.to_le_bytes());
        one.extend(0x2040_u64.to_le_bytes());
        one.extend(0x20_u32.to_le_bytes());
        one.extend(b"decode_thumb\0");
        one.extend(0x1000_u64.to_le_bytes());
        let mut section = u32::try_from(one.len()).expect("short").to_le_bytes().to_vec();
        section.extend(one);
        let symbols = Symbols::read(&section, false);
        let name = |place| symbols.name("/data/app/libshop.so", place, 0);
        assert_eq!(
            (name(0x1040), name(0x105f), name(0x1060)),
            (Some("decode_thumb"), Some("decode_thumb"), None)
        );
        // Cut anywhere, it is no symbol and no panic.
        (0..section.len()).for_each(|end| drop(Symbols::read(&section[..end], false)));
    }
}
