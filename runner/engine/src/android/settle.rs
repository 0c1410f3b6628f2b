//! Bringing a phone into a state worth measuring, and saying why it is not.

use super::together::together;
use super::{clip, state};
use crate::patience::Patience;
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::time::ClockMap;
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use std::time::Duration;
use tokio::time::sleep;

/// Wakes the phone and dismisses a keyguard without a lock. A lock that stays is a fault with advice.
pub async fn wake(device: &dyn Device, patience: &Patience) -> Result<(), Fault> {
    match woken(device, patience).await? {
        Ok(()) => return Ok(()),
        // The screen comes on and the keyguard goes by an animation: one more look before giving up.
        Err(_) => sleep(Duration::from_secs(1)).await,
    }
    woken(device, patience).await?
}

/// Wakes it and looks, in one call; the inner fault is what it still is.
async fn woken(device: &dyn Device, patience: &Patience) -> Result<Result<(), Fault>, Fault> {
    let lines = [
        "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard",
        "dumpsys power | grep mWakefulness=",
        "dumpsys window policy",
    ];
    let [_, power, policy] = together(device, lines, patience.dump).await?;
    if state::awake(&power.text()) == Some(false) {
        let fault = Fault::new(Blame::Lab, "screen_off", "the screen stays off");
        let fault = fault.advise("press its power button; a phone that is off shows no frames");
        return Ok(Err(fault.passing()));
    }
    if state::keyguard(&policy.text()) == Some(true) {
        let fault = Fault::new(Blame::Lab, "locked", "the lock screen is in front");
        return Ok(Err(fault.passing().advise("unlock the phone and remove its screen lock")));
    }
    Ok(Ok(()))
}

/// BOOTTIME against MONOTONIC, from the header of `dumpsys gfxinfo`: of the system's own UI, which always runs, else
/// of the app.
pub async fn clock(device: &dyn Device, app: &str, patience: &Patience) -> Result<ClockMap, Fault> {
    let mut said = String::new();
    for package in ["com.android.systemui", app] {
        let text = device
            .shell(&format!("dumpsys gfxinfo {} | head -n 4", quote(package)), patience.dump)
            .await?
            .text();
        if let Some(clock) = read_clock(&text) {
            return Ok(clock);
        }
        said = text;
    }
    let what =
        format!("the phone's two clocks cannot be told apart: `dumpsys gfxinfo` says {}", clip(&said, 120));
    Err(Fault::new(Blame::Lab, "clock_unknown", what).passing())
}

/// `Uptime: 116130041 Realtime: 256466559`
fn read_clock(text: &str) -> Option<ClockMap> {
    let line = text.lines().find(|line| line.starts_with("Uptime:"))?;
    let mut words = line.split_whitespace();
    let uptime = words.nth(1)?.parse().ok()?;
    (words.next()? == "Realtime:").then_some(())?;
    Some(ClockMap::from_header_ms(uptime, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::time::Span;

    #[test]
    fn the_header_gives_the_offset_of_the_clocks() {
        let text = "Applications Graphics Acceleration Info:\nUptime: 116130041 Realtime: 256466559\n";
        assert_eq!(read_clock(text).unwrap().offset, Span::from_ms(256_466_559 - 116_130_041));
        assert_eq!(read_clock("No process found for: com.a"), None);
    }
}
