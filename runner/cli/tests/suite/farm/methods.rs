//! Causes of late frames over a farm name methods of the source and who owns them, by files that travel with the run.

use super::{Agents, agent, over, same, tree};
use crate::causes::of_methods::{LAB, MAPPING, SCENARIO};
use crate::world::{ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;

const OWNERS: &str = "owners:\n  com.shop: team-data\n  '*': team-app\n";

#[test]
fn a_run_over_hosts_names_the_methods_and_owners_that_a_run_here_names() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    write(folder, "lab.yaml", LAB);
    write(folder, "s.yaml", SCENARIO);
    write(folder, "mapping.txt", MAPPING);
    write(folder, "owners.yaml", OWNERS);
    let flags = ["--causes=each", "--stacks", "--mapping", "mapping.txt", "--owners", "owners.yaml"];
    let more = [&["--lab", "lab.yaml", "--out", "out", "-q"][..], &flags].concat();
    let here = ended(farmjank(folder).args(["run", "s.yaml", "--no-history"]).args(&more));
    assert_eq!(here.code, 0, "{}{}", here.out, here.err);
    let expected = (here.code, tree(&folder.join("out")));
    let log = String::from_utf8_lossy(&expected.1["events.ndjson"]).into_owned();
    for words in ["com.shop.Parser.read", "\"owner\":\"team-data\""] {
        assert!(log.contains(words), "{words} is not told: {}", here.err);
    }
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let agents = Agents(vec![agent(folder, &url, "rack", &["--lab", "lab.yaml"])]);
    same(folder, &expected, &ended(&mut over(folder, &url, &more)));
    // What cannot be read is told where it was given, and no host is asked.
    write(folder, "owners.yaml", "owners: [ nobody ]\n");
    let wrong = ended(&mut over(folder, &url, &more));
    assert_eq!(wrong.code, 2, "{}", wrong.out);
    assert!(
        wrong.err.contains("owners.yaml:1") && wrong.err.contains("no phone was touched"),
        "{}",
        wrong.err
    );
    drop(agents);
}
