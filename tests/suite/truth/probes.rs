//! Probes asked at both ends of a stretch, against the lab's truth: SurfaceFlinger's counts and the phone's log.

use farmjank_devices::{AdbProvider, Options as AdbOptions};
use farmjank_frames::{Logcat, TimeStats};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab::truth::{Cause, TruthFrame, TruthMessage};
use farmjank_results::device::{App, DeviceFacts, DeviceId};
use farmjank_results::logcat_events::{LogEvent, LogWatch};
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::{BootTime, ClockMap, Span};
use farmjank_results::timestats::{FrameCounts, busiest, check};
use farmjank_seams::device::{Device, Provider};
use farmjank_seams::probe::{Probe, ProbeOutput};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

const APP: &str = "com.example.shop";
const FLING: &str = "input swipe 540 1500 540 500 200; sleep 2";

/// Every archetype with an app that freezes now and then, and a page that stalls without drawing.
fn lab() -> String {
    let phones: String = ARCHETYPES
        .iter()
        .map(|archetype| {
            let name = archetype.name;
            format!(
                "  - archetype: {name}\n    serial: {name}\n    apps:\n      - id: {APP}\n        pages:\n          \
                 feed: {{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: 0.02, frozen_rate: 0.004 }}\n          \
                 still: {{ activity: .StillActivity, link: 'shop://still', kind: still, stall: {{ every_ms: 2000, ms: 900 }} }}\n"
            )
        })
        .collect();
    format!("name: probes\nphones:\n{phones}")
}

/// One phone and the probes to ask about it.
struct Hand {
    device: Rc<dyn Device>,
    lab: Rc<LiveLab>,
    facts: DeviceFacts,
    app: App,
}

impl Hand {
    async fn run(&self, line: &str) -> Vec<u8> {
        let output = self.device.shell(line, Duration::from_secs(120)).await.expect("a shell");
        assert_eq!(output.status, 0, "{line}: {}", output.err_text());
        output.out
    }

    async fn say(&self, line: &str) -> String {
        String::from_utf8(self.run(line).await).expect("text").trim().to_owned()
    }

    async fn open(&self, link: &str) {
        let line = format!("am start -W -S -a android.intent.action.VIEW -d {link} {APP}; sleep 1.5");
        assert!(self.say(&line).await.contains("Status: ok"), "{}: {link}", self.facts.id);
    }

    /// What the probe says of what happens in between.
    async fn ask(&self, probe: &dyn Probe, nonce: u64, between: &[&str]) -> Result<SideReading, String> {
        let began = Some(self.boot());
        let mark = self.run(&probe.begin(&self.facts, &self.app, nonce)).await;
        for line in between {
            self.run(line).await;
        }
        let bytes = self.run(&probe.end(&self.facts, &self.app, nonce, &mark)).await;
        let output = ProbeOutput { bytes, mark, began, ended: Some(self.boot()) };
        let clock =
            ClockMap { offset: Span::from_ns(self.boot().ns() - self.now()), uncertainty: Span::ZERO };
        probe.read(&output, &self.app, Some(clock)).map_err(|error| error.words().to_owned())
    }

    async fn log(&self, nonce: u64, between: &[&str]) -> LogWatch {
        match self.ask(&Logcat::default(), nonce, between).await {
            Ok(SideReading::Log(watch)) => watch,
            other => panic!("{}: {other:?}", self.facts.id),
        }
    }

    async fn enable(&self) -> Vec<u8> {
        match Logcat::default().enable(&self.facts, &self.app) {
            Some(line) => self.run(&line).await,
            None => Vec::new(),
        }
    }

    async fn disable(&self, enabled: &[u8]) {
        if let Some(line) = Logcat::default().disable(&self.facts, &self.app, enabled) {
            self.run(&line).await;
        }
    }

    fn now(&self) -> i64 {
        let serial = &self.facts.id.0;
        self.lab.phone(serial).map(|phone| phone.model().monotonic_ns(phone.now())).expect("a phone")
    }

    fn boot(&self) -> BootTime {
        let serial = &self.facts.id.0;
        let boot = self.lab.phone(serial).map(|phone| phone.model().boot_clock_ns(phone.now()));
        BootTime::from_ns(boot.expect("a phone"))
    }

