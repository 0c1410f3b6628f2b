//! Pictures of late frames, from traces of the lab's phones: the wait that was planted lies in them where it was, and
//! its owner stands beside it.

use super::planted::{APP, ahead, alone, charged, phone, record};
use farmjank_lab::spec::{CauseSpec, Hold, Meanwhile};
use farmjank_lab::truth::TruthFrame;
use farmjank_results::frame_lanes::{FrameLanes, Held, LaneState, Picture, Role};

/// A state or a wait of the trace begins so much beside what was planted, µs: threads change in steps.
const NEAR: i64 = 1_000;

/// Stretches of a kind in which main waits for a lane of this name.
fn waits<'p>(picture: &'p Picture, kind: &str, owner: &str) -> Vec<&'p Held> {
    let of = |one: &&Held| {
        let peer = one.waits_for.and_then(|peer| picture.lanes.get(peer));
        picture.causes[one.cause].kind == kind
            && !one.meanwhile
            && picture.lanes[one.lane].role == Role::Main
            && peer.is_some_and(|peer| peer.name == owner && peer.role == Role::WaitedFor)
    };
    picture.way.iter().filter(of).collect()
}

#[test]
fn a_planted_lock_is_drawn_where_it_was_with_its_owner_beside() {
    let lock = CauseSpec { meanwhile: Meanwhile::Disk, ..alone(Hold::Lock) };
    let recorded = record(&phone("pixel-8", &[lock], |_| {}), 5, 6, &super::planted::config());
    let (found, _) = charged(&recorded.trace);
    let (truth, ahead) = (recorded.phone.truth(), ahead(&recorded.trace));
    let layers = truth.layers.iter().filter(|layer| layer.package == APP);
    let frames: Vec<&TruthFrame> = layers.flat_map(|layer| layer.frames.iter()).collect();
    let mut seen = 0;
    for picture in &found.pictures {
        let frame = frames.iter().find(|frame| frame.token == picture.token).expect("a frame of the app");
        let us = |ns: i64| (ns + ahead - picture.origin.ns()) / 1_000;
        // It was shown when the truth says.
        let shown = frame.present;
        assert!((us(shown) - picture.end).abs() <= NEAR, "{} {}", us(shown), picture.end);
        let Some(held) = frame.work.held.iter().flatten().find(|held| held.by == Hold::Lock) else {
            continue;
        };
        let drawn = waits(picture, "lock.monitor", "db-writer");
        let planted = (us(held.from), us(held.to));
        let beside = |wait: &Held| (wait.from - planted.0).abs().max((wait.to - planted.1).abs());
        // Main may have waited in the frame before, too, when this one should have begun.
        let wait = drawn.iter().find(|wait| beside(wait) <= NEAR);
        let Some(wait) = wait else { panic!("planted {planted:?}, drawn {drawn:?}") };
        let owner = &picture.lanes[wait.waits_for.expect("its owner")];
        let within = |state: LaneState| {
            let own = owner.states.iter().filter(|(_, _, one)| *one == state);
            own.map(|(from, length, _)| ((from + length).min(wait.to) - (*from).max(wait.from)).max(0))
                .sum::<i64>()
        };
        assert!(
            10 * within(LaneState::Disk) >= 9 * (wait.to - wait.from),
            "it waits for the disk: {owner:?}"
        );
        assert!(picture.causes[wait.cause].us > 0, "and is charged");
        seen += 1;
    }
    assert!(seen >= 5, "{seen} of {}", found.pictures.len());
    let lanes = FrameLanes { pictures: found.pictures };
    assert_eq!(FrameLanes::decode(&lanes.encode()), lanes);
}

#[test]
fn the_lanes_of_a_frame_are_those_of_its_way() {
    let upload = alone(Hold::Upload);
    let recorded = record(&phone("pixel-8", &[upload], |_| {}), 6, 6, &super::planted::config());
    let (found, _) = charged(&recorded.trace);
    let roles = |one: &Picture| one.lanes.iter().map(|lane| lane.role).collect::<Vec<_>>();
    let way = [Role::Main, Role::Render, Role::Gpu, Role::Compositor];
    let whole = found.pictures.iter().filter(|one| roles(one) == way);
    assert!(
        2 * whole.count() > found.pictures.len(),
        "{:?}",
        found.pictures.iter().map(roles).collect::<Vec<_>>()
    );
    // What the picture says is charged is what the answer charges.
    for picture in &found.pictures {
        let late = found.late.iter().find(|late| Some(late.frame.token) == picture.token).expect("its frame");
        let (charges, _) = late.charges.as_ref().expect("what it is charged to");
        let drawn: i64 = picture.causes.iter().map(|cause| cause.us).sum();
        assert!(drawn <= late.frame.hitch / 1_000 && drawn >= 0);
        for cause in picture.causes.iter().filter(|cause| cause.us > 0) {
            let same =
                charges.charged.iter().any(|one| one.us == cause.us && one.cause.sentence() == cause.title);
            assert!(same || cause.kind == "unexplained", "{cause:?}");
        }
    }
}
