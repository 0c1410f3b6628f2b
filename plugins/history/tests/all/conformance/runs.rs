//! Promises about runs and their sessions.

use crate::samples::{key, night, pin, record, run, session, wall};
use farmjank_history::History;
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_seams::history::{CellFilter, CellSeen, Cells, Pruned, Recorded, Wanted};
use std::collections::BTreeMap;

const ALL: Wanted<'static> = Wanted {
    cells: Cells::Like(&CellFilter {
        model: None,
        build: None,
        refresh: None,
        scenario: None,
        window: None,
        metric: None,
        source: None,
        holding: Vec::new(),
    }),
    since: None,
    before: None,
    newest: None,
};

fn bulk(store: &mut History, wanted: &Wanted<'_>) -> Vec<Vec<CellSession>> {
    let mut cells = Vec::new();
    let mut take = |sessions| {
        cells.push(sessions);
        Ok(())
    };
    store.sessions(wanted, &mut take).unwrap();
    cells
}

pub fn a_fresh_store_is_empty(store: &mut History) {
    assert_eq!(store.runs(10).unwrap(), []);
    assert_eq!(store.cell(&key("Pixel 7", "fling"), 10).unwrap(), []);
    assert_eq!(store.cells(&CellFilter::default()).unwrap(), []);
    assert_eq!(bulk(store, &ALL), [] as [Vec<CellSession>; 0]);
    assert_eq!(store.torn().unwrap(), []);
    assert_eq!(store.prune(&wall(9), 0).unwrap(), Pruned::default());
}

pub fn what_was_recorded_comes_back(store: &mut History) {
    let (mut run, mut sessions) = night(3);
    (run.verdict, run.lab) = (None, Some("demo".into()));
    sessions[0].app_version = None;
    (sessions[0].values, sessions[0].seconds) = (vec![], vec![]);
    sessions[1].void = vec![];
    assert_eq!(store.record(&run, &sessions).unwrap(), Recorded::New);
    assert_eq!(store.runs(10).unwrap(), [run]);
    let read = |store: &mut History, model, window| store.cell(&key(model, window), 10).unwrap();
    assert_eq!(read(store, "Pixel 7", "fling"), sessions[0..2]);
    assert_eq!(read(store, "Galaxy S9", "scroll"), sessions[5..6]);
    assert_eq!(store.torn().unwrap(), []);
}

pub fn the_newest_comes_first(store: &mut History) {
    record(store, &[5, 1, 9, 3]);
    let nights = |sessions: Vec<CellSession>| sessions.iter().map(|one| one.values[0]).collect::<Vec<_>>();
    let cell = key("Galaxy S9", "fling");
    assert_eq!(nights(store.cell(&cell, 10).unwrap()), [9.0, 5.0, 3.0, 1.0]);
    assert_eq!(nights(store.cell(&cell, 2).unwrap()), [9.0, 5.0]);
    assert_eq!(store.cell(&cell, 0).unwrap(), []);
    let runs: Vec<String> = store.runs(3).unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(runs, ["run-0009", "run-0005", "run-0003"]);
    // Half a second matters, although `Z` stands after `.` in texts.
    for (id, second) in [("early", "00Z"), ("late", "00.5Z")] {
        let mut run = run(20);
        (run.id, run.wall) = (id.into(), format!("2026-03-01T02:00:{second}"));
        store.record(&run, &[session(&run, cell.clone(), "B1", &[1.0])]).unwrap();
    }
    assert_eq!(store.cell(&cell, 1).unwrap()[0].run, "late");
}

pub fn a_run_twice_changes_nothing(store: &mut History) {
    let (run, mut sessions) = night(1);
    assert_eq!(store.record(&run, &sessions).unwrap(), Recorded::New);
    sessions.reverse();
    // In another order of cells and phones it is the same run.
    assert_eq!(store.record(&run, &sessions).unwrap(), Recorded::Already);
    assert_eq!(store.replace(&run, &sessions).unwrap(), Recorded::Already);
    assert_eq!(store.cell(&key("Pixel 7", "fling"), 10).unwrap().len(), 2);
    assert_eq!(store.runs(10).unwrap().len(), 1);
}

