//! Target of libFuzzer: dumps of every kind, by every reader. What it does is in the crate's library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| farmjank_fuzz::dumps(bytes));
