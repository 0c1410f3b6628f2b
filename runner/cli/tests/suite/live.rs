//! The live view as a browser meets it: over real loopback HTTP, of finished runs, of growing ones, of a run going on.

use crate::world::{SMOOTH, ended, farmjank, write};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Longest wait for an answer: only a broken build takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A served view; interrupted at the end.
pub struct Served {
    child: Child,
    err: BufReader<std::process::ChildStderr>,
    pub host: String,
    pub token: String,
}

/// An answer of the server.
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Served {
    fn start(command: &mut Command) -> Served {
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut err = BufReader::new(child.stderr.take().expect("its errors"));
        let mut line = String::new();
        while !line.contains("live view: ") {
            line.clear();
            assert!(err.read_line(&mut line).expect("text") > 0, "it says where the live view is");
        }
        let url = line.trim().split_once("http://").expect("an address").1;
        let (host, token) = url.trim_end_matches('/').split_once('/').expect("a token");
        let (host, token) = (host.to_owned(), token.to_owned());
        Served { child, err, host, token }
    }

    /// Sends a request for a path under the token, and leaves the answer to be read.
    fn ask(&self, method: &str, path: &str, host: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.host).expect("somebody listens on loopback");
        stream.set_read_timeout(Some(PATIENCE)).expect("a patient socket");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .expect("a request is sent");
        BufReader::new(stream)
    }

    fn whole(&self, method: &str, path: &str, host: &str) -> Answer {
        let mut text = String::new();
        self.ask(method, path, host).read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub fn get(&self, rest: &str) -> Answer {
        self.whole("GET", &format!("/{}/{rest}", self.token), &self.host)
    }

    /// Listens from a version on.
    fn listen(&self, since: u64) -> Updates {
        Updates(self.ask("GET", &format!("/{}/events?since={since}", self.token), &self.host))
    }

    fn interrupt(mut self) -> (i32, String) {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
        let mut said = String::new();
        self.err.read_to_string(&mut said).expect("text");
        (self.child.wait().expect("it ends").code().unwrap_or(-1), said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Server-sent updates, one after the other.
struct Updates(BufReader<TcpStream>);

impl Iterator for Updates {
    type Item = (u64, Value);

    fn next(&mut self) -> Option<(u64, Value)> {
        let mut id = None;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("the stream is read") == 0 {
                return None;
            }
            id = line.strip_prefix("id: ").and_then(|id| id.trim().parse().ok()).or(id);
            if let Some(data) = line.strip_prefix("data: ") {
                let value: Value = serde_json::from_str(data.trim_end()).expect("every update is JSON");
                // The id comes before or after the data; the data says it too.
                let version = value["version"].as_u64().expect("a version");
                assert!(id.is_none_or(|id: u64| id <= version));
                return Some((version, value));
            }
        }
    }
}

/// A finished run of one scenario on the demo lab.
pub fn bundle(folder: &Path) -> PathBuf {
    let scenario = write(folder, "smooth.yaml", SMOOTH);
    let run = folder.join("run");
    let command = ["run", "--lab", "demo", "--seed", "7", "--quiet", "--out"];
    let done = ended(farmjank(folder).args(command).arg(&run).arg(&scenario));
    assert!([0, 1, 4].contains(&done.code), "{}", done.err);
    run
}

pub fn view(folder: &Path, run: &Path) -> Served {
    view_with(folder, run, &[])
}

/// With these flags, too.
pub fn view_with(folder: &Path, run: &Path, more: &[&str]) -> Served {
    Served::start(farmjank(folder).arg("view").arg(run).args(more))
}

fn keys(update: &Value) -> Vec<String> {
    let cells = update["fragment"]["cells"].as_array().cloned().unwrap_or_default();
    cells.iter().map(|cell| cell["key"].as_str().expect("a key").to_owned()).collect()
}

#[test]
fn a_finished_run_is_served_to_who_knows_the_token_and_to_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let served = view(folder.path(), &bundle(folder.path()));
    let page = served.get("");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<main id=\"app\">") && page.body.contains("connect-src 'self'"));
    assert!(
        served.token.len() == 32 && !page.body.contains(&served.token),
        "the token is in the address alone"
    );
    for header in [
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "content-security-policy: frame-ancestors 'none'",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(page.head.contains(header), "{header} is missing:\n{}", page.head);
    }
    let snapshot: Value = serde_json::from_str(&served.get("snapshot.json").body).expect("JSON");
    assert_eq!((&snapshot["over"], &snapshot["all"]), (&Value::Bool(true), &Value::Bool(true)));
    assert!(!keys(&snapshot).is_empty() && !snapshot["lanes"].as_array().unwrap().is_empty());

    let wrong = "0".repeat(32);
    let short = &served.token[..31];
    for path in
        ["/", "/snapshot.json", &format!("/{wrong}/"), &format!("/{short}/"), &format!("//{}/", served.token)]
    {
        assert_eq!(served.whole("GET", path, &served.host).status, 404, "{path}");
    }
    for path in ["events.ndjson", "../run/events.ndjson", "report.html", "%2e%2e/run/results.json"] {
        assert_eq!(served.get(path).status, 404, "no file of the bundle or beside it: {path}");
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let answer = served.ask(method, &format!("/{}/", served.token), &served.host).lines().next();
        assert!(answer.unwrap().unwrap().contains(" 405 "), "{method} is not allowed");
    }
    for (path, status) in [("", " 200 "), ("snapshot.json", " 200 "), ("events", " 200 "), ("none", " 404 ")]
    {
        let path = format!("/{}/{path}", served.token);
        let mut lines = served.ask("HEAD", &path, &served.host).lines().map_while(Result::ok);
        assert!(lines.next().is_some_and(|line| line.contains(status)), "HEAD {path}");
        assert!(
            lines.skip_while(|line| !line.is_empty()).all(|line| line.is_empty()),
            "HEAD {path} has no body"
        );
    }
    for stranger in ["evil.example", "evil.example:80", "127.0.0.1.evil.example"] {
        let path = format!("/{}/snapshot.json", served.token);
        assert_eq!(served.whole("GET", &path, stranger).status, 421, "{stranger}");
    }
    let (code, said) = served.interrupt();
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_growing_run_is_followed_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let run = bundle(folder.path());
    let log = std::fs::read(run.join("events.ndjson")).unwrap();
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let growing = folder.path().join("growing");
    std::fs::create_dir(&growing).unwrap();
    let events = growing.join("events.ndjson");
    let (first, rest) = lines.split_at(lines.len() / 3);
    let (torn, half) = (rest[0], rest[0].len() / 2);
    std::fs::write(&events, [&first.concat(), &torn[..half]].concat()).unwrap();

    let served = view(folder.path(), &growing);
    let mut updates = served.listen(0);
    let (version, all) = updates.next().expect("what there is");
    assert_eq!((version, &all["over"]), (first.len() as u64, &Value::Bool(false)), "a torn line waits");
    assert_eq!(all["all"], Value::Bool(true));

    let mut grow = std::fs::OpenOptions::new().append(true).open(&events).unwrap();
    grow.write_all(&torn[half..]).unwrap();
    let (next, update) = updates.next().expect("the line that became whole");
    assert_eq!((next, &update["all"]), (version + 1, &Value::Bool(false)));

    for piece in rest[1..].chunks(40) {
        grow.write_all(&piece.concat()).unwrap();
    }
    let mut versions = vec![version, next];
    let mut told = Vec::new();
    for (version, update) in updates {
        versions.push(version);
        told.extend(keys(&update));
        if update["over"] == Value::Bool(true) {
            break;
        }
    }
    assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
    assert_eq!(versions.last(), Some(&(lines.len() as u64)), "every event was seen");
    let whole: Value = serde_json::from_str(&served.get("snapshot.json").body).unwrap();
    told.sort();
    told.dedup();
    let mut all = keys(&whole);
    all.sort();
    assert_eq!(told, all, "every cell was told of as it changed");

    // Who comes back is told what is new since, and that is nothing but what a page lacks.
    let (_, back) = served.listen(lines.len() as u64).next().expect("lanes and lines");
    assert!(back.get("fragment").is_none() && !back["lanes"].as_array().unwrap().is_empty());
}

