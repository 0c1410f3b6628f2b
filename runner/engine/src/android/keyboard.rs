//! Whether a keyboard is up, by `dumpsys input_method`.

use super::clip;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::Device;
use std::time::Duration;

/// The lines that tell, of all Android releases: the service's own, and on Android 14 and newer that of its windows.
const ASK: &str = "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'";

/// Whether a keyboard is up.
pub async fn is_up(device: &dyn Device, patience: Duration) -> Result<bool, Fault> {
    let output = device.shell(ASK, patience).await?;
    let text = output.text();
    if text.trim().is_empty() {
        let what =
            format!("the phone does not say whether a keyboard is up: {}", clip(&output.err_text(), 200));
        return Err(Fault::new(FaultCode::UiUnreadable, what).passing());
    }
    Ok(text.split_whitespace().any(|word| word == "mInputShown=true"))
}
