//! Looks at threads' calls beside their states and slices: which method ran, in which main waited, in which it was
//! woken.

use super::rules::{same, waits};
use super::world::*;
use farmjank_causes::fact::State;
use farmjank_causes::inquiry::{Confidence, Found};
use farmjank_causes::kind::Why;
use farmjank_causes::stacks::{Call, Look, Looks};
use farmjank_results::frame_lanes::{FrameLanes, STACKS};
use std::rc::Rc;

/// Innermost first; `art::` and the platform's are passed over for the app's own.
const PARSE: &[&str] = &["com.shop.Json.parse", "nterp_op_invoke_virtual", "com.shop.Feed.onReply", DO_FRAME];
const DECODE: &[&str] =
    &["android.graphics.Bitmap.nativeDecode", "com.shop.Thumb.decode", "com.shop.Feed.bind", DO_FRAME];
const AWAIT: &[&str] = &["java.lang.Object.wait", "com.shop.Net.await", "com.shop.Feed.bind", DO_FRAME];
const REPLY: &[&str] = &["java.lang.Object.notify", "com.shop.Net.onBytes", "java.lang.Thread.run"];
const IDLE: &[&str] = &["android.os.MessageQueue.nativePollOnce", "android.os.Looper.loop"];
const DO_FRAME: &str = "android.view.Choreographer.doFrame";

/// Looks at ms of the late frame: whose, how, when, what.
fn looks(all: &[(i32, Look, i64, &[&str])]) -> Rc<Looks> {
    let mut looks = Looks::default();
    for (tid, look, ms, names) in all {
        let call = |name: &&str| Call { name: (*name).to_owned(), file: String::new() };
        let calls = names.iter().map(|name| looks.recording.call(call(name))).collect();
        let stack = looks.recording.stack(calls);
        looks.add(*tid, *look, LATE + ms * MS, stack);
    }
    looks.settle();
    Rc::new(looks)
}

