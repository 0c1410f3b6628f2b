//! Many hosts, one run: what they say to each other ([`frames`]), in which order it counts ([`order`]), who holds what
//! ([`lease`]), and what is kept until the other end has it ([`journal`], [`gathering`]), most of it on disk
//! ([`spool`]). The store between them is a meeting place that may forget: [`model`] is one in memory that misbehaves
//! by seed.
//!
//! Must not know: engine, phones, what facts mean, files, the network.
//!
//! ```
//! use farmjank_farm::subjects::Names;
//!
//! let names = Names::of("pay").expect("a word");
//! assert_eq!(names.log("20260301-1200", 1, "0003-rack"), "fj.log.pay.20260301-1200.1.rack.0003");
//! assert!(Names::of("pay.>").is_err(), "a name that would mean more than itself is refused");
//! ```

pub mod bucket;
pub mod digest;
pub mod frames;
pub mod gathering;
pub mod head;
pub mod journal;
pub mod keys;
pub mod lease;
pub mod model;
pub mod nats;
pub mod numbered;
pub mod order;
pub mod reads;
pub mod roles;
pub mod roster;
pub mod run_note;
pub mod sending;
pub mod spill;
pub mod spool;
pub mod subjects;
