//! Phones that plugins lend: booked at a model of STF, connected to over a stock adb server, measured, given back.

use super::example;
use crate::server::{Fault, Model, Reply, Seen, Server};
use crate::stock_adb;
use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::stock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const TOKEN: &str = "5ec2e7-of-a-user";
const ME: &str = "lab@example.com";

/// What STF does with bookings; its words are those of its own code, to which `.ci/stf` holds the plugin.
pub struct Stf {
    /// Where each phone is connected to.
    phones: BTreeMap<String, String>,
    pub owners: BTreeMap<String, String>,
    privilege: &'static str,
    /// Who books and who releases, in order.
    history: Vec<String>,
    /// Connections that are granted before a booking is over, for each booking.
    renewals: Option<usize>,
    connected: usize,
}

impl Stf {
    fn with(phones: &[(&str, &str)]) -> Stf {
        Stf {
            phones: phones.iter().map(|(serial, at)| ((*serial).to_owned(), (*at).to_owned())).collect(),
            owners: BTreeMap::new(),
            privilege: "user",
            history: Vec::new(),
            renewals: None,
            connected: 0,
        }
    }

    fn device(&self, serial: &str) -> Value {
        let owner = self.owners.get(serial).map(|email| json!({ "email": email, "name": "Lab" }));
        json!({ "serial": serial, "present": true, "ready": true, "owner": owner, "manufacturer": "GOOGLE",
                "model": "Pixel 8", "marketName": "shiba", "sdk": "34" })
    }

    fn book(&mut self, serial: &str) -> Reply {
        if !self.phones.contains_key(serial) {
            return refused(404, "Not Found (device)");
        }
        if self.owners.contains_key(serial) {
            return refused(403, "Device is being used or not available");
        }
        self.owners.insert(serial.to_owned(), ME.to_owned());
        self.connected = 0;
        self.history.push(format!("book {serial}"));
        done(json!({}))
    }

    fn connect(&mut self, serial: &str) -> Reply {
        self.connected += 1;
        if self.renewals == Some(self.connected) {
            // Somebody else was faster when it lapsed.
            self.owners.insert(serial.to_owned(), "alice@example.com\u{1b}[31m".to_owned());
            self.renewals = None;
        }
        match self.owners.get(serial).is_some_and(|owner| owner == ME) {
            true => done(json!({ "remoteConnectUrl": self.phones[serial] })),
            false => refused(403, "Device is not owned by you or is not available"),
        }
    }

    fn release(&mut self, serial: &str) -> Reply {
        if self.owners.get(serial).is_none_or(|owner| owner != ME) {
            return refused(403, "You cannot release this device. Not owned by you");
        }
        self.owners.remove(serial);
        self.history.push(format!("release {serial}"));
        done(json!({}))
    }
}

fn done(mut body: Value) -> Reply {
    body["success"] = json!(true);
    Reply::json(200, &body)
}

fn refused(status: u16, description: &str) -> Reply {
    Reply::json(status, &json!({ "success": false, "description": description }))
}

impl Model for Stf {
    fn answer(&mut self, request: &Seen) -> Reply {
        if request.header("authorization") != format!("Bearer {TOKEN}") {
            return refused(401, "Bad Credentials");
        }
        let parts: Vec<&str> = request.path.trim_start_matches("/api/v1/").split('/').collect();
        match (request.method.as_str(), &parts[..]) {
            ("GET", ["user"]) => done(json!({ "user": { "email": ME, "privilege": self.privilege } })),
            ("GET", ["devices"]) => {
                let devices: Vec<Value> = self.phones.keys().map(|serial| self.device(serial)).collect();
                done(json!({ "devices": devices }))
            }
            ("GET", ["user", "devices"]) => {
                let mine = self.owners.iter().filter(|(_, owner)| *owner == ME);
                let devices: Vec<Value> = mine.map(|(serial, _)| self.device(serial)).collect();
                done(json!({ "devices": devices }))
            }
            ("GET", ["devices", serial]) => done(json!({ "device": self.device(serial) })),
            ("POST", ["user", "devices"]) => self.book(request.body["serial"].as_str().unwrap_or_default()),
            ("POST", ["user", "devices", serial, "remoteConnect"]) => self.connect(serial),
            ("DELETE", ["user", "devices", _, "remoteConnect"]) => done(json!({})),
            ("DELETE", ["user", "devices", serial]) => self.release(serial),
            _ => refused(400, "what is that"),
        }
    }
}

/// A lab of two phones, a stock adb server that knows neither, and an STF that lends both.
pub struct Farm {
    pub folder: tempfile::TempDir,
    pub lab: Lab,
    pub adb: stock_adb::Server,
    pub stf: Server<Stf>,
}

