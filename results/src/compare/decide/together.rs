//! Several phones of one model: one cell that decides, and each phone beside it.

use super::tests::GOOD;
use super::*;
use crate::compare::samples::session;
use crate::verdict::Verdict;

/// Blocks of one phone: the old build as a good phone is, the new one worse by so much.
fn turns(device: &str, by: f64) -> (Vec<CellSession>, Vec<Measured>) {
    let block = |number: usize, by: f64| {
        let values: Vec<f64> = GOOD.iter().skip(number * 5).take(5).map(|value| value + by).collect();
        session(&format!("run block {number}"), device, &values)
    };
    let blocks = 0..3;
    (blocks.clone().map(|at| block(at, 0.0)).collect(), blocks.map(|at| block(at, by).into()).collect())
}

fn compared(phones: &[(&str, f64)]) -> Compared {
    let mut base = Vec::new();
    let mut new = Vec::new();
    for (device, by) in phones {
        let (old, fresh) = turns(device, *by);
        base.extend(old);
        new.extend(fresh);
    }
    compare(Source::default(), &base, &new, &Rules::of(Given::Interleaved, 1))
}

fn roles(compared: &Compared) -> Vec<(&str, Role, State)> {
    compared.cells.iter().map(|cell| (cell.device.0.as_str(), cell.role, cell.state)).collect()
}

#[test]
fn phones_of_a_model_are_one_cell_and_each_is_told_beside_it() {
    let same = compared(&[("A", 0.0), ("B", 0.0), ("C", 0.0)]);
    let cell = &same.cells[0];
    assert_eq!(
        (cell.device.0.as_str(), cell.phones, cell.role, cell.state),
        ("", Some(3), Role::Primary, State::Pass)
    );
    assert_eq!((cell.n, cell.sessions, cell.independent), ((45, 45), (9, 9), Some(Independent::Iterations)));
    let names: Vec<_> = roles(&same).iter().map(|(device, role, _)| (*device, *role)).collect();
    assert_eq!(names, [("", Role::Primary), ("A", Role::Phone), ("B", Role::Phone), ("C", Role::Phone)]);
    assert_eq!((same.verdict(), same.count(State::Pass)), (Verdict::Pass, 1));
    // What none of them shows alone all of them show together.
    let alone = compared(&[("A", 12.0)]);
    let all = compared(&[("A", 12.0), ("B", 12.0), ("C", 12.0)]);
    assert_eq!(all.cells[0].state, State::Regression, "{}", all.cells[0].sentence);
    assert!(all.cells[0].p_two_sided < alone.cells[0].p_two_sided);
    assert!(all.cells[0].mde < alone.cells[0].mde, "{:?} {:?}", all.cells[0].mde, alone.cells[0].mde);
}

#[test]
fn one_phone_that_is_clearly_slower_is_not_drowned_by_its_siblings() {
    let phones: Vec<(String, f64)> =
        (0..8).map(|at| (format!("P{at}"), if at == 3 { 80.0 } else { 0.0 })).collect();
    let phones: Vec<(&str, f64)> = phones.iter().map(|(name, by)| (name.as_str(), *by)).collect();
    let found = compared(&phones);
    let slow: Vec<&str> = found
        .cells
        .iter()
        .filter(|cell| cell.role == Role::Phone && cell.verdict() == Verdict::Fail)
        .map(|cell| cell.device.0.as_str())
        .collect();
    assert_eq!((slow, found.verdict()), (vec!["P3"], Verdict::Fail), "{:?}", roles(&found));
}

#[test]
fn a_single_phone_of_a_model_decides_by_itself_as_ever() {
    let one = compared(&[("A", 30.0)]);
    let cell = &one.cells[0];
    assert_eq!(one.cells.len(), 1);
    assert_eq!((cell.device.0.as_str(), cell.phones, cell.role), ("A", None, Role::Primary));
    assert_eq!(cell.state, State::Regression);
}

/// Five nights of three phones that differ for good; each night moves all of them, and each phone a little by itself.
fn nights(by: f64) -> (Vec<CellSession>, Vec<Measured>) {
    let level = |phone: usize, night: usize, by: f64| {
        let own = [10.0, 25.0, 60.0][phone];
        let moves = [0.0, 4.0, -3.0, 1.0, -2.0, 0.5][night];
        let jitter = [2.5, -2.0, 1.0, -1.5, 0.5, 0.0][(night + 2 * phone) % 6];
        vec![own + moves + jitter * own / 10.0 + by; 10]
    };
    let one = |phone: usize, night: usize, by: f64| {
        session(&format!("night {night}"), ["A", "B", "C"][phone], &level(phone, night, by))
    };
    let old = (0..5).flat_map(|night| (0..3).map(move |phone| one(phone, night, 0.0))).collect();
    (old, (0..3).map(|phone| one(phone, 5, by).into()).collect())
}

