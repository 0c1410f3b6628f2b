//! The small trace reader against a real phone's trace, so that it reads what phones write and not only what the lab
//! does.
#![expect(clippy::disallowed_methods, reason = "the file lies beside the repository")]

use crate::packets::read;

#[test]
fn a_real_trace_is_read_with_its_clocks_and_slices() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/real-dumps/frametimeline/google-perfetto-api32-startup-warm.perfetto-trace"
    );
    let Ok(file) = std::fs::read(path) else {
        println!("skipped: no {path}");
        return;
    };
    let trace = read(&file);
    assert_eq!(trace.packets, 63);
    assert_eq!(trace.slices.values().filter(|slice| slice.end.is_none()).count(), 1);
    // Clocks are read one after the other: snapshots differ by milliseconds.
    assert!((trace.offset - 62_091_860_000_000).abs() < 10_000_000, "{}", trace.offset);
    let named = trace.slices.values().filter(|slice| slice.kind > 2);
    assert!(named.clone().count() > 5);
    assert!(named.clone().all(|slice| slice.said[&5].1.starts_with("TX - ")));
}
