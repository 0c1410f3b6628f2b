//! A shell process, and what every part of the interpreter asks of it.
//!
//! A shell that never waits would stop the one thread of the whole lab, and its time: every so many commands cost a
//! millisecond of lab time, as they would on a phone. Must not know any command.

use super::Programs;
use super::environment::{Environment, Process};
use super::jobs::Jobs;
use super::shell_error::ShellError;
use super::stream::{Broken, Sink, Source};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Commands that together take a millisecond when none of them waits.
const COMMANDS_PER_MS: u32 = 500;

/// A process's three streams.
#[derive(Clone)]
pub struct Io {
    /// Standard input.
    pub input: Source,
    /// Standard output.
    pub out: Sink,
    /// Standard error.
    pub err: Sink,
}

/// How a command leaves the list it is in. The status is in [`Shell::status`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// On to the next command.
    On,
    /// Out of so many loops.
    Break(u32),
    /// To the next round of the loop so many levels up.
    Continue(u32),
    /// Out of the function.
    Return,
    /// Out of the shell.
    Exit,
}

/// A shell process. Cloning is `fork`.
#[derive(Clone)]
pub struct Shell {
    pub(super) phone: Rc<dyn Programs>,
    pub(super) jobs: Rc<Jobs>,
    pub(super) env: Environment,
    pub(super) process: Process,
    pub(super) io: Io,
    pub(super) on_exit: Option<String>,
    pub(super) status: i32,
    fuel: Rc<Cell<u32>>,
}

impl Shell {
    /// A fresh shell, as adbd starts one for a command.
    pub fn new(phone: Rc<dyn Programs>, io: Io) -> Self {
        Shell {
            jobs: Rc::new(Jobs::default()),
            env: Environment::of_adbd(),
            process: Process { pid: phone.next_pid(), last_job: None, job: None, depth: 0 },
            io,
            on_exit: None,
            status: 0,
            fuel: Rc::new(Cell::new(0)),
            phone,
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid
    }

    pub(super) fn fork(&self) -> Shell {
        let mut child = self.clone();
        child.process.depth += 1;
        child.on_exit = None;
        child
    }

    /// A variable or special parameter; nothing when unset.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        match name {
            "?" => Some(self.status.to_string()),
            "$" => Some(self.process.pid.to_string()),
            "!" => self.process.last_job.map(|pid| pid.to_string()),
            "#" => Some(self.env.params.len().to_string()),
            "@" | "*" => Some(self.env.params.join(" ")),
            "0" => Some(self.env.name.to_string()),
            "PWD" => Some(self.env.cwd.clone()),
            "RANDOM" => Some(((self.phone.wall_ns() / 1000) & 0x7fff).to_string()),
            _ => match name.parse::<usize>() {
                Ok(n) => self.env.params.get(n.wrapping_sub(1)).cloned(),
                Err(_) => self.env.vars.get(name).cloned(),
            },
        }
    }

    /// Pays for one command.
    pub(super) async fn pay(&self) {
        let spent = self.fuel.get() + 1;
        self.fuel.set(spent % COMMANDS_PER_MS);
        if spent >= COMMANDS_PER_MS {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Prints a complaint the way the shell does.
    pub(super) async fn complain(&self, text: &str) {
        let line = format!("{}: {text}\n", self.env.name);
        let _ = self.io.err.write(line.as_bytes()).await;
    }

    /// Writes to standard output: status 0, or the end of a process whose reader is gone.
    pub(super) async fn print(&mut self, bytes: &[u8]) -> Flow {
        match self.io.out.write(bytes).await {
            Ok(()) => Flow::On,
            Err(Broken) => self.sigpipe(),
        }
    }

    pub(super) fn sigpipe(&mut self) -> Flow {
        self.status = 141;
        Flow::Exit
    }

    /// A complaint that ends the shell.
    pub(super) async fn fatal(&mut self, complaint: &ShellError) -> Flow {
        self.complain(&complaint.to_string()).await;
        self.status = 1;
        Flow::Exit
    }
}
