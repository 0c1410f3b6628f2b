//! Alert rules and the dashboard of the newest night, on real Prometheus fed by a real node-exporter with what runs
//! wrote.

use super::{PAGE, call, has, kit, text};
use crate::world::{Lab, SMOOTH, ended, farmjank, run, write};
use farmjank_witnesses::ports::free_port;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const RULES: &str = "prometheus/farmjank.rules.yml";
const TESTS: &str = "prometheus/farmjank.rules.test.yml";

#[test]
fn alerts_ring_when_they_should_and_changed_ones_are_found_out() {
    if !has("promtool", "prometheus") {
        return;
    }
    let holds = |rules: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "farmjank.rules.yml", rules);
        let tests = write(folder.path(), "tests.yml", &text(TESTS));
        let said = call("promtool", &["test", "rules", &tests.to_string_lossy()]);
        (said.code == 0, said.out + &said.err)
    };
    let rules = text(RULES);
    let (all, said) = holds(&rules);
    assert!(all, "{said}");
    for (from, to) in [
        ("> 26 * 3600", "> 48 * 3600"),
        ("> 26 * 3600", "> 20 * 3600"),
        ("for: 26h", "for: 1h"),
        ("0|1|4", "0|1|3|4"),
        ("0|1|4", "0|4"),
        ("verdict=\"fail\", virtual=\"false\"", "verdict=\"fail\""),
        ("unless on (instance, app, scenario, window, model, serial) farmjank_cell_quarantined", ""),
        ("farmjank_phone_absent{virtual", "farmjank_phone_absent{allowed=\"true\",virtual"),
        ("unless on (instance, serial) farmjank_phone_absent)", ")"),
        ("and on (instance) farmjank_run_info", ""),
        ("> 0.2", "> 0.3"),
        ("for: 49h", "for: 12h"),
    ] {
        assert!(rules.contains(from), "{from}");
        assert!(!holds(&rules.replace(from, to)).0, "nobody notices `{to}` in place of `{from}`");
    }
    for name in rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        assert!(PAGE.contains(&format!("| `{name}` |")), "the page does not tell of {name}");
    }
    let checked = call("promtool", &["check", "config", &kit("prometheus/prometheus.yml").to_string_lossy()]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
}

/// A program that ends with the test.
struct Served(Child);

impl Served {
    fn start(program: &str, args: &[String], folder: &Path) -> Served {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Served(command.spawn().expect(program))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What nights wrote: one with a failing cell, a cause, one in quarantine; one with a phone that is missing.
fn nights(place: &Path) {
    let slow = |name: &str| {
        SMOOTH.replace("name: Smooth", &format!("name: {name}")).replace("30%refresh", "101%refresh")
    };
    write(place, "flows/a.yaml", &slow("Slow"));
    write(place, "flows/b.yaml", &slow("Known"));
    write(
        place,
        "flows/quarantine.yaml",
        "quarantine:\n  - { scenario: Known, reason: slow, owner: ana, until: 2099-12-31 }\n",
    );
    write(place, "flows/launch.yaml", include_str!("../../../../../scenarios/gallery/launch.yaml"));
    let sweep = run(place, &["run", "flows", "--lab", "demo", "--causes=each", "-q", "--out", "slow"]);
    assert_eq!(sweep.code, 1, "{}{}", sweep.out, sweep.err);
    write(place, "farm.yaml", "phones:\n  - { serial: GONE, name: left }\n");
    let file = write(place, "lab.yaml", "name: rack\nphones: [ { serial: THERE } ]\n");
    let rack = Lab::serve(place, &file, 1, &place.join("truth.json"));
    let mut command = farmjank(place);
    command.args(["run", "flows/a.yaml", "--inventory", "farm.yaml", "-s", "GONE", "-q", "--out", "gone"]);
    assert_eq!(ended(command.env("ADB_SERVER_SOCKET", &rack.socket)).code, 3);
    for (run, name) in [("slow", "farmjank.prom"), ("gone", "gone.prom")] {
        let text = std::fs::read_to_string(place.join(run).join("metrics.txt")).expect("numbers");
        write(place, &format!("textfiles/{name}"), &text);
    }
    let mut command = Command::new(kit("host/publish-night"));
    command
        .env("FARMJANK_TEXTFILES", place.join("textfiles"))
        .env("FARMJANK_NIGHT_METRICS", "slow/metrics.txt");
    command.current_dir(place).env("EXIT_CODE", "exited").env("EXIT_STATUS", "1");
    assert_eq!(ended(&mut command).code, 0);
}

/// What Prometheus answers, a line for each series.
fn asked(port: u16, query: &str) -> String {
    let said = call("promtool", &["query", "instant", &format!("http://127.0.0.1:{port}"), query]);
    if said.code == 0 { said.out } else { format!("! {}", said.err) }
}

#[test]
fn every_panel_of_the_newest_night_has_rows_on_real_prometheus() {
    let programs = [("prometheus", "prometheus"), ("prometheus-node-exporter", "prometheus-node-exporter")];
    if !programs.iter().all(|(program, package)| has(program, package)) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    nights(place);
    let [exporter, server] = [free_port(), free_port()];
    let config = text("prometheus/prometheus.yml")
        .replace("node-exporter:9100", &format!("127.0.0.1:{exporter}"))
        .replace("scrape_interval: 1m", "scrape_interval: 500ms");
    write(place, "prometheus.yml", &config);
    write(place, "farmjank.rules.yml", &text(RULES));
    let _exporter = Served::start(
        "prometheus-node-exporter",
        &[
            "--collector.disable-defaults".to_owned(),
            "--collector.textfile".to_owned(),
            "--collector.textfile.directory=textfiles".to_owned(),
            format!("--web.listen-address=127.0.0.1:{exporter}"),
        ],
        place,
    );
    let _server = Served::start(
        "prometheus",
        &[
            "--config.file=prometheus.yml".to_owned(),
            "--storage.tsdb.path=numbers".to_owned(),
            format!("--web.listen-address=127.0.0.1:{server}"),
        ],
        place,
    );
    let there = (0..300).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        asked(server, "farmjank_run_info").contains("lab=\"demo\"")
    });
    assert!(there, "no numbers after 30 s: {}", asked(server, "up"));
    let errors = asked(server, "node_textfile_scrape_error");
    assert!(errors.contains("=> 0"), "node-exporter reads each file: {errors}");
    let board: Value = serde_json::from_str(&text("grafana/dashboards/lab.json")).expect("JSON");
    let mut panels = 0;
    for panel in board["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let query = target["expr"].as_str().expect("a query").replace("$virtual", ".*");
            assert!(!query.contains('$'), "{query}");
            let rows = asked(server, &query);
            assert!(rows.starts_with(['f', '{']), "{}: `{query}` has no rows: {rows}", panel["title"]);
            panels += 1;
        }
    }
    assert!(panels > 15, "{panels} panels");
    // The rules look for the labels that there are.
    assert!(asked(server, "farmjank_cell_verdict{verdict=\"fail\"} unless on (instance, app, scenario, window, model, serial) farmjank_cell_quarantined").contains("Slow"));
    assert!(asked(server, "farmjank_phone_absent{virtual=\"false\"}").contains("GONE"));
}
