//! Promises about baselines, calibrations and times.

use crate::samples::{key, night, pin, record, wall};
use farmjank_history::History;
use farmjank_history::told::Line;
use farmjank_results::cell::CellSession;
use farmjank_results::device::DeviceId;
use farmjank_results::iteration_time::IterationTime;
use farmjank_seams::history::{Calibration, CellFilter, Change, Move, Pin, PinSeen, RunRow, SelfTest};
use std::collections::BTreeSet;

pub fn baselines_move(store: &mut History) {
    record(store, &[1]);
    let (_, first) = night(1);
    let second: Vec<CellSession> = [night(2).1, night(3).1].concat();
    let (one, two) = (pin("release", 1), pin("release", 3));
    assert_eq!(store.pin(&one, &first).unwrap(), Change::Pinned);
    assert_eq!(store.pin(&pin("beta", 2), &first[..1]).unwrap(), Change::Pinned);
    assert_eq!(store.pin(&two, &second).unwrap(), Change::Moved);

    let (back, copies) = store.baseline("release").unwrap().unwrap();
    let mut expected = second.clone();
    expected.sort_by(|one, other| one.key.cmp(&other.key));
    assert_eq!((back, copies), (two.clone(), expected));
    let beta = PinSeen { pin: pin("beta", 2), cells: 1, sessions: 1 };
    let release = PinSeen { pin: two.clone(), cells: 4, sessions: 12 };
    assert_eq!(store.baselines().unwrap(), [beta, release]);

    let end = Pin { why: "too old".into(), ..pin("release", 9) };
    assert!(store.unpin(&end).unwrap());
    assert!(!store.unpin(&end).unwrap());
    assert_eq!(store.baseline("release").unwrap(), None);
    let log = [
        Move { change: Change::Pinned, pin: one, sessions: 6 },
        Move { change: Change::Moved, pin: two, sessions: 12 },
        Move { change: Change::Removed, pin: end, sessions: 0 },
    ];
    assert_eq!(store.moves(Some("release")).unwrap(), log);
    assert_eq!(store.moves(None).unwrap().len(), 4);
    // Only a baseline knows these nights: they are no history.
    assert_eq!(store.cell(&key("Pixel 7", "fling"), 9).unwrap().len(), 2);
}

pub fn a_baseline_needs_words(store: &mut History) {
    let (_, sessions) = night(1);
    let whole = pin("release", 1);
    let broken: [fn(&mut Pin); 5] = [
        |pin| pin.name = String::new(),
        |pin| pin.name = "x".repeat(1_000),
        |pin| pin.by = " ".into(),
        |pin| pin.why = String::new(),
        |pin| pin.wall = "today".into(),
    ];
    for change in broken {
        let mut pin = whole.clone();
        change(&mut pin);
        assert_eq!(store.pin(&pin, &sessions).unwrap_err().code.word(), "history_refused");
        assert_eq!(store.unpin(&pin).unwrap_err().code.word(), "history_refused");
    }
    assert_eq!(store.pin(&whole, &[]).unwrap_err().code.word(), "history_refused");
    let mut odd = sessions.clone();
    odd[0].values[0] = f64::NAN;
    assert_eq!(store.pin(&whole, &odd).unwrap_err().code.word(), "history_refused");
    assert_eq!((store.baselines().unwrap(), store.moves(None).unwrap()), (vec![], vec![]));
}

pub fn calibrations(store: &mut History) {
    let noise = |window: &str, night: u32, sd: f64| Calibration {
        key: key("Pixel 7", window),
        run: format!("calibrate-{night}"),
        wall: wall(night),
        iterations: 20,
        sd,
        session_sd: (night > 2).then_some(0.15),
        mde: 12.5,
    };
    let phone = |device: &str, night: u32, differing: u32| SelfTest {
        device: DeviceId(device.into()),
        run: format!("calibrate-{night}"),
        wall: wall(night),
        cells: 40,
        differing,
        failed: differing > 4,
    };
    store
        .calibrate(&[noise("fling", 5, 2.0), noise("scroll", 5, 1.0)], &[phone("B", 5, 9), phone("A", 5, 1)])
        .unwrap();
    store.calibrate(&[noise("fling", 2, 9.0)], &[phone("B", 2, 7)]).unwrap();
    // The same run again gives way.
    store.calibrate(&[noise("scroll", 5, 3.0)], &[phone("A", 5, 2)]).unwrap();
    let all = CellFilter::default();
    assert_eq!(store.calibrations(&all).unwrap(), [noise("fling", 5, 2.0), noise("scroll", 5, 3.0)]);
    assert_eq!(store.self_tests(None).unwrap(), [phone("A", 5, 2), phone("B", 5, 9), phone("B", 2, 7)]);
    assert_eq!(store.self_tests(Some(&DeviceId("B".into()))).unwrap().len(), 2);
    assert_eq!(store.self_tests(Some(&DeviceId("C".into()))).unwrap(), []);
    // A calibrated cell is no history yet.
    assert_eq!(store.cells(&all).unwrap(), []);
    let odd = [noise("fling", 6, f64::NAN)];
    assert_eq!(store.calibrate(&odd, &[phone("A", 6, 0)]).unwrap_err().code.word(), "history_refused");
    assert_eq!(store.self_tests(None).unwrap().len(), 3);
}

