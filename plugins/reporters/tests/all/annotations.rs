//! GitHub annotations, read as the runner reads them.

use crate::believable::{Words, events};
use crate::hostile::{long_words, nasty_words};
use farmjank_reporters::github::{MOST, annotations, uncommanded};
use farmjank_results::event::Fact;
use std::collections::BTreeMap;

/// A workflow command.
struct Command {
    name: String,
    properties: BTreeMap<String, String>,
    message: String,
}

/// As the runner does it: `::name key=value,key=value::message`, then the escapes undone.
fn read(line: &str) -> Command {
    let (head, message) = line.strip_prefix("::").expect("a command").split_once("::").expect("its end");
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let undone = |text: &str| {
        ["%0D\r", "%0A\n", "%3A:", "%2C,", "%25%"]
            .iter()
            .fold(text.to_owned(), |text, pair| text.replace(&pair[..3], &pair[3..]))
    };
    let property = |pair: &str| {
        let (key, value) = pair.split_once('=').expect("key=value");
        (key.to_owned(), undone(value))
    };
    let properties = properties.split(',').map(property).collect();
    Command { name: name.to_owned(), properties, message: undone(message) }
}

#[test]
fn the_place_and_the_numbers_are_told() {
    let text = annotations(&events(&Words::default()).record());
    let commands: Vec<Command> = text.lines().map(read).collect();
    let first = &commands[0];
    assert_eq!(first.name, "error");
    assert_eq!(first.properties["file"], "scenarios/home_feed.yaml");
    assert_eq!((first.properties["line"].as_str(), first.properties["col"].as_str()), ("14", "5"));
    assert!(first.properties["title"].starts_with("fail: fling the feed on SM-A146P"));
    assert!(first.message.contains("hitch_ms_per_s is 42.1 ms/s, limit mean < 10"), "{}", first.message);
    let lost = commands.iter().find(|one| one.message.contains("the phone was lost")).unwrap();
    assert_eq!(lost.name, "warning", "a lost phone is no word about the app");
    assert_eq!(text.matches("the phone was lost").count(), 1, "told once, not once per window");
    let last = commands.last().unwrap();
    assert_eq!(last.name, "notice");
    assert!(last.message.starts_with("fail: 2 failed, 3 broken, 1 undecided, 6 passed"), "{}", last.message);
}

#[test]
fn the_worst_ten_and_a_count() {
    let mut log = events(&Words::default());
    for event in &mut log.events {
        match &mut event.fact {
            Fact::PlanMade { jobs, .. } => {
                let of_first = jobs[0].windows.clone();
                jobs[0].windows = (0..14)
                    .map(|at| {
                        let mut window = of_first[0].clone();
                        window.name = format!("window {at}");
                        window
                    })
                    .collect();
            }
            Fact::JobJudged { job: 0, windows, .. } => {
                let bad = windows[0].clone();
                *windows = (0..14)
                    .map(|at| {
                        let mut one = bad.clone();
                        one.window = format!("window {at}");
                        one.judgements[1].actual = Some(20.0 + f64::from(at) * 100.0);
                        one
                    })
                    .collect();
            }
            Fact::TrialFinished { job: 0, windows, .. } => windows.clear(),
            _ => {}
        }
    }
    let text = annotations(&log.record());
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(errors.len(), MOST);
    assert!(errors[0].contains("window 13 "), "the worst comes first: {}", errors[0]);
    assert!(text.lines().last().unwrap().contains("(the worst 12 of 16 are annotated)"), "{text}");
}

#[test]
fn no_text_begins_a_command_of_its_own() {
    for words in [nasty_words(), long_words()] {
        let mut words = words;
        words.scenario = format!("x\n::add-mask::y {}", words.scenario);
        words.models[0] = "a,line=1::stop-commands::t\r\n::error::%0A".to_owned();
        let text = annotations(&events(&words).record());
        assert!(text.len() < 60_000, "{}", text.len());
        for line in text.lines() {
            let command = read(line);
            assert!(["error", "warning", "notice"].contains(&command.name.as_str()), "{line:.200}");
            let known = |key: &&String| ["file", "line", "col", "title"].contains(&key.as_str());
            assert!(command.properties.keys().all(|key| known(&key)), "{line:.200}");
        }
        let told = uncommanded(&format!("{}\n##[x]", words.scenario));
        assert!(!told.lines().any(|line| line.trim_start().starts_with("::")) && !told.contains("##["));
    }
}
