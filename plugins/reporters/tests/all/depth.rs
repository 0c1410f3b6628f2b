//! One cell in depth.

use crate::believable::{Film, Words, events};
use crate::golden::check;
use crate::hostile::{long_words, nasty_words};
use farmjank_reporters::cells::cells;
use farmjank_reporters::clean;
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_reporters::show::{Missed, find, listed, show};
use farmjank_results::record::Record;
use farmjank_seams::reporter::{FrameLogs, NoFrameLogs};

fn named(record: &Record, text: &str) -> Result<String, usize> {
    match find(record, text) {
        Ok(cell) => Ok(format!("{} {}", cell.name, cell.device().map_or("-", |id| &id.0))),
        Err(Missed::Several(all)) => Err(all.len()),
        Err(Missed::Nobody(_)) => Err(0),
    }
}

#[test]
fn a_cell_is_named_by_what_tells_it_apart() {
    let record = events(&Words::default()).record();
    let fling = Ok("fling the feed 39081FDJH00123".to_owned());
    for text in
        ["pixel 8/fling", "39081FDJH00123/Home feed/fling the feed", "8 pro/feed/fling", "Pixel 8 Pro/FLING"]
    {
        assert_eq!(named(&record, text), fling, "{text}");
    }
    assert_eq!(named(&record, "pixel/fling"), Err(2));
    assert_eq!(named(&record, "fling/pixel 8"), Err(0));
    assert_eq!(named(&record, ""), Err(12));
    let Err(Missed::Several(all)) = find(&record, "pixel/fling") else { panic!("two fit") };
    let text = listed(&all, 1, TextStyle::default());
    assert_eq!(text, "  pass       Pixel 6a (2B171JEGR05677)/Home feed/fling the feed\n  and 1 more\n");
}

#[test]
fn the_worst_cell_and_a_cell_without_frames() {
    let record = events(&Words::default()).record();
    let text = |name: &str, frame_logs: &dyn FrameLogs| {
        let Ok(cell) = find(&record, name) else { panic!("{name} is one cell") };
        show(&cell, frame_logs, TextStyle::default())
    };
    check("show.txt", &text("SM-A146P/fling", &Film));
    let bare = text("SM-A146P/fling", &NoFrameLogs);
    assert!(bare.contains("limits") && !bare.contains("│"), "no plot without frames: {bare}");
    let lost = text("moto/fling", &Film);
    assert!(lost.contains("the phone was lost") && lost.contains("no frames seen"), "{lost}");
}

#[test]
fn every_line_fits_and_nothing_acts() {
    for words in [Words::default(), nasty_words(), long_words()] {
        let record = events(&words).record();
        for cell in cells(&record) {
            for columns in [40, 80, 131] {
                for ascii in [false, true] {
                    let text = show(&cell, &Film, TextStyle { width: columns, color: false, ascii });
                    for line in text.lines() {
                        assert!(width(line) <= columns, "{} cells of {columns}: {line}", width(line));
                        assert!(!line.chars().any(clean::acts), "{line:?}");
                    }
                    assert!(!ascii || text.is_ascii(), "{text}");
                }
            }
        }
    }
}
