//! Texts as a store keeps them: bounded, and found by a fingerprint of 64 bits. A fingerprint only narrows the search;
//! what is found is compared whole, so that two texts with one fingerprint stay two.

use farmjank_leaf::hash::Fnv;
use farmjank_results::cell::CellKey;

/// Longest text kept, in characters. Names of phones are hostile; nothing honest is as long.
pub const LONGEST: usize = 1_000;

/// The text, or the start of a long one with the fingerprint of all of it.
pub fn bounded(text: &str) -> String {
    if text.chars().nth(LONGEST).is_none() {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST - 20).collect();
    format!("{start}…#{}", Fnv::NOTHING.part(text.as_bytes()).hex())
}

/// The key with bounded texts: what is kept, and what is looked for.
pub(crate) fn bounded_key(key: &CellKey) -> CellKey {
    CellKey {
        model: bounded(&key.model),
        build: bounded(&key.build),
        refresh: key.refresh,
        scenario: bounded(&key.scenario),
        hash: bounded(&key.hash),
        window: bounded(&key.window),
        metric: bounded(&key.metric),
        metric_version: key.metric_version,
        source: bounded(&key.source),
    }
}

/// The fingerprint of a text.
pub fn of_text(text: &str) -> i64 {
    Fnv::NOTHING.part(text.as_bytes()).number().cast_signed()
}

/// The fingerprint of a key.
pub fn of_key(key: &CellKey) -> i64 {
    let texts = [&key.model, &key.build, &key.scenario, &key.hash, &key.window, &key.metric, &key.source];
    let start = Fnv::NOTHING.part(&key.refresh.to_le_bytes()).part(&key.metric_version.to_le_bytes());
    texts.into_iter().fold(start, |hash, text| hash.part(text.as_bytes())).number().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_stay_apart_and_short_ones_stay() {
        assert_eq!(bounded("Pixel 7"), "Pixel 7");
        let long = "ä".repeat(LONGEST);
        assert_eq!(bounded(&long), long);
        let (one, other) = (format!("{long}a"), format!("{long}b"));
        assert_ne!(bounded(&one), bounded(&other));
        assert!(bounded(&one).chars().count() <= LONGEST);
        assert_eq!(bounded(&bounded(&one)), bounded(&one));
    }

    #[test]
    fn parts_do_not_run_together() {
        let of = |parts: &[&str]| {
            parts.iter().fold(Fnv::NOTHING, |hash, part| hash.part(part.as_bytes())).number().cast_signed()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
    }
}
