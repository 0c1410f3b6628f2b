//! Builds of an app, as tickets remember them. Must not know: tickets, phones.

/// Most bytes of a version that are remembered.
const MOST: usize = 64;

/// A build of an app: `7.4.1 (7410)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Name of the version, in letters that mean nothing anywhere: others are `_`. May be empty.
    pub name: String,
    /// Its code, which grows from build to build; none where the phone does not tell it.
    pub code: Option<u64>,
}

impl Build {
    /// Of a version as a phone tells it: the name, and the code in brackets behind it.
    pub fn told(version: &str) -> Build {
        let version = version.trim();
        let split = version.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
        match split.and_then(|(name, code)| Some((name, code.trim().parse().ok()?))) {
            Some((name, code)) => Build { name: plain(name.trim()), code: Some(code) },
            None => Build { name: plain(version), code: None },
        }
    }

    /// Whether this one was made after the other; none where a code is missing, since names have no order.
    pub fn is_after(&self, other: &Build) -> Option<bool> {
        Some(self.code? > other.code?)
    }

    /// For people.
    pub fn shown(&self) -> String {
        match (self.name.as_str(), self.code) {
            ("", None) => "an unknown build".to_owned(),
            ("", Some(code)) => code.to_string(),
            (name, None) => name.to_owned(),
            (name, Some(code)) => format!("{name} ({code})"),
        }
    }
}

/// A word of a marker: letters, digits and `.`, `_`, `+`, `-`; everything else is `_`.
pub(crate) fn plain(text: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || "._+-".contains(c) { c } else { '_' };
    // Two of them would end the comment that a marker stands in.
    text.chars().take(MOST).map(letter).collect::<String>().replace("--", "__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_name_and_a_code_and_only_codes_have_an_order() {
        let build = |text: &str| Build::told(text);
        assert_eq!(build("7.4.1 (7410)"), Build { name: "7.4.1".to_owned(), code: Some(7410) });
        assert_eq!(build("9"), Build { name: "9".to_owned(), code: None });
        assert_eq!(build("7 (beta)").name, "7__beta_");
        assert_eq!(build("7.10.0 (80)").is_after(&build("7.9.0 (79)")), Some(true));
        assert_eq!(build("7.9.0 (79)").is_after(&build("7.9.1 (79)")), Some(false));
        assert_eq!(build("8").is_after(&build("7.9.0 (79)")), None);
        assert_eq!(build("1 --> <b> (5)").shown(), "1______b_ (5)");
    }
}
