//! Secrets: given out of sight, used on the phone, and in no byte of what is left behind or said.

use crate::world::{Ended, ended, farmjank, files_below, held, run, write};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// With everything that shells, links, JSON and markup spell otherwise.
const TOKEN: &str = "s3cr\"T/y&z'Q";
/// How its innermost part would look in base64, whatever stands before it: of `cr"T/y&z'`, from each of three places.
const BASE64: [&str; 3] = ["Y3IiVC95Jn", "NyIlQveSZ6", "ciJUL3kmei"];

const SCENARIO: &str = "
name: Secret
appId: com.example.shop
iterations: 1
warmup: 0
secret: [TOKEN]
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - openLink: 'shop://feed?token=${TOKEN}&more=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
  - shell: 'echo ${TOKEN}; log -t shop ${TOKEN}'
    optional: true
  - inputText: '${TOKEN}'
    optional: true
  - assertVisible: { text: '${TOKEN}', timeout: 1s }
    optional: true
  - measure: fling the feed
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ]
";

/// No spelling of the token, and no piece of one.
fn clean(what: &str, bytes: &[u8]) {
    let pieces = ["s3cr", "z'Q", "z%27Q", "z\\u0027Q", "z&#39;Q", "z&apos;Q", "z'\\''Q", "y%26z", "y&amp;z"];
    for piece in pieces.into_iter().chain(BASE64) {
        let at = bytes.windows(piece.len()).position(|window| window == piece.as_bytes());
        let around =
            at.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(60)..(at + 40).min(bytes.len())]));
        assert!(at.is_none(), "{what} holds `{piece}`: {around:?}");
    }
}

fn told(what: &str, ended: &Ended) {
    clean(&format!("{what}: standard output"), ended.out.as_bytes());
    clean(&format!("{what}: standard error"), ended.err.as_bytes());
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[test]
fn no_byte_of_a_run_holds_its_secret_and_nobody_else_reads_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", SCENARIO);
    let args =
        ["run", "s.yaml", "--lab", "demo", "--out", "b", "-e", "TOKEN", "--history", "h.sqlite", "--screens"];
    let more = [
        "--reporter",
        "html=r/a.html",
        "--reporter",
        "junit=r/a.xml",
        "--reporter",
        "markdown=r/a.md",
        "--reporter",
        "json",
    ];
    let ran = ended(farmjank(here).args(args).args(more).env("TOKEN", TOKEN));
    assert!([0, 1, 4].contains(&ran.code), "{}", ran.err);
    told("run", &ran);
    let kept: Vec<PathBuf> = ["b", "r"]
        .iter()
        .flat_map(|name| files_below(&here.join(name)))
        .chain([here.join("h.sqlite")])
        .collect();
    assert!(kept.len() > 12, "{kept:?}");
    for file in &kept {
        clean(&file.display().to_string(), &held(file));
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    assert_eq!(
        (mode(&here.join("b")), mode(&here.join("b/evidence")), mode(&here.join("r"))),
        (0o700, 0o700, 0o700)
    );
    let log = fs::read_to_string(here.join("b/events.ndjson")).expect("a log");
    assert!(log.contains("token=****"), "that a link was opened is told");
    // What was blacked out is a bundle as any: it is read, judged again from its dumps, and says the same.
    let again =
        ended(farmjank(here).args(["report", "b", "--rejudge", "s.yaml", "-e", "TOKEN"]).env("TOKEN", TOKEN));
    assert_eq!(again.code, ran.code, "{}", again.err);
    told("report", &again);
    let plain = run(here, &["report", "b"]);
    assert_eq!(plain.code, ran.code, "{}", plain.err);
}

#[test]
fn a_run_without_secrets_has_the_rights_of_any_file_and_the_same_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let results = |name: &str, text: &str| {
        write(here, "s.yaml", text);
        write(here, "env", &format!("# of the shop\nTOKEN={TOKEN}\n"));
        let ended =
            run(here, &["run", "s.yaml", "--lab", "demo", "--quiet", "--out", name, "--env-file", "env"]);
        assert!([0, 1, 4].contains(&ended.code), "{}", ended.err);
        let text = fs::read_to_string(here.join(name).join("metrics.txt")).expect("metrics");
        text.lines()
            .filter(|line| line.contains("hitch") || line.contains("fps"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let open = results("open", &SCENARIO.replace("secret: [TOKEN]\n", ""));
    assert_eq!(results("kept", SCENARIO), open, "blacking out changes no number");
    assert_ne!(mode(&here.join("open/events.ndjson")), 0o600);
    let log = fs::read(here.join("open/events.ndjson")).expect("a log");
    assert!(String::from_utf8_lossy(&log).contains("s3cr"), "without `secret` a variable is text");
}

#[test]
fn mistakes_with_secrets_are_told_without_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let check = |text: &str, value: Option<&str>, words: &str| {
        write(here, "s.yaml", text);
        let mut command = farmjank(here);
        command.args(["check", "s.yaml"]);
        if let Some(value) = value {
            command.args(["-e", "TOKEN"]).env("TOKEN", value);
        }
        let ended = ended(&mut command);
        told(words, &ended);
        assert!(ended.code == 2 && ended.err.contains(words), "{words}: {}{}", ended.out, ended.err);
    };
    check(SCENARIO, None, "no value from outside");
    check(SCENARIO, Some("123456789"), "digits alone");
    check(SCENARIO, Some("short"), "fewer than 6 bytes");
    check(&SCENARIO.replace("name: Secret", "name: 'Of ${TOKEN}'"), Some(TOKEN), "cannot be part of `name`");
    check(&SCENARIO.replace("com.example.shop", "${TOKEN}"), Some(TOKEN), "cannot be part of `appId`");
    check(&SCENARIO.replace("duration: 250ms", "duration: '${TOKEN}'"), Some(TOKEN), "duration");
    let missing = run(here, &["check", "s.yaml", "-e", "NOT_THERE_1"]);
    assert!(missing.code == 2 && missing.err.contains("no variable NOT_THERE_1"), "{}", missing.err);
}
