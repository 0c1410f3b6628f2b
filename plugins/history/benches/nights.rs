//! 90 nights of 200 phones × 20 windows × 5 metrics: writing a night, the history of a cell, a nightly comparison of
//! all cells, each against its limit. `cargo bench -p farmjank-history --bench nights`, for PostgreSQL too with
//! `.ci/with-postgres` before it. `FARMJANK_NIGHTS` asks for fewer nights.
//!
//! Every phone is of a model of its own, so that there are as many cells as can be (20 000, 1.8 million sessions), each
//! with 15 values that do not compress. Times are of this machine and everything else it does meanwhile.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark lives in the real world"
)]

use farmjank_history::History;
use farmjank_history::{Missing, open};
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::device::DeviceId;
use farmjank_seams::history::{CellFilter, Cells, Pin, RunRow, Wanted};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PHONES: u32 = 200;
const WINDOWS: u32 = 20;
const METRICS: [&str; 5] = ["hitch_ms_per_s", "fps_average", "frame_ms", "frozen_frames", "longest_hitch_ms"];
const ITERATIONS: u32 = 15;
/// Nights a comparison looks back: 20, against the last 5.
const BACK: usize = 25;

/// Limits, s.
const NIGHT: f64 = 5.0;
const CELL: f64 = 0.05;
const COMPARISON: f64 = 10.0;

/// Draws numbers: splitmix64.
struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn key(phone: u32, window: u32, metric: &str) -> CellKey {
    CellKey {
        model: format!("Phone model {phone}"),
        build: format!("maker/model{phone}/model{phone}:15/AP3A.240905.015/12345678:user/release-keys"),
        refresh: 60 + 30 * (phone % 3),
        scenario: format!("scenario {}", window / 4),
        hash: format!("{:016x}", window / 4),
        window: format!("window {window}"),
        metric: metric.into(),
        metric_version: 1,
        source: "surfaceflinger".into(),
    }
}

fn night(number: u32) -> (RunRow, Vec<CellSession>) {
    let mut draw = Draw(u64::from(number));
    let wall = format!("2026-{:02}-{:02}T02:00:00Z", 1 + number / 28, 1 + number % 28);
    let labels =
        BTreeMap::from([("branch".into(), "main".into()), ("commit".into(), format!("{number:040x}"))]);
    let id = format!("night-{number:03}");
    let run = RunRow { id, wall, tool: "0.1.0".into(), lab: None, verdict: None, labels };
    let mut sessions = Vec::new();
    for phone in 0..PHONES {
        for window in 0..WINDOWS {
            let seconds: Vec<f64> =
                (0..ITERATIONS).map(|_| (20e9 + (draw.unit() * 1e9).round()) / 1e9).collect();
            for metric in METRICS {
                let value = |draw: &mut Draw| {
                    let value = 25.0 * (0.5 + draw.unit());
                    if metric == "frozen_frames" { (value / 20.0).floor() } else { value }
                };
                sessions.push(CellSession {
                    key: key(phone, window, metric),
                    run: run.id.clone(),
                    wall: run.wall.clone(),
                    device: DeviceId(format!("SERIAL{phone:06}")),
                    app_version: Some(format!("4.{number}")),
                    values: (0..ITERATIONS).map(|_| value(&mut draw)).collect(),
                    seconds: seconds.clone(),
                    void: Vec::new(),
                    effect: None,
                });
            }
        }
    }
    (run, sessions)
}

/// Student's t of the newest five nights against those before, on ln(mean + 1): what a nightly alert computes per cell.
fn t(sessions: &[CellSession]) -> Option<f64> {
    let level = |one: &CellSession| (one.values.iter().sum::<f64>() / one.values.len() as f64).ln_1p();
    let levels: Vec<f64> = sessions.iter().map(level).collect();
    let (new, old) = levels.split_at_checked(5)?;
    let moments = |some: &[f64]| {
        let mean = some.iter().sum::<f64>() / some.len() as f64;
        (mean, some.iter().map(|x| (x - mean).powi(2)).sum::<f64>(), some.len() as f64)
    };
    let ((one, spread, n), (other, width, m)) = (moments(new), moments(old));
    let pooled = (spread + width) / (n + m - 2.0);
    (m > 1.0).then(|| (one - other) / (pooled * (1.0 / n + 1.0 / m)).sqrt())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}

fn tell(what: &str, seconds: f64, limit: Option<f64>, ok: &mut bool) {
    let shown = Duration::from_secs_f64(seconds);
    let limit = limit.map_or(String::new(), |limit| {
        *ok &= seconds < limit;
        format!(
            "   limit {:?}   {}",
            Duration::from_secs_f64(limit),
            if seconds < limit { "held" } else { "BROKEN" }
        )
    });
    println!("  {what:<58} {shown:>12.3?}{limit}");
}

fn part(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() - 1) * percent / 100]
}

fn measure(place: &str, nights: u32, ok: &mut bool) {
    let mut store = open(place, Missing::Create).expect("the store opens");
    println!("{}", store.place());
    let mut writing = Vec::new();
    for number in 0..nights {
        let (run, sessions) = night(number);
        let (recorded, seconds) = timed(|| store.record(&run, &sessions));
        recorded.expect("it is recorded");
        writing.push(seconds);
    }
    let last = writing[writing.len() - 1];
    writing.sort_by(f64::total_cmp);
    tell(
        &format!("writing a night of {} sessions, median of {nights}", night(0).1.len()),
        part(&writing, 50),
        Some(NIGHT),
        ok,
    );
    tell("the slowest night", part(&writing, 100), Some(NIGHT), ok);
    tell("the last night", last, Some(NIGHT), ok);
    drop(store);
    let mut store = open(place, Missing::Refuse).expect("the store opens");
    histories(&mut store, nights, ok);
    comparisons(&mut store, nights, ok);
    others(&mut store, nights, ok);
}

