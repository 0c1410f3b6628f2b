//! Phones that plugins lend to an agent of a farm: booked while a run has them, by however many runs at once.

use super::lent::Farm;
use crate::world::{SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Agent {
    fn of(mut command: Command, folder: &Path) -> Agent {
        let log = std::fs::File::options().create(true).append(true).open(folder.join("agent.log"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.expect("a file"));
        Agent(command.spawn().expect("it starts"))
    }

    /// Ends as it is told to; its exit code.
    fn ends(&mut self) -> Option<i32> {
        let until = Instant::now() + Duration::from_secs(90);
        while Instant::now() < until {
            if let Some(status) = self.0.try_wait().expect("ours") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

const AGENT: [&str; 5] = ["agent", "--host", "shelf", "--state", "state"];

fn over(folder: &Path, url: &str, args: &[&str]) -> Command {
    let mut command = farmjank(folder);
    command.args(["run", "s.yaml", "--farm", url, "--wait-for-devices", "60s", "--no-history"]).args(args);
    command
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("agent.log")).unwrap_or_default()
}

#[test]
fn phones_of_stf_are_booked_while_a_run_of_the_farm_has_them_and_free_in_between() {
    let (Some(farm), Some(server)) = (Farm::new(), NatsServer::start("")) else { return };
    let (folder, url) = (farm.folder.path(), server.url());
    let agent = farm.command(&[&AGENT[..], &["--farm", &url]].concat(), "");
    let mut agent = Agent::of(agent, folder);
    let run = ended(&mut over(folder, &url, &["--out", "out"]));
    assert_eq!(run.code, 0, "{}{}{}", run.out, run.err, log(folder));
    assert!(run.out.contains("STF-A") && run.out.contains("STF-B"), "{}", run.out);
    // They were asked what they are, and measured.
    let mut history = farm.history();
    history.sort();
    assert_eq!(
        history,
        [
            "book STF-A",
            "book STF-A",
            "book STF-B",
            "book STF-B",
            "release STF-A",
            "release STF-A",
            "release STF-B",
            "release STF-B"
        ]
    );
    // Two runs take turns on one, and neither gives it back under the other's feet.
    let both: Vec<Child> = [("nightly", "one"), ("gate", "two")]
        .into_iter()
        .map(|(priority, out)| {
            let more = ["-s", "STF-A", "--iterations", "4", "--priority", priority, "--out", out];
            let mut run = over(folder, &url, &more);
            run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let run = run.spawn().expect("it starts");
            std::thread::sleep(Duration::from_secs(3));
            run
        })
        .collect();
    for run in both {
        let output = run.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{told}{}", log(folder));
    }
    let history = farm.history();
    let booked = history.iter().filter(|what| *what == "book STF-A").count();
    assert!(booked >= 1 && history.len() == 2 * booked, "{history:?}");
    // Somebody else has one: a run goes without it, and says who.
    farm.stf.inside().model.owners.insert("STF-B".to_owned(), "alice@example.com".to_owned());
    let until = Instant::now() + Duration::from_secs(60);
    while !ended(farmjank(folder).args(["farm", "phones", "--farm", &url])).out.contains("alice@example.com")
    {
        assert!(Instant::now() < until, "{}", log(folder));
        std::thread::sleep(Duration::from_millis(500));
    }
    let without = ended(&mut over(folder, &url, &["--out", "three"]));
    assert!(
        without.out.contains("device_booked") || without.err.contains("alice"),
        "{}{}",
        without.out,
        without.err
    );
    Command::new("kill").args(["-TERM", &agent.0.id().to_string()]).status().expect("kill runs");
    assert_eq!(agent.ends(), Some(0), "{}", log(folder));
    farm.history();
}

fn lender(farm: &Farm, url: &str, way: &str) -> Command {
    let folder = farm.folder.path();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/plugins/lender.py");
    let (port, serial, ledger) = (farm.adb.port, &farm.lab.daemons[0], folder.join("ledger"));
    let plugin = format!("shelf=python3 '{}' {port} {serial} '{}' {way}", script.display(), ledger.display());
    let mut command = farmjank(folder);
    command.args(AGENT).args(["--farm", url, "--plugin", &plugin, "--adb", &format!("127.0.0.1:{port}")]);
    command
}

#[test]
fn an_agent_whose_plugin_dies_ends_and_the_next_one_goes_on_with_its_run() {
    let (Some(farm), Some(server)) = (Farm::new(), NatsServer::start("")) else { return };
    let (folder, url) = (farm.folder.path(), server.url());
    farm.adb.connect(&farm.lab.daemons);
    write(folder, "s.yaml", &SMOOTH.replace("iterations: 2", "iterations: 8"));
    let mut agent = Agent::of(lender(&farm, &url, "dies"), folder);
    let mut run = over(folder, &url, &["-s", "SHELF-1", "--out", "out"]);
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = run.spawn().expect("it starts");
    assert_eq!(agent.ends(), Some(3), "{}", log(folder));
    assert!(log(folder).contains("plugin shelf, which lends phones, failed"), "{}", log(folder));
    let _agent = Agent::of(lender(&farm, &url, ""), folder);
    let output = run.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}{}", log(folder));
    let said = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    let ended = |how: &str| {
        said.lines().filter(|line| line.contains("\"trial_finished\"") && line.contains(how)).count()
    };
    // What the first agent measured is not measured again.
    assert_eq!(ended("\"completed\""), 8, "{told}");
    let ledger = std::fs::read_to_string(folder.join("ledger")).expect("it writes down");
    let (taken, returned) = (ledger.matches("take").count(), ledger.matches("return").count());
    assert!(taken > returned && ledger.contains("return"), "{ledger}");
}

#[test]
fn a_plugin_that_lends_nothing_is_no_plugin_of_an_agent() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (plugin, lab, code, why) in [
        ("x=cat", false, 2, "an agent has plugins for phones that they lend"),
        ("x=cat", true, 2, "--lab"),
        ("x", false, 2, "has no name"),
    ] {
        let mut command = farmjank(folder.path());
        command.args(AGENT).args(["--farm", &server.url(), "--plugin", plugin]);
        command.args(if lab { &["--lab", "demo"][..] } else { &[] });
        let refused = ended(&mut command);
        assert!(
            refused.code == code && refused.err.contains(why),
            "{plugin} {lab}: {} {}",
            refused.code,
            refused.err
        );
    }
}
