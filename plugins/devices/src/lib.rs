//! Phones over adb: transport, provider, files.
//!
//! Reading order: [`adb::wire`] and [`adb::packets`] (bytes, no I/O) → [`adb::listing`], [`adb::roster`],
//! [`adb::lines`], [`adb::refusal`], [`adb::address`] (pure meaning) → `adb::link`, [`adb::services`], `adb::shell`,
//! `adb::files`, [`adb::stream`] (one connection each) → `adb::state`, [`adb::device`], [`adb::watch`], [`adb::provider`] (many phones).
//!
//! Knows what adb bytes mean; must not know what Android commands mean. Every wait has a bound; every stream that ends
//! without saying how is a fault.

pub mod adb;

pub use adb::options::{Heartbeat, Options};
pub use adb::provider::AdbProvider;
