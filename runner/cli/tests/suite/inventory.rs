//! `--inventory`: servers, names and tags of a lab's phones from a file, as a user sees it.

use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, run, write};
use std::path::Path;

fn rack(folder: &Path) -> Lab {
    let text =
        "name: rack\nphones: [ { archetype: pixel-6, serial: S1 }, { archetype: pixel-6, serial: S2 } ]\n";
    let file = write(folder, "lab.yaml", text);
    Lab::serve(folder, &file, 2, &folder.join("truth.json"))
}

fn inventory(folder: &Path, servers: &[&str], more: &str) {
    let text = format!(
        "adb: [ {} ]\nphones:\n  - {{ serial: S1, name: left, tags: [ gate ] }}\n  - {{ serial: S2, labels: spare }}\n{more}",
        servers.iter().map(|server| format!("'{server}'")).collect::<Vec<_>>().join(", ")
    );
    write(folder, "scenarios/farm.yaml", &text);
}

fn with(folder: &Path, args: &[&str]) -> Ended {
    ended(farmjank(folder).args(args).args(["--inventory", "scenarios/farm.yaml"]))
}

#[test]
fn an_inventory_names_servers_phones_and_what_scenarios_select_by() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let lab = rack(folder);
    let server = lab.socket.strip_prefix("tcp:").expect("a socket").to_owned();
    inventory(folder, &[&server], "");
    write(folder, "scenarios/s.yaml", &SMOOTH.replace("iterations: 2", "iterations: 1\ndevices: tag = gate"));

    let listed = with(folder, &["devices"]);
    assert_eq!(listed.code, 0, "{}{}", listed.out, listed.err);
    for wanted in ["S1 is left, tags gate\n", "S2, tags spare\n"] {
        assert!(listed.out.contains(wanted), "no `{wanted}` in\n{}", listed.out);
    }
    let plan = with(folder, &["plan", "scenarios"]);
    assert!(plan.code == 0 && plan.out.contains("1 job"), "{}{}", plan.out, plan.err);
    let ran = with(folder, &["run", "scenarios", "--out", "one", "--no-history"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("(S1)") && ran.out.contains("1 passed"), "{}", ran.out);

    // A phone that should be there and is not is a fault of the lab, unless the run may go without it.
    inventory(folder, &[&server], "  - { serial: S3, tags: gate }\n");
    let ran = with(folder, &["run", "scenarios", "-q", "--out", "two", "--no-history"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("S3") && ran.out.contains("1 broken, 1 passed"), "{}", ran.out);
    let ran = with(folder, &["run", "scenarios", "-q", "--out", "three", "--no-history", "--allow-missing"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);

    // A host that is lost costs its own phones only.
    inventory(folder, &[&server, "127.0.0.1:1"], "");
    let ran = with(folder, &["run", "scenarios", "-q", "--out", "four", "--no-history"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("127.0.0.1:1") && ran.out.contains("1 broken, 1 passed"), "{}", ran.out);
}

#[test]
fn a_wrong_inventory_is_told_with_its_place_and_no_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "scenarios/farm.yaml", "phones:\n  - { serail: S1 }\n");
    let ended = with(folder.path(), &["devices"]);
    assert_eq!(ended.code, 2, "{}{}", ended.out, ended.err);
    for wanted in ["scenarios/farm.yaml:2", "`serial`", "^"] {
        assert!(ended.err.contains(wanted), "no `{wanted}` in\n{}", ended.err);
    }
    let missing = run(folder.path(), &["devices", "--inventory", "none.yaml"]);
    assert!(missing.code == 2 && missing.err.contains("none.yaml"), "{}", missing.err);
    let schema = run(folder.path(), &["schema", "inventory"]).out;
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    assert_eq!(schema["$defs"]["phone"]["required"][0], "serial", "{schema}");
}
