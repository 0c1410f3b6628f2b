//! Methods that are planted in the lab's app, told by call stacks in the trace, against the methods that are charged.

use super::matrix::{Matrix, recorded_on_the_page};
use super::planted::{
    APP, Recorded, alone, charged, charged_beside, config, config_with_stacks, phone, record, record_beside,
    truly_by, word,
};
use farmjank_causes::cause::Cause;
use farmjank_causes::inquiry::Found;
use farmjank_causes::kind::Kind;
use farmjank_frames::frametimeline::read_trace;
use farmjank_frames::ftrace::Scan;
use farmjank_frames::stacks::Beside;
use farmjank_lab::archetype::{ARCHETYPES, Archetype};
use farmjank_lab::spec::{CauseSpec, Hold, Method, PhoneSpec};
use farmjank_results::hitch_causes::CallStacks;
use std::collections::BTreeMap;

/// Phones whose profiler works beside their tracer.
fn profiled() -> impl Iterator<Item = &'static Archetype> {
    ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 33)
}

/// What holds main up in methods: code, and waits nothing else tells of; and what is named without any.
fn causes() -> Vec<CauseSpec> {
    let inside = |kind, method| CauseSpec { method: Some(method), ..alone(kind) };
    vec![
        inside(Hold::Code, Method::ThumbDecode),
        inside(Hold::Code, Method::JsonParse),
        inside(Hold::Code, Method::PriceFormat),
        inside(Hold::Unknown, Method::NetAwait),
        inside(Hold::Unknown, Method::SettingsSave),
        CauseSpec { and: Some(Hold::Lock), ..inside(Hold::Code, Method::JsonParse) },
        alone(Hold::Binder),
        alone(Hold::Starved),
    ]
}

fn open(archetype: &str, profileable: bool) -> PhoneSpec {
    let mut spec = phone(archetype, &causes(), |_| ());
    spec.apps.iter_mut().for_each(|app| app.profileable = profileable);
    spec
}

/// Class and method alone.
fn short(method: &str) -> &str {
    method.strip_prefix("com.example.shop.").unwrap_or(method)
}

/// The method a cause names, without the one that called it; else the word of the cause.
fn name(cause: &Cause) -> String {
    match cause.kind {
        Kind::Method | Kind::WaitsIn => short(cause.object.split(',').next().unwrap_or_default()).to_owned(),
        _ => cause.word(),
    }
}

fn beside(recorded: &Recorded) -> Beside {
    let mut scan = Scan::default();
    recorded.trace.chunks(1 << 16).for_each(|piece| scan.feed(piece));
    scan.finish().stacks
}

/// Times charged to whole methods, µs.
type Called = BTreeMap<String, i64>;

/// Takes what was planted in every late frame, and what is charged for it.
fn take(
    recorded: &Recorded,
    found: &Found,
    (name_of_phone, seed): (&str, u64),
    (matrix, called): (&mut Matrix, &mut Called),
) {
    let truth = recorded.phone.truth();
    for late in &found.late {
        let by = |held: &farmjank_lab::truth::held::TruthHeld, by| match held.method {
            Some(method) => short(method.of_app()[0]),
            None => word(by),
        };
        let planted =
            truly_by(&truth, late.frame.token, late.frame.hitch, &by).expect("a frame of the truth");
        let (charges, _) = late.charges.as_ref().expect("nothing was lost");
        let mut by_name = BTreeMap::from([("unexplained".to_owned(), charges.unexplained_us)]);
        for one in &charges.charged {
            *by_name.entry(name(&one.cause)).or_default() += one.us;
            if matches!(one.cause.kind, Kind::Method | Kind::WaitsIn) {
                *called.entry(one.cause.object.clone()).or_insert(0) += one.us;
            }
        }
        let hitch = late.frame.hitch / 1_000;
        assert_eq!(by_name.values().sum::<i64>(), hitch, "to the microsecond");
        matrix.take(&format!("{name_of_phone} {seed} {}", late.frame.token), hitch, &planted, &by_name);
    }
}

/// Of all that was planted, and of each method, 95 % and more is charged to it.
fn right(matrix: &Matrix, called: &Called) {
    println!("{}\n{:#?}\n{called:#?}", matrix.shown("frames"), matrix.wrong);
    let (all, right) = (matrix.sum(None, None), matrix.right());
    assert!(100 * right >= 95 * all, "{right} of {all} µs");
    for method in Method::ALL {
        let [own, caller] = method.of_app();
        let percent = matrix.percent(short(own), short(own));
        assert!(
            matrix.frames.get(short(own)).is_some_and(|frames| *frames >= 5) && percent >= 95.0,
            "{own}: {percent} %"
        );
        let whole = format!("{own}, called by {caller}");
        assert!(called.contains_key(&whole), "{whole}: {called:#?}");
    }
}

#[test]
fn the_methods_that_were_planted_are_those_that_are_charged() {
    let config = config_with_stacks();
    let mut matrix = Matrix::default();
    let mut called = BTreeMap::new();
    for (archetype, seed) in profiled().flat_map(|archetype| (1..=3).map(move |seed| (archetype, seed))) {
        let recorded = record(&open(archetype.name, true), seed, 10, &config);
        let (found, losses) = charged(&recorded.trace);
        assert!(losses.overrun.is_empty() && losses.unreadable == 0 && losses.disordered == 0, "{losses:?}");
        take(&recorded, &found, (archetype.name, seed), (&mut matrix, &mut called));
    }
    right(&matrix, &called);
    recorded_on_the_page("### Planted methods", &matrix.shown("frames"));
}

