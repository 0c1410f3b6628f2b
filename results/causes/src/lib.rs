//! Why a frame was late: what threads did in its time, labelled, held against frames in time, added up exactly.
//!
//! ```
//! use farmjank_causes::fact::{Fact, Segment, State};
//! use farmjank_causes::frame::{Blamed, Frame};
//! use farmjank_causes::inquiry::Inquiry;
//! use farmjank_causes::threads::Threads;
//!
//! // A frame whose main thread was blocked for the whole forty milliseconds by which it missed its deadline.
//! let (ms, mut threads) = (1_000_000, Threads::default());
//! let main = threads.in_process(7, 7);
//! let (from, done, deadline, to) = (100 * ms, 140 * ms, Some(100 * ms), 150 * ms);
//! let blamed = Blamed { app: true, ..Blamed::default() };
//! let (process, token, layer, shown_by) = (7, 1, "com.shop/com.shop.Main#1".to_owned(), None);
//! let (hitch, period) = (40 * ms, 10 * ms);
//! let frame = Frame { process, token, layer, from, done, deadline, to, shown_by, hitch, period, blamed };
//! let mut inquiry = Inquiry::about(vec![frame]);
//! let (state, io) = (State::Blocked, Some(true));
//! let (cpu, waker, interrupt) = (None, None, false);
//! inquiry.take(&Fact::State(Segment { thread: main, from, to: Some(done), state, cpu, waker, interrupt, io }));
//! let found = inquiry.finish(&threads, None);
//! assert_eq!((found.totals[0].us, found.unexplained_us), (40_000, 0));
//! assert_eq!(found.totals[0].cause.sentence(), "main waits for the disk");
//! ```
//!
//! Pure: facts come in as plain values ([`fact`]), whoever read them. Times are ns of one clock, that of the facts.
//! Must not know traces, files, or how anything is printed.

pub mod add;
pub mod ask;
pub mod cause;
pub mod contention;
pub mod fact;
pub mod facts;
pub mod frame;
pub mod held;
pub mod inquiry;
pub mod kind;
pub mod lanes;
mod leaf;
pub mod section;
pub mod stacks;
pub mod stall;
pub mod threads;
pub mod told;
pub mod total;
