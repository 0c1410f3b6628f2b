//! Runs phones outside the lab side by side, and what they truly showed. Times are the phone's CLOCK_MONOTONIC in ns.

use crate::world::{Ended, ended, farmjank};
use farmjank_results::event::WindowMeasured;
use farmjank_results::motion::Motion;
use farmjank_results::record::Record;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A phone: its name for people, the scenario of `tests/outside` it runs, and the flags that make it.
pub type Phone = (&'static str, &'static str, &'static str);

/// What one phone's run came to.
pub struct Seen {
    /// Which phone.
    pub name: String,
    /// The run's facts.
    pub record: Record,
    /// Exit code and what was printed.
    pub ended: Ended,
    /// What was really on the screen.
    pub truth: Value,
}

impl Seen {
    /// Everything that was printed.
    pub fn told(&self) -> String {
        format!("{} (exit {})\n{}{}", self.name, self.ended.code, self.ended.out, self.ended.err)
    }

    /// SurfaceFrames of the frames inside these motions, ms in each second in which something moved.
    pub fn hitch_ms_per_s(&self, motions: &[Motion]) -> f64 {
        let frames = self.truth["frames"].as_array().expect("frames");
        let at = |frame: &Value| frame["at"].as_i64().expect("an instant");
        let tick = |frame: &Value, key: &str| frame[key].as_i64().expect("a refresh");
        let (mut late, mut shown) = (0.0, 0.0);
        for pair in frames.windows(2) {
            let (from, to) = (at(&pair[0]), at(&pair[1]));
            let inside = |motion: &&Motion| motion.from.ns() <= from && to <= motion.to.ns();
            if motions.iter().any(|motion| inside(&motion)) {
                let (frame, before) = (&pair[1], tick(&pair[0], "tick"));
                late += frame["late_ms"].as_f64().expect("ms");
                // While nothing new was to be seen nothing was late, and nothing moved.
                let refresh = (to - from) as f64 / (tick(frame, "tick") - before) as f64;
                shown += refresh * (tick(frame, "tick") - tick(frame, "wanted") + 1) as f64 / 1e9;
            }
        }
        late / shown
    }

    /// What was used between the first and the last look, each with the least and the most it may be told as. Looks and
    /// the phone's clock are known to some 20 ms, CPU time to a tick of 10 ms at both ends.
    pub fn used(&self, window: &WindowMeasured) -> Vec<(&'static str, f64, f64)> {
        let truth = &self.truth["used"];
        let number = |key: &str| truth[key].as_f64().unwrap_or_else(|| panic!("{key} of {truth}"));
        let looks = window.beside.iter().find(|line| line.points.len() > 1).expect("a line");
        let ends = |grain: f64| {
            let [first, last] = [0, looks.points.len() - 1].map(|nth| looks.points[nth].0.ns() as f64 / 1e9);
            (first - grain, last + grain)
        };
        let frames = self.truth["frames"].as_array().expect("frames");
        let cpu_ms = |(from, to): (f64, f64)| {
            let queued =
                |frame: &&Value| (from..=to).contains(&(frame["queued"].as_f64().expect("ns") / 1e9));
            frames.iter().filter(queued).map(|frame| frame["cpu_ms"].as_f64().expect("ms")).sum::<f64>()
        };
        let (least, most) = (cpu_ms(ends(-0.05)) - 20.0, cpu_ms(ends(0.05)) + 20.0);
        let (from, to) = ends(0.0);
        let (time, age) = (to - from, to - number("born_at") / 1e9);
        let cores = |ms: f64| 100.0 * (number("others") + ms / 1e3 / time / number("cores"));
        let [held, leaks] = [0, 1].map(|nth| truth["rss_kb"][nth].as_f64().expect("kB") / 1_024.0);
        // Files and services are read some time after a look's clock, the later the slower the computer is.
        let slack = 0.4;
        let rss = held + leaks * age;
        let moved = |key: &str| {
            let told = |time: f64| number(key) * time / 1_024.0;
            (told(time - slack), told(time + slack))
        };
        let ((rx, rx_most), (tx, tx_most)) = (moved("rx"), moved("tx"));
        let draws = number("draws_ma");
        vec![
            ("cpu_ms_per_s", least / time, most / time),
            ("device_cpu_pct", cores(least) - 1.0, cores(most) + 1.0),
            ("rss_mb", rss - leaks * slack, rss + leaks * slack),
            ("skin_c", 31.4, 31.4),
            ("battery_c", 28.2, 28.2),
            ("battery_ma", draws, draws),
            ("network_rx_kb", rx, rx_most),
            ("network_tx_kb", tx, tx_most),
        ]
    }

    /// By how much planted stalls made frames late, and the shortest refresh, ms.
    pub fn stalled_ms(&self) -> (f64, f64) {
        let frames = self.truth["frames"].as_array().expect("frames");
        let stalled = frames.iter().filter(|frame| frame["stalled"] == true);
        let late = stalled.map(|frame| frame["late_ms"].as_f64().expect("ms")).sum();
        let hz = frames.iter().filter_map(|frame| frame["hz"].as_f64()).fold(1.0, f64::max);
        (late, 1e3 / hz)
    }
}

fn outside() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/outside")
}

/// Whether this computer can be such a phone; says what is missing.
pub fn ready() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &&str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let missing: Vec<&str> =
        ["python3", "mksh", "toybox", "cc"].into_iter().filter(|name| !found(name)).collect();
    if missing.is_empty() {
        return true;
    }
    let missing = missing.join(", ");
    assert!(
        std::env::var_os("CI").is_none(),
        "CI must have {missing}: phones outside the lab are made of it"
    );
    println!("skipped: no {missing} here, of which phones outside the lab are made");
    false
}

/// Runs each of these phones, all at once.
pub fn run(phones: &[Phone]) -> Vec<Seen> {
    std::thread::scope(|scope| {
        let started: Vec<_> = phones.iter().map(|phone| scope.spawn(move || one(*phone))).collect();
        started.into_iter().map(|thread| thread.join().expect("a phone ran")).collect()
    })
}

fn one((name, scenario, flags): Phone) -> Seen {
    let folder = tempfile::tempdir().expect("a folder");
    let tool = farmjank(folder.path());
    let mut command = Command::new("python3");
    command.arg(outside().join("phone.py")).args(flags.split_whitespace()).args([
        "--truth",
        "truth.json",
        "--",
    ]);
    command.arg(tool.get_program()).args(["run", "--out", "bundle"]).arg(outside().join(scenario));
    command.current_dir(folder.path());
    for (key, value) in tool.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    let ended = ended(&mut command);
    let read = |path: &str| {
        let said = format!("{name}: exit {}\n{}{}", ended.code, ended.out, ended.err);
        std::fs::read(folder.path().join(path)).unwrap_or_else(|why| panic!("{path}: {why}; {said}"))
    };
    let truth = serde_json::from_slice(&read("truth.json")).expect("JSON");
    let (record, _) = Record::read_ndjson(&read("bundle/events.ndjson")).expect("a whole log");
    Seen { name: format!("{name}, {scenario}"), record, ended, truth }
}
