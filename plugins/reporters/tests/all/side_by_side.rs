//! Two builds, side by side.

use crate::believable::{Film, Words, events};
use crate::golden::check;
use crate::hostile::{long_words, nasty_words};
use crate::html::{element, index};
use farmjank_reporters::clean;
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_reporters::side_by_side::{Run, html, json, markdown, table};
use farmjank_results::event::Fact;
use farmjank_results::metric::Reading;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;

/// The next build: the first phone is mended, the lost one is not there at all, and the scenario was edited.
fn next(words: &Words) -> Record {
    let mut log = events(words);
    for event in &mut log.events {
        match &mut event.fact {
            Fact::PlanMade { jobs, .. } => {
                jobs.truncate(3);
                jobs[1].hash = "edited".to_owned();
            }
            Fact::TrialFinished { job: 0, windows, .. } => {
                for window in windows {
                    window.readings.insert("hitch_ms_per_s".into(), Reading::Value(1.5));
                    window.readings.insert("fps".into(), Reading::Value(89.0));
                }
            }
            Fact::JobJudged { job: 0, verdict, windows, .. } => {
                *verdict = Verdict::Pass;
                windows.iter_mut().for_each(|window| window.verdict = Verdict::Pass);
            }
            Fact::RunJudged { verdict, exit_code, .. } => (*verdict, *exit_code) = (Verdict::Undecided, 4),
            Fact::RunFinished { exit_code } => *exit_code = 4,
            _ => {}
        }
    }
    let about_lost = |fact: &Fact| {
        matches!(
            fact,
            Fact::LeaseGranted { job: 3, .. }
                | Fact::LeaseReturned { job: 3, .. }
                | Fact::TrialStarted { job: 3, .. }
                | Fact::TrialFinished { job: 3, .. }
                | Fact::JobJudged { job: 3, .. }
        )
    };
    log.events.retain(|event| !about_lost(&event.fact));
    (0..).zip(&mut log.events).for_each(|(seq, event)| event.seq = seq);
    log.record()
}

fn runs<'a>(records: &'a [Record]) -> Vec<Run<'a>> {
    let name = |at: usize| format!("results/runs/build-{at}");
    records.iter().enumerate().map(|(at, record)| Run { name: name(at), record }).collect()
}

#[test]
fn what_changed_has_an_arrow_and_a_word() {
    let words = Words::default();
    let records = [events(&words).record(), next(&words)];
    let runs = runs(&records);
    let text = table(&runs, TextStyle::default());
    check("side-by-side-80.txt", &text);
    check("side-by-side.md", &markdown(&runs, None));
    let line = |key: &str| text.lines().find(|line| line.trim_start().starts_with(key)).expect(key);
    assert!(line("hitch_ms_per_s").contains("1.5 ▼ 96 % –"), "{text}");
    assert!(line("fps").contains("89.0 ▲ 25 % –"), "{text}");
    assert!(text.contains("– not in this run"), "{text}");
    assert!(text.contains("note: B differs from A in: content of the scenario"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&json(&runs)).unwrap();
    let cell = &value["cells"][0];
    assert_eq!(cell["verdicts"], serde_json::json!(["fail", "pass"]));
    assert_eq!(cell["metrics"]["hitch_ms_per_s"]["values"][1], 1.5);
    let lost = value["cells"].as_array().unwrap().iter().find(|cell| cell["verdicts"][1].is_null());
    assert_eq!(lost.expect("the lost phone")["device"], "ZY22HQ7XKL");
}

#[test]
fn however_many_runs_and_whatever_their_names_every_line_fits() {
    for words in [nasty_words(), long_words()] {
        let records: Vec<Record> = (0..7).map(|_| events(&words).record()).collect();
        let runs = runs(&records);
        for columns in [40, 80, 133] {
            for ascii in [false, true] {
                let text = table(&runs, TextStyle { width: columns, color: false, ascii });
                for line in text.lines() {
                    assert!(width(line) <= columns, "{} cells: {line}", width(line));
                    assert!(!line.chars().any(clean::acts), "{line:?}");
                }
                assert!(!ascii || text.is_ascii());
            }
        }
        let frame_logs: Vec<&dyn FrameLogs> = runs.iter().map(|_| &Film as &dyn FrameLogs).collect();
        let one = html(&runs, &frame_logs);
        assert!(!one.contains("<script>alert") && !one.contains("]]>") && one.matches("<main").count() == 1);
        assert!(!one.chars().any(|c| !matches!(c, '\n' | '\t') && clean::acts(c)));
        assert_eq!(index(&one)["runs"].as_array().unwrap().len(), 7);
        let page = markdown(&runs, Some(9_000));
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.len() <= 9_000, "{}", page.len());
        assert!(page.contains("more rows: the page is full"), "{page:.9000}");
        assert!(!page.contains("<script>") && !page.chars().any(|c| c != '\n' && clean::acts(c)));
    }
}

