//! Runs over the hosts of a farm, with a real NATS server between real processes: what a local run leaves, they leave,
//! whatever dies meanwhile.

mod bucket;
mod deadline;
mod evidence;
#[cfg(target_os = "linux")]
mod freed;
#[cfg(target_os = "linux")]
mod kept;
mod let_in;
mod listed;
#[cfg(target_os = "linux")]
mod made;
mod methods;
mod queue;
mod read;
mod room;
mod service;
mod taken_up;
mod teams;
mod told;
mod turns;
#[cfg(target_os = "linux")]
mod well;

use crate::installed::build;
use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, files_below, write};
use farmjank_witnesses::nats::NatsServer;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Sixteen phones in eight shards.
const LAB: [&str; 4] = ["--lab", "rack", "--seed", "7"];

/// Processes that end with the test.
struct Agents(Vec<Child>);

impl Drop for Agents {
    fn drop(&mut self) {
        for agent in &mut self.0 {
            drop(agent.kill());
            drop(agent.wait());
        }
    }
}

impl Agents {
    fn of_lab(folder: &Path, url: &str, many: usize) -> Agents {
        Agents((1..=many).map(|part| of_part(folder, url, part, many)).collect())
    }

    /// They say that they leave: the next ones need not wait for the end of a term.
    fn leave(mut self) {
        for agent in &self.0 {
            Command::new("kill").args(["-TERM", &agent.id().to_string()]).status().expect("kill runs");
        }
        for mut agent in std::mem::take(&mut self.0) {
            assert!(agent.wait().expect("it ends").success(), "an agent that is told to end ends well");
        }
    }

    /// As a power cut ends it; the service begins it again.
    fn again(&mut self, number: usize, agent: impl FnOnce() -> Child) {
        self.0[number].kill().expect("it was there");
        self.0[number].wait().expect("it was ours");
        self.0[number] = agent();
    }
}

/// A host called `rack`, with one phone behind adb, and the scenario beside it. It is there until it is dropped.
struct Rack {
    _agents: Agents,
    _lab: Lab,
    /// Where its phone is, as `--adb` takes it.
    adb: String,
}

impl Rack {
    fn of_one(folder: &Path, url: &str) -> Rack {
        write(folder, "s.yaml", SMOOTH);
        let lab = write(folder, "one.yaml", "name: one\nphones: [ { archetype: pixel-6 } ]\n");
        let lab = Lab::serve(folder, &lab, 1, &folder.join("truth.json"));
        let adb = lab.socket.strip_prefix("tcp:").expect("a socket").to_owned();
        let agents = Agents(vec![agent(folder, url, "rack", &["--adb", &adb])]);
        Rack { _agents: agents, _lab: lab, adb }
    }
}

fn agent(folder: &Path, url: &str, host: &str, more: &[&str]) -> Child {
    let mut command = farmjank(folder);
    let state = format!("state-{host}");
    command.args(["agent", "--farm", url, "--host", host, "--state", &state]).args(more);
    bucket::logged(folder, host, command)
}

fn of_part(folder: &Path, url: &str, part: usize, many: usize) -> Child {
    let part = format!("{part}/{many}");
    agent(
        folder,
        url,
        &format!("host-{}", part.replace('/', "-of-")),
        &[&LAB[..], &["--part", &part]].concat(),
    )
}

fn over(folder: &Path, url: &str, args: &[&str]) -> Command {
    let mut command = farmjank(folder);
    command.args(["run", "s.yaml", "--farm", url, "--wait-for-devices", "60s", "--no-history"]).args(args);
    command
}

/// Every file of a run's folder.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
    let files = files_below(root).into_iter();
    files.map(|path| (name(&path), std::fs::read(&path).expect("a file"))).collect()
}

/// What a run of this computer leaves.
fn local(folder: &Path) -> (i32, BTreeMap<String, Vec<u8>>) {
    let run = ended(farmjank(folder).args(["run", "s.yaml", "--out", "out", "-q"]).args(LAB));
    let left = tree(&folder.join("out"));
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    (run.code, left)
}

