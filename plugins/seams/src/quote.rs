//! Quoting for the phone's shell: the one place where foreign text becomes part of a command line.
//!
//! `adb shell` hands one string to the shell on the phone (mksh), which splits and expands it again. Everything that
//! did not come from this program's own source text (app ids, links, layer names, typed text) goes through [`quote`].
//! Must not know: what the words mean, or which command they belong to.

/// One word for the phone's shell that expands to exactly `text`.
///
/// The result is wrapped in single quotes, inside which the shell expands nothing: spaces, `$`, backticks, `;`, `*`,
/// `#` and newlines are data. A single quote leaves the quotes, is escaped, and enters them again (`'\''`). The empty
/// text becomes `''`, still one word.
///
/// A command line cannot carry a NUL byte: NULs are left out, here and nowhere else. No layer, package or link can hold
/// one, so nothing is lost that could have been meant.
///
/// ```
/// assert_eq!(farmjank_seams::quote::quote("it's $HOME"), r"'it'\''s $HOME'");
/// ```
pub fn quote(text: &str) -> String {
    let mut word = String::with_capacity(text.len() + 2);
    word.push('\'');
    for letter in text.chars() {
        match letter {
            '\0' => {}
            '\'' => word.push_str(r"'\''"),
            other => word.push(other),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a POSIX shell makes of a line of quoted words: only the rules the quoting uses, and an error for
    /// anything a shell would expand, split on or run.
    fn words(line: &str) -> Result<Vec<String>, String> {
        let mut done = Vec::new();
        let mut word: Option<String> = None;
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match letter {
                ' ' => done.extend(word.take()),
                '\'' => {
                    let current = word.get_or_insert_default();
                    loop {
                        match letters.next() {
                            Some('\'') => break,
                            Some(data) => current.push(data),
                            None => return Err("unterminated quote".into()),
                        }
                    }
                }
                '\\' => word.get_or_insert_default().push(letters.next().ok_or("trailing backslash")?),
                plain if plain.is_ascii_alphanumeric() || "-_.".contains(plain) => {
                    word.get_or_insert_default().push(plain);
                }
                special => return Err(format!("{special:?} outside quotes")),
            }
        }
        done.extend(word);
        Ok(done)
    }

    #[test]
    fn nasty_layer_names_arrive_whole() {
        for name in [
            "",
            "'",
            "''",
            " #0",
            "SurfaceView[com.foo/com.foo.Main$Inner](BLAST)#12",
            "a'; reboot; echo '",
            "`id` $(id) ${HOME} \\ \" * ? [x] ~ & | > < ! { }",
            "two\nlines\r\n",
        ] {
            assert_eq!(words(&quote(name)), Ok(vec![name.to_owned()]), "{name:?}");
        }
    }

    #[test]
    fn nul_is_left_out() {
        assert_eq!(quote("a\0b"), "'ab'");
        assert_eq!(quote("\0"), "''");
    }

    proptest! {
        #[test]
        fn any_text_is_one_word_that_expands_to_itself(text in any::<String>()) {
            let expected = text.replace('\0', "");
            prop_assert_eq!(words(&quote(&text)), Ok(vec![expected]));
        }

        #[test]
        fn shell_syntax_is_data(texts in prop::collection::vec("[ '\"\\\\$`;&|<>(){}\\[\\]*?#~!\n\ra-c]{0,20}", 1..5)) {
            let line = texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(words(&line), Ok(texts));
        }
    }
}
