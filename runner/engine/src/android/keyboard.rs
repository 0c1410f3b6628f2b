//! Whether a keyboard is up, by `dumpsys input_method`.

use super::clip;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::Device;
use std::time::Duration;

/// The lines that tell, of all Android releases: the service's own, and on Android 14 and newer that of its windows.
const ASK: &str = "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'";

/// Up is what both words call so: each is true without a keyboard somewhere (docs/design/phones.md#keyboard).
fn said(text: &str) -> bool {
    let word = |wanted: &str| text.split_whitespace().any(|word| word == wanted);
    word("mInputShown=true") && !word("mIsInputViewShown=false")
}

/// Whether a keyboard is up.
pub async fn is_up(device: &dyn Device, patience: Duration) -> Result<bool, Fault> {
    let output = device.shell(ASK, patience).await?;
    let text = output.text();
    if text.trim().is_empty() {
        let what =
            format!("the phone does not say whether a keyboard is up: {}", clip(&output.err_text(), 200));
        return Err(Fault::new(FaultCode::UiUnreadable, what).passing());
    }
    Ok(said(&text))
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn a_keyboard_is_up_only_where_the_service_and_its_view_say_so() {
        let says = |service: bool, view: bool| {
            said(&format!(
                "  mShowForced=false mInputShown={service}\n  mExtractedToken=0 mIsInputViewShown={view} mStatusIcon=0\n"
            ))
        };
        assert!(says(true, true));
        assert!(!says(true, false), "a hardware keyboard");
        assert!(!says(false, true), "put away, on Android 16");
        assert!(!says(false, false));
        assert!(said("  mShowRequested=true mInputShown=true"), "the service prints nothing of its own");
    }
}
