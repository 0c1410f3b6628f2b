//! How raw dumps are kept in the run bundle: text, lossless, small.
//!
//! Successive dumps of one ring share most of their lines, shifted. A dump is stored as the stretches of lines it
//! shares with the dump of the same target before it, and the lines that are new; reading gives the phone's bytes back
//! exactly. One file per window of a trial:
//!
//! ```text
//! # farmjank evidence 1
//! @dump {"source":"surfaceflinger","target":"…","asked":1,"answered":2,"arrived":3,"lines":79,"tail":true}
//! =50 77        lines 50..127 of the dump before
//! +2            two new lines follow
//! …
//! ```

mod difference;
mod room;

pub use self::room::Room;

use self::difference::{Text, delta};
use crate::dump::Dump;
use crate::frame::SourceId;
use crate::time::{BootTime, RunTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest piece of a damaged file that is repeated, characters.
const WORDS: usize = 60;

/// First line of every evidence file.
pub const HEADER: &str = "# farmjank evidence 1\n";

/// What the name of a file ends with that a bundle keeps packed by zstd. Whoever writes or reads it has to do with what
/// it holds.
pub const PACKED: &str = ".zst";

/// The name of what a file of a bundle holds: `w.dumps` of `w.dumps.zst`, and of itself.
pub fn held(path: &str) -> &str {
    path.strip_suffix(PACKED).unwrap_or(path)
}

#[derive(Serialize, Deserialize)]
struct Head {
    source: SourceId,
    target: String,
    asked: Option<BootTime>,
    answered: Option<BootTime>,
    arrived: RunTime,
    /// How many lines the text has.
    lines: usize,
    /// The text ends with a line end.
    tail: bool,
}

/// Encodes dumps one after another. Keeps one dump per target in memory.
#[derive(Debug, Default)]
pub struct EvidenceWriter {
    before: BTreeMap<(SourceId, String), Text>,
    /// Memory of a text no longer needed.
    spare: Text,
    /// Dumps that were encoded and not lost.
    kept: usize,
}

impl EvidenceWriter {
    /// The bytes to append to the file for this dump.
    pub fn encode(&mut self, dump: &Dump) -> Vec<u8> {
        let mut out = Vec::with_capacity(dump.text.len() / 2 + 512);
        if self.kept == 0 {
            out.extend_from_slice(HEADER.as_bytes());
        }
        self.kept += 1;
        let mut text = std::mem::take(&mut self.spare);
        text.refill(&dump.text);
        let head = Head {
            source: dump.source,
            target: dump.target.clone(),
            asked: dump.asked,
            answered: dump.answered,
            arrived: dump.arrived,
            lines: text.len(),
            tail: text.tail,
        };
        out.extend_from_slice(b"@dump ");
        // A struct of numbers and strings always serialises, and memory takes all of it.
        let _ = serde_json::to_writer(&mut out, &head);
        out.push(b'\n');
        let before = self.before.entry((dump.source, dump.target.clone())).or_default();
        delta(before, &text, &mut out);
        self.spare = std::mem::replace(before, text);
        out
    }

    /// The bytes of the last dump did not reach the file: what follows does not build on them.
    pub fn lost(&mut self) {
        self.before.clear();
        self.kept = self.kept.saturating_sub(1);
    }
}

/// Why an evidence file cannot be read back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// It does not begin as one.
    #[error("this is not a farmjank evidence file (format 1)")]
    Foreign,
    /// The head of this dump (from 1) is none.
    #[error("evidence is damaged at dump {0}")]
    Head(usize),
    /// An instruction has no words.
    #[error("evidence is damaged: an empty line where an instruction belongs")]
    Empty,
    /// An instruction is not text.
    #[error("evidence is damaged")]
    Binary,
    /// An instruction that speaks of lines which are not there.
    #[error("evidence is damaged: `{0}` fits no dump before it")]
    Unfit(String),
    /// It would unfold to more than evidence of its size does.
    #[error("evidence unfolds to more than {0}, which no run writes: it was altered")]
    TooMuch(&'static str),
}

/// Reads an evidence file back whole, in the room that a file of its size has. See [`each`].
///
/// # Errors
/// [`EvidenceError`]: as [`each`].
pub fn read(bytes: &[u8]) -> Result<Vec<Dump>, EvidenceError> {
    let mut dumps = Vec::new();
    each(bytes, &mut Room::of_file(bytes.len() as u64), |dump, _| {
        dumps.push(dump);
        Ok::<(), EvidenceError>(())
    })?;
    Ok(dumps)
}

/// Hands over the dumps of an evidence file, of anyone, one after another, with the room that is left: whoever keeps
/// none has no more than one at a time. A torn end (a killed process) loses only the dump it tears.
///
/// # Errors
/// [`EvidenceError`]: it is of another kind, damaged elsewhere than at its end, or unfolds to more than there is room
/// for; or what `take` says.
pub fn each<E: From<EvidenceError>>(
    bytes: &[u8],
    room: &mut Room,
    mut take: impl FnMut(Dump, &mut Room) -> Result<(), E>,
) -> Result<(), E> {
    let body = bytes.strip_prefix(HEADER.as_bytes()).ok_or(EvidenceError::Foreign)?;
    let mut lines = body.split(|byte| *byte == b'\n').peekable();
    let mut before: BTreeMap<(SourceId, String), Text> = BTreeMap::new();
    let mut held = 0;
    let mut nth = 0;
    while let Some(line) = lines.next() {
        nth += 1;
        if lines.peek().is_none() {
            break; // what follows the last line end: nothing, or a torn line
        }
        let head: Option<Head> =
            line.strip_prefix(b"@dump ").and_then(|json| serde_json::from_slice(json).ok());
        let Some(head) = head else {
            return Err(EvidenceError::Head(nth).into());
        };
        let key = (head.source, head.target.clone());
        let old = before.entry(key).or_default();
        let Some(text) = body_of(old, &head, &mut lines, room)? else { break };
        held -= old.size();
        *old = Text::new(&text);
        held += old.size();
        if held > room::HELD {
            return Err(EvidenceError::TooMuch(room::A_LAST).into());
        }
        let Head { source, target, asked, answered, arrived, .. } = head;
        take(Dump { source, target, asked, answered, arrived, text }, room)?;
    }
    Ok(())
}

/// The lines of one dump; none when the file ends inside it.
fn body_of<'a>(
    before: &Text,
    head: &Head,
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a [u8]>>,
    room: &mut Room,
) -> Result<Option<Vec<u8>>, EvidenceError> {
    if head.lines > room::DUMP_LINES {
        return Err(EvidenceError::TooMuch(room::A_DUMP));
    }
    // Taken before anything is made of it: every dump costs, also an empty one.
    room.take(room::EACH)?;
    let (mut text, mut made, mut again) = (Vec::new(), 0, 0);
    while made < head.lines {
        let Some(line) = lines.next() else { return Ok(None) };
        if lines.peek().is_none() {
            return Ok(None); // torn
        }
        if line.is_empty() {
            return Err(EvidenceError::Empty);
        }
        let words = std::str::from_utf8(&line[1..]).map_err(|_| EvidenceError::Binary)?;
        let mut numbers = words.split(' ').map(str::parse::<usize>);
        let mut number = || numbers.next().and_then(Result::ok);
        let first = number();
        match (line[0], first, number()) {
            (b'=', Some(from), Some(count))
                if from.checked_add(count).is_some_and(|end| end <= before.len())
                    && count <= head.lines - made =>
            {
                let stretch = before.stretch(from, count);
                again += stretch.len() + 1;
                if again > room::DUMP_BYTES {
                    return Err(EvidenceError::TooMuch(room::A_DUMP));
                }
                // A line costs more than its bytes, and an empty one too.
                room.take((stretch.len() + room::LINE * count) as u64)?;
                if count > 0 {
                    text.extend_from_slice(stretch);
                    text.push(b'\n');
                }
                made += count;
            }
            (b'+', Some(count), None) if count <= head.lines - made => {
                for _ in 0..count {
                    match lines.next() {
                        // The piece after the last line end is torn or empty: it is not a whole line.
                        Some(line) if lines.peek().is_some() => {
                            text.extend_from_slice(line);
                            text.push(b'\n');
                        }
                        _ => return Ok(None),
                    }
                }
                room.note(count);
                made += count;
            }
            _ => return Err(EvidenceError::Unfit(farmjank_leaf::text::line(words, WORDS))),
        }
    }
    // The last line has its end where the text says so.
    if made > 0 {
        text.pop();
    }
    if head.tail {
        text.push(b'\n');
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dump(target: &str, text: &[u8]) -> Dump {
        let stamp = Some(BootTime::from_ns(7));
        Dump {
            source: SourceId::SurfaceFlinger,
            target: target.into(),
            asked: stamp,
            answered: None,
            arrived: RunTime::from_ns(9),
            text: text.to_vec(),
        }
    }

    fn written(dumps: &[Dump]) -> Vec<u8> {
        let mut writer = EvidenceWriter::default();
        dumps.iter().flat_map(|dump| writer.encode(dump)).collect()
    }

    #[test]
    fn a_shifted_ring_costs_only_its_new_lines() {
        let row = |n: usize| format!("116232{n:08}\t116232{n:08}\t116232{n:08}\n");
        let first: String = (0..127).map(row).collect();
        let second: String = (50..177).map(row).collect();
        let dumps = [dump("a", first.as_bytes()), dump("a", second.as_bytes())];
        let bytes = written(&dumps);
        assert!(bytes.len() < first.len() + second.len() / 2);
        assert_eq!(read(&bytes).unwrap(), dumps);
    }

    #[test]
    fn what_comes_after_a_dump_that_was_lost_does_not_build_on_it() {
        let dumps = [dump("a", b"1\n2\n"), dump("b", b"3\n"), dump("a", b"1\n2\n4\n"), dump("a", b"2\n4\n")];
        for lost in 0..dumps.len() {
            let (mut writer, mut file, mut kept) = (EvidenceWriter::default(), Vec::new(), Vec::new());
            for (nth, dump) in dumps.iter().enumerate() {
                let bytes = writer.encode(dump);
                if nth == lost {
                    writer.lost();
                } else {
                    file.extend(bytes);
                    kept.push(dump.clone());
                }
            }
            assert_eq!(read(&file).unwrap(), kept, "without dump {lost}");
        }
    }

    #[test]
    fn a_torn_end_keeps_every_whole_dump() {
        let dumps = [dump("a", b"1\n2\n"), dump("b", b"3\n4"), dump("a", b"2\n5\n\n")];
        let bytes = written(&dumps);
        for end in HEADER.len()..bytes.len() {
            let kept = read(&bytes[..end]).unwrap();
            assert!(dumps.starts_with(&kept), "cut at {end}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// A file of N bytes gives at most 513 N bytes and a mebibyte.
        #[test]
        fn no_file_unfolds_beyond_its_room(
            repeats in prop::collection::vec((0usize..3, 0usize..40, 0usize..30), 0..6),
            line in "[a-z]{0,30}",
        ) {
            let mut file = HEADER.to_owned();
            let mut lines = 1usize;
            for (doublings, fresh, again) in repeats {
                let head = |lines: usize| format!(
                    "@dump {{\"source\":\"gfxinfo\",\"target\":\"\",\"asked\":null,\"answered\":null,\"arrived\":0,\"lines\":{lines},\"tail\":true}}\n"
                );
                if fresh > 0 {
                    lines = fresh;
                    file += &format!("{}+{fresh}\n{}", head(fresh), format!("{line}\n").repeat(fresh));
                }
                for _ in 0..doublings * 5 {
                    file += &format!("{}=0 {lines}\n=0 {lines}\n", head(2 * lines));
                    lines = (2 * lines).min(1 << 22);
                }
                file += &format!("{}=0 {lines}\n", head(lines)).repeat(again);
            }
            let room = 513 * file.len() + (1 << 20);
            match read(file.as_bytes()) {
                Ok(dumps) => {
                    let bytes: usize = dumps.iter().map(|dump| dump.text.len()).sum();
                    prop_assert!(bytes <= room, "{bytes} of {}", file.len());
                }
                Err(why) => prop_assert!(matches!(why, EvidenceError::TooMuch(_) | EvidenceError::Unfit(_)), "{why}"),
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_back(texts in prop::collection::vec(("[ab]", "[0-2=+@\n\\PC]{0,40}"), 0..8)) {
            let dumps: Vec<Dump> = texts.iter().map(|(target, text)| dump(target, text.as_bytes())).collect();
            let bytes = written(&dumps);
            prop_assert_eq!(if bytes.is_empty() { vec![] } else { read(&bytes).unwrap() }, dumps);
        }

        #[test]
        fn damaged_files_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut file = HEADER.as_bytes().to_vec();
            file.extend(bytes);
            let _ = read(&file);
        }
    }
}
