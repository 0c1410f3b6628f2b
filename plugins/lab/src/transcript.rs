//! What a phone's shell was asked and what came of it, word for word: for whoever holds this shell against another one.
//!
//! A transcript has the line, every program of the phone it started with what that said, the files and clocks it read,
//! and what it printed. Must not know other shells, nor what any program means.

use crate::shell::stream::{Broken, Channel, Outlet};
use crate::shell::{Job, Programs, Said};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll};

/// A program of the phone that a line started, or a signal it sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The program and its arguments. A signal is `kill`, its number, and the process.
    pub argv: Vec<String>,
    /// What it was fed, where it reads its input.
    pub input: Option<Vec<u8>>,
    /// Whether the phone has such a program.
    pub known: bool,
    /// What it said; nothing when the line was cut off before it ended.
    pub said: Option<Said>,
}

/// One line and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The line.
    pub line: String,
    /// What it started, in order.
    pub calls: Vec<Call>,
    /// What it read of the phone's files, in order: path and content, nothing where there was no such file.
    pub files: Vec<(String, Option<Vec<u8>>)>,
    /// What it read of the phone's wall clock, ns since 1970.
    pub clock: Vec<i64>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status; nothing when whoever asked went away first, or somebody else killed it.
    pub status: Option<i32>,
}

/// Takes transcripts, each when its line is over.
pub type Scribe = Rc<dyn Fn(Transcript)>;

/// A transcript being written.
pub(crate) struct Tape {
    transcript: RefCell<Transcript>,
    handed_over: Cell<bool>,
    scribe: Scribe,
}

impl Tape {
    /// Of one line.
    pub(crate) fn new(line: &str, scribe: Scribe) -> Rc<Tape> {
        let transcript = Transcript { line: line.to_owned(), ..Transcript::default() };
        Rc::new(Tape { transcript: RefCell::new(transcript), handed_over: Cell::new(false), scribe })
    }

    /// The line is over, with this status if it came to its end.
    pub(crate) fn finish(&self, status: Option<i32>) {
        if !self.handed_over.replace(true) {
            let transcript = self.transcript.take();
            (self.scribe)(Transcript { status, ..transcript });
        }
    }

    fn note(&self, call: Call) -> usize {
        let calls = &mut self.transcript.borrow_mut().calls;
        calls.push(call);
        calls.len() - 1
    }

    /// The answer of a program; one that ends after its line is nobody's.
    fn answered(&self, at: usize, said: &Said) {
        if let Some(call) = self.transcript.borrow_mut().calls.get_mut(at) {
            call.said = Some(said.clone());
        }
    }
}

/// Hands the transcript over when the shell is dropped.
pub(crate) struct Ending(pub(crate) Rc<Tape>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.finish(None);
    }
}

/// A phone's programs, listened to.
pub(crate) struct Taped<P> {
    pub(crate) phone: P,
    pub(crate) tape: Rc<Tape>,
}

impl<P: Programs> Taped<P> {
    fn noted(&self, argv: &[String], input: Option<Vec<u8>>, job: Option<Job>) -> Option<Job> {
        let known = job.is_some();
        let at = self.tape.note(Call { argv: argv.to_vec(), input, known, said: None });
        let job = job?;
        let tape = self.tape.clone();
        Some(Box::pin(async move {
            let said = job.await;
            tape.answered(at, &said);
            said
        }))
    }
}

impl<P: Programs> Programs for Taped<P> {
    fn start(&self, argv: &[String]) -> Option<Job> {
        self.noted(argv, None, self.phone.start(argv))
    }

    fn reads_input(&self, argv: &[String]) -> bool {
        self.phone.reads_input(argv)
    }

    fn start_fed(&self, argv: &[String], input: Vec<u8>, job: Option<u32>) -> Option<Job> {
        let fed = self.reads_input(argv).then(|| input.clone());
        self.noted(argv, fed, self.phone.start_fed(argv, input, job))
    }

    fn signal(&self, pid: u32, signal: i32) -> bool {
        let known = self.phone.signal(pid, signal);
        let argv = vec!["kill".to_owned(), signal.to_string(), pid.to_string()];
        let said = Said { status: i32::from(!known), ..Said::default() };
        self.tape.note(Call { argv, input: None, known: true, said: Some(said) });
        known
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.phone.file(path);
        self.tape.transcript.borrow_mut().files.push((path.to_owned(), bytes.clone()));
        bytes
    }

    fn writable(&self, path: &str) -> bool {
        self.phone.writable(path)
    }

    fn write(&self, path: &str, bytes: Vec<u8>) {
        self.phone.write(path, bytes);
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        self.phone.append(path, bytes);
    }

    fn remove(&self, path: &str) -> bool {
        self.phone.remove(path)
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        self.phone.files_below(folder)
    }

    fn wall_ns(&self) -> i64 {
        let at = self.phone.wall_ns();
        self.tape.transcript.borrow_mut().clock.push(at);
        at
    }

    fn next_pid(&self) -> u32 {
        self.phone.next_pid()
    }
}

/// The connection, listened to.
pub(crate) struct Overheard<O> {
    pub(crate) outlet: Rc<O>,
    pub(crate) tape: Rc<Tape>,
}

impl<O: Outlet> Outlet for Overheard<O> {
    fn poll_put(&self, cx: &mut Context<'_>, channel: Channel, bytes: &[u8]) -> Poll<Result<usize, Broken>> {
        let put = self.outlet.poll_put(cx, channel, bytes);
        if let Poll::Ready(Ok(taken)) = put {
            let transcript = &mut *self.tape.transcript.borrow_mut();
            let into = if channel == Channel::Out { &mut transcript.out } else { &mut transcript.err };
            into.extend_from_slice(&bytes[..taken]);
        }
        put
    }
}
