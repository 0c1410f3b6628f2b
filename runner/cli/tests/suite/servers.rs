//! Phones of several adb servers: one that does not answer is told, a serial that two phones share is refused.

use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::ports::free_port;
use serde_json::Value;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// Nobody listens there.
const DEAD: &str = "127.0.0.1:1";

fn lab(folder: &Path, name: &str, serial: &str) -> Lab {
    let text = format!("name: {name}\nphones: [ {{ archetype: pixel-6, serial: {serial} }} ]\n");
    let file = write(folder, &format!("{name}.yaml"), &text);
    Lab::serve(folder, &file, 1, &folder.join(format!("{name}.json")))
}

fn address(lab: &Lab) -> &str {
    lab.socket.strip_prefix("tcp:").expect("a socket")
}

fn farmjank_on(folder: &Path, servers: &[&str], args: &[&str]) -> Ended {
    let mut command = farmjank(folder);
    command.args(args).args(servers.iter().flat_map(|server| ["--adb", server]));
    ended(&mut command)
}

fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).expect("it was written")
}

#[test]
fn a_server_that_does_not_answer_is_never_green() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let lab = lab(folder, "one", "S1");
    write(folder, "s.yaml", SMOOTH);
    let servers = [address(&lab), DEAD];
    let listed = farmjank_on(folder, &servers, &["devices"]);
    assert!(listed.out.contains("S1") && listed.out.contains("127.0.0.1:1 are unknown"), "{}", listed.out);

    let of = |args: &[&str]| {
        farmjank_on(folder, &servers, &[&["run", "s.yaml", "--iterations", "1", "-q"], args].concat())
    };
    let ended = of(&["--out", "both"]);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("1 broken, 1 passed") && ended.out.contains(DEAD), "{}", ended.out);
    let junit = read(folder, "both/junit.xml");
    assert!(junit.contains("infra.no_server") && junit.contains(DEAD), "{junit}");

    let ended = of(&["--out", "without", "--allow-missing"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("1 phone not measured (--allow-missing)"), "{}", ended.out);
    let results: Value = serde_json::from_str(&read(folder, "without/results.json")).expect("json");
    assert_eq!(results["absent"][0]["device"], DEAD, "{}", results["absent"]);

    let ended = of(&["--out", "named", "-s", "S1"]);
    assert_eq!(ended.code, 0, "the phone that is named answers: {}{}", ended.out, ended.err);
    let ended = of(&["--out", "elsewhere", "-s", "S2"]);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("as far as the adb servers"), "{}", ended.out);
}

