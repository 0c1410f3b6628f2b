//! Programs run from the root of the repository, shown before they run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What failed, in words.
#[derive(Debug, PartialEq, Eq)]
pub struct Failed(pub String);

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A program with its arguments.
pub struct Program {
    command: Command,
    shown: String,
}

impl Program {
    /// A program with arguments separated by spaces.
    pub fn new(program: impl Into<OsString>, shown: &str, words: &str) -> Program {
        let mut command = Command::new(program.into());
        command.current_dir(root());
        Program { command, shown: shown.to_owned() }.words(words)
    }

    /// The cargo that runs us, with arguments separated by spaces.
    pub fn cargo(words: &str) -> Program {
        Program::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), "cargo", words)
    }

    /// With more arguments, separated by spaces.
    pub fn words(mut self, words: &str) -> Program {
        for word in words.split_whitespace() {
            self.command.arg(word);
            self.shown.push_str(&format!(" {word}"));
        }
        self
    }

    /// With more arguments, as they are.
    pub fn args(mut self, args: &[String]) -> Program {
        for arg in args {
            self.command.arg(arg);
            self.shown.push_str(&format!(" {arg}"));
        }
        self
    }

    /// With a variable in its environment.
    pub fn env(mut self, name: &str, value: &str) -> Program {
        self.command.env(name, value);
        self.shown = format!("{name}={value} {}", self.shown);
        self
    }

    /// Runs it before the reader's eyes.
    ///
    /// # Errors
    /// It could not be started, or did not end well.
    pub fn run(mut self) -> Result<(), Failed> {
        println!("$ {}", self.shown);
        match self.command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Failed(format!("`{}` ended with {status}", self.shown))),
            Err(why) => Err(Failed(format!("`{}` cannot be started: {why}", self.shown))),
        }
    }

    /// Runs it unseen; whether it ended well.
    pub fn succeeds(mut self) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self.command.status().is_ok_and(|status| status.success())
    }

    /// Runs it unseen; what it printed.
    ///
    /// # Errors
    /// It could not be started, or did not end well.
    pub fn output(mut self) -> Result<String, Failed> {
        match self.command.output() {
            Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            Ok(output) => Err(Failed(format!("`{}` ended with {}", self.shown, output.status))),
            Err(why) => Err(Failed(format!("`{}` cannot be started: {why}", self.shown))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_or_is_missing_says_so() {
        assert_eq!(Program::cargo("--version").run(), Ok(()));
        assert!(Program::cargo("--version").output().unwrap().starts_with("cargo "));
        assert!(!Program::cargo("no-such-chore-of-cargo").succeeds());
        let missing = Program::new("no-such-program", "no-such-program", "a b").run().unwrap_err();
        assert!(missing.0.starts_with("`no-such-program a b` cannot be started"), "{}", missing.0);
    }
}
