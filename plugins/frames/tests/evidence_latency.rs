//! Latency texts and layer lists in the formats of Android 7 to 16, and what they must read as.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::surfaceflinger::{Block, choose, read_latency, read_list};
use farmjank_results::frame::Stamp;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_seams::source::Unreadable;

fn evidence(path: &str) -> Vec<u8> {
    let path = format!("{}/evidence/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn latency(name: &str) -> Result<Vec<Block>, Unreadable> {
    read_latency(&evidence(&format!("latency/{name}")))
}

fn presents(block: &Block) -> Vec<i64> {
    let present = |row: &farmjank_results::frame::Row| match row.present {
        Stamp::At(at) => Some(at.ns()),
        Stamp::Pending => None,
    };
    block.rows.iter().filter_map(present).collect()
}

fn counts(block: &Block) -> (usize, usize, u32, u32, u32, u32) {
    let valid = presents(block).len();
    (
        valid,
        block.rows.len() - valid,
        block.zero_rows,
        block.invalid_rows,
        block.ignored_rows,
        block.capacity(),
    )
}

#[test]
fn android_7_prints_a_block_for_each_layer_of_a_name() {
    let blocks = latency("android7-two-layers-one-name-60hz.txt").expect("two blocks");
    assert_eq!(blocks.len(), 2);
    assert_eq!(counts(&blocks[0]), (26, 1, 100, 0, 0, 127));
    assert_eq!(counts(&blocks[1]), (7, 0, 120, 0, 0, 127));
    assert_eq!((blocks[0].nth, blocks[1].nth, blocks[1].dump), (0, 1, 0));
    assert!(blocks.iter().all(|block| block.period == Some(Span::from_ns(16_666_667 - 1))));
    let pending = blocks[0].rows[26];
    assert_eq!(pending.present, Stamp::Pending);
    assert_eq!(pending.ready, None);
    assert!(pending.desired.is_some());
}

#[test]
fn android_10_may_warn_before_the_period_and_show_broken_fences() {
    let blocks = latency("android10-dumping-without-lock-90hz-full.txt").expect("a block");
    assert_eq!(counts(&blocks[0]), (124, 2, 0, 1, 0, 127));
    assert_eq!(blocks[0].period, Some(Span::from_ns(11_111_111)));
    assert!(presents(&blocks[0]).is_sorted());
    let unresponsive = latency("android9-unresponsive.txt").expect("a block");
    assert_eq!(counts(&unresponsive[0]), (3, 0, 124, 0, 0, 127));
}

#[test]
fn a_half_filled_ring_shows_its_empty_slots() {
    let blocks = latency("android12-blast-120hz-half-filled.txt").expect("a block");
    assert_eq!(counts(&blocks[0]), (67, 0, 60, 0, 0, 127));
    assert!(blocks[0].classic());
    let presents = presents(&blocks[0]);
    assert_eq!(presents[0], 9_100_000_000_000 + 8_311_900 - 45_000);
    assert!(blocks[0].rows.iter().all(|row| row.ready.is_some() && row.intended.is_none()));
}

#[test]
fn carriage_returns_change_nothing() {
    let blocks = latency("android15-crlf-144hz.txt").expect("a block");
    assert_eq!(counts(&blocks[0]), (127, 0, 0, 0, 0, 127));
    assert_eq!(blocks[0].period, Some(Span::from_ns(6_944_444)));
}

#[test]
fn the_newer_engine_prints_what_it_has_and_its_dropped_frames() {
    let blocks = latency("android16-history-dropped-frames-120hz.txt").expect("a block");
    assert_eq!(counts(&blocks[0]), (39, 0, 0, 0, 2, 64));
    assert!(!blocks[0].classic());
    let presents = presents(&blocks[0]);
    assert_eq!(presents.windows(2).filter(|pair| pair[0] == pair[1]).count(), 1, "two frames in one refresh");
}

#[test]
fn no_layer_container_and_refusals_are_told_apart() {
    assert!(
        matches!(latency("android14-layer-gone.txt"), Err(Unreadable::Missing(why)) if why.contains("period"))
    );
    assert!(
        matches!(latency("android13-container-all-zero.txt"), Err(Unreadable::Empty(why)) if why.contains("zero"))
    );
    for (name, words) in [
        ("refused-timeout.txt", "did not finish"),
        ("refused-permission.txt", "may not ask"),
        ("refused-no-service.txt", "not running"),
        ("refused-shell.txt", "does not have this command"),
    ] {
        assert!(matches!(latency(name), Err(Unreadable::Refused(why)) if why.contains(words)), "{name}");
    }
}

#[test]
fn other_text_is_garbled_with_the_line_that_gives_it_away() {
    for (text, line) in [
        ("", "(nothing)"),
        ("\n\n", "(nothing)"),
        ("hello\n16666666\n", "hello"),
        ("16666666\n1\t2\t3\nbye \u{1b}[2J\n", "bye \\u{1b}[2J"),
        ("1\t2\t3\n", "1\t2\t3"),
        ("16666666\n1 2\n3 4\n", "1 2"),
    ] {
        let error = read_latency(text.as_bytes()).expect_err(text);
        assert!(
            matches!(&error, Unreadable::Garbled(shown) if shown.replace("\\t", "\t") == line),
            "{text:?}: {error:?}"
        );
    }
    let long = format!("16666666\n{}\n", "x".repeat(1 << 20));
    let Err(Unreadable::Garbled(line)) = read_latency(long.as_bytes()) else { panic!("not garbled") };
    assert!(line.chars().count() < 130, "device text in messages is bounded");
}

#[test]
fn a_cut_row_is_counted_and_a_later_dump_in_the_same_text_is_another_dump() {
    let text = b"8333333\n10\t20000000000\t30\n40000000000\t50\n\n8333334\n70000000000 80000000000 90000000000\n12345678901\n";
    let blocks = read_latency(text).expect("two dumps");
    assert_eq!(blocks.iter().map(|block| (block.dump, block.nth)).collect::<Vec<_>>(), [(0, 0), (1, 0)]);
    assert_eq!(counts(&blocks[0]), (1, 0, 0, 1, 0, 64));
    assert_eq!(counts(&blocks[1]), (1, 0, 0, 1, 0, 64));
    assert_eq!(blocks[1].period, Some(Span::from_ns(8_333_334)));
    assert_eq!(blocks[0].rows[0].desired, Some(DeviceTime::from_ns(10)));
}

#[test]
fn a_period_that_is_none_is_not_taken_for_one() {
    let blocks = read_latency(b"0\n10 20 30\n").expect("a block");
    assert_eq!(blocks[0].period, None);
    assert_eq!(presents(&blocks[0]), [20]);
}

fn candidates(list: &str, package: &str) -> Vec<String> {
    let layers = read_list(&evidence(&format!("list/{list}.txt"))).expect("a list");
    choose(&layers, package, None).candidates.into_iter().map(|candidate| candidate.name).collect()
}

#[test]
fn every_release_names_its_layers_in_its_own_way() {
    let feed = "com.example.shop/com.example.shop.FeedActivity";
    let video = "com.example.shop/com.example.shop.VideoActivity";
    let app = "com.example.shop";
    assert_eq!(candidates("android7", app), [format!("SurfaceView - {video}"), feed.to_owned()]);
    let ten = [
        format!("SurfaceView - {video}#0"),
        format!("SurfaceView - {video}@8f8aa11@0#0"),
        format!("{feed}#0"),
    ];
    assert_eq!(candidates("android10", app), ten);
    let twelve =
        [format!("SurfaceView[{video}](BLAST)#0"), format!("{video}#0"), format!("SurfaceView[{video}]#0")];
    assert_eq!(candidates("android12", app), twelve);
    let fourteen = [
        format!("SurfaceView[{feed}]@0(BLAST)#851"),
        format!("{feed}#821"),
        format!("SurfaceView[{feed}]@0#850"),
    ];
    assert_eq!(candidates("android14", app), fourteen);
    let odd = "Notes z=5 it's $HOME `x` parentId=7 (com.example.shop/odd)#29150";
    assert_eq!(candidates("android15", app), [format!("{feed}#29149"), odd.to_owned()]);
    assert_eq!(
        candidates("android14", "com.example.shop.debug"),
        ["com.example.shop.debug/com.example.shop.FeedActivity#841"]
    );
    assert_eq!(candidates("android14", "com.example"), Vec::<String>::new());
}
