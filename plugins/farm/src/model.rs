//! An exchange in memory that misbehaves by seed: the same seed, the same trouble. What it promises is what NATS does,
//! and one suite holds both to it.
//!
//! Time passes when it is told to. Must not know: what is exchanged.

mod server;
mod weather;

pub use weather::{Seeded, Weather};

use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::Span;
use farmjank_seams::Work;
use farmjank_seams::exchange::{Appended, Exchange, Fence, Holder, Leased, LogLine, Place, Taken, Written};
use server::Server;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use weather::Fate;

/// The server of a model.
#[derive(Clone)]
pub struct Model(Rc<RefCell<Server>>);

impl Model {
    /// With leases and offers that last so long, and a quota of bytes for logs.
    pub fn new(term: Span, ack_wait: Span, quota: usize) -> Model {
        Model(Rc::new(RefCell::new(Server::new(term, ack_wait, quota))))
    }

    /// A connection to it with this weather on the way.
    pub fn connect(&self, weather: Weather) -> Client {
        Client { server: self.0.clone(), weather: Rc::new(RefCell::new(weather)) }
    }

    /// Lets time pass.
    pub fn pass(&self, time: Span) {
        self.0.borrow_mut().now += time.ns().max(0) as u64;
        Server::late(&self.0);
    }

    /// Keeps the store as it is, to go back to.
    pub fn keep_copy(&self) {
        let mut server = self.0.borrow_mut();
        let copy = server.store.clone();
        server.copies.push(copy);
    }

    /// The store goes back to a copy that was kept; the newest is 0. Nothing where there is none.
    pub fn go_back(&self, to: usize) {
        let mut server = self.0.borrow_mut();
        let at = server.copies.len().checked_sub(to + 1);
        if let Some(copy) = at.map(|at| server.copies[at].clone()) {
            server.store = copy;
        }
    }

    /// The store is lost.
    pub fn wipe(&self) {
        self.0.borrow_mut().store = server::Store::default();
    }

    /// The store is lost once, right before something like this is written on a line.
    pub fn lose_before(&self, is_it: impl Fn(&LogLine, &[u8]) -> bool + 'static) {
        self.0.borrow_mut().loses = Some(Box::new(is_it));
    }

    /// Everything ever written on lines, which the model's server knows and no client asks.
    pub fn written(&self) -> usize {
        self.0.borrow().store.logs.len()
    }
}

/// A connection to a [`Model`].
#[derive(Clone)]
pub struct Client {
    server: Rc<RefCell<Server>>,
    weather: Rc<RefCell<Weather>>,
}

type Call<T> = Box<dyn Fn(&mut Server) -> Result<T, Fault>>;

impl Client {
    /// The weather from now on.
    pub fn weather(&self, weather: Weather) {
        *self.weather.borrow_mut() = weather;
    }

    fn call<'a, T: 'static>(
        &'a self,
        call: impl Fn(&mut Server) -> Result<T, Fault> + 'static,
    ) -> Work<'a, T> {
        let call: Call<T> = Box::new(call);
        Box::pin(async move { self.under_way(call) })
    }

    fn under_way<T: 'static>(&self, call: Call<T>) -> Result<T, Fault> {
        let fate = self.weather.borrow_mut().next();
        match fate {
            Fate::Arrives => call(&mut self.server.borrow_mut()),
            Fate::Twice => {
                let first = call(&mut self.server.borrow_mut());
                // The answer to either comes.
                let second = call(&mut self.server.borrow_mut());
                if self.weather.borrow_mut().flip() { first } else { second }
            }
            Fate::Lost => Err(unreachable()),
            Fate::Unanswered => {
                let _ = call(&mut self.server.borrow_mut());
                Err(unreachable())
            }
            Fate::Late(after) => {
                let at = self.server.borrow().now + after;
                let late = Box::new(move |server: &mut Server| drop(call(server)));
                self.server.borrow_mut().late.push((at, late));
                Err(unreachable())
            }
        }
    }
}

fn unreachable() -> Fault {
    Fault::new(FaultCode::FarmUnreachable, "the farm does not answer").passing()
}

