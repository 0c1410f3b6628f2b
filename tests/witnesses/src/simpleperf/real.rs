//! A real recording: a program of our own, compiled here, watched by the simpleperf of the NDK.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs real programs")]

use std::path::Path;
use std::process::Command;

/// Where the program is. Without it there is no recording.
const PROGRAM: &str = "FARMJANK_TEST_SIMPLEPERF";
const SOURCE: &str = include_str!("planted.c");

/// One message of the program: from, until, and the method it was in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// From, ns of CLOCK_MONOTONIC.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// The method and its caller, as farmjank's causes name them; `small_work` where nothing was planted.
    pub method: String,
}

/// A recording and the truth.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// `perf.data`.
    pub perf_file: Vec<u8>,
    /// What `report-sample --protobuf` makes of it.
    pub report_sample: Vec<u8>,
    /// Samples, by simpleperf's own count.
    pub samples: usize,
    /// Every message.
    pub planted: Vec<Planted>,
}

/// What `report-sample --protobuf` makes of a recording of others, read in a folder; none, with a printed reason, where
/// no simpleperf is named.
///
/// # Panics
/// One is named and does not read it.
pub fn reported(folder: &Path, perf_file: &[u8]) -> Option<Vec<u8>> {
    let program = program()?;
    std::fs::write(folder.join("perf.data"), perf_file).expect("a file");
    let report = ["report-sample", "--protobuf", "--show-callchain", "-i", "perf.data", "-o", "perf.proto"];
    done(folder, &program, &report);
    done(folder, &program, &["report", "-i", "perf.data", "-o", "report.txt"]);
    Some(std::fs::read(folder.join("perf.proto")).expect("a report"))
}

fn program() -> Option<String> {
    if let Ok(program) = std::env::var(PROGRAM) {
        return Some(program);
    }
    assert!(std::env::var_os("CI").is_none(), "CI must have a simpleperf, named by {PROGRAM}");
    println!("skipped: no simpleperf, see {PROGRAM} in .ci/run");
    None
}

/// Records one in a folder; none, with a printed reason, where no simpleperf is named.
///
/// # Panics
/// One is named and does not record: a judge that cannot judge is no judge.
pub fn recorded(folder: &Path) -> Option<Recorded> {
    let program = program()?;
    std::fs::write(folder.join("planted.c"), SOURCE).expect("a file");
    let flags =
        ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "planted.c", "-o", "planted"];
    done(folder, "cc", &flags);
    let record =
        ["record", "-e", "cpu-clock", "-f", "1000", "--call-graph", "fp", "-o", "perf.data", "./planted"];
    let (said, told) = done(folder, &program, &record);
    let report = ["report-sample", "--protobuf", "--show-callchain", "-i", "perf.data", "-o", "perf.proto"];
    done(folder, &program, &report);
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a recording");
    Some(Recorded {
        perf_file: read("perf.data"),
        report_sample: read("perf.proto"),
        samples: samples(&told),
        planted: said.lines().map(planted).collect(),
    })
}

fn done(folder: &Path, program: &str, args: &[&str]) -> (String, String) {
    let ended = Command::new(program).args(args).current_dir(folder).output().expect("a program");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ended.status.success(), "{program} {args:?}: {}", text(&ended.stderr));
    (text(&ended.stdout), text(&ended.stderr))
}

/// `Samples recorded: 2,095. Samples lost: 0.`
fn samples(told: &str) -> usize {
    let (_, rest) = told.split_once("Samples recorded: ").expect("its own count");
    let count: String = rest.chars().take_while(|one| *one != '.').filter(char::is_ascii_digit).collect();
    count.parse().expect("a number")
}

fn planted(line: &str) -> Planted {
    let mut words = line.splitn(3, ' ');
    let mut word = || words.next().expect("a word");
    let (from, to) = (word().parse().expect("ns"), word().parse().expect("ns"));
    Planted { from, to, method: word().to_owned() }
}
