//! A runner in a cloud, without phones: builds of a pull request take turns on the hosts of a farm.

use super::pulls::Pulls;
use super::workflows::{called, vendored};
use super::{builds, runner};
use crate::server::Server;
use crate::world::{ended, farmjank};
use farmjank_witnesses::nats::NatsServer;
use serde_json::json;
use std::process::{Child, Stdio};

struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_runner_without_phones_has_builds_take_turns_on_a_farm_and_comments_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, here) = (Server::of(Pulls::new()), folder.path());
    let mut runner = runner(here, &server);
    let made = ["farm", "init", "farm", "--name", "farm.example", "--hosts", "rack-1"];
    assert_eq!(ended(farmjank(here).args(made)).code, 0);
    let Some(farm) = NatsServer::configured(&here.join("farm/server")) else { return };
    let (url, authority) = (farm.url(), here.join("farm/authority.pem"));
    let authority = authority.to_str().expect("a path");
    let mut agent = farmjank(here);
    agent.args(["agent", "--farm", &url, "--host", "rack-1", "--farm-ca", authority, "--lab", "demo"]);
    agent.args(["--state", "state", "--farm-secret", "farm/hosts/rack-1/agent.nk"]);
    agent.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _agent = Agent(agent.spawn().expect("it starts"));
    builds(&runner.work());
    let uploaded = runner.artifact("builds");
    std::fs::create_dir_all(&uploaded).expect("a folder");
    for (from, to) in [("ab/shop-7.4.apk", "old.apk"), ("ab/shop-7.5.apk", "new.apk")] {
        std::fs::copy(runner.work().join(from), uploaded.join(to)).expect("a copy");
    }
    vendored(&runner);
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_farmjank")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    runner.env.insert("PATH".to_owned(), format!("{}:{path}", bin.display()));
    let args = format!(
        "--budget 40m --farm {url} --farm-ca {authority} --wait-for-devices 60s --lab demo --no-history"
    );
    let (job, inputs) =
        called("builds.yml", "builds", &json!({ "paths": "gallery/search.yaml", "args": args }));
    let done = runner.job(&job, &inputs).expect("a job");
    assert!(
        !done.succeeded && runner.step("run").code == 2,
        "who brings no key is told so: {}",
        runner.step("run").err
    );
    let seed = std::fs::read_to_string(here.join("farm/teams/main/run.nk")).expect("a seed");
    runner.contexts["secrets"] = json!({ "farm-secret": seed.trim() });
    let done = runner.job(&job, &inputs).expect("a job");
    let run = runner.step("run");
    assert!(!done.succeeded && run.code == 1, "7.5 is slower: {}{}", run.out, run.err);
    assert!(!run.out.contains(seed.trim()) && !run.err.contains(seed.trim()));
    let bodies = server.inside().model.bodies();
    assert!(bodies.len() == 1 && bodies[0].contains("**Against** old.apk: 4 regression"), "{bodies:?}");
    let log = std::fs::read_to_string(runner.artifact("farmjank-builds").join("events.ndjson"));
    let log = log.expect("a log");
    assert!(log.contains("\"arm\":\"old\"") && log.contains("\"run_compared\""));
}