pub fn a_run_that_differs(store: &mut History) {
    record(store, &[1, 2]);
    let (run, sessions) = night(2);
    let mut other = vec![sessions[0].clone()];
    other[0].values[1] = 15.0;
    let fault = store.record(&run, &other).unwrap_err();
    assert_eq!((fault.code.word(), fault.blame), ("history_refused", Blame::Tool));
    assert!(fault.what.contains("run-0002") && fault.advice.contains("replace"), "{fault}");
    let cell = key("Pixel 7", "fling");
    assert_eq!(store.cell(&cell, 1).unwrap(), sessions[0..1]);

    assert_eq!(store.replace(&run, &other).unwrap(), Recorded::Replaced);
    assert_eq!(store.cell(&cell, 1).unwrap(), other);
    // Cells that the run no longer holds were last seen the night before.
    let filter = CellFilter { model: Some("Galaxy S9".into()), ..CellFilter::default() };
    assert!(store.cells(&filter).unwrap().iter().all(|seen| seen.last == wall(1)));
    assert_eq!(store.torn().unwrap(), []);
    let mut renamed = run.clone();
    renamed.verdict = None;
    assert_eq!(store.record(&renamed, &other).unwrap_err().code.word(), "history_refused");
}

pub fn a_refused_run_leaves_nothing(store: &mut History) {
    let (run, sessions) = night(1);
    let broken: [fn(&mut CellSession); 4] = [
        |one| one.values[0] = f64::NAN,
        |one| one.seconds[0] = f64::INFINITY,
        |one| one.run = "another".into(),
        |one| one.wall = wall(7),
    ];
    for change in broken {
        let mut sessions = sessions.clone();
        change(sessions.last_mut().unwrap());
        assert_eq!(store.record(&run, &sessions).unwrap_err().code.word(), "history_refused");
    }
    for id in ["", &"x".repeat(1_000)] {
        let mut run = run.clone();
        run.id = id.into();
        assert_eq!(store.record(&run, &[]).unwrap_err().code.word(), "history_refused");
    }
    let mut timeless = run.clone();
    timeless.wall = "this morning".into();
    assert_eq!(store.record(&timeless, &[]).unwrap_err().code.word(), "history_refused");
    a_fresh_store_is_empty(store);
}

pub fn keys_never_mix(store: &mut History) {
    let run = run(1);
    let base = key("Pixel 7", "fling");
    let changes: [fn(&mut CellKey); 9] = [
        |key| key.model += "a",
        |key| key.build += "a",
        |key| key.refresh = 91,
        |key| key.scenario += "a",
        |key| key.hash += "a",
        |key| key.window += "a",
        |key| key.metric += "a",
        |key| key.metric_version = 2,
        |key| key.source += "a",
    ];
    let mut keys = vec![base.clone()];
    keys.extend(changes.map(|change| {
        let mut key = base.clone();
        change(&mut key);
        key
    }));
    let sessions: Vec<CellSession> =
        (0_u32..).zip(&keys).map(|(n, key)| session(&run, key.clone(), "A1", &[f64::from(n)])).collect();
    store.record(&run, &sessions).unwrap();
    for (key, session) in keys.iter().zip(&sessions) {
        assert_eq!(store.cell(key, 10).unwrap(), std::slice::from_ref(session));
    }
    assert_eq!(store.cells(&CellFilter::default()).unwrap().len(), keys.len());
}

