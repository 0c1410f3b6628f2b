//! What flags and environment together mean: colour, width, variables, times.

use crate::args::{GivenArgs, PhoneArgs, When};
use crate::command_error::{CommandError, usage};
use crate::host::{self, Streams};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_results::file_error::{FileError, FileProblem};
use std::collections::BTreeMap;
use std::time::Duration;

/// What the streams of this process can show.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Colour on standard output.
    pub color: bool,
    /// Colour on standard error.
    pub color_err: bool,
    /// Symbols beyond ASCII.
    pub unicode: bool,
    /// Columns.
    pub width: usize,
    /// Progress may be drawn and redrawn on standard error.
    pub live: bool,
}

impl Terminal {
    /// From the flag, `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE`, `TERM`, `CI`, the locale and the terminals.
    pub fn resolve(color: When) -> Terminal {
        let dumb = host::env("TERM").is_some_and(|term| term == "dumb");
        let forced = host::env("FORCE_COLOR")
            .or_else(|| host::env("CLICOLOR_FORCE"))
            .is_some_and(|value| value != "0");
        let wanted = |terminal: bool| match color {
            When::Always => true,
            When::Never => false,
            When::Auto => host::env("NO_COLOR").is_none() && (forced || (terminal && !dumb)),
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(host::env);
        let ascii = dumb || locale.is_some_and(|locale| locale == "C" || locale == "POSIX");
        let ci = host::env("CI").is_some_and(|value| value != "false" && value != "0");
        Terminal {
            color: wanted(host::out_is_terminal()),
            color_err: wanted(host::is_terminal()),
            unicode: !ascii,
            width: host::columns(),
            live: host::is_terminal() && !dumb && !ci,
        }
    }
}

/// Prints an error of the command itself.
pub fn complain(what: impl std::fmt::Display) {
    Streams.err(&format!("error: {what}\n"));
}

/// Says why a command could not do what it was asked; its exit code.
pub fn refuse(error: &CommandError) -> u8 {
    complain(error);
    error.exit_code()
}

/// The serials asked for: the flag, else `ANDROID_SERIAL`, which names a real phone and means nothing to a lab.
pub fn serials(phones: &PhoneArgs) -> Vec<String> {
    if !phones.serials.is_empty() || phones.lab.is_some() {
        return phones.serials.clone();
    }
    let named = host::env("ANDROID_SERIAL").unwrap_or_default();
    named.split(',').map(str::trim).filter(|serial| !serial.is_empty()).map(str::to_owned).collect()
}

/// Reads `NAME=VALUE` of a flag (`--label`).
///
/// # Errors
/// The first that is not of that form.
pub fn variables(flag: &str, given: &[String]) -> Result<BTreeMap<String, String>, CommandError> {
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(usage!("`{flag} {text}` is not NAME=VALUE")),
    };
    given.iter().map(pair).collect()
}

/// Largest file of variables, bytes.
const ENV_FILE: u64 = 1 << 20;

/// Variables for scenarios: those of Maestro in the environment, of files, then of flags.
///
/// # Errors
/// A file that cannot be read, a line or flag that is not of that form, or a name the environment does not have.
pub fn given(args: &GivenArgs) -> Result<BTreeMap<String, String>, CommandError> {
    // As Maestro takes them over; whatever is given by name wins.
    let mut all = host::env_beginning("MAESTRO_");
    for path in &args.env_file {
        let text = String::from_utf8(host::read_file(path, ENV_FILE)?)
            .map_err(|_| FileError::new(path, FileProblem::NotText))?;
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // The line itself may be a secret that was meant for another place.
            let place = || format!("{}, line {}", shown(path), nth + 1);
            let (name, value) = variable(line, place)?;
            all.insert(name, value);
        }
    }
    for text in &args.env {
        let (name, value) = variable(text, || "-e".to_owned())?;
        all.insert(name, value);
    }
    Ok(all)
}

/// Reads `NAME=VALUE`, or `NAME` of the environment.
fn variable(text: &str, place: impl Fn() -> String) -> Result<(String, String), CommandError> {
    let (name, value) =
        text.split_once('=').map_or((text.trim_end(), None), |(name, value)| (name, Some(value)));
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(letter) {
        return Err(usage!("{}: write NAME=VALUE, or NAME for a variable of the environment", place()));
    }
    let value = value.map(str::to_owned).or_else(|| host::env(name));
    let value = value.ok_or_else(|| {
        usage!("{}: there is no variable {name} in the environment; write {name}=VALUE", place())
    })?;
    Ok((name.to_owned(), value))
}

/// Reads `60s`, `250ms`, `2m`, `1m30s`.
///
/// # Errors
/// The text is no time above or equal to nothing with its units: `250ms`, `1m30s`.
pub fn time(text: &str) -> Result<Duration, CommandError> {
    let wrong = || usage!("`{text}` is no time; write for example 250ms, 60s or 2m");
    let span: jiff::SignedDuration = text.trim().parse().map_err(|_| wrong())?;
    Duration::try_from(span).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_units_and_are_not_negative() {
        assert_eq!(time("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert!(time("5").is_err() && time("-5s").is_err() && time("").is_err());
    }

    #[test]
    fn what_is_given_comes_from_files_then_flags_and_by_name_from_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("env");
        host::write_file(&file, b"# a comment\n\nA=1\nB=b=c \n  C=\nPATH\n").unwrap();
        let args = |env: &[&str]| GivenArgs {
            env: env.iter().map(|text| (*text).to_owned()).collect(),
            env_file: vec![file.clone()],
            ..GivenArgs::default()
        };
        let all = given(&args(&["A=2"])).unwrap();
        let of = |name: &str| all.get(name).map(String::as_str);
        assert_eq!((of("A"), of("B"), of("C")), (Some("2"), Some("b=c "), Some("")));
        assert_eq!(of("PATH"), host::env("PATH").as_deref());
        assert!(given(&args(&["NOT_THERE_1"])).unwrap_err().to_string().contains("no variable NOT_THERE_1"));
        host::write_file(&file, b"hunter2 is the password\n").unwrap();
        let why = given(&args(&[])).unwrap_err().to_string();
        assert!(why.contains("line 1") && !why.contains("hunter2"), "{why}");
    }

    #[test]
    fn variables_keep_everything_after_the_first_equals_sign() {
        let read = variables("-e", &["A=b=c".into(), "B=".into()]).unwrap();
        assert_eq!((read["A"].as_str(), read["B"].as_str()), ("b=c", ""));
        assert!(variables("-e", &["=x".into()]).is_err() && variables("-e", &["x".into()]).is_err());
    }
}
