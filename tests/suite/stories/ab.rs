//! Two builds of an app take turns on phones of the lab; a build is a text that says which page hitches.

use super::{shop, shops};
use farmjank_engine::builds::{AbPlan, BuildFile, Builds};
use farmjank_lab::apk::MAGIC;
use farmjank_results::compare::{AbRules, CellCompared, Compared, Design, Role, State};
use farmjank_results::record::Record;
use farmjank_results::turn::{Build, Turn};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const RESULTS: &str = "fling the results";

/// Two phones whose pages are smooth.
pub fn lab(rest: &str) -> String {
    shops(&[("pixel-8", "P8", 0.0008), ("galaxy-a14", "A14", 0.0008)]) + rest
}

pub fn build(file: &str, text: &str) -> BuildFile {
    let bytes = format!("{MAGIC}\nid: com.example.shop\nversion_code: 741\n{text}\n").into_bytes();
    BuildFile { file: file.to_owned(), bytes: bytes.into(), sha256: format!("of {file}") }
}

fn ab_plan(old: &str, new: &str) -> AbPlan {
    let (old, new) = (build("old.apk", old), build("new.apk", new));
    let builds = Builds { old, new, compile: Some("speed".to_owned()), reinstall: false };
    let ab_rules = AbRules { per_install: 3, looks: 1, ..AbRules::of(0) };
    AbPlan { ab_rules, builds: Some(Arc::new(builds)), budget: None, siblings: BTreeMap::new() }
}

const GOOD: &str = "version: 7.4.1";
const SLOW: &str = "version: 7.5.0\npages: { search: { hitch_rate: 0.08 } }";
const SAME: &str = "version: 7.5.0";

fn compared(story: &Story) -> &Compared {
    story.record.compared.as_ref().expect("the builds were compared")
}

fn primary(story: &Story, state: State) -> BTreeSet<(String, String)> {
    let cells = compared(story).cells.iter().filter(|cell| cell.role == Role::Primary && cell.state == state);
    cells.map(|cell| (cell.device.0.clone(), cell.key.window.clone())).collect()
}

pub fn sentences(story: &Story) -> String {
    let told = |cell: &CellCompared| format!("{} {}: {}\n", cell.device, cell.state.word(), cell.sentence);
    story.record.compared.iter().flat_map(|compared| &compared.cells).map(told).collect()
}

fn turns(story: &Story, job: u32) -> Vec<Turn> {
    story.record.jobs[&job].trials.iter().filter_map(|trial| trial.turn).collect()
}

#[test]
fn a_slow_page_of_the_new_build_is_named_on_every_phone_and_nothing_else() {
    let story = Stage::lab_yaml(&lab(""))
        .seed(3)
        .scenario(&shop(6, 1, 6))
        .ab_plan(ab_plan(GOOD, SLOW))
        .reporters()
        .run();
    assert_eq!(story.record.exit_code, Some(1), "{}{}", sentences(&story), story.ear.out.borrow());
    let slow: BTreeSet<_> = ["A14", "P8"].map(|phone| (phone.to_owned(), RESULTS.to_owned())).into();
    assert_eq!(primary(&story, State::Regression), slow, "{}", sentences(&story));
    // Six iterations find a slow page; that another is none they cannot prove.
    assert_eq!(primary(&story, State::Inconclusive).len(), 2, "{}", sentences(&story));
    let cell = &compared(&story).cells[0];
    assert_eq!((cell.design, cell.n, cell.sessions), (Some(Design::Blocks), (6, 6), (2, 2)));
    // B A A B: the middle build is installed once, each installation has one warm-up, and the new build stays.
    let log = String::from_utf8(story.files.read("events.ndjson")).expect("text");
    let installed: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("\"app_installed\",\"job\":0"))
        .map(|line| if line.contains("\"7.5.0\"") { "new" } else { "old" })
        .collect();
    assert_eq!(installed, ["new", "old", "new"]);
    let turns = turns(&story, 0);
    assert_eq!(turns.iter().filter(|turn| turn.block.is_none()).count(), 3);
    assert_eq!(turns.last().map(|turn| turn.build), Some(Build::New));
    // Limits and reports are about the new build alone.
    let counted = story.record.jobs[&0].trials.iter().filter(|trial| trial.counted);
    assert!(counted.clone().all(|trial| trial.turn.is_some_and(|turn| turn.build == Build::New)));
    assert_eq!(counted.count(), 6);
    // A report made again from the log tells the same.
    let (again, _) = Record::read_ndjson(log.as_bytes()).expect("a whole log");
    assert_eq!(again, story.record);
    let junit = String::from_utf8(story.files.read("junit.xml")).expect("text");
    assert_eq!(junit.matches("type=\"regression.hitch_ms_per_s\"").count(), 2, "{junit}");
    // The truth: the lab's phones have the new build now, and every frame of both is known.
    let frames =
        story.lab.truth("P8", |truth| truth.layers.iter().map(|layer| layer.frames.len()).sum::<usize>());
    assert!(frames.is_some_and(|frames| frames > 10_000), "{frames:?}");
}