/// Waits until the run wrote so many events.
fn events(folder: &Path, many: usize) {
    let until = Instant::now() + Duration::from_secs(120);
    let log = folder.join("out/events.ndjson");
    while std::fs::read_to_string(&log).unwrap_or_default().lines().count() < many {
        assert!(Instant::now() < until, "the run says nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn same(folder: &Path, expected: &(i32, BTreeMap<String, Vec<u8>>), run: &Ended) {
    assert_eq!(run.code, expected.0, "{}{}", run.out, run.err);
    let left = tree(&folder.join("out"));
    let (names, wanted): (Vec<&String>, Vec<&String>) = (left.keys().collect(), expected.1.keys().collect());
    assert_eq!(names, wanted, "{}", run.err);
    let other: Vec<&String> = left.keys().filter(|name| left[*name] != expected.1[*name]).collect();
    assert!(other.is_empty(), "not byte for byte as here: {other:?}");
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
}

fn spawned(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn waited(child: Child) -> Ended {
    let output = child.wait_with_output().expect("it ends");
    Ended {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_run_over_hosts_leaves_what_a_run_here_leaves_however_many_they_are() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let expected = local(folder);
    assert!(expected.1.len() > 60, "events, reports and evidence");
    for many in [1, 3, 8] {
        let agents = Agents::of_lab(folder, &server.url(), many);
        let run = ended(&mut over(folder, &server.url(), &[&LAB[..], &["--out", "out", "-q"]].concat()));
        same(folder, &expected, &run);
        agents.leave();
    }
}

#[test]
fn a_build_travels_to_every_host_and_what_is_measured_is_what_is_measured_here() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    // Of several parts, as builds are.
    build(folder, "new.apk", &format!("# {}\n", "of many bytes ".repeat(100_000)));
    let brings = [&LAB[..], &["--install", "new.apk", "--out", "out", "-q"]].concat();
    let here = ended(farmjank(folder).args(["run", "s.yaml"]).args(&brings));
    let expected = (here.code, tree(&folder.join("out")));
    let log = String::from_utf8_lossy(&expected.1["events.ndjson"]).into_owned();
    assert_eq!(log.matches("\"app_installed\"").count(), 16, "once on each phone");
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let _agents = Agents::of_lab(folder, &server.url(), 2);
    for _ in 0..2 {
        let run = ended(&mut over(folder, &server.url(), &brings));
        same(folder, &expected, &run);
    }
    // Whoever takes such a run up has no build.
    let begun = ended(&mut over(folder, &server.url(), &[&brings[..6], &["--detach"]].concat()));
    assert_eq!(begun.code, 0, "{}", begun.err);
    let mut attach = farmjank(folder);
    attach.args([
        "run",
        "--farm",
        &server.url(),
        "--attach",
        begun.out.trim(),
        "--out",
        "out",
        "-q",
        "--no-history",
    ]);
    same(folder, &expected, &ended(&mut attach));
}

#[test]
fn a_store_that_is_lost_in_the_middle_costs_time_and_nothing_else() {
    let Some(mut server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let expected = local(folder);
    let agents = Agents::of_lab(folder, &server.url(), 2);
    let run = spawned(over(folder, &server.url(), &[&LAB[..], &["--out", "out", "-q"]].concat()));
    events(folder, 60);
    server.kill();
    std::fs::remove_dir_all(server.store()).expect("its store");
    server.again();
    same(folder, &expected, &waited(run));
    drop(agents);
}

#[test]
fn an_agent_that_dies_and_begins_again_changes_no_byte() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let expected = local(folder);
    let mut agents = Agents::of_lab(folder, &server.url(), 2);
    let run = spawned(over(folder, &server.url(), &[&LAB[..], &["--out", "out", "-q"]].concat()));
    events(folder, 30);
    agents.again(1, || of_part(folder, &server.url(), 2, 2));
    same(folder, &expected, &waited(run));
}

#[test]
fn attached_phones_go_on_where_they_were_when_their_agent_died() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let lab = write(folder, "two.yaml", "name: two\nphones: [ { archetype: pixel-6, count: 2 } ]\n");
    let lab = Lab::serve(folder, &lab, 2, &folder.join("truth.json"));
    let adb = ["--adb", lab.socket.strip_prefix("tcp:").expect("a socket")];
    let url = server.url();
    let mut agents = Agents(vec![agent(folder, &url, "rack", &adb)]);
    let run = spawned(over(folder, &url, &["--iterations", "3", "--out", "out"]));
    let log = folder.join("out/events.ndjson");
    let finished = || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.lines().filter(|line| line.contains("trial_finished") && line.contains("completed")).count()
    };
    let until = Instant::now() + Duration::from_secs(120);
    while finished() == 0 {
        assert!(Instant::now() < until, "nothing was measured");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kept = finished();
    agents.again(0, || agent(folder, &url, "rack", &adb));
    let run = waited(run);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("2 passed"), "{}", run.out);
    let text = std::fs::read_to_string(&log).expect("a log");
    let ended =
        |how: &str| text.lines().filter(|line| line.contains("trial_finished") && line.contains(how)).count();
    // Three iterations of each of two phones, none of those that were there measured again.
    assert_eq!((ended("\"completed\""), ended("\"interrupted\"")), (6, 2), "{kept} were there");
    assert_eq!(text.lines().filter(|line| line.contains("\"job_judged\"")).count(), 2);
    assert!(text.contains("the host was cut off"), "{text}");
    // Its log is one that every other command reads.
    let again = ended_report(folder);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert!(again.out.contains("2 passed"), "{}", again.out);
}

fn ended_report(folder: &Path) -> Ended {
    ended(farmjank(folder).args(["report", "out"]))
}

#[test]
fn a_farm_that_is_not_there_or_has_no_phones_is_never_green() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let nowhere =
        ended(farmjank(folder).args(["run", "s.yaml", "--farm", "nats://127.0.0.1:1", "--out", "a"]));
    assert_eq!(nowhere.code, 3, "{}{}", nowhere.out, nowhere.err);
    assert!(nowhere.err.contains("no farm answers at nats://127.0.0.1:1"), "{}", nowhere.err);
    let told =
        ended(farmjank(folder).args(["run", "s.yaml", "--farm", "nats://me:pw@127.0.0.1:1", "--out", "a"]));
    assert_eq!(told.code, 2, "{}", told.err);
    assert!(told.err.contains("holds no password") && !told.err.contains("pw"), "{}", told.err);
    let Some(server) = NatsServer::start("") else { return };
    let empty = ended(farmjank(folder).args(["run", "s.yaml", "--farm", &server.url(), "--out", "b"]));
    assert_eq!(empty.code, 3, "{}{}", empty.out, empty.err);
    assert!(empty.out.contains("no phone is connected"), "{}{}", empty.out, empty.err);
    let nobody = ended(farmjank(folder).args(["farm", "status", "--farm", &server.url()]));
    assert_eq!(nobody.code, 3, "{}", nobody.err);
    assert!(nobody.out.contains("no host is there"), "{}", nobody.out);
    // One half of a lab is not the lab.
    let half = Agents(vec![of_part(folder, &server.url(), 1, 2)]);
    let mut command = farmjank(folder);
    command
        .args(["run", "s.yaml", "--farm", &server.url(), "--wait-for-devices", "5s", "--out", "c"])
        .args(LAB);
    let torn = ended(&mut command);
    assert_eq!(torn.code, 3, "{}{}", torn.out, torn.err);
    assert!(torn.err.contains("the lab rack is not whole on this farm: 1/2"), "{}", torn.err);
    let status = ended(farmjank(folder).args(["farm", "status", "--farm", &server.url()]));
    assert_eq!(status.code, 0, "{}", status.err);
    let (host, phones) = status.out.split_once('\n').expect("lines");
    assert!(
        host.starts_with("host-1-of-2: 8 phones, farmjank ") && host.contains("part 1/2 of the lab rack"),
        "{host}"
    );
    assert!(phones.lines().count() == 8 && phones.contains("Hz"), "{phones}");
    drop(half);
}

