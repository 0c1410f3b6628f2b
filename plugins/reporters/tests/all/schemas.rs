//! JUnit by the schemas of its readers, and the names they key their history on.

#![allow(clippy::disallowed_types, reason = "a path of a schema for a program of its own")]

use crate::believable::{Log, Words, events};
use crate::dialect::readable;
use crate::hostile::{long_words, nasty_words, piped};
use farmjank_reporters::junit::{Layout, Options, junit};
use farmjank_results::event::Fact;
use proptest::prelude::*;
use std::collections::BTreeSet;

pub fn by_schema(schema: &str, text: &str) {
    let path = format!("{}/tests/schemas/{schema}.xsd", env!("CARGO_MANIFEST_DIR"));
    piped("xmllint", &["--noout", "--schema", &path, "-"], "libxml2-utils", text);
}

#[test]
fn jenkins_and_surefire_accept_it() {
    for words in [Words::default(), nasty_words(), long_words()] {
        let record = events(&words).record();
        for layout in [Layout::Device, Layout::Scenario, Layout::Flat] {
            let options = Options { layout, ..Options::default() };
            by_schema("surefire", &junit(&record, &options));
            by_schema("surefire", &junit(&record, &Options { case_properties: true, ..options.clone() }));
            by_schema("jenkins", &junit(&record, &Options { strict: true, ..options }));
        }
    }
}

/// Class and name of every case.
fn names(log: &Log) -> BTreeSet<(String, String)> {
    let root = readable(&junit(&log.record(), &Options::default()));
    let cases = root.children.iter().flat_map(|suite| suite.all("testcase"));
    cases.map(|case| (case.attribute("classname").to_owned(), case.attribute("name").to_owned())).collect()
}

#[test]
fn names_are_the_same_in_the_next_run() {
    let words = nasty_words();
    let first = events(&words);
    let mut next = events(&words);
    for event in &mut next.events {
        match &mut event.fact {
            Fact::RunStarted { run, wall, seed, tool, .. } => {
                (*run, *wall, *seed) = ("tomorrow".to_owned(), "2026-03-02T09:00:00Z".to_owned(), 8);
                *tool = "farmjank 0.2.0".to_owned();
            }
            // The next build, by another hash, judged otherwise.
            Fact::PlanMade { jobs, digest, .. } => {
                *digest = "feed".to_owned();
                jobs.iter_mut().for_each(|job| job.hash = "1234".to_owned());
            }
            Fact::DeviceSeen { facts: Some(facts), .. } => facts.fingerprint = "other".to_owned(),
            Fact::JobJudged { windows, .. } => {
                windows.iter_mut().flat_map(|w| &mut w.judgements).for_each(|j| j.actual = Some(3.0));
            }
            _ => {}
        }
    }
    assert_eq!(names(&first), names(&next));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Names that differ only in what cleaning takes away or makes equal.
    #[test]
    fn no_case_is_written_twice(
        texts in proptest::collection::vec("[aA_ .\t\u{0}\u{1}\u{7f}\u{ffff}\u{fdd0}~]{0,3}", 8),
        escape in proptest::collection::vec(any::<bool>(), 3),
    ) {
        let windows = [0, 1, 2].map(|at| texts[at].clone() + if escape[at] { "\u{1b}[1m" } else { "" });
        let mut words = Words { windows, ..Words::default() };
        let distinct: BTreeSet<&String> = words.windows.iter().collect();
        prop_assume!(distinct.len() == 3);
        words.scenario.clone_from(&texts[3]);
        words.models = [4, 5, 6, 7].map(|at| texts[at].clone());
        words.serials = [0, 1, 2, 3].map(|at| format!("{}{}", texts[4], "\u{0}".repeat(at)));
        let log = events(&words);
        prop_assert_eq!(names(&log).len(), 12, "each window on each phone has a name of its own");
    }
}
