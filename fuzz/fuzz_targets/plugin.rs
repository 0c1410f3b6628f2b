//! Target of libFuzzer: what plugins say. What it does is in the crate's library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| farmjank_fuzz::plugin(bytes));
