//! The statistics of the gate: pure, seeded, no I/O, no clock. Numbers in, numbers and one of seven states out.
//!
//! The unit is the iteration, inside blocks (sessions); never the frame. Read in this order: [`sample`] (iterations in blocks) →
//! [`rank`] (is there a difference?), [`beyond`] (are some terrible?) and [`size`] (how large?) → [`power`] (does it matter, could it have been seen?) →
//! [`compare`] (one cell, one call), [`installations`] (whose iterations are alike) or [`session`] (a stored baseline), [`rare`] (events a mean
//! cannot see) → [`many`] and
//! [`looks`] (many cells, further looks) → [`state`] (the verdict); [`change`] looks at nights, [`needed`] at what is not measured yet.
//! [`noise`] and [`proving`] try it all.
//! All randomness comes from [`chance`], so one seed gives one answer to the last bit.

pub mod beyond;
pub mod binomial;
pub mod chance;
pub mod change;
pub mod compare;
pub mod installations;
pub mod looks;
pub mod many;
pub mod needed;
pub mod noise;
pub mod normal;
pub mod power;
pub mod proving;
pub mod rank;
pub mod rare;
pub mod sample;
pub mod session;
pub mod size;
pub mod state;
pub mod student;

pub use compare::{CellComparison, Incomparable, Whole, compare_cell};
pub use power::Mei;
pub use sample::{Better, Sample};
pub use session::{SessionComparison, compare_sessions, compare_sessions_beside};
pub use size::Unseen;
pub use state::{Grounds, Means, State};
