//! Teams that share the phones of a computer: turns between those that are as urgent, and how many phones one may have.

use farmjank_lab::chance::mix;
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_seams::claim::{Claims, Priority};
use farmjank_shifts::quota::{Most, Quota};
use farmjank_tests::beside::{Together, played};
use farmjank_tests::stage::{Stage, Story};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

const LAB: &str = "name: rack\nphones:\n  - { archetype: pixel-6, serial: P1 }\n  - { archetype: pixel-6, serial: P2 }\n  \
                   - { archetype: pixel-6, serial: P3 }\n";

fn scenario(name: &str, iterations: u32) -> String {
    format!(
        "name: {name}\nappId: com.example.shop\niterations: {iterations}\nwarmup: 0\npages: {{ feed: {{ link: 'shop://feed', \
         ready: {{ activity: .FeedActivity }} }} }}\nsteps:\n  - launchApp: {{ cold: true }}\n  - openPage: feed\n  - measure: \
         fling\n    steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 700ms }} ]\n"
    )
}

/// A run with so many jobs on each of these phones, each of so many iterations.
fn stage(run: &str, team: &str, phones: &[&str], jobs: &[u32]) -> Stage {
    let stage = Stage::lab_yaml(LAB).called(run).team(team).serials(phones).waits(Duration::from_secs(3600));
    let named = jobs.iter().enumerate();
    named.fold(stage, |stage, (nth, iterations)| {
        stage.scenario(&scenario(&format!("{run} {nth}"), *iterations))
    })
}

/// One after the other: a run's name, and from when to when it had a phone, on a clock they share.
type Had = (String, RunTime, RunTime);

/// What a run is called.
fn called(events: &[Event]) -> String {
    let name = |event: &Event| match &event.fact {
        Fact::RunStarted { run, .. } => Some(run.clone()),
        _ => None,
    };
    events.iter().find_map(name).expect("a run that began")
}

/// Who had a phone when, by phone and in order.
fn had(stories: &[Story], begun: &[u64]) -> BTreeMap<String, Vec<Had>> {
    let mut all: BTreeMap<String, Vec<Had>> = BTreeMap::new();
    for (story, begun) in stories.iter().zip(begun) {
        let events: Vec<Event> =
            Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log").1;
        let at = |event: &Event| {
            RunTime::from_ns(event.at.ns() + i64::try_from(*begun).expect("small") * 1_000_000_000)
        };
        let run = called(&events);
        for event in &events {
            match &event.fact {
                Fact::LeaseGranted { device, .. } => {
                    all.entry(device.0.clone()).or_default().push((run.clone(), at(event), at(event)));
                }
                Fact::LeaseReturned { device, .. } => {
                    let own = all.entry(device.0.clone()).or_default();
                    own.iter_mut().rfind(|(own, ..)| *own == run).expect("a grant").2 = at(event);
                }
                _ => {}
            }
        }
    }
    all.values_mut().for_each(|had| had.sort_by_key(|(_, from, _)| *from));
    all
}

fn order(had: &[Had]) -> Vec<&str> {
    had.iter().map(|(run, ..)| run.as_str()).collect()
}

/// The most phones that these runs had at once.
fn at_once(had: &BTreeMap<String, Vec<Had>>, runs: &[&str]) -> usize {
    let of = |(run, ..): &&Had| runs.contains(&run.as_str());
    let all: Vec<&Had> = had.values().flatten().filter(of).collect();
    let during = |at: RunTime| all.iter().filter(|(_, from, to)| *from <= at && at < *to).count();
    all.iter().map(|(_, from, _)| during(*from)).max().unwrap_or_default()
}

fn passed(stories: &[Story]) {
    for story in stories {
        assert_eq!(story.record.exit_code, Some(0), "{:?}", story.record.notices);
    }
}

#[test]
fn runs_of_teams_that_are_as_urgent_take_turns_on_a_phone_job_by_job() {
    let claims: Rc<dyn Claims> = Rc::new(Together::default());
    let runs = |second: &str| {
        let of = |run: &str, team: &str| stage(run, team, &["P1"], &[1, 1, 1]);
        let (first, second) = (of("first", "web"), of("second", second));
        let stories = played(vec![
            (Duration::ZERO, first, claims.clone()),
            (Duration::from_secs(3), second, claims.clone()),
        ]);
        passed(&stories);
        (order(&had(&stories, &[0, 3])["P1"]).join(" "), stories)
    };
    let (turns, stories) = runs("pay");
    assert_eq!(turns, "first second first second first second");
    let told =
        |(_, what): &(_, String)| what.starts_with("P1 is given to run second of team pay, whose turn it is");
    assert!(stories[0].record.notices.iter().any(told), "{:?}", stories[0].record.notices);
    assert_eq!(
        runs("web").0,
        "first first first second second second",
        "within a team who came first is first"
    );
}

#[test]
fn a_team_has_no_more_phones_at_once_than_it_may_and_all_its_jobs_are_measured() {
    let phones = ["P1", "P2", "P3"];
    let quota = Quota::new("web".to_owned(), Most { team: Some(2), run: Some(1) });
    let claims = quota.over(Rc::new(Together::default()));
    let one = (Duration::ZERO, stage("one", "web", &phones, &[1]), claims.clone());
    let two = (Duration::from_secs(1), stage("two", "web", &phones, &[1]), claims.clone());
    let three = (Duration::from_secs(2), stage("three", "web", &phones, &[1]), claims);
    let stories = played(vec![one, two, three]);
    passed(&stories);
    let had = had(&stories, &[0, 1, 2]);
    let jobs: usize = had.values().map(Vec::len).sum();
    assert_eq!((jobs, at_once(&had, &["one", "two", "three"])), (9, 2), "{had:?}");
    assert_eq!(at_once(&had, &["one"]), 1);
    let told = |what: &str| {
        stories.iter().any(|story| story.record.notices.iter().any(|(_, own)| own.contains(what)))
    };
    let queued = |what: &str| {
        let logs = stories
            .iter()
            .map(|story| String::from_utf8_lossy(&story.files.read("events.ndjson")).into_owned());
        logs.into_iter().any(|log| log.contains(what)) || told(what)
    };
    assert!(queued("run one has 1 of this host's phones, as many as one run may have"));
    assert!(queued("team web may have 2 phones of this host at once, and has 2"));
}

