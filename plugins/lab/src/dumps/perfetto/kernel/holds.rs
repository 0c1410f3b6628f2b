//! How a thread that is held up looks to the kernel: what it marks, when it leaves its CPU, who else does what.
//!
//! Must not know frames.

use super::calls::Doing;
use super::cast::{self, Tid, of_app};
use super::play::{Gap, Left, Play, Rate, WAKING, What};
use crate::spec::{Hold, Meanwhile};
use crate::truth::held::TruthHeld;

const MS: i64 = 1_000_000;
/// A thread marks what it waits for so long before it leaves its CPU, ns.
const EDGE: i64 = 5_000;
/// Shorter holds are not seen, ns.
const SHORTEST: i64 = 100_000;
/// Clock rate of the large CPUs, kHz.
pub const FULL: u32 = 2_400_000;

/// Whose thread is held up.
#[derive(Clone, Copy, Debug)]
pub struct Who {
    /// Thread.
    pub tid: Tid,
    /// Process.
    pub pid: u32,
    /// Its CPU.
    pub cpu: Option<usize>,
    /// Waits of main and of others are for different threads of a service, so that both can be at once.
    pub beside: bool,
}

/// Work that is marked: the slice's name.
fn section(hold: Hold) -> Option<&'static str> {
    Some(match hold {
        Hold::GcItself => "Alloc concurrent copying GC",
        Hold::Inflate => "inflate",
        Hold::Layout => "measure",
        Hold::Draw => "Record View#draw()",
        Hold::Input => "deliverInputEvent src=0x1002 eventTimeNano=4400",
        Hold::Animation => "animation",
        Hold::Compose => "Recomposer:recompose",
        Hold::Decode => "decodeBitmap",
        Hold::Class => "VerifyClass com.example.shop.FeedAdapter",
        Hold::Jit => "JIT compiling void com.example.shop.FeedAdapter.bind() (kind=Baseline)",
        Hold::Code => "loadFeed",
        Hold::Message => "android.os.Handler: com.example.shop.FeedLoader$1",
        Hold::Upload => "Upload 1024x1024 Texture",
        Hold::Shader => "shader_compile",
        _ => return None,
    })
}

/// A thread is held up from here to there: the gaps this leaves in its work. Nothing happens where whom it would wait
/// for is busy with something else.
pub fn hold(play: &mut Play, who: Who, by: Hold, meanwhile: Meanwhile, (from, to): (i64, i64)) -> Vec<Gap> {
    if to - from < SHORTEST {
        return Vec::new();
    }
    let (tid, app) = (who.tid, (who.tid, who.pid));
    let inside = (from + 1_000, to - 1_000);
    if by == Hold::Code {
        play.calls.does(tid, (from, to), Doing::Loads);
    }
    let gap = |left, by| vec![Gap { from: from + EDGE, to: to - EDGE, left, by }];
    if let Some(name) = section(by) {
        play.slice(app, inside, name);
        return Vec::new();
    }
    match by {
        Hold::Lock | Hold::ArtLock | Hold::Mutex | Hold::Thread | Hold::Gc => {
            let owner = who.pid
                + match by {
                    Hold::Lock => of_app::WRITER,
                    Hold::ArtLock => of_app::LOADER,
                    Hold::Mutex => of_app::POOL,
                    Hold::Gc => of_app::COLLECTOR,
                    _ => of_app::POOL_TOO,
                };
            if !owns(play, who, (owner, by), meanwhile, (from, to)) {
                return Vec::new();
            }
            waits(play, app, inside, by, owner);
            gap(Left::Sleeps, Some(owner))
        }
        Hold::Binder => {
            let served = if who.beside { cast::SERVICE_BESIDE } else { cast::SERVICE };
            match calls(play, who, (served, cast::SYSTEM_SERVER), meanwhile, (from, to)) {
                true => gap(Left::Sleeps, Some(served)),
                false => Vec::new(),
            }
        }
        Hold::Disk => pieces(play, (from, to), (3 * MS, 9 * MS), 45_000, Left::Blocked(true)),
        Hold::Kernel => pieces(play, (from, to), (6 * MS, 12 * MS), 30_000, Left::Blocked(false)),
        Hold::Reclaim => {
            play.say(inside.0, tid, What::Reclaim(true));
            play.say(inside.1, tid, What::Reclaim(false));
            Vec::new()
        }
        Hold::Starved | Hold::StarvedByItself | Hold::RenderStarved => {
            let hog = if by == Hold::StarvedByItself { who.pid + of_app::POOL } else { cast::MEDIA_SCAN };
            starves(play, who, hog, (from, to))
        }
        Hold::SlowClock | Hold::Throttled => {
            let cpu = who.cpu.unwrap_or(play.main);
            play.slice(app, inside, "loadFeed");
            for (at, khz) in [(from, FULL / 4), (to, FULL)] {
                let rate = Rate { at, cpu, khz, limit: false };
                let limit = (by == Hold::Throttled).then_some(Rate { limit: true, ..rate });
                play.rates.extend(limit.into_iter().chain([rate]));
            }
            Vec::new()
        }
        Hold::Unknown => gap(Left::Sleeps, None),
        _ => Vec::new(),
    }
}

