//! Traces written by hand, in whole and in pieces, read back; and a real phone's trace.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

mod honest;
mod laws;
mod real;
mod recording;
mod told;
mod writer;
