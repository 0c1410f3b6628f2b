//! Ports for servers that are told theirs before they start.
//!
//! A port that the system gave and that was let go again may be given to anybody before the server listens there: to
//! another listener, or to any connection that goes out. These are below the ones that systems give by themselves
//! (32768 to 60999 with Linux, 49152 to 65535 elsewhere), and none is handed out twice.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "asks the system")]

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// The first that is handed out, and how many there are.
const ALL: (u32, u32) = (20_000, 12_000);
/// Between where two tests start that run at the same time, as processes of successive numbers.
const APART: u32 = 37;

/// A port of 127.0.0.1 at which nobody listens, and which nobody here was given before.
///
/// # Panics
/// None of them is free.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(APART);
    for _ in 0..ALL.1 {
        let at = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % ALL.1;
        let port = u16::try_from(ALL.0 + at).expect("below 32768");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port from {} on is free", ALL.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_free_port_is_handed_out_once_is_none_the_system_gives_and_nobody_has_it() {
        let next = free_port() + 1;
        let listens = |port| Some((port, TcpListener::bind(("127.0.0.1", port)).ok()?));
        let held: Vec<(u16, TcpListener)> = (next..next + 20).filter_map(listens).collect();
        assert!(!held.is_empty());
        let ports: BTreeSet<u16> = (0..500).map(|_| free_port()).collect();
        assert_eq!(ports.len(), 500);
        assert!(ports.last() < Some(&32_768), "{ports:?}");
        assert!(held.iter().all(|(port, _)| !ports.contains(port)), "{held:?} {ports:?}");
    }
}
