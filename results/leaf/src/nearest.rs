//! The word somebody probably meant, by edit distance (insert, delete, replace, swap of neighbours). Bounded: long words are
//! never compared in full.

/// Characters of a word that are looked at.
const LOOK: usize = 48;

/// The candidate nearest to `word`, when it is near enough to be meant: at most a third of the word's length in edits,
/// ignoring case and `_`, `-`; the first on a tie.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word);
    let allowed = (word.chars().count() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (plain(candidate), candidate))
        .map(|(plain, candidate)| (strsim::osa_distance(&word, &plain), plain.chars().count(), candidate))
        .filter(|(edits, length, _)| *edits <= allowed && edits < length)
        .min_by_key(|(edits, _, _)| *edits)
        .map(|(_, _, candidate)| candidate)
}

/// The candidate nearest to `word`, however far; the first on a tie, none of none.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word);
    candidates.into_iter().min_by_key(|candidate| strsim::osa_distance(&word, &plain(candidate)))
}

fn plain(word: &str) -> String {
    word.chars().take(LOOK).filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_word_and_strangers_find_none() {
        let words = ["swipe", "stopApp", "thresholds", "scrollUntilVisible", "id"];
        assert_eq!(nearest("swip", words), Some("swipe"));
        assert_eq!(nearest("tresholds", words), Some("thresholds"));
        assert_eq!(nearest("threhsolds", words), Some("thresholds"));
        assert_eq!(nearest("stop_app", words), Some("stopApp"));
        assert_eq!(nearest("ScrollUntilVisble", words), Some("scrollUntilVisible"));
        assert_eq!(nearest("frobnicate", words), None);
        assert_eq!(nearest("x", words), None);
        assert_eq!(nearest("", words), None);
    }

    #[test]
    fn the_closest_word_is_found_however_far_it_is() {
        assert_eq!(closest("medain", ["mean", "median"]), Some("median"));
        assert_eq!(closest("frobnicate", ["mean", "median"]), Some("median"));
        assert_eq!(closest("", []), None);
    }
}