    /// Frames of the layer taken between two instants, in truth.
    fn frames(&self, layer: &str, from: i64, to: i64) -> Vec<TruthFrame> {
        let frames = self.lab.truth(&self.facts.id.0, |truth| {
            truth.layer(layer).map(|layer| layer.frames.clone()).unwrap_or_default()
        });
        frames.expect("truth").into_iter().filter(|frame| frame.latch > from && frame.present < to).collect()
    }

    /// Messages that ended between two instants and that the watch can see, in truth.
    fn messages(&self, from: i64, to: i64) -> Vec<TruthMessage> {
        let messages = self.lab.truth(&self.facts.id.0, |truth| truth.messages.clone()).expect("truth");
        let slow = |message: &TruthMessage| message.ended / 1_000_000 - message.began / 1_000_000 >= 80;
        messages
            .into_iter()
            .filter(|message| {
                (from..to).contains(&message.ended) && message.watched_ms == Some(80) && slow(message)
            })
            .collect()
    }
}

pub fn facts(serial: &str, sdk: u32) -> DeviceFacts {
    DeviceFacts {
        id: DeviceId(serial.to_owned()),
        model: String::new(),
        manufacturer: String::new(),
        sdk,
        release: String::new(),
        fingerprint: String::new(),
        screen: None,
        modes: Vec::new(),
        active_hz: None,
        ram_mb: None,
        battery: None,
        thermal_status: None,
        animations: None,
        keyguard: None,
        awake: None,
        emulator: false,
        is_virtual: true,
        tags: BTreeSet::new(),
    }
}

/// Does something with each phone of the lab, one after the other, on simulated time.
fn each_phone(text: &str, seed: u64, what: impl AsyncFn(&Hand)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let described = Lab::from_yaml(text).expect("a lab").with_seed(seed);
        let lab = described.build().expect("a lab");
        let dial = Rc::new(LabDial::new(lab.clone()));
        let options = AdbOptions { name: "lab".into(), ..AdbOptions::default() };
        let provider = AdbProvider::new(described.servers(), dial, options);
        let mut arrivals = provider.watch().await.expect("arrivals");
        while arrivals.next().await.expect("an arrival") != farmjank_seams::device::Arrival::Settled {}
        for archetype in ARCHETYPES {
            let facts = facts(archetype.name, archetype.sdk);
            let device = provider.lease(&facts.id).await.expect("a phone");
            what(&Hand { device, lab: lab.clone(), facts, app: App(APP.to_owned()) }).await;
        }
    });
}

/// The platform's bucket of a length.
fn bucket(ns: i64) -> u32 {
    let edges =
        (0..=34).chain((36..=50).step_by(2)).chain((54..=150).step_by(4)).chain((200..=1000).step_by(50));
    edges.clone().find(|edge| ns / 1_000_000 <= i64::from(*edge)).unwrap_or(1000)
}

fn histogram(frames: &[TruthFrame]) -> BTreeMap<u32, u64> {
    let mut histogram = BTreeMap::new();
    for pair in frames.windows(2) {
        *histogram.entry(bucket(pair[1].present - pair[0].present)).or_default() += 1;
    }
    histogram
}

fn agrees(hand: &Hand, counts: &FrameCounts, frames: &[TruthFrame]) {
    let place = &hand.facts.id;
    let seen = frames.len() as u64;
    assert!(seen > 100, "{place}: too little moved to prove anything: {seen}");
    assert_eq!(check(counts, seen), None, "{place}");
    assert!((seen - 4..seen).contains(&counts.total_frames), "{place}: {} of {seen}", counts.total_frames);
    assert!(
        check(counts, seen + seen / 10).is_some() && check(counts, seen - seen / 10).is_some(),
        "{place}"
    );
    assert_eq!(counts.present_to_present.values().sum::<u64>(), counts.total_frames, "{place}");
    // The first interval may be the one from the frame before counting began; the last frame waits for a later one.
    let truth = histogram(&frames[..counts.total_frames as usize + 1]);
    assert_eq!(counts.present_to_present, truth, "{place}");
    assert_eq!(counts.dropped_frames.is_some(), hand.facts.sdk >= 29, "{place}");
    if hand.facts.sdk >= 31 {
        let judged = counts.counters["totalTimelineFrames"];
        assert!(judged >= counts.total_frames, "{place}: {judged}");
        let missed = |frame: &&TruthFrame| frame.jank & farmjank_lab::truth::verdict::APP_DEADLINE != 0;
        let late = |frames: &[TruthFrame]| frames.iter().filter(missed).count() as u64;
        // The last frames wait for later ones.
        let (least, most) = (late(&frames[..frames.len() - 3]), late(frames));
        let counted = counts.counters["appUnattributedJankyFrames"];
        assert!(
            (least.saturating_sub(1)..=most + 1).contains(&counted),
            "{place}: {counted}, {least}..={most} were late"
        );
    }
}