/// The same, eight iterations of each: hitches of one phone rise by much, those of the others stay as they are.
fn longer(words: &Words, of_first: f64) -> Record {
    let mut record = events(words).record();
    for (job, one) in &mut record.jobs {
        let all: Vec<_> = one.trials.iter().filter(|trial| trial.counted).cloned().collect();
        one.trials = all.iter().cycle().take(if all.is_empty() { 0 } else { 8 }).cloned().collect();
        for (nth, trial) in (0..).zip(&mut one.trials) {
            trial.trial = nth;
            for window in &mut trial.windows {
                let hitch = if *job == 1 { of_first } else { 20.0 };
                window.readings.insert("hitch_ms_per_s".into(), Reading::Value(hitch + f64::from(nth)));
            }
        }
        one.planned.iterations = 8;
    }
    record
}

#[test]
fn only_what_the_comparison_shows_is_called_worse() {
    let words = Words::default();
    let text = |old: f64, new: f64| {
        let mut records = [longer(&words, old), longer(&words, new)];
        records[1].header.run = "the next".to_owned();
        let page = html(&runs(&records), &[&Film, &Film]);
        (table(&runs(&records), TextStyle::default()), index(&page))
    };
    let (shown, page) = text(20.0, 400.0);
    assert!(shown.lines().any(|line| line.contains("hitch_ms_per_s") && line.ends_with("worse")), "{shown}");
    let row = &page["cells"][0];
    assert_eq!((&row["phone"], &row["metrics"][0]["states"][1]), (&"39081FDJH00123".into(), &"worse".into()));
    assert_eq!(row["metrics"][0]["worse"][1], true);
    // A little more of what jumps by a third: a number, and no word for it.
    let (noise, page) = text(20.0, 20.3);
    assert!(noise.lines().any(|line| line.contains("hitch_ms_per_s") && line.contains("▲ 1.3 %")), "{noise}");
    let named =
        |line: &str| line.contains('▲') && ["worse", "better"].iter().any(|word| line.ends_with(word));
    assert!(!noise.lines().any(named), "{noise}");
    let worse = |row: &serde_json::Value| row["metrics"].to_string().contains("true");
    assert!(!page["cells"].as_array().expect("rows").iter().any(worse), "nothing is coloured");
}

#[test]
fn one_page_holds_all_runs_the_oldest_first_and_the_worst_change_on_top() {
    let words = Words::default();
    let (mut new, old) = (events(&words).record(), next(&words));
    new.header.wall = "2026-03-02T12:00:00Z".to_owned();
    let records = [new, old];
    let runs = runs(&records);
    let page = html(&runs, &[&Film, &Film]);
    assert_eq!(page, html(&runs, &[&Film, &Film]), "the same runs give the same bytes");
    let mut index = index(&page);
    assert_eq!(index["runs"][0]["name"], "results/runs/build-1", "the older run is the first column");
    let first = &index["cells"][0];
    assert_eq!((&first["window"], &first["phone"]), (&"fling the feed".into(), &"R58N30ABCDE".into()));
    assert_eq!(first["why"], "hitch_ms_per_s ▲ 27 ×, cannot be compared");
    let hitch =
        first["metrics"].as_array().unwrap().iter().find(|one| one["key"] == "hitch_ms_per_s").unwrap();
    assert_eq!(hitch["worse"], serde_json::json!([false, false]));
    assert_eq!(hitch["iterations"][1].as_array().unwrap().len(), 3);
    // Every cell of a row can be opened.
    for part in index["cells"].as_array().unwrap().iter().flat_map(|row| row["runs"].as_array().unwrap()) {
        let key = part["key"].as_str();
        assert!(key.is_none_or(|key| page.contains(&format!("id=\"cell-{key}\">"))), "{part}");
    }
    index["families"] = "of the registry".into();
    let paper: Vec<&str> = element(&page, "<main id=\"app\">", "</main>").lines().collect();
    let text = serde_json::to_string_pretty(&serde_json::json!({ "paper": paper, "index": index }));
    check("side-by-side.html.json", &(text.unwrap() + "\n"));
}
