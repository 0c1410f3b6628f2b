//! Hostile files: each gets a clear refusal in bounded time; no text panics.

#![expect(clippy::disallowed_types, reason = "what is bounded here is real time")]

use super::forms::ISSUE;
use super::{METRICS, read_files, told};
use crate::read::{ReadOptions, SourceFile, read};
use farmjank_results::file_error::FileProblem;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn complaints(bytes: Vec<u8>) -> Vec<crate::complaint::Complaint> {
    let fetch = |_: &str| Err(FileProblem::Missing);
    let options = ReadOptions { metrics: METRICS, sources: &fetch };
    let file = SourceFile { name: "s.yaml".to_owned(), text: bytes };
    read(&[file], &BTreeMap::new(), &options).err().unwrap_or_default()
}

/// Refused with these words, within seconds even in a debug build on a busy machine.
fn refused(text: impl Into<Vec<u8>>, words: &str) {
    let start = Instant::now();
    let complaints = complaints(text.into());
    let taken = start.elapsed();
    let told: String = complaints.iter().map(|complaint| complaint.render(false)).collect();
    assert!(told.contains(words), "{}", &told[..told.len().min(2000)]);
    assert!(complaints.len() <= crate::complaint::MOST, "{}", complaints.len());
    assert!(told.len() < 100_000, "{}", told.len());
    println!("{words}: {taken:?}");
    assert!(taken < Duration::from_secs(20), "{words}: {taken:?}");
}

#[test]
fn billion_laughs_are_counted_and_not_expanded() {
    let mut text = "a0: &a0 [ back ]\n".to_owned();
    for level in 1..40 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        text += &format!("a{level}: &a{level} [ {aliases} ]\n");
    }
    refused(text, "more than 100000 values once its aliases are expanded");
    let long = format!("a: &a '{}'\nb: [ {} ]\n", "x".repeat(500_000), "*a, ".repeat(9_000));
    refused(long, "more than 100000 values once its aliases are expanded");
}

#[test]
fn depth_is_bounded() {
    refused("[".repeat(1_000_000), "more than 48 deep");
    refused("- ".repeat(500_000), "more than 48 deep");
    refused(format!("appId: {}", "{a: ".repeat(200_000)), "more than 48 deep");
    refused((0..1000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>(), "more than 48 deep");
    refused("a: &a [ *a ]\n", "inside its own anchor");
}

#[test]
fn size_and_encoding_are_bounded() {
    refused(vec![b'a'; 100 << 20], "104857600 bytes; at most 1048576 are read");
    refused(b"appId: a.b\nname: \xc3\x28\n".to_vec(), "byte 18 of the file is 0xc3, which is not UTF-8");
    refused(b"\xff\xfea\0p\0p\0".to_vec(), "the file is UTF-16");
    refused("---\n".repeat(200_000), "more than 8 documents");
}

#[test]
fn many_mistakes_are_many_complaints_and_no_more() {
    let keys: String = (0..40_000).map(|n| format!("k{n}: 1\n")).collect();
    refused(keys, "further complaints about this scenario are not shown");
    let twice = "a: 1\n".repeat(40_000);
    refused(twice, "given twice");
    let steps = format!("appId: a.b\nsteps:\n{}", "- bck\n".repeat(90_000));
    refused(steps, "unknown command `bck`");
    let steps = format!("appId: a.b\nsteps:\n{}", "- back\n".repeat(90_000));
    refused(steps, "more than 20000 steps");
}

#[test]
fn awkward_tokens_take_no_quadratic_time() {
    for piece in [
        "? ",
        "&a ",
        "!a ",
        "'",
        "\"",
        "{",
        "a: b: ",
        "# \n",
        "\t",
        "%YAML 1.2\n",
        "...\n",
        ": ",
        "|\n ",
        "*a ",
        "\u{85}",
        "\0",
        "- - a\n",
        "a,",
    ] {
        let start = Instant::now();
        let _ = complaints(piece.repeat(1_000_000 / piece.len()).into_bytes());
        println!("{piece:?}: {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(20), "{piece:?}: {:?}", start.elapsed());
    }
    let wide = format!("appId: a.b\nsteps: [ {} ]\n", "back, ".repeat(30_000));
    refused(wide, "more than 20000 steps");
}

#[test]
fn variables_do_not_explode() {
    let mut text = "appId: a.b\nenv:\n  A0: xxxxxxxxxx\n".to_owned();
    for level in 1..30 {
        let before = format!("${{A{}}}", level - 1).repeat(10);
        text += &format!("  A{level}: '{before}'\n");
    }
    refused(format!("{text}steps: [ back ]\n"), "has more than 4096 characters");
}

#[test]
fn flows_do_not_explode() {
    // Each level runs the next ten times: ten to the eighth steps if nothing held them.
    let mut files =
        vec![("s.yaml".to_owned(), format!("appId: a.b\nsteps:\n{}", "- runFlow: f0.yaml\n".repeat(10)))];
    for level in 0..8 {
        files.push((format!("f{level}.yaml"), format!("- runFlow: f{}.yaml\n", level + 1).repeat(10)));
    }
    files.push(("f8.yaml".to_owned(), "- back\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let start = Instant::now();
    let told = told(read_files(&files, &[]));
    assert!(told.contains("more than 20000 steps"), "{told}");
    assert!(start.elapsed() < Duration::from_secs(20));
    let large = format!("- back\n#{}\n", "x".repeat(1_000_000));
    let run = format!("appId: a.b\nsteps:\n{}", "- runFlow: f.yaml\n".repeat(1000));
    assert!(
        super::told(read_files(&[("s.yaml", &run), ("f.yaml", &large)], &[]))
            .contains("8388608 bytes together")
    );
}

#[test]
fn a_trial_that_never_ends_is_refused() {
    let deep = "appId: a.b\nsteps:\n- repeat: { times: 10000, steps: [ { repeat: { times: 10000, steps: [ back ] } } ] }\n";
    refused(deep, "one trial takes about");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        complaints(bytes);
    }

    #[test]
    fn random_yaml_like_text_never_panics(text in "([a-z]{1,6}|steps|measure|swipe|- |: |\\n|\\n  |\\$\\{|\\}|\\{|\\[|\\]|'|\"|&a|\\*a|<<|%|#|,|é|~){0,80}") {
        complaints(format!("appId: a.b\nsteps:\n  - {text}").into_bytes());
        complaints(text.into_bytes());
    }

    #[test]
    fn mutations_never_panic_and_complaints_stay_inside_the_file(
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12, "([ -~]|\\PC|\\n|\\t){0,6}"), 1..6)
    ) {
        let mut text: Vec<char> = ISSUE.chars().collect();
        for (at, length, insert) in cuts {
            let from = at.index(text.len() + 1).min(text.len());
            let to = (from + length).min(text.len());
            text.splice(from..to, insert.chars());
            if text.is_empty() { text.push(' '); }
        }
        let text: String = text.into_iter().collect();
        let lines = text.split('\n').count() as u32 + text.matches('\r').count() as u32 + 1;
        for complaint in complaints(text.clone().into_bytes()) {
            prop_assert!(complaint.place.line >= 1 && complaint.place.line <= lines, "{:?}\n{}", complaint, text);
            prop_assert!(!complaint.what.is_empty() && complaint.render(false).contains('^'));
        }
    }
}
