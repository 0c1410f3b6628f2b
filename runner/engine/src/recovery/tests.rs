//! What the ladder owes phones and people: the mildest step first, an end, and nothing for each of many.

use super::*;
use proptest::prelude::*;

fn id(name: &str) -> DeviceId {
    DeviceId(name.into())
}

fn at(secs: i64) -> RunTime {
    RunTime::from_ns(secs * 1_000_000_000)
}

fn ladder(furthest: Option<RecoveryStep>) -> Ladder {
    let phone = |name: &str| (id(name), "rack".to_owned());
    Ladder::new(furthest, ["a", "b", "c", "10.0.0.7:5555"].into_iter().map(phone).collect())
}

fn steps(acts: &[Act]) -> Vec<RecoveryStep> {
    acts.iter()
        .filter_map(|act| match act {
            Act::Step(_, step, _) => Some(*step),
            Act::Tell(_) => None,
        })
        .collect()
}

#[test]
fn an_offline_phone_is_left_alone_for_a_moment_then_climbs_and_is_given_up() {
    let mut ladder = ladder(Some(RecoveryStep::Reboot));
    ladder.fails(at(0), &id("a"), Ailment::Offline);
    assert_eq!(steps(&ladder.due(at(4), |_| true)), []);
    assert_eq!(ladder.next_due(|_| true), Some(at(5)));
    assert_eq!(steps(&ladder.due(at(5), |_| true)), [RecoveryStep::Reopen]);
    assert_eq!(steps(&ladder.due(at(19), |_| true)), []);
    assert_eq!(steps(&ladder.due(at(20), |_| true)), [RecoveryStep::Reconnect]);
    assert_eq!(ladder.next_due(|_| true), None, "nothing over adb boots a phone that is offline");
}

#[test]
fn a_phone_that_hangs_is_connected_anew_at_once_and_booted_only_where_that_is_allowed() {
    for (furthest, all) in [
        (None, vec![]),
        (Some(RecoveryStep::Reconnect), vec![RecoveryStep::Reconnect]),
        (Some(RecoveryStep::Reboot), vec![RecoveryStep::Reconnect, RecoveryStep::Reboot]),
    ] {
        let mut ladder = ladder(furthest);
        let mut taken = Vec::new();
        for try_again in 0..4 {
            ladder.fails(at(30 * try_again), &id("a"), Ailment::Silent);
            taken.extend(steps(&ladder.due(at(30 * try_again), |_| true)));
            ladder.is_back(&id("a"));
        }
        assert_eq!(taken, all, "{furthest:?}");
    }
}

#[test]
fn a_phone_that_worked_begins_with_the_mildest_step_and_its_budget_ends() {
    let mut ladder = ladder(Some(RecoveryStep::Reconnect));
    let mut taken = Vec::new();
    for round in 0..20 {
        ladder.fails(at(100 * round), &id("a"), Ailment::Silent);
        taken.extend(steps(&ladder.due(at(100 * round), |_| true)));
        ladder.works(&id("a"));
    }
    assert_eq!(taken, [RecoveryStep::Reconnect; MOST_STEPS as usize]);
}

#[test]
fn a_phone_over_the_network_is_connected_again_and_one_that_is_unplugged_cannot_be() {
    let mut ladder = ladder(Some(RecoveryStep::Reboot));
    ladder.fails(at(0), &id("10.0.0.7:5555"), Ailment::Unlisted);
    ladder.fails(at(0), &id("a"), Ailment::Unlisted);
    let acts = ladder.due(at(5), |_| true);
    assert_eq!(acts, [Act::Step(id("10.0.0.7:5555"), RecoveryStep::Reopen, "left its adb server")]);
    ladder.works(&id("10.0.0.7:5555"));
    ladder.fails(at(90), &id("10.0.0.7:5555"), Ailment::Silent);
    assert_eq!(steps(&ladder.due(at(90), |_| true)), [RecoveryStep::Reopen]);
}

#[test]
fn many_phones_of_one_server_are_one_incident_told_once() {
    let mut ladder = ladder(Some(RecoveryStep::Reboot));
    for (secs, phone) in [(0, "a"), (1, "b"), (2, "c"), (3, "10.0.0.7:5555")] {
        ladder.fails(at(secs), &id(phone), Ailment::Offline);
    }
    let acts = ladder.due(at(10), |_| true);
    assert!(
        matches!(&acts[..], [Act::Tell(words)] if words.starts_with("3 phones of the adb server at rack")),
        "{acts:?}"
    );
    assert_eq!(ladder.next_due(|_| true), None);
    for phone in ["a", "b", "c", "10.0.0.7:5555"] {
        ladder.is_back(&id(phone));
    }
    ladder.fails(at(200), &id("a"), Ailment::Offline);
    assert_eq!(steps(&ladder.due(at(205), |_| true)), [RecoveryStep::Reopen], "each for itself again");
}

#[test]
fn phones_of_a_server_that_is_lost_are_not_touched() {
    let mut ladder = ladder(Some(RecoveryStep::Reboot));
    ladder.server("rack", true);
    ladder.fails(at(0), &id("a"), Ailment::Unlisted);
    ladder.fails(at(0), &id("b"), Ailment::Silent);
    assert_eq!(ladder.due(at(60), |_| true), []);
    ladder.server("rack", false);
    ladder.fails(at(90), &id("b"), Ailment::Silent);
    assert_eq!(steps(&ladder.due(at(90), |_| true)), [RecoveryStep::Reconnect]);
}

#[test]
fn a_phone_that_measures_is_not_disturbed() {
    let mut ladder = ladder(Some(RecoveryStep::Reboot));
    ladder.fails(at(0), &id("a"), Ailment::Silent);
    assert_eq!((ladder.due(at(9), |_| false), ladder.next_due(|_| false)), (vec![], None));
    assert_eq!(steps(&ladder.due(at(9), |_| true)), [RecoveryStep::Reconnect]);
}

proptest! {
    #[test]
    fn whatever_happens_the_ladder_ends_within_its_budget(
        happenings in proptest::collection::vec((0u8..5, 0usize..4, 0i64..200), 1..300),
    ) {
        let mut ladder = ladder(Some(RecoveryStep::Reboot));
        let names = ["a", "b", "c", "10.0.0.7:5555"];
        let (mut now, mut counts) = (0, BTreeMap::<DeviceId, (u32, u32)>::new());
        for (what, who, later) in happenings {
            now += later;
            let phone = id(names[who]);
            match what {
                0 => ladder.fails(at(now), &phone, Ailment::Silent),
                1 => ladder.fails(at(now), &phone, Ailment::Offline),
                2 => ladder.fails(at(now), &phone, Ailment::Unlisted),
                3 => ladder.is_back(&phone),
                _ => ladder.works(&phone),
            }
            for act in ladder.due(at(now), |_| true) {
                if let Act::Step(phone, step, _) = act {
                    let (steps, reboots) = counts.entry(phone).or_default();
                    *steps += 1;
                    *reboots += u32::from(step == RecoveryStep::Reboot);
                }
            }
        }
        for (steps, reboots) in counts.into_values() {
            prop_assert!(steps <= MOST_STEPS && reboots <= MOST_REBOOTS);
        }
    }
}
