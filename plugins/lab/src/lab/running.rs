//! A running lab: servers and phones.

use crate::live_phone::LivePhone;
use crate::server::LiveServer;
use std::collections::BTreeSet;
use std::rc::Rc;
use tokio::time::Instant;

/// A running lab.
pub struct LiveLab {
    pub(super) name: String,
    pub(super) start: Instant,
    pub(super) servers: Vec<Rc<LiveServer>>,
}

impl LiveLab {
    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When lab time began.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Its servers.
    pub fn servers(&self) -> &[Rc<LiveServer>] {
        &self.servers
    }

    /// A server by number.
    pub fn server(&self, number: u16) -> Option<&Rc<LiveServer>> {
        self.servers.get(usize::from(number))
    }

    /// All phones, server by server.
    pub fn phones(&self) -> impl Iterator<Item = &Rc<LivePhone>> {
        self.servers.iter().flat_map(|server| server.phones())
    }

    /// A phone by serial. Its truth: `phone.model().truth()`.
    pub fn phone(&self, serial: &str) -> Option<&Rc<LivePhone>> {
        self.phones().find(|phone| phone.serial() == serial)
    }

    /// Looks at the truth of a phone; nothing when there is no such phone.
    pub fn truth<T>(&self, serial: &str, look: impl FnOnce(&crate::truth::Truth<'_>) -> T) -> Option<T> {
        self.phone(serial).map(|phone| look(&phone.model().truth()))
    }

    /// Hands every line a shell of any phone runs from now on to `scribe`, when it is over.
    pub fn transcribe(&self, scribe: crate::transcript::Scribe) {
        self.phones().for_each(|phone| phone.transcribe(scribe.clone()));
    }

    /// Serials, sorted.
    pub fn serials(&self) -> BTreeSet<String> {
        self.phones().map(|phone| phone.serial().to_owned()).collect()
    }
}
