//! The profiler of Android phones: files as it writes them, made here for tests, and the real program where there is
//! one, on a program of our own whose methods and times are known.

mod real;
mod written;

pub use real::{Planted, Recorded, recorded, reported};
pub use written::{DEX, ELF, PerfFile};
