//! Baselines as files: where they lie, how old they may be, and what else a side of a comparison can be.

use crate::command_error::{CommandError, usage};
use crate::host;
use farmjank_engine::scribe::LOG;
use farmjank_leaf::text::name as shown;
use farmjank_leaf::text::typed;
use farmjank_results::compare::{Baseline, Measured, Source, measured, read_plain};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::record::Record;
use std::path::{Path, PathBuf};

/// Folder of the baselines, unless told otherwise.
pub const FOLDER: &str = "results/baselines";
/// Largest baseline and CSV file read.
const MOST: u64 = 512 << 20;

/// One side of a comparison.
pub struct Side {
    /// What it is called.
    pub source: Source,
    /// What it is.
    pub kind: Kind,
    /// What was measured.
    pub measured: Vec<Measured>,
}

/// What a side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A run bundle.
    Run,
    /// A baseline.
    Baseline,
    /// Plain numbers.
    Plain,
}

/// Reads a side by what the user calls it: a run bundle's folder, a file, or the name of a baseline.
///
/// # Errors
/// Neither a run, a baseline nor a CSV file is there, or it cannot be read: which, and why.
pub fn side(named: &Path, metric: Option<&str>) -> Result<Side, CommandError> {
    if named.join(LOG).is_file() {
        return Ok(of_run(named, &recorded(named)?));
    }
    if named.is_file() {
        let text = text(named)?;
        if text.trim_start().starts_with('{') {
            return Ok(of_baseline(read(named)?));
        }
        let Some(metric) = metric else {
            return Err(usage!(
                "{}: say what its values are with --metric, such as --metric hitch_ms_per_s",
                shown(named)
            ));
        };
        let sessions = read_plain(&text, metric).map_err(|why| FileError::content(named, why))?;
        let source = Source { name: shown(named), ..Source::default() };
        return Ok(Side {
            source,
            kind: Kind::Plain,
            measured: sessions.into_iter().map(Measured::from).collect(),
        });
    }
    let name = named.to_string_lossy().into_owned();
    let file = path(Path::new(FOLDER), &name).ok().filter(|file| file.is_file());
    let file = file.ok_or_else(|| unknown(&name))?;
    Ok(of_baseline(read(&file)?))
}

fn unknown(name: &str) -> CommandError {
    let names: Vec<String> = list(Path::new(FOLDER)).into_iter().map(|(name, _)| name).collect();
    let known = match names.len() {
        0 => format!("there is no baseline in {FOLDER} yet; `farmjank baseline save` makes one"),
        _ => format!("baselines are: {}", names.join(", ")),
    };
    let name = typed(name, 200);
    usage!("{name}: no run bundle, file or baseline of that name; {known}")
}

fn of_run(named: &Path, record: &Record) -> Side {
    // A simulated run has no wall time to speak of.
    let wall = record.header.lab.is_none().then(|| record.header.wall.clone());
    let source = Source { name: shown(named), wall, by: None, why: None };
    Side { source, kind: Kind::Run, measured: measured(record) }
}

/// A baseline as a side.
pub fn of_baseline(baseline: Baseline) -> Side {
    let source = baseline.source();
    let measured = baseline.sessions.into_iter().map(Measured::from).collect();
    Side { source, kind: Kind::Baseline, measured }
}

/// The record of a run bundle.
///
/// # Errors
/// The log that is not there or is damaged, with the line.
pub fn recorded(run: &Path) -> Result<Record, FileError> {
    let bytes = host::Bundle::open(run).log()?;
    let read = Record::read_ndjson(&bytes).map_err(|bad| FileError::content(&run.join(LOG), bad))?;
    Ok(read.0)
}

/// A baseline's file.
///
/// # Errors
/// It cannot be read, or is none.
pub fn read(file: &Path) -> Result<Baseline, FileError> {
    Baseline::read(&text(file)?).map_err(|why| FileError::content(file, why))
}

fn text(file: &Path) -> Result<String, FileError> {
    let bytes = host::read_file(file, MOST)?;
    String::from_utf8(bytes).map_err(|_| FileError::new(file, FileProblem::NotText))
}

/// Where a baseline of that name lies.
///
/// # Errors
/// When it cannot be a name: names become files.
pub fn path(folder: &Path, name: &str) -> Result<PathBuf, CommandError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || name.len() > 100 || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        let shown = typed(name, 100);
        return Err(usage!("`{shown}` cannot name a baseline; use letters, digits, `.`, `_` and `-`"));
    }
    Ok(folder.join(format!("{name}.json")))
}

/// Names and files of all baselines, by name.
pub fn list(folder: &Path) -> Vec<(String, PathBuf)> {
    let named = |file: PathBuf| Some((file.file_name()?.to_str()?.strip_suffix(".json")?.to_owned(), file));
    host::files_in(folder).into_iter().filter_map(named).collect()
}

/// Reads `14d`, `36h`, `90m`; days count 24 hours.
///
/// # Errors
/// The text is no number with `d`, `h` or `min`.
pub fn age(text: &str) -> Result<jiff::SignedDuration, CommandError> {
    let wrong = || usage!("`{text}` is no age; write for example 30d or 12h");
    let (digits, unit) =
        text.trim().split_at(text.trim().find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?);
    let count: i64 = digits.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "d" => 86_400,
        "h" => 3_600,
        "m" | "min" => 60,
        _ => return Err(wrong()),
    };
    count.checked_mul(seconds).map(jiff::SignedDuration::from_secs).ok_or_else(wrong)
}

/// How long after `from` an instant is; none when either is no instant.
pub fn since(from: &str, to: &str) -> Option<jiff::SignedDuration> {
    let [from, to] = [from, to].map(|text| text.parse::<jiff::Timestamp>());
    Some(to.ok()?.duration_since(from.ok()?))
}

/// Why a baseline does not count any more at an instant; none while it does.
pub fn expired(source: &Source, at: &str, most: jiff::SignedDuration) -> Option<String> {
    let age = since(source.wall.as_deref()?, at)?;
    (age > most).then(|| {
        let day = |span: jiff::SignedDuration| span.as_secs() / 86_400;
        format!(
            "it was pinned {} days ago and counts for {}; accept newer runs with `farmjank baseline accept`",
            day(age),
            day(most)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_paths_are_refused() {
        let folder = Path::new("b");
        assert_eq!(path(folder, "release-7.4"), Ok(PathBuf::from("b/release-7.4.json")));
        for name in ["", "..", "../x", "a/b", ".hidden", "-x", "a b", "ä"] {
            assert!(path(folder, name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_baseline_expires_and_says_how_old_it_is() {
        let source = Source { wall: Some("2026-03-01T00:00:00Z".into()), ..Source::default() };
        let month = age("30d").unwrap();
        assert_eq!(expired(&source, "2026-03-30T00:00:00Z", month), None);
        let why = expired(&source, "2026-04-11T00:00:00Z", month).unwrap();
        assert!(why.contains("41 days ago and counts for 30"), "{why}");
        // Simulated runs have no wall time to speak of.
        assert_eq!(expired(&source, "2000-01-01T00:00:00Z", month), None);
        assert!(
            age("30").is_err()
                && age("x").is_err()
                && age("3y").is_err()
                && age("99999999999999999d").is_err()
        );
    }
}
