//! One phone: a pure function of seed, time and the commands it received.
//!
//! Nothing here reads a clock or draws from a shared generator. Must not know how commands arrive (adb, shell).

mod activity;
mod clock;
mod command;
mod dumpsys;
mod fault;
mod files;
mod input;
mod install;
mod intent;
mod keys;
mod lab_time;
mod log;
mod packages;
mod processes;
mod programs;
mod replay;
mod services;
mod sessions;
mod settings;
mod state;
mod storage;
mod tools;
mod tracing;
mod usage;

pub use command::{Answer, Running};
pub use lab_time::LabTime;
pub(crate) use lab_time::WALL_START_S;
pub use sessions::{CONFIG_MOST, CONFIGS, TRACES};
pub use state::Phone;
