//! Adds an entry to a quarantine file and takes one out; everything else in the text stays as it is, comments too.
//!
//! The text is edited by lines, then read again: where that does not give the entries it should, nothing is changed
//! and a person is asked to.

use super::Entry;
use crate::read::{SourceFile, quarantine};
use std::collections::BTreeSet;

/// How a file begins that had nothing in it.
const HEAD: &str =
    "# Measured and reported without gating, each until its last day (`farmjank quarantine list`).\n";

/// Why a text is not edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file} is not written as a list that can be edited line by line; edit it by hand:\n{by_hand}")]
pub struct NotEdited {
    /// The file.
    pub file: String,
    /// What to write there, or to remove.
    pub by_hand: String,
}

/// The text with one entry more, at its end. `before` are its entries.
///
/// # Errors
/// The list is not written in lines.
pub fn added(file: &str, text: &str, before: &[Entry], new: &Entry) -> Result<String, NotEdited> {
    let indent = before.last().and_then(|last| dash(text, last)).map_or(2, |(_, indent)| indent);
    let lines = written(new, indent);
    let empty = text.lines().position(|line| matches!(line.trim_end(), "quarantine:" | "quarantine: []"));
    let made = match (before.last().and_then(|last| extent(text, last)), empty) {
        (Some((_, end)), _) => spliced(text, end..end, &lines),
        (None, Some(at)) => spliced(text, at..at + 1, &format!("quarantine:\n{lines}")),
        (None, None) if text.trim().is_empty() => format!("{HEAD}quarantine:\n{lines}"),
        (None, None) => format!("{}\nquarantine:\n{lines}", text.trim_end()),
    };
    let wanted: Vec<&Entry> = before.iter().chain([new]).collect();
    confirmed(file, made, &wanted).ok_or_else(|| NotEdited { file: file.to_owned(), by_hand: lines })
}

/// The text without these of its entries, given by number.
///
/// # Errors
/// The list is not written in lines.
pub fn removed(
    file: &str,
    text: &str,
    before: &[Entry],
    numbers: &BTreeSet<usize>,
) -> Result<String, NotEdited> {
    let gone = before.iter().enumerate().filter(|(number, _)| numbers.contains(number));
    let by_hand = || gone.clone().map(|(_, entry)| written(entry, 2)).collect::<String>();
    let refused = || NotEdited { file: file.to_owned(), by_hand: by_hand() };
    let mut made = text.to_owned();
    for (_, entry) in gone.clone().rev() {
        let (from, end) = extent(&made, entry).ok_or_else(refused)?;
        made = spliced(&made, from..end, "");
    }
    let kept: Vec<&Entry> = before
        .iter()
        .enumerate()
        .filter(|(number, _)| !numbers.contains(number))
        .map(|(_, one)| one)
        .collect();
    if kept.is_empty() {
        let line =
            |line: &str| if line.trim_end() == "quarantine:" { "quarantine: []" } else { line }.to_owned();
        made = made.lines().map(|one| line(one) + "\n").collect();
    }
    confirmed(file, made, &kept).ok_or_else(refused)
}

/// The text, where it says what it should.
fn confirmed(file: &str, made: String, wanted: &[&Entry]) -> Option<String> {
    let read = quarantine(&SourceFile { name: file.to_owned(), text: made.clone().into_bytes() }).ok()?;
    let anywhere = |entry: &Entry| Entry { file: String::new(), place: Default::default(), ..entry.clone() };
    let same = read.iter().map(anywhere).eq(wanted.iter().map(|entry| anywhere(entry)));
    same.then_some(made)
}

/// Line (from 0) and column of the dash an entry begins with.
fn dash(text: &str, entry: &Entry) -> Option<(usize, usize)> {
    let at = (entry.place.line as usize).checked_sub(1)?;
    let line = text.lines().nth(at)?;
    let indent = line.len() - line.trim_start_matches(' ').len();
    line[indent..].starts_with("- ").then_some((at, indent))
}

/// The lines of an entry: from its dash to the last that is indented below it; comments and blank lines after it stay.
fn extent(text: &str, entry: &Entry) -> Option<(usize, usize)> {
    let (from, indent) = dash(text, entry)?;
    let mut end = from + 1;
    for (at, line) in text.lines().enumerate().skip(from + 1) {
        let own = line.len() - line.trim_start_matches(' ').len();
        match line.trim_start() {
            rest if rest.is_empty() || rest.starts_with('#') => {}
            _ if own > indent => end = at + 1,
            _ => break,
        }
    }
    Some((from, end))
}

/// The text with these lines replaced.
fn spliced(text: &str, lines: std::ops::Range<usize>, by: &str) -> String {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, after) = (&all[..lines.start.min(all.len())], &all[lines.end.min(all.len())..]);
    let mut out = before.concat();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out + by + &after.concat()
}

/// An entry as lines of a list, indented by so many spaces.
fn written(entry: &Entry, indent: usize) -> String {
    let devices = entry.devices.as_ref().map(|devices| devices.text.clone());
    let until = entry.until.to_string();
    let keys = [
        ("serial", entry.serial.as_ref()),
        ("devices", devices.as_ref()),
        ("scenario", entry.scenario.as_ref()),
        ("window", entry.window.as_ref()),
        ("reason", Some(&entry.reason)),
        ("owner", Some(&entry.owner)),
        ("until", Some(&until)),
    ];
    let given = keys.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let line = |(at, (key, value)): (usize, (&str, &String))| {
        let lead = if at == 0 { "- " } else { "  " };
        format!("{}{lead}{key}: {}\n", " ".repeat(indent), scalar(value))
    };
    given.enumerate().map(line).collect()
}

/// A value as YAML: as it is where nobody could read it otherwise, else in double quotes.
fn scalar(value: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || " _-./".contains(c);
    let begins = value.starts_with(|c: char| c.is_ascii_alphanumeric());
    let said = ["true", "false", "null", "yes", "no", "on", "off"];
    let number = value.parse::<f64>().is_ok();
    let plain = begins
        && value.chars().all(word)
        && !value.ends_with(' ')
        && !number
        && !said.contains(&value.to_ascii_lowercase().as_str());
    if plain { value.to_owned() } else { serde_json::Value::from(value.replace("${", "$${")).to_string() }
}
