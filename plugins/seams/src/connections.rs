//! Phones on the network of which an adb server is told.

use crate::Work;

/// Tells an adb server of phones on the network.
pub trait Connections {
    /// Connects anew to `host:port`; what the server said. That a phone is ready is seen elsewhere. Bounded. Faults:
    /// `refused` with the server's words, `no_server`, `timeout`.
    fn connect<'a>(&'a self, address: &'a str) -> Work<'a, String>;
    /// Forgets a phone; that is no fault where it was not known.
    fn disconnect<'a>(&'a self, address: &'a str) -> Work<'a, ()>;
}
