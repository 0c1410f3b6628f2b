//! The phone's log: outputs with every kind of line, real `Davey!` lines, and what may be missing.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::Logcat;
use farmjank_frames::logcat::{read_line, read_message};
use farmjank_results::device::App;
use farmjank_results::logcat_events::{LogEvent, LogWatch};
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::{BootTime, ClockMap, DeviceTime, Span};
use farmjank_seams::probe::{ProbeOutput, ProbeReader};
use farmjank_seams::source::Unreadable;
use proptest::prelude::*;

const MARK: &str = "farmjank-log kept 10123 - 4000,4001
farmjank-log slow 80
farmjank-log pids 4711
farmjank-log nonce 42
";

/// What end prints around these lines of the log.
fn output(mark: &str, oldest: &str, log: &str) -> ProbeOutput {
    let bytes = format!(
        "farmjank-log pids 4711\nfarmjank-log oldest main\n--------- beginning of main\n{oldest}\n\
         farmjank-log oldest system\n--------- beginning of system\n     1.000  1412  1412 I SystemServer: x\n\
         farmjank-log lines\n{log}farmjank-log end\n"
    );
    ProbeOutput { bytes: bytes.into_bytes(), mark: mark.as_bytes().to_vec(), began: None, ended: None }
}

const OLD: &str = "     1.000  1412  1412 I zygote  : x";

fn read(output: &ProbeOutput, clock: Option<ClockMap>) -> Result<LogWatch, Unreadable> {
    match Logcat::default().read(output, &App("com.example.shop".to_owned()), clock)? {
        SideReading::Log(watch) => Ok(watch),
        other => panic!("{other:?}"),
    }
}

const LOG: &str = "--------- beginning of main
   100.000  4711  4711 W Looper  : Slow dispatch took 95ms main h=a.B c=null m=1
   101.000  9000  9000 I farmjank: begin 42
   101.500  4711  4711 W Looper  : Slow dispatch took 812ms main h=android.os.Handler c=com.example.shop.Sync$1@12ab m=0
   101.501  4711  4711 W Looper  : Slow delivery took 700ms main h=android.os.Handler c=null m=3
   101.600  5555  5555 W Looper  : Slow dispatch took 999ms main h=android.os.Handler c=null m=0
   102.000  4711  4711 I Choreographer: Skipped 49 frames!  The application may be doing too much work.
   103.000  4711  4729 I HWUI    : Davey! duration=842ms; Flags=0, FrameTimelineVsyncId=5, IntendedVsync=102158000000, Vs
   104.000  1412  1433 I am_anr  : [0,4711,com.example.shop,952680005,Input dispatching timed out (a, b)]
   104.100  1412  1433 E ActivityManager: ANR in com.example.shop (com.example.shop/.Main)
   104.100  1412  1433 E ActivityManager: PID: 4711
   104.100  1412  1433 E ActivityManager: Reason: Input dispatching timed out (a, b)
   104.200  1412  1433 I am_anr  : [0,5555,com.other,952680005,whatever]
   105.000  4711  4711 E AndroidRuntime: FATAL EXCEPTION: main
   105.000  4711  4711 E AndroidRuntime: Process: com.example.shop, PID: 4711
   105.000  4711  4711 E AndroidRuntime: java.lang.IllegalStateException: no
   105.000  4711  4711 E AndroidRuntime: \tat a.b.c(D.java:1)
   105.010  1412  1433 I am_crash: [4711,0,com.example.shop,1,java.lang.IllegalStateException,no,D.java,1]
   105.500  1412  1433 I am_proc_start: [0,4999,10123,com.example.shop,activity,{com.example.shop/.Main}]
   105.600  4999  4999 I Choreographer: Skipped 30 frames!  The application may be doing too much work.
   106.000  9001  9001 I farmjank: end 42
   107.000  4711  4711 I Choreographer: Skipped 99 frames!  The application may be doing too much work.
";

fn ms(ms: i64) -> DeviceTime {
    DeviceTime::from_ns(ms * 1_000_000)
}

