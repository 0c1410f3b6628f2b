//! Known truth: frames with innocent waits and work of every kind in them, some made late by one cause more, or by two.
//! What is charged is held against what was planted. The facts are states, slices and calls; never a cause.

use farmjank_causes::fact::{Call, Fact, Segment, State, Thread};
use farmjank_causes::frame::{Blamed, Frame};
use farmjank_causes::inquiry::{Found, Inquiry};
use farmjank_causes::threads::Threads;
use std::collections::BTreeMap;

const MS: i64 = 1_000_000;
/// Refresh period: 120 Hz.
const P: i64 = 8_333_333;
const APP: i32 = 7;
const WRITER: i32 = 9;
const COLLECTOR: i32 = 10;
const SYSTEM: i32 = 20;
/// A thread that is not there: an interrupt.
const NOBODY: i32 = 999;
const LOCK: &str = "monitor contention with owner db-writer (19) at void a.ShopDb.flush()(ShopDb.java:8)";

/// What main can be held up by: its word, and how it looks.
const KINDS: [&str; 8] = [
    "lock.monitor",
    "gc.wait",
    "binder.system_server",
    "io.disk",
    "cpu.starved",
    "ui.inflate",
    "bitmap.decode",
    "unexplained",
];

struct Chance(u64);

impl Chance {
    fn below(&mut self, most: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as i64
    }
}

/// What happens, on its way to be told.
struct Scene {
    threads: Threads,
    segments: Vec<Segment>,
    /// Of main: from, until, slices around it, name.
    slices: Vec<(i64, i64, usize, String)>,
    calls: Vec<Call>,
    /// Time planted in each late frame, by kind, ns.
    planted: BTreeMap<i64, BTreeMap<&'static str, i64>>,
    frames: Vec<Frame>,
}

impl Scene {
    fn state(&mut self, tid: i32, from: i64, to: i64, state: State) -> Segment {
        let thread = self.threads.find(tid).expect("a thread");
        let cpu = (state == State::Running).then_some(0);
        Segment { thread, from, to: Some(to), state, cpu, waker: None, interrupt: false, io: None }
    }

    /// Main is held up by this kind of thing for so long.
    fn held(&mut self, kind: &str, from: i64, ns: i64) {
        let (to, woken) = (from + ns, from + ns - 10_000);
        let main: Thread = self.threads.find(APP).expect("main");
        let slice = |name: &str| (from, to, 1, name.to_owned());
        let waits = |scene: &mut Scene, waker: i32| {
            let one = scene.state(APP, from, woken, State::Sleeping);
            let waker = scene.threads.find(waker);
            let ready = scene.state(APP, woken, to, State::Runnable);
            scene.segments.extend([one, Segment { waker, interrupt: waker.is_none(), ..ready }]);
        };
        match kind {
            "lock.monitor" => {
                self.slices.push(slice(LOCK));
                waits(self, WRITER);
            }
            "gc.wait" => {
                self.slices.push(slice("GC: Wait For Completion Alloc"));
                waits(self, COLLECTOR);
            }
            "binder.system_server" => {
                let server = self.threads.find(SYSTEM).expect("a server");
                let served = Some((server, from + 1_000, Some(woken - 1_000)));
                self.calls.push(Call { client: main, from, to: Some(to), served });
                self.slices.push(slice("binder transaction"));
                waits(self, SYSTEM);
            }
            "io.disk" => {
                let one = self.state(APP, from, to, State::Blocked);
                self.segments.push(Segment { io: Some(true), ..one });
            }
            "cpu.starved" => {
                let one = self.state(APP, from, to, State::Preempted);
                let other = self.state(SYSTEM, from, to, State::Running);
                self.segments.extend([one, other]);
            }
            "unexplained" => waits(self, NOBODY),
            work => {
                self.slices.push(slice(if work == "ui.inflate" { "inflate" } else { "decodeBitmap" }));
                let one = self.state(APP, from, to, State::Running);
                self.segments.push(one);
            }
        }
    }

