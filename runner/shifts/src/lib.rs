//! A run over the hosts of a farm. One end conducts it ([`conductor`]): plans from the phones that agents registered
//! ([`note`]), offers each host its shift ([`shift`]), gathers what all of them say into one log, and closes it as any
//! run is closed. The other end ([`agent`]) owns phones ([`bench`]), takes shifts, measures with the same engine, and
//! keeps what happened until the log has it.
//!
//! ```
//! use farmjank_results::event::Fact;
//! use farmjank_shifts::said::Said;
//! use std::collections::BTreeSet;
//!
//! // A host speaks of its own jobs, and of nothing else.
//! let noticed = |job| Said::Fact(Fact::Noticed { job: Some(job), what: "hot".to_owned() });
//! let own = BTreeSet::from([3]);
//! assert!(noticed(3).is_of(&own, &BTreeSet::new()) && !noticed(4).is_of(&own, &BTreeSet::new()));
//! ```
//!
//! Must not know: which server is between them, adb, files, how scenarios are written.

pub mod agent;
pub mod bench;
pub mod brought;
mod carrying;
mod cease;
pub mod conductor;
pub mod evidence;
pub mod gc;
pub mod note;
mod outage;
mod outlet;
pub mod quota;
pub mod runs;
pub mod said;
pub mod service;
pub mod sharing;
mod sheet;
pub mod shift;
pub mod turns;
mod working;
