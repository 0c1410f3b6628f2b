//! A long-lived shell, line by line. Standard error is read and dropped: the seam carries lines of standard output.
//!
//! Dropping a stream closes its connection, and adbd then hangs up on the command.

use crate::adb::lines::{Lines, find_mark};
use crate::adb::link::{Link, after};
use crate::adb::liveness::Liveness;
use crate::adb::packets::Piece;
use crate::adb::refusal::{LinkError, Subject};
use crate::adb::shell::Dialect;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::device::{Next, Stream};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A long-lived shell of one phone.
pub struct ShellStream {
    link: Link,
    reading: Reading,
    subject: Subject,
    liveness: Rc<Liveness>,
}

/// What has been understood of a stream so far. No I/O.
struct Reading {
    dialect: Dialect,
    lines: Lines,
    /// Whole lines, each with its line end.
    ready: Vec<u8>,
    /// How much of it has been handed over.
    given: usize,
    end: Option<Result<i32, LinkError>>,
}

impl ShellStream {
    pub(crate) fn new(
        link: Link,
        dialect: Dialect,
        max_line: usize,
        subject: Subject,
        liveness: Rc<Liveness>,
    ) -> Self {
        let reading =
            Reading { dialect, lines: Lines::new(max_line), ready: Vec::new(), given: 0, end: None };
        ShellStream { link, reading, subject, liveness }
    }

    async fn advance(&mut self, patience: Duration) -> Result<Next, Fault> {
        let until = after(patience);
        loop {
            if let Some(line) = self.reading.line() {
                return Ok(Next::Line(line));
            }
            match &self.reading.end {
                Some(Ok(status)) => return Ok(Next::Ended(*status)),
                Some(Err(error)) => return Err(self.subject.fault(error.clone())),
                None => {}
            }
            tokio::select! {
                biased;
                bytes = self.link.bytes() => {
                    self.liveness.heard();
                    self.reading.take(bytes);
                    // Bytes that make no line do not count as patience rewarded.
                    if self.reading.nothing_new() && Instant::now() >= until {
                        return Err(self.silent(patience));
                    }
                }
                fault = self.liveness.down() => return Err(fault),
                () = sleep_until(until) => return Err(self.silent(patience)),
            }
        }
    }

    fn silent(&self, patience: Duration) -> Fault {
        let name = self.subject.phone.as_ref().map_or("?", |id| &id.0);
        let name = crate::adb::refusal::shown(name);
        Fault::new(
            FaultCode::Silent,
            format!("a running command of phone {name} said nothing for {:.1} s", patience.as_secs_f64()),
        )
        .passing()
        .advise("the phone may be overloaded or the command hangs")
    }
}

impl Reading {
    fn nothing_new(&self) -> bool {
        self.given == self.ready.len() && self.end.is_none()
    }

    /// The next line that has arrived, without its line end.
    fn line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.ready[self.given..];
        let end = memchr::memchr(b'\n', rest)?;
        let line = rest[..end].to_vec();
        self.given += end + 1;
        if self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
        }
        Some(line)
    }

    /// Every line that has arrived.
    fn lines(&mut self) -> Option<Vec<u8>> {
        let mut lines = std::mem::take(&mut self.ready);
        lines.drain(..std::mem::take(&mut self.given));
        (!lines.is_empty()).then_some(lines)
    }

    fn push(&mut self, line: &[u8]) {
        self.ready.extend_from_slice(line);
        self.ready.push(b'\n');
    }

    fn take(&mut self, bytes: Result<Vec<u8>, LinkError>) {
        let result = match bytes {
            Ok(bytes) if bytes.is_empty() => self.at_end(),
            Ok(bytes) => self.understand(&bytes),
            Err(error) => Err(error),
        };
        match result {
            Ok(None) => {}
            Ok(Some(status)) => self.end = Some(Ok(status)),
            Err(error) => self.end = Some(Err(error)),
        }
    }

    fn understand(&mut self, bytes: &[u8]) -> Result<Option<i32>, LinkError> {
        match &mut self.dialect {
            Dialect::Packets(packets) => {
                let mut pieces = Vec::new();
                let fed = packets.feed(bytes, &mut pieces);
                for piece in pieces {
                    match piece {
                        Piece::Out(bytes) => self.cut(bytes)?,
                        Piece::Err(_) => {}
                        Piece::Exit(status) => {
                            if let Some(last) = self.lines.finish() {
                                self.push(&last);
                            }
                            return Ok(Some(i32::from(status)));
                        }
                    }
                }
                fed?;
                Ok(None)
            }
            Dialect::Marked(_) => {
                self.cut(bytes)?;
                Ok(self.take_mark())
            }
        }
    }

    fn cut(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.lines.feed(bytes, &mut self.ready).map_err(|long| LinkError::TooLarge(long.0))
    }

    /// The end of a marked stream: the mark stands at the end of its last line.
    fn take_mark(&mut self) -> Option<i32> {
        let Dialect::Marked(mark) = &self.dialect else { return None };
        let lines = self.ready.strip_suffix(b"\n")?;
        let start = memchr::memrchr(b'\n', lines).map_or(0, |end| end + 1);
        let (length, status) = find_mark(&lines[start..], mark)?;
        self.ready.truncate(start + length);
        if length > 0 {
            self.ready.push(b'\n');
        }
        Some(status)
    }

    fn at_end(&mut self) -> Result<Option<i32>, LinkError> {
        // An old phone may close before the newline after the mark; a line cut short otherwise is not a line.
        if let (Dialect::Marked(mark), Some(line)) = (&self.dialect, self.lines.finish())
            && find_mark(&line, mark).is_some()
        {
            self.push(&line);
            return Ok(self.take_mark());
        }
        Err(LinkError::Ended)
    }
}

impl Stream for ShellStream {
    fn next<'a>(&'a mut self, patience: Duration) -> Work<'a, Next> {
        Box::pin(self.advance(patience))
    }

    fn ready(&mut self) -> Option<Vec<u8>> {
        self.reading.lines()
    }
}