#[test]
fn surfaceflinger_counts_what_was_presented_on_every_release() {
    each_phone(&lab(), 3, async |hand| {
        let probe = TimeStats;
        if hand.facts.sdk < 28 {
            assert!(probe.offer(&hand.facts).is_err());
            return;
        }
        assert_eq!(probe.offer(&hand.facts), Ok(()));
        hand.open("shop://feed").await;
        let from = hand.now();
        let said = hand.ask(&probe, 1, &[FLING, FLING, FLING]).await;
        let Ok(SideReading::Timestats(layers)) = said else { panic!("{}: {said:?}", hand.facts.id) };
        let counts = busiest(&layers, APP).unwrap_or_else(|| panic!("{}: {layers:?}", hand.facts.id));
        assert_eq!(counts.doubts, [""; 0], "{}", hand.facts.id);
        agrees(hand, counts, &hand.frames(&counts.layer, from, hand.now()));
        let left = hand.say("dumpsys SurfaceFlinger --timestats -dump").await;
        assert_eq!(left, "", "{}: something was left behind", hand.facts.id);
    });
}

#[test]
fn counts_another_program_cleared_are_doubted_and_disabled_ones_are_gone() {
    each_phone(&lab(), 4, async |hand| {
        if hand.facts.sdk < 28 {
            return;
        }
        hand.open("shop://feed").await;
        // One fling may fall into a freeze and show nothing.
        let clear = "dumpsys SurfaceFlinger --timestats -clear";
        let cleared = hand.ask(&TimeStats, 1, &[FLING, clear, FLING, FLING]).await;
        let Ok(SideReading::Timestats(layers)) = cleared else { panic!("{cleared:?}") };
        let counts = busiest(&layers, APP).unwrap_or_else(|| panic!("{}: {layers:?}", hand.facts.id));
        assert!(counts.doubts.iter().any(|doubt| doubt.contains("cleared")), "{}: {counts:?}", hand.facts.id);
        let gone =
            hand.ask(&TimeStats, 2, &[FLING, "dumpsys SurfaceFlinger --timestats -disable -clear"]).await;
        assert!(gone.is_err_and(|why| why.contains("gone")), "{}", hand.facts.id);
    });
}

#[test]
fn slow_messages_are_those_of_the_truth_with_frames_and_without() {
    let (stalls, freezes) = (Cell::new(0), Cell::new(0));
    each_phone(&lab(), 5, async |hand| {
        let place = &hand.facts.id;
        let enabled = hand.enable().await;
        for (nonce, link, between) in [(7, "shop://feed", [FLING; 6]), (8, "shop://still", ["sleep 1"; 6])] {
            hand.open(link).await;
            let from = hand.now();
            let watch = hand.log(nonce, &between).await;
            assert_eq!(watch.doubts, [""; 0], "{place}");
            let (begin, end) = watch.span.expect("marks in the log");
            assert!(from <= begin.ns() + 1_000_000 && end.ns() <= hand.now(), "{place}");
            let logged: Vec<(i64, i64)> = watch
                .entries
                .iter()
                .filter_map(|entry| match &entry.what {
                    LogEvent::SlowMessage { took, thread, .. } if thread == "main" => {
                        Some((entry.at.ns() / 1_000_000, took.ns() / 1_000_000))
                    }
                    _ => None,
                })
                .collect();
            if hand.facts.sdk < 28 {
                assert!(
                    watch.slow_ms.is_none() && watch.not_enabled.is_some() && logged.is_empty(),
                    "{place}"
                );
                continue;
            }
            assert_eq!((watch.slow_ms, &watch.not_enabled), (Some(80), &None), "{place}");
            let truth = hand.messages(begin.ns(), end.ns());
            let expected: Vec<(i64, i64)> = truth
                .iter()
                .map(|message| {
                    (message.ended / 1_000_000, message.ended / 1_000_000 - message.began / 1_000_000)
                })
                .collect();
            assert_eq!(logged, expected, "{place} {link}");
            if link.ends_with("still") {
                let held = logged.iter().filter(|(_, took)| (900..=901).contains(took)).count();
                assert!((2..=4).contains(&held), "{place}: {logged:?}");
                stalls.set(stalls.get() + held);
                assert!(truth.iter().all(|message| !message.drew), "{place}: nothing was drawn");
            } else {
                let davey =
                    watch.entries.iter().filter(|entry| matches!(entry.what, LogEvent::Davey { .. })).count();
                let layer = format!("{APP}/{APP}.FeedActivity");
                let froze = hand.lab.truth(&place.0, |truth| {
                    let frames =
                        truth.layers.iter().filter(|l| l.name.contains(&layer)).flat_map(|l| &l.frames);
                    let inside = |f: &&TruthFrame| f.present > begin.ns() && f.present < end.ns();
                    frames.filter(inside).filter(|frame| frame.cause == Cause::Frozen).count()
                });
                let froze = froze.expect("truth");
                assert!(davey >= froze, "{place}: {davey} {froze}");
                freezes.set(freezes.get() + froze);
            }
        }
        hand.disable(&enabled).await;
    });
    println!("{} stalls without a frame, {} frozen frames", stalls.get(), freezes.get());
    assert!(stalls.get() > 10 && freezes.get() > 5, "too little happened to prove anything");
}

