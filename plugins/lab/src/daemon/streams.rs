//! The open streams of one daemon connection.

use super::message::{CLSE, OKAY, WRTE, encode};
use crate::live_phone::LivePhone;
use crate::server::service::Service;
use std::collections::BTreeMap;
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;

/// Most streams of one connection.
const MOST: usize = 512;

type Out = mpsc::UnboundedSender<Vec<u8>>;

struct Handle {
    data: mpsc::UnboundedSender<Vec<u8>>,
    acknowledged: Rc<Notify>,
    task: AbortHandle,
}

/// The streams by our own ids. Dropping ends them all.
pub(super) struct Streams {
    phone: Rc<LivePhone>,
    out: Out,
    payload: u32,
    last: u32,
    open: BTreeMap<u32, Handle>,
}

/// What a stream's task needs.
struct Ends {
    local: u32,
    remote: u32,
    payload: u32,
    out: Out,
    acknowledged: Rc<Notify>,
}

impl Streams {
    pub(super) fn new(phone: Rc<LivePhone>, out: Out) -> Self {
        Streams { phone, out, payload: super::PAYLOAD_LEAST, last: 0, open: BTreeMap::new() }
    }

    /// The largest payload both sides take.
    pub(super) fn set_payload(&mut self, bytes: u32) {
        self.payload = bytes;
    }

    /// Ends every stream.
    pub(super) fn clear(&mut self) {
        for handle in std::mem::take(&mut self.open).into_values() {
            handle.task.abort();
        }
    }

    /// A peer's request for a service; refused with `CLSE` when the phone has none of that name.
    pub(super) fn open(&mut self, remote: u32, name: &str) {
        self.open.retain(|_, handle| !handle.task.is_finished());
        let service = Service::parse(name).filter(|_| self.open.len() < MOST && remote != 0);
        let Some(service) = service else {
            let _ = self.out.send(encode(CLSE, 0, remote, b""));
            return;
        };
        self.last = self.last.wrapping_add(1).max(1);
        let (data, inbox) = mpsc::unbounded_channel();
        let acknowledged = Rc::new(Notify::new());
        let ends = Ends {
            local: self.last,
            remote,
            payload: self.payload,
            out: self.out.clone(),
            acknowledged: acknowledged.clone(),
        };
        let task = tokio::task::spawn_local(carry(self.phone.clone(), service, ends, inbox)).abort_handle();
        self.open.insert(self.last, Handle { data, acknowledged, task });
    }

    /// The peer took our last payload.
    pub(super) fn acknowledged(&mut self, local: u32) {
        if let Some(handle) = self.open.get(&local) {
            handle.acknowledged.notify_one();
        }
    }

    /// Bytes from the peer; a stream that is over is said to be so.
    pub(super) fn deliver(&mut self, local: u32, remote: u32, bytes: Vec<u8>) {
        let taken = self.open.get(&local).is_some_and(|handle| handle.data.send(bytes).is_ok());
        if !taken {
            let _ = self.out.send(encode(CLSE, 0, remote, b""));
        }
    }

    /// The peer closed a stream: its command ends.
    pub(super) fn close(&mut self, local: u32) {
        if let Some(handle) = self.open.remove(&local) {
            handle.task.abort();
        }
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Runs a service between the peer's messages.
async fn carry(
    phone: Rc<LivePhone>,
    service: Service,
    ends: Ends,
    mut inbox: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    let Ends { local, remote, payload, out, acknowledged } = ends;
    let cuts = phone.cable().cuts;
    let latency = phone.next_latency();
    tokio::time::sleep(latency / 2).await;
    let (near, far) = tokio::io::duplex(payload as usize);
    let (mut reader, mut writer) = tokio::io::split(near);
    if out.send(encode(OKAY, local, remote, b"")).is_err() {
        return;
    }
    let printing = async {
        let mut buffer = vec![0; payload as usize];
        while let Ok(length) = reader.read(&mut buffer).await {
            if length == 0 || out.send(encode(WRTE, local, remote, &buffer[..length])).is_err() {
                return;
            }
            acknowledged.notified().await;
        }
    };
    let listening = async {
        while let Some(bytes) = inbox.recv().await {
            // A service that no longer reads still has its peer's bytes acknowledged.
            let _ = writer.write_all(&bytes).await;
            if out.send(encode(OKAY, local, remote, b"")).is_err() {
                return;
            }
        }
    };
    let work = async {
        tokio::join!(biased; service.run(phone, cuts, latency / 2, far), printing);
    };
    tokio::select! {
        biased;
        () = work => {}
        () = listening => {}
    }
    let _ = out.send(encode(CLSE, local, remote, b""));
}
