//! Several runs on the phones of one host.

use super::{Agents, agent, events, over, spawned, waited};
use crate::world::{Lab, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;

#[test]
fn a_gate_is_given_the_phone_of_a_sweep_between_two_of_its_iterations() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let lab = write(folder, "one.yaml", "name: one\nphones: [ { archetype: pixel-6 } ]\n");
    let lab = Lab::serve(folder, &lab, 1, &folder.join("truth.json"));
    let adb = ["--adb", lab.socket.strip_prefix("tcp:").expect("a socket")];
    let url = server.url();
    let agents = Agents(vec![agent(folder, &url, "rack", &adb)]);
    let sweep = ["--iterations", "6", "--priority", "nightly", "--out", "out"];
    let sweep = spawned(over(folder, &url, &sweep));
    events(folder, 20);
    let gate = ["--iterations", "1", "--priority", "gate", "--out", "gate"];
    let gate = ended(&mut over(folder, &url, &gate));
    assert_eq!(gate.code, 0, "{}{}", gate.out, gate.err);
    let log = |name: &str| std::fs::read_to_string(folder.join(name).join("events.ndjson")).expect("a log");
    let completed = |text: &str| text.lines().filter(|line| line.contains("\"completed\"")).count();
    assert!(completed(&log("out")) < 6, "the gate is over before the sweep");
    let status = ended(farmjank(folder).args(["farm", "status", "--farm", &url]));
    assert!(status.out.contains(" (nightly) is measured\n"), "{}", status.out);
    let sweep = waited(sweep);
    assert_eq!(sweep.code, 0, "{}{}", sweep.out, sweep.err);
    assert_eq!((completed(&log("out")), completed(&log("gate"))), (6, 1), "nothing is measured twice");
    assert!(
        log("out").contains("gate, which is more urgent; waiting for it to be free again"),
        "{}",
        log("out")
    );
    let told = std::fs::read_to_string(folder.join("rack.log")).expect("a log");
    assert!(told.contains("(gate)") && told.contains("(nightly)"), "{told}");
    drop(agents);
}
