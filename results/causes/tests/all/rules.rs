//! Each rule by a frame it is made for: forty milliseconds of one thing in an otherwise usual frame.

use super::world::*;
use farmjank_causes::fact::{Call, Fact, Segment, State};
use farmjank_causes::frame::{Blamed, Frame};
use farmjank_causes::inquiry::Confidence;
use farmjank_causes::kind::Why;

/// The one cause of a world, with all of the hitch.
fn only(world: World) -> (String, String, String) {
    let found = world.finish();
    let mut told = told(&found);
    assert_eq!((told.len(), found.unexplained_us, found.late.len()), (1, 0, 1), "{told:#?} {:?}", found.why);
    let (word, us, sentence, detail) = told.remove(0);
    assert_eq!(us, 40_000);
    (word, sentence, detail)
}

pub fn same(one: Segment) -> Segment {
    one
}

/// A main thread that waits from five to forty-five milliseconds, and is woken then by this thread.
pub fn waits(world: &mut World, state: State, waker: Option<i32>) {
    let end = LATE + 45 * MS;
    world.late(does(APP, 5, 45, state), |one| Segment { to: Some(end - 1), ..one });
    let waker = waker.map(|tid| world.thread(tid));
    let interrupt = waker.is_none();
    world.state(APP, end - 1, end, State::Runnable, |one| Segment { waker, interrupt, ..one });
}

const HELD: &str = "monitor contention with owner db-writer (19) at void com.shop.ShopDb.flush()(ShopDb.java:88) \
                    waiters=0 blocking from int com.shop.ShopDb.read()(ShopDb.java:31)";

#[test]
fn a_lock_is_named_with_its_owner_where_it_is_held_and_what_the_owner_did() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, HELD);
    world.slice(
        APP,
        LATE + 5 * MS + 10,
        LATE + 45 * MS - 10,
        6,
        "Lock contention on a monitor lock (owner tid: 9)",
    );
    world.late(does(WRITER, 0, 40, State::Blocked), |one| Segment { io: Some(true), ..one });
    world.late(does(WRITER, 40, 45, State::Running), same);
    let (word, sentence, detail) = only(world);
    assert_eq!(word, "lock.monitor");
    assert_eq!(sentence, "main waits for a lock held by \"db-writer\" in ShopDb.flush");
    assert_eq!(detail, "wanted in ShopDb.read; meanwhile db-writer waits for the disk");
}

#[test]
fn locks_inside_art_and_of_native_code_are_told_apart() {
    for (name, word) in [
        ("Lock contention on InternTable lock (owner tid: 9)", "lock.art"),
        ("Contending for pthread mutex owned by tid: 9", "lock.mutex"),
    ] {
        let mut world = World::new();
        waits(&mut world, State::Sleeping, Some(WRITER));
        world.late_slice(APP, 5, 45, name);
        assert_eq!(only(world).0, word);
    }
}

#[test]
fn a_call_is_put_down_to_the_process_that_answers_and_to_what_holds_that_up() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(SYSTEM));
    world.late_slice(APP, 5, 45, "relayoutWindow");
    world.slice(APP, LATE + 5 * MS, LATE + 45 * MS, 6, "binder transaction");
    let (client, server) = (world.thread(APP), world.thread(SYSTEM));
    let served = Some((server, LATE + 6 * MS, Some(LATE + 44 * MS)));
    let call = Call { client, from: LATE + 5 * MS, to: Some(LATE + 45 * MS), served };
    world.inquiry.take(&Fact::Call(call));
    world.late(does(SYSTEM, 4, 46, State::Sleeping), same);
    world.late_slice(
        SYSTEM,
        6,
        44,
        "monitor contention with owner android.bg (22) at void a.Wm.layout()(Wm.java:1)",
    );
    let (word, sentence, detail) = only(world);
    assert_eq!(word, "binder.system_server");
    assert_eq!(sentence, "main waits for an answer of system_server");
    assert_eq!(
        detail,
        "asked in relayoutWindow; meanwhile main waits for a lock held by \"android.bg\" in Wm.layout"
    );
}