#[test]
fn an_interrupted_run_lets_its_hosts_go_and_says_so() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let rack = Rack::of_one(folder, &server.url());
    let run = spawned(over(folder, &server.url(), &["--iterations", "50", "--out", "out"]));
    events(folder, 20);
    Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("kill runs");
    let run = waited(run);
    assert_eq!(run.code, 130, "{}{}", run.out, run.err);
    let text = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    assert!(text.contains("\"interrupted\":\"SIGINT\"") && text.contains("\"lease_returned\""), "{text}");
    let log = std::fs::read_to_string(folder.join("rack.log")).expect("a log");
    assert!(log.contains("done with run"), "{log}");
    drop(rack);
}

#[test]
fn the_page_of_farms_says_what_works() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/farm.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let commands = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("commands");
    let words: Vec<Vec<String>> = commands
        .lines()
        .map(|line| line.replace("nats://127.0.0.1:4222", &server.url()))
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect();
    assert_eq!(words[0][..2], ["nats-server", "-c"]);
    let mut agents = Agents(Vec::new());
    for line in words[1..].iter().filter(|line| line[1] == "agent") {
        let mut command = farmjank(folder);
        command.args(&line[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        agents.0.push(command.spawn().expect("an agent starts"));
    }
    assert_eq!(agents.0.len(), 2);
    let run = words.last().expect("a run");
    let far = ended(farmjank(folder).args(&run[1..]));
    let left = tree(&folder.join("far"));
    std::fs::remove_dir_all(folder.join("far")).expect("a folder");
    assert!(page.contains("`farmjank run --lab rack --out far`"), "what it is held against");
    let here = ended(farmjank(folder).args(["run", "--lab", "rack", "--out", "far"]));
    assert_eq!((here.code, here.out), (far.code, far.out), "{}", here.err);
    assert!([0, 1, 4].contains(&here.code), "phones were measured");
    assert!(left == tree(&folder.join("far")), "byte for byte");
}
