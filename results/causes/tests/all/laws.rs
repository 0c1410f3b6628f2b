//! Whatever threads did: what is charged and what is unexplained are the frame's lateness, to the microsecond.

use super::world::*;
use farmjank_causes::fact::{Fact, Segment, State};
use farmjank_causes::frame::{Blamed, Frame};
use proptest::prelude::*;

const STATES: [State; 5] =
    [State::Running, State::Runnable, State::Preempted, State::Sleeping, State::Blocked];
const NAMES: [&str; 8] = [
    "inflate",
    "binder transaction",
    "monitor contention with owner db-writer (19) at void com.shop.ShopDb.flush()(ShopDb.java:88)",
    "GC: Wait For Completion Alloc",
    "postAndWait",
    "bind",
    "DrawFrames 10",
    "commit 1010",
];

proptest! {
    #[test]
    fn causes_and_what_is_unexplained_are_the_hitch(
        states in prop::collection::vec((0_usize..5, 0_usize..6, 0_i64..60_000, 1_i64..40_000, 0_usize..8), 0..60),
        slices in prop::collection::vec((0_usize..6, 0_i64..60_000, 1_i64..40_000, 0_usize..8, 0_usize..4), 0..20),
        hitch in 1_i64..90_000_000,
        done in -5_i64..80,
        blamed in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
    ) {
        let (app, compositor, display, stuffed) = blamed;
        let blamed = Blamed { app, compositor, composing_gpu: compositor && display, display, stuffed };
        let mut world = World::with(&|frame| Frame { hitch, done: LATE + done * MS, blamed, ..frame });
        let tids = [APP, RENDER, WRITER, COLLECTOR, SYSTEM, SURFACEFLINGER];
        for (state, tid, from, length, waker) in states {
            let waker = tids.get(waker).map(|tid| world.thread(*tid));
            let from = LATE + from * 1_000;
            let state = STATES[state];
            world.state(tids[tid], from, from + length * 1_000, state, |one| Segment { waker, ..one });
        }
        for (tid, from, length, name, depth) in slices {
            let from = LATE + from * 1_000;
            world.slice(tids[tid], from, from + length * 1_000, depth, NAMES[name]);
        }
        world.inquiry.take(&Fact::Frequency { cpu: 3, at: LATE, khz: 700_000 });
        let found = world.finish();
        let (charges, _) = found.late[0].charges.as_ref().expect("nothing was lost");
        let charged: i64 = charges.charged.iter().map(|one| one.us).sum();
        prop_assert_eq!(charged + charges.unexplained_us, hitch / 1_000);
        prop_assert!(charges.charged.iter().all(|one| one.us > 0) && charges.unexplained_us >= 0);
        let why: i64 = charges.why.iter().map(|(_, us)| us).sum();
        prop_assert_eq!(why, charges.unexplained_us);
        prop_assert_eq!(found.explained_us + found.unexplained_us + found.unknown_us, found.hitch_us);
        let totals: i64 = found.totals.iter().map(|total| total.us).sum();
        prop_assert_eq!(totals, found.explained_us);
    }
}

#[test]
fn a_frame_made_to_be_followed_for_ever_is_followed_no_further_than_it_pays() {
    let mut world = World::new();
    // Forty thousand waits of main for a thread that has done as much itself, each within its own slice.
    let (step, many) = (1_000, 40_000);
    let waker = Some(world.thread(WRITER));
    for nth in 0..many {
        let from = LATE + 5 * MS + nth * step;
        world.state(APP, from, from + step - 10, State::Sleeping, |one| one);
        world.state(APP, from + step - 10, from + step, State::Runnable, |one| Segment { waker, ..one });
        world.slice(APP, from, from + step, 1, "one of many");
        world.slice(WRITER, from, from + step, 1, "one of many");
        world.state(WRITER, from, from + step, State::Running, |one| one);
    }
    world.slice(WRITER, LATE, LATE + 60 * MS, 0, "all of them");
    let found = world.finish();
    let (charges, _) = found.late[0].charges.as_ref().expect("nothing was lost");
    let charged: i64 = charges.charged.iter().map(|one| one.us).sum();
    assert_eq!(charged + charges.unexplained_us, 40_000);
    // Whom it waited for is known of every wait; what that one did, of the first few hundred.
    assert_eq!(told(&found)[0].0, "wait.thread");
}
