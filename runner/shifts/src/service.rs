//! Which phones of a host are out of service: no run is given them until they are put back.
//!
//! Must not know: files, claims, how hosts are told.

use farmjank_leaf::text::line;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// So many words are remembered: one that is given again much later says nothing new.
const REMEMBERED: usize = 64;
/// Longest reason or serial, bytes.
const LONGEST: usize = 200;
/// So many phones are named at most.
const MOST: usize = 10_000;

/// Why something is out of service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drained {
    /// In the words of who took it out.
    pub why: String,
    /// Since when, RFC 3339 in UTC, by the clock of who took it out.
    pub since: String,
}

/// What is to become of phones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceWord {
    /// These; all of the host, also those that come later, where none is named.
    pub phones: Vec<DeviceId>,
    /// Why they are out of service; they are put back where it is none.
    pub drained: Option<Drained>,
}

/// What of a host is out of service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutOfService {
    /// All of it.
    #[serde(default)]
    pub host: Option<Drained>,
    /// Single phones.
    #[serde(default)]
    pub phones: BTreeMap<DeviceId, Drained>,
    /// The words that were heard last.
    #[serde(default)]
    heard: Vec<String>,
}

impl ServiceWord {
    /// Whether it is one.
    pub(crate) fn is_sound(&self) -> bool {
        let short = |text: &str| text.len() <= LONGEST;
        self.phones.len() <= MOST
            && self.phones.iter().all(|id| short(&id.0))
            && self.drained.as_ref().is_none_or(|drained| short(&drained.why) && short(&drained.since))
    }
}

impl OutOfService {
    /// As it was written; nothing of the kind is none.
    pub fn read(bytes: &[u8]) -> Option<OutOfService> {
        serde_json::from_slice(bytes).ok()
    }

    /// Hears a word by the name it was given; whether it is new.
    pub(crate) fn hear(&mut self, name: &str, word: &ServiceWord) -> bool {
        if self.heard.iter().any(|heard| heard == name) {
            return false;
        }
        self.heard.push(name.to_owned());
        let old = self.heard.len().saturating_sub(REMEMBERED);
        self.heard.drain(..old);
        match (&word.drained, &*word.phones) {
            (Some(drained), []) => self.host = Some(drained.clone()),
            (None, []) => (self.host, self.phones) = (None, BTreeMap::new()),
            (Some(drained), phones) => {
                self.phones.extend(phones.iter().map(|id| (id.clone(), drained.clone())));
            }
            (None, phones) => self.phones.retain(|id, _| !phones.contains(id)),
        }
        true
    }

    /// Why a phone is out of service; none where it is not.
    pub fn of(&self, phone: &DeviceId) -> Option<&Drained> {
        self.phones.get(phone).or(self.host.as_ref())
    }

    /// What to undo for a phone to be in service again, as it is said.
    pub(crate) fn undo(&self, host: &str, phone: &DeviceId) -> String {
        match self.phones.contains_key(phone) {
            true => format!("farmjank farm undrain {host} {}", line(&phone.0, 60)),
            false => format!("farmjank farm undrain {host}"),
        }
    }

    /// Why no run is given a phone.
    pub(crate) fn fault(&self, host: &str, phone: &DeviceId) -> Option<Fault> {
        let Drained { why, since } = self.of(phone)?;
        let what = format!("{phone} is out of service since {}: {}", line(since, 40), line(why, LONGEST));
        let fault = Fault::new(FaultCode::DeviceDrained, what);
        Some(fault.advise(format!("`{}` puts it back", self.undo(host, phone))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(phones: &[&str], why: Option<&str>) -> ServiceWord {
        let drained =
            why.map(|why| Drained { why: why.to_owned(), since: "2026-03-01T00:00:00Z".to_owned() });
        ServiceWord { phones: phones.iter().map(|id| DeviceId((*id).to_owned())).collect(), drained }
    }

    fn why(out: &OutOfService, phone: &str) -> Option<String> {
        out.of(&DeviceId(phone.to_owned())).map(|drained| drained.why.clone())
    }

    #[test]
    fn what_is_put_back_is_in_service_and_a_word_that_is_given_again_says_nothing_new() {
        let mut out = OutOfService::default();
        assert!(out.hear("1", &word(&["a", "b"], Some("battery"))));
        assert!(out.hear("2", &word(&["b"], None)));
        assert_eq!((why(&out, "a"), why(&out, "b")), (Some("battery".to_owned()), None));
        assert!(!out.hear("1", &word(&["a", "b"], Some("battery"))), "the store gave it once more");
        assert_eq!(why(&out, "b"), None);
        let bytes = serde_json::to_vec(&out).expect("json");
        assert_eq!(OutOfService::read(&bytes), Some(out), "an agent that begins again knows both");
    }

    #[test]
    fn a_host_out_of_service_has_phones_of_its_own_reasons_and_all_are_put_back_with_it() {
        let mut out = OutOfService::default();
        out.hear("1", &word(&["a"], Some("battery")));
        out.hear("2", &word(&[], Some("moves to another room")));
        assert_eq!(why(&out, "a").as_deref(), Some("battery"));
        assert_eq!(why(&out, "comes later").as_deref(), Some("moves to another room"));
        let told = out.fault("rack", &DeviceId("b".to_owned())).expect("out").to_string();
        assert_eq!(
            told,
            "b is out of service since 2026-03-01T00:00:00Z: moves to another room; `farmjank farm undrain rack` puts it back"
        );
        out.hear("3", &word(&[], None));
        assert_eq!((why(&out, "a"), why(&out, "b")), (None, None));
    }

    #[test]
    fn a_word_without_bounds_is_none() {
        assert!(word(&["a"], Some("battery")).is_sound());
        assert!(!word(&["a"], Some(&"x".repeat(LONGEST + 1))).is_sound());
        assert!(!word(&[&"x".repeat(LONGEST + 1)], None).is_sound());
    }
}
