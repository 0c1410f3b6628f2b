//! Pictures of late frames and stalls, of facts made by hand: which threads they show, what held the frame up where,
//! when it was promised and shown, and how large they get.

use super::world::{APP, LATE, MS, RENDER, SYSTEM, WRITER, World, does};
use farmjank_causes::fact::{Call, Fact, Segment, State};
use farmjank_causes::inquiry::{Found, Inquiry};
use farmjank_causes::stall::Stall;
use farmjank_causes::threads::Threads;
use farmjank_results::frame_lanes::*;

const HELD: &str = "monitor contention with owner db-writer (19) at void com.shop.ShopDb.flush()(ShopDb.java:88) \
                    waiters=0 blocking from int com.shop.ShopDb.read()(ShopDb.java:31)";

fn same(one: Segment) -> Segment {
    one
}

/// Main waits for a lock for forty milliseconds; what its owner does is the test's.
fn locked() -> World {
    let mut world = World::new();
    world.late(does(APP, 5, 45, State::Sleeping), same);
    world.late_slice(APP, 5, 45, HELD);
    world.late_slice(APP, 5, 45, "Lock contention on a monitor lock (owner tid: 9)");
    world
}

fn picture(found: &Found) -> &Picture {
    let lanes = FrameLanes { pictures: found.pictures.clone() };
    assert_eq!(FrameLanes::decode(&lanes.encode()), lanes, "every picture is whole");
    found.pictures.first().expect("a picture")
}

/// Lanes by role, name and process.
fn lanes(picture: &Picture) -> Vec<(Role, &str, &str)> {
    picture.lanes.iter().map(|lane| (lane.role, lane.name.as_str(), lane.process.as_str())).collect()
}

/// What held which lane up, from when to when (ms), whose lane is waited for.
fn held(picture: &Picture, meanwhile: bool) -> Vec<(usize, i64, i64, &str, Option<usize>)> {
    let way = picture.way.iter().filter(|one| one.meanwhile == meanwhile);
    way.map(|one| {
        let kind = picture.causes[one.cause].kind.as_str();
        (one.lane, one.from / 1_000, one.to / 1_000, kind, one.waits_for)
    })
    .collect()
}

#[test]
fn who_has_the_lock_has_a_lane_below_who_waits_for_it() {
    let mut world = locked();
    world.late(does(WRITER, 0, 40, State::Blocked), |one| Segment { io: Some(true), ..one });
    world.late(does(WRITER, 40, 46, State::Running), same);
    let found = world.finish();
    let picture = picture(&found);
    assert_eq!(
        lanes(picture),
        [(Role::Main, "main", ""), (Role::WaitedFor, "db-writer", ""), (Role::Compositor, "compositor", "")]
    );
    assert_eq!(
        held(picture, false),
        [
            (0, 0, 5, "app.code", None),
            (0, 5, 45, "lock.monitor", Some(1)),
            (0, 45, 51, "app.code", None),
            (2, 51, 60, "turn", None)
        ]
    );
    assert_eq!(held(picture, true), [(1, 5, 40, "io.disk", None), (1, 40, 45, "app.code", None)]);
    let lock = &picture.causes[picture.way[1].cause];
    assert_eq!(
        (lock.us, lock.title.as_str()),
        (40_000, "main waits for a lock held by \"db-writer\" in ShopDb.flush")
    );
    assert_eq!(
        picture.lanes[1].states,
        [(-2_400, 2_400, LaneState::Sleeping)]
            .into_iter()
            .skip(1)
            .chain([(0, 40_000, LaneState::Disk), (40_000, 6_000, LaneState::Running)])
            .collect::<Vec<_>>()
    );
    let names: Vec<&str> = picture.lanes[0].slices.iter().map(|one| picture.names[one.3].as_str()).collect();
    assert!(
        names.iter().any(|name| name.starts_with("monitor contention with owner db-writer")),
        "{names:?}"
    );
    assert!(names.contains(&"Choreographer#doFrame 10"), "{names:?}");
}

#[test]
fn a_picture_says_when_its_frame_was_promised_due_and_shown() {
    let found = locked().finish();
    let picture = picture(&found);
    assert_eq!((picture.process, picture.token, picture.origin.ns()), (APP, Some(10), LATE));
    // Eleven milliseconds of work were promised; forty more had it shown at sixty instead of twenty.
    assert_eq!((picture.deadline, picture.due, picture.end), (Some(11_001), Some(20_000), 60_000));
    assert_eq!((picture.period_ns, picture.drawn), (10 * MS, (-2_400, 62_400)));
}

#[test]
fn who_the_owner_of_a_lock_waits_for_has_a_lane_too() {
    let mut world = locked();
    world.late(does(WRITER, 4, 46, State::Sleeping), same);
    let (client, server) = (world.thread(WRITER), world.thread(SYSTEM));
    let served = Some((server, LATE + 6 * MS, Some(LATE + 44 * MS)));
    let (from, to) = (LATE + 4 * MS, Some(LATE + 46 * MS));
    world.inquiry.take(&Fact::Call(Call { client, from, to, served }));
    world.late(does(SYSTEM, 6, 44, State::Blocked), |one| Segment { io: Some(true), ..one });
    let found = world.finish();
    let picture = picture(&found);
    assert_eq!(
        lanes(picture)[..3],
        [
            (Role::Main, "main", ""),
            (Role::WaitedFor, "db-writer", ""),
            (Role::WaitedFor, "main", "system_server")
        ]
    );
    let meanwhile = held(picture, true);
    assert!(meanwhile.contains(&(1, 5, 45, "binder.system_server", Some(2))), "{meanwhile:?}");
    assert!(meanwhile.iter().any(|one| (one.0, one.3) == (2, "io.disk")), "{meanwhile:?}");
}

