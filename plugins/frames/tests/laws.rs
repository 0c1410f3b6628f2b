//! Laws of the readers: nothing panics, memory is bounded by the input, and what was written is read back.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::gfxinfo::read_framestats;
use farmjank_frames::surfaceflinger::read_latency;
use farmjank_frames::{read_auto, read_clock, read_frameless};
use farmjank_results::frame::{Row, SourceId, Stamp};
use farmjank_results::time::{DeviceTime, Span};
use proptest::prelude::*;

fn evidence() -> Vec<Vec<u8>> {
    let folder = |kind: &str| format!("{}/evidence/{kind}", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = ["latency", "framestats", "list"]
        .iter()
        .flat_map(|kind| {
            std::fs::read_dir(folder(kind)).expect("evidence").map(|entry| entry.expect("a file").path())
        })
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// Reads a text in every way; returns rows read.
fn read_all(bytes: &[u8]) -> usize {
    let mut rows = 0;
    for hint in [None, Some(SourceId::SurfaceFlinger), Some(SourceId::Gfxinfo)] {
        match read_auto(bytes, hint) {
            Ok((_, samples)) => rows += samples.iter().map(|(_, sample)| sample.rows.len()).sum::<usize>(),
            Err(error) => assert!(format!("{error:?}").len() < 4000, "messages are bounded"),
        }
    }
    read_clock(bytes);
    rows
}

#[derive(Clone, Debug)]
enum Edit {
    Flip(usize, u8),
    Cut(usize, usize),
    Repeat(usize, usize),
    Insert(usize, Vec<u8>),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Edit::Flip(at, byte)),
        (any::<usize>(), 0usize..4000).prop_map(|(at, length)| Edit::Cut(at, length)),
        (any::<usize>(), 0usize..4000).prop_map(|(at, length)| Edit::Repeat(at, length)),
        (
            any::<usize>(),
            prop::sample::select(vec![
                &b"\n"[..],
                b",",
                b"\0",
                b"---PROFILEDATA---\n",
                b"Flags,",
                b"99999999999999999999",
                b"-",
                b"\xff\xfe",
                b"** Graphics info for pid ",
            ])
        )
            .prop_map(|(at, text)| Edit::Insert(at, text.to_vec())),
    ];
    prop::collection::vec(edit, 1..12)
}

fn edited(mut bytes: Vec<u8>, edits: Vec<Edit>) -> Vec<u8> {
    for edit in edits {
        let place = |at: usize| at % (bytes.len() + 1);
        match edit {
            Edit::Flip(at, byte) => {
                let at = place(at);
                if let Some(old) = bytes.get_mut(at) {
                    *old = byte;
                }
            }
            Edit::Cut(at, length) => {
                let at = place(at);
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Edit::Repeat(at, length) => {
                let at = place(at);
                let copy = bytes[at..(at + length).min(bytes.len())].to_vec();
                bytes.splice(at..at, copy);
            }
            Edit::Insert(at, text) => {
                let at = place(at);
                bytes.splice(at..at, text);
            }
        }
    }
    bytes
}

fn stamp() -> impl Strategy<Value = i64> {
    1i64..i64::MAX
}

fn row() -> impl Strategy<Value = Row> {
    let maybe = || prop::option::of(stamp().prop_map(DeviceTime::from_ns));
    let present = prop_oneof![
        9 => stamp().prop_map(|at| Stamp::At(DeviceTime::from_ns(at))),
        1 => Just(Stamp::Pending),
    ];
    (present, maybe(), maybe()).prop_map(|(present, desired, ready)| Row {
        present,
        desired,
        ready,
        intended: None,
    })
}

/// The row as the phone prints it, blanks chosen by `blank`.
fn printed(row: &Row, blank: &str) -> String {
    let time = |time: Option<DeviceTime>| time.map_or(i64::MAX, DeviceTime::ns);
    let present = match row.present {
        Stamp::At(at) => at.ns(),
        Stamp::Pending => i64::MAX,
    };
    format!("{}{blank}{present}{blank}{}", time(row.desired), time(row.ready))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(read_all(&bytes) <= bytes.len());
    }

    #[test]
    fn any_text_that_looks_right_is_read_or_refused(lines in prop::collection::vec("[0-9\t ,-]{0,60}|Flags,[A-Za-z,]{0,40}|---PROFILEDATA---", 0..40)) {
        let text = lines.join("\n");
        prop_assert!(read_all(text.as_bytes()) <= text.len());
    }

    #[test]
    fn mutated_dumps_are_read_or_refused(which in any::<prop::sample::Index>(), edits in edits()) {
        let all = evidence();
        let bytes = edited(all[which.index(all.len())].clone(), edits);
        prop_assert!(read_all(&bytes) <= bytes.len());
    }

    #[test]
    fn printed_rows_read_back(
        period in 1_000_000i64..1_000_000_000,
        rows in prop::collection::vec(row(), 1..127),
        zeros in 0usize..50,
        blank in prop::sample::select(vec!["\t", " ", "   ", "\t \t"]),
        end in prop::sample::select(vec!["\n", "\r\n", " \n"]),
        warned in any::<bool>(),
    ) {
        let mut text = String::new();
        if warned {
            text += "SurfaceFlinger appears to be unresponsive, dumping anyways (no locks held)\n";
        }
        text += &format!("{period}{end}");
        for _ in 0..zeros { text += &format!("0{blank}0{blank}0{end}"); }
        for row in &rows { text += &format!("{}{end}", printed(row, blank)); }
        text += end;
        let blocks = read_latency(text.as_bytes()).expect("a block");
        prop_assert_eq!(blocks.len(), 1);
        prop_assert_eq!(&blocks[0].rows, &rows);
        prop_assert_eq!(blocks[0].zero_rows as usize, zeros);
        prop_assert_eq!(blocks[0].invalid_rows + blocks[0].ignored_rows, 0);
        prop_assert_eq!(blocks[0].period, Some(Span::from_ns(period)));
        prop_assert_eq!(blocks[0].capacity() as usize, (zeros + rows.len()).max(64));
    }

    #[test]
    fn framestats_rows_read_back_whatever_the_order_of_their_columns(
        starts in prop::collection::btree_set(1_000_000_000i64..900_000_000_000, 1..120),
        order in Just(vec!["IntendedVsync", "Vsync", "SyncStart", "FrameCompleted", "Unknown", "FrameInterval"]).prop_shuffle(),
        took in 1_000_000i64..40_000_000,
    ) {
        let mut text = "Uptime: 1000000 Realtime: 2000000\n** Graphics info for pid 9 [p] **\n---PROFILEDATA---\n".to_owned();
        text += &format!("Flags,{},\n", order.join(","));
        for start in &starts {
            let cell = |name: &&str| match *name {
                "IntendedVsync" => *start,
                "Vsync" => start + 1000,
                "SyncStart" => start + 2000,
                "FrameCompleted" => start + took,
                "FrameInterval" => 8_333_333,
                _ => -7,
            };
            text += &format!("0,{},\n", order.iter().map(|name| cell(name).to_string()).collect::<Vec<_>>().join(","));
        }
        text += "---PROFILEDATA---\n";
        let windows = read_framestats(text.as_bytes(), None).expect("a window");
        let read: Vec<_> = windows[0].sample.rows.iter().map(|row| (row.intended.map(DeviceTime::ns), row.present)).collect();
        let expected: Vec<_> =
            starts.iter().map(|start| (Some(*start), Stamp::At(DeviceTime::from_ns(start + took)))).collect();
        prop_assert_eq!(read, expected);
        prop_assert_eq!(windows[0].sample.period, Some(Span::from_ns(8_333_333)));
        prop_assert_eq!(windows[0].sample.invalid_rows, 0);
    }
}

