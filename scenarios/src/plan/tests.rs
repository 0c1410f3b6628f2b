//! Plans of scenarios on phones: order, refusals, selection, shards, which limits apply.

mod alone;
mod shares;
mod usual;

use super::*;
use crate::read::tests::sound;
use crate::requirement::tests::phone;

fn scenario(name: &str, header: &str) -> Scenario {
    sound(&format!(
        "appId: com.example.shop\nname: {name}\n{header}\nsteps: [ launchApp, {{ measure: m, steps: [ wait: 1s ] }} ]\n"
    ))
}

fn told(phones: &[DeviceFacts]) -> Fleet<'_> {
    Fleet { told: phones, silent: &[], last: &[] }
}

fn serials(plan: &Plan) -> Vec<String> {
    let device = |job: &PlannedJob| job.device.as_ref().map_or("none".to_owned(), |id| id.0.clone());
    plan.jobs.iter().map(|job| format!("{}@{}", job.scenario, device(job))).collect()
}

#[test]
fn jobs_are_scenarios_by_phones_in_a_stable_order() {
    let scenarios =
        [scenario("b", ""), scenario("a", "devices: 'sdk >= 30'"), scenario("none", "devices: 'sdk >= 99'")];
    let phones = [phone("p2", "x", 34, 120.0), phone("p1", "x", 28, 60.0)];
    let made = plan(&scenarios, told(&phones), &Selection::default());
    assert_eq!(serials(&made), ["b@p1", "b@p2", "a@p2", "none@none"]);
    assert_eq!(made.jobs.iter().map(|job| job.job).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(made.scenario_of, [0, 0, 1, 2]);
    let refusals: Vec<_> =
        made.refusals.iter().map(|r| format!("{} {} {}", r.scenario, r.device, r.why)).collect();
    assert_eq!(
        refusals,
        ["a p1 sdk is 28, needs >= 30", "none p1 sdk is 28, needs >= 99", "none p2 sdk is 34, needs >= 99"]
    );
    let [one, two] = phones;
    assert_eq!(plan(&scenarios, told(&[two.clone(), one.clone(), two]), &Selection::default()), made);
    assert_ne!(plan(&scenarios, told(&[one]), &Selection::default()).digest, made.digest);
}

#[test]
fn tags_and_the_device_filter_select() {
    let scenarios = [scenario("a", "tags: [gate]"), scenario("b", "tags: [gate, slow]"), scenario("c", "")];
    let phones = [phone("p1", "x", 28, 60.0), phone("p2", "x", 34, 120.0)];
    let tags = |include: &[&str], exclude: &[&str]| Selection {
        include_tags: include.iter().map(|tag| (*tag).to_owned()).collect(),
        exclude_tags: exclude.iter().map(|tag| (*tag).to_owned()).collect(),
        devices: Requirement::parse("serial = p2").expect("reads"),
        ..Selection::default()
    };
    assert_eq!(serials(&plan(&scenarios, told(&phones), &tags(&["gate"], &["slow"]))), ["a@p2"]);
    assert_eq!(serials(&plan(&scenarios, told(&phones), &tags(&[], &["slow"]))), ["a@p2", "c@p2"]);
    let made = plan(&scenarios, told(&phones), &tags(&["nothing"], &[]));
    assert!(made.jobs.is_empty() && made.refusals.is_empty());
    let made = plan(&scenarios, told(&phones), &tags(&["slow"], &[]));
    assert_eq!(made.refusals[0].why, "left out by the device filter: serial is \"p1\", needs = \"p2\"");
}

/// The plans of all shards.
fn shards(scenarios: &[Scenario], phones: &[DeviceFacts], of: u32, by: ShardBy) -> Vec<Plan> {
    let one = |index| {
        let shard = Some(Shard { index, of, by });
        plan(scenarios, told(phones), &Selection { shard, ..Selection::default() })
    };
    (1..=of).map(one).collect()
}

#[test]
fn shards_share_the_jobs_and_no_phone_is_in_two() {
    let mut scenarios: Vec<Scenario> = (0..5).map(|n| scenario(&format!("s{n}"), "")).collect();
    scenarios.push(scenario("nobody's", "devices: 'sdk >= 99'"));
    let phones: Vec<DeviceFacts> = (0..9).map(|n| phone(&format!("p{n}"), "x", 30, 60.0)).collect();
    let whole = plan(&scenarios, told(&phones), &Selection::default());
    for (of, by) in
        [(3, ShardBy::Phone), (3, ShardBy::Duration), (1, ShardBy::Phone), (20, ShardBy::Duration)]
    {
        let parts = shards(&scenarios, &phones, of, by);
        for part in &parts {
            assert_eq!(part.digest, whole.digest);
            for job in part.jobs.iter().chain(&part.elsewhere) {
                let PlannedJob { shard, .. } = job;
                assert_eq!(&PlannedJob { shard: *shard, ..whole.jobs[job.job as usize].clone() }, job);
            }
            assert_eq!(part.jobs.len() + part.elsewhere.len(), whole.jobs.len());
            assert_eq!((part.estimates.len(), part.scenario_of.len()), (part.jobs.len(), part.jobs.len()));
            for (job, scenario) in part.jobs.iter().zip(&part.scenario_of) {
                assert_eq!(job.scenario, scenarios[*scenario].name);
            }
        }
        for (part, index) in parts.iter().zip(1..) {
            assert!(part.jobs.iter().all(|job| job.shard == Some(index)));
            assert!(part.elsewhere.iter().all(|job| job.shard.is_some_and(|home| home != index)));
        }
        let mut all: Vec<String> = parts.iter().flat_map(serials).collect();
        all.sort();
        let mut expected = serials(&whole);
        expected.sort();
        assert_eq!(all, expected);
        for phone in &phones {
            let has = |part: &&Plan| part.jobs.iter().any(|job| job.device.as_ref() == Some(&phone.id));
            assert_eq!(parts.iter().filter(has).count(), 1, "{} of {of} by {by:?}", phone.id);
        }
    }
}

#[test]
fn a_phone_that_leaves_moves_no_other_and_shards_by_duration_take_as_long() {
    let scenarios = [scenario("a", ""), scenario("b", "devices: 'sdk >= 31'")];
    let phones: Vec<DeviceFacts> =
        (0..200).map(|n| phone(&format!("R58M{n:04}"), "x", 30 + n % 2, 60.0)).collect();
    let homes = |phones: &[DeviceFacts]| -> Vec<(String, usize)> {
        let parts = shards(&scenarios, phones, 4, ShardBy::Phone);
        let of = |id: &DeviceId| {
            let has = |part: &Plan| part.jobs.iter().any(|job| job.device.as_ref() == Some(id));
            parts.iter().position(has).expect("a home")
        };
        phones.iter().map(|phone| (phone.id.0.clone(), of(&phone.id))).collect()
    };
    let before = homes(&phones);
    let after = homes(&phones[1..]);
    assert_eq!(before[1..], after[..]);
    for part in 0..4 {
        let count = before.iter().filter(|(_, home)| *home == part).count();
        assert!((30..=70).contains(&count), "shard {part} of 4 has {count} of 200 phones");
    }
    let times: Vec<Duration> = shards(&scenarios, &phones, 4, ShardBy::Duration)
        .iter()
        .map(|part| part.estimates.iter().sum())
        .collect();
    let (least, most) = (times.iter().min().expect("four"), times.iter().max().expect("four"));
    assert!(
        *most <= *least + plan(&scenarios, told(&phones), &Selection::default()).estimates[0],
        "{times:?}"
    );
}

#[test]
fn what_is_no_shard_says_what_to_write() {
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "\u{1b}/2"] {
        let why = Shard::parse(wrong, ShardBy::Phone).expect_err(wrong).to_string();
        assert!(why.contains("write `1/3`") && !why.contains('\u{1b}'), "{why}");
    }
}

