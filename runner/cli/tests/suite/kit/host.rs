//! The units of a lab host, its users and udev rules, as systemd itself reads them.

use super::{PAGE, call, has, kit, text};
use crate::world::write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const UNITS: [&str; 3] = ["adb-server.service", "farmjank-nightly.service", "farmjank-nightly.timer"];

/// The kit in a tree of its own, with what systemd looks for there.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let installed = call(kit("host/install"), &[&root.to_string_lossy()]);
    assert_eq!(installed.code, 0, "{}", installed.err);
    std::fs::create_dir_all(root.join("usr/lib/systemd")).expect("a folder");
    let units = root.join("usr/lib/systemd/system");
    assert_eq!(call("cp", &["-r", "/lib/systemd/system", &units.to_string_lossy()]).code, 0);
    for program in ["usr/local/bin/farmjank", "usr/bin/adb", "bin/rm", "bin/bash"] {
        write_program(root, program);
    }
    folder
}

fn write_program(root: &Path, program: &str) {
    let file = write(root, program, "#!/bin/sh\n");
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
}

/// What `systemd-analyze verify` says of units below a root; nothing where they are good.
fn complaints(root: &Path) -> String {
    let root = format!("--root={}", root.display());
    let said = call("systemd-analyze", &[&[root.as_str(), "verify"], &UNITS[..]].concat());
    said.out + &said.err
}

#[test]
fn systemd_has_no_complaint_about_the_units_and_would_have_one() {
    if !has("systemd-analyze", "systemd") {
        return;
    }
    let tree = tree();
    assert_eq!(complaints(tree.path()), "");
    // A package has it elsewhere; and it has to be somewhere.
    let (own, packaged) = (tree.path().join("usr/local/bin/farmjank"), tree.path().join("usr/bin/farmjank"));
    std::fs::rename(own, &packaged).expect("a program");
    assert_eq!(complaints(tree.path()), "");
    std::fs::remove_file(packaged).expect("it was there");
    assert!(complaints(tree.path()).contains("farmjank is not executable"), "{}", complaints(tree.path()));
    write_program(tree.path(), "usr/bin/farmjank");
    let unit = tree.path().join("etc/systemd/system/adb-server.service");
    let wrong = text("host/adb-server.service").replace("ProtectClock", "ProtectClok");
    std::fs::write(unit, wrong).expect("a unit");
    assert!(complaints(tree.path()).contains("ProtectClok"));
    std::fs::remove_file(tree.path().join("usr/local/lib/farmjank/publish-night")).expect("it was there");
    assert!(complaints(tree.path()).contains("publish-night"));
}

#[test]
fn services_are_shut_in_as_the_page_says() {
    if !has("systemd-analyze", "systemd") {
        return;
    }
    let tree = tree();
    let root = format!("--root={}", tree.path().display());
    for unit in &UNITS[..2] {
        let said = call("systemd-analyze", &[root.as_str(), "security", "--offline=true", unit]).out;
        let figure = said.split("Overall exposure level for").nth(1).and_then(|rest| rest.split(": ").nth(1));
        let figure = figure.and_then(|rest| rest.split(' ').next()).expect("a figure").to_owned();
        // Another systemd may know of more to shut.
        assert!(figure.parse::<f64>().expect("a number") < 2.0, "{unit}: {figure}");
        let version = call("systemd-analyze", &["--version"]).out;
        if version.starts_with("systemd 252 ") {
            assert!(PAGE.contains(&format!("| `{unit}` | {figure} |")), "the page: {unit} {figure}");
        }
    }
}

#[test]
fn the_adb_server_may_open_phones_and_the_sweep_may_not() {
    if !has("systemd-sysusers", "systemd") {
        return;
    }
    let tree = tree();
    let root = format!("--root={}", tree.path().display());
    let made = call("systemd-sysusers", &[root.as_str(), "farmjank.conf"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let groups = std::fs::read_to_string(tree.path().join("etc/group")).expect("groups");
    let phones = groups.lines().find(|line| line.starts_with("plugdev:")).expect("a group of phones");
    assert!(phones.ends_with(":adb"), "{phones}");
    let users = std::fs::read_to_string(tree.path().join("etc/passwd")).expect("users");
    for user in ["adb", "farmjank"] {
        let own = users.lines().find(|line| line.starts_with(&format!("{user}:"))).expect("a user");
        assert!(own.contains(&format!(":/var/lib/{user}:")) && own.ends_with("/nologin"), "{own}");
        let unit =
            text(if user == "adb" { "host/adb-server.service" } else { "host/farmjank-nightly.service" });
        assert!(unit.contains(&format!("\nUser={user}\n")), "{user}");
    }
}

#[test]
fn udev_has_no_complaint_about_the_rules() {
    if !has("udevadm", "udev") {
        return;
    }
    let rules = kit("host/60-adb-phones.rules");
    let said = call("udevadm", &["verify", &rules.to_string_lossy()]);
    // Debian 12 has none that verifies: systemd 254 was the first.
    if said.err.contains("Unknown command verb") {
        println!("skipped: this udevadm does not verify");
        return;
    }
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

#[test]
fn a_configuration_that_is_there_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let own = write(root, "etc/farmjank/farmjank.toml", "[default]\niterations = 3\n");
    assert_eq!(call(kit("host/install"), &[&root.to_string_lossy()]).code, 0);
    assert!(std::fs::read_to_string(&own).expect("it is there").contains("iterations = 3"));
    std::fs::remove_file(&own).expect("it was there");
    assert_eq!(call(kit("host/install"), &[&root.to_string_lossy()]).code, 0);
    assert_eq!(std::fs::read_to_string(&own).expect("it is there"), text("host/farmjank.toml"));
}
