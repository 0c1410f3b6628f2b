//! Why frames were late, for a run that could have happened: one failed window whose causes were found, and one of
//! which nothing can be said; stalls without a frame in the first.

use crate::believable::{Log, Words, measured};
use farmjank_results::event::{Ending, Fact, JobId};
use farmjank_results::frame_lanes::*;
use farmjank_results::hitch_causes::*;
use farmjank_results::time::{BootTime, DeviceTime, Span};

/// The trial that is traced for it, after those that count.
const TRIAL: u32 = 4;
/// Where its trace is kept.
pub const TRACE: &str = "evidence/job-0/trial-4/trial.perfetto-trace.zst";
/// Where the pictures of its late frames are.
pub const LANES: &str = "evidence/job-0/trial-4/0-fling.lanes.zst";

/// One more trial of a job, traced for why frames were late in its first two windows.
pub fn diagnosed(log: &mut Log, words: &Words, job: JobId) {
    log.tell(
        10,
        Fact::TrialStarted {
            job,
            trial: TRIAL,
            counted: false,
            diagnostic: true,
            reference: false,
            settling: false,
            turn: None,
        },
    );
    let mut windows: Vec<_> = [(0, 55.3), (1, 12.5)]
        .map(|(window, hitch)| measured(words, window, TRIAL, 90.0, (70.1, hitch, 2.0), true))
        .into();
    windows.iter_mut().for_each(|window| window.evidence.push(TRACE.to_owned()));
    let (from, _) = windows[0].span.expect("a window that was measured was open");
    log.tell(
        4_900,
        Fact::TrialFinished { job, trial: TRIAL, counted: false, ending: Ending::Completed, windows },
    );
    let told = |window: usize, causes: Option<HitchCauses>, reason: Option<&str>| Fact::CausesFound {
        job,
        trial: TRIAL,
        window: words.windows[window].clone(),
        causes: causes.map(Box::new),
        reason: reason.map(str::to_owned),
        trace: None,
    };
    log.tell(30, told(0, Some(found(words, from)), None));
    log.tell(5, told(1, None, Some("the trace lost what threads did: its buffers overflowed")));
}

fn lock(words: &Words) -> NamedCause {
    NamedCause {
        kind: "lock.monitor".to_owned(),
        group: Group::Waiting,
        title: format!("main waits for a lock held by {} in ShopDb.flush", words.lock),
        thread: "main".to_owned(),
        object: format!("{} in ShopDb.flush", words.lock),
    }
}

fn layout() -> NamedCause {
    NamedCause {
        kind: "ui.inflate".to_owned(),
        group: Group::App,
        title: "main inflates layouts".to_owned(),
        thread: "main".to_owned(),
        object: "inflate".to_owned(),
    }
}

fn cause(
    named: NamedCause,
    us: i64,
    frames: u32,
    usual_us: i64,
    detail: &str,
    confidence: Confidence,
) -> HitchCause {
    let (fingerprint, detail) = (named.fingerprint("com.example.shop"), detail.to_owned());
    let lock = named.kind == "lock.monitor";
    let method = if lock { "com.example.shop.ShopDb.flush" } else { "" }.to_owned();
    let owner = lock.then(|| "team-db".to_owned());
    HitchCause { fingerprint, named, us, frames, usual_us, detail, method, owner, confidence }
}

/// Two stalls without a frame, of 310 ms: one waits for the lock while a touch waits, of the other nothing is known.
fn stalls(words: &Words, from: DeviceTime) -> StallCauses {
    let stall = |at: i64, us: i64, charged: Option<FrameCauses>| Stalled {
        process: 4_211,
        began: BootTime::from_ns(from.ns() + at * 1_000_000 + 7_000_000_000),
        from: Some(from + Span::from_ms(at)),
        us,
        touch_us: charged.as_ref().map(|_| 96_400),
        reason: charged.is_none().then(|| "events were lost around it".to_owned()),
        charged,
    };
    let charged = FrameCauses {
        causes: vec![FrameCause {
            named: lock(words),
            us: 180_000,
            took_us: 180_000,
            usual_us: 0,
            detail: String::new(),
        }],
        smaller: 0,
        smaller_us: 0,
        unexplained_us: 30_000,
        confidence: Confidence::Sure,
    };
    StallCauses {
        us: 310_000,
        explained_us: 180_000,
        unexplained_us: 30_000,
        unknown_us: 100_000,
        unexplained: vec![Unexplained {
            reason: "a thread waited, and nothing tells on what".to_owned(),
            us: 30_000,
        }],
        count: 2,
        causes: vec![cause(lock(words), 180_000, 1, 0, "", Confidence::Sure)],
        list: vec![stall(1_240, 210_000, Some(charged)), stall(3_410, 100_000, None)],
        ..StallCauses::default()
    }
}

/// Ten late frames of 232 ms: two causes, some of it unexplained, and one frame that lost its events.
fn found(words: &Words, from: DeviceTime) -> HitchCauses {
    let detail = format!("meanwhile {} waits for an answer of system_server", words.lock);
    HitchCauses {
        hitch_us: 232_000,
        explained_us: 190_000,
        unexplained_us: 31_000,
        unknown_us: 11_000,
        unexplained: vec![Unexplained {
            reason: "a thread waited, and nothing tells on what".to_owned(),
            us: 31_000,
        }],
        late_frames: 10,
        in_time: 241,
        dropped: 1,
        motion: Some(Span::from_ms(4_200)),
        causes: vec![
            cause(lock(words), 140_000, 6, 0, &detail, Confidence::Sure),
            cause(layout(), 50_000, 4, 1_200, "", Confidence::Likely),
        ],
        smaller: 0,
        smaller_us: 0,
        smaller_kinds: Vec::new(),
        frames: (0..10).map(|nth| late(words, from, nth)).collect(),
        frames_left_out: 0,
        stalls: stalls(words, from),
        stacks: Some(CallStacks { taken: 1_204, lost: 7, reason: None }),
        doubts: vec!["the compositor's own threads are not in the trace".to_owned()],
        lanes: Some(LANES.to_owned()),
    }
}

