//! Chats that are told of runs, behind real sockets, with faults by plan: one message where something changed, none
//! where nothing did, and never a word of it in the exit code.

mod mail;

use crate::server::{Fault, Model, Reply, Seen, Server};
use crate::world::{Ended, SMOOTH, ended, farmjank, files_below, held, write};
use farmjank_witnesses::ports::free_port;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notifications.md");
/// Nobody's.
const KEY: &str = "T0farmjank/B0/sEcretOfTheHook00";
const SECRET: &str = "SECdemo0farmjank0Test";

/// All chats: each answers as it does, unless it refuses.
struct Chats {
    refuses: bool,
}

impl Model for Chats {
    fn answer(&mut self, request: &Seen) -> Reply {
        let reply =
            |status: u16, body: &str| Reply { status, headers: Vec::new(), body: body.as_bytes().to_vec() };
        let chat = request.path.trim_start_matches('/').split('/').next().expect("a chat");
        match (chat, self.refuses) {
            ("slack", false) => reply(200, "ok"),
            ("slack", true) => reply(404, "no_service"),
            ("teams", false) => reply(202, ""),
            ("feishu", false) => reply(200, "{\"code\":0,\"msg\":\"success\"}"),
            ("feishu", true) => reply(200, "{\"code\":19021,\"msg\":\"sign match fail\"}"),
            ("dingtalk", false) => reply(200, "{\"errcode\":0,\"errmsg\":\"ok\"}"),
            ("dingtalk", true) => reply(200, "{\"errcode\":310000,\"errmsg\":\"sign not match\"}"),
            ("webhook", false) => reply(200, "thanks"),
            _ => reply(400, "no"),
        }
    }
}

const ALL: [&str; 5] = ["slack", "teams", "feishu", "dingtalk", "webhook"];

/// The binary, which knows where chats are.
fn told(folder: &Path, server: &Server<Chats>) -> Command {
    let mut command = farmjank(folder);
    for chat in ALL {
        let name = chat.to_uppercase();
        command.env(format!("FARMJANK_{name}_URL"), format!("{}/{chat}/{KEY}", server.url));
        command.env(format!("FARMJANK_{name}_SECRET"), SECRET);
    }
    command
}

fn quiet(ended: Ended) -> Ended {
    for text in [&ended.out, &ended.err] {
        assert!(!text.contains("sEcretOfTheHook") && !text.contains(SECRET), "a secret is in {text}");
    }
    ended
}

/// A run into `out`, in the place of the one before.
fn run(folder: &Path, server: &Server<Chats>, chats: &[&str]) -> Ended {
    let mut command = told(folder, server);
    command.args(["run", "s.yaml", "--lab", "demo", "--out", "out", "--overwrite", "--quiet"]);
    command.args(chats.iter().map(|chat| format!("--notify={chat}")));
    quiet(ended(&mut command))
}

fn failing() -> String {
    SMOOTH.replace("fps: 'mean >= 30%refresh'", "p95_ms: 'mean < 0.1ms'")
}

/// What was sent since it was asked last: which chat, and the body.
fn sent(server: &Server<Chats>) -> Vec<(String, Value)> {
    let seen = std::mem::take(&mut server.inside().seen);
    seen.into_iter().map(|one| (one.path.split('/').nth(1).expect("a chat").to_owned(), one.body)).collect()
}

fn server() -> Server<Chats> {
    Server::of(Chats { refuses: false })
}

