//! One file per verb. Each returns the exit code.

pub mod ab;
pub mod analyze;
pub mod baseline;
pub mod calibrate;
pub mod check;
pub mod compare;
pub mod completions;
pub mod config;
pub mod devices;
pub mod doctor;
pub mod history;
pub mod init;
pub mod lab;
mod lab_health;
pub mod merge;
pub mod metrics;
pub mod overview;
pub mod plan;
pub mod prove;
pub mod quarantine;
pub mod report;
pub mod run;
pub mod runs;
pub mod show;
mod survey;
pub mod trend;
pub mod view;
