//! The readings of one window, shared: they pass through the log, the record and the judgement, and are copied by none
//! of them. A run holds those of every iteration to its end: keys are no texts of their own, nor is a reason that many
//! metrics of the window give.
//!
//! Behaves as the map it holds. Whoever changes readings that others hold changes a copy.

use crate::metric::Reading;
use crate::metric_key::MetricKey;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::collections::btree_map;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// How many reasons of a window are looked through for one that is given again.
const REASONS: usize = 16;

/// Readings by metric key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings(Arc<BTreeMap<MetricKey, Reading>>);

impl Deref for Readings {
    type Target = BTreeMap<MetricKey, Reading>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Readings {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl<K: Into<MetricKey>> FromIterator<(K, Reading)> for Readings {
    fn from_iter<T: IntoIterator<Item = (K, Reading)>>(readings: T) -> Self {
        let mut reasons: Vec<Arc<str>> = Vec::new();
        let once = |(key, reading): (K, Reading)| match reading {
            Reading::Unmeasurable(why) => (key.into(), Reading::Unmeasurable(shared(why, &mut reasons))),
            reading => (key.into(), reading),
        };
        // Collected at once the nodes of the map are full, and half full where one is inserted after the other.
        Readings(Arc::new(readings.into_iter().map(once).collect()))
    }
}

/// The reason, as it was first given.
fn shared(why: Arc<str>, reasons: &mut Vec<Arc<str>>) -> Arc<str> {
    match reasons.iter().find(|known| Arc::ptr_eq(known, &why) || **known == why) {
        Some(known) => Arc::clone(known),
        None => {
            // Neighbours give the same reason; what a hostile log gives a thousand of is shared by none.
            if reasons.len() == REASONS {
                reasons.remove(0);
            }
            reasons.push(Arc::clone(&why));
            why
        }
    }
}

impl<K: Into<MetricKey>, const N: usize> From<[(K, Reading); N]> for Readings {
    fn from(readings: [(K, Reading); N]) -> Self {
        readings.into_iter().collect()
    }
}

impl<'a> IntoIterator for &'a Readings {
    type Item = (&'a MetricKey, &'a Reading);
    type IntoIter = btree_map::Iter<'a, MetricKey, Reading>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Serialize for Readings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Readings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Told)
    }
}

struct Told;

impl<'de> Visitor<'de> for Told {
    type Value = Readings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("readings by metric key")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Readings, A::Error> {
        let mut readings: Vec<(MetricKey, Reading)> = Vec::new();
        while let Some(entry) = map.next_entry()? {
            readings.push(entry);
        }
        Ok(readings.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_those_who_hold_the_same_readings_alone() {
        let first: Readings = [("fps".to_owned(), Reading::Value(60.0))].into_iter().collect();
        let mut second = first.clone();
        second.insert("fps".into(), Reading::Value(59.0));
        assert_eq!(first.get("fps"), Some(&Reading::Value(60.0)));
        assert_eq!(second.get("fps"), Some(&Reading::Value(59.0)));
    }

    #[test]
    fn they_are_written_and_read_as_a_map() {
        let readings: Readings = [("fps".to_owned(), Reading::Value(60.0))].into_iter().collect();
        let text = serde_json::to_string(&readings).expect("JSON");
        assert_eq!(text, r#"{"fps":{"value":60.0}}"#);
        assert_eq!(serde_json::from_str::<Readings>(&text).expect("readings"), readings);
    }

    #[test]
    fn a_reason_that_many_metrics_give_is_held_once_measured_and_read_back() {
        let why = |readings: &Readings, key| match &readings[key] {
            Reading::Unmeasurable(why) => Arc::as_ptr(why).cast::<u8>(),
            reading => panic!("{reading:?}"),
        };
        let none = |key, why: &str| (key, Reading::Unmeasurable(why.into()));
        let made = Readings::from([none("fps", "lost"), none("max_ms", "lost"), none("p50_ms", "void")]);
        let read: Readings = serde_json::from_str(&serde_json::to_string(&made).unwrap()).unwrap();
        assert_eq!(read, made);
        for readings in [made, read] {
            assert_eq!(why(&readings, "fps"), why(&readings, "max_ms"));
            assert_ne!(why(&readings, "fps"), why(&readings, "p50_ms"));
        }
    }
}
