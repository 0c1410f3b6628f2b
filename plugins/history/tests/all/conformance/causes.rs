//! Promises about why frames were late in past runs.

use crate::samples::{night, record, wall};
use farmjank_history::History;
use farmjank_results::cause_life::{Amount, Night, SeenCause, SeenCauses, Spot, Under, WindowDiagnosis};
use farmjank_results::device::DeviceId;
use farmjank_results::hitch_causes::{Group, NamedCause};
use farmjank_results::time::Span;

const LOCK: &str = "bce0911e595f326a";
const INFLATE: &str = "bce0911e00000000";

fn cause(fingerprint: &str, us: i64) -> SeenCause {
    let named = NamedCause {
        kind: "lock.monitor".to_owned(),
        group: Group::Waiting,
        title: "main waits for a lock held by \"db\u{1b}[31m\" in Db.flush".to_owned(),
        thread: "main".to_owned(),
        object: "\"db\" in Db.flush".to_owned(),
    };
    let amount = Amount { us, frames: 3, squares: us as f64 * 7.0 / 3.0, motion: Span::from_ms(4_200) };
    SeenCause { fingerprint: fingerprint.to_owned(), named, amount }
}

fn told(device: &str, causes: Vec<SeenCause>) -> WindowDiagnosis {
    let spot = Spot {
        scenario: "Shop".to_owned(),
        window: "fling".to_owned(),
        class: "Pixel 8 · sdk 34".to_owned(),
    };
    let under = Under {
        hash: "c0ffee".to_owned(),
        app: "com.shop".to_owned(),
        build: "maker/pixel/user".to_owned(),
        refresh: Some(120),
        simulated: false,
    };
    let (motion, late_frames, hitch_us) = (Span::from_ms(4_200), 9, 88_000);
    let seen = Ok(SeenCauses { motion, late_frames, hitch_us, causes, left_out_us: 0, methods: false });
    let (device, app_version) = (DeviceId(device.to_owned()), Some("4.2".to_owned()));
    WindowDiagnosis { spot, under, device, app_version, asked: true, seen }
}

/// Nobody asked, so that its rate is not known either.
fn unseen(device: &str) -> WindowDiagnosis {
    let mut one = told(device, Vec::new());
    (one.under.refresh, one.asked, one.seen) = (None, false, Err("it passed".to_owned()));
    one
}

fn windows(nights: &[Night]) -> Vec<(&str, Vec<WindowDiagnosis>)> {
    nights.iter().map(|night| (night.run.as_str(), night.windows.clone())).collect()
}

pub fn a_cause_is_followed(store: &mut History) {
    let lock = |us: i64| told("A", vec![cause(LOCK, us)]);
    store.keep_causes("run-0001", &[lock(1)]).unwrap();
    assert_eq!(store.cause(LOCK).unwrap(), [], "a run that is not there has no causes");
    // Recorded in an order that is not theirs.
    record(store, &[3, 1, 2, 4]);
    store.keep_causes("run-0003", &[told("A", vec![cause(INFLATE, 5)]), unseen("B")]).unwrap();
    store.keep_causes("run-0001", &[lock(10_000), told("B", vec![])]).unwrap();
    store.keep_causes("run-0002", &[unseen("A")]).unwrap();
    let mut elsewhere = told("A", vec![cause(INFLATE, 5)]);
    elsewhere.spot.window = "scroll".to_owned();
    store.keep_causes("run-0004", &[elsewhere]).unwrap();
    let nights = store.cause(LOCK).unwrap();
    let expected = [
        ("run-0001", vec![lock(10_000), told("B", vec![])]),
        ("run-0002", vec![unseen("A")]),
        // Of another cause of that night nothing is told, and of another window nothing at all.
        ("run-0003", vec![told("A", vec![]), unseen("B")]),
    ];
    assert_eq!(windows(&nights), expected);
    assert_eq!((nights[0].wall.clone(), nights[0].labels["branch"].as_str()), (wall(1), "main"));
    assert_eq!(store.cause("0000000000000000").unwrap(), []);
    // A run alone has everything of itself, methods too.
    let mut named = told("C", vec![cause(LOCK, 9), cause(INFLATE, 4)]);
    named.seen.as_mut().unwrap().methods = true;
    store.keep_causes("run-0002", &[named.clone(), unseen("A")]).unwrap();
    assert_eq!(store.diagnosed("run-0002").unwrap(), [unseen("A"), named]);
    assert_eq!(store.diagnosed("run-9999").unwrap(), []);
    store.keep_causes("run-0002", &[unseen("A")]).unwrap();
    assert_eq!(store.fingerprints("bce0911e", 9).unwrap(), [INFLATE, LOCK]);
    assert_eq!(store.fingerprints("bce0911e", 1).unwrap(), [INFLATE]);
    assert_eq!(store.fingerprints("bce0911e5", 9).unwrap(), [LOCK]);
    assert_eq!(store.fingerprints("f", 9).unwrap(), [] as [&str; 0]);
}

pub fn causes_go_with_their_run(store: &mut History) {
    record(store, &[1, 2]);
    for run in ["run-0001", "run-0002"] {
        store.keep_causes(run, &[told("A", vec![cause(LOCK, 7)])]).unwrap();
    }
    // The same run again gives way, and of a window that was measured twice the last one stays.
    let twice = [told("A", vec![cause(LOCK, 1)]), told("A", vec![cause(LOCK, 2)])];
    store.keep_causes("run-0002", &twice).unwrap();
    assert_eq!(windows(&store.cause(LOCK).unwrap())[1].1, twice[1..]);
    // What is no fingerprint is no cause one could follow: it is left out of its list.
    store.keep_causes("run-0002", &[told("A", vec![cause("' or 1=1 --", 9), cause(LOCK, 3)])]).unwrap();
    let all = store.cause(LOCK).unwrap();
    assert_eq!(all[1].windows[0].seen.as_ref().unwrap().left_out_us, 9);
    store.prune(&wall(2), 1).unwrap();
    assert_eq!(windows(&store.cause(LOCK).unwrap()).len(), 1);
    let (row, mut sessions) = night(2);
    sessions[0].values[0] = 99.0;
    store.replace(&row, &sessions).unwrap();
    assert_eq!(store.cause(LOCK).unwrap(), [], "a run that is measured again is asked again");
}
