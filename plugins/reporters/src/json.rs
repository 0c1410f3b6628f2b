//! `results.json`: the run as one document for programs. Format 1, additive only; every field is described in
//! `docs/results-json.md`.
//!
//! A pure function of the record. Keys come in a fixed order, so the same record gives the same bytes. Must not know:
//! files.

mod absent;
mod before;
pub(crate) mod compared;
mod counts;
mod patterns;
mod screens;
mod shape;

use farmjank_results::event::Event;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, PrettyFormatter};
use std::io;

/// Version of the document.
pub const FORMAT: u32 = 1;

/// Writes `results.json` when the run is complete.
#[derive(Default)]
pub struct Json;

impl Reporter for Json {
    fn name(&self) -> &str {
        "json"
    }

    fn observe(&mut self, _event: &Event, _record: &Record) -> Vec<Delivery> {
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, _: &dyn FrameLogs) -> Vec<Delivery> {
        vec![Delivery::File { path: "results.json".to_owned(), bytes: json(record).into_bytes() }]
    }
}

/// The document, indented, with a line break at the end.
pub fn json(record: &Record) -> String {
    written(&document(record))
}

/// The document as a value: to be part of another, or for a program that wants no text.
pub fn document(record: &Record) -> impl Serialize {
    shape::document(record)
}

/// Any value as this document is written: indented, harmless on a terminal, with a line break at the end.
pub(crate) fn written(value: &impl Serialize) -> String {
    // A text that grows takes up to three times its room while it is moved.
    let mut length = Length(1);
    write(value, &mut length);
    let mut bytes = Vec::with_capacity(length.0);
    write(value, &mut bytes);
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("the writer copies UTF-8 and adds ASCII")
}

fn write(value: &impl Serialize, to: &mut impl io::Write) {
    let mut writer = serde_json::Serializer::with_formatter(to, Harmless(PrettyFormatter::new()));
    value.serialize(&mut writer).expect("plain values with string keys can always be written");
}

/// Counts bytes.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Pretty JSON that may be printed on a terminal: what acts there (8-bit controls, DEL, bidirectional controls) is
/// escaped, which JSON allows and readers undo.
struct Harmless(PrettyFormatter<'static>);

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| crate::clean::acts(*c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.0.write_char_escape(writer, escape)
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_act_are_escaped_and_come_back() {
        let text = "a\u{9b}2J\u{202e}b\u{e0041}\u{7f}\u{1b}\"\\ö";
        let mut bytes = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Harmless(PrettyFormatter::new()));
        text.serialize(&mut writer).unwrap();
        let written = String::from_utf8(bytes).unwrap();
        assert!(!written.chars().any(crate::clean::acts), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
