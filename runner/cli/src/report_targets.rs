//! Where reports go: `--reporter name[=path]`, standard output, the summary of a CI job.
//!
//! Standard output holds one document, or the table and GitHub's annotations together. Must not know: what reports say.

use crate::command_error::{CommandError, usage};
use crate::host;
use clap::builder::PossibleValuesParser;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::{Options, by_name, documents, paint};
use farmjank_results::event::Event;
use farmjank_results::file_error::FileError;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use std::path::{Path, PathBuf};

/// A report somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRequest {
    /// Name of the reporter.
    pub name: &'static str,
    /// Its file; standard output without.
    pub path: Option<PathBuf>,
}

/// `table, json or html`: every report that can be asked for.
fn choice() -> String {
    let all = documents();
    match all.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => all.concat(),
    }
}

/// The names that can be asked for, and no others.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(documents())
}

/// The help of `run --reporter`.
pub fn another() -> String {
    format!(
        "Another report: {}, to a file or, without one, to standard output; repeatable. The bundle has JSON, JUnit, \
        OpenMetrics and HTML in any case",
        choice()
    )
}

/// The help of `report --reporter`.
pub fn again() -> String {
    format!("What to rebuild, to a file or, without one, to standard output: {}; repeatable", choice())
}

/// Reads `--reporter name[=path]`; `-` is standard output.
///
/// # Errors
/// An unknown name, or more than one document for standard output.
pub fn requests(given: &[String]) -> Result<Vec<ReportRequest>, CommandError> {
    let requests =
        given.iter().map(|text| request(text)).collect::<Result<Vec<ReportRequest>, CommandError>>()?;
    let spoken: Vec<&str> =
        requests.iter().filter(|request| request.path.is_none()).map(|request| request.name).collect();
    let lines = |name: &&str| matches!(*name, "table" | "github");
    if spoken.len() > 1 && !spoken.iter().all(lines) {
        let first = spoken.iter().find(|name| !lines(name)).copied().unwrap_or("json");
        return Err(usage!(
            "standard output takes one document, not {}; write `--reporter {first}=FILE`",
            spoken.join(" and ")
        ));
    }
    Ok(requests)
}

fn request(text: &str) -> Result<ReportRequest, CommandError> {
    let (name, path) = match text.split_once('=') {
        Some((name, path)) => (name, Some(path)),
        None => (text, None),
    };
    let known = documents().into_iter().find(|known| *known == name);
    let name = known.ok_or_else(|| {
        format!("`--reporter {name}`: there is no such reporter; there are: {}", documents().join(", "))
    })?;
    if path == Some("") {
        return Err(usage!("`--reporter {text}` names no file; write `{name}=FILE`, or `{name}` alone"));
    }
    Ok(ReportRequest { name, path: path.filter(|path| *path != "-").map(PathBuf::from) })
}

/// Makes sure, before anything is measured, that every file asked for can be written.
///
/// # Errors
/// The first that cannot, in words.
pub fn make_way(requests: &[ReportRequest]) -> Result<(), CommandError> {
    let mut files = requests.iter().filter_map(|request| request.path.as_deref());
    files
        .try_for_each(host::make_way)
        .map_err(|why| usage!("a report cannot be written, and so nothing is run: {why}; name another file"))
}

/// What is written into a file looks the same wherever it is made.
pub fn options(request: &ReportRequest, style: paint::TextStyle, bundle: &Path) -> Options {
    let style = if request.path.is_some() { paint::TextStyle::default() } else { style };
    Options { style, bundle: Some(shown(bundle)), ..Options::default() }
}

/// Whether standard output belongs to a document, so that the table has to go elsewhere.
pub fn is_taken(requests: &[ReportRequest]) -> bool {
    requests.iter().any(|request| request.path.is_none() && !matches!(request.name, "table" | "github"))
}

