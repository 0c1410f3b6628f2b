//! The store of a model and its rules.

use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::Span;
use farmjank_seams::exchange::{Appended, Fence, Holder, Leased, LogLine, Place, Taken, Written};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How long an offer's id is known, ns.
const KNOWN: u64 = 120_000_000_000;

#[derive(Clone, Debug)]
struct Offer {
    id: String,
    offered: u64,
    host: String,
    body: Vec<u8>,
    /// Given, and not again before then.
    until: u64,
    times: u64,
}

/// What a server keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    offers: BTreeMap<u64, Offer>,
    ids: BTreeMap<String, u64>,
    offered: u64,
    /// Holder, and when its term began.
    leases: BTreeMap<String, (Holder, u64)>,
    fences: u64,
    pub(super) logs: Vec<(LogLine, Written)>,
    places: u64,
    pub(super) objects: BTreeMap<String, Vec<u8>>,
}

type Late = (u64, Box<dyn Fn(&mut Server)>);
type Writes = Box<dyn Fn(&LogLine, &[u8]) -> bool>;

pub(super) struct Server {
    pub(super) now: u64,
    pub(super) store: Store,
    pub(super) copies: Vec<Store>,
    pub(super) late: Vec<Late>,
    /// Before what the store is lost.
    pub(super) loses: Option<Writes>,
    term: u64,
    ack_wait: u64,
    quota: usize,
}

impl Server {
    pub(super) fn new(term: Span, ack_wait: Span, quota: usize) -> Server {
        let ns = |span: Span| span.ns().max(0) as u64;
        let (term, ack_wait) = (ns(term), ns(ack_wait));
        Server {
            now: 0,
            store: Store::default(),
            copies: Vec::new(),
            late: Vec::new(),
            loses: None,
            term,
            ack_wait,
            quota,
        }
    }

    /// Calls that were long on the way arrive.
    pub(super) fn late(server: &Rc<RefCell<Server>>) {
        let mut one = server.borrow_mut();
        let now = one.now;
        let (due, rest): (Vec<Late>, Vec<Late>) =
            std::mem::take(&mut one.late).into_iter().partition(|(at, _)| *at <= now);
        one.late = rest;
        due.iter().for_each(|(_, call)| call(&mut one));
    }

    pub(super) fn offer(&mut self, host: &str, id: &str, body: &[u8]) {
        let now = self.now;
        let known = self.store.ids.get(id).is_some_and(|at| now < at + KNOWN);
        if known {
            return;
        }
        self.store.ids.insert(id.to_owned(), now);
        self.store.offered += 1;
        let (id, host, body) = (id.to_owned(), host.to_owned(), body.to_vec());
        let offer = Offer { id, offered: now, host, body, until: 0, times: 0 };
        self.store.offers.insert(self.store.offered, offer);
    }

    pub(super) fn take(&mut self, host: &str) -> Option<Taken> {
        let (now, ack_wait) = (self.now, self.ack_wait);
        let due = |offer: &&mut Offer| offer.host == host && offer.until <= now;
        let offer = self.store.offers.values_mut().find(due)?;
        offer.until = now + ack_wait;
        offer.times += 1;
        let receipt = format!("{}/{}", offer.id, offer.offered);
        Some(Taken { receipt, body: offer.body.clone(), times: offer.times })
    }

    fn taken(&mut self, receipt: &str) -> Option<(u64, &mut Offer)> {
        let is = |offer: &Offer| format!("{}/{}", offer.id, offer.offered) == receipt;
        self.store.offers.iter_mut().find(|(_, offer)| is(offer)).map(|(at, offer)| (*at, offer))
    }

    pub(super) fn keep(&mut self, receipt: &str) {
        let until = self.now + self.ack_wait;
        if let Some((_, offer)) = self.taken(receipt) {
            offer.until = until;
        }
    }

    pub(super) fn done(&mut self, receipt: &str) {
        if let Some((at, _)) = self.taken(receipt) {
            self.store.offers.remove(&at);
        }
    }

    pub(super) fn holder(&mut self, key: &str) -> Option<Holder> {
        let (holder, since) = self.store.leases.get(key)?;
        (self.now < since + self.term).then(|| holder.clone())
    }

    pub(super) fn holders(&mut self, kind: &str) -> Vec<(String, Holder)> {
        let keys: Vec<String> = self.store.leases.keys().cloned().collect();
        let name = |key: &String| Some(key.strip_prefix(kind)?.strip_prefix('.')?.to_owned());
        keys.iter().filter_map(|key| Some((name(key)?, self.holder(key)?))).collect()
    }

    fn grant(&mut self, key: &str, body: &[u8]) -> Leased {
        self.store.fences += 1;
        let fence = Fence(self.store.fences);
        let holder = Holder { body: body.to_vec(), fence };
        self.store.leases.insert(key.to_owned(), (holder, self.now));
        Leased::Granted(fence)
    }

    pub(super) fn claim(&mut self, key: &str, body: &[u8]) -> Leased {
        match self.holder(key) {
            Some(holder) => Leased::Held(holder),
            None => self.grant(key, body),
        }
    }

    pub(super) fn renew(&mut self, key: &str, fence: Fence, body: &[u8]) -> Leased {
        match self.holder(key) {
            Some(holder) if holder.fence == fence => self.grant(key, body),
            Some(holder) => Leased::Held(holder),
            None => Leased::Gone,
        }
    }

    pub(super) fn release(&mut self, key: &str, fence: Fence) {
        if self.holder(key).is_some_and(|holder| holder.fence == fence) {
            self.store.leases.remove(key);
        }
    }

    pub(super) fn last(&self, line: &LogLine) -> Option<Written> {
        let last = self.store.logs.iter().rev().find(|(of, _)| of == line);
        last.map(|(_, written)| written.clone())
    }

    pub(super) fn lasts(&self, generation: u32, line: &str) -> Vec<(String, Written)> {
        let of = |of: &LogLine| of.generation == generation && of.line == line;
        let all = self.store.logs.iter().filter(|(one, _)| of(one));
        let lasts: BTreeMap<String, Written> =
            all.map(|(one, last)| (one.run.clone(), last.clone())).collect();
        lasts.into_iter().collect()
    }

    pub(super) fn append(&mut self, line: &LogLine, after: Place, body: &[u8]) -> Result<Appended, Fault> {
        if self.loses.take_if(|is_it| is_it(line, body)).is_some() {
            self.store = Store::default();
        }
        if self.last(line).map_or(Place(0), |last| last.place) != after {
            return Ok(Appended::Refused);
        }
        let kept: usize = self.store.logs.iter().map(|(_, written)| written.body.len()).sum();
        if kept + body.len() > self.quota {
            return Err(Fault::new(FaultCode::FarmFull, "the farm keeps no more for this team"));
        }
        self.store.places += 1;
        let place = Place(self.store.places);
        let written = Written { place, line: line.line.clone(), stamp: self.now, body: body.to_vec() };
        self.store.logs.push((line.clone(), written));
        Ok(Appended::At(place))
    }

    pub(super) fn follow(&self, run: &str, generation: u32, after: Place) -> Vec<Written> {
        let of = |line: &LogLine| line.run == run && line.generation == generation;
        let all = self.store.logs.iter().filter(|(line, written)| of(line) && written.place > after);
        all.take(64).map(|(_, written)| written.clone()).collect()
    }
}