#[test]
fn the_garbage_collector_is_named_when_it_wakes_or_is_waited_for_by_name() {
    let mut named = World::new();
    waits(&mut named, State::Sleeping, None);
    named.late_slice(APP, 5, 45, "GC: Wait For Completion Alloc");
    assert_eq!(only(named).0, "gc.wait");
    let mut woken = World::new();
    waits(&mut woken, State::Sleeping, Some(COLLECTOR));
    assert_eq!(only(woken).0, "gc.wait");
    let mut itself = World::new();
    itself.late(does(APP, 5, 45, State::Running), same);
    itself.late_slice(APP, 5, 45, "young concurrent copying GC");
    assert_eq!(only(itself).0, "gc.self");
}

#[test]
fn a_blocked_thread_waits_for_a_disk_only_where_the_kernel_says_so() {
    let mut disk = World::new();
    disk.late(does(APP, 5, 45, State::Blocked), |one| Segment { io: Some(true), ..one });
    assert_eq!(only(disk).0, "io.disk");
    let mut kernel = World::new();
    kernel.late(does(APP, 5, 45, State::Blocked), |one| Segment { io: Some(false), ..one });
    assert_eq!(only(kernel).0, "kernel.sleep");
}

#[test]
fn a_thread_without_a_cpu_names_who_ran_where_it_ran_next() {
    let mut world = World::new();
    world.late(does(APP, 5, 45, State::Preempted), same);
    // Main goes on on CPU 3: 7 % 4.
    world.late(does(SYSTEM, 5, 45, State::Running), |one| Segment { cpu: Some(3), ..one });
    world.late(does(SURFACEFLINGER, 5, 45, State::Running), |one| Segment { cpu: Some(2), ..one });
    let (word, sentence, _) = only(world);
    assert_eq!(word, "cpu.starved");
    assert_eq!(sentence, "main is ready and has no CPU: system_server runs there");
    let mut own = World::new();
    own.late(does(APP, 5, 45, State::Runnable), same);
    own.late(does(WRITER, 5, 45, State::Running), |one| Segment { cpu: Some(3), ..one });
    assert_eq!(only(own).1, "main is ready and has no CPU: the app's own db-writer runs there");
}

#[test]
fn work_is_called_what_the_platform_calls_it_and_else_what_the_app_does() {
    for (name, word, sentence) in [
        ("inflate", "ui.inflate", "main inflates layouts"),
        ("layout", "ui.layout", "main measures and lays out"),
        ("ImageDecoder#decodeBitmap", "bitmap.decode", "main decodes pictures (ImageDecoder#decodeBitmap)"),
        (
            "VerifyClass com.shop.Feed",
            "art.class",
            "main loads classes or resources (VerifyClass com.shop.Feed)",
        ),
        ("Recomposer:recompose", "ui.compose", "main composes (Recomposer:recompose)"),
        ("bind card 1234", "app.code", "main runs \"bind card #\""),
    ] {
        let mut world = World::new();
        world.late(does(APP, 5, 45, State::Running), same);
        world.late_slice(APP, 5, 45, name);
        let told = only(world);
        assert_eq!((told.0.as_str(), told.1.as_str()), (word, sentence));
    }
}

#[test]
fn another_thread_of_the_app_is_named_with_what_it_did() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, "load prices");
    world.late(does(WRITER, 0, 50, State::Running), same);
    world.late_slice(WRITER, 0, 50, "decodeBitmap");
    let (word, sentence, detail) = only(world);
    assert_eq!((word.as_str(), sentence.as_str()), ("wait.thread", "main waits for thread \"db-writer\""));
    assert_eq!(detail, "meanwhile db-writer decodes pictures (decodeBitmap)");
}

#[test]
fn where_main_hands_on_to_the_renderthread_that_one_is_looked_at() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(RENDER));
    world.late_slice(APP, 5, 45, "postAndWait");
    world.late(does(RENDER, 0, 50, State::Running), same);
    world.late_slice(RENDER, 0, 50, "shader_compile");
    assert_eq!(only(world).1, "RenderThread compiles shaders (shader_compile)");
}

#[test]
fn what_held_a_dropped_frame_up_is_charged_to_the_frame_that_replaced_it() {
    // Frame 9 is drawn so long that both buffers are there at once, and only the newer one is shown.
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(RENDER));
    world.late_slice(APP, 5, 45, "postAndWait");
    world.late(does(RENDER, -30, 50, State::Running), same);
    world.slice(RENDER, LATE - 30 * MS, LATE + 45 * MS, 0, "DrawFrames 9");
    world.slice(RENDER, LATE - 25 * MS, LATE + 44 * MS, 1, "Upload 1024x1024 Texture");
    world.slice(RENDER, LATE + 45 * MS, LATE + 50 * MS, 0, "DrawFrames 10");
    let found = world.finish();
    let (word, us, sentence, _) = told(&found).remove(0);
    assert_eq!(
        (&*word, &*sentence),
        ("gpu.upload", "RenderThread moves pictures to the GPU (Upload #x# Texture)")
    );
    // The rest is what the RenderThread did for the frame itself.
    assert!(us > 30_000 && found.late.len() == 1, "{us}");
}

