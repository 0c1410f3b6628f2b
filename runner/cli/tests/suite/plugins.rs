//! Programs of other people: whether one keeps to the protocol, and that a run goes on whatever one does.

mod in_runs;
mod lent;
mod lent_to_agents;
mod metrics;

use crate::world::{Ended, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/plugins.md");

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/process/examples")
}

fn example(name: &str) -> String {
    examples().join(name).display().to_string()
}

fn broken() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/plugins/broken.py").display().to_string()
}

/// The example in Rust, built as its author would.
fn busy() -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = examples().join("busy/Cargo.toml");
    let built = Command::new(cargo)
        .args(["build", "--offline", "--quiet", "--message-format", "json", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo runs");
    let told = String::from_utf8_lossy(&built.stdout);
    let program = told.lines().find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        line["executable"].as_str().map(str::to_owned)
    });
    program.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&built.stderr)))
}

fn check(command: &[&str]) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &[&["plugin", "check"], command].concat())
}

/// The page shows below this command what was printed; `FARMJANK_BLESS=1` writes it there.
fn shows(command: &str, printed: &str) {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(&format!("```\n$ {command}\n")).expect("the page shows the command");
    let (shown, after) = rest.split_once("```\n").expect("the end of a block");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(PAGE, format!("{before}```\n$ {command}\n{printed}```\n{after}")).expect("the page");
        return;
    }
    assert_eq!(printed, shown, "{printed}");
}

#[test]
fn the_examples_keep_every_rule() {
    let (worst, badge, busy) = (example("worst.py"), example("badge.py"), busy());
    let (stopwatch, pacing) = (example("stopwatch.py"), example("pacing.py"));
    let commands: [(&[&str], u32); 5] = [
        (&["python3", &worst], 8),
        (&["python3", &badge], 8),
        (&["python3", &stopwatch], 9),
        (&["python3", &pacing], 9),
        (&[&busy], 8),
    ];
    for (command, rules) in commands {
        let ended = check(command);
        assert_eq!(ended.code, 0, "{command:?}: {}{}", ended.out, ended.err);
        assert!(
            ended.out.ends_with(&format!("{rules} of {rules} rules kept\n")),
            "{command:?}: {}",
            ended.out
        );
        if command[1..] == [&*worst] {
            shows("farmjank plugin check python3 worst.py", &ended.out);
        }
    }
}

/// Ways to break the protocol, the rule that is broken, and what is said of it.
const WAYS: [(&str, &str, &str); 41] = [
    ("hangs at hello", "answers hello", "it did not say hello within 6 s"),
    (
        "crashes at hello",
        "answers hello",
        "(exit 1); its last words: RuntimeError: no such \\u{1b}[31mplanet",
    ),
    ("says garbage", "answers hello", "it said what is no JSON: Loading plugin..."),
    ("speaks another version", "answers hello", "it speaks protocol 2, and this farmjank speaks 1"),
    ("offers nothing", "answers hello", "it does not offer to be a reporter"),
    ("is early", "answers hello", "it said `file` before its hello"),
    ("takes any version", "refuses a version", "answered with protocol 1 where only 999 was offered"),
    ("stays behind", "ends when its input ends", "it still ran 6 s after its standard input was closed"),
    ("hangs at the conclusion", "is told a run", "it did not end its conclusion with `done` within 6 s"),
    ("says nothing", "is told a run", "it did not end its conclusion with `done` within 6 s"),
    ("exits at the conclusion", "is told a run", "it ended before the end of its conclusion (exit 7)"),
    ("crashes in the run", "is told a run", "(signal 6)"),
    ("floods", "is told a run", "it said more than 10000 lines"),
    ("says a line without an end", "is told a run", "it said a line of more than 16 MiB"),
    ("leaves its folder", "is told a run", "wants to write the file ../../../escaped.txt: it leads out of"),
    ("is sorry", "is told a run", "it says that it failed: the server said 503"),
    ("makes up words", "is told a run", "unknown variant `finished`, expected one of `hello`"),
    ("hangs at a trial", "answers before and after", "it did not answer that it is `ready` within 6 s"),
    ("crashes at a trial", "answers before and after", "it ended before it was `ready` (exit 9)"),
    ("mistakes a trial", "answers before and after", "an answer to 1, which nobody asks"),
    ("hangs at a window", "says a number", "it did not answer with its numbers within 6 s"),
    ("crashes at a window", "says a number", "it ended before its numbers (exit 9)"),
    ("says NaN of a window", "says a number", "it said what is no JSON"),
    ("leaves out a number of a window", "says a number", "x: its answer does not have it"),
    ("makes up a metric of a window", "says a number", "the metric `y`, which its hello does not list"),
    ("hangs at a phone", "lists phones", "it did not answer about its phones within 6 s"),
    ("hangs at taking a phone", "lists phones", "it did not answer about its phones within 2 s"),
    ("names a phone badly", "lists phones", "the phone `-A`: it has 1 to 200 letters"),
    ("lists a phone twice", "lists phones", "the phone A twice"),
    ("has no phone", "lists phones", "it lists no phone that is free"),
    ("keeps a phone", "lists phones", "it lists A as free and does not lend it: it is mine"),
    ("mistakes a phone", "lists phones", "which does not ask for that"),
    ("lends a phone nowhere", "lists phones", "nobody knows where A is reached"),
    ("never leaves", "leaves after bye", "it did not leave after bye and had to be ended"),
    ("leaves with an error", "leaves after bye", "it left with exit 3"),
    ("writes into a file", "is told a run", "wants to write the file a: it is a folder of another file"),
    ("leaves behind a child", "leaves after bye", "a process that it started was still there"),
    ("goes on after done", "leaves after bye", "`file` after `done`"),
    ("is done twice", "leaves after bye", "`done` after `done`"),
    ("says garbage after done", "leaves after bye", "it said what is no JSON: Bye!"),
    ("knows everything", "passes over events", "AssertionError: no weather"),
];