const LAB: &str =
    "name: shelf\nphones: [ { archetype: pixel-6, serial: A }, { archetype: pixel-8, serial: B } ]\n";

impl Farm {
    pub fn new() -> Option<Farm> {
        let program = stock::programs().pop()?;
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "s.yaml", SMOOTH);
        let lab = write(folder.path(), "lab.yaml", LAB);
        let lab = Lab::serve(folder.path(), &lab, 2, &folder.path().join("truth.json"));
        let adb = stock_adb::Server::start(program);
        adb.connect(&[]);
        let stf = Server::of(Stf::with(&[("STF-A", &lab.daemons[0]), ("STF-B", &lab.daemons[1])]));
        Some(Farm { folder, lab, adb, stf })
    }

    pub fn command(&self, args: &[&str], own: &str) -> Command {
        let plugin = format!("stf=python3 '{}' {} --adb-key none {own}", example("stf.py"), self.stf.url);
        let mut command = farmjank(self.folder.path());
        command.args(args).args(["--plugin", &plugin]).env("STF_TOKEN", TOKEN);
        command.env("ANDROID_ADB_SERVER_PORT", self.adb.port.to_string());
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        ended(&mut self.command(args, ""))
    }

    fn log(&self) -> Vec<Value> {
        log(self.folder.path())
    }

    /// Nothing is booked any more; what was booked and released, in order.
    pub fn history(&self) -> Vec<String> {
        let stf = &mut self.stf.inside().model;
        assert!(!stf.owners.values().any(|owner| owner == ME), "{:?} of {:?}", stf.owners, stf.history);
        std::mem::take(&mut stf.history)
    }
}

fn log(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

const RUN: [&str; 5] = ["run", "s.yaml", "--out", "out", "--overwrite"];

#[test]
fn phones_of_stf_are_booked_measured_and_released_and_one_that_is_booked_by_others_is_told() {
    let Some(farm) = Farm::new() else { return };
    let ended = farm.run(&RUN);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let judged =
        farm.log().iter().filter(|event| event["kind"] == "job_judged" && event["verdict"] == "pass").count();
    assert_eq!(judged, 2, "{}", ended.out);
    assert!(ended.out.contains("STF-A") && ended.out.contains("STF-B"), "{}", ended.out);
    let mut history = farm.history();
    history.sort();
    assert_eq!(history, ["book STF-A", "book STF-B", "release STF-A", "release STF-B"]);
    // adb knows none of them any more.
    let left = farm.run(&["devices", "--who"]);
    assert_eq!((left.code, &*left.out), (0, "STF-A  free\nSTF-B  free\n"), "{}", left.err);
    let mut check = farmjank(farm.folder.path());
    check.args(["plugin", "check", "python3", &example("stf.py"), &farm.stf.url, "--adb-key", "none"]);
    let checked = crate::world::ended(check.env("STF_TOKEN", TOKEN));
    assert!(
        checked.code == 0 && checked.out.ends_with("5 of 5 rules kept\n"),
        "{}{}",
        checked.out,
        checked.err
    );
    assert!(checked.out.contains("pass  lists phones, lends one that is free"), "{}", checked.out);
    assert_eq!(farm.history(), ["book STF-A", "release STF-A"]);
    // The token stands nowhere.
    for file in crate::world::files_below(&farm.folder.path().join("out")) {
        let held = crate::world::held(&file);
        assert!(!String::from_utf8_lossy(&held).contains(TOKEN), "{}", file.display());
    }

    farm.stf.inside().model.owners.insert("STF-A".to_owned(), "alice@example.com\u{1b}[31m".to_owned());
    let who = farm.run(&["devices", "--who"]);
    assert_eq!(who.out, "STF-A  booked by alice@example.com\\u{1b}[31m\nSTF-B  free\n", "{}", who.err);
    let ended = farm.run(&RUN);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("STF-A is booked by alice@example.com"), "{}", ended.out);
    assert_eq!(farm.history(), ["book STF-B", "release STF-B"]);
    let plan = farm.run(&["plan", "s.yaml", "-s", "STF-B"]);
    assert_eq!(plan.code, 0, "{}{}", plan.out, plan.err);
    assert_eq!(farm.history(), ["book STF-B", "release STF-B"], "what only looks gives back, too");
}

