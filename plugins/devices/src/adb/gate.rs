//! The loopback gate: a listener of ours that forwards one connection to the adb server and can be cut.
//!
//! `adb_client` blocks, sets no timeouts and hides its socket; whoever owns the other end of the socket owns the
//! deadline. Dropping the gate's future closes both connections, and the blocked thread comes back with an I/O error.
//! The gate also gives host names and IPv6, which `adb_client` lacks. Only used by [`crate::adb::files`].
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the gate is the crate's one listener"
)]

use crate::adb::link::Server;
use crate::adb::refusal::LinkError;
use crate::adb::tally::Tally;
use std::cell::{Cell, RefCell};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;

/// Bytes forwarded at once.
const CHUNK: usize = 64 << 10;

/// A listener on loopback, waiting for its one connection.
pub(crate) struct Gate {
    listener: TcpListener,
    /// Where it listens.
    pub(crate) address: SocketAddrV4,
}

/// What the gate saw; read by the caller after the gate is gone.
#[derive(Default)]
pub(crate) struct Seen {
    /// What the server sent.
    pub(crate) tally: RefCell<Tally>,
    /// Why the gate failed: the server could not be reached, or was lost.
    pub(crate) failure: RefCell<Option<LinkError>>,
    /// The server closed its side first.
    pub(crate) server_left: Cell<bool>,
}

impl Gate {
    /// Opens the gate on a free port of loopback.
    pub(crate) async fn open() -> std::io::Result<Gate> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        match listener.local_addr()? {
            SocketAddr::V4(address) => Ok(Gate { listener, address }),
            SocketAddr::V6(address) => {
                Err(std::io::Error::other(format!("bound to {address} instead of 127.0.0.1")))
            }
        }
    }

    /// Forwards one connection until the client leaves. Dropping the future cuts it.
    pub(crate) async fn forward(self, server: &Server, deadline: Instant, seen: &Seen) {
        let client = match self.listener.accept().await {
            Ok((client, _)) => client,
            Err(error) => return fail(seen, LinkError::Broken(error.to_string())),
        };
        drop(self.listener);
        // The place is held until the server's first bytes: from then on the phone is the slow side.
        let place = match server.place(deadline).await {
            Ok(place) => place,
            Err(error) => return fail(seen, error),
        };
        let wire = match server.dial(deadline).await {
            Ok(wire) => wire,
            Err(error) => return fail(seen, error),
        };
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = tokio::io::split(wire);
        let place = RefCell::new(Some(place));
        let mut up = Box::pin(pump(&mut from_client, &mut to_server, |_| ()));
        let mut down = Box::pin(async {
            let ended = pump(&mut from_server, &mut to_client, |bytes| {
                place.borrow_mut().take();
                seen.tally.borrow_mut().feed(bytes);
            })
            .await;
            seen.server_left.set(true);
            ended
        });
        tokio::select! {
            biased;
            // Once the client has left, nothing the server says matters any more. A server that takes no more (an
            // error of `up`) may still say why, so `down` goes on.
            Ok(()) = &mut up => return,
            _ = &mut down => {}
        }
        drop(up);
        drop(down);
        // Also where the server reset the connection: a client that still waits for an answer would wait for ever.
        let _ = to_client.shutdown().await;
        // Closing with unread bytes would reset the connection and take the server's last words with it.
        let _ = tokio::io::copy(&mut from_client, &mut tokio::io::sink()).await;
    }
}

fn fail(seen: &Seen, error: LinkError) {
    *seen.failure.borrow_mut() = Some(error);
}

/// Copies until the end of `from`, showing every chunk to `look` before it is passed on.
async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut look: impl FnMut(&[u8]),
) -> std::io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return to.shutdown().await;
        }
        look(&buffer[..count]);
        to.write_all(&buffer[..count]).await?;
        to.flush().await?;
    }
}
