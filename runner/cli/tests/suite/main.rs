//! The `farmjank` binary as users meet it: exit codes, messages, files, and the stock adb between it and the lab.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests live in the real world")]

mod absent;
#[cfg(unix)]
mod act;
mod analyze;
mod analyze_dumps;
mod analyze_kinds;
mod analyze_trace;
mod beside;
mod bisected;
mod causes;
mod ci_files;
mod claims;
mod compare;
mod config;
mod daily;
mod deliveries;
mod example_bundle;
mod failures;
mod farm;
mod first;
mod flows;
mod foreign;
#[cfg(unix)]
mod github_action;
mod handed;
mod help;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod hostile_names;
mod installed;
mod inventory;
#[cfg(target_os = "linux")]
mod kit;
mod lab_files;
mod lab_health;
mod live;
mod merge;
mod metrics;
mod nights;
mod notify;
#[cfg(unix)]
mod other_kits;
mod outside;
#[cfg(unix)]
mod packed;
#[cfg(unix)]
mod plugins;
mod prepared;
mod prove;
mod quarantine;
mod recorder;
mod recover;
mod reports;
mod resume;
mod run;
#[cfg(unix)]
mod secrets;
mod server;
mod servers;
mod spread;
mod stillness;
mod stock_adb;
mod stores;
mod suggest;
mod tickets;
mod turns;
mod usage;
mod watched;
#[cfg(unix)]
mod watching;
mod world;
