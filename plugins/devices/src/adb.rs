//! The adb client side: smart sockets, shell protocol v2, tracking, files. See the crate root for the reading order.

pub mod address;
pub mod device;
mod files;
pub mod lines;
mod link;
pub mod listing;
mod liveness;
pub mod options;
pub mod packets;
pub mod provider;
mod recover;
pub mod refusal;
pub mod roster;
pub mod services;
mod shell;
pub mod start;
mod state;
pub mod stream;
mod task;
pub mod watch;
pub mod wire;

pub use address::{AddressError, servers_from_env, servers_named};
pub use listing::{Row, parse_devices_l};
pub use start::{StartPolicy, Started, ensure_server};
