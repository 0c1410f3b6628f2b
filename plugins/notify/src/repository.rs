//! A repository of GitHub, by its name: `OWNER/REPO`.

/// Whose it is, and what it is called; nothing in either leaves its place in a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    owner: String,
    name: String,
}

impl Repository {
    /// Reads `OWNER/REPO`.
    pub fn parse(text: &str) -> Option<Repository> {
        let (owner, name) = text.split_once('/')?;
        let letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_word = |word: &str| {
            (1..=100).contains(&word.len()) && word.chars().all(letter) && !word.chars().all(|c| c == '.')
        };
        let (owner, name) = (is_word(owner) && is_word(name)).then(|| (owner.to_owned(), name.to_owned()))?;
        Some(Repository { owner, name })
    }

    /// As a person would name it.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("repos/{}/{}/{rest}", self.owner, self.name)
    }
}