#[test]
fn a_damaged_log_is_shown_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let run = bundle(folder.path());
    let log = std::fs::read(run.join("events.ndjson")).unwrap();
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    std::fs::write(damaged.join("events.ndjson"), lines[..9].concat()).unwrap();
    let served = view(folder.path(), &damaged);
    let mut updates = served.listen(0);
    assert_eq!(updates.next().map(|(version, _)| version), Some(9));
    let mut grow = std::fs::OpenOptions::new().append(true).open(damaged.join("events.ndjson")).unwrap();
    grow.write_all(b"<script>alert(1)</script>\n").unwrap();
    let (_, update) = updates.next().expect("trouble is told");
    let told = update["told"][0]["text"].as_str().expect("a line");
    assert!(told.contains("line 10 of the log is not an event"), "{told}");

    let nothing = ended(farmjank(folder.path()).arg("view").arg(folder.path()));
    assert_eq!(nothing.code, 2);
    assert!(nothing.err.contains("holds no run"), "{}", nothing.err);
}

#[test]
fn a_run_stays_open_after_its_end_and_keeps_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let run = bundle(folder.path());
    let scenario = write(folder.path(), "smooth.yaml", SMOOTH);
    let again = folder.path().join("again");
    let mut command = farmjank(folder.path());
    command
        .args(["run", "--lab", "demo", "--seed", "7", "--quiet", "--ui", "--out"])
        .arg(&again)
        .arg(&scenario);
    let mut served = Served::start(&mut command);
    let last = served.listen(0).find(|(_, update)| update["over"] == Value::Bool(true));
    assert!(last.is_some(), "the end of the run is told");
    let mut line = String::new();
    while !line.contains("stays open at http://127.0.0.1:") {
        line.clear();
        assert!(served.err.read_line(&mut line).unwrap() > 0, "it says that it stays");
    }
    assert!(served.get("").body.contains("<main"), "and it does");
    let (code, _) = served.interrupt();
    let read = |run: &Path| std::fs::read(run.join("events.ndjson")).unwrap();
    let results: Value = serde_json::from_slice(&std::fs::read(run.join("results.json")).unwrap()).unwrap();
    assert_eq!(read(&again), read(&run), "watching changes nothing: the same bytes as without");
    assert_eq!(results["run"]["exit_code"].as_i64().unwrap_or(i64::from(code)), i64::from(code));
}