pub fn iterations(store: &mut History) {
    let time = |class: &str, ms| IterationTime { hash: "c0ffee".into(), class: class.into(), ms };
    let wanted = BTreeSet::from(["c0ffee".to_owned(), "never seen".to_owned()]);
    let all = |store: &mut History, newest| store.iterations(&wanted, newest).unwrap();
    store.keep_iterations("run-0001", &[time("a", 1)]).unwrap();
    assert_eq!(all(store, 9), [], "a run that is not there has no times");
    for number in 1..=3 {
        let (row, sessions) = night(number);
        store.record(&row, &sessions).unwrap();
        let other = IterationTime { hash: "other".into(), ..time("a", 7) };
        let ms = u64::from(number);
        store.keep_iterations(&row.id, &[time("a", ms), time("b", 10 * ms), other]).unwrap();
    }
    assert_eq!(all(store, 2), [time("a", 3), time("b", 30), time("a", 2), time("b", 20)]);
    // The same run again gives way, and what is forgotten of a run is all of it.
    store.keep_iterations("run-0003", &[time("b", 31)]).unwrap();
    assert_eq!(all(store, 1), [time("b", 31), time("a", 2)]);
    store.prune(&wall(3), 1).unwrap();
    assert_eq!(all(store, 9), [time("b", 31)]);
    let (row, sessions) = night(3);
    store.replace(&RunRow { labels: Default::default(), ..row }, &sessions).unwrap();
    assert_eq!(all(store, 9), [], "a run that is measured again took another time");
}

pub fn told(store: &mut History) {
    let main = Line { branch: "main", lab: None };
    let (other, lab) = (Line { branch: "next", ..main }, Line { lab: Some("demo"), ..main });
    store.keep_told("run-0001", "main", b"nobody's").unwrap();
    assert_eq!(store.told_before("", main).unwrap(), None, "a run that is not there came to nothing");
    assert!(!store.is_told("run-0001").unwrap());
    for number in 1..=4 {
        let (mut row, sessions) = night(number);
        if number == 3 {
            row.lab = Some("demo".to_owned());
        }
        store.record(&row, &sessions).unwrap();
        assert!(!store.is_told(&row.id).unwrap(), "not before it is kept");
        let branch = if number == 4 { "next" } else { "main" };
        store.keep_told(&row.id, branch, &[b'0' + u8::try_from(number).unwrap()]).unwrap();
    }
    assert!(store.is_told("run-0001").unwrap() && !store.is_told("no such run").unwrap());
    let before = |store: &mut History, run: &str, line| store.told_before(run, line).unwrap();
    let found = |text: &[u8]| Some(text.to_vec());
    assert_eq!(before(store, "", main), found(b"2"), "the newest of its branch on phones");
    assert_eq!((before(store, "", lab), before(store, "", other)), (found(b"3"), found(b"4")));
    assert_eq!(before(store, "run-0002", main), found(b"1"), "not itself, and none after it");
    assert_eq!(before(store, "run-0001", main), None);
    assert_eq!(before(store, "no such run", main), found(b"2"));
    // The same run again gives way; what is forgotten of a run is all of it.
    store.keep_told("run-0002", "main", b"\0\xff").unwrap();
    assert_eq!(before(store, "", main), found(b"\0\xff"));
    store.prune(&wall(4), 1).unwrap();
    assert_eq!((before(store, "", main), before(store, "", other)), (None, found(b"4")));
    let (row, sessions) = night(4);
    store.replace(&RunRow { labels: Default::default(), ..row }, &sessions).unwrap();
    assert_eq!(before(store, "", other), None, "a run that is measured again came to something else");
}
