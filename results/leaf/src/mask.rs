//! Secrets blacked out of whatever leaves the program: in the forms they take on their way through shells, links, JSON,
//! markup and base64, each byte by a `*`, so that nothing that counts bytes is upset.
//!
//! Also where a text was cut short within a secret, before `…` or `...`: what is left of its beginning.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Fewest bytes of a secret.
const SHORTEST: usize = 6;
/// Most bytes of a secret.
const LONGEST: usize = 4_096;
/// Fewest bytes of a secret's beginning that are blacked out before a cut.
const BEGINNING: usize = 3;
/// What stands where a text was cut.
const CUTS: [&[u8]; 2] = ["…".as_bytes(), b"..."];
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Why a value cannot be kept secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmaskable {
    /// Shorter than six bytes.
    Short,
    /// Longer than four kilobytes.
    Long,
    /// Of several lines, or with other controls in it.
    Control,
    /// Digits alone, or small letters alone.
    Common,
}

impl std::fmt::Display for Unmaskable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unmaskable::Short => "it has fewer than 6 bytes, which stand everywhere by chance",
            Unmaskable::Long => "it has more than 4096 bytes",
            Unmaskable::Control => "it has several lines or control characters",
            Unmaskable::Common => {
                "it is of digits alone or of small letters alone, which cannot be told from times and words"
            }
        })
    }
}

/// What is blacked out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Mask {
    /// Every form of every secret, the longest first.
    forms: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask of {} forms", self.forms.len())
    }
}

impl Mask {
    /// Of one more secret.
    ///
    /// # Errors
    /// [`Unmaskable`]: it cannot be told from other text.
    pub fn and(mut self, secret: &str) -> Result<Mask, Unmaskable> {
        match secret.len() {
            0..SHORTEST => return Err(Unmaskable::Short),
            SHORTEST..=LONGEST => {}
            _ => return Err(Unmaskable::Long),
        }
        if secret.chars().any(char::is_control) {
            return Err(Unmaskable::Control);
        }
        let word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        if secret.bytes().all(|byte| byte.is_ascii_digit()) || secret.bytes().all(word) {
            return Err(Unmaskable::Common);
        }
        self.forms.extend(forms(secret));
        Ok(self.sorted())
    }

    /// Of the secrets of both.
    pub fn with(mut self, other: &Mask) -> Mask {
        self.forms.extend_from_slice(&other.forms);
        self.sorted()
    }

    /// The longest first, so that a form within another leaves nothing of it.
    fn sorted(mut self) -> Mask {
        self.forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.forms.dedup();
        self
    }

    /// Whether there is no secret.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The bytes without any secret; as many as before.
    pub fn bytes<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        let mut out = Cow::Borrowed(bytes);
        for form in &self.forms {
            let found: Vec<usize> = memchr::memmem::find_iter(&out, form).collect();
            for at in found {
                out.to_mut()[at..at + form.len()].fill(b'*');
            }
        }
        if !self.forms.is_empty() {
            self.cuts(&mut out);
        }
        out
    }

    /// The text without any secret.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // Whole characters were replaced, but for a beginning that ends within one.
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Blacks out what is left of a secret where a text was cut within it.
    fn cuts(&self, out: &mut Cow<'_, [u8]>) {
        for cut in CUTS {
            let ends: Vec<usize> = memchr::memmem::find_iter(out, cut).collect();
            for end in ends {
                let left = |form: &Vec<u8>| {
                    let longest = form.len().saturating_sub(1).min(end);
                    (BEGINNING..=longest).rev().find(|size| out[end - size..end] == form[..*size])
                };
                if let Some(size) = self.forms.iter().filter_map(left).max() {
                    out.to_mut()[end - size..end].fill(b'*');
                }
            }
        }
    }
}

/// The forms a secret takes.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let shell = secret.replace('\'', "'\\''");
    let typed = secret.replace(' ', "%s");
    let mut plain = vec![
        secret.to_owned(),
        shell.replace(' ', "%s"),
        shell,
        typed,
        markup(secret, "&#39;"),
        markup(secret, "&apos;"),
        markup(secret, "&#x27;"),
    ];
    let marks: [&str; 3] = ["-._~", "-._~!*'()", "-._~:/?#[]@!$&'()*+,;="];
    for kept in marks {
        for upper in [true, false] {
            plain.push(percent(secret, kept, upper));
        }
    }
    plain.push(percent(secret, "-._~", true).replace("%20", "+"));
    let json: Vec<String> = plain.iter().flat_map(|form| [json(form, false), json(form, true)]).collect();
    plain.extend(json);
    let mut all: Vec<Vec<u8>> = plain.into_iter().map(String::into_bytes).collect();
    for offset in 0..3 {
        let packed = base64(secret.as_bytes(), offset);
        all.push(
            packed
                .iter()
                .map(|byte| [*byte, b'-', b'_'][usize::from(*byte == b'+') + 2 * usize::from(*byte == b'/')])
                .collect(),
        );
        all.push(packed);
    }
    all.retain(|form| form.len() >= SHORTEST);
    all
}

