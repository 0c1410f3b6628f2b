//! The virtual phone lab: phones that print what real phones print, with the truth beside it.

pub mod apk;
pub mod app;
pub mod archetype;
pub mod chance;
pub mod daemon;
pub mod dial;
pub mod dumps;
pub mod fault;
pub mod lab;
pub mod phone;
pub mod phone_sim;
pub mod serve;
pub mod server;
pub mod shell;
pub mod spec;
pub mod transcript;
pub mod truth;
