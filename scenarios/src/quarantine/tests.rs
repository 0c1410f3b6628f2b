//! What entries hold of a plan, what is said of them, how the file complains, and how it is edited.

use super::edit::{added, removed};
use super::*;
use crate::plan::{Fleet, Selection, plan};
use crate::read::tests::sound;
use crate::read::{SourceFile, quarantine};
use crate::requirement::tests::phone;
use crate::scenario::Scenario;

const TERMS: &str = "reason: slow since Tuesday\n    owner: ana\n    until: 2026-12-01";

fn read(text: &str) -> Result<Vec<Entry>, String> {
    quarantine(&SourceFile { name: "q.yaml".into(), text: text.into() })
        .map_err(|all| all.iter().map(|one| one.render(false)).collect())
}

/// Entries of these selectors, each with the same terms.
fn entries(selectors: &[&str]) -> Vec<Entry> {
    let one = |selector: &&str| format!("  - {}\n    {TERMS}\n", selector.replace("; ", "\n    "));
    read(&format!("quarantine:\n{}", selectors.iter().map(one).collect::<String>())).expect("a sound file")
}

fn day(text: &str) -> Date {
    text.parse().expect("a day")
}

fn scenario(name: &str, header: &str) -> Scenario {
    sound(&format!(
        "appId: com.example.shop\nname: {name}\n{header}\nsteps: [ {{ measure: alpha, steps: [ wait: 1s ] }}, {{ measure: beta, steps: [ wait: 1s ] }} ]\n"
    ))
}

/// What the entries hold of two scenarios on two phones that told what they are and one that did not; jobs by number:
/// feed on p1, p2, silent: 0 to 2, cart: 3 to 5.
fn of_lab(entries: &[Entry], today: &str) -> (Vec<(u32, Option<String>)>, Vec<String>) {
    let phones = [phone("p1", "Pixel 4", 30, 90.0), phone("p2", "Pixel 8", 34, 120.0)];
    let silent = [DeviceId("silent".into())];
    let scenarios = [scenario("feed", ""), scenario("cart", "")];
    let plan = plan(&scenarios, Fleet { told: &phones, silent: &silent, last: &[] }, &Selection::default());
    let facts = phones.iter().map(|phone| (phone.id.clone(), phone.clone())).collect();
    let Held { quarantined, notices } = held(entries, &plan, &facts, day(today));
    (quarantined.into_iter().map(|one| (one.job, one.window)).collect(), notices)
}

fn jobs(selector: &str) -> Vec<(u32, Option<String>)> {
    of_lab(&entries(&[selector]), "2026-11-24").0
}

#[test]
fn an_entry_holds_what_all_its_selectors_say() {
    let whole = |jobs: &[u32]| jobs.iter().map(|job| (*job, None)).collect::<Vec<_>>();
    assert_eq!(jobs("serial: p1"), whole(&[0, 3]));
    assert_eq!(jobs("scenario: cart"), whole(&[3, 4, 5]));
    assert_eq!(jobs("scenario: cart; window: beta"), [3, 4, 5].map(|job| (job, Some("beta".to_owned()))));
    assert_eq!(jobs("serial: p2; scenario: feed; window: alpha"), [(1, Some("alpha".to_owned()))]);
    assert_eq!(jobs("devices: 'sdk >= 34'; scenario: feed"), whole(&[1]));
    // Of a phone that told nothing only the serial is known: what may be, is not.
    assert_eq!(jobs("devices: 'sdk >= 1'"), whole(&[0, 1, 3, 4]));
    assert_eq!(jobs("devices: 'serial ~ \"s*\"'"), whole(&[2, 5]));
    assert_eq!(jobs("serial: silent"), whole(&[2, 5]));
}

#[test]
fn it_holds_through_its_last_day_and_gates_again_on_the_next() {
    let all = entries(&["serial: p1; scenario: feed"]);
    for today in ["2026-11-24", "2026-12-01"] {
        assert_eq!(of_lab(&all, today), (vec![(0, None)], Vec::new()));
    }
    let (held, notices) = of_lab(&all, "2026-12-02");
    assert!(held.is_empty());
    let said = "the quarantine of `feed` on phone p1 ended with 2026-12-01: it gates again (slow since Tuesday; ana; q.yaml:2)";
    assert_eq!(notices, [said]);
}

#[test]
fn of_two_for_one_thing_the_one_that_lasts_longest_counts() {
    let mut all = entries(&["serial: p1", "devices: 'model = \"Pixel 4\"'; scenario: feed"]);
    all[1].until = day("2027-01-01");
    let phones = [phone("p1", "Pixel 4", 30, 90.0)];
    let made =
        plan(&[scenario("feed", "")], Fleet { told: &phones, silent: &[], last: &[] }, &Selection::default());
    let facts = phones.iter().map(|phone| (phone.id.clone(), phone.clone())).collect();
    for all in [all.clone(), all.into_iter().rev().collect()] {
        let held = held(&all, &made, &facts, day("2026-11-24"));
        let until: Vec<&str> = held.quarantined.iter().map(|one| one.quarantine.until.as_str()).collect();
        assert_eq!(until, ["2027-01-01"]);
    }
}

#[test]
fn what_matches_nothing_is_told_once_with_what_was_meant() {
    let (held, notices) = of_lab(&entries(&["serial: p9"]), "2026-11-24");
    assert_eq!(
        (held.len(), &*notices),
        (0, &["in quarantine, and not in this run: phone p9 (q.yaml:2)".to_owned()][..])
    );
    let (_, notices) =
        of_lab(&entries(&["scenario: Feed", "scenario: cart; window: betta", "serial: p1"]), "2026-11-24");
    let said = "2 in quarantine, and not in this run: `Feed` (q.yaml:2; did you mean `feed`?), `cart` › `betta` (q.yaml:6; did you mean `beta`?)";
    assert_eq!(notices, [said]);
}

