//! The live subscription to lent phones beside those of the adb servers.

use crate::lending::desk::{Desk, Told};
use farmjank_seams::Work;
use farmjank_seams::device::{Arrival, Arrivals};
use farmjank_seams::watched::Watched;
use std::collections::VecDeque;
use std::rc::Rc;

/// Both, as one.
pub(crate) struct LentArrivals {
    pub(crate) inner: Box<dyn Arrivals>,
    pub(crate) desk: Rc<Watched<Desk>>,
    pub(crate) told: Told,
    pub(crate) ready: VecDeque<Arrival>,
    /// Changes of the desk, as far as they were taken in.
    pub(crate) seen: u64,
}

impl LentArrivals {
    fn account(&mut self) {
        let desk = self.desk.borrow();
        self.ready.extend(desk.arrivals(&mut self.told));
        self.seen = desk.changes;
    }

    /// What adb says, where it is not about a phone that is lent.
    fn of_adb(&self, arrival: Arrival) -> Option<Arrival> {
        let (id, state, server) = match &arrival {
            Arrival::Seen(sighting) => (&sighting.id, Some(&sighting.state), Some(&sighting.server)),
            Arrival::Gone { id, .. } => (id, None, None),
            Arrival::ServerLost { server, .. } | Arrival::ServerBack { server } => {
                return (!self.desk.borrow().hides(server)).then_some(arrival);
            }
            Arrival::Settled => return Some(arrival),
        };
        let mut hidden = false;
        self.desk.change(|desk| hidden = desk.adb_says(id, state));
        hidden |= server.is_some_and(|server| self.desk.borrow().hides(server));
        (!hidden).then_some(arrival)
    }
}

impl Arrivals for LentArrivals {
    fn next<'a>(&'a mut self) -> Work<'a, Arrival> {
        Box::pin(async move {
            loop {
                if let Some(arrival) = self.ready.pop_front() {
                    return Ok(arrival);
                }
                let seen = self.seen;
                tokio::select! {
                    biased;
                    () = self.desk.until(|desk| desk.changes != seen) => self.account(),
                    arrival = self.inner.next() => {
                        let arrival = self.of_adb(arrival?);
                        self.ready.extend(arrival);
                    }
                }
            }
        })
    }
}
