//! Conducts a run. Knows the seams and the pure crates, never a concrete plugin.
//!
//! ```
//! use farmjank_engine::dispatch::{Dispatch, Input, Order, Rules};
//! use farmjank_results::device::DeviceId;
//! use farmjank_results::event::PlannedJob;
//! use farmjank_results::time::{RunTime, Span};
//!
//! let rules = Rules { absence: Span::from_ms(60_000), retries: 1, backoff: Span::from_ms(500), most_running: 8 };
//! let phone = DeviceId("R5CT1".to_owned());
//! let job = |number| PlannedJob {
//!     job: number,
//!     scenario: "Home feed".to_owned(),
//!     file: "feed.yaml".to_owned(),
//!     hash: String::new(),
//!     app: "com.example.shop".to_owned(),
//!     tags: Vec::new(),
//!     device: Some(phone.clone()),
//!     iterations: 5,
//!     warmup: 1,
//!     windows: Vec::new(),
//!     effect: None,
//!     shard: None,
//!     iterations_of: None,
//!     spares: Vec::new(),
//!     usual_ms: None,
//! };
//!
//! // Which job when: a pure machine. A phone does one job after the other, and the first when it is there.
//! let mut dispatch = Dispatch::new(rules, &[job(0), job(1)]);
//! let now = RunTime::from_ns(0);
//! assert_eq!(dispatch.step(now, Input::Present(phone.clone())), [Order::Start(0, phone.clone())]);
//! let orders = dispatch.step(now, Input::Ended(0, None));
//! assert_eq!(orders, [Order::Judge(0, None), Order::Start(1, phone)]);
//! ```
//!
//! Read in this order: [`conduct`] (a run) → [`job_runner`] (its jobs) → [`dispatch`] (which job when, pure) → [`job`]
//! and [`trial`] (one job, one pass) → [`perform`] (one step) beside [`observe`] and [`collect`] (frames) → `measure`
//! (frames to readings, by [`farmjank_measure`]).

mod ab_job;
pub mod android;
pub mod announce;
pub mod borrowed;
pub mod builds;
pub mod claiming;
mod collect;
mod companion;
pub mod conduct;
pub mod deadline;
mod deploy;
pub mod device_session;
pub mod diagnose;
pub mod diagnosis;
pub mod dispatch;
mod during;
pub mod fail_fast;
mod failure;
mod flow_state;
mod hooked;
pub mod installing;
pub mod job;
pub mod job_runner;
mod ledger;
pub mod log;
mod masked;
mod measure;
pub mod merged;
pub mod observe;
pub mod options;
pub mod patience;
mod perform;
pub mod pictures;
pub mod planned;
mod prepare;
pub mod presence;
pub mod probes;
pub mod progress;
pub mod prove;
pub mod reboots;
pub mod recovery;
pub mod rerun;
pub mod resume;
mod screens;
pub mod scribe;
mod slug;
pub mod standing;
pub mod still;
pub mod stop;
pub mod survey;
mod thumbnail;
pub mod touched;
pub mod traced;
pub mod trial;
pub mod undo;
