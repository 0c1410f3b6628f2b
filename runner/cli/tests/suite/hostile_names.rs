//! Whatever files, folders and phones are called: no verb prints anything that acts on a terminal, or is a command to
//! the runner of a CI job.

use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use std::collections::BTreeSet;
use std::path::Path;

/// What a name may hold to do harm; each is part of the names of files that every verb is given.
const NASTY: [&str; 5] = [
    "a\n::error title=owned::x",
    "b\u{1b}[2J\u{1b}]0;owned\u{7}\r",
    "c\u{202e}\u{200b}\u{feff}\u{9b}31m",
    "::error title=owned::d",
    "e\n##[error]owned\n##vso[task.owned]",
];

/// True for a character that may stand in what is printed.
fn is_plain(c: char) -> bool {
    let hidden =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c == '\n' || c == '\t' || !(c.is_control() || hidden)
}

fn harmless(words: &[&str], told: &Ended) {
    for text in [&told.out, &told.err] {
        let bad: BTreeSet<char> = text.chars().filter(|c| !is_plain(*c)).collect();
        assert!(bad.is_empty(), "{words:?} prints {bad:?}:\n{text:?}");
        let obeyed = |line: &str| line.trim_start().starts_with("::error title=owned");
        assert!(!text.lines().any(obeyed), "{words:?} is obeyed:\n{text}");
        assert!(!text.contains("##[error]owned") && !text.contains("##vso[task.owned"), "{words:?}:\n{text}");
    }
}

/// Runs a verb as a step of CI.
fn step(folder: &Path, words: &[&str]) -> Ended {
    let told = ended(
        farmjank(folder).args(words).env("GITHUB_ACTIONS", "true").env("CI", "true").env("TERM", "xterm"),
    );
    harmless(words, &told);
    told
}

/// A folder in which everything is called so.
fn called(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, &format!("{name}.yaml"), SMOOTH);
    let bad = SMOOTH.replace("thresholds:", "treshold:").replace("name: Smooth", "name: Bad");
    write(here, &format!("{name}-bad/{name}.yaml"), &bad);
    let flow = format!(
        "name: F\nappId: com.a\nsteps:\n  - runFlow: {}\n",
        serde_json::json!(format!("{name}-none.yaml"))
    );
    write(here, "flow.yaml", &flow);
    write(here, &format!("{name}.csv"), "1\n2\nnot a number \u{1b}[2J\n");
    write(here, &format!("{name}.txt"), &format!("{name}\n"));
    write(here, &format!("{name}.json"), &format!("{{ \"baseline\": {} }}", serde_json::json!(name)));
    let kind = serde_json::json!({ "seq": 0, "at": 0, "kind": name });
    write(here, &format!("{name}-log/events.ndjson"), &format!("{kind}\n"));
    write(here, "lab.yaml", &format!("name: x\nphones: [ {{ archetype: {} }} ]\n", serde_json::json!(name)));
    folder
}

/// Every verb there is.
fn verbs() -> BTreeSet<String> {
    let help = run(tempfile::tempdir().expect("a folder").path(), &["--help"]).out;
    let verbs =
        help.split("Commands:").nth(1).expect("the verbs").split("Options:").next().expect("their end");
    let verb = |line: &str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
    verbs.lines().filter_map(verb).filter_map(|rest| rest.split(' ').next().map(str::to_owned)).collect()
}

#[test]
fn no_name_acts_on_a_terminal_or_a_runner_whatever_the_verb() {
    let all = verbs();
    let mut seen = BTreeSet::new();
    for name in NASTY {
        let folder = called(name);
        let at = |ending: &str| format!("./{name}{ending}");
        let bundle = at("-run");
        let mut says = |words: &[&str]| {
            seen.insert(words[0].to_owned());
            step(folder.path(), words)
        };
        let ran = says(&["run", &at(".yaml"), "--lab", "demo", "--out", &bundle]);
        assert!([0, 1, 4].contains(&ran.code), "{}", ran.err);
        for words in [
            &["check", &at(".yaml")][..],
            &["check", &at("-bad")],
            &["check", "flow.yaml"],
            &["check", &at("-missing.yaml")],
            &["plan", &at(".yaml"), "--lab", "demo"],
            &["plan", &at(".yaml"), "--lab", &at("-nolab")],
            &["run", &at(".yaml"), "--lab", "lab.yaml"],
            &["run", &at(".yaml"), "--lab", "demo", "--out", &bundle],
            &["run", &at(".yaml"), "--lab", "demo", "--resume", &bundle],
            &["run", &at(".yaml"), "--lab", "demo", "--baseline", &at(".json")],
            &["run", &at(".yaml"), "--lab", "demo", "--include-tags", name],
            &["report", &bundle],
            &["report", &bundle, &bundle],
            &["report", &bundle, "--format", "json"],
            &["report", &bundle, "--format", "github"],
            &["report", &bundle, &format!("--reporter=json={}", at("/no/where"))],
            &["report", &at("-log")],
            &["report", &at("-missing")],
            &["show", &bundle],
            &["show", &bundle, name],
            &["show", &at("-log")],
            &["view", &at("-missing")],
            &["view", &at("-log")],
            &["merge", &bundle, "--out", &at("-merged")],
            &["merge", &at("-log"), "--out", &at("-other")],
            &["runs", "--runs", "."],
            &["runs", "rm", name, "--runs", &at("")],
            &["history", "--add", &bundle, "--history", &at(".db")],
            &["history", "--history", &at(".db")],
            &["history", "--history", &at(".txt")],
            &["history", name, "--history", &at(".db")],
            &["trend", name, "--history", &at(".db")],
            &["compare", &bundle, &bundle],
            &["compare", &at(".csv"), &at(".csv"), "--metric", "fps"],
            &["compare", name, name],
            &["baseline", "save", "x", &bundle],
            &["baseline", "save", name, &bundle],
            &["baseline", "import", &at(".json")],
            &["baseline", "list", "--dir", &at("-dir")],
            &["analyze", &at(".txt")],
            &["analyze", &at(".txt"), &at(".csv")],
            &["doctor", "--prove", "--from", &at(".txt")],
            &["devices", "--lab", &at("-nolab")],
            &["init", &at("-init")],
            &["lab", "serve", &at("-nolab")],
            &["metrics", name],
            &["completions", name],
            &["man", name],
            &["calibrate", &at(".yaml"), "--lab", &at("-nolab")],
            &["ab", &at(".txt"), &at(".csv"), &at(".yaml"), "--lab", "demo"],
            &["schema", name],
            &["quarantine", name],
            &[&format!("--{name}")],
        ] {
            says(words);
        }
    }
    let unseen: Vec<&String> = all.iter().filter(|verb| !seen.contains(*verb)).collect();
    assert!(unseen.is_empty() && all.len() > 15, "verbs nobody tried: {unseen:?} of {all:?}");
}