#[test]
fn a_booking_that_is_lost_a_server_that_falls_over_and_a_token_that_is_none_are_told_and_never_green() {
    let Some(farm) = Farm::new() else { return };
    // It books, falls over and connects nobody: one more look says that the phone is ours.
    farm.stf.plan(
        |seen| seen.method == "POST" && seen.path.ends_with("/user/devices"),
        Fault::DoneAndStatus(500),
    );
    farm.stf.plan(|seen| seen.path.ends_with("remoteConnect"), Fault::Status(500, Vec::new()));
    let ended = farm.run(&[&RUN[..], &["-s", "STF-A"]].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    farm.stf.all_faults_happened();
    assert_eq!(farm.history(), ["book STF-A", "release STF-A"]);

    // Somebody else has the phone in the middle of the job: nothing is done on it from there on.
    farm.stf.inside().model.renewals = Some(3);
    let long = ["--iterations", "40", "--retries", "0", "-s", "STF-A"];
    let ended = ended_soon(farm.command(&[&RUN[..], &long].concat(), "--timeout 3"));
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    let told = "plugin stf does not lend STF-A any more: its booking is over: POST /user/devices/STF-A/remoteConnect: 403";
    assert!(farm.log().iter().any(|event| event.to_string().contains(told)), "{}", ended.out);
    assert!(!ended.out.contains('\u{1b}'));
    assert_eq!(farm.history(), ["book STF-A"]);

    farm.stf.inside().model.owners.clear();
    let mut command = farm.command(&RUN, "");
    let refused = super::super::world::ended(command.env("STF_TOKEN", "old"));
    assert_eq!(refused.code, 3, "{}{}", refused.out, refused.err);
    let told = "its last words: stf.py: GET /user: 401 Bad Credentials";
    assert!(farm.log().iter().any(|event| event.to_string().contains(told)), "{}", refused.out);
    farm.stf.inside().model.privilege = "admin";
    let refused = farm.run(&["devices"]);
    assert!(refused.out.contains("the token is of an administrator"), "{}{}", refused.out, refused.err);
}

fn ended_soon(mut command: Command) -> Ended {
    let begun = Instant::now();
    let done = ended(&mut command);
    assert!(begun.elapsed().as_secs() < 100, "{:?}", begun.elapsed());
    done
}

/// What a run on the phone of `lender.py` comes to, and what that wrote down.
fn lent(farm: &Farm, way: &str, more: &[&str], signal: Option<&str>) -> (Ended, String) {
    let ledger = farm.folder.path().join("ledger");
    let _ = std::fs::remove_file(&ledger);
    let _ = std::fs::remove_dir_all(farm.folder.path().join("out"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/plugins/lender.py");
    let (port, serial) = (farm.adb.port, &farm.lab.daemons[0]);
    let plugin = format!("shelf=python3 '{}' {port} {serial} '{}' {way}", script.display(), ledger.display());
    let mut command = farmjank(farm.folder.path());
    command.args(RUN).args(["--plugin", &plugin, "-s", "SHELF-1", "--retries", "0"]).args(more);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    if let Some(signal) = signal {
        let begun = Instant::now();
        let log = farm.folder.path().join("out/events.ndjson");
        while !std::fs::read_to_string(&log).unwrap_or_default().contains("\"sample_taken\"") {
            assert!(begun.elapsed().as_secs() < 60, "nothing is measured");
            std::thread::sleep(Duration::from_millis(50));
        }
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(killed.success() && child.try_wait().expect("a child").is_none());
    }
    let done = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // Interrupted, it ends by the signal itself, which shells tell as 130.
    let code = done.status.code().unwrap_or(130);
    let ended = Ended { code, out: text(&done.stdout), err: text(&done.stderr) };
    (ended, std::fs::read_to_string(&ledger).unwrap_or_default())
}

#[test]
fn a_phone_of_an_adb_server_is_given_back_after_an_interrupt_and_one_whose_plugin_dies_or_is_slow_is_never_green()
 {
    let Some(farm) = Farm::new() else { return };
    farm.adb.connect(&farm.lab.daemons[..1]);
    let (ended, ledger) = lent(&farm, "", &[], None);
    assert_eq!((ended.code, &*ledger), (0, "take\nreturn\nleaves\n"), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("SHELF-1"), "{}", ended.out);
    let (ended, ledger) = lent(&farm, "", &["--iterations", "40"], Some("-INT"));
    assert_eq!((ended.code, &*ledger), (130, "take\nreturn\nleaves\n"), "{}{}", ended.out, ended.err);
    for (way, words) in [
        ("dies", "plugin shelf, which lends the phone, failed: it ended"),
        ("'is slow'", "plugin shelf did not answer within 3 s whether it takes SHELF-1"),
    ] {
        let (ended, _) = lent(&farm, way, &["--iterations", "40"], None);
        assert_eq!(ended.code, 3, "{way}: {}{}", ended.out, ended.err);
        assert!(farm.log().iter().any(|event| event.to_string().contains(words)), "{way}: {}", ended.out);
    }
}