fn looked_at(way: &str) -> Ended {
    let script = broken();
    let waits =
        ["hangs", "says nothing", "stays behind", "never leaves"].iter().any(|waits| way.starts_with(waits));
    let timeout: &[&str] = if waits { &["--timeout", "6s"] } else { &[] };
    check(&[timeout, &["python3", &script, way]].concat())
}

#[test]
fn every_way_to_break_the_protocol_fails_its_rule_with_its_words_and_ends() {
    // Four side by side: those that hang cost time and no work.
    for some in WAYS.chunks(4) {
        let ended = std::thread::scope(|scope| {
            let looked: Vec<_> = some.iter().map(|way| scope.spawn(|| looked_at(way.0))).collect();
            looked.into_iter().map(|one| one.join().expect("it ended")).collect::<Vec<Ended>>()
        });
        for ((way, rule, words), ended) in some.iter().zip(ended) {
            assert_eq!(ended.code, 1, "{way}: {}{}", ended.out, ended.err);
            let told = ended.out.split("FAIL  ").nth(1).unwrap_or_default();
            let mut lines = told.lines();
            assert!(lines.next().is_some_and(|line| line.starts_with(rule)), "{way}: {}", ended.out);
            assert!(lines.next().is_some_and(|line| line.contains(words)), "{way}: {}", ended.out);
            assert!(lines.next().is_some_and(|line| line.starts_with("      ")), "{way}: {}", ended.out);
            assert!(!ended.out.contains('\u{1b}'), "{way}");
        }
    }
}

#[test]
fn a_program_that_is_not_there_is_exit_2() {
    let ended = check(&["./no-such-plugin"]);
    assert_eq!(ended.code, 2, "{}", ended.out);
    assert!(ended.err.contains("`./no-such-plugin` cannot be started: "), "{}", ended.err);
    assert!(ended.err.contains("name a program by its path"), "{}", ended.err);
}

#[test]
fn the_session_of_the_page_is_what_is_said() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let block = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a session");
    let lines = |mark: &str| -> Vec<String> {
        block.lines().filter_map(|line| line.strip_prefix(mark)).map(str::to_owned).collect()
    };
    let (told, said) = (lines("→ "), lines("← "));
    assert!(told.len() > 5 && said.len() > 2, "{block}");
    let input: String = told.iter().map(|line| format!("{line}\n")).collect();
    let mut plugin = Command::new("python3")
        .arg(example("worst.py"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    std::io::Write::write_all(&mut plugin.stdin.take().expect("a pipe"), input.as_bytes()).expect("it reads");
    let output = plugin.wait_with_output().expect("it ends");
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let answered: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(json).collect();
    assert_eq!(answered, said.iter().map(|line| json(line)).collect::<Vec<_>>());
}