/// Every five milliseconds from one to another.
fn every<'a>(from: i64, to: i64, names: &'a [&'a str]) -> Vec<(i32, Look, i64, &'a [&'a str])> {
    (from..to).step_by(5).map(|ms| (APP, Look::Ran, ms, names)).collect()
}

fn with(all: &[(i32, Look, i64, &[&str])]) -> World {
    let mut world = World::new();
    world.inquiry = world.inquiry.beside(looks(all));
    world
}

/// Causes by what they say and µs; they and what is unexplained are the hitch.
fn charged(found: &Found) -> Vec<(String, i64)> {
    let all = told(found).into_iter().map(|(_, us, sentence, _)| (sentence, us)).collect::<Vec<_>>();
    assert_eq!(all.iter().map(|(_, us)| us).sum::<i64>() + found.unexplained_us, 40_000, "{all:?}");
    all
}

#[test]
fn code_nothing_names_is_charged_to_the_methods_that_were_seen_to_run_it() {
    let seen = [every(7, 30, PARSE), every(32, 45, DECODE)].concat();
    let mut world = with(&seen);
    world.late(does(APP, 5, 45, State::Running), same);
    let found = world.finish();
    let causes = charged(&found);
    let (parse, decode) = (
        "main runs com.shop.Json.parse, called by com.shop.Feed.onReply",
        "main runs com.shop.Thumb.decode, called by com.shop.Feed.bind",
    );
    let near = |us: i64, ms: i64| (us - ms * 1_000).abs() < 3_500;
    assert_eq!((causes[0].0.as_str(), causes[1].0.as_str()), (parse, decode), "{causes:?}");
    assert!(near(causes[0].1, 25) && near(causes[1].1, 15), "{causes:?}");
    let first = &told(&found)[0];
    assert_eq!((first.0.as_str(), found.totals[0].confidence), ("app.code", Confidence::Sure));
    assert_eq!(found.totals[0].method, "com.shop.Json.parse");
    assert_eq!(first.3, "com.shop.Json.parse ← com.shop.Feed.onReply ← android.view.Choreographer.doFrame");
}

#[test]
fn a_section_of_the_apps_own_is_told_beside_the_methods_in_it_and_without_a_look_it_stays_what_it_was() {
    let mut world = with(&every(7, 45, PARSE));
    world.late(does(APP, 5, 45, State::Running), same);
    world.late_slice(APP, 5, 45, "loadFeed");
    let found = world.finish();
    let (_, us, sentence, detail) = told(&found).remove(0);
    assert_eq!(sentence, "main runs com.shop.Json.parse, called by com.shop.Feed.onReply");
    assert!(us > 39_000 && detail.starts_with("in \"loadFeed\": com.shop.Json.parse ←"), "{us} {detail}");
    let mut world = with(&[(APP, Look::Ran, 300, PARSE)]);
    world.late(does(APP, 5, 45, State::Running), same);
    world.late_slice(APP, 5, 45, "loadFeed");
    assert_eq!(charged(&world.finish()), [("main runs \"loadFeed\"".to_owned(), 40_000)]);
}

#[test]
fn a_look_in_a_slice_says_nothing_of_the_code_after_it_and_no_look_reaches_far() {
    // One look in ten milliseconds of inflating, one in the code after it: it reaches ten milliseconds.
    let mut world = with(&[(APP, Look::Ran, 8, DECODE), (APP, Look::Ran, 20, PARSE)]);
    world.late(does(APP, 5, 45, State::Running), same);
    world.late_slice(APP, 5, 15, "inflate");
    let found = world.finish();
    let causes = charged(&found);
    let of = |what: &str| causes.iter().find(|(said, _)| said.contains(what)).map_or(0, |(_, us)| *us);
    assert_eq!((of("inflates"), of("Json.parse"), of("outside every section")), (10_000, 15_000, 15_000));
    let inflate = told(&found).into_iter().find(|(word, ..)| word == "ui.inflate").expect("it is there");
    assert_eq!(inflate.3, "in com.shop.Thumb.decode, called by com.shop.Feed.bind");
    let methods =
        |word: &str| found.totals.iter().find(|one| one.cause.word() == word).map(|one| one.method.as_str());
    assert_eq!(methods("ui.inflate"), Some("com.shop.Thumb.decode"));
}

#[test]
fn moments_without_a_cpu_do_not_keep_looks_from_the_code_around_them() {
    let mut world = with(&every(7, 45, PARSE));
    for ms in (5..45).step_by(2) {
        let (from, to) = (LATE + ms * MS, LATE + (ms + 2) * MS);
        world.state(APP, from, to - 100_000, State::Running, same);
        world.state(APP, to - 100_000, to, State::Preempted, same);
    }
    let causes = charged(&world.finish());
    assert_eq!(causes.len(), 1, "{causes:?}");
    assert!(causes[0].0.contains("Json.parse"), "{causes:?}");
}

#[test]
fn a_wait_nothing_tells_of_is_charged_to_the_method_it_began_in() {
    let mut world = with(&[(APP, Look::Left, 5, AWAIT), (APP, Look::Left, 51, IDLE)]);
    waits(&mut world, State::Sleeping, None);
    let found = world.finish();
    assert_eq!(
        charged(&found),
        [("main waits in com.shop.Net.await, called by com.shop.Feed.bind".to_owned(), 40_000)]
    );
    let (word, _, _, detail) = told(&found).remove(0);
    let path = "java.lang.Object.wait ← com.shop.Net.await ← com.shop.Feed.bind ← android.view.Choreographer.doFrame";
    assert_eq!((word.as_str(), detail.as_str()), ("app.off_cpu", path));
    assert_eq!(found.totals[0].method, "com.shop.Net.await");
    assert_eq!(found.totals[0].confidence, Confidence::Sure);
}

#[test]
fn who_ended_such_a_wait_is_told_with_the_method_it_was_in() {
    let seen = [(APP, Look::Left, 5, AWAIT), (SYSTEM, Look::Woke, 45, REPLY)];
    let mut world = with(&seen);
    waits(&mut world, State::Sleeping, Some(SYSTEM));
    let detail = told(&world.finish()).remove(0).3;
    assert!(detail.ends_with("; woken by \"main\" in com.shop.Net.onBytes"), "{detail}");
    // A thread of the app that is waited for inside a slice is a cause of its own.
    let mut world = with(&[(APP, Look::Left, 5, AWAIT), (WRITER, Look::Woke, 45, REPLY)]);
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, "awaitPrefetch");
    world.late(does(WRITER, 0, 45, State::Running), same);
    let (word, _, sentence, detail) = told(&world.finish()).remove(0);
    assert_eq!((word.as_str(), sentence.as_str()), ("wait.thread", "main waits for thread \"db-writer\""));
    assert_eq!(
        detail,
        "in com.shop.Net.await, called by com.shop.Feed.bind; meanwhile db-writer runs code outside every section; \
         woken in com.shop.Net.onBytes"
    );
}

