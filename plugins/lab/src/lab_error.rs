//! What is wrong with the description of a lab, a phone, an app or a build.

use farmjank_leaf::nearest::nearest;

/// What is wrong with a lab, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LabError(pub String);

impl From<String> for LabError {
    fn from(what: String) -> Self {
        LabError(what)
    }
}

/// What to write instead of a word there is not: the nearest one, all when they are few, else where they stand.
pub(crate) fn instead(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "there is nothing to write here".to_owned(),
        None if known.len() <= 6 => format!("write {}", known.join(", ")),
        None => "`farmjank schema lab` lists what there is, docs/lab-files.md says what it is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::instead;

    #[test]
    fn a_typo_is_told_its_word_and_a_stranger_where_the_words_stand() {
        let known = ["unplug", "wedge", "offline", "garble", "slow", "reboot", "heat"];
        assert_eq!(instead("unplgu", &known), "did you mean `unplug`?");
        assert!(instead("frobnicate", &known).starts_with("`farmjank schema lab`"));
        assert_eq!(instead("frobnicate", &known[..2]), "write unplug, wedge");
    }
}
