//! The real world for tests that need it: sockets on loopback and the real clock.
#![allow(
    dead_code,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "tests may touch the world"
)]

use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::host::{Address, Dial, Wire};
use std::rc::Rc;

/// Dials over TCP.
pub struct TcpDial;

impl Dial for TcpDial {
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>> {
        Box::pin(async move {
            let Address::Tcp(host, port) = to else { panic!("{to} is not reached over TCP") };
            match tokio::net::TcpStream::connect((host.as_str(), *port)).await {
                Ok(stream) => Ok(Box::new(stream) as Box<dyn Wire>),
                Err(error) => Err(Fault::new(FaultCode::Refused, format!("{to}: {error}")).passing()),
            }
        })
    }
}

pub fn dial() -> Rc<dyn Dial> {
    Rc::new(TcpDial)
}

/// Runs a test on the real clock, with local tasks.
pub fn live<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test)
}