/// What holds one thread up, in order.
pub fn held(play: &mut Play, who: Who, all: impl Iterator<Item = TruthHeld>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for one in all {
        gaps.extend(hold(play, who, one.by, one.meanwhile, (one.from, one.to)));
        if let Some(method) = one.method {
            play.calls.does(who.tid, (one.from, one.to), Doing::Planted(method));
        }
    }
    gaps.sort_by_key(|gap| gap.from);
    gaps
}

/// What a thread marks while it waits for a thread of its own process.
fn waits(play: &mut Play, app: (Tid, u32), (from, to): (i64, i64), by: Hold, owner: Tid) {
    let outer = match by {
        Hold::Lock => {
            "monitor contention with owner db-writer (19) at void com.example.shop.ShopDb.flush()(ShopDb.java:88) \
             waiters=0 blocking from int com.example.shop.ShopDb.read()(ShopDb.java:31)"
        }
        Hold::ArtLock => return play.slice(app, (from, to), &art_lock(owner)),
        Hold::Mutex => return play.slice(app, (from, to), "Contending for pthread mutex"),
        Hold::Gc => return play.slice(app, (from, to), "GC: Wait For Completion Alloc"),
        _ => return play.slice(app, (from, to), "awaitPrefetch"),
    };
    play.slice(app, (from, to), outer);
    play.slice(
        app,
        (from + 500, to - 500),
        &format!("Lock contention on a monitor lock (owner tid: {owner})"),
    );
}

fn art_lock(owner: Tid) -> String {
    format!("Lock contention on ClassLinker classes lock (owner tid: {owner})")
}

/// The thread somebody waits for is busy a little longer than that one waits, in its own way.
fn owns(
    play: &mut Play,
    who: Who,
    (owner, by): (Tid, Hold),
    meanwhile: Meanwhile,
    (from, to): (i64, i64),
) -> bool {
    let (began, ended) = (from - 150_000, to + 20_000);
    if !play.takes(owner, began, ended) {
        return false;
    }
    match by {
        Hold::Gc => {
            play.slice((owner, who.pid), (began + 2_000, ended - 2_000), "young concurrent copying GC")
        }
        Hold::Thread => play.slice((owner, who.pid), (began + 2_000, ended - 2_000), "prefetch"),
        _ => {}
    }
    let cpu = wants(meanwhile);
    let own = Who { tid: owner, cpu, beside: true, ..who };
    let gaps = does(play, own, meanwhile, (from + 30_000, to - 60_000));
    play.busy((owner, cpu), (began, ended), Some(None), &gaps);
    true
}

/// The CPU of a thread whose CPU another one takes: both are there.
fn wants(meanwhile: Meanwhile) -> Option<usize> {
    (meanwhile == Meanwhile::Starved).then_some(0)
}

/// What a thread does while others wait for it.
fn does(play: &mut Play, who: Who, meanwhile: Meanwhile, span: (i64, i64)) -> Vec<Gap> {
    let by = match meanwhile {
        Meanwhile::Runs => return Vec::new(),
        Meanwhile::Disk => Hold::Disk,
        Meanwhile::Lock if who.pid == cast::SYSTEM_SERVER => return service_lock(play, who, span),
        Meanwhile::Lock => Hold::ArtLock,
        Meanwhile::Binder if who.pid == cast::SYSTEM_SERVER => return media_call(play, who, span),
        Meanwhile::Binder => Hold::Binder,
        Meanwhile::Starved => return starves(play, who, cast::MEDIA_SCAN, span),
    };
    hold(play, who, by, Meanwhile::Runs, span)
}