/// Where there is nothing, the time that was to be waited passes before that is said.
fn waiting<'a, T: 'a>(call: Work<'a, T>, wait: Duration, is_nothing: fn(&T) -> bool) -> Work<'a, T> {
    Box::pin(async move {
        let answer = call.await?;
        if is_nothing(&answer) && !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(answer)
    })
}

impl Exchange for Client {
    fn offer<'a>(&'a self, host: &'a str, id: &'a str, body: &'a [u8]) -> Work<'a, ()> {
        let (host, id, body) = (host.to_owned(), id.to_owned(), body.to_vec());
        self.call(move |server| {
            server.offer(&host, &id, &body);
            Ok(())
        })
    }

    fn take<'a>(&'a self, host: &'a str, wait: Duration) -> Work<'a, Option<Taken>> {
        let host = host.to_owned();
        let call = self.call(move |server| Ok(server.take(&host)));
        waiting(call, wait, Option::is_none)
    }

    fn keep<'a>(&'a self, receipt: &'a str) -> Work<'a, ()> {
        let receipt = receipt.to_owned();
        self.call(move |server| {
            server.keep(&receipt);
            Ok(())
        })
    }

    fn done<'a>(&'a self, receipt: &'a str) -> Work<'a, ()> {
        let receipt = receipt.to_owned();
        self.call(move |server| {
            server.done(&receipt);
            Ok(())
        })
    }

    fn claim<'a>(&'a self, key: &'a str, body: &'a [u8]) -> Work<'a, Leased> {
        let (key, body) = (key.to_owned(), body.to_vec());
        self.call(move |server| Ok(server.claim(&key, &body)))
    }

    fn renew<'a>(&'a self, key: &'a str, fence: Fence, body: &'a [u8]) -> Work<'a, Leased> {
        let (key, body) = (key.to_owned(), body.to_vec());
        self.call(move |server| Ok(server.renew(&key, fence, &body)))
    }

    fn release<'a>(&'a self, key: &'a str, fence: Fence) -> Work<'a, ()> {
        let key = key.to_owned();
        self.call(move |server| {
            server.release(&key, fence);
            Ok(())
        })
    }

    fn holder<'a>(&'a self, key: &'a str) -> Work<'a, Option<Holder>> {
        let key = key.to_owned();
        self.call(move |server| Ok(server.holder(&key)))
    }

    fn holders<'a>(&'a self, kind: &'a str) -> Work<'a, Vec<(String, Holder)>> {
        let kind = kind.to_owned();
        self.call(move |server| Ok(server.holders(&kind)))
    }

    fn append<'a>(&'a self, line: &'a LogLine, after: Place, body: &'a [u8]) -> Work<'a, Appended> {
        let (line, body) = (line.clone(), body.to_vec());
        self.call(move |server| server.append(&line, after, &body))
    }

    fn last<'a>(&'a self, line: &'a LogLine) -> Work<'a, Option<Written>> {
        let line = line.clone();
        self.call(move |server| Ok(server.last(&line)))
    }

    fn lasts<'a>(&'a self, generation: u32, line: &'a str) -> Work<'a, Vec<(String, Written)>> {
        let line = line.to_owned();
        self.call(move |server| Ok(server.lasts(generation, &line)))
    }

    fn follow<'a>(
        &'a self,
        run: &'a str,
        generation: u32,
        after: Place,
        wait: Duration,
    ) -> Work<'a, Vec<Written>> {
        let run = run.to_owned();
        let call = self.call(move |server| Ok(server.follow(&run, generation, after)));
        waiting(call, wait, Vec::is_empty)
    }

    fn put<'a>(&'a self, digest: &'a str, bytes: &'a [u8]) -> Work<'a, ()> {
        let (digest, bytes) = (digest.to_owned(), bytes.to_vec());
        self.call(move |server| {
            server.store.objects.insert(digest.clone(), bytes.clone());
            Ok(())
        })
    }

    fn discard<'a>(&'a self, digest: &'a str) -> Work<'a, ()> {
        let digest = digest.to_owned();
        self.call(move |server| {
            server.store.objects.remove(&digest);
            Ok(())
        })
    }

    fn get<'a>(&'a self, digest: &'a str) -> Work<'a, Option<Vec<u8>>> {
        let digest = digest.to_owned();
        self.call(move |server| Ok(server.store.objects.get(&digest).cloned()))
    }
}
