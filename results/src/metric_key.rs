//! The key of a metric, beside its reading: of the registry's metrics it is a reference to what the program has anyway,
//! so a window's hundred and fifty keys take no memory of their own; whatever else a log says (plugins, limits on
//! causes, metrics of another version) is text. Must not know what a metric says.

use crate::metric::Metric;
use crate::metrics::find;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

/// The key of a metric, ours or anybody's. Behaves as its text.
#[derive(Clone)]
pub struct MetricKey(Whose);

#[derive(Clone)]
enum Whose {
    Ours(&'static Metric),
    Others(Box<str>),
}

impl MetricKey {
    /// Its text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Whose::Ours(metric) => metric.key,
            Whose::Others(key) => key,
        }
    }
}

impl From<&'static Metric> for MetricKey {
    fn from(metric: &'static Metric) -> Self {
        MetricKey(Whose::Ours(metric))
    }
}

impl From<&str> for MetricKey {
    fn from(key: &str) -> Self {
        MetricKey(find(key).map_or_else(|| Whose::Others(key.into()), Whose::Ours))
    }
}

impl From<String> for MetricKey {
    fn from(key: String) -> Self {
        MetricKey(find(&key).map_or_else(|| Whose::Others(key.into()), Whose::Ours))
    }
}

impl Deref for MetricKey {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

// A map with such keys is asked with text: order and equality are those of the text.
impl Borrow<str> for MetricKey {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for MetricKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for MetricKey {}

impl PartialOrd for MetricKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for MetricKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for MetricKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for MetricKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for MetricKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MetricKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Told)
    }
}

/// Text is looked up where it lies.
struct Told;

impl Visitor<'_> for Told {
    type Value = MetricKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the key of a metric")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<MetricKey, E> {
        Ok(key.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_its_text_whosever_it_is_and_holds_none_where_it_is_ours() {
        let keys = ["hitch_ms_per_s[lock.*]", "fps", "a.b.uneven", "max_ms"];
        let mut all = keys.map(MetricKey::from);
        let ours = all.iter().filter(|key| matches!(key.0, Whose::Ours(_))).map(MetricKey::as_str);
        assert_eq!(ours.collect::<Vec<_>>(), ["fps", "max_ms"]);
        all.sort();
        let mut texts = keys;
        texts.sort_unstable();
        assert_eq!(all.iter().map(MetricKey::to_string).collect::<Vec<_>>(), texts);
        assert_eq!(format!("{:?}", all[1]), "\"fps\"");
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, serde_json::to_string(&texts).unwrap());
        assert_eq!(serde_json::from_str::<Vec<MetricKey>>(&text).unwrap(), all);
        assert_eq!(size_of::<MetricKey>(), size_of::<&str>());
    }
}
