//! Starting an adb server, and never ending one. Policy is passed in: the caller reads the environment.

use crate::adb::address::is_loopback;
use crate::adb::link::{Server, after};
use crate::adb::options::Options;
use crate::adb::refusal::{LinkError, shown};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::host::{Address, Dial, Spawn};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// Whether a server may be started, and with what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartPolicy {
    /// The adb program, when there is one.
    pub adb: Option<String>,
    /// `ANDROID_ADB_USER_MANAGED_MODE` says that the user starts servers himself.
    pub user_managed: bool,
    /// Longest wait for `adb start-server`; zero means 20 s.
    pub patience: Duration,
}

/// How a server came to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// It listened before.
    Already,
    /// It was started by this call.
    Now,
}

/// How often a server that goes while it is asked is looked at again, and how long after. Whoever uses an adb of
/// another version ends the server and starts his own: for a moment nobody listens.
const AGAIN: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);

/// Makes sure a server answers at `address`: starts one only after a refused connection, only on loopback, only when
/// the policy allows it, with `adb -P PORT start-server`. Never ends a server; one that ends while it is asked is
/// looked for again, three times. Faults: `no_server` with advice when none answers and none may be or could be
/// started, `timeout`, `protocol`, `program_missing`.
pub async fn ensure_server(
    address: &Address,
    dial: Rc<dyn Dial>,
    spawn: &dyn Spawn,
    policy: &StartPolicy,
) -> Result<Started, Fault> {
    let server = Server::new(address.clone(), dial, Rc::new(Options::default()));
    let mut started = Started::Already;
    let mut look = 0;
    loop {
        // Only a refused connection says that nobody listens; a server may refuse a question, too.
        match server.dial(after(server.options.connect)).await {
            Ok(_) => {}
            Err(LinkError::Dial(fault)) if fault.code == FaultCode::Refused && look < AGAIN => {
                start(address, spawn, policy, &fault).await?;
                started = Started::Now;
            }
            Err(error) => return Err(server.subject().fault(error)),
        }
        match server.version().await {
            Err(fault) if gone(&fault.code) && look < AGAIN => sleep(PAUSE).await,
            answer => return answer.map(|_| started),
        }
        look += 1;
    }
}

/// Whether a server that was there a moment ago may be gone.
fn gone(code: &FaultCode) -> bool {
    matches!(code, FaultCode::NoServer | FaultCode::Refused)
}

/// Starts a server where nobody listens.
async fn start(
    address: &Address,
    spawn: &dyn Spawn,
    policy: &StartPolicy,
    refused: &Fault,
) -> Result<(), Fault> {
    let (adb, port) = may_start(address, policy).map_err(|advice| {
        Fault::new(FaultCode::NoServer, format!("no adb server answers at {address}: {}", refused.what))
            .passing()
            .advise(advice)
    })?;
    let patience = if policy.patience.is_zero() { Duration::from_secs(20) } else { policy.patience };
    let (status, said) = spawn.run(adb, &["-P", &port.to_string(), "start-server"], patience).await?;
    if status != 0 {
        let said = shown(said.trim());
        return Err(Fault::new(
            FaultCode::NoServer,
            format!("`{adb} -P {port} start-server` ended with {status}: {said}"),
        )
        .advise("run it by hand to see why"));
    }
    Ok(())
}

/// The program and the port, or what to do instead.
fn may_start<'a>(address: &Address, policy: &'a StartPolicy) -> Result<(&'a str, u16), String> {
    let Address::Tcp(_, port) = address else {
        return Err("start the lab's server first".to_owned());
    };
    if !is_loopback(address) {
        return Err(
            "start it on that host, for example with `adb start-server`, and open a tunnel to it".to_owned()
        );
    }
    if policy.user_managed {
        return Err(
            "ANDROID_ADB_USER_MANAGED_MODE says that you start it yourself: `adb start-server`".to_owned()
        );
    }
    match &policy.adb {
        Some(adb) => Ok((adb, *port)),
        None => {
            Err("install adb (Debian: `apt install adb`) or name the server with ADB_SERVER_SOCKET"
                .to_owned())
        }
    }
}