#[test]
fn every_kind_of_line_becomes_one_entry_of_the_app_s_own_processes() {
    let watch = read(&output(MARK, OLD, LOG), None).unwrap();
    assert_eq!(watch.span, Some((ms(101_000), ms(106_000))));
    assert_eq!((watch.slow_ms, &watch.not_enabled, watch.doubts.as_slice()), (Some(80), &None, &[][..]));
    let told: Vec<(i64, i32, String)> = watch
        .entries
        .iter()
        .map(|entry| {
            let what = match &entry.what {
                LogEvent::SlowMessage { took, handler, callback, .. } => {
                    format!("slow {} {handler} {callback}", took.ms())
                }
                LogEvent::SlowDelivery { took, .. } => format!("delivery {}", took.ms()),
                LogEvent::SkippedFrames(frames) => format!("skipped {frames}"),
                LogEvent::Davey { took, vsync_id, .. } => format!("davey {} {vsync_id:?}", took.ms()),
                LogEvent::Anr(why) => format!("anr {why}"),
                LogEvent::Crash(why) => format!("crash {why}"),
            };
            (entry.at.ns() / 1_000_000, entry.pid, what)
        })
        .collect();
    let expected = [
        (101_500, 4711, "slow 812 android.os.Handler com.example.shop.Sync$1"),
        (101_501, 4711, "delivery 700"),
        (102_000, 4711, "skipped 49"),
        (103_000, 4711, "davey 842 Some(5)"),
        (104_000, 4711, "anr Input dispatching timed out (a, b)"),
        (105_000, 4711, "crash java.lang.IllegalStateException: no"),
        (105_600, 4999, "skipped 30"),
    ];
    let expected: Vec<_> = expected.map(|(at, pid, what)| (at, pid, what.to_owned())).to_vec();
    assert_eq!(told, expected);
}

#[test]
fn the_system_s_word_is_taken_where_the_event_is_not_there() {
    let log: String =
        LOG.lines().filter(|line| !line.contains(" am_")).map(|line| format!("{line}\n")).collect();
    let watch = read(&output(MARK, OLD, &log), None).unwrap();
    let anr = watch.entries.iter().find(|entry| matches!(entry.what, LogEvent::Anr(_))).unwrap();
    assert_eq!((anr.pid, &anr.what), (4711, &LogEvent::Anr("Input dispatching timed out (a, b)".to_owned())));
}

#[test]
fn an_overflow_is_a_doubt_and_an_old_enough_ring_is_none() {
    let without = LOG.replace("begin 42", "begin 41");
    let clock = ClockMap { offset: Span::from_ms(1_000_000), uncertainty: Span::from_ms(11) };
    let mut stamped = output(MARK, OLD, &without);
    stamped.began = Some(BootTime::from_ns(1_101_000_000_000));
    let watch = read(&stamped, Some(clock)).unwrap();
    assert_eq!(watch.doubts, [""; 0], "the ring goes back far enough");
    assert_eq!(watch.span.map(|span| span.0), Some(ms(101_000)));
    let young = "   101.200  1412  1412 I zygote  : x";
    let mut lost = output(MARK, young, &without);
    lost.began = stamped.began;
    assert!(read(&lost, Some(clock)).unwrap().doubts[0].contains("main log overflowed"));
    let blind = read(&output(MARK, OLD, &without), None).unwrap();
    assert!(blind.doubts[0].contains("nothing tells"), "{:?}", blind.doubts);
    let chatty = LOG.replace(
        "   102.000  4711",
        "   101.900  4711  4711 I chatty  : uid=10123(com.example.shop) expire 12 lines\n   102.000  4711",
    );
    assert_eq!(
        read(&output(MARK, OLD, &chatty), None).unwrap().doubts,
        ["the log dropped 12 lines of the app"]
    );
}