#[test]
fn the_same_build_under_another_name_is_no_slower_and_one_seed_gives_one_log() {
    // One bad iteration by chance takes a second look.
    let twice =
        || AbPlan { ab_rules: AbRules { looks: 2, ..ab_plan(GOOD, SAME).ab_rules }, ..ab_plan(GOOD, SAME) };
    let run = || {
        Stage::lab_yaml(&lab("")).seed(5).serials(&["P8"]).scenario(&shop(30, 1, 6)).ab_plan(twice()).run()
    };
    let story = run();
    assert_eq!(story.record.exit_code, Some(0), "{}", sentences(&story));
    assert_eq!(primary(&story, State::Pass).len(), 2, "{}", sentences(&story));
    assert!(sentences(&story).contains("would have caught"), "{}", sentences(&story));
    assert!(run().files.read("events.ndjson") == story.files.read("events.ndjson"));
}

#[test]
fn three_iterations_tell_nothing() {
    let few = shop(3, 1, 6);
    let three =
        AbPlan { ab_rules: AbRules { looks: 3, ..ab_plan(GOOD, SAME).ab_rules }, ..ab_plan(GOOD, SAME) };
    let story = Stage::lab_yaml(&lab("")).serials(&["P8"]).scenario(&few).ab_plan(three).run();
    assert_eq!(story.record.exit_code, Some(4), "{}", sentences(&story));
    assert!(
        sentences(&story).contains("too few to compare with: 3 iterations of 5 needed"),
        "{}",
        sentences(&story)
    );
}

#[test]
fn a_build_a_phone_refuses_is_named_with_what_to_do() {
    let older = |ab_plan: AbPlan, reinstall: bool| {
        let mut builds = (*ab_plan.builds.expect("two builds")).clone();
        builds.new.bytes = String::from_utf8(builds.new.bytes.to_vec())
            .expect("text")
            .replace("741", "742")
            .into_bytes()
            .into();
        builds.reinstall = reinstall;
        AbPlan { ab_rules: ab_plan.ab_rules, builds: Some(Arc::new(builds)), ..ab_plan }
    };
    let run = |ab_plan: AbPlan| {
        let few = shop(2, 1, 6);
        let ab_plan = AbPlan { ab_rules: AbRules { per_install: 1, ..ab_plan.ab_rules }, ..ab_plan };
        Stage::lab_yaml(&lab("")).serials(&["P8"]).scenario(&few).ab_plan(ab_plan).reporters().run()
    };
    let refused = run(older(ab_plan(GOOD, SAME), false));
    let job = &refused.record.jobs[&0];
    let fault = job.fault.as_ref().expect("a fault");
    assert_eq!(
        (fault.code.word(), job.verdict, refused.record.exit_code),
        ("apk_refused", Some(Verdict::Broken), Some(3))
    );
    assert!(fault.what.contains("Update version code 741 is older than current 742"), "{fault}");
    assert!(fault.to_string().contains("--reinstall"), "{fault}");
    assert!(refused.ear.out.borrow().contains("--reinstall"), "{}", refused.ear.out.borrow());
    // Asked for, the app is taken away first.
    let again = run(older(ab_plan(GOOD, SAME), true));
    assert_eq!((again.record.jobs[&0].fault.as_ref(), again.record.exit_code), (None, Some(4)));
    // A file that is something else, another key, and another app.
    let broken = |text: &str| run(ab_plan(text, SAME)).record.jobs[&0].fault.clone().expect("a fault");
    assert!(broken("speed: 3").what.contains("INSTALL_PARSE_FAILED"), "{}", broken("speed: 3"));
    let key = broken("version: 7.4.1\nsigner: somebody else");
    assert!(key.what.contains("UPDATE_INCOMPATIBLE") && key.to_string().contains("another key"), "{key}");
    let mut other = ab_plan(GOOD, SAME);
    let mut builds = (*other.builds.take().expect("two builds")).clone();
    let text =
        String::from_utf8(builds.old.bytes.to_vec()).expect("text").replace("example.shop", "example.other");
    builds.old.bytes = text.into_bytes().into();
    let other = run(AbPlan { builds: Some(Arc::new(builds)), ..other });
    let fault = other.record.jobs[&0].fault.clone().expect("a fault");
    assert_eq!((fault.code.word(), other.record.exit_code), ("apk_other", Some(3)), "{fault}");
}

#[test]
fn a_phone_that_leaves_in_the_middle_is_prepared_again() {
    let faults = "faults:\n  - { at: 70s, phone: P8, kind: unplug, for: 8s }\n";
    let lab = lab(faults);
    let story = Stage::lab_yaml(&lab)
        .seed(5)
        .serials(&["P8"])
        .scenario(&shop(6, 1, 6))
        .ab_plan(ab_plan(GOOD, SLOW))
        .run();
    assert_eq!(story.record.exit_code, Some(1), "{}", sentences(&story));
    assert_eq!(primary(&story, State::Regression).len(), 1, "{}", sentences(&story));
    let whole = compared(&story).cells.iter().all(|cell| cell.role == Role::Rare || cell.n == (6, 6));
    assert!(whole, "{}", sentences(&story));
    assert!(
        turns(&story, 0).iter().filter(|turn| turn.block.is_none()).count() > 3,
        "no installation was repeated"
    );
}
