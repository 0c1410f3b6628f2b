//! Phones over adb: transport, provider, files.
//!
//! ```
//! use farmjank_devices::adb::listing::parse_devices_l;
//! use farmjank_seams::device::DeviceState;
//!
//! let listing = b"R5CT1 device usb:1-1 product:a14 model:SM_A145F device:a14 transport_id:3\nFA79 unauthorized usb:1-2 transport_id:4\n";
//! let rows = parse_devices_l(listing);
//! assert_eq!((rows[0].id.0.as_str(), rows[0].transport), ("R5CT1", Some(3)));
//! assert_eq!(rows[1].state, DeviceState::Unauthorized);
//! ```
//!
//! Reading order: [`adb::wire`] and [`adb::packets`] (bytes, no I/O) → [`adb::listing`], [`adb::roster`],
//! [`adb::lines`], [`adb::refusal`], [`adb::address`] (pure meaning) → `adb::link`, [`adb::services`], `adb::shell`,
//! `adb::files`, [`adb::stream`] (one connection each) → `adb::state`, [`adb::device`], [`adb::watch`],
//! [`adb::provider`] (many phones).
//!
//! Knows what adb bytes mean; must not know what Android commands mean. Every wait has a bound; every stream that ends
//! without saying how is a fault.

pub mod adb;

pub use adb::options::{Heartbeat, Options};
pub use adb::provider::AdbProvider;