#[test]
fn memory_freed_by_the_thread_itself_comes_before_all_else() {
    let mut world = World::new();
    world.late(does(APP, 5, 45, State::Blocked), |one| Segment { io: Some(true), ..one });
    let thread = world.thread(APP);
    world.inquiry.take(&Fact::Reclaim { thread, from: LATE + 5 * MS, to: LATE + 45 * MS });
    assert_eq!(only(world).0, "memory.reclaim");
}

#[test]
fn a_slow_clock_is_charged_what_it_added_and_called_throttled_where_less_was_allowed() {
    for (limit, word) in [(2_000_000, "cpu.slow"), (500_000, "cpu.throttled")] {
        let mut world = World::new();
        world.inquiry.take(&Fact::Frequency { cpu: 3, at: 0, khz: 2_000_000 });
        world.inquiry.take(&Fact::Limit { cpu: 3, at: 0, khz: 2_000_000 });
        world.inquiry.take(&Fact::Limit { cpu: 3, at: LATE - MS, khz: limit });
        world.inquiry.take(&Fact::Frequency { cpu: 3, at: LATE, khz: 500_000 });
        world.late(does(APP, 5, 45, State::Running), same);
        let found = world.finish();
        let told: Vec<(String, i64)> = told(&found).into_iter().map(|(word, us, ..)| (word, us)).collect();
        // 51 ms at a quarter of the rate: 12.75 ms of work, which is beyond the usual eleven, and 38.25 ms of slowness.
        assert_eq!(told[0].0, word);
        assert!((38_000..38_400).contains(&told[0].1) && told[0].1 + told[1].1 == 40_000, "{told:?}");
    }
}

#[test]
fn a_wait_nothing_tells_of_is_unexplained_and_never_spread_over_the_rest() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, None);
    let found = world.finish();
    assert_eq!((found.totals.len(), found.unexplained_us), (0, 40_000), "{:?}", told(&found));
    assert_eq!(found.why, [(Why::Waiting, 40_000)]);
}

#[test]
fn what_is_as_long_in_frames_in_time_is_no_cause() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, HELD);
    for token in 0..10 {
        world.slice(APP, token * 100 * MS + 2 * MS, token * 100 * MS + 8 * MS, 1, "inflate");
    }
    world.late_slice(APP, 45, 51, "inflate");
    assert_eq!(only(world).0, "lock.monitor");
}

#[test]
fn a_missed_deadline_is_charged_the_whole_refresh_it_cost() {
    // Two milliseconds too late, shown a refresh of forty later.
    let mut world = World::with(&|frame| Frame { done: LATE + 13 * MS, ..frame });
    world.late(does(APP, 5, 7, State::Running), same);
    world.late(does(APP, 7, 45, State::Running), same);
    world.late_slice(APP, 3, 7, "inflate");
    let (word, _, _) = only_of(world, "ui.inflate");
    assert_eq!(word, "ui.inflate");
}

/// The cause of this word with most of the hitch.
fn only_of(world: World, word: &str) -> (String, i64, i64) {
    let found = world.finish();
    let told = told(&found);
    let all: i64 = told.iter().map(|(_, us, ..)| us).sum();
    assert_eq!(all + found.unexplained_us, 40_000);
    let one = told.into_iter().find(|(one, ..)| one == word).expect("the cause");
    (one.0, one.1, found.unexplained_us)
}

#[test]
fn the_compositor_is_looked_at_where_the_platform_blames_it() {
    let blamed = Blamed { compositor: true, ..Blamed::default() };
    let mut world = World::with(&|frame| Frame { done: LATE + 10 * MS, to: LATE + 60 * MS, blamed, ..frame });
    world.late_slice(SURFACEFLINGER, 12, 50, "commit 1010 vsyncIn 16.0ms");
    world.late_slice(SURFACEFLINGER, 50, 55, "composite 1010");
    world.late(does(SURFACEFLINGER, 12, 55, State::Preempted), same);
    world.late(does(SYSTEM, 12, 55, State::Running), same);
    let (word, sentence, _) = only(world);
    assert_eq!(word, "sf.cpu.starved");
    assert_eq!(sentence, "main is ready and has no CPU: system_server runs there");
}