/// The nth late frame: five wait for the lock, one waits and inflates, three inflate, and of the last nothing is known.
fn late(words: &Words, from: DeviceTime, nth: i64) -> LateFrame {
    let (lock_us, layout_us, unexplained_us) = match nth {
        0..5 => (25_000, 0, 5_000),
        5 => (15_000, 20_000, 0),
        6..9 => (0, 10_000, 2_000),
        _ => (0, 0, 0),
    };
    let one = |named: NamedCause, us: i64, usual_us: i64| FrameCause {
        named,
        us,
        took_us: us + usual_us,
        usual_us,
        detail: String::new(),
    };
    let causes = [one(lock(words), lock_us, 0), one(layout(), layout_us, 1_200)];
    let mut causes: Vec<FrameCause> = causes.into_iter().filter(|cause| cause.us > 0).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.us));
    let known = !causes.is_empty();
    let shown = Span::from_ms(300 + nth * 390);
    LateFrame {
        token: 4_000 + nth * 35,
        process: 4_211,
        layer: words.layer.clone(),
        shown_at: BootTime::from_ns(from.ns() + shown.ns() + 7_000_000_000),
        present: (nth != 8).then_some(from + shown),
        hitch_us: if known { lock_us + layout_us + unexplained_us } else { 11_000 },
        charged: known.then_some(FrameCauses {
            causes,
            smaller: 0,
            smaller_us: 0,
            unexplained_us,
            confidence: if nth < 5 { Confidence::Sure } else { Confidence::Likely },
        }),
        reason: (!known).then(|| "events of this frame were lost".to_owned()),
    }
}

/// Pictures of two of the late frames, one of which waits for the lock, and of the stall that does.
pub fn lanes(words: &Words) -> FrameLanes {
    let traced = measured(words, 0, TRIAL, 90.0, (70.1, 55.3, 2.0), true);
    let (from, _) = traced.span.expect("a window that was measured was open");
    let cause = |named: NamedCause, us: i64| LaneCause {
        kind: named.kind,
        group: named.group,
        title: named.title,
        us,
    };
    let held =
        |from, to, lane, cause, waits_for, meanwhile| Held { from, to, lane, cause, waits_for, meanwhile };
    let disk = NamedCause {
        kind: "io.disk".to_owned(),
        title: format!("{} waits for the disk", words.lock),
        thread: words.lock.clone(),
        ..lock(words)
    };
    let owned = |nth: i64| Picture {
        process: 4_211,
        token: Some(4_000 + nth * 35),
        origin: BootTime::from_ns(from.ns() + (300 + nth * 390 - 45) * 1_000_000 + 7_000_000_000),
        drawn: (-1_800, 46_800),
        deadline: Some(11_000),
        due: Some(15_000),
        end: 45_000,
        period_ns: 8_333_333,
        names: vec![
            format!("Choreographer#doFrame {}", 4_000 + nth * 35),
            format!("monitor contention with owner {} (19)", words.lock),
            "DrawFrames".to_owned(),
            "android.view.Choreographer.doFrame".to_owned(),
            format!("com.shop.{}.read", words.lock),
        ],
        lanes: threads(words),
        causes: vec![cause(lock(words), 25_000), cause(layout(), 0), cause(disk.clone(), 0)],
        way: vec![
            held(0, 4_000, 0, 1, None, false),
            held(4_000, 32_000, 0, 0, Some(1), false),
            held(32_000, 36_000, 0, 1, None, false),
            held(4_000, 32_000, 1, 2, None, true),
        ],
        stacks: vec![
            CallStack { lane: 0, from: 0, to: 4_000, off_cpu: false, calls: vec![3] },
            CallStack { lane: 0, from: 4_000, to: 32_000, off_cpu: true, calls: vec![3, 4] },
        ],
    };
    let stall = Picture {
        token: None,
        origin: BootTime::from_ns(from.ns() + 1_240_000_000 + 7_000_000_000),
        drawn: (-8_400, 218_400),
        deadline: None,
        due: None,
        end: 210_000,
        period_ns: 0,
        ..owned(0)
    };
    FrameLanes { pictures: vec![owned(0), owned(1), stall] }
}

/// Threads of a frame that waits for the lock.
fn threads(words: &Words) -> Vec<Lane> {
    let lane = |role, name: &str, states: &[StateSpan], slices: &[SliceSpan]| Lane {
        role,
        name: name.to_owned(),
        process: String::new(),
        states: states.to_vec(),
        slices: slices.to_vec(),
    };
    vec![
        lane(
            Role::Main,
            "main",
            &[
                (0, 4_000, LaneState::Running),
                (4_000, 28_000, LaneState::Sleeping),
                (32_000, 900, LaneState::Ready),
                (32_900, 3_100, LaneState::Running),
            ],
            &[(0, 36_000, 0, 0), (4_000, 28_000, 1, 1)],
        ),
        lane(Role::WaitedFor, &words.lock, &[(2_000, 30_000, LaneState::Disk)], &[]),
        lane(Role::Render, "RenderThread", &[(36_000, 2_500, LaneState::Running)], &[(36_000, 2_500, 0, 2)]),
        lane(Role::Gpu, "GPU", &[(38_500, 1_500, LaneState::Running)], &[]),
    ]
}
