//! A lab: what its YAML file says, and the running thing made of it — phones, servers, scheduled faults.
//!
//! Opens no socket and reads no file: the gallery is part of the program, other files arrive as text. All chance comes
//! from the seed; one seed gives one lab, byte for byte.

mod file;
mod hand;
mod latency;
mod live;

pub use file::LabError;
pub use hand::Hand;
pub use latency::Latency;
pub use live::{Banner, Cable, LivePhone, Presence};

use crate::chance::mix;
use crate::fault::{self, Scheduled};
use crate::server::LiveServer;
use crate::spec::PhoneSpec;
use farmjank_seams::host::Address;
use farmjank_seams::watched::Watched;
use live::Place;
use std::collections::BTreeSet;
use std::rc::Rc;
use tokio::time::Instant;

/// Most phones on one server: beyond this a real server's single thread becomes the bottleneck.
pub const PHONES_PER_SERVER: usize = 128;

/// Most phones that stay together when a lab is taken apart ([`Lab::shards`]); small labs are not worth a second
/// thread.
const PHONES_TOGETHER: usize = 8;

/// Phones of one shard of a larger lab. Few: while one works, its phones' frames and dumps stay in the caches of its
/// core. Measured with 200 phones on two cores: 2 per shard take 0.19 s of CPU a phone, 8 take 0.22 s, 128 take 0.33 s.
const PHONES_PER_RACK: usize = 2;

/// The labs that come with the program, and their text.
const GALLERY: [(&str, &str); 10] = [
    ("demo", include_str!("../labs/demo.yaml")),
    ("rack", include_str!("../labs/rack.yaml")),
    ("fast", include_str!("../labs/fast.yaml")),
    ("adaptive", include_str!("../labs/adaptive.yaml")),
    ("old", include_str!("../labs/old.yaml")),
    ("flaky", include_str!("../labs/flaky.yaml")),
    ("overflow", include_str!("../labs/overflow.yaml")),
    ("compositor", include_str!("../labs/compositor.yaml")),
    ("thirty", include_str!("../labs/thirty.yaml")),
    ("big", include_str!("../labs/big.yaml")),
];

/// A lab as described: pure data.
#[derive(Clone, Debug, PartialEq)]
pub struct Lab {
    /// Name.
    pub name: String,
    /// Seed of all chance.
    pub seed: u64,
    /// How long calls take on the way.
    pub latency: Latency,
    /// Phones with their serials, `count` already multiplied out.
    pub phones: Vec<(String, PhoneSpec)>,
    /// Faults on lab time.
    pub faults: Vec<Scheduled>,
}

/// The labs that come with the program, in the order of the documentation.
pub fn gallery() -> Vec<&'static str> {
    GALLERY.iter().map(|(name, _)| *name).collect()
}

impl Lab {
    /// The names of the labs that come with the program.
    pub fn gallery() -> Vec<&'static str> {
        gallery()
    }

    /// A lab of the gallery. `Err` names those there are.
    pub fn named(name: &str) -> Result<Lab, LabError> {
        match GALLERY.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Lab::from_yaml(text),
            None => Err(LabError(format!("no lab is called {name:?}; there are {}", gallery().join(", ")))),
        }
    }

    /// The text of a lab of the gallery, to start one's own from.
    pub fn text_of(name: &str) -> Option<&'static str> {
        GALLERY.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Reads a lab file. `Err` says what is wrong, where, and what to write instead.
    pub fn from_yaml(text: &str) -> Result<Lab, LabError> {
        file::read(text)
    }

    /// The same lab with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Lab {
        self.seed = seed;
        self
    }

    /// The addresses of its servers.
    pub fn servers(&self) -> Vec<Address> {
        (0..self.phones.len().div_ceil(PHONES_PER_SERVER).max(1)).map(|n| Address::Lab(n as u16)).collect()
    }

    /// Its phones in labs of their own, in order: all in one when they are few. Phones never meet and every phone draws from
    /// its own seed, so together they are this lab.
    pub fn shards(&self) -> Vec<Lab> {
        let shard = |phones: &[(String, PhoneSpec)]| Lab { phones: phones.to_vec(), ..self.clone() };
        let together = if self.phones.len() > PHONES_TOGETHER { PHONES_PER_RACK } else { PHONES_TOGETHER };
        self.phones.chunks(together).map(shard).collect()
    }

    /// Switches everything on: lab time begins now. Call inside a tokio `LocalSet`; scheduled faults run there.
    pub fn build(&self) -> Result<Rc<LiveLab>, LabError> {
        let start = Instant::now();
        let mut servers = Vec::new();
        let groups: Vec<&[(String, PhoneSpec)]> = match self.phones.is_empty() {
            true => vec![&[]],
            false => self.phones.chunks(PHONES_PER_SERVER).collect(),
        };
        for group in groups {
            let changed = Rc::new(Watched::new(0));
            let mut phones = Vec::with_capacity(group.len());
            for (i, (serial, spec)) in group.iter().enumerate() {
                let place = Place {
                    number: i as u64 + 1,
                    seed: phone_seed(self.seed, serial),
                    start,
                    latency: self.latency,
                    changed: changed.clone(),
                };
                let phone = LivePhone::new(spec, serial.clone(), place)
                    .map_err(|why| LabError(format!("phone {serial}: {why}")))?;
                phones.push(Rc::new(phone));
            }
            servers.push(Rc::new(LiveServer::new(servers.len() as u16, phones, changed)));
        }
        let live = Rc::new(LiveLab { name: self.name.clone(), start, servers });
        fault::schedule(&live, &self.faults);
        Ok(live)
    }
}

/// Every phone draws from its own seed, whatever other phones a lab holds.
fn phone_seed(seed: u64, serial: &str) -> u64 {
    serial
        .bytes()
        .fold(mix(seed, 0x9403, serial.len() as u64), |word, byte| mix(word, 0x9403, u64::from(byte)))
}

/// A running lab.
pub struct LiveLab {
    name: String,
    start: Instant,
    servers: Vec<Rc<LiveServer>>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gallery_reads_and_has_the_phones_it_promises() {
        let counts: Vec<usize> = gallery()
            .into_iter()
            .map(|name| Lab::named(name).unwrap_or_else(|e| panic!("{name}: {e}")).phones.len())
            .collect();
        assert_eq!(counts, [4, 16, 7, 4, 5, 6, 3, 5, 2, 500]);
        let big = Lab::named("big").expect("in the gallery");
        assert_eq!(
            big.servers(),
            (0..4).map(Address::Lab).collect::<Vec<_>>(),
            "at most 128 phones on a server"
        );
        for name in gallery() {
            assert_eq!(
                Lab::named(name).map(|lab| lab.name),
                Ok(name.to_owned()),
                "the file carries its name"
            );
        }
    }

    #[test]
    fn phones_differ_and_do_not_depend_on_their_neighbours() {
        assert_ne!(phone_seed(1, "a"), phone_seed(1, "b"));
        assert_ne!(phone_seed(1, "a"), phone_seed(2, "a"));
    }
}
