//! What the adb protocol offers for a phone that does not answer. Never the end of the server: others use it.

use crate::adb::link::{Server, after};
use crate::adb::refusal::{LinkError, shown};
use crate::adb::roster::is_network_address;
use crate::adb::services::plain_serial;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use std::time::Duration;
use tokio::time::timeout;

/// How long a phone may take from being told to boot until its connection ends.
const GOES_DOWN: Duration = Duration::from_secs(10);

/// Does one step; what the server said of it.
pub(crate) async fn recover(server: &Server, phone: &DeviceId, step: RecoveryStep) -> Result<String, Fault> {
    let serial = server.serial(phone);
    let said = match step {
        RecoveryStep::Reopen if is_network_address(serial) => return connect_anew(server, phone).await,
        RecoveryStep::Reopen => server.ask("host:reconnect-offline", server.quick()).await,
        RecoveryStep::Reconnect if plain_serial(serial) => {
            server.ask(&format!("host-serial:{serial}:reconnect"), server.quick()).await
        }
        RecoveryStep::Reconnect => {
            server.ask_through_transport(phone, "host:reconnect", server.quick()).await
        }
        RecoveryStep::Reboot => reboot(server, phone).await.map(|()| Vec::new()),
    };
    let said = said.map_err(|error| server.subject_of(phone).fault(error))?;
    Ok(shown(&String::from_utf8_lossy(&said)).trim().to_owned())
}

/// `adb disconnect`. The server answers with `OKAY` and words.
pub(crate) async fn disconnect(server: &Server, phone: &DeviceId) -> Result<(), Fault> {
    let serial = server.serial(phone);
    match server.ask(&format!("host:disconnect:{serial}"), server.quick()).await {
        // It was not on the list: so much the better.
        Ok(_) | Err(LinkError::Refused(_)) => Ok(()),
        Err(error) => Err(server.subject_of(phone).fault(error)),
    }
}

/// The same, and `adb connect`.
pub(crate) async fn connect_anew(server: &Server, phone: &DeviceId) -> Result<String, Fault> {
    let serial = server.serial(phone);
    disconnect(server, phone).await?;
    let said = server.ask(&format!("host:connect:{serial}"), server.quick()).await;
    let said = said.map_err(|error| server.subject_of(phone).fault(error))?;
    let said = shown(&String::from_utf8_lossy(&said)).trim().to_owned();
    match said.starts_with("connected to") || said.starts_with("already connected") {
        true => Ok(said),
        false => Err(Fault::new(FaultCode::Refused, format!("`adb connect {}`: {said}", shown(serial)))
            .passing()
            .advise("see whether the phone is on the network and listens for adb (`adb tcpip 5555`)")),
    }
}

async fn reboot(server: &Server, phone: &DeviceId) -> Result<(), LinkError> {
    let deadline = after(GOES_DOWN);
    let _place = server.place(deadline).await?;
    let mut link = server.connect(deadline).await?;
    link.request(&format!("host:transport:{}", server.serial(phone)), "reaching the phone").await?;
    link.request("reboot:", "telling the phone to boot").await?;
    // Its daemon prints nothing and goes away with the phone.
    let ended = async { while link.bytes().await.is_ok_and(|bytes| !bytes.is_empty()) {} };
    let _ = timeout(GOES_DOWN, ended).await;
    Ok(())
}
