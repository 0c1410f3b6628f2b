//! The page about lab files: its example runs, and every key and fault that the program takes stands on it.

use crate::world::{run, write};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lab-files.md");
    std::fs::read_to_string(path).expect("the page")
}

#[test]
fn the_example_of_the_page_is_a_lab_that_runs() {
    let page = page();
    let example =
        page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", example);
    let listed = run(folder.path(), &["devices", "--lab", "lab.yaml"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    for serial in ["good", "virtual-galaxy-a14-1", "virtual-galaxy-a14-2"] {
        assert!(listed.out.contains(serial), "{}", listed.out);
    }
    let ran =
        run(folder.path(), &["run", "--lab", "lab.yaml", "-s", "good", "--iterations", "5", "--out", "out"]);
    let log = std::fs::read_to_string(folder.path().join("out/events.ndjson"));
    assert!(log.expect("a log").contains("device_gone"), "the fault happened: {}{}", ran.out, ran.err);
}

/// The schema, as the program prints it.
fn schema() -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = run(folder.path(), &["schema", "lab"]);
    assert_eq!(printed.code, 0, "{}", printed.err);
    serde_json::from_str(&printed.out).expect("JSON")
}

/// Every key and every word that the schema knows.
fn words(schema: &Value, all: &mut BTreeSet<String>) {
    match schema {
        Value::Object(keywords) => {
            all.extend(
                keywords
                    .get("properties")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| key.clone()),
            );
            all.extend(
                keywords
                    .get("enum")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned),
            );
            all.extend(keywords.get("const").and_then(Value::as_str).map(str::to_owned));
            keywords.values().for_each(|inner| words(inner, all));
        }
        Value::Array(parts) => parts.iter().for_each(|part| words(part, all)),
        _ => {}
    }
}

#[test]
fn every_key_and_word_of_a_lab_file_stands_on_the_page() {
    let page = page();
    let mut schema = schema();
    // What a phone can have from the start are for tests of farmjank's own: the page names two.
    let own = schema["$defs"].as_object_mut().and_then(|defs| defs.remove("PhoneFault"));
    assert!(own.is_some(), "the faults of a phone");
    let mut all = BTreeSet::new();
    words(&schema, &mut all);
    let missing: Vec<&String> = all.iter().filter(|word| !page.contains(&format!("`{word}"))).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
    assert!(all.len() > 130, "only {} words were asked for", all.len());
}
