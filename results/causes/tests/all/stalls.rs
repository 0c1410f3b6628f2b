//! Stalls without a frame: which stretches of main are long, which of them no frame waited in, what they are charged
//! to.

use super::world::{APP, COLLECTOR, MS, RENDER, WRITER, World};
use farmjank_causes::fact::{Fact, Segment, State, Thread};
use farmjank_causes::held::{Busy, Held, Watch};
use farmjank_causes::inquiry::{Confidence, Found};
use farmjank_causes::stall::{Stall, stalls};
use farmjank_causes::threads::Threads;
use farmjank_results::frame_timeline::{
    Prediction, PresentType, Severity, SurfaceFrame, SurfaceFrames, jank,
};
use farmjank_results::time::DeviceTime;
use proptest::prelude::*;

const MESSAGE: &str = "android.os.Handler: com.shop.Refresher$1";

/// What main did, in ms: a state, or a slice at a depth.
enum Did {
    State(State, i64, i64),
    Slice(&'static str, usize, i64, i64),
    Lost(i64, i64),
}
use Did::{Lost, Slice};

fn running(from: i64, to: i64) -> Did {
    Did::State(State::Running, from, to)
}

fn sleeping(from: i64, to: i64) -> Did {
    Did::State(State::Sleeping, from, to)
}

fn app() -> (Threads, Thread) {
    let mut threads = Threads::default();
    let main = threads.in_process(APP, APP);
    threads.in_process(RENDER, APP);
    (threads, main)
}

fn watched(did: &[Did]) -> Busy {
    let (threads, main) = app();
    let mut watch = Watch::default();
    for one in did {
        let fact = match *one {
            Did::State(state, from, to) => Fact::State(segment(main, state, from * MS, to * MS)),
            Slice(name, depth, from, to) => {
                let (from, to, name) = (from * MS, Some(to * MS), name.as_bytes());
                Fact::Slice { thread: main, from, to, depth, name }
            }
            Lost(from, to) => Fact::Lost { cpu: 0, from: from * MS, to: to * MS },
        };
        watch.take(&threads, &fact);
    }
    watch.finish(&threads)
}

fn segment(thread: Thread, state: State, from: i64, to: i64) -> Segment {
    let cpu = (state == State::Running).then_some(0);
    Segment { thread, from, to: Some(to), state, cpu, waker: None, interrupt: false, io: None }
}

/// Long stretches, ms, and whether each is a message.
fn long(did: &[Did]) -> Vec<(i64, i64, bool)> {
    watched(did).held.iter().map(|one| (one.from / MS, one.to / MS, one.message)).collect()
}

#[test]
fn work_without_a_wait_in_between_is_one_stretch_and_the_wait_for_a_message_ends_it() {
    let busy = [running(0, 30), Did::State(State::Preempted, 30, 40), Did::State(State::Blocked, 40, 60)];
    let mut did: Vec<Did> = busy.into_iter().collect();
    did.extend([running(60, 90), sleeping(90, 1_000), running(1_000, 1_079), sleeping(1_079, 1_200)]);
    assert_eq!(long(&did), [(0, 90, false)]);
}

#[test]
fn an_idle_main_thread_is_held_up_by_nothing_however_long_it_rests() {
    let did = [running(0, 5), sleeping(5, 9_000), running(9_000, 9_020), sleeping(9_020, 20_000)];
    assert_eq!(long(&did), []);
}

#[test]
fn a_wait_inside_a_slice_is_part_of_what_main_does() {
    let did = [running(0, 10), sleeping(10, 110), running(110, 125), Slice("activityResume", 0, 5, 120)];
    assert_eq!(long(&did), [(0, 125, false)]);
}

#[test]
fn marked_messages_are_each_looked_at_alone_though_main_never_rests_between_them() {
    let (one, two) = (Slice(MESSAGE, 0, 5, 65), Slice(MESSAGE, 0, 66, 120));
    assert_eq!(long(&[one, two, running(0, 125)]), [], "neither is long");
    let (one, two) = (Slice(MESSAGE, 0, 5, 95), Slice(MESSAGE, 0, 96, 120));
    assert_eq!(long(&[one, two, running(0, 300)]), [(5, 95, true), (120, 300, false)]);
}

#[test]
fn a_frame_made_in_a_message_is_known_by_its_token() {
    let made = |name| {
        let did = [Slice("Choreographer#doFrame 77", 1, 6, 95), Slice(name, 0, 5, 99), running(0, 100)];
        let held = watched(&did).held;
        (held.len(), held[0].message, held[0].frame)
    };
    let frames =
        "android.view.Choreographer$FrameHandler: android.view.Choreographer$FrameDisplayEventReceiver";
    assert_eq!(made(frames), (1, true, Some(77)));
    assert_eq!(made("somebody's section"), (1, false, Some(77)));
    let alone = watched(&[Slice("Choreographer#doFrame 78", 0, 0, 90)]).held;
    assert_eq!((alone.len(), alone[0].frame), (1, Some(78)));
}

#[test]
fn a_stretch_in_which_events_were_lost_is_told_up_to_there() {
    let did = |lost| [running(0, 400), Lost(lost, lost + 10)];
    assert_eq!(
        (long(&did(150)), long(&did(60)), long(&did(500))),
        (vec![(0, 150, false)], vec![], vec![(0, 400, false)])
    );
}

#[test]
fn only_main_threads_are_told_of() {
    let (mut threads, _) = app();
    let (render, stranger) = (threads.of(RENDER), threads.of(99));
    let mut watch = Watch::default();
    for thread in [render, stranger] {
        watch.take(&threads, &Fact::State(segment(thread, State::Running, 0, 500 * MS)));
    }
    assert_eq!(watch.clone().finish(&threads).held, []);
    // Who it is may be told after what it did.
    threads.join(stranger, 99);
    assert_eq!(watch.finish(&threads).held[0].process, 99);
}

proptest! {
    #[test]
    fn stretches_are_long_and_apart_whatever_is_told(
        states in prop::collection::vec((0_usize..3, 0_i64..4_000, 1_i64..300), 0..120),
        slices in prop::collection::vec((0_usize..3, 0_i64..4_000, 1_i64..300, 0_usize..2), 0..60),
    ) {
        let kinds = [State::Running, State::Sleeping, State::Blocked];
        let names = [MESSAGE, "activityResume", "Choreographer#doFrame 5"];
        let states = states.into_iter().map(|(kind, from, length)| Did::State(kinds[kind], from, from + length));
        let slices = slices.into_iter().map(|(name, from, length, depth)| {
            Slice(names[name], depth, from, from + length)
        });
        let mut did: Vec<Did> = states.chain(slices).collect();
        did.sort_by_key(|one| match one {
            Did::State(_, _, to) | Slice(_, _, _, to) | Lost(_, to) => *to,
        });
        for one in watched(&did).held {
            prop_assert!(one.to - one.from >= 80 * MS && one.process == APP);
        }
    }
}

/// A frame of the app, promised, begun and shown then, ms.
fn frame(token: i64, promised: Option<i64>, began: i64, shown: Option<i64>) -> SurfaceFrame {
    let at = |ms: i64| DeviceTime::from_ns(ms * MS);
    SurfaceFrame {
        token,
        display_token: shown.map(|_| 1_000 + token),
        pid: APP,
        layer: "com.shop/com.shop.Main#1".into(),
        expected_start: promised.map(at),
        expected_end: promised.map(|ms| at(ms + 16)),
        actual_start: at(began),
        actual_end: at(began + 10),
        expected_present: promised.map(|ms| at(ms + 33)),
        present: shown.map(at),
        present_type: if shown.is_some() { PresentType::OnTime } else { PresentType::Dropped },
        on_time_finish: true,
        jank: jank::NONE,
        display_jank: jank::NONE,
        prediction: Prediction::Valid,
        is_buffer: true,
        severity: Severity::Unknown,
        first_draw: false,
    }
}

fn held(from: i64, to: i64, frame: Option<i64>) -> Held {
    Held { process: APP, from: from * MS, to: to * MS, message: true, frame, next: None }
}

/// Stalls of one stretch beside these frames, ms.
fn found(one: Held, frames: Vec<SurfaceFrame>) -> Vec<(i64, i64)> {
    let told_to = Some(DeviceTime::from_ns(5_000 * MS));
    told(one, &SurfaceFrames { frames, told_to, ..SurfaceFrames::default() })
}

fn told(one: Held, app: &SurfaceFrames) -> Vec<(i64, i64)> {
    let busy = Busy { held: vec![one], touched: Vec::new() };
    let clock = |at: DeviceTime| Some(at.ns());
    stalls(&busy, app, &clock).iter().map(|stall| (stall.from / MS, stall.to / MS)).collect()
}

#[test]
fn where_a_frame_was_promised_and_waited_is_its_lateness_and_no_stall() {
    let first = || frame(1, Some(10), 11, Some(43));
    assert_eq!(found(held(1_000, 1_200, None), vec![first()]), [(1_000, 1_200)]);
    let late = |promised| vec![first(), frame(2, Some(promised), 1_202, Some(1_240))];
    assert_eq!(found(held(1_000, 1_200, None), late(1_120)), [(1_000, 1_120)]);
    assert_eq!(found(held(1_000, 1_200, None), late(1_010)), []);
    // One that was dropped was promised all the same.
    let dropped = vec![first(), frame(2, Some(1_010), 1_202, None)];
    assert_eq!(found(held(1_000, 1_200, None), dropped), []);
    // Of a promise the platform forgot, the lateness is what the screen stood still.
    let forgotten = vec![frame(1, Some(990), 991, Some(1_023)), frame(2, None, 1_202, Some(1_240))];
    assert_eq!(found(held(1_000, 1_200, None), forgotten), []);
    assert_eq!(found(Held { process: 99, ..held(1_000, 1_200, None) }, vec![first()]), []);
}

#[test]
fn a_frame_that_drew_nothing_is_a_stall_where_the_trace_would_have_told_of_it() {
    let first = || frame(1, Some(10), 11, Some(43));
    assert_eq!(found(held(1_000, 1_200, Some(2)), vec![first()]), [(1_000, 1_200)]);
    let own = vec![first(), frame(2, Some(999), 1_001, Some(1_240))];
    assert_eq!(found(held(1_001, 1_200, Some(2)), own), []);
    let ends = SurfaceFrames { frames: vec![first()], told_to: None, ..SurfaceFrames::default() };
    assert_eq!(told(held(1_000, 1_200, Some(2)), &ends), []);
    // One that was made right after it may have waited, and be told of later than the trace ends.
    let next = Held { next: Some(2), ..held(1_000, 1_200, None) };
    assert_eq!((told(next, &ends), found(next, vec![first()])), (vec![], vec![(1_000, 1_200)]));
}

#[test]
fn the_frame_that_is_made_right_after_a_stretch_is_known() {
    let after = |from| {
        let frame = Slice("Choreographer#doFrame 79", 0, from, from + 10);
        watched(&[Slice(MESSAGE, 0, 0, 100), frame]).held[0].next
    };
    assert_eq!((after(101), after(119), after(121)), (Some(79), Some(79), None));
}

#[test]
fn where_the_trace_lost_what_tells_of_frames_no_stall_is_told() {
    let at = |ms: i64| DeviceTime::from_ns(ms * MS);
    let lost = |from, to| SurfaceFrames {
        frames: vec![frame(1, Some(10), 11, Some(43))],
        lost: vec![(at(from), at(to))],
        ..SurfaceFrames::default()
    };
    assert_eq!(told(held(1_000, 1_200, None), &lost(1_100, 1_110)), []);
    assert_eq!(told(held(1_000, 1_200, None), &lost(1_210, 1_250)), [(1_000, 1_200)]);
}

#[test]
fn a_touch_that_was_taken_after_it_waited_for_its_end() {
    let mark = "deliverInputEvent src=0x1002 eventTimeNano=1100000000 id=0x5524c741";
    let did = [Slice(MESSAGE, 0, 1_000, 1_200), Slice(mark, 0, 1_201, 1_203)];
    let busy = watched(&did);
    let frames = vec![frame(1, Some(10), 11, Some(43))];
    let app = SurfaceFrames { frames, ..SurfaceFrames::default() };
    let found = stalls(&busy, &app, &|at| Some(at.ns()));
    assert_eq!(found.iter().map(|one| one.touch).collect::<Vec<_>>(), [Some(100 * MS)]);
    let early = watched(&[Slice(mark, 0, 1_101, 1_103), Slice(MESSAGE, 0, 1_110, 1_300)]);
    assert_eq!(stalls(&early, &app, &|at| Some(at.ns()))[0].touch, None);
}

/// When the stall of a world begins and ends.
const FROM: i64 = 5_000 * MS;
const TO: i64 = FROM + 200 * MS;

/// An app that had one frame late, and two hundred milliseconds of a message no frame waited for.
fn stalled() -> World {
    let stall = Stall { process: APP, from: FROM, to: TO, message: true, touch: None };
    let mut world = World::of(&|frame| frame, vec![stall]);
    world.slice(APP, FROM, TO, 0, MESSAGE);
    world
}

fn charged(found: &Found) -> Vec<(String, i64)> {
    let (charges, _) = found.stalled[0].charges.as_ref().expect("nothing was lost");
    charges.charged.iter().map(|one| (one.cause.in_stall(), one.us)).collect()
}

#[test]
fn everything_in_a_stall_is_charged_and_nothing_of_it_to_late_frames() {
    let mut world = stalled();
    world.state(APP, FROM, FROM + 40 * MS, State::Running, |one| one);
    world.slice(APP, FROM + 40 * MS, FROM + 120 * MS, 1, "loadFeed");
    world.state(APP, FROM + 40 * MS, FROM + 60 * MS, State::Running, |one| one);
    world
        .state(APP, FROM + 60 * MS, FROM + 120 * MS, State::Blocked, |one| Segment { io: Some(true), ..one });
    world.state(APP, FROM + 120 * MS, TO, State::Sleeping, |one| one);
    let found = world.finish();
    let told = charged(&found);
    let message = format!("main handles one message: {MESSAGE}");
    let expected =
        [("main waits for the disk (loadFeed)", 60), (&*message, 40), ("main runs \"loadFeed\"", 20)];
    let expected: Vec<(String, i64)> =
        expected.into_iter().map(|(words, ms)| (words.to_owned(), ms * 1_000)).collect();
    assert_eq!(told, expected);
    let sum = &found.stalls;
    assert_eq!((sum.us, sum.explained_us, sum.unexplained_us, sum.unknown_us), (200_000, 120_000, 80_000, 0));
    assert_eq!((found.hitch_us, found.late.len()), (40_000, 1), "late frames know nothing of it");
    assert!(
        found.late[0].charges.is_ok()
            && found.totals.iter().all(|one| one.cause.kind != sum.totals[0].cause.kind)
    );
    assert_eq!(found.stalled[0].charges.as_ref().map(|(_, sure)| *sure), Ok(Confidence::Likely));
}

#[test]
fn events_lost_near_a_stall_leave_nothing_to_be_said_of_it() {
    let mut world = stalled();
    world.state(APP, FROM, TO, State::Running, |one| one);
    world.inquiry.take(&Fact::Lost { cpu: 1, from: TO + 40 * MS, to: TO + 50 * MS });
    let found = world.finish();
    assert_eq!(found.stalled[0].charges, Err("events were lost around it".to_owned()));
    assert_eq!((found.stalls.unknown_us, found.stalls.explained_us), (200_000, 0));
    assert!(found.late[0].charges.is_ok());
}

#[test]
fn a_stall_is_sure_only_where_it_is_one_marked_message() {
    for (message, confidence) in [(true, Confidence::Sure), (false, Confidence::Likely)] {
        let stall = Stall { process: APP, from: FROM, to: TO, message, touch: None };
        let mut world = World::of(&|frame| frame, vec![stall]);
        world.slice(APP, FROM, TO, 0, "GC: Wait For Completion Alloc");
        let waker = Some(world.thread(COLLECTOR));
        world.state(APP, FROM, TO - 1, State::Sleeping, |one| one);
        world.state(APP, TO - 1, TO, State::Runnable, |one| Segment { waker, ..one });
        let found = world.finish();
        assert_eq!(found.stalled[0].charges.as_ref().map(|(_, sure)| *sure), Ok(confidence));
        assert_eq!(charged(&found)[0].0, "main waits for the garbage collector");
    }
}

proptest! {
    #[test]
    fn causes_and_what_is_unexplained_are_a_stall_to_the_microsecond(
        states in prop::collection::vec((0_usize..4, 0_usize..3, -20_i64..220, 1_i64..90, 0_usize..3), 0..60),
        length in 80_000_000_i64..200_000_000,
    ) {
        let stall = Stall { process: APP, from: FROM, to: FROM + length, message: false, touch: None };
        let mut world = World::of(&|frame| frame, vec![stall]);
        let (tids, kinds) = ([APP, RENDER, WRITER], [State::Running, State::Runnable, State::Sleeping, State::Blocked]);
        for (kind, tid, from, length, waker) in states {
            let waker = Some(world.thread(tids[waker]));
            let (from, kind) = (FROM + from * MS, kinds[kind]);
            world.state(tids[tid], from, from + length * MS, kind, |one| Segment { waker, ..one });
        }
        let found = world.finish();
        let (charges, _) = found.stalled[0].charges.as_ref().expect("nothing was lost");
        let charged: i64 = charges.charged.iter().map(|one| one.us).sum();
        prop_assert_eq!(charged + charges.unexplained_us, length / 1_000);
        prop_assert_eq!(charges.why.iter().map(|(_, us)| us).sum::<i64>(), charges.unexplained_us);
        prop_assert_eq!(found.stalls.explained_us + found.stalls.unexplained_us, length / 1_000);
    }
}
