//! Either stock adb server, an old and the newest one, between the tool and the lab's phones: nobody can say that our
//! transport and our simulator only agree with each other.

use crate::world::{Lab, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::ports::free_port;
use farmjank_witnesses::stock;
use std::collections::BTreeSet;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// An adb server of our own on a free port.
pub struct Server {
    program: PathBuf,
    child: Child,
    /// Where it listens.
    pub port: u16,
}

impl Server {
    /// Starts this program.
    pub fn start(program: PathBuf) -> Server {
        let port = free_port();
        let child = Server::child(&program, port);
        Server { program, child, port }
    }

    /// Kills it as `kill -9` does, and starts another one in its place after a while.
    pub fn killed_and_back(&mut self, after: std::time::Duration) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it is gone");
        std::thread::sleep(after);
        self.child = Server::child(&self.program, self.port);
    }

    fn child(program: &std::path::Path, port: u16) -> Child {
        Command::new(program)
            .args(["-P", &port.to_string(), "server", "nodaemon"])
            .env("ADB_MDNS", "0")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("adb starts")
    }

    /// Reaches the daemons of a lab.
    pub fn connect(&self, daemons: &[String]) {
        // A client that finds nobody would start a server of its own, which outlives the test.
        let listens = || TcpStream::connect(("127.0.0.1", self.port)).is_ok();
        let patient = (0..600).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            listens()
        });
        assert!(patient, "the stock adb server does not listen on {}", self.port);
        for daemon in daemons {
            let said = self.adb(&["connect", daemon]);
            assert!(said.contains("connected"), "{said}");
        }
    }

    fn adb(&self, args: &[&str]) -> String {
        let port = self.port.to_string();
        let done = ended(Command::new(&self.program).args(["-P", &port]).args(args));
        format!("{}{}", done.out, done.err)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// 60, 90, 120 and 144 Hz.
const LAB: &str = "
name: stock
latency: hub
phones:
  - { archetype: redmi-note-7, serial: R60 }
  - { archetype: pixel-6, serial: P90 }
  - { archetype: pixel-8, serial: P120 }
  - { archetype: moto-edge-30, serial: M144 }
";

#[test]
fn through_either_stock_adb_server_every_frame_is_seen() {
    stock::programs().into_iter().for_each(|program| every_frame_is_seen(&Server::start(program)));
}

fn every_frame_is_seen(server: &Server) {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = write(folder.path(), "lab.yaml", LAB);
    let truth = folder.path().join("truth.json");
    let lab = Lab::serve(folder.path(), &lab, 4, &truth);
    server.connect(&lab.daemons);
    write(folder.path(), "s.yaml", SMOOTH);
    let done = ended(
        farmjank(folder.path())
            .env("ANDROID_ADB_SERVER_PORT", server.port.to_string())
            .args(["run", "--out", "bundle", "s.yaml"]),
    );
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(
        done.out.to_lowercase().contains("virtual"),
        "virtual phones are labelled through any adb:\n{}",
        done.out
    );
    lab.interrupt();
    let truth: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&truth).expect("the truth")).expect("JSON");
    let log = std::fs::read(folder.path().join("bundle/events.ndjson")).expect("the log");
    let (record, _) = farmjank_results::record::Record::read_ndjson(&log).expect("a whole log");
    assert_eq!(record.jobs.len(), 4);
    let mut rates = BTreeSet::new();
    for job in record.jobs.values() {
        for window in
            job.trials.iter().flat_map(|trial| &trial.windows).filter(|window| window.window != "launch")
        {
            let coverage = window.coverage.as_ref().expect("coverage");
            assert!(coverage.proved, "{:?}", coverage.doubts);
            let existed = existed(&truth, window);
            assert!(
                existed.contains(&coverage.frames_seen),
                "seen {}, existed {existed:?}",
                coverage.frames_seen
            );
            rates.extend(window.refresh_hz.map(|hz| (hz / 10.0).round() as i64 * 10));
        }
    }
    assert_eq!(rates.into_iter().collect::<Vec<_>>(), [60, 90, 120, 140], "four kinds of panel");
}