pub fn cells_are_listed(store: &mut History) {
    record(store, &[2, 8, 5]);
    let listed = store.cells(&CellFilter::default()).unwrap();
    let windows: Vec<_> =
        listed.iter().map(|seen| (seen.key.model.as_str(), seen.key.window.as_str())).collect();
    let wanted =
        [("Galaxy S9", "fling"), ("Galaxy S9", "scroll"), ("Pixel 7", "fling"), ("Pixel 7", "scroll")];
    assert_eq!(windows, wanted);
    assert_eq!(listed[0], CellSeen { key: key("Galaxy S9", "fling"), first: wall(2), last: wall(8) });
    let mut filter = CellFilter { window: Some("fling".into()), refresh: Some(90), ..CellFilter::default() };
    let found = store.cells(&filter).unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|seen| filter.holds(&seen.key)));
    for (text, cells) in [("GALAXY", 1), ("9", 1), ("%", 0), ("_", 0), ("!", 0), ("fl", 2), ("Ä", 2)] {
        filter.holding = vec![text.into(), "fling".into()];
        let found = store.cells(&filter).unwrap();
        assert_eq!(found.len(), cells, "{text}");
        assert!(found.iter().all(|seen| filter.holds(&seen.key)));
    }
    filter.build = Some("another".into());
    assert_eq!(store.cells(&filter).unwrap(), []);
}

pub fn hostile_text(store: &mut History) {
    let hostile =
        ["nul \0 and \u{1a}0", "'; drop table farmjank_run; --", "\u{202e}\u{1b}[31m<script>", "?1 $1 {ids}"];
    let mut run = run(1);
    run.labels = hostile.iter().map(|text| ((*text).to_owned(), (*text).to_owned())).collect();
    run.tool = hostile[0].into();
    let sessions: Vec<CellSession> = hostile
        .iter()
        .map(|text| {
            let mut one = session(&run, key(text, text), text, &[1.0]);
            (one.app_version, one.void) = (Some((*text).into()), vec![(*text).into()]);
            one
        })
        .collect();
    store.record(&run, &sessions).unwrap();
    assert_eq!(store.runs(1).unwrap(), [run]);
    for one in &sessions {
        assert_eq!(store.cell(&one.key, 9).unwrap(), std::slice::from_ref(one));
    }
    assert_eq!(bulk(store, &ALL).concat().len(), hostile.len());
    let mut pinned = pin("hostile", 1);
    pinned.why = hostile.concat();
    store.pin(&pinned, &sessions).unwrap();
    let (back, copies) = store.baseline("hostile").unwrap().unwrap();
    assert_eq!((back, copies.len()), (pinned, hostile.len()));
}

pub fn long_texts(store: &mut History) {
    let run = run(1);
    let long = "x".repeat(1_000_000);
    let keys = ["a", "b"].map(|end| key(&format!("{long}{end}"), "fling"));
    let sessions = keys.clone().map(|key| session(&run, key, &long, &[1.0]));
    store.record(&run, &sessions).unwrap();
    for key in &keys {
        let found = store.cell(key, 9).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].key.model.len() < 5_000 && found[0].device.0.len() < 5_000);
    }
    let wanted = Wanted { cells: Cells::Keys(&keys), ..ALL };
    assert_eq!(bulk(store, &wanted).len(), 2);
}

pub fn twice_in_a_run(store: &mut History) {
    let run = run(1);
    let key = key("Pixel 7", "fling");
    let mut sessions: Vec<CellSession> =
        [3.0, 1.0, 2.0].iter().map(|value| session(&run, key.clone(), "A1", &[*value])).collect();
    sessions[1].app_version = Some("4.3".into());
    store.record(&run, &sessions).unwrap();
    assert_eq!(store.cell(&key, 9).unwrap(), sessions);
    assert_eq!(bulk(store, &ALL), [sessions]);
}

