//! A writer is killed at random moments, again and again (SIGKILL, which nobody can catch). Afterwards the store opens,
//! every run it told to be recorded is there, and every run that is there is whole, value for value.
//!
//! This program starts itself as the writer. Moments are drawn from a fixed seed as turns of a loop, not as time. 20
//! kills, or as many as `FARMJANK_KILLS` says; the same again on PostgreSQL where `FARMJANK_TEST_POSTGRES` names one.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests live in the real world")]

#[allow(dead_code, reason = "the other tests need more of it")]
#[path = "all/samples.rs"]
mod samples;

use farmjank_history::History;
use farmjank_history::{Missing, open};
use farmjank_results::cell::CellSession;
use farmjank_seams::history::{CellFilter, Cells, Pin, RunRow, Wanted};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const SEED: u64 = 0x5eed;
const WRITER: &str = "--write-until-killed";

/// Draws numbers: splitmix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// The n-th run, of a size that varies.
fn expected(number: u32) -> (RunRow, Vec<CellSession>) {
    let run = samples::run(number);
    let mut draw = Draw(u64::from(number));
    let cells = 20 + draw.below(1_500);
    let session = |cell| {
        let key = samples::key(&format!("Phone {}", cell % 40), &format!("window {}", cell / 40));
        let values: Vec<f64> = (0..15).map(|_| draw.below(1_000_000) as f64 / 7.0).collect();
        samples::session(&run, key, &format!("serial {cell}"), &values)
    };
    let sessions = (0..cells).map(session).collect();
    (run, sessions)
}

/// Writes runs and says so, until it is killed.
fn write(place: &str, from: u32) {
    let mut out = std::io::stdout();
    writeln!(out, "opening").and_then(|()| out.flush()).expect("somebody listens");
    let mut store = open(place, Missing::Create).expect("the store opens");
    for number in from.. {
        let (run, sessions) = expected(number);
        writeln!(out, "writing {number}").and_then(|()| out.flush()).expect("somebody listens");
        store.record(&run, &sessions).expect("it is recorded");
        writeln!(out, "recorded {number}").and_then(|()| out.flush()).expect("somebody listens");
        if number % 3 == 0 {
            let pin = Pin { why: number.to_string(), ..samples::pin("release", number) };
            store.pin(&pin, &sessions).expect("it is pinned");
        }
    }
}

/// What a store is known to hold.
#[derive(Default)]
struct Known {
    /// Runs that were begun; true once they were told to be recorded.
    runs: BTreeMap<u32, bool>,
    kills: u32,
    while_opening: u32,
    while_writing: u32,
    landed: u32,
}

impl Known {
    fn hear(&mut self, line: &str) {
        let Some((word, number)) = line.split_once(' ') else { return };
        self.runs.insert(number.parse().expect("a number"), word == "recorded");
    }

