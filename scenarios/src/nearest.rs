//! The name somebody probably meant: nearest by edit distance. Bounded: long words are never compared in full.

/// Characters of a word that are looked at.
const LOOK: usize = 48;

/// The candidate nearest to `word`, when it is near enough to be meant: at most a third of the word's length in edits
/// (insert, delete, replace, swap of neighbours), ignoring case and `_`, `-`.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = plain(word);
    let allowed = (word.len() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(edits, candidate)| *edits <= allowed && *edits < plain(candidate).len())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

fn plain(word: &str) -> Vec<char> {
    word.chars().take(LOOK).filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 {
                j
            } else if j == 0 {
                i
            } else {
                let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
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
}
