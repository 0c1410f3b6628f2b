//! Method traces of ART: what was planted comes out, in every form, and at every instant main is inside the method that
//! Perfetto's own reader says.
#![expect(clippy::disallowed_methods, reason = "writes a file for a program of others")]

use farmjank_causes::stacks::{Doing, Recording, Rules, Seen, pieces, stalls};
use farmjank_causes::told::{Most, told};
use farmjank_frames::stacks::{Unread, read};
use farmjank_witnesses::art::{BIND, DISPATCH, Form, MAIN, MS, MethodTrace, POLL};
use farmjank_witnesses::perfetto::{reader, rows};
use proptest::prelude::*;

/// What main was held up by, µs by sentence.
fn charged(recording: &Recording) -> Vec<(String, i64)> {
    let found = told(&stalls(recording, 4_242, Rules::Time), "com.shop", Most::ALL, &|_| None);
    assert_eq!((found.stalls.count, found.stalls.unexplained_us), (1, 0));
    found.stalls.causes.iter().map(|one| (one.named.title.clone(), one.us)).collect()
}

#[test]
fn a_method_trace_says_what_main_ran_and_where_it_waited() {
    let one = |words: &str, us: i64| (words.to_owned(), us);
    for form in [Form::Both, Form::Streamed] {
        let recording = read(&MethodTrace::shop().written(form)).expect("a trace");
        assert_eq!(recording.of_app(Some("com.shop")), Ok((4_242, "com.shop".to_owned())));
        let all = [
            one("main runs com.shop.Thumb.decode, called by com.shop.Feed.bind", 60_000),
            one("main runs com.shop.Feed.bind", 50_000),
            one("main is off its CPU in com.shop.Feed.bind", 40_000),
        ];
        assert_eq!(charged(&recording), all, "{form:?}");
    }
    let wall = read(&MethodTrace::shop().written(Form::Wall)).expect("a trace");
    let all = [
        one("main is inside com.shop.Feed.bind", 90_000),
        one("main is inside com.shop.Thumb.decode, called by com.shop.Feed.bind", 60_000),
    ];
    assert_eq!(charged(&wall), all);
    let refused =
        read(&MethodTrace::shop().written(Form::Thread)).expect_err("nothing says when main waited");
    assert!(matches!(refused, Unread::Unknown(why) if why.contains("wall clock")), "{refused}");
}

/// The innermost method of main at every instant, as Perfetto's reader has it: from, until, name.
fn innermost(file: &[u8]) -> Option<Vec<(i64, i64, String)>> {
    let (reader, folder) = (reader()?, tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("methods.trace");
    std::fs::write(&path, file).expect("written");
    let query = "select s.ts || ',' || s.dur || ',' || s.depth || ',' || s.name as row from slice s
        join thread_track k on s.track_id = k.id join thread t using (utid) where t.name = 'main' order by s.ts, s.depth";
    let slices: Vec<(i64, i64, usize, String)> = rows(reader, &path, query)
        .iter()
        .map(|row| {
            let mut parts = row.splitn(4, ',');
            let mut next = || parts.next().expect("a column");
            let number = |text: &str| text.parse::<i64>().expect("a number");
            let (from, long, depth) = (number(next()), number(next()), number(next()));
            let name = next().split(": ").next().unwrap_or_default().to_owned();
            (from, from + long, usize::try_from(depth).expect("a depth"), name)
        })
        .collect();
    let mut ends: Vec<i64> = slices.iter().flat_map(|(from, to, ..)| [*from, *to]).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut all: Vec<(i64, i64, String)> = Vec::new();
    for pair in ends.windows(2) {
        let over = slices.iter().filter(|(from, to, ..)| *from <= pair[0] && *to >= pair[1]);
        let Some((.., name)) = over.max_by_key(|(_, _, depth, _)| *depth) else { continue };
        match all.last_mut().filter(|(_, to, of)| *to == pair[0] && of == name) {
            Some((_, to, _)) => *to = pair[1],
            None => all.push((pair[0], pair[1], name.clone())),
        }
    }
    Some(all)
}

/// The same of ours.
fn own(recording: &Recording) -> Vec<(i64, i64, String)> {
    let mut all: Vec<(i64, i64, String)> = Vec::new();
    for piece in pieces(&recording.mains[&4_242].samples, recording.off_cpu) {
        let call = recording.calls(piece.doing.stack()).next().expect("a call");
        match all.last_mut().filter(|(_, to, name)| *to == piece.from && *name == call.name) {
            Some((_, to, _)) => *to = piece.to,
            None => all.push((piece.from, piece.to, call.name.clone())),
        }
    }
    all
}

#[test]
fn main_is_inside_the_method_that_perfettos_reader_says_at_every_instant() {
    for form in [Form::Both, Form::Wall, Form::Streamed] {
        // What was entered before it began is none of theirs.
        let mut plan = MethodTrace::shop();
        plan.0.remove(0);
        let file = plan.written(form);
        let Some(theirs) = innermost(&file) else { return };
        assert_eq!(theirs.len(), 7, "{theirs:?}");
        assert_eq!(own(&read(&file).expect("a trace")), theirs, "{form:?}");
    }
}

#[test]
fn methods_an_exception_left_are_left_and_unknown_ones_are_told_by_number() {
    let mut plan = MethodTrace::default();
    plan.enter(MAIN, DISPATCH, 0, 0);
    plan.enter(MAIN, BIND, 0, 0);
    plan.enter(MAIN, 0x9000, 0, 0);
    plan.0.push((MAIN, DISPATCH, 2, 100 * MS, 100 * MS));
    plan.enter(MAIN, POLL, 100 * MS, 100 * MS);
    plan.leave(MAIN, POLL, 100 * MS, 200 * MS);
    let recording = read(&plan.written(Form::Both)).expect("a trace");
    assert_eq!(
        charged(&recording),
        [("main runs method 0x9000, called by com.shop.Feed.bind".to_owned(), 100_000)]
    );
    assert!(recording.mains[&4_242].samples.iter().all(|one| one.seen != Seen::Inside));
    let doing = pieces(&recording.mains[&4_242].samples, true);
    assert!(matches!(doing[0].doing, Doing::Ran(_)) && doing[0].to - doing[0].from == 100_000_000);
}

#[test]
fn a_method_trace_cut_off_anywhere_is_told_as_far_as_it_goes_or_refused() {
    for form in [Form::Both, Form::Wall, Form::Streamed] {
        let whole = MethodTrace::shop().written(form);
        let mut told = 0;
        for end in 0..whole.len() {
            told += usize::from(read(&whole[..end]).is_ok());
        }
        assert!(told > 100, "{form:?}: {told} of {}", whole.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn a_method_trace_with_other_bytes_in_it_is_read_or_refused(
        form in prop::sample::select(vec![Form::Both, Form::Wall, Form::Thread, Form::Streamed]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut file = MethodTrace::shop().written(form);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        super::hostile::told(&file);
    }
}