#[test]
fn content_decides_which_source_a_file_is_from() {
    let folder = |kind: &str| {
        std::fs::read_dir(format!("{}/evidence/{kind}", env!("CARGO_MANIFEST_DIR"))).expect("evidence")
    };
    for (kind, source) in [("latency", SourceId::SurfaceFlinger), ("framestats", SourceId::Gfxinfo)] {
        for entry in folder(kind) {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let read = read_auto(&std::fs::read(&path).expect("a file"), None);
            match read {
                Ok((found, samples)) => {
                    assert!(name.starts_with("android") || name.starts_with("one-"), "{name}");
                    assert_eq!(found, source, "{name}");
                    assert!(samples.iter().any(|(_, sample)| !sample.rows.is_empty()), "{name}");
                }
                Err(error) => assert!(!name.contains("hz"), "{name}: {error:?}"),
            }
        }
    }
}

#[test]
fn other_files_are_refused_by_name() {
    use farmjank_seams::source::Unreadable::{Garbled, Refused};
    for (bytes, words) in [
        (&b""[..], "empty"),
        (b"\n \n", "empty"),
        (b"DISPLAY MANAGER (dumpsys display)\n", "a `dumpsys display` dump"),
        (b"Starting: Intent { cmp=a/.B }\nStatus: ok\n", "the output of `am start`"),
        (b"\x0a\x12\x08\0\0\0", "Perfetto"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"hello world\n", "`hello world`"),
        (b"SurfaceFlinger TimeStats:\nstatsStart = 1\n", "--timestats"),
    ] {
        assert!(matches!(read_auto(bytes, None), Err(Garbled(what)) if what.contains(words)), "{words}");
    }
    let offline = read_auto(b"error: device offline\n", None);
    assert!(matches!(offline, Err(Refused(what)) if what.contains("adb cannot talk")));
}

#[test]
fn a_dump_without_frames_is_still_a_sample_of_its_ring() {
    let zeros = format!("8333333\r\n{}", "0\t0\t0\r\n".repeat(127));
    let samples = read_frameless(zeros.as_bytes()).expect("an empty ring");
    assert_eq!((samples.len(), samples[0].1.zero_rows, samples[0].1.rows.len()), (1, 127, 0));
    let alone = read_frameless(b"8333333\n\n").expect("a period");
    assert_eq!((alone.len(), alone[0].1.zero_rows), (1, 0));
    for other in
        [&b"8333333\n1\t2\t3\n"[..], b"", b"hello\n", b"\x1f\x8b\x08\0", b"No process found for: a\n"]
    {
        assert_eq!(read_frameless(other), None);
    }
}

#[test]
fn spacing_and_terminal_lines_around_a_saved_dump_change_nothing() {
    let plain = "8333333\n1\t9000000\t2\n3\t18000000\t4\n5\t27000000\t6\n";
    let read = |text: &str| read_auto(text.as_bytes(), None).map(|(_, samples)| samples).expect("a dump");
    let expected = read(plain);
    assert_eq!((expected.len(), expected[0].1.rows.len()), (1, 3));
    assert_eq!(read(&plain.replace('\n', "\n\n")), expected);
    assert_eq!(read(&plain.replace('\n', "\r\r\n")), expected);
    let copied = format!(
        "* daemon not running; starting now at tcp:5037\n$ adb shell dumpsys SurfaceFlinger --latency a/b#0\n{plain}"
    );
    assert_eq!(read(&copied), expected);
    let layer = "1\t2\t3\n".repeat(127);
    assert_eq!(read(&format!("8333333\n{layer}\n{layer}\n")).len(), 2, "Android 7: two layers of one name");
}
