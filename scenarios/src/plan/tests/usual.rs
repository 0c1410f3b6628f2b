//! What took how long before decides who gets what, and where it is not known the steps do.

use super::*;
use farmjank_results::iteration_time::IterationTime;

fn took(scenario: &Scenario, class: &str, seconds: u64) -> IterationTime {
    IterationTime { hash: scenario.hash.clone(), class: class.to_owned(), ms: 1000 * seconds }
}

/// Three scenarios alike and two equal phones; what is known of each.
fn shared_out(known: &[u64], shard: Option<Shard>) -> (Plan, Vec<Scenario>) {
    let scenarios: Vec<Scenario> = (0..3).map(|n| scenario(&format!("s{n}"), "iterations: 2")).collect();
    let phones = [phone("a1", "a", 34, 120.0), phone("a2", "a", 34, 120.0)];
    let class = phones[0].class();
    let usual = UsualTimes::of(scenarios.iter().zip(known).map(|(one, known)| took(one, &class, *known)));
    let selection = Selection { spread: Some(Spread::Scenarios), usual, shard, ..Selection::default() };
    (plan(&scenarios, told(&phones), &selection), scenarios)
}

#[test]
fn what_took_longest_before_has_a_phone_to_itself() {
    for long in 0..3 {
        let mut known = [10, 10, 10];
        known[long] = 60;
        let (made, scenarios) = shared_out(&known, None);
        let on = |n: usize| made.jobs[n].device.clone();
        let others: Vec<usize> = (0..3).filter(|n| *n != long).collect();
        assert!(others.iter().all(|n| on(*n) != on(long)), "{:?}", serials(&made));
        assert_eq!(made.jobs[long].usual_ms, Some(60_000));
        assert_eq!(made.time(), Duration::from_secs(180), "the warm-up and two iterations of the long one");
        assert_ne!(made.time(), shared_out(&[], None).0.time(), "its steps take less");
        assert_eq!(
            job_time(&scenarios[long], scenarios[long].trials_on(None), None),
            shared_out(&[], None).0.estimates[long]
        );
    }
}

#[test]
fn a_plan_that_is_shared_asks_no_history() {
    for index in 1..=2 {
        let shard = Some(Shard { index, of: 2, by: ShardBy::Duration });
        assert_eq!(shared_out(&[90, 1, 1], shard).0, shared_out(&[], shard).0);
    }
}

#[test]
fn times_of_another_class_or_another_content_say_nothing() {
    let one = scenario("s", "");
    let phones = [phone("a", "a", 34, 120.0), phone("b", "b", 34, 120.0)];
    let usual = UsualTimes::of([
        took(&one, &phones[0].class(), 7),
        took(&scenario("s", "iterations: 9"), &phones[1].class(), 8),
    ]);
    let made = plan(&[one], told(&phones), &Selection { usual, ..Selection::default() });
    assert_eq!(made.jobs.iter().map(|job| job.usual_ms).collect::<Vec<_>>(), [Some(7_000), None]);
    assert_eq!(made.digest, plan(&[scenario("s", "")], told(&phones), &Selection::default()).digest);
}
