//! What the programs of the toolbox share: their options, their inputs, and how they end.

use super::super::absolute;
use super::super::state::Shell;
use super::super::stream::{Broken, Sink, Source};
use std::collections::VecDeque;

/// Most bytes a program holds that must see all of its input (`sort`, `tail`).
pub(super) const HOLD: usize = 8 * 1024 * 1024;

/// How a program ends early.
pub(super) enum Stop {
    /// Its reader is gone.
    Pipe,
    /// It refuses: this on standard error, and this status.
    Refused(String, i32),
}

impl From<Broken> for Stop {
    fn from(_: Broken) -> Self {
        Stop::Pipe
    }
}

pub(super) type Ended = Result<i32, Stop>;

/// An option this program does not do here, in toybox's words.
pub(super) fn unknown(name: &str, option: char) -> Stop {
    Stop::Refused(format!("Unknown option '{option}' (see \"{name} --help\")"), 1)
}

pub(super) fn refuse(why: impl Into<String>) -> Stop {
    Stop::Refused(why.into(), 1)
}

/// Options of one letter, those in `valued` with a value, and the operands that follow.
pub(super) struct Options {
    pub(super) set: Vec<(char, String)>,
    pub(super) operands: Vec<String>,
}

impl Options {
    pub(super) fn parse(name: &str, args: &[String], flags: &str, valued: &str) -> Result<Self, Stop> {
        let mut options = Options { set: Vec::new(), operands: Vec::new() };
        let mut args: VecDeque<&str> = args.iter().map(String::as_str).collect();
        while let Some(arg) = args.pop_front() {
            if arg == "--" {
                options.operands.extend(args.drain(..).map(str::to_owned));
            } else if let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                let mut chars = letters.chars();
                while let Some(letter) = chars.next() {
                    if valued.contains(letter) {
                        let rest: String = chars.by_ref().collect();
                        let value =
                            if rest.is_empty() { args.pop_front().map(str::to_owned) } else { Some(rest) };
                        let Some(value) = value else {
                            return Err(refuse(format!(
                                "Missing argument to -{letter} (see \"{name} --help\")"
                            )));
                        };
                        options.set.push((letter, value));
                    } else if flags.contains(letter) {
                        options.set.push((letter, String::new()));
                    } else {
                        return Err(unknown(name, letter));
                    }
                }
            } else {
                options.operands.push(arg.to_owned());
            }
        }
        Ok(options)
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.set.iter().any(|(l, _)| *l == letter)
    }

    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.set.iter().rev().find(|(l, _)| *l == letter).map(|(_, value)| value.as_str())
    }

    pub(super) fn number(&self, letter: char) -> Result<Option<u64>, Stop> {
        self.value(letter)
            .map(|text| text.parse().map_err(|_| refuse(format!("not integer: {text}"))))
            .transpose()
    }
}

/// Where a filter writes.
pub(super) fn out(shell: &Shell) -> Sink {
    shell.io.out.clone()
}

impl Shell {
    /// The inputs of a filter: its files in order, or standard input. A missing file is complained about and skipped.
    pub(super) async fn inputs(&self, name: &str, files: &[String]) -> (Vec<(String, Source)>, i32) {
        if files.is_empty() {
            return (vec![(String::new(), self.io.input.clone())], 0);
        }
        let mut sources = Vec::new();
        let mut status = 0;
        for file in files {
            if file == "-" {
                sources.push((file.clone(), self.io.input.clone()));
            } else if file == "/dev/null" {
                sources.push((file.clone(), Source::Empty));
            } else if let Some(bytes) = self.phone.file(&absolute(&self.env.cwd, file)) {
                sources.push((file.clone(), Source::of(bytes)));
            } else {
                let line = format!("{name}: {file}: No such file or directory\n");
                let _ = self.io.err.write(line.as_bytes()).await;
                status = 1;
            }
        }
        (sources, status)
    }
}

pub(super) async fn say(shell: &Shell, text: &str) -> Ended {
    shell.io.out.write(text.as_bytes()).await?;
    Ok(0)
}