#[test]
fn waits_for_the_next_message_and_for_a_cpu_are_in_no_method() {
    let mut world = with(&[(APP, Look::Left, 5, IDLE)]);
    waits(&mut world, State::Sleeping, None);
    let found = world.finish();
    assert_eq!((charged(&found).len(), found.why.as_slice()), (0, &[(Why::Waiting, 40_000)][..]));
    // It was made to leave: whoever ran is to blame, wherever it was.
    let mut world = with(&[(APP, Look::Left, 5, AWAIT)]);
    world.late(does(APP, 5, 45, State::Preempted), same);
    world.late(does(SYSTEM, 5, 45, State::Running), same);
    assert!(charged(&world.finish()).iter().all(|(said, _)| said.contains("has no CPU")));
}

#[test]
fn a_wait_for_a_disk_says_in_which_method() {
    let mut world = with(&[(APP, Look::Left, 5, AWAIT)]);
    waits(&mut world, State::Blocked, None);
    let (word, _, _, detail) = told(&world.finish()).remove(0);
    assert_eq!(
        (word.as_str(), detail.as_str()),
        ("kernel.sleep", "in com.shop.Net.await, called by com.shop.Feed.bind")
    );
}

/// Calls of main in the picture of the late frame: from, until (ms), off its CPU, the innermost two.
fn pictured(found: &Found) -> Vec<(i64, i64, bool, String)> {
    let lanes = FrameLanes { pictures: found.pictures.clone() };
    assert_eq!(FrameLanes::decode(&lanes.encode()), lanes, "every picture is whole");
    let picture = &found.pictures[0];
    let stacks = picture.stacks.iter().filter(|one| one.lane == 0);
    let inner = |calls: &[usize]| {
        let names = calls.iter().rev().take(2).map(|name| picture.names[*name].as_str());
        names.collect::<Vec<_>>().join(" ← ")
    };
    stacks.map(|one| (one.from / 1_000, one.to / 1_000, one.off_cpu, inner(&one.calls))).collect()
}

#[test]
fn the_picture_of_a_frame_has_the_calls_main_ran_and_those_it_was_off_its_cpu_in() {
    let seen = [every(7, 20, PARSE), vec![(APP, Look::Left, 20, AWAIT)], every(42, 45, DECODE)].concat();
    let mut world = with(&seen);
    world.late(does(APP, 5, 20, State::Running), same);
    world.late(does(APP, 20, 40, State::Sleeping), same);
    world.late(does(APP, 40, 45, State::Running), same);
    let all = [
        (5, 20, false, "com.shop.Json.parse ← com.shop.Feed.onReply".to_owned()),
        (20, 40, true, "java.lang.Object.wait ← com.shop.Net.await".to_owned()),
        (40, 45, false, "android.graphics.Bitmap.nativeDecode ← com.shop.Thumb.decode".to_owned()),
    ];
    assert_eq!(pictured(&world.finish()), all);
    // However often they change, a picture has room for so many.
    let often: Vec<_> =
        (0..400).map(|nth| (APP, Look::Ran, nth / 10, if nth % 2 == 0 { PARSE } else { DECODE })).collect();
    let mut world = with(&often);
    world.late(does(APP, 0, 45, State::Running), same);
    assert!((1..=STACKS).contains(&pictured(&world.finish()).len()));
    // Where nobody looked there are none.
    let mut world = World::new();
    world.late(does(APP, 5, 45, State::Running), same);
    assert_eq!(pictured(&world.finish()), []);
}
