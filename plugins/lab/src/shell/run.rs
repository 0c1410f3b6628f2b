//! Walking the tree: lists, chains, pipelines, subshells. Loops and choices are in `steer`, simple commands in `simple`.
//!
//! A shell that never waits would stop the one thread of the whole lab, and its time: every so many commands cost a
//! millisecond of lab time, as they would on a phone.

use super::environment::{Environment, Process};
use super::jobs::Jobs;
use super::stream::{Broken, Sink, Source, pipe};
use super::syntax::{Chain, Command, Item, Join, Kind, List, Pipeline, Script};
use super::{Programs, parser};
use super::{simple, steer};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

/// Commands that together take a millisecond when none of them waits.
const COMMANDS_PER_MS: u32 = 500;

/// Most levels of functions and subshells.
const DEEPEST_CALL: u32 = 60;

/// Most scripts kept parsed.
const MOST_PARSED: usize = 512;

thread_local! {
    /// Scripts by their text: a lab asks the same few of hundreds of phones over and over.
    static PARSED: RefCell<BTreeMap<String, Rc<Script>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The script of a text.
fn parsed(text: &str) -> Rc<Script> {
    PARSED.with_borrow_mut(|known| {
        if let Some(script) = known.get(text) {
            return script.clone();
        }
        let script = Rc::new(parser::parse(text));
        if known.len() >= MOST_PARSED {
            known.clear();
        }
        known.insert(text.to_owned(), script.clone());
        script
    })
}

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

type Walk<'a> = Pin<Box<dyn Future<Output = Flow> + 'a>>;

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

    /// Runs a text as `sh -c` would and returns its exit status, background jobs that hold the connection awaited.
    /// Dropping the future ends the shell and those jobs.
    pub async fn run(&mut self, text: &str) -> i32 {
        let guard = self.jobs.clone().guard();
        self.script(&parsed(text)).await;
        self.leave().await;
        guard.settle().await;
        self.status
    }

    /// Runs complete lines from standard input as they come, as a shell without `-c` does.
    pub async fn run_lines(&mut self, prompt: Option<&str>) -> i32 {
        let guard = self.jobs.clone().guard();
        let source = self.io.input.clone();
        let mut text = String::new();
        loop {
            if let Some(prompt) = prompt {
                let shown = if text.is_empty() { prompt } else { "> " };
                if self.io.err.write(shown.as_bytes()).await.is_err() {
                    break;
                }
            }
            let line = source.line().await;
            let over = line.is_none();
            if let Some((line, _)) = line {
                text.push_str(&String::from_utf8_lossy(&line));
                text.push('\n');
            }
            let script = parser::parse(&text);
            if script.trouble.as_ref().is_some_and(|trouble| trouble.wants_more())
                && !over
                && text.len() < 1 << 20
            {
                continue;
            }
            text.clear();
            if self.script(&script).await == Flow::Exit || over {
                break;
            }
        }
        self.leave().await;
        guard.settle().await;
        self.status
    }

    /// The trap on exit.
    pub(super) async fn leave(&mut self) {
        if let Some(last) = self.on_exit.take() {
            let status = self.status;
            let flow = self.script(&parser::parse(&last)).await;
            if flow != Flow::Exit {
                self.status = status;
            }
        }
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

    pub(super) fn fork(&self) -> Shell {
        let mut child = self.clone();
        child.process.depth += 1;
        child.on_exit = None;
        child
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

    pub(super) fn script<'a>(&'a mut self, script: &'a Script) -> Walk<'a> {
        Box::pin(async move {
            for line in &script.lines {
                let flow = self.list(line).await;
                if flow != Flow::On {
                    return flow;
                }
            }
            if let Some(trouble) = &script.trouble {
                self.complain(&trouble.to_string()).await;
                self.status = 1;
                return Flow::Exit;
            }
            Flow::On
        })
    }

    pub(super) async fn list(&mut self, list: &List) -> Flow {
        for item in &list.0 {
            let flow = if item.background { self.background(item) } else { self.chain(&item.chain).await };
            if flow != Flow::On {
                return flow;
            }
        }
        Flow::On
    }

    fn background(&mut self, item: &Item) -> Flow {
        let pid = self.phone.next_pid();
        let mut child = self.fork();
        child.io.input = Source::Empty;
        child.process.job = Some(pid);
        let attached = child.io.out.is_outlet() || child.io.err.is_outlet();
        let chain = item.chain.clone();
        let work = async move {
            child.chain(&chain).await;
            child.status
        };
        self.jobs.start(pid, attached, work);
        self.process.last_job = Some(pid);
        self.status = 0;
        Flow::On
    }

    async fn chain(&mut self, chain: &Chain) -> Flow {
        let mut flow = self.pipeline(&chain.first).await;
        for (join, next) in &chain.rest {
            if flow != Flow::On {
                return flow;
            }
            if (*join == Join::And) == (self.status == 0) {
                flow = self.pipeline(next).await;
            }
        }
        flow
    }

    async fn pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        let flow = match pipeline.stages.as_slice() {
            [only] => self.command(only).await,
            stages => {
                self.status = Box::pin(self.piped(stages)).await;
                Flow::On
            }
        };
        if pipeline.negated && flow == Flow::On {
            self.status = i32::from(self.status == 0);
        }
        flow
    }

    /// Runs stages at the same time, each in its own process; the status is the last one's.
    async fn piped(&mut self, stages: &[Command]) -> i32 {
        let mut input = self.io.input.clone();
        let mut work = Vec::with_capacity(stages.len());
        for (i, stage) in stages.iter().enumerate() {
            let mut child = self.fork();
            child.io.input = input.clone();
            if i + 1 < stages.len() {
                let (write, read) = pipe();
                child.io.out = Sink::Pipe(Rc::new(write));
                input = Source::Pipe(Rc::new(read));
            }
            work.push(async move {
                child.command(stage).await;
                child.status
            });
        }
        drop(input);
        let statuses = futures::future::join_all(work).await;
        statuses.last().copied().unwrap_or(0)
    }

    pub(super) async fn command(&mut self, command: &Command) -> Flow {
        match &command.kind {
            Kind::Simple { assigns, words } => simple::simple(self, assigns, words, &command.redirects).await,
            _ => self.compound(command).await,
        }
    }

    fn compound<'a>(&'a mut self, command: &'a Command) -> Walk<'a> {
        Box::pin(async move {
            if self.process.depth > DEEPEST_CALL {
                self.complain("too many levels of subshells").await;
                self.status = 1;
                return Flow::Exit;
            }
            let before = self.io.clone();
            if let Err(complaint) = simple::redirect(self, &command.redirects).await {
                self.complain(&complaint).await;
                self.io = before;
                self.status = 1;
                return Flow::On;
            }
            let flow = steer::kind(self, &command.kind).await;
            self.io = before;
            flow
        })
    }

    /// A complaint that ends the shell.
    pub(super) async fn fatal(&mut self, complaint: &str) -> Flow {
        self.complain(complaint).await;
        self.status = 1;
        Flow::Exit
    }

    /// Calls a function with parameters.
    pub(super) fn call<'a>(&'a mut self, body: Rc<Command>, argv: &'a [String]) -> Walk<'a> {
        Box::pin(async move {
            self.process.depth += 1;
            let outer = std::mem::replace(&mut self.env.params, argv[1..].to_vec());
            let flow = self.command(&body).await;
            self.env.params = outer;
            self.process.depth -= 1;
            if flow == Flow::Return { Flow::On } else { flow }
        })
    }
}