    /// A frame: usual work, innocent hold-ups, and these ones more.
    fn frame(&mut self, token: i64, chance: &mut Chance, more: &[(&'static str, i64)]) {
        let from = token * 40 * P;
        let mut at = from + 500_000;
        let begun = at;
        let run = |scene: &mut Scene, at: &mut i64, ns: i64| {
            let one = scene.state(APP, *at, *at + ns, State::Running);
            scene.segments.push(one);
            *at += ns;
        };
        run(self, &mut at, MS + chance.below(MS));
        for kind in &KINDS[..7] {
            // In four of ten frames, as much as leaves the frame in time.
            if chance.below(10) < 4 {
                let ns = 600_000 + chance.below(300_000);
                self.held(kind, at, ns);
                at += ns;
                run(self, &mut at, 50_000 + chance.below(100_000));
            }
        }
        for (kind, ns) in more {
            self.held(kind, at, *ns);
            at += ns;
            run(self, &mut at, 100_000);
        }
        let extra: i64 = more.iter().map(|(_, ns)| ns).sum();
        let hitch = (extra + P / 2) / P * P;
        self.planted.insert(token, more.iter().copied().collect());
        self.slices.push((begun, at, 0, format!("Choreographer#doFrame {token}")));
        self.frames.push(Frame {
            process: APP,
            token,
            layer: String::new(),
            from,
            done: at,
            deadline: Some(at - hitch),
            to: at + P,
            shown_by: None,
            hitch,
            period: P,
            blamed: Blamed { app: hitch > 0, ..Blamed::default() },
        });
    }

    fn found(self) -> (Found, BTreeMap<i64, BTreeMap<&'static str, i64>>) {
        let mut inquiry = Inquiry::about(self.frames);
        self.segments.iter().for_each(|segment| inquiry.take(&Fact::State(*segment)));
        self.calls.iter().for_each(|call| inquiry.take(&Fact::Call(*call)));
        let thread = self.threads.find(APP).expect("main");
        for (from, to, depth, name) in self.slices {
            inquiry.take(&Fact::Slice { thread, from, to: Some(to), depth, name: name.as_bytes() });
        }
        (inquiry.finish(&self.threads, None), self.planted)
    }
}

fn scene() -> Scene {
    let mut threads = Threads::default();
    let all = [
        (APP, APP, "com.shop"),
        (WRITER, APP, "db-writer"),
        (COLLECTOR, APP, "HeapTaskDaemon"),
        (SYSTEM, SYSTEM, "server"),
    ];
    for (tid, process, name) in all {
        let thread = threads.in_process(tid, process);
        threads.rename(thread, name.as_bytes());
    }
    threads.name_process(SYSTEM, b"system_server");
    let (segments, slices, calls) = (Vec::new(), Vec::new(), Vec::new());
    Scene { threads, segments, slices, calls, planted: BTreeMap::new(), frames: Vec::new() }
}

/// What each late frame is charged to, by word, µs; what nothing explains is `unexplained`.
fn charged(found: &Found) -> BTreeMap<i64, BTreeMap<String, i64>> {
    let one = |late: &farmjank_causes::inquiry::Late| {
        let (charges, _) = late.charges.as_ref().expect("nothing was lost");
        let mut by_word = BTreeMap::from([("unexplained".to_owned(), charges.unexplained_us)]);
        charges.charged.iter().for_each(|one| *by_word.entry(one.cause.word()).or_default() += one.us);
        (late.frame.token, by_word)
    };
    found.late.iter().map(one).collect()
}

#[test]
fn what_was_planted_is_charged_and_what_is_always_there_is_not() {
    let (mut matrix, mut all, mut right) = (BTreeMap::<(&str, String), i64>::new(), 0, 0);
    for seed in 1..=6_u64 {
        let (mut scene, mut chance) = (scene(), Chance(seed * 0x9e37_79b9));
        for token in 0..200 {
            let kind = KINDS[(token / 12 % 8) as usize];
            let late = token % 12 == 7;
            let more = if late { vec![(kind, P * (2 + chance.below(5)))] } else { Vec::new() };
            scene.frame(token, &mut chance, &more);
        }
        let (found, planted) = scene.found();
        assert!(found.in_time > 150 && found.late.len() > 15, "{} {}", found.in_time, found.late.len());
        for (token, by_word) in charged(&found) {
            let (kind, ns) = planted[&token].iter().next().expect("a planted cause");
            for (word, us) in by_word {
                *matrix.entry((*kind, word.clone())).or_default() += us;
                all += us;
                right += if word == *kind { us } else { 0 };
                let most = (ns / 1_000 / 10).max(2_000);
                assert!(
                    word == *kind || us <= most,
                    "seed {seed}, frame {token}: {kind} of {ns} ns, {word} {us} µs"
                );
            }
        }
    }
    println!("{right} of {all} µs are charged to what was planted");
    assert!(100 * right >= 95 * all, "{right} of {all} µs are right: {matrix:#?}");
}

#[test]
fn two_causes_of_one_frame_share_it_as_they_made_it() {
    let (mut scene, mut chance) = (scene(), Chance(77));
    (0..60).for_each(|token| {
        let more = [("gc.wait", 6 * 6 * MS), ("binder.system_server", 4 * 6 * MS)];
        scene.frame(token, &mut chance, if token == 40 { &more } else { &[] });
    });
    let (found, _) = scene.found();
    let by_word = &charged(&found)[&40];
    let all: i64 = by_word.values().sum();
    let share = |word: &str| 100 * by_word[word] / all;
    assert!((57..=62).contains(&share("gc.wait")), "{by_word:?}");
    assert!((38..=42).contains(&share("binder.system_server")), "{by_word:?}");
}
