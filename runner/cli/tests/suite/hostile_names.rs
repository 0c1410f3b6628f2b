//! Whatever files, folders, scenarios and phones are called: no verb prints anything that acts on a terminal, or is a
//! command to the runner of a CI job. Names are drawn from a seed, which is printed: `FARMJANK_SEED` asks for others.

use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use std::collections::BTreeSet;
use std::path::Path;

/// What a name may hold to do harm: all of it is dealt out to the names that every verb is given.
const ACTS: [&str; 41] = [
    "\n::error title=owned::x",
    "::error title=owned::d",
    "\r::error title=owned::r",
    "\n##[error]owned",
    "##vso[task.owned]",
    "\n\t::warning title=owned::w",
    "\u{1b}[2J",
    "\u{1b}]0;owned\u{7}",
    "\u{1b}]8;;http://owned\u{1b}\\",
    "\u{1b}[31m",
    "\u{1b}c",
    "\u{9b}31m",
    "\u{9d}0;owned\u{9c}",
    "\r",
    "\u{8}\u{8}",
    "\u{b}\u{c}",
    "\u{7f}",
    "\u{85}",
    "\u{1}\u{2}\u{1f}",
    "\u{e}",
    "\u{200b}",
    "\u{200e}\u{200f}",
    "\u{2028}",
    "\u{2029}",
    "\u{202a}\u{202e}",
    "\u{2066}\u{2069}",
    "\u{2060}\u{2063}",
    "\u{ad}",
    "\u{61c}",
    "\u{180e}",
    "\u{feff}",
    "\u{fff9}\u{fffb}",
    "\u{e0041}\u{e007f}",
    "\u{115f}\u{3164}",
    "%0A::error title=owned::p",
    "%s%n{0}{}",
    "$(touch owned)`touch owned`",
    "<script>owned</script>",
    "'\"\\;&",
    "a: [*b, {",
    "é漢 \u{301}",
];

