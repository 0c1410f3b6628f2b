//! Nights, told: as people see them, and whatever phones and people call things.

use crate::golden::check;
use farmjank_reporters::clean;
use farmjank_reporters::history::{HistoryView, depth, listing, markdown, morning, trend};
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::device::DeviceId;
use farmjank_results::trend::{Sweep, lines, sweep};
use farmjank_seams::history::{Calibration, RunRow};
use std::collections::BTreeMap;

fn session(night: usize, window: &str, level: f64) -> CellSession {
    let wobble = 1.0 + 0.1 * ((night * 7 % 5) as f64 - 2.0);
    CellSession {
        key: CellKey {
            model: "Pixel 7".to_owned(),
            build: "google/panther/panther:14/AP1A/1:user/release-keys".to_owned(),
            refresh: 90,
            scenario: "Home feed".to_owned(),
            hash: "00".to_owned(),
            window: window.to_owned(),
            metric: "hitch_ms_per_s".to_owned(),
            metric_version: 1,
            source: "surfaceflinger".to_owned(),
        },
        run: format!("run-{night:02}"),
        wall: format!("2026-03-{:02}T02:00:00Z", night + 1),
        device: DeviceId("2A171FDH20".to_owned()),
        app_version: Some(if night < 24 { "7.4.1 (7410)" } else { "7.5.0 (7500)" }.to_owned()),
        values: [0.9, 1.0, 1.1].map(|part| part * wobble * level).to_vec(),
        seconds: vec![20.0; 3],
        void: Vec::new(),
        effect: None,
    }
}

/// Thirty nights of three windows: one slower since the 25th, one quiet with a void night, one young.
fn nights() -> Vec<CellSession> {
    let slow = (0..30).map(|night| session(night, "fling the feed", if night < 24 { 14.0 } else { 41.0 }));
    let quiet = (0..30).map(|night| {
        let session = session(night, "open an item", 9.0);
        match night {
            // Two of five are void: the night does not count.
            17 => CellSession { void: vec!["iteration 4: the phone was hot".to_owned(); 2], ..session },
            _ => session,
        }
    });
    let young = (24..30).map(|night| session(night, "fling the results", 20.0));
    slow.chain(quiet).chain(young).collect()
}

fn judged(sessions: &[CellSession]) -> Sweep {
    sweep(lines(sessions, |run| run[run.len() - 2..].parse().unwrap()), 10, None)
}

fn runs(word: &str) -> BTreeMap<String, RunRow> {
    let row = |night: usize| RunRow {
        id: format!("run-{night:02}"),
        wall: format!("2026-03-{:02}T02:00:00Z", night + 1),
        tool: "farmjank".to_owned(),
        lab: None,
        verdict: None,
        labels: [("commit".to_owned(), format!("{word}c0ffee{night}"))].into(),
    };
    (0..30).map(row).map(|row| (row.id.clone(), row)).collect()
}

fn told<'a>(
    sweep: &'a Sweep,
    runs: &'a BTreeMap<String, RunRow>,
    noise: &'a [Calibration],
) -> HistoryView<'a> {
    HistoryView { place: "results/history.sqlite", sweep, runs, calibrations: noise }
}

#[test]
fn a_morning_a_list_and_a_cell_are_what_people_see() {
    let (sweep, runs) = (judged(&nights()), runs(""));
    let key = sweep.trends[0].line.key.clone();
    let noise = [Calibration {
        key,
        run: "calibrating".to_owned(),
        wall: "2026-02-20T12:00:00Z".to_owned(),
        iterations: 15,
        sd: 3.2,
        session_sd: Some(0.12),
        mde: 3.3,
    }];
    let all = told(&sweep, &runs, &noise);
    check("trend-80.txt", &morning(&all, 1, TextStyle::default()));
    check("trend.md", &markdown(&all, 1));
    check("trend.json", &trend(&all, 1));
    check("history-80.txt", &listing(&all, TextStyle::default()));
    let only = |window: &str| Sweep {
        effect: None,
        trends: sweep.trends.iter().filter(|one| one.line.key.window == window).cloned().collect(),
        newest: sweep.newest,
    };
    let (slow, quiet) = (only("fling the feed"), only("open an item"));
    check("history-cell-80.txt", &depth(&told(&slow, &runs, &noise), TextStyle::default()));
    let text = depth(&told(&quiet, &runs, &[]), TextStyle { width: 60, ascii: true, color: false });
    check("history-cell-60-ascii.txt", &text);
    assert!(text.contains("does not count: 2 void (iteration 4: the phone was hot)"), "{text}");
}

#[test]
fn whatever_things_are_called_every_line_fits_and_nothing_acts() {
    let nasty = "\u{1b}[31m<script>alert(1)</script>\u{202e}|`@you #1\r\n";
    for word in [nasty.to_owned(), "long ".repeat(400), "wide小米".repeat(90)] {
        let mut sessions = nights();
        for session in &mut sessions {
            let CellSession { key, device, app_version, void, .. } = session;
            for text in [&mut key.model, &mut key.build, &mut key.scenario, &mut key.source, &mut device.0] {
                *text = format!("{word}{text}");
            }
            key.window = format!("{}{word}", key.window);
            *app_version = app_version.as_ref().map(|version| format!("{word}{version}"));
            void.iter_mut().for_each(|cause| *cause = word.clone());
        }
        let (sweep, runs) = (judged(&sessions), runs(&word));
        let all = told(&sweep, &runs, &[]);
        for columns in [40, 80, 133] {
            for ascii in [false, true] {
                let style = TextStyle { width: columns, color: false, ascii };
                for text in [morning(&all, 1, style), listing(&all, style), depth(&all, style)] {
                    for line in text.lines() {
                        assert!(width(line) <= columns, "{} cells: {line}", width(line));
                        assert!(!line.chars().any(clean::acts), "{line:?}");
                    }
                    assert!(!ascii || text.is_ascii(), "{text}");
                }
            }
        }
        let page = markdown(&all, 1);
        assert!(!page.contains("<script>") && !page.chars().any(|c| c != '\n' && clean::acts(c)), "{page}");
        assert!(page.len() < 60_000, "{}", page.len());
        let json = trend(&all, 1);
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
        assert!(!json.chars().any(|c| c != '\n' && clean::acts(c)), "{json}");
    }
}
