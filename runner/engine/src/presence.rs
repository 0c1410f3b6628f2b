//! Which phones are there, for as long as somebody wants to know: what is asked of phones once, when a run begins, is
//! asked here of each that comes, and of no other.

use crate::patience::Patience;
use crate::survey::{Asking, Listed, Surveyed, Wanted, listed};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_seams::claim::Claims;
use farmjank_seams::device::{Arrival, Arrivals, DeviceState, Provider};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// A phone that boots comes and goes; so long nothing has to change before it is asked.
const RESTS: Duration = Duration::from_secs(2);
/// One that never rests is not waited for.
const LONGEST: Duration = Duration::from_secs(30);
/// When a phone that is ready and told nothing of itself is asked again: it may have been booting, or somebody else's.
const AGAIN: Duration = Duration::from_secs(20);
/// When phones that cannot be watched are watched again.
const WATCHES: Duration = Duration::from_secs(5);

/// A provider's phones.
pub struct Presence<'a> {
    asking: Asking<'a>,
    /// None where the watch ended: it begins again.
    arrivals: Option<Box<dyn Arrivals>>,
    listed: Listed,
    known: Vec<Surveyed>,
}

impl<'a> Presence<'a> {
    /// Begins with what a first look told.
    pub fn new(
        provider: &'a dyn Provider,
        wanted: &'a Wanted,
        patience: &'a Patience,
        claims: &'a dyn Claims,
        known: Vec<Surveyed>,
    ) -> Presence<'a> {
        let asking = Asking { provider, wanted, patience, claims };
        Presence { asking, arrivals: None, listed: Listed::default(), known }
    }

    /// The phones, once something changed among them and came to rest.
    ///
    /// Not cancel-safe: what changed meanwhile would be forgotten.
    pub async fn changed(&mut self) -> Vec<Surveyed> {
        loop {
            let mut touched = BTreeSet::new();
            if let Err(fault) = self.rested(&mut touched).await {
                // No server at all answers. What phones there are, nobody can tell until one does.
                (self.arrivals, self.listed) = (None, Listed::default());
                if self.lose(&fault) {
                    return self.known.clone();
                }
                sleep(WATCHES).await;
                continue;
            }
            self.known.retain(|phone| !touched.contains(&phone.sighting.id));
            let asked = self.asking.asked(self.listed.clone(), &self.known, Instant::now()).await;
            self.known = asked.clone();
            return asked;
        }
    }

    /// Waits for a change, and until nothing changes any more.
    async fn rested(&mut self, touched: &mut BTreeSet<DeviceId>) -> Result<(), Fault> {
        let Some(arrivals) = &mut self.arrivals else {
            let mut watch = self.asking.provider.watch().await?;
            // Nobody is waited for here: who comes later is a change.
            let now = Wanted { wait: Duration::ZERO, ..self.asking.wanted.clone() };
            self.listed = listed(&mut *watch, &now).await?;
            self.arrivals = Some(watch);
            return Ok(());
        };
        let mut note = |listed: &mut Listed, arrival: Arrival| {
            if let Arrival::Seen(sighting) = &arrival {
                touched.insert(sighting.id.clone());
            }
            listed.note(arrival);
        };
        let untold = |phone: &Surveyed| phone.sighting.state == DeviceState::Ready && phone.facts.is_err();
        if self.known.iter().any(untold) {
            match timeout(AGAIN, arrivals.next()).await {
                Ok(arrival) => note(&mut self.listed, arrival?),
                Err(_) => return Ok(()),
            }
        } else {
            note(&mut self.listed, arrivals.next().await?);
        }
        let longest = Instant::now() + LONGEST;
        while let Ok(arrival) = timeout_at(longest.min(Instant::now() + RESTS), arrivals.next()).await {
            note(&mut self.listed, arrival?);
        }
        Ok(())
    }

    /// Nobody answers for any phone; whether that is news.
    fn lose(&mut self, fault: &Fault) -> bool {
        let lost = |phone: &mut Surveyed| {
            let news = phone.facts.as_ref().err() != Some(fault);
            phone.facts = Err(fault.clone());
            news
        };
        self.known.iter_mut().map(lost).fold(false, |any, news| any | news)
    }
}
