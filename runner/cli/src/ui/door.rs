//! What the live view needs of the world: a socket, a thread with a real clock, a random token.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a door to the outside world, like `host.rs`"
)]

use super::answer::{Server, router};
use crate::command_error::CommandError;
use crate::host::EndRequests;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// Time between two looks at a log that did not grow.
const PACE: Duration = Duration::from_millis(300);
/// Most connections at the same time: a browser takes six at most.
const CONNECTIONS: usize = 128;
/// How long the head of a request is waited for.
const HEADERS: Duration = Duration::from_secs(10);
/// Largest head of a request, bytes.
const HEAD_BYTES: usize = 32 << 10;

/// A socket that listens.
pub struct Listener {
    socket: std::net::TcpListener,
    /// Where, with the port that was chosen.
    pub address: SocketAddr,
}

/// Listens; port 0 takes a free one.
///
/// # Errors
/// The address is taken or not of this machine, with what to do.
pub fn listen(at: SocketAddr) -> Result<Listener, CommandError> {
    let words = |error: std::io::Error| {
        format!(
            "the live view cannot listen on {at}: {error}; give --ui-port another port, or 0 for a free one"
        )
    };
    let socket = std::net::TcpListener::bind(at).map_err(words)?;
    socket.set_nonblocking(true).map_err(words)?;
    let address = socket.local_addr().map_err(words)?;
    Ok(Listener { socket, address })
}

/// 128 bits nobody can guess, in hex.
///
/// # Errors
/// The system has no randomness.
pub fn token() -> Result<String, CommandError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("no token for the live view: the system has no randomness: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The thread a server runs on.
pub struct Thread {
    stay: oneshot::Sender<()>,
    handle: std::thread::JoinHandle<()>,
}

impl Thread {
    /// Returns when the process is interrupted or terminated; nothing else in it is asked to stop.
    pub fn until_interrupted(self) {
        if self.stay.send(()).is_ok() {
            let _ = self.handle.join();
        }
    }
}

/// Serves on a thread and a clock of its own: a run in simulated time neither waits for it nor hurries it.
///
/// # Errors
/// No runtime is to be had.
pub fn serve(listener: Listener, server: Arc<Server>) -> Result<Thread, CommandError> {
    let words = |error: std::io::Error| format!("the live view cannot be served: {error}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(words)?;
    let (stay, staying) = oneshot::channel();
    let work = async move {
        let socket = tokio::net::TcpListener::from_std(listener.socket)?;
        tokio::spawn(follow(server.clone()));
        tokio::select! {
            biased;
            () = interrupted(staying) => Ok(()),
            () = welcome(socket, router(server)) => Ok(()),
        }
    };
    let handle = std::thread::spawn(move || {
        // Without a server nobody sees the run; the run itself goes on.
        let _: std::io::Result<()> = runtime.block_on(work);
        runtime.shutdown_background();
    });
    Ok(Thread { stay, handle })
}

/// Takes in connections, so many at a time: the others wait in the system's queue, and take no descriptor from a run
/// that has phones to talk to.
async fn welcome(socket: tokio::net::TcpListener, site: Router) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(seat) = seats.clone().acquire_owned().await else { return };
        // Out of descriptors, or somebody left already: not worth the view's life.
        let Ok((stream, _)) = socket.accept().await else {
            tokio::time::sleep(PACE).await;
            continue;
        };
        let service = TowerToHyperService::new(site.clone());
        tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(HEAD_BYTES);
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(seat);
        });
    }
}

async fn follow(server: Arc<Server>) {
    while let Some(grown) = server.show().follow() {
        match grown {
            true => tokio::task::yield_now().await,
            false => tokio::time::sleep(PACE).await,
        }
    }
}

/// Once somebody stays for it: the first interrupt.
async fn interrupted(staying: oneshot::Receiver<()>) {
    if staying.await.is_err() {
        return std::future::pending().await;
    }
    let Ok(mut requests) = EndRequests::heard() else { return };
    requests.next().await;
}
