//! Files as people write them: what they come to, and what is said of their mistakes.

use super::*;
use crate::key::{KEYS, Key};
use std::collections::BTreeMap;

fn complaints(text: &str) -> String {
    let all = Config::read("farmjank.toml", text.as_bytes(), "").expect_err("it is wrong");
    all.iter().map(|one| one.render(false)).collect::<Vec<_>>().join("\n")
}

fn config(text: &str) -> Config {
    Config::read("farmjank.toml", text.as_bytes(), "")
        .unwrap_or_else(|all| panic!("{}", all.iter().map(|one| one.render(false)).collect::<String>()))
}

/// What counts, as `key=value (origin)`, of a command that has every flag, given these flags and variables.
fn counts(
    text: &str,
    profile: Option<&str>,
    flags: &[(&'static str, &str)],
    env: &[(&str, &str)],
) -> Vec<String> {
    let mut given: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (name, value) in flags {
        given.entry(name).or_default().push((*value).to_owned());
    }
    let env = |name: &str| env.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
    let told = Told {
        flags: &given,
        env: &env,
        takes: &|_| true,
        conflicts: &|a, b| [a, b] == ["adb", "lab"] || [a, b] == ["lab", "adb"],
        built_in: &|key: &Key| (key.name == "retries").then(|| "2".to_owned()),
    };
    let settled = settle(Some(&config(text)), profile, &told).expect("it settles");
    let shown = |one: &Setting| {
        let value = one.value.as_ref()?.shown();
        let why = one.unused.as_ref().map_or_else(String::new, |why| format!(" unused: {why}"));
        Some(format!("{}={value} ({}){why}", one.key.name, one.origin.words("f")))
    };
    settled.settings.iter().filter_map(shown).collect()
}

#[test]
fn a_flag_stands_above_the_environment_the_profile_the_default_and_what_is_built_in() {
    let text = "[default]\niterations = 3\nwarmup = 1\njobs = 4\nallow-missing = true\n\n[profile.gate]\niterations = 5\nwarmup = 2\nallow-missing = false\n";
    let all = counts(text, Some("gate"), &[("iterations", "9")], &[("FARMJANK_WARMUP", "0")]);
    assert_eq!(
        all,
        [
            "allow-missing=false (profile gate, f:10)",
            "iterations=9 (flag)",
            "warmup=0 (environment, FARMJANK_WARMUP)",
            "jobs=4 (default, f:4)",
            "retries=2 (built in)"
        ]
    );
}

#[test]
fn a_profile_adds_to_the_one_it_inherits_from() {
    let text = "[profile.ci]\nretries = 1\nquiet = true\n[profile.gate]\ninherits = 'ci'\nretries = 0\n";
    assert_eq!(
        counts(text, Some("gate"), &[], &[]),
        ["retries=0 (profile gate, f:6)", "quiet=true (profile ci, f:3)"]
    );
}

#[test]
fn variables_and_labels_of_all_levels_count_each_name_by_its_highest() {
    let text = "[default.env]\nAPP = 'a'\nUSER = 'u'\n[default.label]\nteam = 'feed'\n[profile.gate]\nenv = ['APP=b', 'TOKEN']\n";
    let all = counts(text, Some("gate"), &[("env", "USER=v"), ("label", "commit=1")], &[]);
    assert_eq!(
        all,
        [
            "env=USER=v (flag)",
            "env=APP=b (profile gate, f:7)",
            "env=TOKEN (profile gate, f:7)",
            "retries=2 (built in)",
            "label=commit=1 (flag)",
            "label=team=feed (default, f:4)"
        ]
    );
}

#[test]
fn what_does_not_go_with_a_flag_steps_back_and_what_needs_another_waits_for_it() {
    let text = "[default]\nadb = 'rack:5037'\nseed = 4\n";
    let all = counts(text, None, &[("lab", "demo")], &[]);
    assert_eq!(
        all,
        [
            "adb=rack:5037 (default, f:2) unused: `lab` is given",
            "lab=demo (flag)",
            "seed=4 (default, f:3)",
            "retries=2 (built in)"
        ]
    );
    let all = counts(text, None, &[], &[]);
    assert!(all.contains(&"seed=4 (default, f:3) unused: it needs `lab`".to_owned()), "{all:?}");
}

#[test]
fn what_stands_for_some_phones_comes_with_its_origin_and_gives_way_to_flags() {
    let text = "[[overrides]]\ndevices = 'refresh >= 120'\niterations = 9\nprepare = 'refresh_rate=60'\n\n[[profile.gate.overrides]]\ndevices = 'sdk < 29'\nwarmup = 3\n";
    let settled = |flags: &BTreeMap<&'static str, Vec<String>>| {
        let told =
            Told { flags, env: &|_| None, takes: &|_| true, conflicts: &|_, _| false, built_in: &|_| None };
        settle(Some(&config(text)), Some("gate"), &told).expect("it settles").overrides
    };
    let all = settled(&BTreeMap::new());
    let own: Vec<_> = all.iter().map(|(own, from)| (own.iterations, own.warmup, from.words("f"))).collect();
    assert_eq!(
        own,
        [(Some(9), None, "default, f:1".to_owned()), (None, Some(3), "profile gate, f:6".to_owned())]
    );
    let all = settled(&[("iterations", vec!["1".to_owned()]), ("warmup", vec!["1".to_owned()])].into());
    assert_eq!(all.iter().map(|(own, _)| own.wishes.to_string()).collect::<Vec<_>>(), ["refresh_rate=60"]);
}

#[test]
fn every_mistake_is_told_at_its_place_with_what_is_meant() {
    let text = "iterations = 3
[default]
itertions = 3
retries = -1
priority = 'urgent'
wait-for-devices = '60'
prepare = ['brightness=5']
[profile.gate]
inherits = 'cj'
allow-missing = 'yes'
[profile.ci]
[[overrides]]
devices = 'sdk >> 29'
[[overrides]]
iterations = 2
jobs = 3
";
    let told = complaints(text);
    let expected = include_str!("tests/mistakes.txt");
    assert_eq!(told, expected, "{told}");
}

#[test]
fn a_file_that_is_no_toml_is_told_with_its_place() {
    let told = complaints("[default]\niterations 3\nwarmup = 'x\n");
    assert!(told.contains("farmjank.toml:2:") && told.contains("iterations 3"), "{told}");
    let circle = complaints("[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'\n");
    assert!(circle.contains("profile `a` inherits from itself"), "{circle}");
    let bytes = Config::read("farmjank.toml", b"[default]\ncompile = '\xff'\n", "").expect_err("not UTF-8");
    assert_eq!((bytes.len(), bytes[0].place.line), (1, 2));
}

#[test]
fn a_profile_or_a_variable_that_is_none_says_what_there_is() {
    let settled = |profile, env: &dyn Fn(&str) -> Option<String>| {
        let flags = BTreeMap::new();
        let told =
            Told { flags: &flags, env, takes: &|_| true, conflicts: &|_, _| false, built_in: &|_| None };
        settle(Some(&config("[profile.gate]\n[profile.nightly]\n")), profile, &told)
            .expect_err("it does not")
            .to_string()
    };
    assert_eq!(settled(Some("gaet"), &|_| None), "no profile is called `gaet`; write `gate`");
    assert_eq!(settled(Some("x"), &|_| None), "no profile is called `x`; there are `gate` or `nightly`");
    let env = |name: &str| (name == "FARMJANK_JOBS").then(|| "many".to_owned());
    assert_eq!(settled(None, &env), "FARMJANK_JOBS=`many`: `jobs` takes a whole number, 1 or more");
}

#[test]
fn the_schema_knows_every_key_in_each_section() {
    let schema: serde_json::Value =
        serde_json::from_str(&schema::schema(&|key| key.variable())).expect("JSON");
    for key in KEYS {
        for section in ["default", "profile"] {
            let own = &schema["$defs"][section]["properties"][key.name];
            assert_eq!(own["description"], key.variable(), "{section} {}", key.name);
        }
    }
    assert_eq!(schema["$defs"]["overrides"]["items"]["required"][0], "devices");
}
