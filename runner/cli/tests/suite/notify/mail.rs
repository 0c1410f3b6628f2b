//! Letters through a real server of SMTP, in the clear on this computer and through TLS, as Python reads them.

use super::{failing, write};
use crate::world::{Ended, ended, farmjank};
use farmjank_witnesses::nats::Authority;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/notify/mail_server.py");
const PASSWORD: &str = "p%w/farmjank";
const PEOPLE: &str = "team@example.com, Night Watch <watch@example.com>";

/// A server; it ends with this value.
struct Mail {
    child: Child,
    said: BufReader<ChildStdout>,
    url: String,
}

impl Drop for Mail {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn mail(mode: &str, files: [&Path; 2], faults: &[&str]) -> Mail {
    let mut command = Command::new("python3");
    command.arg(SERVER).arg(mode).args(files).args(faults).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("python3");
    let mut said = BufReader::new(child.stdout.take().expect("its words"));
    let mut port = String::new();
    said.read_line(&mut port).expect("a port");
    let scheme = if mode == "wrapped" { "smtps" } else { "smtp" };
    let url = format!("{scheme}://ci%40example.com:p%25w%2Ffarmjank@127.0.0.1:{}", port.trim());
    Mail { child, said, url }
}

impl Mail {
    /// All letters it took; it is gone then.
    fn letters(mut self) -> Vec<Value> {
        drop(self.child.kill());
        let lines = self.said.by_ref().lines();
        lines.map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON")).collect()
    }
}

/// The binary, which knows who is told.
fn told(folder: &Path, url: &str) -> Command {
    let mut command = farmjank(folder);
    command
        .env("FARMJANK_MAIL_URL", url)
        .env("FARMJANK_MAIL_FROM", "farmjank <ci@example.com>")
        .env("FARMJANK_MAIL_TO", PEOPLE);
    command
}

/// A run that fails, and tells by mail.
fn run(folder: &Path, command: &mut Command) -> Ended {
    write(folder, "s.yaml", &failing());
    let run =
        ["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out", "--overwrite", "--quiet"];
    let ended = ended(command.args(run).args(["--notify", "mail"]));
    assert_eq!(ended.code, 1, "whatever becomes of a letter: {}", ended.err);
    for text in [&ended.out, &ended.err] {
        assert!(!text.contains(PASSWORD) && !text.contains("watch@example.com"), "a secret is in {text}");
    }
    ended
}

#[test]
fn everybody_gets_one_letter_of_what_changed_and_none_where_nothing_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = [Path::new("-"); 2];
    let server = mail("clear", none, &[]);
    let first = run(folder.path(), &mut told(folder.path(), &server.url));
    assert!(first.err.contains("mail is told"), "{}", first.err);
    run(folder.path(), &mut told(folder.path(), &server.url));
    let letters = server.letters();
    assert_eq!(letters.len(), 2, "two people, once: {letters:?}");
    for (letter, to) in letters.iter().zip(["TO:<team@example.com>", "TO:<watch@example.com>"]) {
        assert!(letter["to"][0].as_str().is_some_and(|own| own.starts_with(to)), "{letter}");
        assert_eq!(letter["login"], "ci@example.com");
        assert_eq!(letter["subject"], "farmjank: fail · 1 failed");
        assert_eq!(letter["from"], "farmjank <ci@example.com>");
        let text = letter["text"].as_str().expect("a text");
        assert!(text.contains("Failing"), "{text}");
        assert!(text.contains("fling the feed on Pixel 8 (virtual-pixel-8)"), "{text}");
    }
    assert_ne!(letters[0]["id"], letters[1]["id"]);
    // What would be sent, without addresses.
    let dry = crate::world::run(folder.path(), &["notify", "out", "--to", "mail", "--dry-run"]);
    assert!(dry.out.starts_with("Subject: farmjank: fail · 1 failed\n\n"), "{}{}", dry.out, dry.err);
}

#[test]
fn a_letter_goes_through_tls_and_to_nobody_who_cannot_prove_who_it_is() {
    let Some(authority) = Authority::make() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [certificate, key] = authority.server_files();
    let server = mail("wrapped", [&certificate, &key], &[]);
    let mut known = told(folder.path(), &server.url);
    known.env("SSL_CERT_FILE", authority.certificate());
    let ended = run(folder.path(), &mut known);
    assert!(ended.err.contains("mail is told"), "{}", ended.err);
    let _ = std::fs::remove_dir_all(folder.path().join("out"));
    let mut unknown = told(folder.path(), &server.url);
    let ended = run(folder.path(), &mut unknown);
    assert!(
        ended.err.contains(
            "mail is not told: 2 of 2 recipients: 127.0.0.1 is not to be used: invalid peer certificate"
        ),
        "{}",
        ended.err
    );
    let letters = server.letters();
    assert!(letters.len() == 2 && letters.iter().all(|letter| letter["secure"] == true), "{letters:?}");
}

#[test]
fn a_server_that_is_busy_or_breaks_off_is_asked_again_and_one_that_refuses_is_not() {
    let none = [Path::new("-"); 2];
    for fault in ["421@MAIL", "450@RCPT", "cut@DATA", "taken"] {
        let folder = tempfile::tempdir().expect("a folder");
        let server = mail("clear", none, &[fault]);
        let ended = run(folder.path(), &mut told(folder.path(), &server.url));
        assert!(ended.err.contains("mail is told"), "{fault}: {}", ended.err);
        let letters = server.letters();
        if fault == "taken" {
            assert!(
                letters.len() == 3 && letters[0]["id"] == letters[1]["id"],
                "who counts twice can tell: {letters:?}"
            );
        } else {
            assert_eq!(letters.len(), 2, "{fault}: {letters:?}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let server = mail("clear", none, &["550@RCPT"]);
    let ended = run(folder.path(), &mut told(folder.path(), &server.url));
    let words = "mail is not told: 1 of 2 recipients: 127.0.0.1 does not take the letter (550)";
    assert!(ended.err.contains(words), "{}", ended.err);
    assert_eq!(server.letters().len(), 1, "the other has it");
}

#[test]
fn without_server_sender_or_recipient_nothing_is_sent_and_the_run_is_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, value, words) in [
        ("FARMJANK_MAIL_URL", "", "there is no server of mail in FARMJANK_MAIL_URL"),
        ("FARMJANK_MAIL_URL", "mail.example.com", "FARMJANK_MAIL_URL: the address is no server of mail"),
        ("FARMJANK_MAIL_FROM", "", "there is no sender in FARMJANK_MAIL_FROM"),
        ("FARMJANK_MAIL_TO", "", "there is no recipient in FARMJANK_MAIL_TO"),
        ("FARMJANK_MAIL_TO", "everybody here", "the recipient is no address"),
    ] {
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
        let ended = run(folder.path(), told(folder.path(), "smtp://127.0.0.1:1").env(name, value));
        assert!(ended.err.contains(words), "{words}: {}", ended.err);
    }
}
