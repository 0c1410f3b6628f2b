//! The gallery from outside the crate: every file is sound with the real registry of metrics, short enough to try,
//! accepted by the schema; spoilt files never panic.

#![expect(clippy::disallowed_methods, reason = "the gallery lies on disk")]

use farmjank_results::file_error::FileProblem;
use farmjank_results::metric::{Better, Unit};
use farmjank_scenarios::complaint::Complaint;
use farmjank_scenarios::plan::trial_time;
use farmjank_scenarios::read::{ReadOptions, SourceFile, read};
use farmjank_scenarios::scenario::Scenario;
use farmjank_scenarios::schema::schema;
use farmjank_scenarios::vocabulary::maestro::KEYS_NOTED;
use farmjank_scenarios::vocabulary::{COMMANDS, HEADER};
use farmjank_witnesses::schema::accepts;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery")
}

fn files() -> Vec<SourceFile> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the gallery is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    paths.sort();
    let load = |path: PathBuf| {
        let text = std::fs::read(&path).expect("readable");
        SourceFile { name: path.to_string_lossy().into_owned(), text }
    };
    paths.into_iter().map(load).collect()
}

fn read_all(files: &[SourceFile]) -> Result<Vec<Scenario>, Vec<Complaint>> {
    let known = farmjank_results::metrics::registry().iter();
    let metrics: Vec<(&str, Unit, Better)> =
        known.map(|metric| (metric.key, metric.unit, metric.better)).collect();
    let fetch = |path: &str| std::fs::read(path).map_err(|error| FileProblem::from(&error));
    read(files, &BTreeMap::new(), &ReadOptions { metrics: &metrics, sources: &fetch })
}

/// A file's documents as JSON, by the YAML crate's own deserialiser: a second reading, independent of ours.
fn json_of(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).expect("sound YAML")
}

#[test]
fn every_file_is_sound_and_together_they_take_under_a_minute() {
    let scenarios = read_all(&files()).unwrap_or_else(|complaints| {
        panic!("{}", complaints.iter().map(|c| c.render(false)).collect::<String>())
    });
    assert!(scenarios.len() >= 4);
    let total: Duration = scenarios.iter().map(|s| trial_time(s) * (s.iterations + s.warmup)).sum();
    assert!(total < Duration::from_secs(60), "{total:?}");
    assert!(scenarios.iter().all(|scenario| !scenario.windows().is_empty()));
}

#[test]
fn the_schema_on_disk_is_the_schema_of_the_vocabulary() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema.json");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(&path, schema()).expect("writable");
    }
    let on_disk = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(on_disk == schema(), "scenarios/schema.json is out of date: run this test with FARMJANK_BLESS=1");
}

