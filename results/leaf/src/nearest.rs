//! The word somebody probably meant, by edit distance (insert, delete, replace, swap of neighbours). Bounded: long
//! words are never compared in full.

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

/// Candidates somebody who wrote `word` may have meant, at most so many: the nearest first, then those that begin with
/// it, then those that hold it, ignoring case and `_`, `-`.
pub fn meant<'a>(word: &str, candidates: &[&'a str], most: usize) -> Vec<&'a str> {
    let word_plain = plain(word);
    let held = |at: fn(&str, &str) -> bool| {
        let wanted = word_plain.clone();
        let candidates = candidates.iter().copied();
        candidates.filter(move |one| wanted.chars().count() > 1 && at(&plain(one), &wanted))
    };
    let begins = held(|one, wanted| one.starts_with(wanted));
    let holds = held(|one, wanted| one.contains(wanted));
    let mut found: Vec<&str> = Vec::new();
    for one in nearest(word, candidates.iter().copied()).into_iter().chain(begins).chain(holds) {
        if found.len() < most && !found.contains(&one) {
            found.push(one);
        }
    }
    found
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
    fn words_that_hold_what_was_written_are_offered_nearest_first() {
        let keys = ["fps", "scroll_fps", "hitch_ms", "hitch_ms_per_s", "ft_hitch_ms", "fling_fps"];
        assert_eq!(meant("hitch", &keys, 3), ["hitch_ms", "hitch_ms_per_s", "ft_hitch_ms"]);
        assert_eq!(meant("hich_ms_per_s", &keys, 3), ["hitch_ms_per_s"]);
        assert_eq!(meant("FPS", &keys, 2), ["fps", "scroll_fps"]);
        assert!(meant("frobnicate", &keys, 3).is_empty() && meant("", &keys, 3).is_empty());
    }

    #[test]
    fn the_closest_word_is_found_however_far_it_is() {
        assert_eq!(closest("medain", ["mean", "median"]), Some("median"));
        assert_eq!(closest("frobnicate", ["mean", "median"]), Some("median"));
        assert_eq!(closest("", []), None);
    }
}