#[test]
fn every_chat_gets_one_message_of_what_changed_and_none_where_nothing_did() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let here = folder.path();
    write(here, "s.yaml", SMOOTH);
    assert_eq!(run(here, &server, &ALL).code, 0);
    assert!(sent(&server).is_empty(), "a first run that is well is no news");
    write(here, "s.yaml", &failing());
    let failed = run(here, &server, &ALL);
    assert!(failed.code == 1 && failed.err.contains("slack is told"), "{}", failed.err);
    let messages = sent(&server);
    assert_eq!(messages.iter().map(|(chat, _)| chat.as_str()).collect::<Vec<_>>(), ALL);
    for (chat, body) in &messages {
        let text = body.to_string();
        assert!(text.contains("fling the feed on") && text.contains("p95_ms is"), "{chat}: {text}");
        assert!(chat == "webhook" || text.contains("Newly failing"), "{chat}: {text}");
    }
    assert_eq!(run(here, &server, &ALL).code, 1);
    assert!(sent(&server).is_empty(), "it fails as before");
    write(here, "s.yaml", SMOOTH);
    run(here, &server, &["slack"]);
    let messages = sent(&server);
    assert!(messages.len() == 1 && messages[0].1.to_string().contains("Passing again"), "{messages:?}");
    for file in files_below(here) {
        let bytes = held(&file);
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("sEcretOfTheHook") && !text.contains(SECRET), "{}", file.display());
    }
}

#[test]
fn what_is_signed_is_what_others_compute_of_it() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    write(folder.path(), "s.yaml", &failing());
    run(folder.path(), &server, &["webhook", "dingtalk", "feishu"]);
    let seen = std::mem::take(&mut server.inside().seen);
    let python = |program: &str, words: &[&str]| {
        let program = format!("import sys,hmac,hashlib,base64\na=sys.argv\n{program}");
        let output = Command::new("python3").arg("-c").arg(program).args(words).output().expect("python3");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let of = "def mac(key,text): return hmac.new(key.encode(),text.encode(),hashlib.sha256)\n";
    let signed = python(
        &format!("{of}print('sha256='+mac(a[1],a[2]).hexdigest())"),
        &[SECRET, &seen[0].body.to_string()],
    );
    assert_eq!(seen[0].header("x-farmjank-signature"), signed);
    let at = seen[1].query("timestamp");
    let signed = python(
        &format!("{of}print(base64.b64encode(mac(a[1],a[2]+'\\n'+a[1]).digest()).decode())"),
        &[SECRET, at],
    );
    assert_eq!(seen[1].query("sign"), signed);
    let at = seen[2].body["timestamp"].as_str().expect("a time");
    let signed = python(
        &format!("{of}print(base64.b64encode(mac(a[2]+'\\n'+a[1],'').digest()).decode())"),
        &[SECRET, at],
    );
    assert_eq!(seen[2].body["sign"], signed);
}

#[test]
fn a_chat_that_is_busy_or_broken_is_told_in_the_end() {
    let late = |status: u16| Fault::Status(status, vec![("retry-after", "1".to_owned())]);
    for fault in [Fault::Status(500, vec![]), late(429), late(503), Fault::Cut, Fault::DoneAndTorn] {
        let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
        write(folder.path(), "s.yaml", &failing());
        for chat in ["slack", "webhook"] {
            server.plan(move |seen| seen.path.contains(chat), fault.clone());
        }
        let ended = run(folder.path(), &server, &["slack", "webhook"]);
        assert!(ended.code == 1 && ended.err.contains("slack is told"), "{fault:?}: {}", ended.err);
        server.all_faults_happened();
        let seen = &server.inside().seen;
        let ids: Vec<&str> =
            seen.iter().map(|one| one.header("x-farmjank-delivery")).filter(|id| !id.is_empty()).collect();
        assert!(ids.len() == 2 && ids[0] == ids[1], "who counts twice can tell: {ids:?}");
    }
}

