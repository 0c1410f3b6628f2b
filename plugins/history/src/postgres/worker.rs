//! A database client on a thread of its own. A server that is frozen, or behind a network that swallows what is sent,
//! answers nothing and refuses nothing: who asks waits so long for each sign of life, and no longer.
//!
//! Must not know: what is asked.
#![allow(
    clippy::disallowed_methods,
    reason = "the crate's one thread: calls of the client block, and cannot be called off"
)]

use crate::trouble;
use farmjank_results::fault::Fault;
use postgres::Client;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

type Work = Box<dyn FnOnce(&mut Client) + Send>;

/// The client, and how long it is waited for.
pub(super) struct Worker {
    /// None once it did not answer: nothing more is asked of it.
    orders: Option<Sender<Work>>,
    patience: Duration,
    place: String,
}

/// What is being waited for.
pub(super) struct Answer<T>(Receiver<T>);

impl Worker {
    /// Connects, waiting so long.
    pub(super) fn connect<E: Send + 'static>(
        place: String,
        [connecting, patience]: [Duration; 2],
        connect: impl FnOnce() -> Result<Client, E> + Send + 'static,
    ) -> Result<Result<Worker, E>, Fault> {
        let (orders, taken) = channel::<Work>();
        let (told, answer) = channel();
        thread::spawn(move || match connect() {
            Ok(mut client) => {
                let _ = told.send(Ok(()));
                while let Ok(work) = taken.recv() {
                    work(&mut client);
                }
            }
            Err(why) => drop(told.send(Err(why))),
        });
        match answer.recv_timeout(connecting) {
            Ok(connected) => Ok(connected.map(|()| Worker { orders: Some(orders), patience, place })),
            Err(_) => Err(trouble::silent(&place, connecting)),
        }
    }

    /// Begins some work. What it sends is waited for piece by piece.
    pub(super) fn begin<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Client, &Sender<T>) + Send + 'static,
    ) -> Result<Answer<T>, Fault> {
        let (told, answer) = channel();
        let orders = self.orders.as_ref().ok_or_else(|| trouble::silent(&self.place, self.patience))?;
        let _ = orders.send(Box::new(move |client| work(client, &told)));
        Ok(Answer(answer))
    }

    /// The next piece; none when the work is done.
    pub(super) fn next<T>(&mut self, answer: &Answer<T>) -> Result<Option<T>, Fault> {
        match answer.0.recv_timeout(self.patience) {
            Ok(piece) => Ok(Some(piece)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                self.orders = None;
                Err(trouble::silent(&self.place, self.patience))
            }
        }
    }

    /// Work with one answer.
    pub(super) fn ask<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Client) -> T + Send + 'static,
    ) -> Result<T, Fault> {
        let answer = self.begin(move |client, told| drop(told.send(work(client))))?;
        self.next(&answer)?.ok_or_else(|| trouble::failed(&self.place, "its client failed"))
    }
}