    /// Starts a writer and kills it.
    fn kill_one(&mut self, place: &str, draw: &mut Draw) {
        let next = self.runs.keys().last().map_or(0, |last| last + 1);
        let own = std::env::current_exe().expect("a program knows its file");
        let mut command = Command::new(own);
        command.args([WRITER, place, &next.to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut writer = command.spawn().expect("the writer starts");
        let mut lines = BufReader::new(writer.stdout.take().expect("it is piped")).lines();
        // Of a fresh store: while it is being made.
        let (lines_first, turns) =
            if self.kills == 0 { (1, 200_000) } else { (1 + draw.below(8), 2_000_000) };
        for _ in 0..lines_first {
            match lines.next() {
                Some(line) => self.hear(&line.expect("text")),
                None => break,
            }
        }
        for _ in 0..draw.below(turns) {
            std::hint::spin_loop();
        }
        let ended = writer.try_wait().expect("a child");
        writer.kill().expect("it is killed");
        let last = writer.wait_with_output().expect("it has ended");
        assert!(ended.is_none(), "the writer ended by itself: {}", String::from_utf8_lossy(&last.stderr));
        lines.map_while(Result::ok).for_each(|line| self.hear(&line));
        self.while_opening += u32::from(self.runs.keys().all(|number| *number < next));
        self.kills += 1;
    }

    /// Opens the store and compares.
    fn look(&mut self, place: &str) {
        let mut store = open(place, Missing::Create).expect("the store opens after a kill");
        assert_eq!(store.torn().expect("it can be read"), []);
        let mut found: BTreeMap<u32, Vec<CellSession>> = BTreeMap::new();
        for run in store.runs(usize::MAX).expect("it can be read") {
            found.insert(run.id["run-".len()..].parse().expect("a number"), Vec::new());
        }
        let filter = CellFilter::default();
        let all = Wanted { cells: Cells::Like(&filter), since: None, before: None, newest: None };
        let mut take = |sessions: Vec<CellSession>| {
            for session in sessions {
                let run: u32 = session.run["run-".len()..].parse().expect("a number");
                found.get_mut(&run).expect("a session has its run").push(session);
            }
            Ok(())
        };
        store.sessions(&all, &mut take).expect("it can be read");
        let last = self.runs.iter().next_back().map(|(last, told)| (*last, *told));
        if let Some((last, false)) = last {
            self.while_writing += 1;
            self.landed += u32::from(found.contains_key(&last));
        }
        for (number, told) in &self.runs {
            assert!(found.contains_key(number) || !told, "run {number} was recorded and is gone");
        }
        for (number, mut sessions) in found {
            assert!(self.runs.contains_key(&number), "run {number} was never begun");
            let (_, mut whole) = expected(number);
            sessions.sort_by(|one, other| one.device.cmp(&other.device));
            whole.sort_by(|one, other| one.device.cmp(&other.device));
            assert!(sessions == whole, "run {number} is not as it was recorded");
        }
        self.look_at_baseline(&mut store);
        // What was begun and is not there was given up; its number is not used again.
        let runs: Vec<RunRow> = store.runs(usize::MAX).expect("it can be read");
        self.runs.retain(|number, _| runs.iter().any(|run| run.id == samples::run(*number).id));
        self.runs.values_mut().for_each(|told| *told = true);
    }

    /// The baseline is that of one run, whole, and the log ends with it.
    fn look_at_baseline(&self, store: &mut History) {
        let log = store.moves(Some("release")).expect("it can be read");
        let Some((pin, sessions)) = store.baseline("release").expect("it can be read") else {
            assert_eq!(log, []);
            return;
        };
        let (_, whole) = expected(pin.why.parse().expect("a number"));
        assert_eq!(sessions.len(), whole.len(), "the baseline is torn");
        assert_eq!(log.last().map(|last| &last.pin), Some(&pin));
    }
}

/// Kills writers of one kind of store; every fifth begins with a fresh one, so that making it is hit as well.
fn kill_many(name: &str, kills: u32, mut fresh: impl FnMut() -> String) {
    let mut draw = Draw(SEED);
    let mut total = Known::default();
    let mut recorded = 0;
    while total.kills < kills {
        let place = fresh();
        let mut known = Known::default();
        for _ in 0..(kills - total.kills).min(5) {
            known.kill_one(&place, &mut draw);
            known.look(&place);
        }
        recorded += known.runs.len();
        total.kills += known.kills;
        total.while_opening += known.while_opening;
        total.while_writing += known.while_writing;
        total.landed += known.landed;
    }
    let Known { kills, while_opening, while_writing, landed, .. } = total;
    println!(
        "{name}: a writer killed {kills} times (seed {SEED:#x}), {while_opening} times before its first run, \
         {while_writing} times in the middle of a run, of which {landed} was committed; {recorded} runs, all whole"
    );
    assert!(total.while_writing > 0, "no kill hit a write: draw other moments");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, place, from] = &arguments[..]
        && flag == WRITER
    {
        return write(place, from.parse().expect("a number"));
    }
    // `cargo test NAME` hands its filter to every test program.
    if arguments.iter().any(|filter| !filter.starts_with('-') && !"kill".contains(filter.as_str())) {
        return;
    }
    let kills = std::env::var("FARMJANK_KILLS").map_or(20, |kills| kills.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut number = 0;
    kill_many("SQLite", kills, || {
        number += 1;
        folder.path().join(format!("{number}/history.sqlite")).to_str().expect("text").to_owned()
    });
    on_server(kills);
}

fn on_server(kills: u32) {
    let Ok(server) = std::env::var("FARMJANK_TEST_POSTGRES") else {
        assert!(std::env::var_os("CI").is_none(), "FARMJANK_TEST_POSTGRES is not set: run .ci/with-postgres");
        return println!(
            "PostgreSQL: skipped, FARMJANK_TEST_POSTGRES names none; .ci/with-postgres starts one"
        );
    };
    let mut client = postgres::Client::connect(&server, postgres::NoTls).expect("the server answers");
    let mut schemas = Vec::new();
    kill_many("PostgreSQL", kills, || {
        let name = format!("kill{}_{}", schemas.len(), std::process::id());
        client.batch_execute(&format!("create schema {name}")).expect("a schema");
        schemas.push(name.clone());
        format!("{server}?options=-c%20search_path%3D{name}")
    });
    for name in schemas {
        client.batch_execute(&format!("drop schema {name} cascade")).expect("it goes");
    }
}
