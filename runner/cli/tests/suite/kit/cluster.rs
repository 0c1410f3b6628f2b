//! The kit's pod of a cluster, as far as it can be held to its word without a cluster: what it names is there, and
//! its commands, begun as a node begins them, make a host of a real farm that measures and that ends as it is told.
//! The form of the file is asked in `.ci/run`.

use super::{kit, text};
use crate::world::{Lab, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FILE: &str = "kubernetes/agent.yaml";
/// A node as clusters call them; a host of a farm has no dots.
const NODE: &str = "rack-1.lab.lan";
const HOST: &str = "rack-1_lab_lan";

/// The pod's specification.
fn pod() -> Value {
    let text = text(FILE);
    let document = text.split("\n---\n").nth(1).expect("the second document");
    let set: Value = serde_saphyr::from_str(document).expect("yaml");
    set["spec"]["template"]["spec"].clone()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}"))
}

fn container(pod: &Value, name: &str) -> Value {
    let mut all = list(pod, "initContainers").iter().chain(list(pod, "containers"));
    all.find(|container| container["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
}

#[test]
fn only_the_adb_server_of_the_pod_may_open_usb_and_the_agent_sees_one_key() {
    let pod = pod();
    let named: Vec<&str> = list(&pod, "volumes").iter().map(|volume| word(&volume["name"])).collect();
    for container in list(&pod, "initContainers").iter().chain(list(&pod, "containers")) {
        let (name, own) = (word(&container["name"]), &container["securityContext"]);
        for mount in list(container, "volumeMounts") {
            assert!(named.contains(&word(&mount["name"])), "{name} mounts {mount}");
            assert!(mount["name"] != "usb" || name == "adb", "{name} mounts {mount}");
            assert!(mount["name"] != "keys" || mount["subPathExpr"] == "$(NODE)", "{name} mounts {mount}");
        }
        assert_eq!(own["privileged"] == true, name == "adb", "{name}: {own}");
        assert_eq!(own["runAsUser"] == 10001, name == "agent", "{name}: {own}");
        assert!(word(&container["image"]).ends_with(concat!(":", env!("CARGO_PKG_VERSION"))), "{name}");
    }
    // Who the image's user is, stands in the Dockerfile.
    assert!(super::text("container/Dockerfile").contains("useradd --uid 10001 "));
    let adb = container(&pod, "adb");
    let unit = super::text("host/adb-server.service");
    let command: Vec<&str> = list(&adb, "command").iter().map(word).collect();
    assert!(unit.contains(&command.join(" ")), "as on a host: {command:?}");
    assert_eq!(adb["restartPolicy"], "Always", "begun before the agent, ended after it");
    // The keys and addresses are those that the file's own commands make.
    let lines: String = text(FILE).lines().take_while(|line| line.starts_with('#')).collect();
    for (volume, command) in [
        (&pod["volumes"][3]["secret"]["secretName"], "create secret generic"),
        (&pod["volumes"][4]["configMap"]["name"], "create configmap"),
    ] {
        assert!(lines.contains(&format!("{command} {} ", word(volume))), "{command}");
    }
    assert!(lines.contains("kubectl label node rack-1 farmjank/phones=usb"));
    assert_eq!(pod["nodeSelector"]["farmjank/phones"], "usb");
}

/// A command of a container in this folder, with its variables: what a node gives is given, and where the pod mounts
/// things are these folders.
fn begun(place: &Path, container: &Value, command: &[&Value], given: &[(&str, &str)]) -> Command {
    let here = |text: &str| {
        let text = text.replace("/etc/farmjank", &place.join("etc").display().to_string());
        text.replace("/state/", &format!("{}/", place.join("state").display()))
    };
    let words: Vec<String> = command.iter().map(|each| here(word(each))).collect();
    let tame = farmjank(place);
    let mut program = Command::new(&words[0]);
    program.args(&words[1..]).current_dir(place).stdin(Stdio::null());
    for (name, value) in tame.get_envs() {
        match value {
            Some(value) => program.env(name, value),
            None => program.env_remove(name),
        };
    }
    for variable in list(container, "env") {
        let name = word(&variable["name"]);
        let given = given.iter().find(|(each, _)| *each == name).map(|(_, value)| (*value).to_owned());
        program.env(name, given.unwrap_or_else(|| here(word(&variable["value"]))));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    program.env("PATH", format!("{}:{path}", place.join("bin").display()));
    program
}

/// A farm whose only host is a node of a cluster; its keys lie as the pod has them.
fn farm(place: &Path) -> Option<NatsServer> {
    write(place, "s.yaml", SMOOTH);
    let init = ["farm", "init", "farm", "--name", "farm.example", "--hosts", HOST];
    let made = ended(farmjank(place).args(init));
    assert_eq!(made.code, 0, "{}", made.err);
    let server = NatsServer::configured(&place.join("farm/server"))?;
    std::fs::create_dir(place.join("etc")).expect("a folder");
    let key = format!("farm/hosts/{HOST}/agent.nk");
    assert!(text(FILE).contains("=farm/hosts/rack-1/agent.nk"), "the file's command takes it from there");
    std::fs::copy(place.join(key), place.join("etc/agent.nk")).expect("a key");
    std::fs::copy(place.join("farm/authority.pem"), place.join("etc/authority.pem")).expect("an authority");
    std::fs::create_dir(place.join("bin")).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_farmjank"), place.join("bin/farmjank")).expect("a link");
    Some(server)
}

fn ends(mut child: Child, within: Duration) -> Option<i32> {
    let until = Instant::now() + within;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().expect("ours") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().expect("ours");
    None
}

#[test]
fn the_agent_of_the_pod_is_a_host_of_the_farm_under_its_nodes_name_and_ends_when_its_hook_tells_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let Some(server) = farm(place) else { return };
    let pod = pod();
    let lab = write(place, "one.yaml", "name: one\nphones: [ { archetype: pixel-6 } ]\n");
    let lab = Lab::serve(place, &lab, 1, &place.join("truth.json"));
    let agent = container(&pod, "agent");
    let command: Vec<&Value> = list(&agent, "command").iter().chain(list(&agent, "args")).collect();
    let given = [("NODE", NODE), ("FARM", &server.url()), ("ADB_SERVER_SOCKET", &lab.socket)];
    let log = std::fs::File::create(place.join("agent.log")).expect("a file");
    let mut begins = begun(place, &agent, &command, &given);
    let began = begins.stdout(Stdio::null()).stderr(log).spawn().expect("bash");
    let said = || std::fs::read_to_string(place.join("agent.log")).unwrap_or_default();

    let farm = ["--farm", &server.url(), "--farm-ca", "farm/authority.pem", "--farm-secret"];
    let run = ["run", "s.yaml", "--wait-for-devices", "60s", "--out", "out"];
    let ran = ended(farmjank(place).args(run).args(farm).arg("farm/teams/main/run.nk"));
    assert_eq!(ran.code, 0, "{}{}{}", ran.out, ran.err, said());
    let status = ended(farmjank(place).args(["farm", "status"]).args(farm).arg("farm/teams/main/viewer.nk"));
    assert!(status.out.contains(&format!("{HOST}: 1 phone")), "{}{}", status.out, status.err);

    // A pod that goes: the hook, which knows the agent as the first process of its container.
    let hook = &agent["lifecycle"]["preStop"]["exec"]["command"];
    let first = began.id().to_string();
    let told = word(&hook[2]).replace("-INT 1;", &format!("-INT {first};"));
    let told = told.replace("--pid=1 ", &format!("--pid={first} "));
    assert_eq!(told.matches(&first).count(), 2, "{told}");
    let hook = Command::new("bash").args(["-c", &told]).stdin(Stdio::null()).spawn().expect("bash");
    let patience = Duration::from_secs(pod["terminationGracePeriodSeconds"].as_u64().expect("seconds") / 4);
    assert_eq!(ends(began, patience), Some(0), "{}", said());
    assert!(ends(hook, Duration::from_secs(5)).is_some(), "the hook ends with the agent");
}

#[test]
fn the_page_names_the_commands_of_the_file() {
    let page = include_str!("../../../../../docs/farm.md");
    for line in text(FILE).lines().take_while(|line| line.starts_with('#')) {
        let Some(command) = line.trim_start_matches('#').trim().strip_prefix("kubectl ") else { continue };
        let command = command.split("  #").next().expect("a command").trim();
        assert!(page.contains(command), "docs/farm.md lacks: kubectl {command}");
    }
    assert!(kit(FILE).is_file());
}
