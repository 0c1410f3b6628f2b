//! One file's text and where its lines begin; makes complaints that show the line.
//!
//! Columns count characters from 1. Line breaks are those of YAML 1.2: LF, CR LF, CR.

use crate::complaint::Complaint;
use crate::place::{Mark, Place};
use std::ops::Range;
use std::str;

/// Largest file that is read, bytes.
pub const FILE_BYTES: usize = 1024 * 1024;

/// A file's name and text.
#[derive(Debug)]
pub(crate) struct Source {
    /// As named on the command line or by the step that runs it.
    pub(crate) name: String,
    /// Its text without a byte order mark.
    pub(crate) text: String,
    starts: Vec<usize>,
    /// No word of it is repeated to anybody: it may be any file of this computer.
    private: bool,
}

impl Source {
    /// From the file's bytes; refuses what is too long or not UTF-8, naming the place.
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Result<Self, Complaint> {
        Source::read(name, bytes, false)
    }

    /// The same of a file that is no scenario's: complaints say where, and repeat no word of it.
    pub(crate) fn read(name: &str, bytes: &[u8], private: bool) -> Result<Self, Complaint> {
        if bytes.len() > FILE_BYTES {
            let empty = Source::of(name, "", private);
            let what = format!("the file has {} bytes; at most {FILE_BYTES} are read", bytes.len());
            return Err(empty.complaint(Mark::top(), what, "split it, and use `runFlow` for shared steps"));
        }
        if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            let empty = Source::of(name, "", private);
            return Err(empty.complaint(Mark::top(), "the file is UTF-16", "save it as UTF-8"));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match str::from_utf8(bytes) {
            Ok(text) => Ok(Source::of(name, text, private)),
            Err(error) => {
                let at = error.valid_up_to();
                let source = Source::of(name, &String::from_utf8_lossy(bytes), private);
                let what = format!("byte {} of the file is {:#04x}, which is not UTF-8", at + 1, bytes[at]);
                Err(source.complaint(source.mark_at(at), what, "save the file as UTF-8"))
            }
        }
    }

    fn of(name: &str, text: &str, private: bool) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(at + 1);
            }
        }
        Source { name: name.to_owned(), text: text.to_owned(), starts, private }
    }

    /// One line without its break; empty past the end. Lines count from 1.
    pub(crate) fn line(&self, number: u32) -> &str {
        let index = (number as usize).saturating_sub(1);
        let Some(start) = self.starts.get(index) else { return "" };
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        self.text[*start..end].trim_end_matches(['\n', '\r'])
    }

    /// The character at a byte offset.
    fn mark_at(&self, byte: usize) -> Mark {
        let index = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        let before = &self.text[self.starts[index]..self.floor(byte)];
        let place = Place { line: index as u32 + 1, column: before.chars().count() as u32 + 1 };
        Mark { place, length: 1 }
    }

    fn floor(&self, byte: usize) -> usize {
        (0..=byte.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }

    /// A complaint about this stretch of the file.
    pub(crate) fn complaint(
        &self,
        mark: Mark,
        what: impl Into<String>,
        instead: impl Into<String>,
    ) -> Complaint {
        if self.private {
            let what = "this is no step a scenario can run; words of a file outside the scenarios' folder are not repeated";
            return Complaint::new(
                &self.name,
                mark,
                "",
                what.to_owned(),
                "check the file by itself".to_owned(),
            );
        }
        Complaint::new(&self.name, mark, self.line(mark.place.line), what.into(), instead.into())
    }
}

/// A complaint about a stretch of a file's text, by its bytes; about its first line where it has several.
pub fn complaint_in(
    (file, text): (&str, &str),
    at: Range<usize>,
    what: impl Into<String>,
    instead: impl Into<String>,
) -> Complaint {
    let source = Source::of(file, text, false);
    let stretch = text.get(at.clone()).and_then(|stretch| stretch.lines().next()).unwrap_or_default();
    let length = u32::try_from(stretch.chars().count()).unwrap_or(u32::MAX).max(1);
    source.complaint(Mark { length, ..source.mark_at(at.start) }, what, instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_every_kind_of_break() {
        let source = Source::new("x.yaml", b"one\r\ntwo\rthree\nfour").expect("valid text");
        assert_eq!([1, 2, 3, 4, 5].map(|n| source.line(n)), ["one", "two", "three", "four", ""]);
    }

    #[test]
    fn a_bad_byte_is_named_with_its_place() {
        let complaint = Source::new("x.yaml", b"name: a\nt\xc3\xa4gs: [\xff]\n").expect_err("not UTF-8");
        assert_eq!((complaint.place.line, complaint.place.column), (2, 8));
        assert!(complaint.what.contains("byte 17 of the file is 0xff"), "{}", complaint.what);
    }

    #[test]
    fn a_hundred_megabytes_are_refused_by_their_size() {
        let complaint = Source::new("x.yaml", &vec![b' '; 100 << 20]).expect_err("too long");
        assert!(complaint.what.contains("104857600 bytes"), "{}", complaint.what);
    }
}
