//! Did a cell change its level, and since which night? Sessions of many nights in; lines of nights, their change points
//! and what is worth telling out (docs/design/statistics.md#nights).
//!
//! A *night* is one run. A *line* is one cell on one phone: what differs in anything is another line, and what took the
//! place of what is named ([`Trend::follows`]), never joined. [`change_points`] asks two rules of `farmjank-statistics`
//! where the level changed; [`sweep`] asks every line and puts the worst first. Pure: no store, no clock; values are in
//! their metric's unit.

mod change_point;
mod good;
mod line;
#[cfg(test)]
mod samples;
mod sentence;
mod succession;
mod sweep;

pub use change_point::{ChangePoint, ENOUGH, Way, change_points, least_change};
pub use good::{KEPT, good};
pub use line::{Line, Night, lines};
pub use sentence::sentence;
pub use succession::Over;
pub use sweep::{Standing, Sweep, Trend, sweep};