pub fn bulk_is_each(store: &mut History) {
    let nights: Vec<u32> = (0..40).map(|n| n * 7 % 40).collect();
    record(store, &nights);
    let rare = run(41);
    // Enough cells that a few of them are read from the cells, and all of them from the runs.
    let others: Vec<CellSession> =
        (0..40).map(|n| session(&rare, key("Rare", &format!("w{n}")), "R", &[f64::from(n)])).collect();
    store.record(&rare, &others).unwrap();
    let keys: Vec<CellKey> =
        store.cells(&CellFilter::default()).unwrap().into_iter().map(|seen| seen.key).collect();
    let like = CellFilter { model: Some("Pixel 7".into()), ..CellFilter::default() };
    let (since, before) = (wall(10), wall(30));
    let some = [keys[0].clone(), keys[3].clone(), key("Unknown", "fling")];
    for cells in [Cells::Keys(&keys), Cells::Keys(&some), Cells::Like(&like), ALL.cells] {
        for (since, before) in
            [(None, None), (Some(since.as_str()), None), (Some(&since), Some(before.as_str()))]
        {
            for newest in [None, Some(1), Some(7), Some(0)] {
                let wanted = Wanted { cells, since, before, newest };
                let meant = |key: &&CellKey| match cells {
                    Cells::Keys(keys) => keys.contains(key),
                    Cells::Like(filter) => filter.holds(key),
                };
                let within = |one: &CellSession| {
                    since.is_none_or(|since| one.wall.as_str() >= since)
                        && before.is_none_or(|before| one.wall.as_str() < before)
                };
                let mut expected = Vec::new();
                for key in keys.iter().filter(meant) {
                    let mut sessions = store.cell(key, 1_000).unwrap();
                    sessions.retain(within);
                    sessions.truncate(newest.unwrap_or(usize::MAX));
                    expected.extend((!sessions.is_empty()).then_some(sessions));
                }
                assert_eq!(bulk(store, &wanted), expected, "{wanted:?}");
            }
        }
    }
}

pub fn a_reader_that_fails(store: &mut History) {
    record(store, &[1]);
    let mut calls = 0;
    let fault = Fault::new(FaultCode::HistoryFailed, "enough");
    let ended = store.sessions(&ALL, &mut |_| {
        calls += 1;
        Err(fault.clone())
    });
    assert_eq!((ended, calls), (Err(fault), 1));
    // The store goes on.
    record(store, &[2]);
}

pub fn pruning(store: &mut History) {
    record(store, &[1, 2, 3, 4, 5]);
    let (odd, mut gone) = (run(0), key("Pixel 7", "fling"));
    gone.build = "old".into();
    store.record(&odd, &[session(&odd, gone.clone(), "A1", &[1.0])]).unwrap();
    let (_, pinned) = night(1);
    store.pin(&pin("release", 1), &pinned).unwrap();
    let pruned = store.prune(&wall(4), 3).unwrap();
    assert_eq!(pruned, Pruned { runs: 3, sessions: 13, cells: 1 });
    assert_eq!(store.runs(9).unwrap().len(), 3);
    assert_eq!(store.cells(&CellFilter { build: Some("old".into()), ..CellFilter::default() }).unwrap(), []);
    assert!(store.cells(&CellFilter::default()).unwrap().iter().all(|seen| seen.first == wall(3)));
    assert_eq!(store.baseline("release").unwrap().unwrap().1.len(), pinned.len());
    // The last ones stay however old they are.
    assert_eq!(store.prune(&wall(200), 2).unwrap().runs, 1);
    assert_eq!(store.prune(&wall(200), 0).unwrap(), Pruned { runs: 2, sessions: 12, cells: 0 });
    assert_eq!(store.cells(&CellFilter::default()).unwrap(), []);
    assert_eq!(store.baseline("release").unwrap().unwrap().1.len(), pinned.len());
    let counted =
        BTreeMap::from([("runs", store.runs(9).unwrap().len()), ("torn", store.torn().unwrap().len())]);
    assert!(counted.values().all(|count| *count == 0), "{counted:?}");
}