#[test]
fn the_estimate_adds_up_what_the_author_wrote() {
    let scenario = sound(
        "appId: a.b\niterations: 3\nwarmup: 1\nsteps: [ { measure: m, steps: [ { repeat: { times: 4, steps: [ wait: 5s ] } } ] } ]\n",
    );
    let trial = trial_time(&scenario);
    assert!(trial >= Duration::from_secs(20) && trial < Duration::from_secs(25), "{trial:?}");
    let phones = [phone("p1", "x", 31, 60.0), phone("p2", "x", 34, 120.0)];
    let made = plan(&[scenario], told(&phones), &Selection::default());
    assert_eq!(made.estimates, [trial * 4, trial * 4]);
    assert_eq!(made.time(), trial * 4, "phones work at once");
}

#[test]
fn a_phone_whose_input_starts_a_virtual_machine_takes_longer() {
    let scenario = sound(
        "appId: a.b\niterations: 1\nwarmup: 0\nsteps: [ { measure: m, steps: [ { repeat: { times: 6, steps: [ swipe: { direction: UP } ] } } ] } ]\n",
    );
    let made = plan(
        &[scenario],
        told(&[phone("old", "x", 30, 60.0), phone("new", "x", 31, 60.0)]),
        &Selection::default(),
    );
    let by = |name: &str| made.jobs.iter().position(|job| job.device.as_ref().is_some_and(|id| id.0 == name));
    let time = |name: &str| made.estimates[by(name).expect("a job")];
    assert_eq!(
        time("old") - time("new"),
        Duration::from_millis(7 * 700),
        "six swipes, and one question at the end"
    );
}