#[test]
fn an_app_that_was_running_before_is_not_watched_and_says_so() {
    each_phone(&lab(), 6, async |hand| {
        if hand.facts.sdk < 28 {
            return;
        }
        let place = &hand.facts.id;
        hand.open("shop://still").await;
        let uid = 10_100;
        let property = format!("log.looper.{uid}.main.slow");
        hand.run(&format!("setprop {property} 333")).await;
        let enabled = hand.enable().await;
        assert_eq!(hand.say(&format!("getprop {property}")).await, "80", "{place}");
        let before = hand.log(1, &["sleep 5"]).await;
        assert_eq!(before.slow_ms, None, "{place}");
        assert!(before.not_enabled.is_some_and(|why| why.contains("started before")), "{place}");
        // A run that was cut off leaves its settings behind: the next one still finds the first value.
        let again = hand.enable().await;
        hand.open("shop://still").await;
        let after = hand.log(2, &["sleep 5"]).await;
        assert_eq!((after.slow_ms, after.not_enabled), (Some(80), None), "{place}");
        assert!(!after.entries.is_empty(), "{place}");
        for enabled in [again, Vec::new(), enabled] {
            hand.run(&format!("setprop {property} 80; setprop debug.farmjank.looper '{uid} 333 1,2'")).await;
            hand.disable(&enabled).await;
            assert_eq!(hand.say(&format!("getprop {property}")).await, "333", "{place}");
            assert_eq!(hand.say("getprop debug.farmjank.looper").await, "", "{place}");
        }
    });
}

#[test]
fn a_crash_a_hang_and_a_cleared_log_are_noticed() {
    each_phone(&lab(), 7, async |hand| {
        let place = &hand.facts.id;
        hand.open("shop://feed").await;
        let cleared = hand.log(1, &[FLING, "logcat -c", FLING]).await;
        assert!(
            cleared.doubts.iter().any(|doubt| doubt.contains("main log")),
            "{place}: {:?}",
            cleared.doubts
        );
        let phone = hand.lab.phone(&place.0).expect("a phone");
        phone.set_fault(farmjank_lab::phone_fault::PhoneFault::CrashApp {
            at: phone.now().ns() + 2_000_000_000,
        });
        let crashed = hand.log(2, &["sleep 4"]).await;
        let crash = |entry: &farmjank_results::logcat_events::LogEntry| matches!(&entry.what, LogEvent::Crash(text) if text.contains("IllegalState"));
        assert_eq!(crashed.entries.iter().filter(|entry| crash(entry)).count(), 1, "{place}: {crashed:?}");
        hand.open("shop://feed").await;
        phone.set_fault(farmjank_lab::phone_fault::PhoneFault::FrozenApp);
        let hung = hand.log(3, &[FLING, "sleep 6"]).await;
        let anr = hung.entries.iter().filter(|entry| matches!(entry.what, LogEvent::Anr(_))).count();
        assert_eq!(anr, 1, "{place}: {hung:?}");
    });
}