fn service_lock(play: &mut Play, who: Who, (from, to): (i64, i64)) -> Vec<Gap> {
    let owner = cast::SERVICE_OWNER;
    if to - from < SHORTEST || !play.takes(owner, from - 150_000, to + 20_000) {
        return Vec::new();
    }
    play.busy((owner, None), (from - 150_000, to + 20_000), Some(None), &[]);
    let text = "monitor contention with owner android.display (31) at void com.android.server.wm.\
                DisplayContent.applySurfaceChanges()(DisplayContent.java:4410) waiters=0 blocking from int \
                com.android.server.am.ActivityManagerService.getMemory()(ActivityManagerService.java:88)";
    play.slice((who.tid, who.pid), (from + 1_000, to - 1_000), text);
    let inner = format!("Lock contention on a monitor lock (owner tid: {owner})");
    play.slice((who.tid, who.pid), (from + 1_500, to - 1_500), &inner);
    vec![Gap { from: from + EDGE, to: to - EDGE, left: Left::Sleeps, by: Some(owner) }]
}

fn media_call(play: &mut Play, who: Who, (from, to): (i64, i64)) -> Vec<Gap> {
    let served = (cast::MEDIA_SERVICE, cast::MEDIA);
    match to - from >= SHORTEST && calls(play, who, served, Meanwhile::Runs, (from, to)) {
        true => vec![Gap { from: from + EDGE, to: to - EDGE, left: Left::Sleeps, by: Some(served.0) }],
        false => Vec::new(),
    }
}

/// A call: sent, served by a thread of another process, answered.
fn calls(
    play: &mut Play,
    who: Who,
    (server, process): (Tid, u32),
    meanwhile: Meanwhile,
    (from, to): (i64, i64),
) -> bool {
    // The server begins when it was woken, and ends a little after it woke the caller.
    let (began, ended) = (from + 4_000 + WAKING, to - EDGE - 1_000);
    if !play.takes(server, began, ended) {
        return false;
    }
    let (call, answer) = (play.message(), play.message());
    play.say(from + 2_000, who.tid, What::Sent { id: call, to: process, reply: false, oneway: false });
    play.say(began + 1_000, server, What::Received { id: call });
    let name = "AIDL::java::IActivityManager::getMemoryInfo::server";
    play.slice((server, process), (began + 2_000, ended - 12_000), name);
    let cpu = wants(meanwhile);
    let own = Who { tid: server, pid: process, cpu, beside: true };
    let gaps = does(play, own, meanwhile, (began + 30_000, ended - 60_000));
    play.busy((server, cpu), (began, ended), Some(Some(who.tid)), &gaps);
    play.say(ended - 10_000, server, What::Sent { id: answer, to: who.pid, reply: true, oneway: false });
    play.say(to - 3_000, who.tid, What::Received { id: answer });
    true
}

/// Waits that follow each other, a little work in between.
fn pieces(play: &Play, (from, to): (i64, i64), (least, most): (i64, i64), work: i64, left: Left) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut at = from + EDGE;
    while to - EDGE - at >= SHORTEST {
        let length = play.draw(at).whole(least, most);
        let end = if to - EDGE - at < length + least { to - EDGE } else { at + length };
        gaps.push(Gap { from: at, to: end, left, by: None });
        at = end + work;
    }
    gaps
}

/// Another thread takes the CPU, again and again.
fn starves(play: &mut Play, who: Who, hog: Tid, (from, to): (i64, i64)) -> Vec<Gap> {
    if !play.takes(hog, from, to) {
        return Vec::new();
    }
    let cpu = who.cpu.unwrap_or(play.main);
    let gaps = pieces(play, (from, to), (7 * MS, 12 * MS), 90_000, Left::Preempted);
    for gap in &gaps {
        let run = super::play::Run {
            tid: hog,
            from: gap.from,
            to: gap.to,
            left: Left::Sleeps,
            woken: Some((gap.from - WAKING, None)),
            cpu: Some(cpu),
        };
        play.runs.push(run);
    }
    gaps
}
