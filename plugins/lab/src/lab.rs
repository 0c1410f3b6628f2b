//! A lab: what its YAML file says, and the running thing made of it — phones, servers, scheduled faults.
//!
//! Opens no socket and reads no file: the gallery is part of the program, other files arrive as text. All chance comes
//! from the seed; one seed gives one lab, byte for byte.

mod described;
mod duration;
mod fault_text;
mod faults;
mod file;
mod running;

pub use crate::lab_error::LabError;
pub use described::{Lab, PHONES_PER_SERVER};
pub use running::LiveLab;

use crate::chance::mix;
use crate::live_phone::{LivePhone, Place};
use crate::server::LiveServer;
use crate::spec::PhoneSpec;
use farmjank_seams::watched::Watched;
use std::rc::Rc;
use tokio::time::Instant;

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

    /// The JSON Schema of lab files, as `farmjank schema lab` prints it: stable, pretty, with a final newline.
    pub fn schema() -> String {
        file::schema()
    }

    /// Reads a lab file. `Err` says what is wrong, where, and what to write instead.
    pub fn from_yaml(text: &str) -> Result<Lab, LabError> {
        file::read(text)
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
        faults::schedule(&live, &self.faults);
        Ok(live)
    }
}

/// Every phone draws from its own seed, whatever other phones a lab holds.
fn phone_seed(seed: u64, serial: &str) -> u64 {
    serial
        .bytes()
        .fold(mix(seed, 0x9403, serial.len() as u64), |word, byte| mix(word, 0x9403, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_seams::host::Address;

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
