//! Threads, slices and calls in Perfetto traces: made by hand, and a real one held against Perfetto's own reader.

mod hostile;
mod judge;
mod stacks;
mod told;
mod writer;
