//! Is the new build slower than the old one? Sessions of cells in, a state and a sentence per cell out
//! (docs/compare.md).
//!
//! [`measured`] takes what a run measured apart into sessions, [`compare`] matches them with a baseline's, chooses the
//! test the design allows, and decides; a [`Baseline`] is a set of sessions with a name, a date and a person. Pure: no
//! files, no clock; numbers come from `farmjank-statistics`. Values are in their metric's unit, times in motion in s.

mod ab_schedule;
mod apart;
mod baseline;
mod bisected;
mod bisection;
mod by_cell;
mod calibrated;
mod compared;
mod decide;
mod effect;
mod groups;
mod guards;
mod installs;
mod interleaved;
mod matching;
mod measured;
mod needs;
mod noise_nights;
mod one_session;
mod phones;
mod plain;
mod rolling;
mod rules;
#[cfg(test)]
mod samples;
pub(crate) mod sentence;
mod undecided;
mod weigh;

pub use ab_schedule::{AbRules, AbSchedule, LOOKS, Next};
pub use apart::compare_run;
pub use baseline::{Baseline, BaselineError, Move, merged};
pub use bisected::{Comparison, Followed, comparison, deciding_cell};
pub use bisection::{Ask, Bisection, Found, Held};
pub use calibrated::{CUSTOMARY, Itself, Noise, noise, selves};
pub use compared::{CellCompared, Compared, Design, Independent, Role, Source, State, Terrible};
pub use decide::compare;
pub use effect::Effect;
pub use interleaved::{Sampled, in_doubt, interleaved, primary_cells, siblings};
pub use measured::{Looked, Measured, measured, primary};
pub use needs::{Calibrated, Expected, Need, needs};
pub use plain::{PlainError, read_plain};
pub use rolling::{ROLLING, alerts, with_alerts};
pub use rules::{Given, Installations, Rules};

pub(crate) use effect::customary;
pub(crate) use guards::refresh as panel_rate;
pub(crate) use matching::is_sound;
#[cfg(test)]
pub(crate) use samples::session;
pub(crate) use weigh::late_frame;

pub use farmjank_statistics::state::MINIMUM;
