//! A history that does not answer: it is waited for within bounds, and takes nothing from the run.

use crate::world::{SMOOTH, ended, farmjank, run, write};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Stands between farmjank and a server, and passes on nothing more once rows are to be written.
struct Proxy {
    port: u16,
    frozen: Arc<AtomicBool>,
}

impl Proxy {
    fn before(server: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let frozen = Arc::new(AtomicBool::new(false));
        let (server, is_frozen) = (server.to_owned(), frozen.clone());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(&server).expect("the server");
                let back = (server.try_clone().expect("twice"), client.try_clone().expect("twice"));
                for (from, to) in [(client, server), back] {
                    let frozen = is_frozen.clone();
                    thread::spawn(move || pass(from, to, &frozen));
                }
            }
        });
        Proxy { port, frozen }
    }

    fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::SeqCst)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, frozen: &AtomicBool) {
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let rows = bytes[..count].windows(5).any(|five| five == b"copy ");
        if rows {
            frozen.store(true, Ordering::SeqCst);
        }
        if !frozen.load(Ordering::SeqCst) && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    // Who left is gone for the other side too.
    let _ = to.shutdown(Shutdown::Both);
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    folder
}

fn command(folder: &tempfile::TempDir, history: &str) -> Command {
    let mut command = farmjank(folder.path());
    command.args(["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--quiet", "--out", "out"]);
    command.args(["--history", history]);
    command
}

/// Who writes into a history holds a lock until it is done, and these hold theirs for long.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The tests' server through a proxy; none where there is no server.
fn behind_proxy() -> Option<(Proxy, String)> {
    let Ok(address) = std::env::var("FARMJANK_TEST_POSTGRES") else {
        assert!(std::env::var_os("CI").is_none(), "FARMJANK_TEST_POSTGRES is not set: run .ci/with-postgres");
        println!("skipped: FARMJANK_TEST_POSTGRES names no PostgreSQL; .ci/with-postgres starts one");
        return None;
    };
    let (before, after) = address.rsplit_once('@').expect("a user");
    let (server, database) = after.split_once('/').expect("a database");
    let proxy = Proxy::before(server);
    let through = format!("{before}@127.0.0.1:{}/{database}", proxy.port);
    Some((proxy, through))
}

#[test]
fn a_server_that_takes_a_connection_and_says_nothing_is_given_up_before_anything_is_measured() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let folder = folder();
    let ended =
        ended(&mut command(&folder, &format!("postgres://me@127.0.0.1:{port}/perf?connect_timeout=1")));
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    let said = format!("the history at postgres://me@127.0.0.1:{port}/perf did not answer within 2 s");
    assert!(ended.err.contains(&said), "{}", ended.err);
    assert!(!folder.path().join("out/events.ndjson").exists(), "nothing was measured");
}

#[test]
fn a_server_that_freezes_while_a_run_is_kept_ends_in_a_notice_and_the_runs_own_exit() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((proxy, address)) = behind_proxy() else { return };
    let folder = folder();
    let ended = ended(&mut command(&folder, &format!("{address}?tcp_user_timeout=2")));
    assert!(proxy.is_frozen(), "{}{}", ended.out, ended.err);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("PASS"), "{}", ended.out);
    assert!(ended.err.contains("the run is not in the history: "), "{}", ended.err);
    assert!(ended.err.contains("did not answer within 2 s"), "{}", ended.err);
    assert!(folder.path().join("out/junit.xml").exists());
}

#[test]
fn a_request_to_terminate_ends_a_run_that_waits_for_its_store() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((proxy, address)) = behind_proxy() else { return };
    let folder = folder();
    let mut child =
        command(&folder, &address).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let asked = Instant::now();
    while !proxy.is_frozen() {
        assert!(asked.elapsed() < Duration::from_secs(60), "the run comes to its store");
        thread::sleep(Duration::from_millis(20));
    }
    terminate(&child);
    let begun = Instant::now();
    let ended = child.wait().expect("it ends");
    assert_eq!(ended.code(), Some(143));
    assert!(begun.elapsed() < Duration::from_secs(30), "not at the end of its patience with the store");
}

fn terminate(child: &Child) {
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
}

/// A pipe that is opened for writing and read by nobody holds whoever writes.
#[test]
fn a_request_to_terminate_ends_a_run_whose_report_nobody_reads() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let mut command = farmjank(folder.path());
    command.args(["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--quiet", "--out", "out"]);
    let mut child = command.args(["--junit", "pipe"]).stdout(Stdio::null()).spawn().expect("it starts");
    let log = folder.path().join("out/events.ndjson");
    let judged = |text: String| text.contains("\"run_judged\"");
    for _ in 0..600 {
        if std::fs::read_to_string(&log).is_ok_and(judged) {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    terminate(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
}

#[test]
fn finished_runs_are_brought_into_the_history_once_and_unfinished_ones_are_not() {
    let folder = folder();
    let here = folder.path();
    for seed in ["1", "2"] {
        let args = [
            "run",
            "s.yaml",
            "--lab",
            "demo",
            "-s",
            "virtual-pixel-8",
            "--quiet",
            "--seed",
            seed,
            "--out",
            seed,
        ];
        assert_eq!(run(here, &args).code, 0);
    }
    let add = |runs: &[&str]| run(here, &[&["history", "--history", "n.sqlite", "--add"], runs].concat());
    let told = || -> Value {
        let told = run(here, &["history", "--metric", "fps", "--history", "n.sqlite", "--format", "json"]);
        serde_json::from_str(&told.out).expect("JSON")
    };
    let added = add(&["1", "2", "--label", "commit=1a2b3c"]);
    let said = added.out.matches("is in the history, with").count();
    assert_eq!((added.code, said), (0, 2), "{}{}", added.out, added.err);
    let cells = told();
    assert_eq!(cells["cells"][0]["night_count"], 2, "{cells}");
    assert_eq!(cells["cells"][0]["last"]["labels"]["commit"], "1a2b3c");
    assert_eq!(add(&["1"]).code, 0);
    assert_eq!(told()["cells"][0]["night_count"], 2, "twice is once");
    let log = std::fs::read_to_string(here.join("2/events.ndjson")).expect("a log");
    let cut: Vec<&str> = log.lines().take_while(|line| !line.contains("\"kind\":\"run_judged\"")).collect();
    write(here, "torn/events.ndjson", &format!("{}\n", cut.join("\n")));
    let torn = add(&["1", "torn"]);
    assert!(torn.code == 2 && torn.err.contains("torn is not over"), "{}{}", torn.out, torn.err);
}
