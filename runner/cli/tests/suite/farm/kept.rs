//! A farm with roles whose store is lost, and one whose run is left and taken up: what needs more than one of the
//! credentials at once.

use super::made::{CA, made};
use super::{Agents, LAB, agent, ended, events, local, over, same, spawned, waited};
use crate::world::{SMOOTH, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;

/// The key of who conducts runs.
pub const RUN: [&str; 2] = ["--farm-secret", "farm/teams/main/run.nk"];

/// Both hosts, with the keys of their own.
pub fn agents(folder: &Path, url: &str) -> Agents {
    let of_host = |host: &str, part: &str| {
        let seed = format!("farm/hosts/{host}/agent.nk");
        agent(folder, url, host, &[&LAB[..], &["--part", part, "--farm-secret", &seed], &CA].concat())
    };
    Agents(vec![of_host("left", "1/2"), of_host("right", "2/2")])
}

#[test]
fn a_store_that_is_lost_is_made_again_by_the_run_for_agents_may_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    made(folder);
    let Some(mut server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let expected = local(folder);
    let agents = agents(folder, &server.url());
    let run = spawned(over(folder, &server.url(), &[&LAB[..], &CA, &RUN, &["--out", "out", "-q"]].concat()));
    events(folder, 60);
    server.kill();
    std::fs::remove_dir_all(server.store()).expect("its store");
    server.again();
    same(folder, &expected, &waited(run));
    drop(agents);
}

#[test]
fn a_run_with_roles_is_left_and_taken_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    made(folder);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let expected = local(folder);
    let agents = agents(folder, &server.url());
    let left = ended(&mut over(folder, &server.url(), &[&LAB[..], &CA, &RUN, &["--detach"]].concat()));
    assert_eq!(left.code, 0, "{}{}", left.out, left.err);
    let run = left.out.trim();
    let mut command = farmjank(folder);
    command.args(["run", "--attach", run, "--farm", &server.url(), "--out", "out", "-q", "--no-history"]);
    same(folder, &expected, &ended(command.args(CA).args(RUN)));
    drop(agents);
}