fn histories(store: &mut History, nights: u32, ok: &mut bool) {
    let mut draw = Draw(7);
    let mut reading = Vec::new();
    for _ in 0..500 {
        let mut below = |bound: u32| (draw.unit() * f64::from(bound)) as u32;
        let (phone, window, metric) = (below(PHONES), below(WINDOWS), METRICS[below(5) as usize]);
        let (sessions, seconds) = timed(|| store.cell(&key(phone, window, metric), 1_000));
        assert_eq!(sessions.expect("it is read").len(), nights as usize);
        reading.push(seconds);
    }
    tell("history of a cell, the first after opening", reading[0], Some(CELL), ok);
    reading.sort_by(f64::total_cmp);
    tell("history of a cell, median of 500", part(&reading, 50), Some(CELL), ok);
    tell("history of a cell, the slowest of 500", part(&reading, 100), Some(CELL), ok);
}

fn comparisons(store: &mut History, nights: u32, ok: &mut bool) {
    let filter = CellFilter::default();
    let wanted = Wanted { cells: Cells::Like(&filter), since: None, before: None, newest: Some(BACK) };
    let mut compare = |wanted: &Wanted<'_>| {
        let (mut cells, mut read, mut alerts) = (0_usize, 0_usize, 0_usize);
        let mut each = |sessions: Vec<CellSession>| {
            cells += 1;
            read += sessions.len();
            alerts += usize::from(t(&sessions).is_some_and(|t| t.abs() > 4.5));
            Ok(())
        };
        let (done, seconds) = timed(|| store.sessions(wanted, &mut each));
        done.expect("it is read");
        ((cells, read, alerts), seconds)
    };
    let ((cells, read, alerts), seconds) = compare(&wanted);
    assert_eq!((cells, read), (20_000, 20_000 * BACK.min(nights as usize)));
    tell(
        &format!("comparing {cells} cells over {read} sessions ({alerts} alerts)"),
        seconds,
        Some(COMPARISON),
        ok,
    );
    let keys: Vec<CellKey> = (0..PHONES)
        .flat_map(|phone| (0..WINDOWS).map(move |window| key(phone, window, METRICS[0])))
        .collect();
    let ((cells, read, _), seconds) = compare(&Wanted { cells: Cells::Keys(&keys), ..wanted });
    tell(&format!("the same of one metric: {cells} cells, {read} sessions"), seconds, Some(COMPARISON), ok);
    let ((cells, read, _), seconds) =
        compare(&Wanted { cells: Cells::Keys(&keys[..WINDOWS as usize]), ..wanted });
    tell(&format!("the same of one phone: {cells} cells, {read} sessions"), seconds, Some(COMPARISON), ok);
}

fn others(store: &mut History, nights: u32, ok: &mut bool) {
    let (cells, seconds) = timed(|| store.cells(&CellFilter::default()));
    tell(&format!("listing {} cells", cells.expect("it is read").len()), seconds, None, ok);
    let (run, sessions) = night(nights - 1);
    let pin = Pin { name: "release".into(), by: "bench".into(), why: "to measure".into(), wall: run.wall };
    let (pinned, seconds) = timed(|| store.pin(&pin, &sessions));
    pinned.expect("it is pinned");
    tell("pinning a night as a baseline", seconds, None, ok);
    let (baseline, seconds) = timed(|| store.baseline("release"));
    let count = baseline.expect("it is read").map_or(0, |(_, sessions)| sessions.len());
    tell(&format!("reading that baseline: {count} sessions"), seconds, None, ok);
    let (torn, seconds) = timed(|| store.torn());
    assert_eq!(torn.expect("it is read"), []);
    tell("counting all sessions", seconds, None, ok);
    let (pruned, seconds) = timed(|| store.prune("2026-01-11T00:00:00Z", 1));
    tell(
        &format!("pruning ten nights: {} sessions", pruned.expect("it is done").sessions),
        seconds,
        None,
        ok,
    );
}

fn main() {
    let nights =
        std::env::var("FARMJANK_NIGHTS").map_or(90, |nights| nights.parse().expect("a number of nights"));
    let mut ok = true;
    let folder = tempfile::tempdir().expect("a folder");
    // With FARMJANK_STORE the file stays, for `farmjank history` to be tried on.
    let kept = std::env::var_os("FARMJANK_STORE");
    let path = kept.map_or_else(|| folder.path().join("history.sqlite"), std::path::PathBuf::from);
    measure(path.to_str().expect("text"), nights, &mut ok);
    let size = std::fs::metadata(&path).expect("a file").len();
    println!("  {:<58} {:>9} MB", "the file", size / 1_000_000);
    match std::env::var("FARMJANK_TEST_POSTGRES") {
        Ok(server) => on_server(&server, nights, &mut ok),
        Err(_) => {
            println!("PostgreSQL: skipped, FARMJANK_TEST_POSTGRES names none; .ci/with-postgres starts one")
        }
    }
    assert!(ok, "a limit is broken");
}

fn on_server(server: &str, nights: u32, ok: &mut bool) {
    let mut client = postgres::Client::connect(server, postgres::NoTls).expect("the server answers");
    client.batch_execute("create schema nights").expect("a schema");
    measure(&format!("{server}?options=-c%20search_path%3Dnights"), nights, ok);
    let sizes = "select sum(pg_total_relation_size(c.oid))::bigint from pg_class c \
                 join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'nights' and c.relkind = 'r'";
    let size: i64 = client.query_one(sizes, &[]).expect("an answer").get(0);
    println!("  {:<58} {:>9} MB", "tables and indexes", size / 1_000_000);
    client.batch_execute("drop schema nights cascade").expect("it goes");
}
