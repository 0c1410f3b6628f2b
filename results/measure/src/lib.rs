//! From what phones printed to windows and readings: the one way of measuring, for runs, reports and saved files. Pure: no
//! I/O, no async, no clock, and no reader of its own: readers come as values ([`readers`]).
//!
//! Read in this order: [`testify`] (what witnesses said) and [`rings`] (timelines by layer, and which of them a window is
//! judged by) → [`weigh`] (a window's readings, at the end of a
//! trial or again from its evidence), and [`saved`] (files somebody saved by hand).

pub mod readers;
pub mod rings;
pub mod saved;
pub mod testify;
pub mod weigh;