#[test]
fn a_serial_that_two_phones_share_is_refused_until_one_is_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (one, two) = (lab(folder, "one", "S1"), lab(folder, "two", "S1"));
    write(folder, "s.yaml", SMOOTH);
    let servers = [address(&one), address(&two)];
    let args = ["run", "s.yaml", "--iterations", "1", "--out", "both"];
    let ended = farmjank_on(folder, &servers, &args);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    let log = read(folder, "both/events.ndjson");
    assert!(log.contains("device_ambiguous") && servers.iter().all(|server| log.contains(server)), "{log}");
    assert!(!log.contains("lease_granted"), "nothing is measured on a phone nobody meant");
    let args = ["run", "s.yaml", "--iterations", "1", "--out", "first", "-s", "S1"];
    assert_eq!(farmjank_on(folder, &servers, &args).code, 3, "its serial does not say which");
    assert_eq!(farmjank_on(folder, &servers[..1], &args[..5]).code, 2, "there is a run in `both`");
    let ended =
        farmjank_on(folder, &servers[1..], &["run", "s.yaml", "--iterations", "1", "--out", "second"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
}

/// The phones with cells in a bundle.
fn measured(folder: &Path, bundle: &str) -> Vec<String> {
    let results: Value =
        serde_json::from_str(&read(folder, &format!("{bundle}/results.json"))).expect("json");
    let cells = results["cells"].as_array().expect("cells");
    let mut all: Vec<String> =
        cells.iter().filter_map(|cell| Some(cell["device"].as_str()?.to_owned())).collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn phones_of_one_serial_with_names_are_two_phones_and_each_is_in_one_run_whatever_it_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (one, two) = (lab(folder, "one", "S1"), lab(folder, "two", "S1"));
    write(folder, "s.yaml", SMOOTH);
    let (left, right) = (address(&one), address(&two));
    let inventory = format!(
        "adb: [ '{left}', '{right}' ]\nphones:\n  - {{ serial: S1, server: '{left}', name: left, tags: old }}\n  \
         - {{ serial: S1, server: '{right}', name: right }}\n"
    );
    write(folder, "farm.yaml", &inventory);
    let claims = folder.join("claims");
    let of = |args: &[&str]| {
        let mut command = farmjank(folder);
        command.args(args).env("FARMJANK_CLAIMS", &claims);
        command
    };
    let named = ["--inventory", "farm.yaml"];
    let listed = ended(&mut of(&[&["devices"][..], &named].concat()));
    for line in [
        format!("left is S1 on the adb server at {left}, tags old"),
        format!("right is S1 on the adb server at {right}"),
    ] {
        assert!(listed.out.contains(&line), "{line}: {}", listed.out);
    }
    let run = ["run", "s.yaml", "--iterations", "1"];
    let both = ended(&mut of(&[&run[..], &named, &["--out", "both"]].concat()));
    assert_eq!(both.code, 0, "{}{}", both.out, both.err);
    assert_eq!(measured(folder, "both"), ["left", "right"]);
    let tagged =
        ended(&mut of(&[&run[..], &named, &["--out", "tagged", "--device-filter", "tag = old"]].concat()));
    assert_eq!(tagged.code, 0, "{}{}", tagged.out, tagged.err);
    assert_eq!(measured(folder, "tagged"), ["left"]);

    // Whoever names only its server calls it by its serial, and is kept from it all the same.
    let long = ["run", "s.yaml", "--iterations", "200", "--out", "long", "-s", "left"];
    let mut busy =
        of(&[&long[..], &named].concat()).stdout(std::process::Stdio::null()).spawn().expect("it starts");
    let who = || ended(&mut of(&["devices", "--who", "--adb", left])).out;
    let begun = std::time::Instant::now();
    while !who().contains("run") && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(!who().contains("free"), "{}", who());
    let other = ended(&mut of(&[&run[..], &["--adb", left, "--out", "other"]].concat()));
    busy.kill().expect("it runs");
    busy.wait().expect("it ends");
    assert_eq!(other.code, 3, "{}{}", other.out, other.err);
    assert!(read(folder, "other/events.ndjson").contains("device_in_use"), "{}", other.out);
}

/// Lets a server be reached at another address, from some time on.
fn tunnelled(at: SocketAddr, to: &str, after: Duration) {
    let to = to.to_owned();
    std::thread::spawn(move || {
        std::thread::sleep(after);
        let listener = TcpListener::bind(at).expect("the port is still free");
        for mut near in listener.incoming().map_while(Result::ok) {
            let Ok(mut far) = TcpStream::connect(&to) else { continue };
            let (mut back, mut forth) =
                (far.try_clone().expect("a socket"), near.try_clone().expect("a socket"));
            std::thread::spawn(move || std::io::copy(&mut near, &mut far));
            std::thread::spawn(move || std::io::copy(&mut back, &mut forth));
        }
    });
}

#[test]
fn the_only_server_is_waited_for_as_phones_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let lab = lab(folder, "one", "S1");
    let at = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let server = at.to_string();
    let none = farmjank_on(folder, &[&server], &["devices"]);
    assert_eq!(none.code, 3, "{}{}", none.out, none.err);
    assert!(none.err.contains(&format!("no adb server answers at {server}")), "{}", none.err);
    let begun = Instant::now();
    let none = farmjank_on(folder, &[&server], &["devices", "--wait-for-devices", "1s"]);
    assert!(none.code == 3 && begun.elapsed() > Duration::from_secs(1), "{}", none.err);
    tunnelled(at, address(&lab), Duration::from_secs(2));
    let come = farmjank_on(folder, &[&server], &["devices", "--wait-for-devices", "60s"]);
    assert_eq!(come.code, 0, "{}{}", come.out, come.err);
    assert!(come.out.contains("S1"), "{}", come.out);
}
