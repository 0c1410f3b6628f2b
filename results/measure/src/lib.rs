//! From what phones printed to windows and readings: the one way of measuring, for runs, reports and saved files. Pure:
//! no I/O, no async, no clock, and no reader of its own: readers come as values ([`readers`]).
//!
//! ```
//! use farmjank_frames::read_auto;
//! use farmjank_measure::saved::{Asked, Dumps, of_dumps};
//! # // What `dumpsys SurfaceFlinger --latency` prints: the refresh period, then a row for each frame (when it was meant to be
//! # // shown, when it was, when it was ready). Every vsync of 60 Hz has its frame, and one of them comes two vsyncs late.
//! # let mut text = String::from("16666667\n");
//! # for vsync in (1..=60).chain(63..=120) {
//! #     let present = 1_000_000_000 + vsync * 16_666_667_i64;
//! #     text += &format!("{present}\t{present}\t{present}\n");
//! # }
//! // Of what `dumpsys SurfaceFlinger --latency` printed, whatever a phone calls it.
//! let (source, rings) = read_auto(text.as_bytes(), None).map_err(|why| why.words().to_owned())?;
//! let mut dumps = Dumps::default();
//! dumps.take("latency.txt", source, rings, None)?;
//! let answer = of_dumps(&Asked::default(), dumps)?;
//! println!("{:?} fps, the longest frame {:?}", answer.readings["fps"], answer.readings["max_ms"]);
//! # let value = |key: &str| answer.readings[key].value().map(|value| (value * 10.0).round() / 10.0);
//! # assert_eq!(value("fps"), Some(59.0)); // 117 frames in 119 vsyncs
//! # assert_eq!(value("max_ms"), Some(50.0)); // three vsyncs between two frames
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Read in this order: [`seen`] (frames), [`probe_read`] (what probes said) and [`rings`] (timelines by layer) →
//! [`choice`] (which of them a window is judged by) → `cutting` (the window, and what stands beside it) → [`weigh`] (a
//! window's readings, at the end of a trial or again from its evidence, [`read_back`]), and [`saved`] (files somebody
//! saved by hand).

pub mod choice;
mod cutting;
pub mod probe_read;
pub mod read_back;
pub mod readers;
pub mod rings;
pub mod saved;
pub mod seen;
mod unmoved;
pub mod weigh;
