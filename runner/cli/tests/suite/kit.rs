//! The kit of a phone lab (`ci/kit`): its units, scripts, rules, dashboards and containers do what the pages say.
//!
//! Programs of Debian's packages are asked where there are any; in CI all of them must be there.

mod cluster;
mod container;
mod dashboards;
mod host;
mod night;
mod numbers;

use crate::world::{Ended, ended};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page that explains it.
const PAGE: &str = include_str!("../../../../docs/lab-host.md");

/// A file or folder of the kit.
fn kit(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/kit").join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(kit(path)).expect(path)
}

/// Whether a program is here; where not, it is said, and CI fails.
fn has(program: &str, package: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "{program} is missing: Debian package {package}");
        println!("skipped: no {program} here (Debian package {package})");
    }
    found
}

fn call(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Ended {
    ended(Command::new(program).args(args))
}

#[test]
fn every_file_of_the_kit_that_the_page_names_is_there_and_every_file_there_is_named() {
    let named: Vec<&str> = PAGE
        .match_indices("ci/kit/")
        .map(|(at, _)| {
            let rest = &PAGE[at..];
            rest[..rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c)))
                .unwrap_or(rest.len())]
                .trim_end_matches('.')
        })
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for path in &named {
        assert!(root.join(path).exists(), "the page names {path}");
    }
    for file in crate::world::files_below(&kit("")) {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(PAGE.contains(&name), "the page does not tell of {}", file.display());
    }
}

/// The lines of a section's commands, without comments.
fn commands(heading: &str) -> Vec<&'static str> {
    let section = PAGE.split_once(&format!("\n## {heading}\n")).expect(heading).1;
    let section = section.split("\n## ").next().expect("a section");
    let blocks = section.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).map(|line| line.split("  #").next().unwrap_or(line).trim()).collect()
}

/// The page's commands do in another tree what they do on a host; what only a host has (services, users, packages) was
/// run on one.
#[test]
fn commands_of_the_page_put_the_files_where_the_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_string_lossy().into_owned();
    let file = crate::world::write(
        folder.path(),
        "etc/prometheus/prometheus.yml",
        "global: {}\nrule_files:\n  # - \"first_rules.yml\"\n",
    );
    std::fs::create_dir_all(folder.path().join("etc/grafana")).expect("a folder");
    std::fs::create_dir_all(folder.path().join("etc/default")).expect("a folder");
    let only_a_host = [
        "apt-get",
        "cargo install",
        "systemctl",
        "journalctl",
        "-u postgres",
        "udevadm",
        "/usr/local/bin/farmjank",
    ];
    let mut ran = 0;
    for heading in ["The computer with the phones", "Numbers and alerts", "Dashboards"] {
        for line in
            commands(heading).into_iter().filter(|line| !only_a_host.iter().any(|word| line.contains(word)))
        {
            let own = line.replace("sudo ", "").replace("host/install", &format!("host/install {root}"));
            let own = own.replace(" /etc/", &format!(" {root}/etc/"));
            let mut shell = Command::new("bash");
            shell.args(["-e", "-c", &own]).current_dir(kit("../.."));
            if line.starts_with("promtool") && !has("promtool", "prometheus") {
                continue;
            }
            let said = ended(&mut shell);
            assert_eq!(said.code, 0, "{own}: {}{}", said.out, said.err);
            ran += 1;
        }
    }
    assert!(ran >= 8, "{ran} commands");
    assert!(
        std::fs::read_to_string(file).expect("it is there").contains("rule_files:\n  - farmjank.rules.yml\n")
    );
    for placed in [
        "farmjank/scenarios/home-feed.yaml",
        "farmjank/grafana/nights.json",
        "grafana/provisioning/datasources/farmjank.yaml",
    ] {
        assert!(folder.path().join("etc").join(placed).is_file(), "{placed}");
    }
    let provided = text("grafana/provisioning/datasources/farmjank.yaml");
    let given = std::fs::read_to_string(folder.path().join("etc/default/grafana-server")).expect("variables");
    for name in given.lines().filter_map(|line| line.split('=').next()) {
        assert!(provided.contains(&format!("${name}")), "nobody reads {name}");
    }
}
