//! The readings of one window, shared: they pass through the log, the record and the judgement, and are copied by none
//! of them.
//!
//! Behaves as the map it holds. Whoever changes readings that others hold changes a copy.

use crate::metric::Reading;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::collections::btree_map;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Readings by metric key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings(Arc<BTreeMap<String, Reading>>);

impl Deref for Readings {
    type Target = BTreeMap<String, Reading>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Readings {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl From<BTreeMap<String, Reading>> for Readings {
    fn from(readings: BTreeMap<String, Reading>) -> Self {
        Readings(Arc::new(readings))
    }
}

impl<const N: usize> From<[(String, Reading); N]> for Readings {
    fn from(readings: [(String, Reading); N]) -> Self {
        Readings(Arc::new(readings.into()))
    }
}

impl FromIterator<(String, Reading)> for Readings {
    fn from_iter<T: IntoIterator<Item = (String, Reading)>>(readings: T) -> Self {
        Readings(Arc::new(readings.into_iter().collect()))
    }
}

impl<'a> IntoIterator for &'a Readings {
    type Item = (&'a String, &'a Reading);
    type IntoIter = btree_map::Iter<'a, String, Reading>;

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
        BTreeMap::deserialize(deserializer).map(Readings::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_those_who_hold_the_same_readings_alone() {
        let first: Readings = [("fps".to_owned(), Reading::Value(60.0))].into_iter().collect();
        let mut second = first.clone();
        second.insert("fps".to_owned(), Reading::Value(59.0));
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
}