#[test]
fn a_chat_that_is_down_or_refuses_is_a_notice_and_no_exit_code() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let here = folder.path();
    server.inside().model.refuses = true;
    for (scenario, code) in
        [(SMOOTH.replace("frozen_frames: 'max <= 50'", "p95_ms: 'mean < 0.1ms'"), 1), (failing(), 1)]
    {
        write(here, "s.yaml", &scenario);
        let _ = std::fs::remove_dir_all(here.join("out"));
        let ended = run(here, &server, &ALL);
        assert_eq!(ended.code, code);
        for words in [
            "slack is not told: Slack does not take the message (404): no_service",
            "teams is not told: Teams does not take the message (400): no",
            "feishu is not told: Feishu does not take the message (200): {\"code\":19021",
            "dingtalk is not told: DingTalk does not take the message (200): {\"errcode\":310000",
            "webhook is not told",
        ] {
            assert!(ended.err.contains(words), "{words}: {}", ended.err);
        }
    }
    // Nothing asks again for what is refused.
    assert_eq!(server.counted().0, 10);
    let told_of = |url: &str, more: &[&str]| {
        let mut command = told(here, &server);
        command
            .env("FARMJANK_SLACK_URL", url)
            .args(["notify", "out", "--to", "slack", "--time", "3s"])
            .args(more);
        quiet(ended(&mut command))
    };
    let nobody = format!("127.0.0.1:{}", free_port());
    for (url, words) in [
        (format!("http://{nobody}/{KEY}"), "cannot be reached"),
        (format!("http://chat.example/{KEY}"), "is http://, where everybody on the way can read the token"),
        (format!("{}/slack/{KEY}", server.url), "no_service"),
        (String::new(), "there is no address in FARMJANK_SLACK_URL"),
    ] {
        let ended = told_of(&url, &[]);
        assert!(ended.code == 3 && ended.err.contains(words), "{words}: {}{}", ended.out, ended.err);
    }
    server.plan(|_| true, Fault::Status(429, vec![("retry-after", "9000".to_owned())]));
    let ended = told_of(&format!("{}/slack/{KEY}", server.url), &[]);
    assert!(ended.code == 3 && ended.err.contains("the time for it is over"), "{}", ended.err);
}

#[test]
fn without_certificates_https_is_refused_with_what_to_do_and_http_to_this_computer_goes_on() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    write(folder.path(), "s.yaml", &failing());
    let mut told = told(folder.path(), &server);
    told.env("SSL_CERT_FILE", "/nowhere")
        .env_remove("SSL_CERT_DIR")
        .env("FARMJANK_TEAMS_URL", "https://127.0.0.1:9/x/y");
    told.args(["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out"]);
    let ended = quiet(ended(told.args(["--notify", "slack", "--notify", "teams"])));
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("teams is not told: this computer has no certificates"), "{}", ended.err);
    assert!(ended.err.contains("SSL_CERT_FILE"), "{}", ended.err);
    assert_eq!(sent(&server).len(), 1, "slack is told: {}", ended.err);
}

#[test]
fn a_run_without_addresses_goes_on_and_one_that_names_nobody_does_not_begin() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &failing());
    let mut command = farmjank(here);
    let ended_without =
        ended(command.args(["run", "s.yaml", "--lab", "demo", "--out", "out", "--notify", "slack"]));
    assert!(ended_without.code == 1, "a job of a fork has no secrets: {}", ended_without.err);
    assert!(
        ended_without.err.contains("slack is not told: there is no address in FARMJANK_SLACK_URL"),
        "{}",
        ended_without.err
    );
    let mut command = farmjank(here);
    command.env("MY_HOOK", "http://127.0.0.1:1/x").args(["notify", "out", "--to", "webhook:MY_HOOK"]);
    let unsigned = ended(&mut command);
    assert!(
        unsigned.code == 3 && unsigned.err.contains("there is no secret in MY_HOOK_SECRET"),
        "{}",
        unsigned.err
    );
    for wrong in ["slak", "slack:", "slack:A B", "pull-request:acme/shop#1"] {
        let ended =
            crate::world::run(here, &["run", "s.yaml", "--lab", "demo", "--out", "none", "--notify", wrong]);
        assert!(ended.code == 2 && !here.join("none").exists(), "{wrong}: {}", ended.err);
    }
}