#[test]
fn the_most_particular_block_that_names_a_metric_gives_its_limits() {
    let scenario = sound(
        "appId: a.b
steps:
  - launchApp
  - measure: own
    thresholds: { fps: [ mean > 40, min > 20 ] }
    steps: [ launchApp ]
  - measure: plain
    steps: [ back ]
thresholds: { fps: mean > 50, frozen_frames: max == 0, launch_total_ms: median < 900 }
overrides:
  - { devices: 'sdk >= 30', thresholds: { frozen_frames: max < 2, p95_ms: mean < 40 } }
  - { devices: 'sdk >= 33', thresholds: { fps: mean > 55 } }
  - { devices: 'sdk >= 34', thresholds: { frozen_frames: max < 9, launch_total_ms: max < 5s } }
",
    );
    let limits = |window: &str, sdk: u32| -> Vec<String> {
        let facts = phone("p", "x", sdk, 60.0);
        let limits = Plan::thresholds_for(&scenario, window, &facts);
        limits.iter().map(|threshold| format!("{} {}", threshold.metric, threshold.limit.text)).collect()
    };
    assert_eq!(limits("plain", 28), ["fps mean > 50", "frozen_frames max == 0"]);
    assert_eq!(
        limits("own", 28),
        ["fps mean > 40", "fps min > 20", "frozen_frames max == 0", "launch_total_ms median < 900"]
    );
    assert_eq!(limits("launch", 28), ["launch_total_ms median < 900"]);
    assert_eq!(limits("plain", 30), ["fps mean > 50", "frozen_frames max < 2", "p95_ms mean < 40"]);
    assert_eq!(limits("own", 33)[0], "fps mean > 55");
    assert_eq!(limits("launch", 34), ["launch_total_ms max < 5s"]);
    assert_eq!(limits("plain", 34), ["fps mean > 55", "frozen_frames max < 9", "p95_ms mean < 40"]);
    assert!(limits("no such window", 34).is_empty());
}

#[test]
fn a_window_moves_while_fingers_and_flings_do() {
    let times = |steps: &str| -> Vec<(String, u64)> {
        let made = sound(&format!("appId: a.b\nname: s\nsteps: [ launchApp, {steps} ]\n"));
        let ms = |(name, time): (&str, Duration)| (name.to_owned(), time.as_millis() as u64);
        motion_times(&made).into_iter().map(ms).collect()
    };
    let swipe = "{ swipe: { direction: UP, duration: 250ms } }";
    let one = |steps: &str| times(&format!("{{ measure: m, steps: [ {steps} ] }}"))[0].1;
    // A fling lasts until the next finger, the end of the window, or two seconds.
    assert_eq!(one(&format!("{swipe}, {{ wait: 600ms }}")), 850);
    assert_eq!(one(&format!("{{ repeat: {{ times: 6, steps: [ {swipe}, {{ wait: 600ms }} ] }} }}")), 6 * 850);
    assert_eq!(
        one(&format!("{{ repeat: {{ times: 200, steps: [ {swipe}, {{ wait: 600ms }} ] }} }}")),
        200 * 850
    );
    assert_eq!(one(&format!("{swipe}, {{ wait: 9s }}")), 2_250);
    assert_eq!(one("{ scroll: { direction: UP, duration: 1s } }, { wait: 9s }"), 1_000);
    assert_eq!(one("{ wait: 9s }"), 0);
    // Windows have each their own.
    let two = times(&format!(
        "{{ measure: a, steps: [ {swipe} ] }}, {{ measure: b, steps: [ {swipe}, {swipe} ] }}"
    ));
    assert_eq!(two, [("a".to_owned(), 250), ("b".to_owned(), 500)]);
}

