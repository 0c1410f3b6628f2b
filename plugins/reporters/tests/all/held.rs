//! A run held against a baseline, in every report that tells of it.

use crate::anywhere::{Gallery, pictured};
use crate::believable::{Log, Words, events};
use crate::golden::check;
use crate::hostile::{NASTY, nasty_words};
use farmjank_reporters::junit::{Options, junit};
use farmjank_reporters::{clean, comparison, github, html, json, markdown};
use farmjank_results::cell::CellKey;
use farmjank_results::compare::{CellCompared, Compared, Design, Role, Source, State};
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Event, Fact};
use farmjank_results::metric::{Better, Unit};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::NoFrameLogs;

/// One comparison: base, new, how far apart.
fn cell(
    words: &Words,
    (phone, window): (usize, usize),
    metric: &str,
    state: State,
    base: f64,
    new: f64,
) -> CellCompared {
    let (unit, better) = match metric {
        "fps" => (Unit::Fps, Better::Higher),
        "frozen_frames" => (Unit::Count, Better::Lower),
        _ => (Unit::MsPerS, Better::Lower),
    };
    let by = new - base;
    let (model, window) = (words.models[phone].clone(), words.windows[window].clone());
    let sentence = format!(
        "{window} on {model}: {metric} {base} → {new} ({by:+.1}, 95 % {:.1}…{:.1})",
        by - 4.0,
        by + 4.0
    );
    let key = CellKey {
        model,
        build: "build".to_owned(),
        refresh: 60,
        scenario: words.scenario.clone(),
        hash: "9f86d081884c7d65".to_owned(),
        window,
        metric: metric.to_owned(),
        metric_version: 1,
        source: "surfaceflinger".to_owned(),
    };
    CellCompared {
        key,
        device: DeviceId(words.serials[phone].clone()),
        phones: None,
        role: if metric == "hitch_ms_per_s" { Role::Primary } else { Role::Secondary },
        state,
        design: Some(Design::Stored),
        unit: Some(unit),
        better,
        base: Some(base),
        new: Some(new),
        means: Some((base, new)),
        estimate: Some(by),
        interval: Some((by - 4.0, by + 4.0)),
        mean_interval: None,
        terrible: None,
        p_two_sided: Some(0.001),
        p_worse: Some(0.0005),
        p_adjusted: Some(0.003),
        n: (15, 3),
        sessions: (5, 1),
        independent: None,
        mei: Some(10.0),
        mde: Some(7.5),
        looks: None,
        screened_out: false,
        noise_nights: None,
        reasons: Vec::new(),
        sentence,
        quarantined: false,
    }
}

/// The believable run, held against a baseline: slower where limits fail already, slower where they hold, as before,
/// and without a baseline.
pub fn held(words: &Words, name: &str) -> Log {
    let mut log = events(words);
    let hitch = "hitch_ms_per_s";
    let mut lost = cell(words, (2, 2), hitch, State::NoBaseline, 0.0, 0.3);
    (lost.base, lost.means, lost.estimate, lost.interval) = (None, None, None, None);
    lost.sentence = format!("{}: hitch 0.3 ms/s; no baseline: another OS build", words.windows[2]);
    lost.design = None;
    let cells = vec![
        cell(words, (0, 0), hitch, State::Regression, 11.0, 42.1),
        cell(words, (0, 0), "fps", State::Regression, 88.2, 71.2),
        cell(words, (0, 1), hitch, State::Pass, 9.8, 10.004),
        cell(words, (1, 0), hitch, State::Pass, 0.4, 0.4),
        cell(words, (1, 1), hitch, State::Regression, 0.1, 0.9),
        cell(words, (1, 2), hitch, State::Improvement, 14.0, 0.0),
        cell(words, (2, 0), hitch, State::Inconclusive, 2.0, 2.2),
        lost,
    ];
    let baseline =
        Source { name: name.to_owned(), wall: Some("2026-02-20T08:00:00Z".to_owned()), by: None, why: None };
    let notes = vec!["2 cells only the baseline has".to_owned()];
    let at = log.events.iter().position(|event| matches!(event.fact, Fact::RunJudged { .. })).unwrap();
    let fact = Fact::RunCompared(Box::new(Compared { baseline, cells, notes }));
    log.events.insert(at, Event { seq: 0, at: log.events[at].at, shard: None, fact });
    (0..).zip(&mut log.events).for_each(|(seq, event)| event.seq = seq);
    log
}

fn record() -> Record {
    held(&Words::default(), "nightly").record()
}

#[test]
fn the_page_says_what_changed_beside_each_limit() {
    let page = markdown::markdown(&record(), &NoFrameLogs, markdown::MOST);
    check("summary-compared.md", &page);
    let row = |part: &str| {
        page.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in {page}"))
    };
    assert!(
        row("> **Against** nightly")
            .contains("2 regression, 1 no baseline, 1 inconclusive, 1 improvement, 2 pass")
    );
    assert!(row("mean &lt; 10 | 42.1").ends_with("| regression ▲ 283 % worse |"), "{page}");
    let slower = row("no more than 10.0 ms/s worse");
    assert!(
        slower.contains("open an article") && slower.ends_with("| regression ▲ 800 % worse |"),
        "{slower}"
    );
    assert!(
        page.contains("- ✗ regression: hitch\\_ms\\_per\\_s 11 → 42.1 (+31.1, 95 % 27.1…35.1)"),
        "{page}"
    );
    // Every table keeps its columns.
    for block in page.split("\n\n").filter(|block| block.starts_with('|')) {
        let widths: Vec<usize> =
            block.lines().map(|line| line.replace("\\|", "").matches('|').count()).collect();
        assert!(widths.windows(2).all(|two| two[0] == two[1]), "{block}");
    }
    assert!(page.contains("- 2 cells only the baseline has"), "{page}");
    // Without a baseline nothing of it is said.
    let plain = markdown::markdown(&events(&Words::default()).record(), &NoFrameLogs, markdown::MOST);
    assert!(!plain.contains("baseline"), "{plain}");
}

