//! Starting an adb server, and never ending one. Policy is passed in: the caller reads the environment.

use crate::adb::address::is_loopback;
use crate::adb::link::{Server, after};
use crate::adb::options::Options;
use crate::adb::refusal::{LinkError, shown};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::host::{Address, Dial, Spawn};
use std::rc::Rc;
use std::time::Duration;

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

/// Makes sure a server listens at `address`: starts one only after a refused connection, only on loopback, only when
/// the policy allows it, with `adb -P PORT start-server`. Never ends a server. Faults: `no_server` with advice when
/// none listens and none may be or could be started, `timeout`, `protocol`, `program_missing`.
pub async fn ensure_server(
    address: &Address,
    dial: Rc<dyn Dial>,
    spawn: &dyn Spawn,
    policy: &StartPolicy,
) -> Result<Started, Fault> {
    let server = Server::new(address.clone(), dial, Rc::new(Options::default()));
    let deadline = after(server.options.connect);
    let refused = match server.dial(deadline).await {
        Err(LinkError::Dial(fault)) if fault.code == FaultCode::Refused => fault,
        Err(error) => return Err(server.subject().fault(error)),
        Ok(_) => return server.version().await.map(|_| Started::Already),
    };
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
    server.version().await?;
    Ok(Started::Now)
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