#[test]
fn phones_that_tell_nothing_have_jobs_unless_they_may_be_missing_or_their_serial_rules_them_out() {
    let scenarios = [
        scenario("any", ""),
        scenario("new", "devices: 'sdk >= 30'"),
        scenario("mine", "devices: 'serial = p1'"),
    ];
    let (phones, silent) = ([phone("p1", "x", 28, 60.0)], [DeviceId("mute".into()), DeviceId("p1".into())]);
    let fleet = Fleet { told: &phones, silent: &silent, last: &[] };
    let made = plan(&scenarios, fleet, &Selection::default());
    assert_eq!(serials(&made), ["any@mute", "any@p1", "new@mute", "mine@p1"]);
    assert_eq!(made.absent, [silent[0].clone()].into());
    let allowed = Selection { allow_missing: true, ..Selection::default() };
    let made = plan(&scenarios, fleet, &allowed);
    assert_eq!(serials(&made), ["any@p1", "new@none", "mine@p1"]);
    assert_eq!(made.absent, [silent[0].clone()].into(), "named all the same");
    let filter =
        |text| Selection { devices: Requirement::parse(text).expect("reads"), ..Selection::default() };
    assert!(none_left(fleet, &filter("serial = p9")).is_some());
    assert_eq!(none_left(fleet, &filter("sdk >= 30")), None, "the silent one may be");
}

#[test]
fn a_phone_that_does_not_tell_what_is_asked_for_has_a_job_that_says_so() {
    let mut phones = [phone("p1", "x", 34, 120.0), phone("p2", "x", 34, 120.0)];
    phones[1].ram_mb = None;
    let scenarios = [scenario("any", ""), scenario("big", "devices: 'ram >= 2GB'")];
    let made = plan(&scenarios, told(&phones), &Selection::default());
    assert_eq!(serials(&made), ["any@p1", "any@p2", "big@p1", "big@p2"]);
    let unsure: Vec<Option<&str>> =
        made.jobs.iter().map(|job| made.unsure_of(job).map(|unsure| unsure.why.as_str())).collect();
    assert_eq!(unsure, [None, None, None, Some("ram is unknown, needs >= 2GB")]);
    let allowed = Selection { allow_missing: true, ..Selection::default() };
    let made = plan(&scenarios, told(&phones), &allowed);
    assert_eq!(serials(&made), ["any@p1", "any@p2", "big@p1"]);
    assert_eq!(made.refusals[0].why, "ram is unknown, needs >= 2GB");
}

#[test]
fn too_few_phones_are_a_job_of_their_own_that_names_the_absent() {
    let scenarios = [scenario("any", "phones: 3")];
    let (phones, silent) = ([phone("p1", "x", 34, 120.0)], [DeviceId("mute".into())]);
    let fleet = Fleet { told: &phones, silent: &silent, last: &[] };
    let made = plan(&scenarios, fleet, &Selection::default());
    assert_eq!(serials(&made), ["any@mute", "any@p1", "any@none"]);
    let sentence = made.shortfall(&made.jobs[2]).map(Shortfall::sentence);
    assert_eq!(
        sentence.as_deref(),
        Some("1 of 3 phones came; absent are mute, 1 that is not connected or does not qualify")
    );
    assert_eq!(made.shortfall(&made.jobs[1]), None);
    let fewer = Selection { phones: Some(1), ..Selection::default() };
    assert!(plan(&scenarios, fleet, &fewer).short.is_empty(), "the command line has the last word");
}