#[test]
fn a_watch_that_could_not_see_says_why() {
    let not_enabled = |mark: &str| read(&output(mark, OLD, LOG), None).unwrap();
    let before = not_enabled(&MARK.replace("4000,4001", "4711"));
    assert_eq!(before.slow_ms, None);
    assert!(before.not_enabled.unwrap().contains("started before"));
    assert!(
        not_enabled(&MARK.replace("kept 10123 - 4000,4001", "kept "))
            .not_enabled
            .unwrap()
            .contains("not enabled")
    );
    assert!(
        not_enabled(&MARK.replace("slow 80", "slow "))
            .not_enabled
            .unwrap()
            .contains("does not let the shell")
    );
    let nobody = MARK.replace("pids 4711", "pids ");
    let mut empty = output(&nobody, OLD, "   101.000  9000  9000 I farmjank: begin 42\n");
    empty.bytes = String::from_utf8(empty.bytes).unwrap().replace("pids 4711", "pids ").into_bytes();
    assert!(read(&empty, None).unwrap().doubts[0].contains("no process"));
}

#[test]
fn half_an_output_is_refused() {
    let whole = output(MARK, OLD, LOG);
    let cut = ProbeOutput { bytes: whole.bytes[..whole.bytes.len() - 5].to_vec(), ..whole };
    assert!(matches!(read(&cut, None), Err(Unreadable::Garbled(_))));
}

#[test]
fn real_davey_lines_of_every_release_are_read() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/real-dumps/misc/davey-logcat-lines-android12to15.txt"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: no real dumps beside the repository");
        return;
    };
    let mut told = Vec::new();
    for line in text.lines() {
        let line = read_line(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        told.push((line.pid, read_message(line.tag, line.message).unwrap_or_else(|| panic!("{line:?}"))));
    }
    let davey = |ms, intended, id| LogEvent::Davey {
        took: Span::from_ms(ms),
        intended: Some(DeviceTime::from_ns(intended)),
        vsync_id: id,
    };
    assert_eq!(told[0], (32_679, davey(1_450, 211_747_512_111_689, Some(136_180_891))));
    assert_eq!(told[2], (24_426, LogEvent::SkippedFrames(49)));
    assert_eq!(told[4], (29_330, LogEvent::SkippedFrames(155)));
    let last = told.last().unwrap();
    assert_eq!(*last, (1_012, davey(1_354, 1_966_484_195_404_271, None)));
    assert_eq!(told.len(), 8);
}

proptest! {
    #[test]
    fn no_bytes_panic(
        edits in prop::collection::vec((any::<usize>(), 0usize..300, prop::collection::vec(any::<u8>(), 0..12)), 0..12),
        mark in prop::collection::vec(any::<u8>(), 0..200),
        marked: bool,
    ) {
        let mut output = output(MARK, OLD, LOG);
        for (at, cut, insert) in edits {
            let at = at % (output.bytes.len() + 1);
            let end = (at + cut).min(output.bytes.len());
            output.bytes.splice(at..end, insert);
        }
        if marked {
            output.mark = mark;
        }
        if let Ok(watch) = read(&output, None) {
            prop_assert!(watch.entries.len() <= 100);
            prop_assert!(watch.entries.windows(2).all(|pair| pair[0].at <= pair[1].at));
        }
    }

    #[test]
    fn any_line_is_a_line_or_none(line in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Some(line) = read_line(&line) {
            read_message(line.tag, line.message);
        }
        for tag in [&b"Looper"[..], b"Choreographer", b"HWUI"] {
            read_message(tag, &line);
        }
    }

    #[test]
    fn messages_read_back(took in 0i64..1_000_000, handler in "[a-zA-Z.$]{1,40}", callback in "[a-zA-Z.$ =]{1,40}") {
        prop_assume!(callback != "null");
        let text = format!("Slow dispatch took {took}ms main h={handler} c={callback} m=0");
        let read = read_message(b"Looper", text.as_bytes());
        let callback = callback.trim().to_owned();
        let slow = LogEvent::SlowMessage { took: Span::from_ms(took), thread: "main".into(), handler, callback };
        prop_assert_eq!(read, Some(slow));
    }
}
