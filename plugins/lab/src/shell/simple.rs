//! Simple commands: assignments, redirections, and who answers — a function, the shell itself, a filter, the phone.

use super::run::{Flow, Io, Shell};
use super::stream::{Sink, Source};
use super::syntax::{Part, Redirect, Target, Word};
use super::{absolute, builtin, filters};
use std::future::Future;
use std::pin::Pin;

/// Folders whose programs are also known by their bare name.
const PROGRAM_FOLDERS: [&str; 5] =
    ["/system/bin/", "/system/xbin/", "/vendor/bin/", "/product/bin/", "/bin/"];

/// Most bytes of input a program of the phone takes in.
const INPUT_MOST: usize = 1 << 20;

impl Shell {
    pub(super) async fn simple(
        &mut self,
        assigns: &[(String, Word)],
        words: &[Word],
        redirects: &[Redirect],
    ) -> Flow {
        self.pay().await;
        let argv = match self.fields(words).await {
            Ok(argv) => argv,
            Err(complaint) => return self.fatal(&complaint).await,
        };
        let mut kept: Vec<(String, Option<String>)> = Vec::new();
        for (name, word) in assigns {
            let value = match self.text(word).await {
                Ok(value) => value,
                Err(complaint) => return self.fatal(&complaint).await,
            };
            let old = self.vars.insert(name.clone(), value);
            kept.push((name.clone(), old));
        }
        // `x=$(false)` has the status of the substitution; a line of assignments alone has 0, once `$?` was read by them.
        let runs =
            |(_, word): &(String, Word)| word.0.iter().any(|part| matches!(part, Part::Command { .. }));
        if argv.is_empty() && !words.iter().any(|word| word.bare().is_none()) && !assigns.iter().any(runs) {
            self.status = 0;
        }
        let before = (!redirects.is_empty()).then(|| self.io.clone());
        if let Err(complaint) = self.redirect(redirects).await {
            self.complain(&complaint).await;
            self.status = 1;
            self.restore(before);
            return Flow::On;
        }
        let Some(name) = argv.first() else {
            self.restore(before);
            return Flow::On;
        };
        let flow = match name.as_str() {
            "exec" if argv.len() == 1 => return Flow::On, // the redirections stay
            _ => self.dispatch(&argv).await,
        };
        self.restore(before);
        for (name, old) in kept.into_iter().rev() {
            match old {
                Some(value) => self.vars.insert(name, value),
                None => self.vars.remove(&name),
            };
        }
        flow
    }

    fn restore(&mut self, before: Option<Io>) {
        if let Some(before) = before {
            self.io = before;
        }
    }

    /// Runs a command whose words are known.
    pub(super) async fn dispatch(&mut self, argv: &[String]) -> Flow {
        let Some(name) = argv.first() else { return Flow::On };
        if let Some(body) = self.functions.get(name).cloned() {
            return self.call(body, argv).await;
        }
        if let Some(flow) = builtin::run(self, argv).await {
            return flow;
        }
        self.outside(argv).await
    }

    /// Commands that run other commands go through here, so that futures stay finite.
    pub(super) fn dispatch_boxed<'a>(
        &'a mut self,
        argv: &'a [String],
    ) -> Pin<Box<dyn Future<Output = Flow> + 'a>> {
        Box::pin(self.dispatch(argv))
    }

    /// A program: a filter of the phone's toolbox or a program of the phone.
    async fn outside(&mut self, argv: &[String]) -> Flow {
        let mut argv = std::borrow::Cow::Borrowed(argv);
        if let Some(bare) = PROGRAM_FOLDERS.iter().find_map(|folder| argv[0].strip_prefix(folder)) {
            let bare = bare.to_owned();
            argv.to_mut()[0] = bare;
        }
        if let Some(flow) = filters::run(self, &argv).await {
            return flow;
        }
        let input = match self.phone.reads_input(&argv) {
            true => self.io.input.read_all(INPUT_MOST).await,
            false => Vec::new(),
        };
        let Some(job) = self.phone.start_fed(&argv, input, self.job) else {
            self.complain(&format!("{}: inaccessible or not found", argv[0])).await;
            self.status = 127;
            return Flow::On;
        };
        let said = job.await;
        self.status = said.status;
        if self.io.err.write(&said.err).await.is_err() || self.io.out.write(&said.out).await.is_err() {
            // The program was killed by SIGPIPE; the shell itself finds out when it prints.
            self.status = 141;
        }
        Flow::On
    }

    /// Applies redirections to this shell's streams. `Err` holds the shell's complaint.
    pub(super) async fn redirect(&mut self, redirects: &[Redirect]) -> Result<(), String> {
        for redirect in redirects {
            match &redirect.target {
                Target::Read(word) => {
                    let path = self.text(word).await?;
                    self.io.input = self.open(&path)?;
                }
                Target::Text(word) => self.io.input = Source::of(self.text(word).await?.into_bytes()),
                Target::Write(word) | Target::Append(word) => {
                    let path = self.text(word).await?;
                    let sink = self.create(&path, matches!(redirect.target, Target::Append(_)))?;
                    self.set(redirect.fd, sink);
                }
                Target::Copy(0) => {}
                Target::Copy(from) => {
                    let sink = if *from == 1 { self.io.out.clone() } else { self.io.err.clone() };
                    self.set(redirect.fd, sink);
                }
                Target::Close => self.set(redirect.fd, Sink::Null),
            }
        }
        Ok(())
    }

    fn set(&mut self, fd: u8, sink: Sink) {
        match fd {
            1 => self.io.out = sink,
            2 => self.io.err = sink,
            _ => self.io.input = Source::Empty,
        }
    }

    fn open(&self, path: &str) -> Result<Source, String> {
        if path == "/dev/null" {
            return Ok(Source::Empty);
        }
        match self.phone.file(&absolute(&self.cwd, path)) {
            Some(bytes) => Ok(Source::of(bytes)),
            None => Err(format!("can't open {path}: No such file or directory")),
        }
    }

    fn create(&self, path: &str, append: bool) -> Result<Sink, String> {
        if path == "/dev/null" {
            return Ok(Sink::Null);
        }
        let whole = absolute(&self.cwd, path);
        if !self.phone.writable(&whole) {
            return Err(format!("can't create {path}: Read-only file system"));
        }
        if !append || self.phone.file(&whole).is_none() {
            self.phone.write(&whole, Vec::new());
        }
        Ok(Sink::File(self.phone.clone(), whole.into()))
    }
}