#[test]
fn the_report_shows_what_changed_and_what_was_on_the_screen() {
    let log = pictured(held(&Words::default(), "nightly"));
    let page = html::html(&log.record(), &Gallery);
    let index = crate::html::index(&page);
    let lines: Vec<serde_json::Value> = index["cells"].as_array().unwrap().iter().map(|cell| {
        serde_json::json!({ "window": cell["window"], "phone": cell["phone"], "verdict": cell["verdict"], "why": cell["why"], "since": cell["since"] })
    }).collect();
    let (first, bytes) = crate::html::unpacked(&crate::html::cells(&page)["0-0"]);
    let text = serde_json::to_string_pretty(&serde_json::json!({
        "baseline": index["run"]["baseline"], "cells": lines, "compared": first["compared"],
        "screens": first["iterations"][0]["screens"], "bytes": bytes,
    }));
    check("html-compared.json", &(text.unwrap() + "\n"));
    let since = |window: &str, phone: &str| {
        &lines.iter().find(|one| one["window"] == window && one["phone"] == phone).unwrap()["since"]
    };
    assert_eq!(*since("fling the feed", "R58N30ABCDE"), serde_json::json!(["▲ 283 % worse", true]));
    assert_eq!(*since("back to the feed", "39081FDJH00123"), serde_json::json!(["▼ 100 % better", false]));
    assert!(
        since("open an article", "R58N30ABCDE").is_null(),
        "what was not found to change is not told as a change"
    );
    let warm: serde_json::Value = serde_json::from_str(&json::json(&log.record())).unwrap();
    assert_eq!(warm["cells"][0]["screens"][1]["hitch"], true);
    assert_eq!(warm["cells"][0]["screens"].as_array().unwrap().len(), 3, "of the warm-up alone");
}

#[test]
fn a_page_too_long_keeps_the_verdict_and_what_it_was_held_against() {
    let record = record();
    let whole = markdown::markdown(&record, &NoFrameLogs, markdown::MOST);
    for most in [whole.len() - 1, whole.len() / 2, 2_000] {
        let page = markdown::markdown(&record, &NoFrameLogs, most);
        assert!(
            page.len() <= most && page.contains("## ❌ fail: ") && page.contains("**Against** nightly"),
            "{page}"
        );
    }
}

#[test]
fn a_regression_is_annotated_as_one() {
    let text = github::annotations(&record());
    let line = text.lines().find(|line| line.contains("title=regression%3A open an article on Pixel 8 Pro"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with("::error file=scenarios/home_feed.yaml,line=22,col=5,"), "{line}");
    assert!(line.contains("hitch_ms_per_s 0.1 → 0.9 (+0.8, 95 %25 -3.2…4.8)"), "{line}");
    let last = text.lines().last().unwrap();
    assert!(last.contains("; against nightly, 2026-02-20: 2 regression, "), "{last}");
}

#[test]
fn a_regression_fails_its_case() {
    let text = junit(&record(), &Options::default());
    crate::dialect::readable(&text);
    assert_eq!(text.matches("type=\"regression.hitch_ms_per_s\"").count(), 1, "{text}");
    assert!(text.contains("type=\"undecided.inconclusive\""), "{text}");
    assert!(text.contains("compared with: nightly, 2026-02-20"), "{text}");
}

#[test]
fn what_baselines_and_builds_call_themselves_is_only_text() {
    let record = held(&nasty_words(), NASTY).record();
    let texts = [
        markdown::markdown(&record, &NoFrameLogs, markdown::MOST),
        github::annotations(&record),
        junit(&record, &Options::default()),
        json::json(&record),
    ];
    for text in &texts {
        let acts = text.chars().find(|c| *c != '\n' && clean::acts(*c));
        assert!(acts.is_none(), "{acts:?} in {text:.500}");
    }
    assert!(!texts[0].contains("<script>") && !texts[2].contains("<script>") && !texts[2].contains("]]>"));
    let page = html::html(&record, &NoFrameLogs);
    assert!(
        !page.contains("<script>alert") && !page.chars().any(|c| c != '\n' && c != '\t' && clean::acts(c))
    );
}

#[test]
fn verdicts_include_what_the_baseline_says() {
    let record = record();
    let verdict = |window: &str, phone: &str| {
        let cells = farmjank_reporters::cells::cells(&record);
        let found =
            cells.iter().find(|cell| cell.name == window && cell.device().is_some_and(|id| id.0 == phone));
        found.and_then(|cell| cell.verdict)
    };
    assert_eq!(verdict("open an article", "39081FDJH00123"), Some(Verdict::Fail));
    assert_eq!(verdict("fling the feed", "39081FDJH00123"), Some(Verdict::Pass));
    assert_eq!(verdict("fling the feed", "2B171JEGR05677"), Some(Verdict::Undecided));
}

#[test]
fn a_baseline_that_is_too_short_is_not_called_absent() {
    let mut lost = cell(&Words::default(), (0, 0), "hitch_ms_per_s", State::NoBaseline, 1.0, 1.0);
    assert_eq!(comparison::word_of(&lost), "too few");
    lost.design = None;
    assert_eq!(comparison::word_of(&lost), "no baseline");
}
