//! Held against the profiler itself: a program whose methods and times are known, recorded by a real simpleperf.

use farmjank_causes::stacks::{Call, Recording, Rules, stalls};
use farmjank_frames::stacks::read;
use farmjank_witnesses::simpleperf::{Planted, Recorded, recorded};

/// Every sample of the one process: when, and the names of its stack. Those of the kernel and of what it lends to
/// programs (`[vdso]`) simpleperf looks up where it reads: they are not in the file.
fn samples(recording: &Recording) -> Vec<(i64, Vec<&str>)> {
    let (_, main) = recording.mains.first_key_value().expect("a process");
    let in_file = |call: &&Call| !call.name.is_empty() && !call.file.starts_with('[');
    let named = |stack| recording.calls(stack).filter(in_file).map(|call| call.name.as_str()).collect();
    main.samples.iter().filter_map(|sample| Some((sample.at, named(sample.stack?)))).collect()
}

/// A recording in which main was held up; on a machine that is busy with other things none may be seen for long.
fn held_up() -> Option<Recorded> {
    const TRIES: usize = 5;
    for nth in 1..=TRIES {
        let folder = tempfile::tempdir().expect("a folder");
        let real = recorded(folder.path())?;
        let ours = read(&real.perf_file).expect("perf.data");
        let process = *ours.mains.first_key_value().expect("a process").0;
        if nth == TRIES || !stalls(&ours, process, Rules::Time).stalled.is_empty() {
            return Some(real);
        }
    }
    None
}

#[test]
fn a_program_recorded_by_a_real_simpleperf_is_held_up_by_the_planted_functions() {
    let Some(real) = held_up() else { return };
    let ours = read(&real.perf_file).expect("perf.data");
    let told = read(&real.report_sample).expect("report-sample");
    assert_eq!(samples(&ours).len(), real.samples);
    // What simpleperf makes of its own file is the judge: of every sample, every name.
    let (ours_all, judged) = (samples(&ours), samples(&told));
    let differs = ours_all.iter().zip(&judged).find(|(own, judge)| own != judge);
    assert_eq!((differs, ours_all.len()), (None, judged.len()));
    let process = *ours.mains.first_key_value().expect("a process").0;
    for recording in [&ours, &told] {
        let found = stalls(recording, process, Rules::Time);
        assert!(!found.stalled.is_empty(), "{:?}", real.planted);
        for one in &found.stalled {
            let of = |planted: &&Planted| planted.from < one.stall.to && planted.to > one.stall.from;
            let longest = real.planted.iter().filter(of).max_by_key(|planted| planted.to - planted.from);
            let (charges, _) = one.charges.as_ref().expect("charged");
            let first = &charges.charged[0].cause;
            assert_eq!(first.object, longest.expect("a message").method, "{one:?}");
            // The machine may take the CPU away; what was seen is nothing else.
            let named: i64 = charges.charged.iter().map(|charged| charged.us).sum();
            assert!(charges.charged[0].us * 10 >= named * 9, "{one:?}");
        }
    }
}