#[test]
fn a_wait_that_goes_on_in_the_render_thread_is_drawn_there() {
    let mut world = World::new();
    world.late(does(APP, 5, 44, State::Sleeping), same);
    let waker = world.thread(RENDER);
    world.late(does(APP, 44, 45, State::Runnable), |one| Segment { waker: Some(waker), ..one });
    world.late_slice(APP, 5, 45, "postAndWait");
    world.late(does(RENDER, 5, 45, State::Running), same);
    world.slice(RENDER, LATE + 6 * MS, LATE + 44 * MS, 0, "Texture upload(3) 2048x2048");
    let found = world.finish();
    let picture = picture(&found);
    assert_eq!(lanes(picture)[1], (Role::WaitedFor, "RenderThread", ""));
    assert!(held(picture, false).contains(&(1, 6, 44, "gpu.upload", None)), "{:?}", held(picture, false));
}

#[test]
fn of_a_frame_near_which_events_were_lost_there_is_no_picture() {
    let mut world = locked();
    world.inquiry.take(&Fact::Lost { cpu: 0, from: LATE, to: LATE + MS });
    assert_eq!(world.finish().pictures, Vec::new());
}

#[test]
fn a_stall_has_its_picture_from_its_beginning_to_its_end() {
    let (from, to) = (LATE + 200 * MS, LATE + 300 * MS);
    let stall = Stall { process: APP, from, to, message: true, touch: None };
    let mut world = World::of(&|frame| frame, vec![stall]);
    world.late(does(APP, 5, 45, State::Running), same);
    world.state(APP, from, to, State::Blocked, |one| Segment { io: Some(true), ..one });
    let found = world.finish();
    let lanes = FrameLanes { pictures: found.pictures };
    let picture = lanes.of_stall(APP, farmjank_results::time::BootTime::from_ns(from)).expect("its picture");
    assert_eq!((picture.token, picture.deadline, picture.due, picture.end), (None, None, None, 100_000));
    assert_eq!(held(picture, false), [(0, 0, 100, "io.disk", None)]);
    assert_eq!(picture.causes[0].us, 100_000);
    assert!(lanes.of_frame(APP, 10).is_some(), "beside that of the frame");
}

#[test]
fn pictures_are_of_what_cost_most_and_stay_small_whatever_the_threads_do() {
    let mut threads = Threads::default();
    let main = threads.in_process(APP, APP);
    let mut frames: Vec<farmjank_causes::frame::Frame> = Vec::new();
    for token in 0..30 {
        let from = token * 200 * MS;
        frames.push(farmjank_causes::frame::Frame {
            process: APP,
            token,
            layer: String::new(),
            from,
            done: from + 80 * MS,
            deadline: Some(from + 10 * MS),
            to: from + 90 * MS,
            shown_by: None,
            // The even ones cost more, the later the more.
            hitch: if token % 2 == 0 { (20 + token) * MS } else { MS },
            period: 10 * MS,
            blamed: farmjank_causes::frame::Blamed { app: true, ..Default::default() },
        });
    }
    let stalls = (0..9).map(|nth| {
        let from = 10_000 * MS + nth * 500 * MS;
        Stall { process: APP, from, to: from + (80 + nth) * MS, message: false, touch: None }
    });
    let stalls: Vec<Stall> = stalls.collect();
    let ends: Vec<(i64, i64)> = frames
        .iter()
        .map(|one| (one.from, one.to))
        .chain(stalls.iter().map(|one| (one.from, one.to)))
        .collect();
    let mut inquiry = Inquiry::of(frames, stalls);
    for (from, to) in ends {
        // A thread that changes its mind each twenty microseconds, inside slices with as many names.
        let (mut at, mut nth) = (from, 0);
        while at < to {
            let (state, end) = (if nth % 2 == 0 { State::Running } else { State::Sleeping }, at + 20_000);
            let (cpu, waker, interrupt, io) = (Some(0).filter(|_| nth % 2 == 0), None, false, None);
            let one = Segment { thread: main, from: at, to: Some(end), state, cpu, waker, interrupt, io };
            inquiry.take(&Fact::State(one));
            let name = format!("a slice of number {at} whose name is {}", "long ".repeat(60));
            inquiry.take(&Fact::Slice {
                thread: main,
                from: at,
                to: Some(end),
                depth: 0,
                name: name.as_bytes(),
            });
            (at, nth) = (end, nth + 1);
        }
    }
    let found = inquiry.finish(&threads, None);
    let tokens: Vec<Option<i64>> = found.pictures.iter().map(|one| one.token).collect();
    let costly = (0..12).map(|nth| Some(28 - 2 * nth));
    assert_eq!(
        tokens,
        costly.chain([None; 4]).collect::<Vec<_>>(),
        "late by most first, then the longest stalls"
    );
    let lengths: Vec<i64> = found.pictures[12..].iter().map(|one| one.end / 1_000).collect();
    assert_eq!(lengths, [88, 87, 86, 85]);
    picture(&found);
    let bytes = FrameLanes { pictures: found.pictures }.encode().len();
    assert!(bytes < 16 * 40_000, "{bytes}");
}
