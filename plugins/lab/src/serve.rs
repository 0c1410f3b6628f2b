//! A lab on real loopback sockets: adb servers that runners connect to, adb daemons that the stock `adb` connects to.
//!
//! The crate's one place with sockets. Everything else of the lab lives on any byte stream; here the streams are TCP
//! and the clock should be the real one.

#![expect(clippy::disallowed_types, reason = "the crate's one place with sockets")]

use crate::lab::LiveLab;
use crate::live_phone::{LivePhone, Presence};
use std::net::SocketAddr;
use std::rc::Rc;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// What to serve, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeOptions {
    /// Address of the first adb server, such as `127.0.0.1:5038`; further servers of the lab take the next ports. Port
    /// 0 takes free ports. None: no server.
    pub server: Option<SocketAddr>,
    /// Address of the first adb daemon; every phone has its own port, one after the other (or free ones for port 0).
    /// None: no daemons.
    pub daemons: Option<SocketAddr>,
}

/// A served lab. Dropping it closes every socket.
pub struct Served {
    /// Where the servers listen, in the lab's order.
    pub servers: Vec<SocketAddr>,
    /// Serial of every phone and where its daemon listens: `adb connect ADDRESS`.
    pub daemons: Vec<(String, SocketAddr)>,
    tasks: Vec<AbortHandle>,
}

impl Drop for Served {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Opens the sockets and serves until the result is dropped. Call inside the lab's `LocalSet` on a runtime with I/O.
/// `Err` names the address that cannot be listened on.
pub async fn serve(lab: &Rc<LiveLab>, options: &ServeOptions) -> std::io::Result<Served> {
    let mut served = Served { servers: Vec::new(), daemons: Vec::new(), tasks: Vec::new() };
    if let Some(first) = options.server {
        for (i, server) in lab.servers().iter().enumerate() {
            let listener = listen(first, i).await?;
            served.servers.push(listener.local_addr()?);
            let server = server.clone();
            let task = tokio::task::spawn_local(async move {
                loop {
                    let Ok((socket, _)) = listener.accept().await else { continue };
                    let _ = socket.set_nodelay(true);
                    if server.is_up() {
                        tokio::task::spawn_local(server.clone().serve(socket));
                    }
                }
            });
            served.tasks.push(task.abort_handle());
        }
    }
    if let Some(first) = options.daemons {
        for (i, phone) in lab.phones().enumerate() {
            let listener = listen(first, i).await?;
            served.daemons.push((phone.serial().to_owned(), listener.local_addr()?));
            served.tasks.push(tokio::task::spawn_local(accept(phone.clone(), listener)).abort_handle());
        }
    }
    Ok(served)
}

async fn accept(phone: Rc<LivePhone>, listener: TcpListener) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let _ = socket.set_nodelay(true);
        if phone.cable().presence == Presence::Ready {
            tokio::task::spawn_local(crate::daemon::serve(phone.clone(), socket));
        }
    }
}

async fn listen(first: SocketAddr, index: usize) -> std::io::Result<TcpListener> {
    let mut address = first;
    if first.port() != 0 {
        let port = u16::try_from(usize::from(first.port()) + index)
            .map_err(|_| std::io::Error::other(format!("no port left for number {index} after {first}")))?;
        address.set_port(port);
    }
    TcpListener::bind(address)
        .await
        .map_err(|error| std::io::Error::new(error.kind(), format!("cannot listen on {address}: {error}")))
}
