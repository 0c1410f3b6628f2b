//! What a shell prints on its way out: framed as the protocol asks, gathered while the shell runs, written when it
//! waits.
//!
//! Room is bounded: a shell that prints faster than the client reads has to wait.

use crate::live_phone::LivePhone;
use crate::shell::stream::{Broken, Channel, Outlet};
use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Most bytes gathered.
const ROOM: usize = 256 * 1024;

/// Shell protocol packet kinds.
pub(crate) const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;
pub(crate) const CLOSE_STDIN: u8 = 4;

/// How output is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Shell protocol packets.
    Packets,
    /// Bare bytes, both streams together.
    Bare,
    /// Bare bytes as a terminal gives them: a carriage return before every line feed.
    Terminal,
    /// Packets whose output went through a terminal.
    TerminalPackets,
}

struct State {
    bytes: Vec<u8>,
    /// Where the last packet begins and its kind, while it can still grow.
    open: Option<(usize, u8)>,
    finished: bool,
    gone: bool,
    pump: Option<Waker>,
    writers: Vec<Waker>,
}

/// The printing side of one service.
pub(crate) struct Connection {
    framing: Framing,
    state: RefCell<State>,
}

impl Connection {
    pub(crate) fn new(framing: Framing) -> Self {
        let state = State {
            // Most of what a shell prints is a line or two.
            bytes: Vec::with_capacity(512),
            open: None,
            finished: false,
            gone: false,
            pump: None,
            writers: Vec::new(),
        };
        Connection { framing, state: RefCell::new(state) }
    }

    /// Nothing more will be printed; `status` goes out in an exit packet where there are packets.
    pub(crate) fn finish(&self, status: i32) {
        let mut state = self.state.borrow_mut();
        if matches!(self.framing, Framing::Packets | Framing::TerminalPackets) {
            state.bytes.extend([EXIT, 1, 0, 0, 0, status as u8]);
        }
        state.finished = true;
        state.open = None;
        if let Some(waker) = state.pump.take() {
            waker.wake();
        }
    }

    /// What was gathered, in exchange for an empty buffer; false at the end.
    async fn gathered(&self, buffer: &mut Vec<u8>) -> bool {
        poll_fn(|cx| {
            let mut state = self.state.borrow_mut();
            if state.bytes.is_empty() {
                if state.finished {
                    return Poll::Ready(false);
                }
                state.pump = Some(cx.waker().clone());
                return Poll::Pending;
            }
            std::mem::swap(&mut state.bytes, buffer);
            state.open = None;
            state.writers.drain(..).for_each(Waker::wake);
            Poll::Ready(true)
        })
        .await
    }

    /// Writes what is printed until the end of it, or an error of the wire. Holds everything back while the phone is
    /// wedged; damages bytes while it garbles.
    pub(crate) async fn pump<W: AsyncWrite + Unpin>(
        &self,
        phone: &LivePhone,
        wire: &mut W,
    ) -> std::io::Result<()> {
        let mut buffer = Vec::new();
        let mut sent = 0u64;
        while self.gathered(&mut buffer).await {
            phone.answering().await;
            if phone.cable().garbled {
                garble(&mut buffer, sent);
            }
            sent += buffer.len() as u64;
            wire.write_all(&buffer).await?;
            wire.flush().await?;
            buffer.clear();
        }
        Ok(())
    }

    fn put(&self, state: &mut State, kind: u8, bytes: &[u8]) {
        if self.framing == Framing::Bare || self.framing == Framing::Terminal {
            translate(self.framing, bytes, &mut state.bytes);
            return;
        }
        let start = match state.open {
            Some((start, open)) if open == kind => start,
            _ => {
                let start = state.bytes.len();
                state.bytes.extend([kind, 0, 0, 0, 0]);
                state.open = Some((start, kind));
                start
            }
        };
        translate(self.framing, bytes, &mut state.bytes);
        let length = (state.bytes.len() - start - 5) as u32;
        state.bytes[start + 1..start + 5].copy_from_slice(&length.to_le_bytes());
    }
}

fn translate(framing: Framing, bytes: &[u8], into: &mut Vec<u8>) {
    if matches!(framing, Framing::Packets | Framing::Bare) {
        into.extend_from_slice(bytes);
        return;
    }
    for byte in bytes {
        if *byte == b'\n' {
            into.push(b'\r');
        }
        into.push(*byte);
    }
}

/// Damages about one byte in 500, always the same ones of a stream.
fn garble(bytes: &mut [u8], from: u64) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        if crate::chance::mix(0x6a4b, 1, from + i as u64).is_multiple_of(500) {
            *byte ^= 0x80;
        }
    }
}

impl Outlet for Connection {
    fn poll_put(&self, cx: &mut Context<'_>, channel: Channel, bytes: &[u8]) -> Poll<Result<usize, Broken>> {
        let mut state = self.state.borrow_mut();
        if state.gone || state.finished {
            return Poll::Ready(Err(Broken));
        }
        let room = ROOM.saturating_sub(state.bytes.len()).min(bytes.len());
        if room == 0 {
            state.writers.push(cx.waker().clone());
            return Poll::Pending;
        }
        let kind =
            if channel == Channel::Err && self.framing != Framing::TerminalPackets { STDERR } else { STDOUT };
        self.put(&mut state, kind, &bytes[..room]);
        if let Some(waker) = state.pump.take() {
            waker.wake();
        }
        Poll::Ready(Ok(room))
    }
}

/// Marks a connection broken when its service ends, so that jobs left behind find nobody to print to.
pub(crate) struct Hangup<'a>(pub(crate) &'a Connection);

impl Drop for Hangup<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.borrow_mut();
        state.gone = true;
        state.bytes = Vec::new();
        state.writers.drain(..).for_each(Waker::wake);
    }
}
