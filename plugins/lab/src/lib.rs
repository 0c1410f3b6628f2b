//! The virtual phone lab: phones that print what real phones print, with the truth beside it.
//!
//! ```
//! use farmjank_lab::phone::{LabTime, Phone};
//! use farmjank_lab::spec::PhoneSpec;
//!
//! let spec = PhoneSpec { archetype: "pixel-8".to_owned(), ..PhoneSpec::default() };
//! let mut phone = Phone::new(&spec, "virtual-1".to_owned(), 7)?;
//! let argv = ["getprop", "ro.build.version.sdk"].map(str::to_owned);
//! let running = phone.begin(LabTime(0), &argv).ok_or("no such program")?;
//! let answer = phone.finish(LabTime(running.takes.ns()), running);
//! assert_eq!(answer.out, b"35\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ailments;
pub mod apk;
pub mod app;
pub mod archetype;
pub mod canvas;
pub mod chance;
pub mod daemon;
pub mod dial;
pub mod dumps;
pub mod fault;
pub mod hand;
pub mod lab;
mod lab_error;
pub mod latency;
pub mod live_phone;
pub mod phone;
mod phone_clock;
pub mod phone_fault;
mod phone_sim;
mod remedy;
pub mod serve;
pub mod server;
pub mod shell;
mod shell_process;
pub mod spec;
pub mod transcript;
pub mod truth;
