//! One-shot shell calls: both streams apart, the exit status, never a success without one.
//!
//! Phones without `shell_v2` get the command in a subshell followed by an `echo` of a mark and `$?`; their streams are
//! merged by the phone. Must not know what commands mean.

use crate::adb::lines::find_mark;
use crate::adb::link::{Link, Server, bounded};
use crate::adb::packets::{Packets, Piece};
use crate::adb::refusal::LinkError;
use crate::adb::services::Features;
use farmjank_results::device::DeviceId;
use farmjank_seams::device::Output;
use std::time::Duration;
use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep_until};

/// How a phone's shell says what happened.
#[derive(Clone, Debug)]
pub(crate) enum Dialect {
    /// Shell protocol v2.
    Packets(Packets),
    /// Raw bytes that end with this mark and the status.
    Marked(String),
}

/// The service to open for a command line, and how its answer is read. `number` makes the mark unlike earlier ones, so
/// that no output of a former call can stand for the end of this one.
pub(crate) fn service(features: &Features, line: &str, number: u64) -> (String, Dialect) {
    if features.contains("shell_v2") {
        return (format!("shell,v2,raw:{line}"), Dialect::Packets(Packets::default()));
    }
    let mark = format!("farmjank-end-{number}:");
    // The subshell survives `exit`, the newline survives a trailing comment.
    (format!("shell:({line}\n); echo {mark}$?"), Dialect::Marked(mark))
}

/// Opens a service of a phone. The caller holds a place.
pub(crate) async fn open(
    server: &Server,
    phone: &DeviceId,
    service: &str,
    deadline: Instant,
) -> Result<Link, LinkError> {
    let mut link = server.connect(deadline).await?;
    link.request(&format!("host:transport:{}", server.serial(phone)), "reaching the phone").await?;
    link.request(service, "opening a shell").await?;
    Ok(link)
}

/// Runs a command line to its end. The place is given back as soon as the call is open.
pub(crate) async fn call(
    server: &Server,
    place: SemaphorePermit<'_>,
    phone: &DeviceId,
    (service, dialect): (String, Dialect),
    deadline: Instant,
    heard: &dyn Fn(),
) -> Result<Output, LinkError> {
    let started = Instant::now();
    let mut link = open(server, phone, &service, deadline).await?;
    drop(place);
    heard();
    let mut answer = Answer::new(dialect, server.options.max_output);
    let late = || LinkError::Late("running a command", deadline.saturating_duration_since(started));
    loop {
        tokio::select! {
            biased;
            () = sleep_until(deadline) => return Err(late()),
            bytes = link.bytes() => {
                let bytes = bytes?;
                if bytes.is_empty() {
                    return answer.at_end();
                }
                heard();
                if let Some(output) = answer.feed(&bytes)? {
                    return Ok(output);
                }
            }
        }
    }
}

/// Asks a phone for a sign of life. Waiting for a place is not held against it.
pub(crate) async fn sign_of_life(
    server: &Server,
    phone: &DeviceId,
    features: &Features,
    patience: Duration,
) -> Result<Output, LinkError> {
    let place = server.place(crate::adb::link::after(Duration::MAX)).await?;
    let deadline = crate::adb::link::after(patience);
    let asked = service(features, "echo", 0);
    bounded(deadline, patience, "giving a sign of life", call(server, place, phone, asked, deadline, &|| ()))
        .await?
}

/// The answer of a call, growing.
pub(crate) struct Answer {
    dialect: Dialect,
    output: Output,
    max: usize,
}

impl Answer {
    pub(crate) fn new(dialect: Dialect, max: usize) -> Self {
        Answer { dialect, output: Output::default(), max }
    }

    /// Takes bytes; gives the output when the exit status has come.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Option<Output>, LinkError> {
        match &mut self.dialect {
            Dialect::Marked(mark) => {
                // The mark and its digits are not the command's output; allow for them.
                let allowed = self.max.saturating_add(mark.len() + 8);
                extend(&mut self.output.out, bytes, 0, allowed).map_err(|_| LinkError::TooLarge(self.max))?;
                Ok(None)
            }
            Dialect::Packets(packets) => {
                let mut pieces = Vec::new();
                packets.feed(bytes, &mut pieces)?;
                let Output { status, out, err } = &mut self.output;
                for piece in pieces {
                    match piece {
                        Piece::Out(bytes) => extend(out, bytes, err.len(), self.max)?,
                        Piece::Err(bytes) => extend(err, bytes, out.len(), self.max)?,
                        Piece::Exit(code) => {
                            *status = i32::from(code);
                            return Ok(Some(std::mem::take(&mut self.output)));
                        }
                    }
                }
                Ok(None)
            }
        }
    }

    /// The stream ended: an answer only if the mark and the status stand at its very end.
    pub(crate) fn at_end(self) -> Result<Output, LinkError> {
        let Dialect::Marked(mark) = &self.dialect else { return Err(LinkError::Ended) };
        let mut out = self.output.out;
        while matches!(out.last(), Some(b'\n' | b'\r')) {
            out.pop();
        }
        let (length, status) = find_mark(&out, mark).ok_or(LinkError::Ended)?;
        out.truncate(length);
        if out.len() > self.max {
            return Err(LinkError::TooLarge(self.max));
        }
        Ok(Output { status, out, err: Vec::new() })
    }
}

fn extend(to: &mut Vec<u8>, bytes: &[u8], others: usize, max: usize) -> Result<(), LinkError> {
    if to.len() + others + bytes.len() > max {
        return Err(LinkError::TooLarge(max));
    }
    to.extend_from_slice(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_without_status_is_given_a_mark() {
        let (service, _) = super::service(&Features::new(), "exit 3 # why", 7);
        assert_eq!(service, "shell:(exit 3 # why\n); echo farmjank-end-7:$?");
        let answer = |text: &[u8], max| {
            let mut answer = Answer::new(Dialect::Marked("farmjank-end-7:".into()), max);
            answer.feed(text).and_then(|none| {
                assert_eq!(none, None, "only the end of the stream ends it");
                answer.at_end()
            })
        };
        let output = answer(b"out\r\nfarmjank-end-7:3\r\n", 100).unwrap();
        assert_eq!((output.status, output.out.as_slice()), (3, &b"out\r\n"[..]));
        assert_eq!(answer(b"out\n", 100), Err(LinkError::Ended));
        assert_eq!(
            answer(b"farmjank-end-7:0\nmore\n", 100),
            Err(LinkError::Ended),
            "a mark in the middle is output"
        );
        assert_eq!(answer(b"farmjank-end-6:0\n", 100), Err(LinkError::Ended), "the mark of another call");
        assert_eq!(answer(&[b'x'; 200], 100), Err(LinkError::TooLarge(100)));
    }

    #[test]
    fn both_streams_share_one_cap() {
        let mut answer = Answer::new(Dialect::Packets(Packets::default()), 5);
        assert_eq!(answer.feed(&[1, 3, 0, 0, 0, b'a', b'b', b'c']), Ok(None));
        assert_eq!(answer.feed(&[2, 3, 0, 0, 0, b'a', b'b', b'c']), Err(LinkError::TooLarge(5)));
    }
}