#[test]
fn a_flood_of_idle_connections_takes_nothing_from_the_run_and_keeps_no_browser_out() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let lab = write(folder.path(), "lab.yaml", "name: one\nphones: [ { archetype: pixel-6, serial: S1 } ]\n");
    let rack = crate::world::Lab::serve(folder.path(), &lab, 1, &folder.path().join("truth.json"));
    let binary = farmjank(folder.path());
    // Fewer descriptors than there are idle connections.
    let mut command = Command::new("bash");
    command.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""]).arg(binary.get_program());
    command.args(["run", "s.yaml", "--iterations", "1", "--out", "out", "--ui"]).current_dir(folder.path());
    for (name, value) in binary.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("ADB_SERVER_SOCKET", &rack.socket);
    let served = Served::start(&mut command);
    let connect = || TcpStream::connect(&served.host).expect("a connection, or a place in the queue");
    let idle: Vec<TcpStream> = (0..600).map(|_| connect()).collect();
    let log = folder.path().join("out/events.ndjson");
    let finished = |text: String| text.contains("\"run_finished\"");
    let over = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        std::fs::read_to_string(&log).is_ok_and(finished)
    });
    assert!(over, "the run ends while they hang on");
    // Their time for a request is over; a browser's request is answered.
    drop(idle);
    assert_eq!(served.get("snapshot.json").status, 200);
    let (code, said) = served.interrupt();
    assert_eq!(code, 0, "{said}");
}
