//! Maestro's flows: which load as they are, what `import` makes of them, and that what it tells to do works.

use crate::world::{run, write};
use serde_json::Value;
use std::path::Path;

/// Constructs of flows, how many of 283 flows of four public apps wait for each (one that needs several is counted at
/// the last), and flows that use it in the ways people write it, parted by `====`.
const CORPUS: &str = include_str!("flows/corpus.yaml");

struct Construct {
    name: String,
    of_283: usize,
    flows: Vec<String>,
}

fn corpus() -> Vec<Construct> {
    let mut all = Vec::new();
    for part in CORPUS.split("\n#### ").skip(1) {
        let (head, flows) = part.split_once('\n').expect("a head and flows");
        let (name, count) = head.rsplit_once(' ').expect("a name and a number");
        let flow = |steps: &str| format!("appId: com.example.shop\n{}\n", steps.trim());
        all.push(Construct {
            name: name.to_owned(),
            of_283: count.parse().expect("a number"),
            flows: flows.split("\n====\n").map(flow).collect(),
        });
    }
    all
}

/// Complaints of a check, by file.
fn complaints(folder: &Path, args: &[&str]) -> Vec<(String, String)> {
    let ended = run(folder, &[&["check", "--format", "json", "-e", "USERNAME=me"], args].concat());
    let all: Value =
        serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}{}", ended.out, ended.err));
    let text = |one: &Value, key: &str| one[key].as_str().expect("text").to_owned();
    let complaints = all["complaints"].as_array().expect("complaints");
    complaints.iter().map(|one| (text(one, "file"), text(one, "what"))).collect()
}

fn same(snapshot: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/flows").join(snapshot);
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(&path, text).expect("writable");
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default());
}

#[test]
fn flows_as_people_write_them_load_or_say_why_not_and_import_takes_them_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let mut table = "construct                  of 283  loads  without\n".to_owned();
    let (mut loading, mut all) = (0, 0);
    for (nth, construct) in corpus().iter().enumerate() {
        let files: Vec<String> =
            (0..construct.flows.len()).map(|at| format!("flows/f{nth:02}-{at}.yaml")).collect();
        for (file, flow) in files.iter().zip(&construct.flows) {
            write(place, file, flow);
        }
        write(place, "flows/fragment.yaml", "- tapOn: Accept\n- assertVisible: Home\n");
        write(place, "flows/script.js", "output.token = 'x' + MAESTRO_PLATFORM_NAME\n");
        let wrong = complaints(place, &files.iter().map(String::as_str).collect::<Vec<_>>());
        let mut whats: Vec<&str> = wrong.iter().map(|(_, what)| what.as_str()).collect();
        whats.dedup();
        let loads = wrong.is_empty();
        loading += if loads { construct.of_283 } else { 0 };
        all += construct.of_283;
        let line = format!(
            "{:26} {:6}  {:5}  {}",
            construct.name,
            construct.of_283,
            if loads { "yes" } else { "no" },
            whats.join("; ")
        );
        table += &format!("{}\n", line.trim_end());
    }
    table += &format!("\n{loading} of {all}\n");
    same("corpus.txt", &table);

    let imported = run(place, &["import", "flows", "-e", "USERNAME=me"]);
    assert_eq!(imported.code, 0, "{}{}", imported.out, imported.err);
    assert_eq!(complaints(place, &["scenarios"]), []);
}