#[test]
fn a_fleet_that_lacks_only_phones_in_quarantine_is_not_short() {
    let phones = [phone("p1", "Pixel 4", 30, 90.0)];
    let facts = phones.iter().map(|phone| (phone.id.clone(), phone.clone())).collect();
    let held_of = |wanted: u32, selectors: &[&str]| {
        let scenarios = [scenario("feed", &format!("phones: {wanted}"))];
        let made = plan(&scenarios, Fleet { told: &phones, silent: &[], last: &[] }, &Selection::default());
        let held = held(&entries(selectors), &made, &facts, day("2026-11-24"));
        (held.quarantined.iter().map(|one| one.job).collect::<Vec<_>>(), held.notices.len())
    };
    assert_eq!(held_of(2, &["serial: away"]), (vec![1], 0));
    assert_eq!(held_of(3, &["serial: away"]), (vec![], 1), "another one is missing, too");
    assert_eq!(held_of(3, &["serial: away", "serial: gone"]), (vec![1], 0));
    assert_eq!(held_of(2, &["serial: away; scenario: cart"]), (vec![], 1));
    assert_eq!(held_of(2, &["serial: p1"]), (vec![0], 0), "that one came");
}

#[test]
fn every_mistake_is_told_with_its_place_and_its_cure() {
    let text = "quarantine:
  - serial: R58M
    reson: it is slow
    owner: ana
    until: 2026-13-01
  - owner: bo
    reason: all of it
    until: 2026-12-01
  - devices: 'modell = x'
    serial: p1
    window: w
    reason: r
    owner: o
";
    let told = read(text).expect_err("mistakes");
    let lines: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("error:") || line.contains("help:") || line.contains("-->"))
        .collect();
    assert_eq!(lines, TOLD_OF_MISTAKES.lines().collect::<Vec<_>>(), "{told}");
    assert_eq!(read(""), Ok(Vec::new()));
    assert_eq!(read("# nothing\nquarantine: []\n"), Ok(Vec::new()));
    assert!(read("- serial: x\n").expect_err("a list").contains("does not begin with keys"));
    assert!(read("quarantine: { serial: x }\n").expect_err("a map").contains("takes a list"));
}

const TOLD_OF_MISTAKES: &str = "error: unknown key `reson` in an entry
 --> q.yaml:3:5
  = help: write `reason`
error: `2026-13-01` is not a day
 --> q.yaml:5:12
  = help: write its last day as `2026-12-31`
error: the entry takes everything out of the gate
 --> q.yaml:6:5
  = help: say of what: `serial:` or `devices:`, `scenario:`, or both
error: `serial` and `devices` say the same thing twice
 --> q.yaml:9:5
  = help: keep one of the two
error: an entry needs `until`
 --> q.yaml:9:5
  = help: add `until:` (the last day it does not gate, such as `2026-12-31`, in UTC)
error: unknown field `modell`
 --> q.yaml:9:15
  = help: write `model`
error: `window` needs `scenario`
  --> q.yaml:11:5
   = help: windows of several scenarios may have one name
";

const FILE_TEXT: &str = "# ours
quarantine:
  # the one by the window
  - serial: p1
    reason: >-
      slow since
      Tuesday
    owner: ana # or bo
    until: 2026-12-01

  - { scenario: cart, reason: r, owner: o, until: 2026-12-01 } # short
# the end
";

#[test]
fn an_entry_is_added_at_the_end_and_the_rest_stays() {
    let before = read(FILE_TEXT).expect("sound");
    let mut new = entries(&["serial: p2; scenario: feed"]).remove(0);
    new.reason = "costs ${5}: \"dear\" # no".into();
    let text = added("q.yaml", FILE_TEXT, &before, &new).expect("written in lines");
    let lines = "  - serial: p2\n    scenario: feed\n    reason: \"costs $${5}: \\\"dear\\\" # no\"\n    owner: ana\n    until: 2026-12-01\n";
    assert_eq!(text, FILE_TEXT.replace("# the end\n", &format!("{lines}# the end\n")));
    // Into nothing, into a list that is empty, and again.
    for from in ["", "quarantine:\n", "quarantine: []\n", "# mine\n", "quarantine: []"] {
        let before = read(from).unwrap_or_default();
        let one = added("q.yaml", from, &before, &new).expect(from);
        let again = added("q.yaml", &one, &read(&one).expect("sound"), &new).expect(from);
        assert_eq!(read(&again).expect("sound").len(), 2, "{from:?}: {again}");
    }
    let flow = "quarantine: [ { scenario: cart, reason: r, owner: o, until: 2026-12-01 } ]\n";
    let told = added("q.yaml", flow, &read(flow).expect("sound"), &new).expect_err("not in lines");
    assert!(told.to_string().starts_with("q.yaml is not written as a list"), "{told}");
}

#[test]
fn an_entry_is_removed_and_the_rest_stays() {
    let before = read(FILE_TEXT).expect("sound");
    let text = removed("q.yaml", FILE_TEXT, &before, &[0].into()).expect("written in lines");
    let kept = "# ours\nquarantine:\n  # the one by the window\n\n  - { scenario: cart, reason: r, owner: o, until: 2026-12-01 } # short\n# the end\n";
    assert_eq!(text, kept);
    let none = removed("q.yaml", FILE_TEXT, &before, &[0, 1].into()).expect("written in lines");
    assert_eq!(none, "# ours\nquarantine: []\n  # the one by the window\n\n# the end\n");
}
