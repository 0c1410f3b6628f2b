//! Target of libFuzzer: call stacks, method traces, issues of Matrix. What it does is in the crate's library.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| farmjank_fuzz::stacks(bytes));
