//! A plugin's process: started without a shell, spoken to through pipes, ended with all it started.
//!
//! Pipes block, so a thread of its own stands at each: whatever the plugin does, the run waits for none of them.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::secrets::secrets;
use super::system;
use farmjank_process::limits::{BACKLOG, LINE};
use farmjank_process::{Backlog, Exit, Heard, Parting, Pipe};
use farmjank_results::fault::{Fault, FaultCode};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines that wait to be heard: each may be long, and a plugin can wait.
const UNHEARD: usize = 2;
/// Most bytes kept of the end of its standard error.
const LAST_WORDS: usize = 4 << 10;
/// How often its end is looked for.
const LOOK: Duration = Duration::from_millis(5);
/// How long its last words are waited for once it is gone: who it started may hold the pipe open.
const TO_SPEAK: Duration = Duration::from_millis(200);

/// A plugin that runs.
pub struct PluginProcess {
    child: Child,
    since: Instant,
    tell: Option<Sender<Vec<u8>>>,
    waiting: Arc<AtomicUsize>,
    heard: Receiver<Heard>,
    last_words: Arc<Mutex<Vec<u8>>>,
    spoken: Receiver<()>,
    parted: Option<Parting>,
}

impl PluginProcess {
    /// Starts a program with its arguments, in this folder, without the variables that hold a secret.
    ///
    /// # Errors
    /// `program_missing`: it cannot be started.
    pub fn start(program: &str, args: &[String]) -> Result<Box<dyn Pipe>, Fault> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for the run, which still wants its reports.
        system::apart(&mut command);
        for name in secret_variables() {
            command.env_remove(name);
        }
        let missing = |why: &str| {
            Fault::new(FaultCode::ProgramMissing, format!("`{program}` cannot be started: {why}"))
                .advise("name a program by its path, or one of PATH, with its arguments behind it")
        };
        let mut child = command.spawn().map_err(|error| missing(&error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(missing("it has no pipes"));
        };
        let (tell, told) = channel();
        let (say, heard) = sync_channel(UNHEARD);
        let (end, spoken) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (left, words) = (waiting.clone(), last_words.clone());
        std::thread::spawn(move || write(stdin, &told, &left));
        std::thread::spawn(move || read(stdout, &say));
        std::thread::spawn(move || keep_end(stderr, &words, &end));
        let since = Instant::now();
        Ok(Box::new(PluginProcess {
            child,
            since,
            tell: Some(tell),
            waiting,
            heard,
            last_words,
            spoken,
            parted: None,
        }))
    }

    /// Its end, waited for so long; then it and all it started are ended. Whether some of that was left where it ended
    /// by itself.
    fn end(&mut self, within: Duration) -> (Exit, bool) {
        let until = Instant::now() + within;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return (system::exit(status), system::end_left(&self.child)),
                Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
                _ => {
                    system::end_with_all(&mut self.child);
                    let _ = self.child.wait();
                    return (Exit::Killed, false);
                }
            }
        }
    }

    fn last_line(&self) -> String {
        let _ = self.spoken.recv_timeout(TO_SPEAK);
        let bytes = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
    }
}

/// Variables of the environment whose values hold a secret of the scenarios.
fn secret_variables() -> Vec<std::ffi::OsString> {
    let Some(mask) = secrets() else { return Vec::new() };
    let holds = |value: &std::ffi::OsStr| {
        let bytes = value.as_encoded_bytes();
        mask.bytes(bytes) != bytes
    };
    std::env::vars_os().filter(|(_, value)| holds(value)).map(|(name, _)| name).collect()
}

fn write(mut stdin: ChildStdin, told: &Receiver<Vec<u8>>, waiting: &AtomicUsize) {
    for bytes in told {
        if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
            // It is gone, or reads no more: its output tells.
            return;
        }
        waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
    }
}

fn read(stdout: ChildStdout, say: &SyncSender<Heard>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = (&mut stdout).take(LINE as u64 + 1).read_until(b'\n', &mut line);
        let heard = match read {
            Ok(0) | Err(_) => Heard::Closed,
            Ok(_) if line.len() > LINE => Heard::LongLine,
            Ok(_) => {
                if line.ends_with(b"\n") {
                    line.pop();
                }
                Heard::Line(line)
            }
        };
        let over = !matches!(heard, Heard::Line(_));
        if say.send(heard).is_err() || over {
            return;
        }
    }
}

fn keep_end(mut stderr: ChildStderr, last_words: &Mutex<Vec<u8>>, end: &Sender<()>) {
    let mut piece = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut piece) {
        let mut kept = last_words.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..read]);
        let over = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..over);
    }
    // Nobody may wait any more.
    let _ = end.send(());
}

impl Pipe for PluginProcess {
    fn send(&mut self, bytes: &[u8]) -> Result<(), Backlog> {
        let waiting = self.waiting.load(Ordering::Relaxed);
        if waiting > 0 && waiting + bytes.len() > BACKLOG {
            return Err(Backlog);
        }
        if let Some(tell) = &self.tell {
            self.waiting.fetch_add(bytes.len(), Ordering::Relaxed);
            // One that is gone takes nothing more: its output tells.
            let _ = tell.send(bytes.to_vec());
        }
        Ok(())
    }

    fn hear(&mut self, within: Duration) -> Heard {
        match self.heard.recv_timeout(within) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::Closed,
        }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn part(&mut self, within: Duration) -> Parting {
        if let Some(parted) = &self.parted {
            return parted.clone();
        }
        self.tell = None;
        let (exit, left_behind) = self.end(within);
        let parted = Parting { exit, left_behind, last_words: self.last_line() };
        self.parted.insert(parted).clone()
    }
}

impl Drop for PluginProcess {
    fn drop(&mut self) {
        if self.parted.is_none() {
            self.end(Duration::ZERO);
        }
    }
}