#[test]
fn a_run_that_is_over_is_told_against_the_one_before_or_the_one_that_is_named() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let here = folder.path();
    write(here, "s.yaml", SMOOTH);
    write(here, "farmjank.toml", "[default]\nnotify = ['slack']\n");
    let kept = |out: Option<&str>| {
        let mut command = told(here, &server);
        command
            .args(["run", "s.yaml", "--lab", "demo", "--quiet"])
            .args(out.map(|out| format!("--out={out}")));
        quiet(ended(&mut command)).code
    };
    assert_eq!(kept(None), 0);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    write(here, "s.yaml", &failing());
    assert_eq!(kept(None), 1);
    let first = sent(&server);
    assert!(
        first.len() == 1 && first[0].1.to_string().contains("Newly failing"),
        "by farmjank.toml: {first:?}"
    );
    let notify = |words: &[&str]| {
        let mut command = told(here, &server);
        quiet(ended(command.arg("notify").args(words)))
    };
    let newest = "results/runs/lab-demo-seed32-2";
    assert_eq!(notify(&[newest, "--to", "slack"]).code, 0);
    assert_eq!(sent(&server), first, "said again it is the same");
    let same = notify(&[newest, "--to", "slack", "--against", newest]);
    assert!(same.code == 0 && same.out.contains("slack is not told: nothing changed"), "{}", same.out);
    assert!(sent(&server).is_empty());
    assert_eq!(
        notify(&[
            newest,
            "--to",
            "slack",
            "--against",
            newest,
            "--always",
            "--link",
            "https://ci.acme.com/812"
        ])
        .code,
        0
    );
    let body = sent(&server)[0].1.to_string();
    assert!(
        body.contains("nothing changed") && body.contains("<https://ci.acme.com/812|Log and files>"),
        "{body}"
    );
}

#[test]
fn the_page_shows_what_a_webhook_is_sent_and_names_every_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &failing());
    let ran = ["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out", "--quiet"];
    assert_eq!(crate::world::run(here, &ran).code, 1);
    let dry = crate::world::run(here, &["notify", "out", "--to", "webhook", "--dry-run"]);
    let mut body: Value = serde_json::from_str(&dry.out).expect("JSON");
    body["sent_ms"] = json!(1_772_330_400_000_i64);
    let printed = format!("{body:#}\n");
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once("```json\n").expect("the page shows it");
    let (shown, after) = rest.split_once("```\n").expect("the end of a block");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(PAGE, format!("{before}```json\n{printed}```\n{after}")).expect("the page");
        return;
    }
    assert_eq!(printed, shown, "{printed}");
    for chat in ALL {
        let name = chat.to_uppercase();
        assert!(
            page.contains(&format!("| `{chat}` |")) && page.contains(&format!("`FARMJANK_{name}_URL`")),
            "{chat}"
        );
    }
}

#[test]
fn a_history_tells_what_was_before_also_where_no_bundle_is_kept() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), server());
    let here = folder.path();
    let night = |scenario: &str, out: &str, branch: &str| {
        write(here, "s.yaml", scenario);
        let label = format!("branch={branch}");
        let mut command = told(here, &server);
        command.args([
            "run",
            "s.yaml",
            "--lab",
            "demo",
            "--quiet",
            "--history",
            "h.sqlite",
            "--notify",
            "slack",
        ]);
        quiet(ended(command.args(["--out", out, "--label", &label])));
        std::fs::remove_dir_all(here.join(out)).expect("a workspace that is not kept");
        sent(&server).into_iter().map(|(_, body)| body.to_string()).collect::<Vec<_>>()
    };
    let first = night(&failing(), "a", "main");
    assert!(first.len() == 1 && first[0].contains("Failing\\n"), "{first:?}");
    assert!(night(&failing(), "b", "main").is_empty(), "it fails as it did");
    let other = night(&failing(), "c", "next");
    assert!(other.len() == 1, "another branch has a line of its own: {other:?}");
}
