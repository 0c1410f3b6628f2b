//! Where a command's bytes go and come from: pipes with bounded room, files, the connection, nothing.
//!
//! Everything lives in one task tree on one thread; waiting is by wakers, in the order of arrival. A [`Sink`] and a
//! [`Source`] are cheap to clone: clones are the same open file, as after `fork`.

use super::Programs;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Room in a pipe, bytes: as on Linux.
pub(crate) const PIPE_ROOM: usize = 64 * 1024;

/// Most bytes a command substitution may hold; more is cut off.
const CAPTURE_MOST: usize = 8 * 1024 * 1024;

/// The reader is gone (SIGPIPE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// Which stream of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The connection a shell prints to.
pub trait Outlet {
    /// Takes as many of `bytes` as there is room for (at least one), or waits. `Err` when the connection is gone.
    fn poll_put(&self, cx: &mut Context<'_>, channel: Channel, bytes: &[u8]) -> Poll<Result<usize, Broken>>;
}

/// Where output goes.
#[derive(Clone)]
pub enum Sink {
    /// `/dev/null`
    Null,
    /// The connection.
    Outlet(Rc<dyn Outlet>, Channel),
    /// Another command.
    Pipe(Rc<WriteEnd>),
    /// A command substitution.
    Capture(Rc<RefCell<Vec<u8>>>),
    /// A file of the phone, by path.
    File(Rc<dyn Programs>, Rc<str>),
}

impl Sink {
    /// Writes all of it. `Err` when nobody will ever read it.
    pub async fn write(&self, mut bytes: &[u8]) -> Result<(), Broken> {
        match self {
            Sink::Null => {}
            Sink::Capture(into) => {
                let mut into = into.borrow_mut();
                let room = CAPTURE_MOST.saturating_sub(into.len());
                into.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Sink::File(phone, path) => phone.append(path, bytes),
            Sink::Outlet(outlet, channel) => {
                while !bytes.is_empty() {
                    let taken = poll_fn(|cx| outlet.poll_put(cx, *channel, bytes)).await?;
                    bytes = &bytes[taken..];
                }
            }
            Sink::Pipe(end) => {
                while !bytes.is_empty() {
                    let taken = poll_fn(|cx| end.poll_put(cx, bytes)).await?;
                    bytes = &bytes[taken..];
                }
            }
        }
        Ok(())
    }

    /// Whether the connection is at the other end.
    pub(crate) fn is_outlet(&self) -> bool {
        matches!(self, Sink::Outlet(..))
    }
}

/// Where input comes from.
#[derive(Clone)]
pub enum Source {
    /// `/dev/null`, or a standard input that was never open.
    Empty,
    /// A file's bytes and how far they were read.
    File(Rc<RefCell<VecDeque<u8>>>),
    /// Another command, or the connection's standard input.
    Pipe(Rc<ReadEnd>),
}

impl Source {
    /// Over bytes that are all there.
    pub fn of(bytes: Vec<u8>) -> Self {
        Source::File(Rc::new(RefCell::new(bytes.into())))
    }

    /// Some bytes, or nothing at the end.
    pub async fn read(&self) -> Option<Vec<u8>> {
        match self {
            Source::Empty => None,
            Source::File(rest) => {
                let rest = std::mem::take(&mut *rest.borrow_mut());
                (!rest.is_empty()).then(|| rest.into())
            }
            Source::Pipe(end) => poll_fn(|cx| end.poll_read(cx)).await,
        }
    }

    /// Everything up to the end, bounded at `most` bytes (the rest is read and dropped).
    pub async fn read_all(&self, most: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(chunk) = self.read().await {
            let room = most.saturating_sub(all.len());
            all.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        all
    }

    /// One line without its end, and whether there was an end; nothing at the end of the input. Reads no further than
    /// the line, so that the next command finds the rest.
    pub async fn line(&self) -> Option<(Vec<u8>, bool)> {
        let mut line = Vec::new();
        loop {
            let Some(mut chunk) = self.read().await else {
                return (!line.is_empty()).then_some((line, false));
            };
            if let Some(end) = chunk.iter().position(|b| *b == b'\n') {
                if end + 1 < chunk.len() {
                    self.put_back(chunk.split_off(end + 1));
                }
                chunk.pop();
                if line.is_empty() {
                    return Some((chunk, true));
                }
                line.extend_from_slice(&chunk);
                return Some((line, true));
            }
            line.extend_from_slice(&chunk);
        }
    }

    fn put_back(&self, rest: Vec<u8>) {
        match self {
            Source::Empty => {}
            Source::File(file) => *file.borrow_mut() = rest.into(),
            Source::Pipe(end) => {
                let mut state = end.0.borrow_mut();
                state.bytes += rest.len();
                state.chunks.push_front(rest);
            }
        }
    }
}

#[derive(Default)]
struct PipeState {
    chunks: VecDeque<Vec<u8>>,
    bytes: usize,
    no_writer: bool,
    no_reader: bool,
    readers: Vec<Waker>,
    writers: Vec<Waker>,
}

fn wake(wakers: &mut Vec<Waker>) {
    wakers.drain(..).for_each(Waker::wake);
}

/// The end of a pipe that is written to. Dropping the last clone is end of file for the reader.
pub struct WriteEnd(Rc<RefCell<PipeState>>);

/// The end of a pipe that is read from. Dropping it breaks the pipe for writers.
pub struct ReadEnd(Rc<RefCell<PipeState>>);

/// A new pipe.
pub fn pipe() -> (WriteEnd, ReadEnd) {
    let state = Rc::new(RefCell::new(PipeState::default()));
    (WriteEnd(state.clone()), ReadEnd(state))
}

impl WriteEnd {
    /// Takes what there is room for, or waits for the reader.
    pub(crate) fn poll_put(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, Broken>> {
        let mut state = self.0.borrow_mut();
        if state.no_reader {
            return Poll::Ready(Err(Broken));
        }
        let room = PIPE_ROOM.saturating_sub(state.bytes).min(bytes.len());
        if room == 0 {
            state.writers.push(cx.waker().clone());
            return Poll::Pending;
        }
        state.chunks.push_back(bytes[..room].to_vec());
        state.bytes += room;
        wake(&mut state.readers);
        Poll::Ready(Ok(room))
    }
}

impl Drop for WriteEnd {
    fn drop(&mut self) {
        let mut state = self.0.borrow_mut();
        state.no_writer = true;
        wake(&mut state.readers);
    }
}

impl ReadEnd {
    /// The next bytes; nothing when the writers are gone.
    pub(crate) fn poll_read(&self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut state = self.0.borrow_mut();
        if let Some(chunk) = state.chunks.pop_front() {
            state.bytes -= chunk.len();
            wake(&mut state.writers);
            return Poll::Ready(Some(chunk));
        }
        if state.no_writer {
            return Poll::Ready(None);
        }
        state.readers.push(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for ReadEnd {
    fn drop(&mut self) {
        let mut state = self.0.borrow_mut();
        state.no_reader = true;
        state.chunks.clear();
        wake(&mut state.writers);
    }
}