fn markup(text: &str, apostrophe: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', apostrophe)
}

fn percent(text: &str, kept: &str, upper: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        // Writing to a String cannot fail.
        match char::from(byte) {
            c if c.is_ascii_alphanumeric() || kept.contains(c) => out.push(c),
            _ if upper => drop(write!(out, "%{byte:02X}")),
            _ => drop(write!(out, "%{byte:02x}")),
        }
    }
    out
}

/// As a JSON string holds it; with everything a page must not hold escaped as well.
fn json(text: &str, for_page: bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\'' if for_page => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// The characters of base64 that these bytes alone decide, behind so many other bytes.
fn base64(bytes: &[u8], offset: usize) -> Vec<u8> {
    let bit = |at: usize| {
        let byte = at / 8;
        byte.checked_sub(offset).and_then(|byte| bytes.get(byte)).map(|byte| byte >> (7 - at % 8) & 1)
    };
    let sextet = |nth: usize| (6 * nth..6 * nth + 6).try_fold(0, |value, at| Some(value << 1 | bit(at)?));
    let all = (0..(8 * (bytes.len() + offset)).div_ceil(6)).map(sextet);
    all.skip_while(Option::is_none).map_while(|value| Some(BASE64[usize::from(value?)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mask(secret: &str) -> Mask {
        Mask::default().and(secret).unwrap()
    }

    #[test]
    fn every_form_is_blacked_out_and_no_byte_is_lost() {
        let mask = mask("p'a \"ss&<w>/ö?");
        for text in [
            "p'a \"ss&<w>/ö?",
            "p'\\''a%s\"ss&<w>/ö?",
            "p%27a%20%22ss%26%3Cw%3E%2F%C3%B6%3F",
            "p%27a%20%22ss%26%3cw%3e%2f%c3%b6%3f",
            "p%27a+%22ss%26%3Cw%3E%2F%C3%B6%3F",
            "p'a \\\"ss&<w>/ö?",
            "p'\\\\''a \\\"ss&<w>/ö?",
            "p&apos;a &quot;ss&amp;&lt;w&gt;/ö?",
            "p\\u0027a \\\"ss\\u0026\\u003cw\\u003e/ö?",
        ] {
            let whole = format!("a{text}b");
            let masked = mask.text(&whole);
            assert_eq!(masked.len(), whole.len());
            assert!(masked[1..masked.len() - 1].chars().all(|c| c == '*'), "{masked}");
        }
        assert_eq!(mask.text("nothing of it"), "nothing of it");
    }

    #[test]
    fn base64_is_blacked_out_whatever_stands_before_it() {
        // echo -n 'user:hunter2-Hunter' | base64, and with one and two letters more before it.
        let mask = mask("hunter2-Hunter");
        for text in
            ["dXNlcjpodW50ZXIyLUh1bnRlcg==", "eHVzZXI6aHVudGVyMi1IdW50ZXI=", "eHh1c2VyOmh1bnRlcjItSHVudGVy"]
        {
            let masked = mask.text(text);
            assert!(masked.matches('*').count() >= 16 && masked.len() == text.len(), "{masked}");
        }
    }

    #[test]
    fn what_is_left_of_a_secret_before_a_cut_is_blacked_out() {
        let mask = mask("hunter2-Hunter");
        assert_eq!(mask.text("token=hunter2-H… and hun..."), "token=*********… and ***...");
        assert_eq!(mask.text("a hu… hunt"), "a hu… hunt");
    }

    #[test]
    fn the_secrets_of_two_masks_are_all_secret_and_once() {
        let (one, two) = (mask("hunter2-Hunter"), mask("hunter2-Hunter-more"));
        let both = one.clone().with(&two);
        assert_eq!(
            both.text("a hunter2-Hunter-more b hunter2-Hunter"),
            "a ******************* b **************"
        );
        assert_eq!(both.clone().with(&one), both);
        assert_eq!(Mask::default().with(&one), one);
    }

    #[test]
    fn what_cannot_be_told_from_other_text_is_no_secret() {
        let why = |secret: &str| Mask::default().and(secret).unwrap_err();
        assert_eq!(why("12345"), Unmaskable::Short);
        assert_eq!((why("123456789012"), why("run_started")), (Unmaskable::Common, Unmaskable::Common));
        assert_eq!((why("two\nlines"), why(&"A".repeat(5_000))), (Unmaskable::Control, Unmaskable::Long));
        assert!(!format!("{:?}", mask("hunter2-Hunter")).contains("hunter2"));
    }

    proptest! {
        #[test]
        fn no_secret_is_left_anywhere(secret in "[ -~]{6,20}[A-Z]", around in prop::array::uniform2("\\PC{0,20}")) {
            let mask = mask(&secret);
            let text = format!("{}{secret}{}", around[0], around[1]);
            let masked = mask.bytes(text.as_bytes());
            prop_assert!(memchr::memmem::find(&masked, secret.as_bytes()).is_none());
            prop_assert_eq!(masked.len(), text.len());
        }
    }
}