#[test]
fn a_stored_baseline_of_five_nights_finds_what_all_phones_of_a_model_agree_on() {
    let held = |by: f64| {
        let (old, new) = nights(by);
        compare(Source::default(), &old, &new, &Rules::of(Given::Run, 1))
    };
    let slow = held(30.0);
    let cell = &slow.cells[0];
    assert_eq!(
        (cell.phones, cell.design, cell.sessions),
        (Some(3), Some(Design::Stored), (5, 1)),
        "{cell:?}"
    );
    assert_eq!((cell.state, slow.verdict()), (State::Regression, Verdict::Fail), "{}", cell.sentence);
    // No phone alone finds it: how the three differ from each other is in its noise.
    let alone: Vec<State> =
        slow.cells.iter().filter(|cell| cell.role == Role::Phone).map(|cell| cell.state).collect();
    assert_eq!(alone.len(), 3);
    assert!(alone.iter().all(|state| *state == State::Inconclusive), "{:?}", roles(&slow));
    assert_ne!(held(0.0).verdict(), Verdict::Fail);
    // Four nights of three phones are no five nights: then each phone decides, by all the sessions there are.
    let (old, new) = nights(30.0);
    let four: Vec<CellSession> = old.into_iter().filter(|one| one.run != "night 4").collect();
    let few = compare(Source::default(), &four, &new, &Rules::of(Given::Run, 1));
    assert!(
        few.cells.iter().all(|cell| cell.role == Role::Primary && cell.phones.is_none()),
        "{:?}",
        roles(&few)
    );
}

#[test]
fn one_session_decides_nothing_unless_it_is_asked_to() {
    let held = |by: f64, one_session: bool| {
        let values: Vec<f64> = GOOD.iter().map(|value| value + by).collect();
        let rules = Rules { one_session, ..Rules::of(Given::Runs, 1) };
        let (old, new) = ([session("old", "A", &GOOD)], session("new", "A", &values));
        compare(Source::default(), &old, &[new.into()], &rules)
    };
    assert_eq!(held(30.0, true).verdict(), Verdict::Fail);
    let doubt = held(30.0, false);
    assert_eq!((doubt.cells[0].state, doubt.verdict()), (State::Inconclusive, Verdict::Undecided));
    assert!(doubt.cells[0].sentence.contains("looks worse, but one session"), "{}", doubt.cells[0].sentence);
    assert!(doubt.notes[0].contains("--one-session"), "{:?}", doubt.notes);
    // The numbers stay: it tells, and does not judge.
    assert_eq!(doubt.cells[0].p_two_sided, held(30.0, true).cells[0].p_two_sided);
    assert_ne!(held(0.0, false).verdict(), Verdict::Fail);
}

/// Eight blocks of one phone on installations of their own; levels move by so much from one installation to the next.
fn installed(by: f64) -> Compared {
    let moves = [0.0, 1.0, -1.0, 0.6, -0.8, 0.9, -0.3, 0.2];
    let (mut base, mut new, mut installations) = (Vec::new(), Vec::new(), Installations::new());
    for (at, own) in moves.into_iter().enumerate() {
        let run = format!("run block {at}");
        let jitter = |level: f64| [0.0, 1.5, -1.0, 0.5, -1.2].map(|jitter| level + jitter);
        base.push(session(&run, "A", &jitter(30.0 + by * own)));
        new.push(session(&run, "A", &jitter(30.0 - by * moves[(at + 3) % 8])).into());
        let number = at as u32 + 1;
        installations.insert((DeviceId("A".to_owned()), run), [number, number]);
    }
    compare(Source::default(), &base, &new, &Rules { installations, ..Rules::of(Given::Interleaved, 1) })
}

#[test]
fn iterations_of_one_installation_that_are_alike_are_not_taken_as_independent() {
    let (alike, apart) = (installed(0.0), installed(12.0));
    let width =
        |compared: &Compared| compared.cells[0].interval.map(|(low, high)| high - low).expect("an interval");
    assert_eq!(alike.cells[0].independent, Some(Independent::Iterations));
    assert_eq!(apart.cells[0].independent, Some(Independent::Installations));
    assert!(width(&apart) > 3.0 * width(&alike), "{} {}", width(&apart), width(&alike));
    let words = &apart.cells[0].sentence;
    assert!(
        words.contains("more alike than chance makes them") && words.contains("--per-install"),
        "{words}"
    );
    assert_ne!(apart.cells[0].state, State::Regression);
    // One installation of each build on a phone: that is said.
    let (base, new) = turns("A", 0.0);
    let one = base.iter().map(|one| ((one.device.clone(), one.run.clone()), [1, 1])).collect();
    let once = compare(
        Source::default(),
        &base,
        &new,
        &Rules { installations: one, ..Rules::of(Given::Interleaved, 1) },
    );
    assert!(once.notes.iter().any(|note| note.contains("installed once")), "{:?}", once.notes);
}
