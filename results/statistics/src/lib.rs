//! The statistics of the gate: pure, seeded, no I/O, no clock. Numbers in, numbers and one of seven states out.
//!
//! ```
//! use farmjank_statistics::{Better, Mei, Sample, Unseen, compare_cell};
//!
//! // Hitch time of fifteen iterations of each build, ms/s, measured in turn in three blocks of five.
//! let samples = |more: f64| -> Vec<Sample> {
//!     (0..15).map(|nth| Sample::new(nth / 5, f64::from(nth * 7 % 5) + more)).collect()
//! };
//! let unseen = Unseen { step: 0.5, matters: 10.0, calibrated: None };
//! let cell = compare_cell(&samples(2.0), &samples(40.0), Better::Lower, Mei::Hitch, unseen, 1)?;
//! assert!(cell.estimate == 38.0 && cell.p_worse < 0.001);
//! // Surely by more than matters: max(10, 4 √base) ms/s.
//! assert!(cell.interval.is_some_and(|(least, _)| least > 10.0));
//! # Ok::<(), farmjank_statistics::Incomparable>(())
//! ```
//!
//! The unit is the iteration, inside blocks (sessions); never the frame. Read in this order: [`sample`] (iterations in
//! blocks) → [`rank`] (is there a difference?), [`beyond`] (are some terrible?) and [`size`] (how large?) → [`power`]
//! (does it matter, could it have been seen?) → [`compare`] (one cell, one call), [`installations`] (whose iterations
//! are alike) or [`session`] (a stored baseline), [`rare`] (events a mean cannot see) → [`many`] and [`looks`] (many
//! cells, further looks) → [`state`] (the verdict); [`change`] looks at nights, [`needed`] at what is not measured yet,
//! [`further`] at the limits an unchanged build keeps, [`shift`] at a few iterations of two kinds. `ci` tries it all:
//! its noise model, and nights, labs and A/B runs drawn from it. All randomness comes from [`chance`], so one seed
//! gives one answer to the last bit.

pub mod beyond;
pub mod binomial;
pub mod chance;
pub mod change;
pub mod compare;
pub mod further;
pub mod hypergeometric;
pub mod installations;
pub mod looks;
pub mod many;
pub mod needed;
pub mod normal;
pub mod power;
pub mod rank;
pub mod rare;
pub mod sample;
pub mod session;
pub mod shift;
pub mod size;
pub mod state;
pub mod student;

pub use compare::{CellComparison, Incomparable, Whole, compare_cell};
pub use power::Mei;
pub use sample::{Better, Sample};
pub use session::{SessionComparison, compare_sessions_beside};
pub use size::Unseen;
pub use state::{Grounds, Means, State};
