//! NUL in text: PostgreSQL refuses it, phones print it. It is written as SUB `0`, and SUB itself as SUB SUB; text
//! without either, which is all honest text, stays as it is.

use std::borrow::Cow;

const SUB: char = '\u{1a}';

/// The text without NUL.
pub(crate) fn armour(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', SUB]) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => out.extend([SUB, '0']),
            SUB => out.extend([SUB, SUB]),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

/// The text as it was.
pub fn bare(text: &str) -> Cow<'_, str> {
    if !text.contains(SUB) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        out.extend(match letter {
            SUB => letters.next().map(|after| if after == '0' { '\0' } else { after }),
            other => Some(other),
        });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_text_comes_back(parts in prop::collection::vec(prop_oneof![Just('\0'), Just(SUB), Just('0'), any::<char>()], 0..20)) {
            let text: String = parts.into_iter().collect();
            let armoured = armour(&text);
            prop_assert!(!armoured.contains('\0'));
            prop_assert_eq!(bare(&armoured), text.as_str());
        }
    }
}