#[test]
fn a_full_queue_is_latency_left_behind_by_an_earlier_frame() {
    let blamed = Blamed { stuffed: true, ..Blamed::default() };
    assert_eq!(only(World::with(&|frame| Frame { blamed, ..frame })).0, "queue.stuffed");
}

#[test]
fn lost_events_near_a_frame_leave_nothing_to_be_said() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, HELD);
    world.inquiry.take(&Fact::Lost { cpu: 1, from: LATE - 50 * MS, to: LATE - 40 * MS });
    let found = world.finish();
    assert_eq!((found.unknown_us, found.explained_us, found.unexplained_us), (40_000, 0, 0));
    assert_eq!(found.late[0].charges, Err("events were lost around it".to_owned()));
}

#[test]
fn confidence_is_in_words_and_falls_with_what_is_not_known() {
    let mut sure = World::new();
    waits(&mut sure, State::Sleeping, Some(WRITER));
    sure.late_slice(APP, 5, 45, HELD);
    let confidence = |world: World| world.finish().late.remove(0).charges.expect("charges").1;
    assert_eq!(confidence(sure), Confidence::Sure);
    let mut weak = World::new();
    waits(&mut weak, State::Sleeping, None);
    assert_eq!(confidence(weak), Confidence::Weak);
}

#[test]
fn memory_is_freed_from_where_that_begins_until_it_ends_wherever_states_do() {
    let mut world = World::new();
    let thread = world.thread(APP);
    world.late(does(APP, 5, 45, State::Running), same);
    world.inquiry.take(&Fact::Reclaim { thread, from: LATE + 15 * MS, to: LATE + 35 * MS });
    let found = world.finish();
    let word =
        |word: &str| told(&found).into_iter().find(|(one, ..)| one == word).map_or(0, |(_, us, ..)| us);
    assert_eq!((word("memory.reclaim"), word("app.code")), (20_000, 20_000));
}

#[test]
fn a_section_inside_a_phase_of_every_frame_says_more_than_the_phase() {
    let mut world = World::new();
    world.late(does(APP, 5, 45, State::Running), same);
    world.slice(APP, LATE + 5 * MS, LATE + 45 * MS, 4, "animation");
    world.late_slice(APP, 5, 45, "loadFeed");
    assert_eq!(only(world).1, "main runs \"loadFeed\"");
    let mut inflating = World::new();
    inflating.late(does(APP, 5, 45, State::Running), same);
    inflating.slice(APP, LATE + 5 * MS, LATE + 45 * MS, 4, "inflate");
    inflating.late_slice(APP, 5, 45, "loadFeed");
    assert_eq!(only(inflating).0, "ui.inflate");
}

#[test]
fn a_wait_for_a_buffer_is_what_holds_up_whoever_hands_it_over() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, "dequeueBuffer - VRI[Main]#0");
    world.late(does(WRITER, 0, 45, State::Blocked), |one| Segment { io: Some(true), ..one });
    assert_eq!(only(world).1, "db-writer waits for the disk");
}

#[test]
fn a_wait_for_a_buffer_is_the_queue_where_nothing_else_is_known() {
    let mut world = World::new();
    waits(&mut world, State::Sleeping, Some(WRITER));
    world.late_slice(APP, 5, 45, "dequeueBuffer - VRI[Main]#0");
    assert_eq!(only(world).0, "queue.stuffed");
}

#[test]
fn a_state_whose_end_was_not_told_says_nothing_of_what_came_before_the_next() {
    let mut world = World::new();
    world.late(does(APP, 5, 45, State::Runnable), |one| Segment { to: None, ..one });
    let found = world.finish();
    assert_eq!((found.explained_us, found.why[0].0), (0, Why::NoScheduler));
}

#[test]
fn a_late_composition_on_the_gpu_is_the_platforms_word() {
    let blamed = Blamed { compositor: true, composing_gpu: true, ..Blamed::default() };
    let world = World::with(&|frame| Frame { done: LATE + 10 * MS, to: LATE + 60 * MS, blamed, ..frame });
    let (word, sentence, _) = only(world);
    assert_eq!((word.as_str(), sentence.as_str()), ("sf.gpu.busy", "the GPU is not done composing"));
}