#[test]
fn the_schema_accepts_the_gallery_and_refuses_unknown_keys() {
    let schema: Value = serde_json::from_str(&schema()).expect("the schema is JSON");
    for file in files() {
        for document in json_of(&String::from_utf8(file.text).expect("text")) {
            assert_eq!(accepts(&schema, &document), Ok(()), "{}", file.name);
        }
    }
    let with = |steps: Value| json!({ "appId": "com.example.shop", "steps": steps });
    assert_eq!(accepts(&schema, &with(json!(["back", { "wait": "2s" }]))), Ok(()));
    for wrong in [
        json!({ "appId": "com.example.shop", "steps": [], "treshold": {} }),
        json!({ "appId": "shop", "steps": [] }),
        json!({ "steps": [] }),
        with(json!(["bakc"])),
        with(json!(["swipe"])),
        with(json!([{ "swip": { "direction": "UP" } }])),
        with(json!([{ "swipe": { "directon": "UP" } }])),
        with(json!([{ "back": null, "stopApp": null }])),
        with(json!([{ "repeat": { "times": 0, "steps": [] } }])),
        with(json!([{ "repeat": { "times": 2 } }])),
        with(json!([{ "measure": "a", "step": [] }])),
        with(json!([{ "startRecording": "x" }])),
    ] {
        assert!(accepts(&schema, &wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_schema_names_exactly_the_words_the_reader_knows() {
    let schema: Value = serde_json::from_str(&schema()).expect("the schema is JSON");
    let header = schema["$defs"]["scenario"]["properties"].as_object().expect("properties");
    let spellings = HEADER.iter().flat_map(|key| [&[key.name], key.also].concat()).collect::<Vec<_>>();
    let noted = KEYS_NOTED.iter().filter(|(of, _, _)| *of == "header").map(|(_, key, _)| *key);
    let known = spellings.into_iter().chain(noted).collect::<Vec<_>>();
    assert!(known.iter().all(|name| header.contains_key(*name)) && header.len() == known.len());
    // The reader is asked about each command of the schema, and each key, whether it knows it.
    let steps = schema["$defs"]["step"]["anyOf"].as_array().expect("steps");
    let named: Vec<&str> = steps.iter().filter_map(|step| step["required"][0].as_str()).collect();
    assert_eq!(named, COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>());
    for name in named {
        let text = format!("appId: com.example.shop\nsteps:\n  - {name}: {{ label: x, no_such_key: 1 }}\n");
        let file = SourceFile { name: "s.yaml".to_owned(), text: text.into_bytes() };
        let told: String =
            read_all(&[file]).expect_err(name).iter().map(|c| format!("{}\n", c.what)).collect();
        assert!(told.contains(&format!("unknown key `no_such_key` in `{name}`")), "{told}");
        assert!(!told.contains("unknown command") && !told.contains("`label`"), "{told}");
    }
}

#[test]
fn the_manual_says_what_the_reader_does() {
    let manual = std::fs::read_to_string(folder().join("../README.md")).expect("readable");
    let block = |fence: &str| {
        let from = manual.find(fence).expect(fence) + fence.len();
        manual[from..].split("```").next().unwrap_or_default().to_owned()
    };
    let file = |text: String| SourceFile { name: "scenarios/home.yaml".to_owned(), text: text.into_bytes() };
    let sound = block("```yaml\n");
    assert!(read_all(&[file(sound.clone())]).is_ok(), "{:?}", read_all(&[file(sound.clone())]));
    let complaints = read_all(&[file(sound.replace("{ swipe:", "{ swip:"))]).expect_err("a typo");
    assert_eq!(complaints[0].render(false), block("```text\n"));
}

#[test]
fn two_scenarios_cannot_share_a_name() {
    let mut both = files();
    both.truncate(1);
    let mut copy = both[0].clone();
    copy.name = format!("{}/copy.yaml", folder().display());
    both.push(copy);
    let complaints = read_all(&both).expect_err("one name twice");
    assert_eq!(complaints.len(), 1);
    assert!(complaints[0].what.contains("is called `Home feed` too"), "{:?}", complaints[0]);
}

#[test]
fn complaints_of_every_file_come_at_once() {
    let text = |text: &str| text.as_bytes().to_vec();
    let files = [
        SourceFile { name: "a.yaml".to_owned(), text: text("appId: a.b\nsteps: [ bakc, swip ]\n") },
        SourceFile { name: "b.yaml".to_owned(), text: text("appId: a.b\nsteps: [ back\n") },
        SourceFile { name: "c.yaml".to_owned(), text: text("appid: a.b\nsteps: [ back ]\n") },
    ];
    let complaints = read_all(&files).expect_err("each file is wrong");
    let places: Vec<String> = complaints.iter().map(|c| format!("{}:{}", c.file, c.place.line)).collect();
    assert_eq!(places, ["a.yaml:2", "a.yaml:2", "b.yaml:2", "c.yaml:1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn spoilt_gallery_files_never_panic(
        which: prop::sample::Index,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..20, proptest::collection::vec(any::<u8>(), 0..6)), 1..5)
    ) {
        let mut files = files();
        let file = which.index(files.len());
        let text = &mut files[file].text;
        for (at, length, insert) in cuts {
            let from = at.index(text.len() + 1);
            let to = (from + length).min(text.len());
            text.splice(from..to, insert);
        }
        if let Err(complaints) = read_all(&files) {
            for complaint in complaints {
                prop_assert!(complaint.render(true).contains('^'));
            }
        }
    }
}
