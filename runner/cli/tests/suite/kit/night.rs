//! A night of the kit: the commands of its units one after the other, and what is handed to Prometheus.

use super::{kit, text};
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use std::path::Path;
use std::process::Command;

/// The words of a line of the unit, behind its program.
fn words<'u>(unit: &'u str, line: &str) -> Vec<&'u str> {
    let line = unit.lines().find_map(|own| own.strip_prefix(line)).expect("a line");
    line.split(' ').collect()
}

/// Hands on what is in a folder, as systemd would have it done after such an end.
fn publish(folder: &Path, code: &str, status: &str) -> Ended {
    let mut command = Command::new(kit("host/publish-night"));
    command.current_dir(folder).env("FARMJANK_TEXTFILES", folder.join("textfiles"));
    ended(command.env("EXIT_CODE", code).env("EXIT_STATUS", status))
}

fn handed(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("textfiles").join(name)).unwrap_or_default()
}

#[test]
fn what_the_unit_runs_makes_a_night_and_hands_its_numbers_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let own = format!("{}/", place.display());
    write(place, "etc/scenarios/s.yaml", SMOOTH);
    let settings = text("host/farmjank.toml").replace("/var/lib/farmjank/", &own);
    let history = "postgres://farmjank@%2Fvar%2Frun%2Fpostgresql/farmjank";
    assert!(settings.contains(history));
    write(place, "etc/farmjank.toml", &settings.replace(history, &format!("{own}history.sqlite")));
    std::fs::create_dir(place.join("textfiles")).expect("a folder");

    let unit = text("host/farmjank-nightly.service");
    let run = |line: &str, more: &[&str]| {
        let words = words(&unit, line);
        let mut command = farmjank(place);
        command.args(&words[1..]).args(more).env("FARMJANK_CONFIG", place.join("etc/farmjank.toml"));
        ended(command.env("FARMJANK_PROFILE", "nightly"))
    };
    let sweep = run("ExecStart=", &["--lab", "demo"]);
    assert_eq!(sweep.code, 0, "{}{}", sweep.out, sweep.err);
    assert!(place.join("history.sqlite").is_file(), "the night is in the history");
    assert_eq!(publish(place, "exited", "0").code, 0);
    assert!(
        handed(place, "farmjank.prom").contains("farmjank_run_verdict{verdict=\"pass\",virtual=\"true\"} 1")
    );
    let ended = handed(place, "farmjank_night.prom");
    assert!(ended.contains("farmjank_night_end{how=\"exited\",status=\"0\"} 1"), "{ended}");
    let prune = unit.lines().find(|line| line.contains("runs prune")).expect("what lets old runs go");
    let prune = run(prune.split(' ').next().expect("a program"), &["--dry-run"]);
    assert!(
        prune.code == 0 && prune.out.contains("no run in results/runs is older than 30d"),
        "{}",
        prune.out
    );
}

#[test]
fn a_night_without_numbers_takes_those_of_the_night_before_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    write(place, "textfiles/farmjank.prom", "farmjank_cells 1\n");
    // The sweep empties its report as it begins: nothing was measured.
    write(place, "night.metrics", "");
    assert_eq!(publish(place, "killed", "KILL").code, 0);
    assert!(!place.join("textfiles/farmjank.prom").exists());
    let ended = handed(place, "farmjank_night.prom");
    assert!(ended.contains("farmjank_night_end{how=\"killed\",status=\"KILL\"} 1"), "{ended}");
    let when = ended.lines().find_map(|line| line.strip_prefix("farmjank_night_ended_timestamp_seconds "));
    assert!(when.expect("when it ended").parse::<u64>().expect("seconds") > 1_700_000_000);
    let left: Vec<_> = std::fs::read_dir(place.join("textfiles")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "no piece is left behind");
}

#[test]
fn without_a_textfile_folder_it_is_said_and_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = publish(folder.path(), "exited", "0");
    assert!(said.code == 0 && said.err.contains("prometheus-node-exporter"), "{}", said.err);
}
