//! Tells where a saved dump of a ring was torn: a row cut short, an end that is missing.
//!
//! A phone writes whole rows; a paste or a terminal may lose parts of them. A row lost at the end is a frame less, one
//! lost inside is a hitch that never was. Must not know: what rows say.

use crate::gfxinfo::FENCE;
use crate::surfaceflinger::{CLASSIC_ROWS, HISTORY_ROWS};
use crate::text::{decode, lines, shown, whole_integer};
use farmjank_results::frame::SourceId;

/// A bare integer from this on is part of a row; below, it is the refresh period that begins a dump, ns.
const ROW: i64 = 10_000_000_000;

/// What is missing of a dump, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Torn {
    /// Something between its rows: frames next to each other there are no neighbours.
    Inside(String),
    /// Its end: what is left is right, and shorter.
    End(String),
}

/// What is missing of a dump of this source, as far as its text shows; none where it looks whole.
pub fn torn(bytes: &[u8], source: SourceId) -> Option<Torn> {
    let text = decode(bytes);
    match source {
        SourceId::SurfaceFlinger => latency(&text),
        SourceId::Gfxinfo => framestats(&text),
        SourceId::FrameTimeline | SourceId::TimeStats | SourceId::Logcat | SourceId::Resources => None,
    }
}

fn inside(line: &[u8]) -> Torn {
    Torn::Inside(format!(
        "`{}` is part of a row only: the text was cut or wrapped there, and what is missing would read as late frames; save \
         the dump to a file on the phone or with `adb shell … > FILE`",
        shown(line)
    ))
}

fn half_a_row(line: &[u8]) -> Torn {
    Torn::End(format!("the text ends with half a row, `{}`: its end is missing, and not judged", shown(line)))
}

fn latency(text: &[u8]) -> Option<Torn> {
    let mut part = None;
    let mut rows = 0;
    let mut short = None;
    let mut ends = |rows: u32| {
        if (HISTORY_ROWS + 1..CLASSIC_ROWS).contains(&rows) {
            short.get_or_insert(rows);
        }
    };
    for line in lines(text).map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        if !line.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'\t' | b' ')) {
            continue;
        }
        if let Some(line) = part {
            return Some(inside(line));
        }
        if whole_integer(line).is_some_and(|value| (0..ROW).contains(&value)) {
            ends(std::mem::take(&mut rows));
            continue;
        }
        part = (!is_row(line)).then_some(line);
        rows += u32::from(part.is_none());
        // Android 7 prints several layers of one name after each other.
        rows %= CLASSIC_ROWS;
    }
    if let Some(line) = part {
        return Some(half_a_row(line));
    }
    ends(rows);
    let why = |rows| {
        format!(
            "{rows} rows: a phone prints {CLASSIC_ROWS}, or {HISTORY_ROWS} at most; some are missing, and nothing is known \
             of the time they were of"
        )
    };
    short.map(|rows| Torn::End(why(rows)))
}

/// Three instants of one frame, none of them less than half of another: one that has lost digits is. Zero stands for
/// one that is not known, the largest number for one to come.
fn is_row(line: &[u8]) -> bool {
    let columns = line.split(u8::is_ascii_whitespace).filter(|column| !column.is_empty());
    let values: Option<Vec<i64>> = columns.map(whole_integer).collect();
    let Some([desired, present, ready]) = values.and_then(|values| <[i64; 3]>::try_from(values).ok()) else {
        return false;
    };
    let known = || [desired, present, ready].into_iter().filter(|at| (1..i64::MAX).contains(at));
    known().min().zip(known().max()).is_none_or(|(least, most)| least >= most / 2)
}

fn framestats(text: &[u8]) -> Option<Torn> {
    let mut fenced = false;
    let mut columns = 0;
    let mut part = None;
    for line in lines(text) {
        if line.starts_with(FENCE) {
            if let Some(line) = part.take() {
                return Some(inside(line));
            }
            (fenced, columns) = (!fenced, 0);
        } else if fenced && line.starts_with(b"Flags,") {
            columns = cells(line);
        } else if fenced && columns > 0 && line.first().is_some_and(u8::is_ascii_digit) {
            if let Some(line) = part {
                return Some(inside(line));
            }
            part = (cells(line) < columns).then_some(line);
        }
    }
    let open = || Torn::End("the text ends inside a ring: the end of the dump is missing".to_owned());
    part.map(half_a_row).or_else(|| fenced.then(open))
}

/// Cells of a line of a table; phones write a comma after the last one.
fn cells(line: &[u8]) -> usize {
    line.trim_ascii().split(|byte| *byte == b',').filter(|cell| !cell.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(rows: i64) -> String {
        let row = |n: i64| format!("{0}\t{0}\t{0}\n", 50_000_000_000 + n * 16_666_667);
        (0..rows).fold("16666667\n".to_owned(), |text, n| text + &row(n))
    }

    #[test]
    fn a_whole_dump_lacks_nothing() {
        for text in
            [dump(127), dump(64), dump(3), dump(127) + &dump(127), dump(127) + "\n", "16666667\n".to_owned()]
        {
            assert_eq!(torn(text.as_bytes(), SourceId::SurfaceFlinger), None, "{}", text.len());
        }
    }

    #[test]
    fn rows_that_are_missing_are_told_and_rows_cut_inside_are_refused() {
        let whole = dump(127);
        let end = &whole[..whole.len() - 20];
        assert!(
            matches!(torn(end.as_bytes(), SourceId::SurfaceFlinger), Some(Torn::End(why)) if why.contains("half a row"))
        );
        let fewer = dump(100);
        assert!(
            matches!(torn(fewer.as_bytes(), SourceId::SurfaceFlinger), Some(Torn::End(why)) if why.contains("100 rows"))
        );
        let at = whole.len() / 2;
        let hole = format!("{}{}", &whole[..at], &whole[whole.len() - 200..]);
        let wrapped = format!("{}\n{}", &whole[..at], &whole[at..]);
        for text in [hole, wrapped, format!("{end}\n{whole}")] {
            assert!(
                matches!(torn(text.as_bytes(), SourceId::SurfaceFlinger), Some(Torn::Inside(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn framestats_end_with_their_fence() {
        let rows = "Flags,IntendedVsync,FrameCompleted,\n0,10,20,\n0,30,40,\n";
        let whole = format!("---PROFILEDATA---\n{rows}---PROFILEDATA---\n");
        let of = |text: &str| torn(text.as_bytes(), SourceId::Gfxinfo);
        assert_eq!((of(&whole), of(rows)), (None, None), "a bare table has no fence to miss");
        assert!(
            matches!(of(&whole[..whole.len() - 20]), Some(Torn::End(why)) if why.contains("inside a ring"))
        );
        assert!(matches!(of(&whole[..whole.len() - 24]), Some(Torn::End(why)) if why.contains("half a row")));
        assert!(matches!(of(&whole.replace("0,10,20,", "0,10,")), Some(Torn::Inside(_))));
    }
}