#[test]
fn a_flow_becomes_a_scenario_with_windows_that_measure_in_the_lab_by_commands_the_tool_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let browse = "appId: com.example.shop\nname: Browse\n---\n- runFlow: sub/start.yaml\n- openLink: shop://feed\n- swipe: { direction: UP }\n- waitForAnimationToEnd\n- setLocation:\n    latitude: 52.5\n    longitude: 13.4\n- runFlow:\n    when: { visible: Rate us }\n    commands:\n      - swipe: { direction: LEFT }\n";
    write(place, "flows/browse.yaml", browse);
    write(
        place,
        "flows/sub/start.yaml",
        "appId: ${APP_ID}\n---\n- launchApp: { clearKeychain: true }\n- pinch\n",
    );
    let imported = run(place, &["import", "flows"]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    same("import.txt", &imported.out);
    let told = imported.out.lines().filter_map(|line| line.trim().strip_prefix("farmjank "));
    let told: Vec<String> = told.map(|line| line.replace("=VALUE", "=com.example.shop")).collect();
    assert_eq!(told.len(), 2);
    for command in told {
        let lab: &[&str] = if command.starts_with("run") { &["--lab", "demo", "--out", "out"] } else { &[] };
        let words: Vec<&str> = command.split(' ').chain(lab.iter().copied()).collect();
        let ended = run(place, &words);
        assert_eq!(ended.code, 0, "{command}: {}{}", ended.out, ended.err);
        assert!(!ended.out.contains("start"), "a part of another flow is none: {}", ended.out);
    }
    let log = std::fs::read_to_string(place.join("out/results.json")).expect("results");
    assert!(log.contains("\"scroll after shop://feed\""), "the window was measured");

    // What is there stays.
    write(place, "scenarios/browse.yaml", "mine");
    let again = run(place, &["import", "flows/browse.yaml"]);
    assert!(again.out.contains("kept   scenarios/browse.yaml"), "{}", again.out);
    assert_eq!(std::fs::read_to_string(place.join("scenarios/browse.yaml")).expect("it"), "mine");
    let over = run(place, &["import", "--overwrite", "flows/browse.yaml"]);
    assert!(over.out.contains("wrote  scenarios/browse.yaml"), "{}", over.out);
}

#[test]
fn what_is_no_flow_is_refused_with_its_place_and_the_others_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    write(place, "flows/good.yaml", "appId: com.example.shop\n---\n- launchApp\n- scroll\n");
    write(place, "flows/bad.yaml", "appId: com.example.shop\n---\n- launchApp: [\n");
    let ended = run(place, &["import", "flows", "--to", "mine"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("flows/bad.yaml:") && ended.err.contains('^'), "{}", ended.err);
    assert!(place.join("mine/good.yaml").exists() && !place.join("mine/bad.yaml").exists());
    assert!(ended.out.contains("1 flow could not be imported"), "{}", ended.out);
    let none = run(place, &["import", "nowhere"]);
    assert!(none.code == 2 && none.err.contains("nowhere"), "{}", none.err);
    // A flow reaches no file outside its folder.
    write(place, "secret.yaml", "- tapOn: secret\n");
    write(place, "own/flow.yaml", "appId: com.example.shop\n---\n- launchApp\n- runFlow: ../secret.yaml\n");
    let outside = run(place, &["import", "own", "--to", "safe"]);
    assert!(outside.out.contains("left out: runFlow on line 4"), "{}{}", outside.out, outside.err);
    assert!(!outside.out.contains("tapOn") && !place.join("safe/secret.yaml").exists(), "{}", outside.out);
}

#[test]
fn what_a_flow_runs_above_its_folder_is_written_below_where_scenarios_go_and_never_in_its_own_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    std::fs::create_dir(place.join(".git")).expect("a repository");
    let login = "- launchApp\n- pinch\n";
    write(place, "shared/login.yaml", login);
    write(
        place,
        "flows/main.yaml",
        "appId: com.example.shop\n---\n- runFlow: ../shared/login.yaml\n- scroll\n",
    );
    let here = place.join("flows");
    for more in [&[][..], &["--overwrite"]] {
        let ended = run(&here, &[&["import", "main.yaml"], more].concat());
        assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
        assert!(here.join("scenarios/flows/main.yaml").exists(), "{}", ended.out);
        assert!(here.join("scenarios/shared/login.yaml").exists(), "{}", ended.out);
        assert_eq!(std::fs::read_to_string(place.join("shared/login.yaml")).expect("the flow"), login);
    }
    assert_eq!(complaints(&here, &["scenarios"]), []);
}

#[test]
fn a_scenario_without_a_window_that_nobody_else_runs_is_one_of_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let own = "appId: com.example.shop\nname: Own\n---\n- launchApp\n- runFlow: { commands: [ back ] }\n";
    write(place, "s/own.yaml", own);
    write(place, "s/part.yaml", &own.replace("Own", "Part"));
    write(
        place,
        "s/whole.yaml",
        "appId: com.example.shop\nname: Whole\n---\n- runFlow: part.yaml\n- scroll\n",
    );
    let listed = run(place, &["check", "s"]);
    let names: Vec<&str> = ["Own", "Part", "Whole"]
        .into_iter()
        .filter(|name| listed.out.contains(&format!("  {name} (")))
        .collect();
    assert_eq!(names, ["Own", "Whole"], "{}{}", listed.out, listed.err);
    assert!(
        run(place, &["check", "s/part.yaml", "s/whole.yaml"]).out.contains("  Part ("),
        "who names it means it"
    );
}
