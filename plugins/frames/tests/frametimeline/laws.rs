//! What holds for any trace: order, pieces, packing and cuts do not change what whole packets say; no bytes cause a
//! panic.

use super::told::read;
use super::writer::*;
use farmjank_frames::frametimeline::{TraceReader, read_trace};
use proptest::prelude::*;

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    prop::collection::vec((0..4_i64, 0..2_i64, any::<bool>()), 1..25).prop_map(|kinds| {
        let frame = |(nth, (app, sf, dropped)): (usize, (i64, i64, bool))| Frame {
            token: 8 * nth as i64,
            app,
            sf,
            dropped: dropped && nth % 3 == 1,
        };
        kinds.into_iter().enumerate().map(frame).collect()
    })
}

fn pieces(
    bytes: &[u8],
    sizes: &[usize],
) -> Result<farmjank_frames::frametimeline::Trace, farmjank_seams::source::Unreadable> {
    let mut reader = TraceReader::default();
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, left) = rest.split_at((*sizes.next().expect("a cycle")).min(rest.len()));
        reader.feed(piece);
        rest = left;
    }
    reader.finish()
}

proptest! {
    #[test]
    fn the_order_of_packets_does_not_matter(frames in frames(), seed in any::<u64>()) {
        let packets = session(&frames);
        let mut mixed = packets.clone();
        let mut state = seed | 1;
        for index in (1..mixed.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            mixed.swap(index, (state >> 33) as usize % (index + 1));
        }
        prop_assert_eq!(read(&mixed), read(&packets));
    }

    #[test]
    fn neither_pieces_nor_packing_matter(
        frames in frames(),
        sizes in prop::collection::vec(1..500_usize, 1..20),
        runs in prop::collection::vec((1..40_usize, 0..3_u8), 1..20),
    ) {
        let packets = session(&frames);
        let whole = read(&packets);
        prop_assert_eq!(&pieces(&packets.concat(), &sizes).expect("the same"), &whole);
        let (mut rest, mut packed) = (packets.as_slice(), Vec::new());
        for (size, kind) in runs.iter().cycle() {
            let (run, left) = rest.split_at((*size).min(rest.len()));
            packed.push(match kind { 0 => run.concat(), 1 => zlib(run), _ => zstd(run) });
            rest = left;
            if rest.is_empty() { break; }
        }
        prop_assert_eq!(&read(&packed), &whole);
        prop_assert_eq!(&pieces(&packed.concat(), &sizes).expect("the same"), &whole);
    }

    #[test]
    fn a_cut_trace_gives_its_whole_packets(frames in frames(), share in 0.0..1.0_f64, zip in any::<bool>()) {
        let packets = session(&frames);
        let packets: Vec<Vec<u8>> = if zip { packets.chunks(5).map(zlib).collect() } else { packets };
        let bytes = packets.concat();
        let cut = (bytes.len() as f64 * share) as usize;
        let (mut end, mut whole) = (0, 0);
        for packet in &packets {
            if end + packet.len() > cut { break; }
            end += packet.len();
            whole += 1;
        }
        match (read_trace(&bytes[..cut]), read_trace(&bytes[..end])) {
            (Ok(cut_off), Ok(clean)) => {
                prop_assert_eq!(cut_off.cut, cut > end);
                prop_assert_eq!(cut_off.processes, clean.processes);
                prop_assert!(zip || cut_off.packets == whole);
            }
            (cut_off, clean) => prop_assert_eq!(cut_off.is_err(), clean.is_err()),
        }
    }

    #[test]
    fn damaged_traces_are_read_or_refused_and_never_a_panic(
        frames in frames(),
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
        sizes in prop::collection::vec(1..300_usize, 1..5),
    ) {
        let mut bytes = session(&frames).concat();
        for (index, byte) in &hits {
            let at = index.index(bytes.len());
            bytes[at] = *byte;
        }
        let whole = read_trace(&bytes);
        prop_assert_eq!(&pieces(&bytes, &sizes), &whole);
        if let Ok(trace) = whole {
            for frame_timeline in trace.by_name().values() {
                farmjank_results::frame_timeline::samples(frame_timeline);
                frame_timeline.joints();
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), sizes in prop::collection::vec(1..50_usize, 1..5)) {
        prop_assert_eq!(&pieces(&bytes, &sizes), &read_trace(&bytes));
    }
}
