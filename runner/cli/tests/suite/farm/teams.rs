//! Teams that share the phones of a computer, each with an agent of its own there.

use super::{Agents, agent, spawned, waited};
use crate::world::{Lab, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

fn over(folder: &Path, url: &str, team: &str, more: &[&str]) -> Command {
    let mut command = farmjank(folder);
    command.args(["run", "both", "--farm", url, "--team", team, "--wait-for-devices", "60s", "--no-history"]);
    command.args(["--out", team]).args(more);
    command
}

fn log(folder: &Path, team: &str) -> String {
    std::fs::read_to_string(folder.join(team).join("events.ndjson")).unwrap_or_default()
}

/// Two scenarios, and phones behind adb of which each team has an agent.
fn shared(folder: &Path, url: &str, phones: usize, pay: &[&str]) -> (Lab, Agents) {
    std::fs::create_dir(folder.join("both")).expect("a folder");
    for name in ["first", "second"] {
        let text = SMOOTH.replacen("name: ", &format!("name: {name} "), 1);
        write(folder, &format!("both/{name}.yaml"), &text);
    }
    let all = "{ archetype: pixel-6 }, ".repeat(phones);
    let lab = write(folder, "rack.yaml", &format!("name: rack\nphones: [ {all} ]\n"));
    let lab = Lab::serve(folder, &lab, phones, &folder.join("truth.json"));
    let adb = lab.socket.strip_prefix("tcp:").expect("a socket").to_owned();
    let of = |team: &str, more: &[&str]| {
        agent(folder, url, &format!("rack-{team}"), &[&["--adb", &adb, "--team", team], more].concat())
    };
    let agents = Agents(vec![of("web", &[]), of("pay", pay)]);
    (lab, agents)
}

fn later(mut one: Command) -> Child {
    std::thread::sleep(Duration::from_secs(4));
    one.stdin(std::process::Stdio::null());
    spawned(one)
}

#[test]
fn runs_of_two_teams_take_turns_on_a_phone_and_each_team_sees_its_own_agent_alone() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    let _rack = shared(folder, &url, 1, &[]);
    let web = spawned(over(folder, &url, "web", &[]));
    let pay = later(over(folder, &url, "pay", &[]));
    let (web, pay) = (waited(web), waited(pay));
    for (run, team) in [(&web, "web"), (&pay, "pay")] {
        assert_eq!(run.code, 0, "{team}: {}{}", run.out, run.err);
        assert!(run.out.contains("2 passed"), "{}", run.out);
    }
    let own = log(folder, "web");
    assert!(own.contains("of team pay") && own.contains("whose turn it is"), "{own}");
    for team in ["web", "pay"] {
        let status = ended(farmjank(folder).args(["farm", "status", "--farm", &url, "--team", team]));
        let hosts: BTreeSet<&str> = status.out.lines().filter(|line| line.starts_with("rack-")).collect();
        assert!(
            hosts.len() == 1 && status.out.starts_with(&format!("rack-{team}: 1 phone, ")),
            "{}",
            status.out
        );
    }
}

#[test]
fn a_team_has_as_many_phones_of_a_host_as_its_agent_is_told_and_status_says_so() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    let _rack = shared(folder, &url, 2, &["--team-phones", "1", "--run-phones", "1"]);
    let pay = ended(&mut over(folder, &url, "pay", &[]));
    assert_eq!(pay.code, 0, "{}{}", pay.out, pay.err);
    let own = log(folder, "pay");
    let why = "has 1 of this host's phones, as many as one run may have; waiting";
    assert!(own.contains(why), "{}", pay.err);
    // One after the other.
    let mut had = 0;
    for line in own.lines() {
        match line {
            line if line.contains("\"lease_granted\"") => had += 1,
            line if line.contains("\"lease_returned\"") => had -= 1,
            _ => {}
        }
        assert!((0..=1).contains(&had), "two phones at once");
    }
    assert_eq!(own.matches("\"lease_granted\"").count(), 4, "two scenarios on two phones");
    let status = ended(farmjank(folder).args(["farm", "status", "--farm", &url, "--team", "pay"]));
    let told = "rack-pay: 2 phones (at most 1 at once for the team, at most 1 at once for a run), ";
    assert!(status.out.starts_with(told), "{}", status.out);
}

#[test]
fn a_quota_is_for_phones_and_at_least_one() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, why) in [
        (&["--team-phones", "0"][..], "0 is not in 1.."),
        (&["--run-phones", "2", "--lab", "demo"][..], "cannot be used with"),
    ] {
        let mut command = farmjank(folder.path());
        command.args(["agent", "--farm", "nats://127.0.0.1:9", "--host", "rack"]).args(words);
        let refused = ended(&mut command);
        assert!(refused.code == 2 && refused.err.contains(why), "{} {}", refused.code, refused.err);
    }
}