#[test]
fn a_gate_of_a_team_that_may_have_no_more_is_given_a_place_after_one_iteration() {
    let quota = Quota::new("web".to_owned(), Most { team: Some(2), run: None });
    let claims = quota.over(Rc::new(Together::default()));
    let night = stage("night", "web", &["P1", "P2"], &[6]).priority(Priority::Nightly);
    let gate = stage("gate", "web", &["P3"], &[1]).priority(Priority::Gate);
    let stories =
        played(vec![(Duration::ZERO, night, claims.clone()), (Duration::from_secs(6), gate, claims)]);
    passed(&stories);
    let had = had(&stories, &[0, 6]);
    assert_eq!(at_once(&had, &["night", "gate"]), 2, "{had:?}");
    let gate = &had["P3"][0];
    let night = had["P1"].iter().chain(&had["P2"]).map(|(_, _, to)| *to).max().expect("two phones");
    assert!(gate.1.ns() < 20_000_000_000 && gate.1 < night, "{had:?}");
}

#[test]
fn nobody_gives_a_phone_to_a_team_that_may_have_no_more() {
    let both: Rc<dyn Claims> = Rc::new(Together::default());
    let web = Quota::new("web".to_owned(), Most { team: Some(1), run: None }).over(both.clone());
    let stories = played(vec![
        (Duration::ZERO, stage("web", "web", &["P1", "P2"], &[8]), web),
        (Duration::ZERO, stage("pay", "pay", &["P2"], &[1, 1, 1]), both),
    ]);
    passed(&stories);
    let had = had(&stories, &[0, 0]);
    assert_eq!(order(&had["P2"]), ["pay", "pay", "pay", "web"]);
    let (pay, web) = (had["P2"][2].2, had["P1"][0].2);
    assert!(pay < web, "it waited for none: {had:?}");
}

/// A team, how many phones it may have, and its runs.
type Team = (&'static str, Most, Vec<String>);

/// A run, when it begins, s, and the claims it sees.
type Play = (u64, Stage, Rc<dyn Claims>);

/// Some teams with some runs on one computer.
fn drawn(seed: u64) -> (Vec<Team>, Vec<Play>) {
    let drawn = Cell::new(0);
    let below = |bound: u64| {
        drawn.set(drawn.get() + 1);
        mix(seed, 0, drawn.get()) % bound
    };
    let small = |bound: u64| u32::try_from(below(bound)).expect("small");
    let some = |number: u32| (number > 0).then_some(number);
    let computer: Rc<dyn Claims> = Rc::new(Together::default());
    let mut teams = Vec::new();
    let mut plays = Vec::new();
    for team in ["web", "pay", "map"] {
        let most = Most { team: some(small(4)), run: some(small(3)) };
        let claims = Quota::new(team.to_owned(), most).over(computer.clone());
        let runs: Vec<String> = (0..below(3)).map(|number| format!("{team}-{number}")).collect();
        for run in &runs {
            let phones: Vec<&str> = ["P1", "P2", "P3"].into_iter().filter(|_| below(3) > 0).collect();
            let phones = if phones.is_empty() { vec!["P2"] } else { phones };
            let jobs: Vec<u32> = (0..=below(3)).map(|_| 1 + small(3)).collect();
            let priority = Priority::ALL[below(3) as usize];
            plays.push((below(30), stage(run, team, &phones, &jobs).priority(priority), claims.clone()));
        }
        teams.push((team, most, runs));
    }
    (teams, plays)
}

/// Whatever teams there are and however many phones each may have: every run ends, and none has more than it may.
#[test]
fn teams_with_any_quotas_and_urgencies_all_come_to_their_end() {
    let (mut turns, mut kept_out) = (0, 0);
    for seed in super::farmed::seeds() {
        let (teams, plays) = drawn(seed);
        if plays.is_empty() {
            continue;
        }
        let begun: Vec<u64> = plays.iter().map(|(begins, ..)| *begins).collect();
        let at = |(begins, stage, claims)| (Duration::from_secs(begins), stage, claims);
        let stories = played(plays.into_iter().map(at).collect());
        let had = had(&stories, &begun);
        for story in &stories {
            let log = String::from_utf8_lossy(&story.files.read("events.ndjson")).into_owned();
            assert_eq!(story.record.exit_code, Some(0), "seed {seed}: {:?}", story.record.notices);
            turns += log.matches(", whose turn it is").count();
            kept_out += log.matches(" is not taken: ").count();
        }
        let is_within = |most: Option<u32>, runs: &[&str]| {
            most.is_none_or(|most| at_once(&had, runs) <= usize::try_from(most).expect("small"))
        };
        for (team, most, runs) in &teams {
            let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
            let alone = runs.iter().all(|run| is_within(most.run, &[run]));
            assert!(alone && is_within(most.team, &runs), "seed {seed}: {team} {most:?} {had:?}");
        }
    }
    assert!(turns > 0 && kept_out > 0, "{turns} {kept_out}: nobody met anybody");
}