#[test]
fn methods_that_simpleperf_saw_beside_the_trace_of_an_older_phone_are_those_that_were_planted() {
    let (mut matrix, mut called) = (Matrix::default(), Called::new());
    for seed in 1..=6 {
        let recorded = record_beside(&open("pixel-6", true), seed, 10);
        let (found, _) = charged_beside(&recorded.trace, recorded.perf_file.as_deref());
        take(&recorded, &found, ("pixel-6", seed), (&mut matrix, &mut called));
    }
    right(&matrix, &called);
    recorded_on_the_page("so much is charged to it there:", &matrix.shown("frames"));
}

/// What comes of a file of simpleperf, which said this, beside the trace of a phone.
fn told(recorded: &Recorded, file: &[u8], said: &str) -> CallStacks {
    let trace = read_trace(&recorded.trace).expect("a trace");
    super::planted::beside(file, said.as_bytes(), &trace)
        .expect("it was begun")
        .told(true)
        .expect("it was asked for")
}

#[test]
fn a_recording_that_is_refused_cut_off_missing_or_none_is_told_with_whose_fault_it_is_and_never_as_nothing() {
    let recorded = record_beside(&open("pixel-6", true), 1, 1);
    let file = recorded.perf_file.as_deref().expect("a recording");
    let whole = told(&recorded, file, "");
    assert!(whole.taken > 30 && whole.reason.is_none(), "{whole:?}");
    let closed = "simpleperf W environment.cpp:1] noise\nsimpleperf E environment.cpp:806] Package com.example.shop doesn't \
                  exist or isn't debuggable/profileable.\n";
    let absent = "/system/bin/sh: simpleperf: inaccessible or not found\n";
    let perf =
        "simpleperf E event_selection_set.cpp:739] failed to open perf event file: Permission denied\n";
    let empty: &[u8] = b"";
    let by_perf = replaced(file, b"monotonic\0", b"perf\0\0\0\0\0\0");
    let bare = record_beside(&open("pixel-6", true), 1, 0);
    for (file, said, why) in [
        (empty, closed, "the app may not be looked into: on a phone that is sold"),
        (empty, absent, "the phone has no simpleperf"),
        (empty, perf, "simpleperf recorded nothing; it said: simpleperf E event_selection_set.cpp:739]"),
        (empty, "", "it was killed, or the phone has no room"),
        (&file[..file.len() / 2], "", "killed before it had written its file, or that was cut off"),
        (&file[..60], "", "cut off"),
        (b"no recording at all", "", "what simpleperf left is no recording"),
        (&by_perf, "", "another clock than the trace's (perf)"),
    ] {
        let told = told(&recorded, file, said);
        let reason = told.reason.as_deref().unwrap_or_default();
        assert!(told.taken == 0 && reason.contains(why), "{why}: {told:?}");
    }
    assert!(bare.perf_file.is_some_and(|file| !file.is_empty()));
    // Cut off anywhere, or damaged anywhere, it is a reason or fewer stacks, and no panic.
    for end in (0..file.len()).step_by(file.len() / 97) {
        told(&recorded, &file[..end], "");
        let mut damaged = file.to_vec();
        damaged[end] ^= 0x55;
        told(&recorded, &damaged, "");
    }
}

/// A file with other bytes in place of some of as many.
fn replaced(file: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = file.windows(old.len()).position(|bytes| bytes == old).expect("they are there");
    [&file[..at], new, &file[at + old.len()..]].concat()
}

/// Simpleperf itself reads what the lab's phone writes: every sample of main, every name.
#[test]
fn a_real_simpleperf_reads_the_labs_recording_as_it_is_read_here() {
    let recorded = record_beside(&open("pixel-6", true), 3, 2);
    let file = recorded.perf_file.as_deref().expect("a recording");
    let folder = tempfile::tempdir().expect("a folder");
    let Some(judged) = farmjank_witnesses::simpleperf::reported(folder.path(), file) else { return };
    let samples = |bytes: &[u8]| -> Vec<(i64, Vec<String>)> {
        let recording = farmjank_frames::stacks::read(bytes).expect("a recording");
        let (_, main) = recording.mains.first_key_value().expect("a process");
        let names = |stack| recording.calls(stack).map(|call| call.name.clone()).collect();
        main.samples.iter().filter_map(|one| Some((one.at, names(one.stack?)))).collect()
    };
    let (ours, theirs) = (samples(file), samples(&judged));
    assert!(ours.len() > 200, "{} samples", ours.len());
    let differs = ours.iter().zip(&theirs).find(|(own, judge)| own != judge);
    assert_eq!((differs, ours.len()), (None, theirs.len()));
}

#[test]
fn of_an_app_that_may_not_be_looked_into_and_of_a_trace_without_stacks_there_are_none() {
    let closed = beside(&record(&open("pixel-8", false), 1, 2, &config_with_stacks()));
    let told = closed.told(false).expect("they were asked for");
    assert!(
        told.taken == 0 && told.reason.is_some_and(|why| why.contains("profileable")),
        "nothing is told of {APP}"
    );
    let bare = beside(&record(&open("pixel-8", true), 1, 2, &config()));
    assert_eq!(bare.told(false), None);
}

#[test]
fn a_phone_of_before_android_13_refuses_the_whole_config_for_the_clock_of_its_stacks() {
    use farmjank_lab::phone::{LabTime, Phone};
    for (archetype, status) in [("pixel-6", 1), ("pixel-8", 0)] {
        let mut phone = Phone::new(&open(archetype, true), "TEST0001".into(), 1).expect("a phone");
        let line = "perfetto -c - --txt --background -o /data/misc/perfetto-traces/t";
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let running =
            phone.begin_fed(LabTime(0), &argv, config_with_stacks().as_bytes(), 7_001).expect("a program");
        let answer = phone.finish(LabTime(0) + running.takes, running);
        assert_eq!(answer.status, status, "{archetype}: {answer:?}");
    }
}