/// Six scenarios of one or five iterations; three equal phones and one of another class.
fn spread_out(last: &[DeviceId]) -> Plan {
    let long = [
        "iterations: 5",
        "iterations: 1",
        "iterations: 1",
        "iterations: 1",
        "iterations: 1",
        "iterations: 1",
    ];
    let scenarios: Vec<Scenario> =
        long.iter().enumerate().map(|(n, own)| scenario(&format!("s{n}"), own)).collect();
    let phones = [
        phone("a1", "a", 34, 120.0),
        phone("a2", "a", 34, 120.0),
        phone("a3", "a", 34, 120.0),
        phone("b", "a", 33, 120.0),
    ];
    let selection = Selection { spread: Some(Spread::Scenarios), ..Selection::default() };
    plan(&scenarios, Fleet { told: &phones, silent: &[], last }, &selection)
}

#[test]
fn one_phone_of_each_class_is_chosen_and_the_work_is_shared_out_longest_first() {
    let made = spread_out(&[]);
    assert_eq!(made.jobs.len(), 12, "a phone of each of two classes for six scenarios");
    let of = |id: &str| {
        made.jobs.iter().filter(|job| job.device.as_ref().is_some_and(|on| on.0 == id)).collect::<Vec<_>>()
    };
    assert_eq!(of("b").len(), 6);
    assert!(of("b").iter().all(|job| job.spares.is_empty()), "nobody steps in for a class of one");
    let shares: Vec<usize> = ["a1", "a2", "a3"].map(|id| of(id).len()).to_vec();
    let mut sorted = shares.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3], "the long one is alone on its phone: {shares:?}");
    for job in made.jobs.iter().filter(|job| job.device.as_ref().is_some_and(|on| on.0 != "b")) {
        let mut class: Vec<&str> = job.spares.iter().chain(&job.device).map(|id| id.0.as_str()).collect();
        class.sort_unstable();
        assert_eq!(class, ["a1", "a2", "a3"], "{job:?}");
    }
    assert_eq!(made, spread_out(&[]));
    let alone = scenario("s0", "spread: true\niterations: 5");
    let phones = [phone("a1", "a", 34, 120.0), phone("a2", "a", 34, 120.0)];
    let made = plan(&[alone, scenario("s1", "")], told(&phones), &Selection::default());
    assert_eq!(made.jobs.iter().map(|job| job.scenario.as_str()).collect::<Vec<_>>(), ["s0", "s1", "s1"]);
}

#[test]
fn a_phone_in_quarantine_stands_for_its_class_only_where_it_is_alone() {
    let made = spread_out(&[DeviceId("a2".into()), DeviceId("b".into())]);
    let uses = |id: &str| {
        let named = |job: &PlannedJob| job.spares.iter().chain(&job.device).any(|on| on.0 == id);
        made.jobs.iter().filter(|job| named(job)).count()
    };
    assert_eq!([uses("a1"), uses("a2"), uses("a3"), uses("b")], [6, 0, 6, 6]);
}

#[test]
fn a_spare_is_in_the_part_of_its_job_and_in_no_other() {
    let scenarios: Vec<Scenario> = (0..8).map(|n| scenario(&format!("s{n}"), "spread: true")).collect();
    let phones: Vec<DeviceFacts> = (0..9).map(|n| phone(&format!("p{n}"), "a", 34, 120.0)).collect();
    let mut homes: BTreeMap<DeviceId, BTreeSet<u32>> = BTreeMap::new();
    let mut digests = BTreeSet::new();
    for index in 1..=3 {
        let shard = Some(Shard { index, of: 3, by: ShardBy::Phone });
        let made = plan(&scenarios, told(&phones), &Selection { shard, ..Selection::default() });
        for id in made.jobs.iter().flat_map(|job| job.spares.iter().chain(&job.device)) {
            homes.entry(id.clone()).or_default().insert(index);
        }
        digests.insert(made.digest.clone());
        assert!(made.jobs.iter().any(|job| !job.spares.is_empty()), "part {index} has spares");
    }
    assert!(homes.values().all(|parts| parts.len() == 1), "{homes:?}");
    assert_eq!(digests.len(), 1);
}
