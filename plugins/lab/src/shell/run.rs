//! Walking the tree: lists, chains, pipelines, subshells. Loops and choices are in `steer`, simple commands in
//! `simple`.
//!
//! Words run scripts and commands run commands: what the parts below need of the whole they call on the shell.

use super::parser;
use super::state::{Flow, Shell};
use super::stream::{Sink, Source, pipe};
use super::syntax::{Chain, Command, Item, Join, Kind, List, Pipeline, Script};
use super::{simple, steer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

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

type Walk<'a> = Pin<Box<dyn Future<Output = Flow> + 'a>>;

impl Shell {
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
    pub(crate) async fn run_lines(&mut self, prompt: Option<&str>) -> i32 {
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
                self.complain(&complaint.to_string()).await;
                self.io = before;
                self.status = 1;
                return Flow::On;
            }
            let flow = steer::kind(self, &command.kind).await;
            self.io = before;
            flow
        })
    }

    /// Runs a command whose words are known. Commands that run other commands go through here, so that futures stay
    /// finite.
    pub(super) fn dispatch<'a>(&'a mut self, argv: &'a [String]) -> Walk<'a> {
        Box::pin(simple::dispatch(self, argv))
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
