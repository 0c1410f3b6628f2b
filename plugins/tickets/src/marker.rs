//! Markers: how a ticket and its comments say which cause, run and build they are about, for the next run to read.
//!
//! A marker stands at the beginning of a line of its own. What phones say never holds one ([`crate::text`]), and a line
//! that somebody quotes begins with the sign of a quote.

use crate::build::{Build, plain};
use crate::text::Dialect;

/// What a marker begins with.
const WORD: &str = "farmjank:";
/// Hexadecimal digits of a fingerprint.
const DIGITS: usize = 16;
/// Most bytes of a text that are looked through.
const MOST: usize = 1 << 20;

/// The label all tickets have, by which they are found.
pub const LABEL: &str = "farmjank";

/// One marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Which cause.
    pub fingerprint: String,
    /// Which run and build it was told of; none of the marker by which a ticket is known.
    pub told: Option<Told>,
}

/// What was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Id of the run, in the letters of a marker.
    pub run: String,
    /// Build of the app; none where no phone told it.
    pub build: Option<Build>,
}

impl Told {
    /// Of a run and a build.
    pub fn of(run: &str, build: Option<&Build>) -> Told {
        Told { run: plain(run), build: build.cloned() }
    }
}

/// The label of the ticket of a cause, where labels are what a system finds tickets by.
pub fn label(fingerprint: &str) -> String {
    format!("{LABEL}-{fingerprint}")
}

/// Whether a text is a fingerprint.
pub fn is_fingerprint(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl Marker {
    /// The marker's line.
    pub fn line(&self, dialect: Dialect) -> String {
        let mut words = format!("{WORD}{}", self.fingerprint);
        if let Some(told) = &self.told {
            words.push_str(&format!(" run:{}", plain(&told.run)));
            if let Some(build) = &told.build {
                if !build.name.is_empty() {
                    words.push_str(&format!(" app:{}", plain(&build.name)));
                }
                words.extend(build.code.map(|code| format!(" code:{code}")));
            }
        }
        match dialect {
            Dialect::Markdown => format!("<!-- {words} -->"),
            Dialect::Wiki => format!("{{noformat}}{words}{{noformat}}"),
        }
    }

    /// The marker that a line is.
    fn of_line(line: &str, dialect: Dialect) -> Option<Marker> {
        let inside = match dialect {
            Dialect::Markdown => line.trim_end().strip_prefix("<!-- ")?.strip_suffix(" -->")?,
            // Jira writes the block over three lines when it stores it as something else.
            Dialect::Wiki => {
                let line = line.trim();
                let line = line.strip_prefix("{noformat}").unwrap_or(line);
                line.strip_suffix("{noformat}").unwrap_or(line)
            }
        };
        let mut words = inside.strip_prefix(WORD)?.split(' ');
        let fingerprint = words.next().filter(|text| is_fingerprint(text))?.to_owned();
        let (mut run, mut name, mut code) = (None, None, None);
        for word in words {
            match word.split_once(':')? {
                ("run", value) => run = Some(value.to_owned()),
                ("app", value) => name = Some(value.to_owned()),
                ("code", value) => code = Some(value.parse().ok()?),
                _ => {}
            }
        }
        let build =
            (name.is_some() || code.is_some()).then(|| Build { name: name.unwrap_or_default(), code });
        Some(Marker { fingerprint, told: run.map(|run| Told { run, build }) })
    }
}

/// The markers of a text, in order.
pub fn markers(text: &str, dialect: Dialect) -> Vec<Marker> {
    let end = text.floor_char_boundary(MOST);
    text[..end].lines().filter_map(|line| Marker::of_line(line, dialect)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRINT: &str = "bce0911e595f326a";

    #[test]
    fn a_ticket_is_known_by_a_line_of_its_own_and_not_by_one_that_is_quoted() {
        let known = |text: &str| markers(text, Dialect::Markdown);
        assert_eq!(known("words\n<!-- farmjank:bce0911e595f326a -->\r\nmore").len(), 1);
        for text in [
            "> <!-- farmjank:bce0911e595f326a -->",
            "see <!-- farmjank:bce0911e595f326a -->",
            "<!-- farmjank:bce0911e595f326 -->",
            "<!-- farmjank:BCE0911E595F326A -->",
            "<!-- farmjank:bce0911e595f326a run -->",
            "<!-- farmjank:bce0911e595f326a code:-1 -->",
            "<!--farmjank:bce0911e595f326a-->",
        ] {
            assert_eq!(known(text), [], "{text}");
        }
    }

    #[test]
    fn a_marker_in_jira_is_a_block_however_it_is_stored() {
        let told = Some(Told::of("20260301-1", Some(&Build::told("7.5.0 (750)"))));
        let marker = Marker { fingerprint: PRINT.to_owned(), told };
        let line = marker.line(Dialect::Wiki);
        assert_eq!(line, "{noformat}farmjank:bce0911e595f326a run:20260301-1 app:7.5.0 code:750{noformat}");
        let spread = line.replacen("{noformat}", "{noformat}\n", 1);
        for text in [line, spread] {
            assert_eq!(markers(&text, Dialect::Wiki), std::slice::from_ref(&marker), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(run in ".{1,80}", version in ".{0,80}") {
            let build = (!version.is_empty()).then(|| Build::told(&version)).filter(|build| build.shown() != "an unknown build");
            let marker = Marker { fingerprint: PRINT.to_owned(), told: Some(Told::of(&run, build.as_ref())) };
            for dialect in [Dialect::Markdown, Dialect::Wiki] {
                let line = marker.line(dialect);
                prop_assert_eq!(line.lines().count(), 1);
                prop_assert_eq!(markers(&line, dialect), vec![marker.clone()]);
            }
        }

        #[test]
        fn any_text_is_read(text in "(\\PC|\n|<!-- farmjank:[0-9a-f]{14,17}|run:|app:|code:| -->|\\{noformat\\}){0,12}") {
            for dialect in [Dialect::Markdown, Dialect::Wiki] {
                let _ = markers(&text, dialect);
            }
        }
    }
}
