//! The shell lines that record a trace, and what is made of what they print.

use super::writer::*;
use farmjank_frames::FrameTimeline;
use farmjank_results::device::{App, DeviceFacts, DeviceId};
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::{ClockMap, Span};
use farmjank_seams::probe::{Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::source::Unreadable;

fn facts(sdk: u32) -> DeviceFacts {
    DeviceFacts {
        id: DeviceId("p1".to_owned()),
        model: "P".to_owned(),
        manufacturer: "P".to_owned(),
        sdk,
        release: "12".to_owned(),
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
        is_virtual: false,
        tags: Default::default(),
    }
}

fn app() -> App {
    App("com.shop".to_owned())
}

fn read(bytes: Vec<u8>, mark: &[u8], clock: Option<ClockMap>) -> Result<SideReading, Unreadable> {
    FrameTimeline::default().read(
        &ProbeOutput { bytes, mark: mark.to_vec(), began: None, ended: None },
        &app(),
        clock,
    )
}

#[test]
fn only_android_12_and_newer_is_offered() {
    assert!(
        FrameTimeline::default().offer(&facts(31)).is_ok()
            && FrameTimeline::default().offer(&facts(36)).is_ok()
    );
    assert!(FrameTimeline::default().offer(&facts(30)).is_err());
    assert_eq!(
        (FrameTimeline::default().scope(), FrameTimeline::default().file()),
        (Scope::Trial, "trial.perfetto-trace")
    );
}

#[test]
fn the_beginning_waits_where_it_can_and_names_no_two_traces_alike() {
    let line = |sdk: u32, nonce: u64| FrameTimeline::default().begin(&facts(sdk), &app(), nonce);
    assert!(line(33, 1).contains("| perfetto -c - --txt --background-wait -o '/data/misc/perfetto-traces/farmjank-0000000000000001.perfetto-trace'; }"));
    assert!(line(32, 1).contains("--background -o") && line(32, 1).contains("; sleep 1; else"));
    assert_ne!(line(33, 1), line(33, 2));
    // One quoted word is all there is before the pipe.
    let config = line(33, 1)
        .split_once("; echo '")
        .map(|(_, rest)| rest.to_owned())
        .and_then(|rest| rest.split_once("' | ").map(|(config, _)| config.to_owned()));
    let config = config.expect("a quoted configuration");
    assert!(!config.contains('\'') && config.contains("android.surfaceflinger.frametimeline"), "{config}");
}

#[test]
fn nothing_but_a_number_becomes_part_of_the_end() {
    let line = |mark: &[u8]| FrameTimeline::default().end(&facts(33), &app(), 5, mark);
    assert!(line(b"12345\r\n").contains("kill -INT 12345 "));
    assert!(line(b"WARNING: linker: x\n 77 \n").contains("kill -INT 77 "));
    for hostile in
        [&b""[..], b"1; reboot\n", b"$(reboot)\n", b"-1\n", b"0\n", b"01\n", b"99999999999\n", b"\xff1\n"]
    {
        let line = line(hostile);
        assert!(!line.contains("kill") && !line.contains("reboot"), "{line}");
        assert!(line.starts_with("cat '/data/misc/") && line.contains("rm -f '/data/misc/"));
    }
}

#[test]
fn the_app_and_its_processes_are_kept_and_no_other() {
    let mut packets = session(&[Frame::in_time(1), Frame::in_time(2)]);
    let process = |name: &str| {
        let processes = bytes(1, &[number(1, APP), bytes(3, name.as_bytes())].concat());
        packet(&[bytes(2, &processes), number(10, 5)])
    };
    for (name, kept) in
        [("com.shop", true), ("com.shop:player", true), ("com.shopper", false), ("com.shop.other", false)]
    {
        packets[1] = process(name);
        match read(packets.concat(), b"1\n", None) {
            Ok(SideReading::Timeline(timeline)) => {
                assert_eq!(timeline.keys().collect::<Vec<_>>(), [name]);
                assert!(kept, "{name}");
            }
            Ok(other) => panic!("{other:?}"),
            Err(Unreadable::Missing(why)) => assert!(!kept && why.contains(name), "{why}"),
            Err(other) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_phone_that_slept_is_doubted_and_no_trace_says_what_was_printed() {
    let packets = session(&[Frame::in_time(1)]).concat();
    let doubts = |offset: i64| {
        let clock = ClockMap { offset: Span::from_ns(offset), uncertainty: Span::from_ms(11) };
        match read(packets.clone(), b"1\n", Some(clock)) {
            Ok(SideReading::Timeline(timeline)) => timeline["com.shop"].doubts.len(),
            other => panic!("{other:?}"),
        }
    };
    let second = 1_000_000_000;
    assert_eq!((doubts(OFFSET), doubts(OFFSET - second), doubts(OFFSET - second - 1)), (0, 0, 1));
    let why = read(Vec::new(), b"perfetto: permission denied", None).expect_err("nothing");
    assert!(why.words().contains("permission denied"), "{why:?}");
}
