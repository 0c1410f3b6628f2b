//! The in-memory way to a lab's servers: real adb bytes through a pipe, no socket.

use crate::lab::LiveLab;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::host::{Address, Dial, Wire};
use std::rc::Rc;

/// Room of a connection in each direction, bytes: some dozens of dumps.
const ROOM: usize = 256 * 1024;

/// Dials the servers of a running lab. Must be used inside the lab's `LocalSet`.
pub struct LabDial {
    lab: Rc<LiveLab>,
}

impl LabDial {
    /// For a lab.
    pub fn new(lab: Rc<LiveLab>) -> Self {
        LabDial { lab }
    }
}

impl Dial for LabDial {
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>> {
        Box::pin(async move {
            let refused = |why: String| Fault::new(FaultCode::Refused, why);
            let Address::Lab(number) = to else {
                return Err(refused(format!("{to} is not a server of the virtual lab"))
                    .advise("a lab run reaches virtual phones only; leave out --lab to use real ones"));
            };
            let Some(server) = self.lab.server(*number) else {
                return Err(refused(format!("the lab has no server {number}")));
            };
            if !server.is_up() {
                return Err(refused(format!("virtual server {to} is down")).passing());
            }
            let (near, far) = tokio::io::duplex(ROOM);
            tokio::task::spawn_local(server.clone().serve(far));
            Ok(Box::new(near) as Box<dyn Wire>)
        })
    }
}
