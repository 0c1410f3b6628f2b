//! Iterations that the phones of a class share out.

use super::*;

fn shares(made: &Plan, scenario: &str) -> Vec<(String, u32, Option<u32>)> {
    let own = made.jobs.iter().filter(|job| job.scenario == scenario);
    let on = |job: &PlannedJob| job.device.as_ref().map_or_else(String::new, |id| id.0.clone());
    own.map(|job| (on(job), job.iterations, job.iterations_of)).collect()
}

fn class(phones: usize) -> Vec<DeviceFacts> {
    (1..=phones).map(|nth| phone(&format!("a{nth}"), "a", 34, 120.0)).collect()
}

#[test]
fn phones_of_a_class_share_the_iterations_and_one_alone_makes_all() {
    let mut phones = class(3);
    phones.push(phone("b", "a", 33, 120.0));
    let scenarios = [scenario("s", "spread: iterations\niterations: 31")];
    let made = plan(&scenarios, told(&phones), &Selection::default());
    let mut all = shares(&made, "s");
    assert_eq!(all.pop(), Some(("b".to_owned(), 31, None)), "a class of one");
    let mut counts: Vec<u32> = all.iter().map(|(_, count, _)| *count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [10, 10, 11], "{all:?}");
    assert!(all.iter().all(|(_, _, of)| *of == Some(31)));
    let [sentence] = &*made.shared() else { panic!("{:?}", made.shared()) };
    let start = "s: the 31 iterations of a class are shared out, each phone is judged by its own: a1 1";
    assert!(sentence.starts_with(start) && !sentence.contains(", b "), "{sentence}");
    // A third of the trials, and a warm-up for each.
    let alone = plan(&[scenario("s", "iterations: 31")], told(&phones[..1]), &Selection::default());
    assert_eq!(alone.time() / 32 * 32, alone.time(), "one warm-up and 31 trials");
    let third = plan(&scenarios, told(&phones[..3]), &Selection::default());
    assert_eq!(third.time(), alone.time() / 32 * 12);
}

#[test]
fn no_share_is_too_small_to_be_compared_and_the_phones_left_over_are_spares() {
    let made =
        plan(&[scenario("s", "spread: iterations\niterations: 12")], told(&class(4)), &Selection::default());
    let counts: Vec<u32> = shares(&made, "s").into_iter().map(|(_, count, _)| count).collect();
    assert_eq!(counts, [6, 6]);
    for job in &made.jobs {
        assert_eq!(job.spares.len(), 2, "{job:?}");
        assert!(!job.spares.iter().any(|id| made.jobs.iter().any(|job| job.device.as_ref() == Some(id))));
    }
    let few =
        plan(&[scenario("s", "spread: iterations\niterations: 9")], told(&class(4)), &Selection::default());
    assert_eq!(few.jobs.len(), 1, "two shares of nine would be too small: {few:?}");
    assert_eq!((few.jobs[0].iterations, few.jobs[0].iterations_of, few.jobs[0].spares.len()), (9, None, 3));
}

#[test]
fn who_has_other_work_makes_fewer() {
    let busy = scenario("busy", "devices: 'serial = a1'\niterations: 10");
    let scenarios = [busy, scenario("s", "spread: iterations\niterations: 40")];
    let made = plan(&scenarios, told(&class(3)), &Selection::default());
    let all: BTreeMap<String, u32> =
        shares(&made, "s").into_iter().map(|(on, count, _)| (on, count)).collect();
    assert_eq!(all.values().sum::<u32>(), 40);
    assert!(all["a1"] >= 5 && all["a1"] + 8 <= all["a2"], "{all:?}");
    assert!(all["a2"].abs_diff(all["a3"]) <= 1, "{all:?}");
}

#[test]
fn whoever_asks_by_flag_overrides_the_scenario_and_parts_see_one_plan() {
    let scenarios = [scenario("s", "spread: true\niterations: 20")];
    let phones = class(4);
    let whole = Selection { spread: Some(Spread::Iterations), ..Selection::default() };
    let made = plan(&scenarios, told(&phones), &whole);
    assert_eq!(shares(&made, "s").iter().map(|(_, count, _)| *count).collect::<Vec<_>>(), [5, 5, 5, 5]);
    let off = Selection { spread: Some(Spread::Off), ..Selection::default() };
    let all = plan(&scenarios, told(&phones), &off);
    assert_eq!(shares(&all, "s").iter().map(|(_, count, _)| *count).collect::<Vec<_>>(), [20, 20, 20, 20]);
    let part = |index| {
        let shard = Some(Shard { index, of: 2, by: ShardBy::Phone });
        plan(&scenarios, told(&phones), &Selection { shard, ..whole.clone() })
    };
    let parts = [part(1), part(2)];
    assert!(parts.iter().all(|part| part.digest == made.digest));
    assert_eq!(parts.iter().map(|part| part.jobs.len()).sum::<usize>(), 4);
}
