//! What proves the statistics of the gate: noise as phones are known to have it, and nights, labs and A/B runs drawn
//! from it, judged by the code that ships. `cargo ci stats` prints what comes of it.
//!
//! ```
//! use farmjank_ci::noise::PROFILES;
//! use farmjank_ci::proving::Pool;
//! use farmjank_ci::proving::cells::Interleaved;
//! use farmjank_statistics::rank::Tests;
//!
//! // The same phone twice, fifteen iterations each, in turn: a test at 5 % must rarely tell them apart.
//! let pool = Pool::loose(PROFILES[1].hitches(20.0, 400, 1));
//! let mut tests = Tests::default();
//! let alarms = (0..100).filter_map(|nth| Interleaved::of(15).rejects(&pool, &pool, 9, nth, &mut tests).share());
//! assert!(alarms.sum::<f64>() < 15.0);
//! ```

pub mod noise;
pub mod proving;
