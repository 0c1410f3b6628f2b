//! What goes on whether frames are late or not: innocent waits on a frame's way, work and waits off it, others on the
//! phone.
//!
//! Without it any rule would find every cause.

use super::super::capture::Capture;
use super::cast::of_app;
use super::holds::{FULL, Who, hold};
use super::play::{Left, Play, Rate, Run, WAKING};
use crate::spec::{Hold, Meanwhile};
use crate::truth::held::TruthWork;

const MS: i64 = 1_000_000;
/// Chance that something innocent is at one of the places of a frame.
const OFTEN: f64 = 0.4;
/// Chance that something goes on beside a frame.
const BESIDE: f64 = 0.2;
/// Where a frame's own work is interrupted: from, until, in thousandths of it.
const PLACES: [(i64, i64); 3] = [(270, 400), (620, 780), (830, 960)];
/// What is innocent where it is short.
const INNOCENT: [Hold; 9] = [
    Hold::Lock,
    Hold::Binder,
    Hold::Gc,
    Hold::Disk,
    Hold::ArtLock,
    Hold::Thread,
    Hold::Starved,
    Hold::Class,
    Hold::Code,
];
/// Others run so often, ns.
const OTHERS: i64 = 3 * MS;

/// Short holds of main in a frame, none where something is planted.
pub fn innocent(play: &Play, work: &TruthWork, planted: &[(i64, i64)]) -> Vec<(Hold, (i64, i64))> {
    let on_main = planted.iter().filter(|(from, _)| *from >= work.start).map(|(from, to)| to - from);
    let bare = work.sync_queued - work.start - on_main.sum::<i64>();
    let mut found = Vec::new();
    for (nth, (from, to)) in (0..).zip(PLACES) {
        let draw = play.draw(work.start + nth);
        // What is planted before it moves it.
        let shifted = |share: i64| {
            planted.iter().fold(work.start + bare * share / 1_000, |at, (from, to)| {
                if *from >= work.start && *from <= at { at + to - from } else { at }
            })
        };
        let span = (shifted(from), shifted(to));
        if draw.unit() < OFTEN && span.1 - span.0 <= bare * (to - from) / 1_000 + 1 {
            let by = INNOCENT[draw.next(1).whole(0, INNOCENT.len() as i64 - 1) as usize];
            found.push((by, span));
        }
    }
    found
}

/// What else runs: the phone's own threads, and threads of apps that no frame waits for.
pub fn others(capture: &Capture<'_>, play: &mut Play) {
    rates(capture, play);
    let mut at = capture.began;
    while at < capture.ended {
        let draw = play.draw(!at);
        let (tid, lasts) = (2 + 2 * draw.whole(0, 40) as u32, draw.next(1).whole(30_000, 150_000));
        if play.takes(tid, at, at + lasts) {
            let cpu = Some(draw.next(3).whole(0, i64::from(capture.cores) - 1) as usize);
            let woken = Some((at - WAKING, None));
            play.others.push(Run { tid, from: at, to: at + lasts, left: Left::Sleeps, woken, cpu });
        }
        at += draw.next(2).whole(OTHERS / 4, OTHERS * 7 / 4);
    }
    for layer in capture.truth.layers.iter().filter(|layer| layer.pid != 0) {
        for frame in layer.frames.iter().filter(|frame| frame.ready >= capture.began) {
            let draw = play.draw(frame.intended + 17);
            if frame.token.is_some() && draw.unit() < BESIDE {
                beside(play, layer.pid, frame.intended, draw.next(3).whole(2 * MS, 30 * MS), draw.next(4).0);
            }
        }
    }
}

/// Something goes on in the app that its frames do not wait for.
fn beside(play: &mut Play, pid: u32, at: i64, lasts: i64, which: u64) {
    let (tid, by) = match which % 5 {
        0 => (pid + of_app::COLLECTOR, Hold::GcItself),
        1 => (pid + of_app::JIT, Hold::Jit),
        2 => (pid + of_app::POOL, Hold::Binder),
        3 => (pid + of_app::LOADER, Hold::Disk),
        _ => (pid + of_app::LOADER, Hold::Lock),
    };
    if !play.takes(tid, at, at + lasts) {
        return;
    }
    let who = Who { tid, pid, cpu: None, beside: true };
    let gaps = hold(play, who, by, Meanwhile::Runs, (at + 20_000, at + lasts - 20_000));
    play.busy((tid, None), (at, at + lasts), Some(None), &gaps);
}

/// The rates every CPU had when tracing began, and the highest it is allowed.
fn rates(capture: &Capture<'_>, play: &mut Play) {
    for cpu in 0..capture.cores.max(4) as usize {
        let khz = if cpu + 4 >= capture.cores as usize { FULL } else { FULL * 3 / 4 };
        for limit in [true, false] {
            play.rates.push(Rate { at: capture.began + 1_000, cpu, khz, limit });
        }
    }
}