/// Ranges of characters that are not simply shown: controls, format controls, separators, fillers (Unicode 16: Cc, Cf,
/// Zl, Zp, and letters that are blank).
const HIDDEN: [(char, char); 17] = [
    ('\u{0}', '\u{8}'),
    ('\u{b}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// True for a character that may stand in what is printed.
fn is_plain(c: char) -> bool {
    !HIDDEN.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

/// Longest name, bytes: a file's may have 255, endings included.
const LONGEST: usize = 150;

/// Names in which everything that acts occurs, in an order and with fillings of the seed's (xorshift64*).
fn names(seed: u64) -> Vec<String> {
    let mut state = seed | 1;
    let mut below = |most: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % most
    };
    let mut pieces = ACTS.map(|piece| (below(1 << 20), piece));
    pieces.sort_unstable();
    let mut names = vec![String::new()];
    for (_, piece) in pieces {
        let filled = format!("{}{piece}", ["", "x", " ", "y.z", "-"][below(5)]).replace('/', "");
        match names.last_mut() {
            Some(last) if last.len() + filled.len() <= LONGEST => last.push_str(&filled),
            _ => names.push(filled),
        }
    }
    names
}

fn harmless(words: &[&str], told: &Ended) {
    for text in [&told.out, &told.err] {
        let bad: BTreeSet<char> = text.chars().filter(|c| !is_plain(*c)).collect();
        assert!(bad.is_empty(), "{words:?} prints {bad:?}:\n{text:?}");
        let obeyed = |line: &str| {
            let line = line.trim_start();
            line.starts_with("::error title=owned") || line.starts_with("::warning title=owned")
        };
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
    let word = serde_json::json!(name);
    let named = SMOOTH
        .replace("name: Smooth", &format!("name: {word}\ntags: [{word}]"))
        .replace("fling the feed", &word.to_string());
    write(here, "named.yaml", &named);
    let flow = format!(
        "name: F\nappId: com.a\nsteps:\n  - runFlow: {}\n",
        serde_json::json!(format!("{name}-none.yaml"))
    );
    write(here, "flow.yaml", &flow);
    for (build, rest) in [("1", ""), ("2", ""), ("3", "pages: { feed: { hitch_rate: 0.09 } }\n")] {
        let text = format!(
            "#!farmjank-lab-apk\nid: com.example.shop\nversion: 7.{build}.0\nversion_code: 741\n{rest}"
        );
        write(here, &format!("{name}-{build}.apk"), &text);
    }
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

/// What looks at runs, and what is done with them.
fn of_runs(name: &str) -> Vec<Vec<String>> {
    let at = |ending: &str| format!("./{name}{ending}");
    let bundle = at("-run");
    owned(&[
        &["report", &bundle][..],
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
        &["runs", "show", &bundle],
        &["runs", "show", name, "--runs", &at("")],
        &["runs", "show", &bundle, "--format", "json"],
        &["runs", "--runs", ".", "list", "--format", "json"],
        &["suggest", &bundle],
        &["suggest", &bundle, "--format", "json"],
        &["suggest", &at("-log")],
        &["suggest", "--history", &at(".db"), "--scenario", name],
        &["suggest", &bundle, "--metric", name],
        &["suggest", &bundle, "--false-alarms", name],
        &["tickets", &bundle, "--to", "github:acme/shop"],
        &["tickets", &at(".txt"), "--to", "github:acme/shop"],
        &["tickets", &bundle, "--to", name],
        &["tickets", &bundle, "--to", "github:acme/shop", "--url", name, "--store", name],
        &["tickets", &bundle, "--to", "github:acme/shop", "--label", name],
        &["notify", &bundle, "--to", "pull-request:acme/shop#12", "--dry-run"],
        &["notify", &bundle, "--to", name, "--dry-run"],
        &["notify", &bundle, "--to", "check-run:acme/shop", "--commit", name, "--dry-run"],
        &["report", &bundle, "--plugin", name],
        &["report", &bundle, "--plugin", &format!("x=echo '{name}'")],
        &["report", &bundle, "--plugin", &format!("x=./'{name}'")],
        &["agent", "--farm", "nats://127.0.0.1:1", "--host", name, "--lab", "demo"],
        &["agent", "--farm", name, "--host", "rack", "--lab", "demo", "--state", &at("-state")],
        &["run", &at(".yaml"), "--farm", name, "--team", name],
        &["run", "--farm", "nats://127.0.0.1:1", "--attach", name],
        &["farm", "cancel", name, "--farm", "nats://127.0.0.1:1"],
        &["farm", "fetch", name, "--farm", "nats://127.0.0.1:1", "--out", &at("-out")],
        &["farm", "fetch", "run", "--farm", name, "--out", &bundle],
        &["farm", "fetch", "run", "--farm", name, "--out", &at("-out"), "--wait", name],
        &["farm", "watch", name, "--farm", "nats://127.0.0.1:1", "--farm-patience", name],
        &["farm", "watch", name, "--farm", name, "--team", name],
        &["farm", "queue", "--farm", name, "--team", name],
        &["farm", "queue", "--farm", "nats://127.0.0.1:1", "--format", name],
        &["farm", "phones", "--farm", name, "--team", name, "--who"],
        &["farm", "keep", "--farm", name, "--team", name, "--history", &at(".db"), "--once"],
        &["farm", "keep", "--farm", "nats://127.0.0.1:1", "--history", &at("/no/where"), "--label", name],
        &["farm", "keep", "--farm", "nats://127.0.0.1:1", "--history", name, "--every", name, "--once"],
        &["farm", "status", "--farm", name, "--team", name],
        &["farm", "doctor", "--farm", name, "--host", name],
        &["farm", "doctor", "--farm", "nats://127.0.0.1:1", "--monitor", name],
        &["farm", "init", &at("-farm")],
        &["farm", "init", &at("-farm"), "--rotate", name],
        &["farm", "init", &at("-farm"), "--hosts", name, "--team", name],
        &["farm", "init", &at("-farm"), "--name", name, "--listen", name],
        &["farm", "init", &at("-run")],
        &["plugin", "check", &at("-missing")],
        &["plugin", "check", "echo", name],
        &["plugin", "check", "ls", &at("-missing")],
        &["plugin", "check", "--timeout", name, "true"],
        &["notify", &at("-missing"), "--to", "pull-request:acme/shop#12", "--key", name],
    ])
}

fn owned(tries: &[&[&str]]) -> Vec<Vec<String>> {
    tries.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
}

/// Every verb with this name in the place of files, folders, words and phones.
fn tries(name: &str) -> Vec<Vec<String>> {
    let at = |ending: &str| format!("./{name}{ending}");
    let bundle = at("-run");
    let last_failed = format!("--last-failed={bundle}");
    let rest = owned(&[
        &["check", &at(".yaml")][..],
        &["check", &at("-bad")],
        &["check", "flow.yaml"],
        &["check", "named.yaml"],
        &["run", "named.yaml", "--lab", "demo", "--out", &at("-named")],
        &["report", &at("-named")],
        &["check", &at("-missing.yaml")],
        &["plan", &at(".yaml"), "--lab", "demo"],
        &["plan", &at(".yaml"), "--lab", &at("-nolab")],
        &["run", &at(".yaml"), "--lab", "lab.yaml"],
        &["run", &at(".yaml"), "--lab", "demo", "--out", &bundle],
        &["run", &at(".yaml"), "--lab", "demo", "--resume", &bundle],
        &["run", &at(".yaml"), "--lab", "demo", &last_failed],
        &["run", &at(".yaml"), "--lab", "demo", "--baseline", &at(".json")],
        &["run", &at(".yaml"), "--lab", "demo", "--include-tags", name],
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
        &["causes", &at(".txt")],
        &["causes", &at(".txt"), "--package", name],
        &["doctor", "--prove", "--from", &at(".txt")],
        &["devices", "--lab", &at("-nolab")],
        &["config", "show", "--config", &at("-bad")],
        &["config", "show", "--config", &at("-missing.toml")],
        &["config", "show", "-P", name],
        &["config", "show", "run", &at(".yaml"), "--out", name],
        &["run", &at(".yaml"), "--lab", "demo", "--scenario", name],
        &["check", &at(".yaml"), &at("-bad"), "--format", "json"],
        &["init", &at("-init")],
        &["import", &at(".yaml"), "--to", &at("-imported")],
        &["import", &at("-bad"), "--to", &at("-imported")],
        &["lab", "serve", &at("-nolab")],
        &["metrics", name],
        &["completions", name],
        &["man", name],
        &["calibrate", &at(".yaml"), "--lab", &at("-nolab")],
        &["ab", &at(".txt"), &at(".csv"), &at(".yaml"), "--lab", "demo"],
        &["bisect", &at("-1.apk"), &at("-2.apk"), &at("-missing.apk"), &at(".yaml"), "--lab", "demo"],
        &[
            "bisect",
            &at("-1.apk"),
            &at("-2.apk"),
            &at("-3.apk"),
            "named.yaml",
            "--lab",
            "demo",
            "-s",
            "virtual-pixel-8",
            "--looks",
            "1",
        ],
        &["run", &at("-missing.yaml"), "--lab", "demo", "--watch"],
        &["schema", name],
        &["quarantine", name],
        &[&format!("--{name}")],
    ]);
    of_runs(name).into_iter().chain(rest).collect()
}

#[test]
fn no_name_acts_on_a_terminal_or_a_runner_whatever_the_verb() {
    let all = verbs();
    let mut seen = BTreeSet::new();
    let seed = std::env::var("FARMJANK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(17);
    println!("names of the seed {seed}; FARMJANK_SEED=… draws others");
    for name in &names(seed) {
        let folder = called(name);
        let (file, bundle) = (format!("./{name}.yaml"), format!("./{name}-run"));
        let ran = step(folder.path(), &["run", &file, "--lab", "demo", "--out", &bundle]);
        assert!([0, 1, 4].contains(&ran.code), "{}", ran.err);
        for words in tries(name) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            seen.insert(words[0].to_owned());
            step(folder.path(), &words);
        }
        assert!(!folder.path().join("owned").exists(), "a shell obeyed {name:?}");
    }
    assert!(names(seed).iter().all(|name| name.len() <= LONGEST + 30) && names(seed).len() > 2);
    let unseen: Vec<&String> = all.iter().filter(|verb| !seen.contains(*verb)).collect();
    assert!(unseen.is_empty() && all.len() > 15, "verbs nobody tried: {unseen:?} of {all:?}");
}
