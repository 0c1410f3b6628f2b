//! Target of libFuzzer: pictures of late frames. What it does is in the crate's library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| farmjank_fuzz::lanes(bytes));
