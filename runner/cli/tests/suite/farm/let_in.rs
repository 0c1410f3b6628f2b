//! Who is let into a farm and who is not, in words that say whose fault it is and what to do; and no key is ever shown.

use super::{Agents, LAB, over, spawned, waited};
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;
use std::time::{Duration, Instant};

/// A farm of two teams in a folder, and its server.
fn farm(folder: &Path) -> Option<NatsServer> {
    let made = ["farm", "init", "farm", "--name", "farm.example", "--hosts", "left"];
    assert_eq!(ended(farmjank(folder).args(made)).code, 0);
    assert_eq!(
        ended(farmjank(folder).args(["farm", "init", "farm", "--team", "web", "--hosts", "other"])).code,
        0
    );
    NatsServer::configured(&folder.join("farm/server"))
}

const CA: [&str; 2] = ["--farm-ca", "farm/authority.pem"];

fn status(folder: &Path, url: &str, more: &[&str]) -> Ended {
    ended(farmjank(folder).args(["farm", "status", "--farm", url]).args(more))
}

#[test]
fn a_key_in_the_place_of_its_file_is_refused_and_shown_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some(server) = farm(folder) else { return };
    let seed = std::fs::read_to_string(folder.join("farm/teams/main/run.nk")).expect("a key");
    let seed = seed.trim();
    let by_flag = status(folder, &server.url(), &["--farm-secret", seed]);
    write(folder, "s.yaml", SMOOTH);
    let mut by_environment = over(folder, &server.url(), &LAB);
    let by_environment = ended(by_environment.env("FARMJANK_FARM_SECRET_FILE", seed));
    write(
        folder,
        "farmjank.toml",
        &format!("[default]\nfarm = \"{}\"\nfarm-secret = \"{seed}\"\n", server.url()),
    );
    let shown = ended(farmjank(folder).args(["config", "show", "run"]));
    for told in [&by_flag, &by_environment, &shown] {
        assert_eq!(told.code, 2, "{}{}", told.out.replace(seed, "SEED"), told.err.replace(seed, "SEED"));
        assert!(!told.out.contains(seed) && !told.err.contains(seed), "it is shown");
        assert!(told.err.contains("that is a key itself"), "{}", told.err);
        assert!(told.err.contains("--rotate"), "{}", told.err);
    }
}

#[test]
fn who_is_not_let_in_is_told_whose_fault_that_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some(server) = farm(folder) else { return };
    let url = server.url();
    write(folder, "none.pem", "nothing\n");
    let nobody = status(folder, &url, &CA);
    let gone = status(folder, &url, &["--farm-ca", "nope.pem"]);
    let none = status(folder, &url, &["--farm-ca", "none.pem"]);
    let no_key = status(folder, &url, &["--farm-secret", "none.pem"]);
    let by_environment = |secret: &str| {
        let mut asked = farmjank(folder);
        ended(asked.env("FARMJANK_FARM_SECRET", secret).args(["farm", "status", "--farm", &url]).args(CA))
    };
    let (torn, of_fork) = (by_environment("SUAB"), by_environment(""));
    assert!(!torn.err.contains("SUAB"), "it is shown");
    for (told, words) in [
        (&no_key, "--farm-secret: what is in none.pem is no key"),
        (&torn, "FARMJANK_FARM_SECRET: its text is no key"),
        (&of_fork, "no key was given"),
        (&nobody, "the farm asks who comes, and no key was given"),
        (&gone, "--farm-ca: nope.pem: "),
        (&none, "no certificate is in it"),
    ] {
        assert!(told.code == 2 && told.err.contains(words), "{} {}", told.code, told.err);
    }
    assert!(nobody.err.contains("FARMJANK_FARM_SECRET") && nobody.err.contains("forks"), "{}", nobody.err);
    // An agent with somebody else's key ends, for a service that is green and measures nothing helps nobody.
    let keeper = ["farm", "doctor", "--farm", &url, "--role", "keeper", "--farm-secret", "farm/keeper.nk"];
    assert_eq!(ended(farmjank(folder).args(keeper).args(CA)).code, 0);
    let agent = [
        "agent",
        "--farm",
        &url,
        "--host",
        "other",
        "--lab",
        "demo",
        "--farm-secret",
        "farm/hosts/left/agent.nk",
    ];
    let mut command = farmjank(folder);
    command.args(agent).args(CA);
    let mut agent = spawned(command);
    let until = Instant::now() + Duration::from_secs(60);
    while agent.try_wait().expect("ours").is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(agent.kill());
    let agent = waited(agent);
    assert_eq!(agent.code, 3, "{}", agent.err);
    assert!(agent.err.contains("the key is to be that of host other of team main"), "{}", agent.err);
}

#[cfg(unix)]
#[test]
fn a_key_that_everybody_may_read_is_used_and_told_of() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some(server) = farm(folder) else { return };
    let key = "farm/teams/main/run.nk";
    let secret = [&CA[..], &["--farm-secret", key]].concat();
    let run = [&["doctor", "--role", "run"][..], &secret].concat();
    let doctor = || ended(farmjank(folder).args(["farm"]).args(&run).args(["--farm", &server.url()]));
    assert!(!doctor().err.contains("everybody"), "{}", doctor().err);
    std::fs::set_permissions(folder.join(key), std::fs::Permissions::from_mode(0o644)).expect("ours");
    let told = doctor();
    assert_eq!(told.code, 0, "{}{}", told.out, told.err);
    assert!(told.err.contains("everybody on this computer may read farm/teams/main/run.nk"), "{}", told.err);
}

#[test]
fn who_finds_no_host_is_told_which_there_are() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    write(folder, "s.yaml", SMOOTH);
    let _agents = Agents::of_lab(folder, &url, 1);
    let there = ended(&mut over(folder, &url, &[&LAB[..], &["--iterations", "1", "--out", "out"]].concat()));
    assert_eq!(there.code, 0, "{}{}", there.out, there.err);
    assert!(
        there.err.contains("lab-rack-seed7 is called ") && there.err.contains(" on the farm"),
        "{}",
        there.err
    );
    let name = there.err.split(" is called ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a name");
    let over = ended(farmjank(folder).args(["farm", "cancel", name, "--farm", &url]));
    assert!(over.out.contains("is over; there is nothing to stop"), "{}{}", over.out, over.err);
    let now = |more: &[&str]| {
        let mut command = farmjank(folder);
        command.args(["run", "s.yaml", "--farm", &url, "--no-history", "--out", "other", "--overwrite"]);
        ended(command.args(more))
    };
    let other = now(&["--lab", "demo"]);
    let words = "no host of team main plays the lab demo with seed ";
    assert!(other.err.contains("there are host-1-of-1 (lab rack, seed 7)"), "{}", other.err);
    assert!(other.code == 3 && other.err.contains(words), "{} {}", other.code, other.err);
    let team = now(&["--team", "web"]);
    let words = "no host of team web has phones: no host of the team is there";
    assert!(team.code == 3 && team.err.contains(words), "{} {}", team.code, team.err);
}
