//! Everything on one phone.

use super::*;

fn alone() -> Selection {
    Selection { alone: true, ..Selection::default() }
}

#[test]
fn the_first_phone_by_serial_that_qualifies_for_most_scenarios_runs_them_all() {
    let scenarios =
        [scenario("a", ""), scenario("b", "devices: 'sdk >= 30'"), scenario("c", "devices: 'sdk <= 29'")];
    let phones = [
        phone("p3", "x", 34, 120.0),
        phone("p2", "x", 33, 60.0),
        phone("p1", "x", 28, 60.0),
        phone("p0", "x", 29, 60.0),
    ];
    let made = plan(&scenarios[..2], told(&phones), &alone());
    assert_eq!(serials(&made), ["a@p2", "b@p2"]);
    let sentence = made.alone.as_ref().and_then(Alone::sentence);
    assert_eq!(
        sentence.as_deref(),
        Some("on p2 alone, the first by serial of 2 that qualify; -s names another")
    );
    // Four qualify for two of three: the first of them, and what is not for it says so of every phone.
    let made = plan(&scenarios, told(&phones), &alone());
    assert_eq!(serials(&made), ["a@p0", "b@none", "c@p0"]);
    let why: Vec<String> = made.refusals.iter().map(|one| format!("{} {}", one.device, one.why)).collect();
    assert!(why.contains(&"p3 the run is on p0 alone".to_owned()), "{why:?}");
    assert!(why.contains(&"p0 sdk is 29, needs >= 30".to_owned()), "{why:?}");
}

#[test]
fn what_is_said_of_many_phones_does_not_count_and_a_silent_one_is_not_waited_for() {
    let scenarios = [scenario("a", "phones: 3\nspread: true"), scenario("b", "")];
    let phones = [phone("p1", "x", 31, 60.0), phone("p2", "x", 31, 60.0)];
    let silent = [DeviceId("p0".into())];
    let made = plan(&scenarios, Fleet { told: &phones, silent: &silent, last: &[] }, &alone());
    assert_eq!(serials(&made), ["a@p1", "b@p1"]);
    assert!(made.short.is_empty() && made.absent.is_empty() && made.jobs[0].spares.is_empty());
    // Where nobody told what it is, each is named as ever.
    let made = plan(&scenarios[1..], Fleet { told: &[], silent: &silent, last: &[] }, &alone());
    assert_eq!(serials(&made), ["b@p0"]);
    assert_eq!(made.alone, None);
    // One phone alone needs no words.
    let made = plan(&scenarios[1..], told(&phones[..1]), &alone());
    assert_eq!(made.alone.and_then(|alone| alone.sentence()), None);
}