#[test]
fn through_either_stock_adb_server_a_build_of_several_packets_reaches_the_package_manager() {
    stock::programs().into_iter().for_each(|program| a_build_arrives(&Server::start(program)));
}

fn a_build_arrives(server: &Server) {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let lab = write(here, "lab.yaml", "name: one\nphones: [ { archetype: pixel-8, serial: P8 } ]\n");
    let lab = Lab::serve(here, &lab, 1, &here.join("truth.json"));
    server.connect(&lab.daemons);
    // It looks like a package to us, and to nobody else.
    for name in ["old.apk", "new.apk"] {
        write(here, name, &format!("PK\u{3}\u{4} {name} {}", "of no use ".repeat(40_000)));
    }
    write(here, "s.yaml", SMOOTH);
    let mut ab = farmjank(here);
    ab.env("ANDROID_ADB_SERVER_PORT", server.port.to_string());
    let done = ended(ab.args(["ab", "old.apk", "new.apk", "s.yaml", "--iterations", "5", "--out", "bundle"]));
    assert!(done.code == 3 && done.out.contains("INSTALL_PARSE_FAILED_NOT_APK"), "{}{}", done.out, done.err);
}

/// Frames of any one layer of any one phone inside the motions of a window: the phone's clock tells which it was.
fn existed(truth: &serde_json::Value, window: &farmjank_results::event::WindowMeasured) -> BTreeSet<u64> {
    let wanted = window.coverage.as_ref().and_then(|coverage| coverage.layer.clone()).unwrap_or_default();
    let base = |name: &str| name.rsplit_once('#').map_or(name.to_owned(), |(base, _)| base.to_owned());
    let phones = truth.as_object().expect("phones").values();
    let count = |layer: &serde_json::Value| {
        let presents = layer["presents"].as_array().expect("presents");
        let inside =
            |at: i64| window.motions.iter().any(|motion| (motion.from.ns()..=motion.to.ns()).contains(&at));
        presents.iter().filter_map(serde_json::Value::as_i64).filter(|at| inside(*at)).count() as u64
    };
    phones
        .map(|phone| {
            let layers = phone["layers"].as_array().expect("layers").iter();
            layers
                .filter(|layer| base(layer["name"].as_str().unwrap_or("")) == base(&wanted))
                .map(count)
                .sum()
        })
        .collect()
}

#[test]
fn a_stock_adb_server_that_is_killed_in_the_middle_of_a_run_and_comes_back_costs_no_iteration() {
    for program in stock::programs() {
        let mut server = Server::start(program);
        let folder = tempfile::tempdir().expect("a folder");
        let phones =
            "name: two\nphones: [ { archetype: pixel-6, serial: A }, { archetype: pixel-8, serial: B } ]\n";
        let lab = write(folder.path(), "lab.yaml", phones);
        let lab = Lab::serve(folder.path(), &lab, 2, &folder.path().join("truth.json"));
        server.connect(&lab.daemons);
        write(folder.path(), "s.yaml", SMOOTH);
        let mut command = farmjank(folder.path());
        command.args(["run", "s.yaml", "--iterations", "3", "--out", "b"]);
        command.env("ANDROID_ADB_SERVER_PORT", server.port.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = command.spawn().expect("the run starts");
        let log = folder.path().join("b/events.ndjson");
        let said = |words: &str| std::fs::read_to_string(&log).is_ok_and(|log| log.contains(words));
        for _ in 0..600 {
            if said("\"ending\":\"completed\"") {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        server.killed_and_back(std::time::Duration::from_secs(2));
        server.connect(&lab.daemons);
        let output = run.wait_with_output().expect("it ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
        let text = std::fs::read_to_string(&log).expect("the log");
        let (record, _) =
            farmjank_results::record::Record::read_ndjson(text.as_bytes()).expect("a whole log");
        assert!(text.contains("device_gone"), "the server went away and nobody noticed");
        for job in record.jobs.values() {
            let completed = job
                .trials
                .iter()
                .filter(|trial| trial.ending == Some(farmjank_results::event::Ending::Completed));
            assert_eq!(completed.count(), 3, "{:?}", job.planned.device);
        }
    }
}