/// Whether this runs as a step of GitHub Actions.
pub fn on_github() -> bool {
    host::env("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The reporters of a run beside the console: what was asked for, and what GitHub Actions shows.
pub fn reporters(
    requests: &[ReportRequest],
    style: paint::TextStyle,
    bundle: &Path,
) -> Vec<Box<dyn Reporter>> {
    let mut made: Vec<Box<dyn Reporter>> = Vec::new();
    for request in requests {
        // The console prints the table already.
        if request.path.is_none() && request.name == "table" {
            continue;
        }
        let to = request.path.clone().map_or(To::Out, To::File);
        made.extend(redirected(by_name(request.name, &mut options(request, style, bundle)), to));
    }
    let asked = requests.iter().any(|request| request.name == "github" && request.path.is_none());
    if on_github() && !asked && !is_taken(requests) {
        made.extend(by_name("github", &mut Options::default()));
    }
    if let Some(path) = host::env("GITHUB_STEP_SUMMARY").map(PathBuf::from) {
        // The file may hold summaries already, and above its limit GitHub shows nothing at all.
        let room = farmjank_reporters::markdown::MOST.saturating_sub(host::length(&path));
        let mut options = Options { markdown_most: Some(room), ..Options::default() };
        made.extend(redirected(by_name("markdown", &mut options), To::Append(path)));
    }
    made
}

fn redirected(inner: Option<Box<dyn Reporter>>, to: To) -> Option<Box<dyn Reporter>> {
    Some(Box::new(Redirected { inner: inner?, to, quiet: true }))
}

/// The console as this run needs it: `quiet` without progress; with its table on standard error where standard output
/// is taken; and on GitHub with nothing in it that the runner would obey.
pub fn console(inner: Box<dyn Reporter>, quiet: bool, taken: bool) -> Box<dyn Reporter> {
    let to = if taken { To::Err } else { To::Same };
    Box::new(Redirected { inner, to, quiet })
}

/// Where a reporter's conclusion goes.
enum To {
    /// Where the reporter wants it.
    Same,
    Out,
    Err,
    File(PathBuf),
    /// At the end of a file.
    Append(PathBuf),
}

/// A reporter whose words go elsewhere.
struct Redirected {
    inner: Box<dyn Reporter>,
    to: To,
    /// Say nothing before the end.
    quiet: bool,
}

impl Redirected {
    fn send(&self, delivery: Delivery) -> Option<Delivery> {
        let bytes = match delivery {
            same if matches!(self.to, To::Same) => return Some(same),
            Delivery::Commands(text) if matches!(self.to, To::Out) => return Some(Delivery::Commands(text)),
            Delivery::File { bytes, .. } => bytes,
            Delivery::Out(text) | Delivery::Commands(text) | Delivery::Err(text) => text.into_bytes(),
            failed @ (Delivery::Failed { .. } | Delivery::Missed { .. }) => return Some(failed),
        };
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        match &self.to {
            To::Same | To::Out => Some(Delivery::Out(text(&bytes))),
            To::Err => Some(Delivery::Err(text(&bytes))),
            To::File(path) => {
                let failed =
                    |error: FileError| Delivery::Failed { what: shown(path), why: error.why.to_string() };
                host::write_file(path, &bytes).err().map(failed)
            }
            // Nobody asked for it.
            To::Append(path) => {
                let words = |why| Delivery::Err(format!("the job's summary cannot be written: {why}\n"));
                host::append_file(path, &bytes).err().map(words)
            }
        }
    }
}

impl Reporter for Redirected {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn observe(&mut self, event: &Event, record: &Record) -> Vec<Delivery> {
        let told = self.inner.observe(event, record);
        if self.quiet {
            return Vec::new();
        }
        told
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        let told = self.inner.conclude(record, frame_logs);
        told.into_iter().filter_map(|delivery| self.send(delivery)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Vec<ReportRequest>, CommandError> {
        requests(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn standard_output_takes_one_document() {
        assert!(read(&["json", "markdown=a.md", "junit=b=c.xml"]).is_ok());
        assert!(read(&["table", "github"]).is_ok());
        let two = read(&["table", "json"]).unwrap_err().to_string();
        assert!(two.contains("not table and json; write `--reporter json=FILE`"), "{two}");
        assert!(read(&["json", "json"]).is_err());
        assert!(!is_taken(&read(&["github", "json=x"]).unwrap()));
        assert!(is_taken(&read(&["json=-"]).unwrap()));
    }

    #[test]
    fn mistakes_say_what_to_write() {
        assert!(read(&["xml"]).unwrap_err().to_string().contains("there are: table, junit, json"));
        assert!(read(&["json="]).unwrap_err().to_string().contains("write `json=FILE`"));
        let path = read(&["junit=b=c.xml"]).unwrap()[0].path.clone();
        assert_eq!(path, Some(PathBuf::from("b=c.xml")));
    }
}
