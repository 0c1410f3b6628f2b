//! Bringing a phone into a state worth measuring, and saying why it is not.

use super::together::together;
use super::{clip, state};
use crate::patience::Patience;
use farmjank_results::fault::{Fault, FaultCode};
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

/// What tells whether a phone is awake and unlocked.
pub(crate) const AWAKE: [&str; 2] = ["dumpsys power | grep mWakefulness=", "dumpsys window policy"];

/// Wakes it and looks, in one call; the inner fault is what it still is.
async fn woken(device: &dyn Device, patience: &Patience) -> Result<Result<(), Fault>, Fault> {
    let lines = ["input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard", AWAKE[0], AWAKE[1]];
    let [_, power, policy] = together(device, lines, patience.dump).await?;
    Ok(asleep(&power.text(), &policy.text(), "stays off", "is in front").map_or(Ok(()), Err))
}

/// Why a phone shows no frames of any app, from its answers to [`AWAKE`]; nothing where it does, or does not say.
fn asleep(power: &str, policy: &str, off: &str, locked: &str) -> Option<Fault> {
    if state::awake(power) == Some(false) {
        let fault = Fault::new(FaultCode::ScreenOff, format!("the screen {off}")).passing();
        return Some(fault.advise("press its power button; a phone that is off shows no frames"));
    }
    if state::keyguard(policy) == Some(true) {
        let fault = Fault::new(FaultCode::Locked, format!("the lock screen {locked}")).passing();
        return Some(fault.advise("unlock the phone and remove its screen lock"));
    }
    None
}

/// The same of a phone that was awake and unlocked when the trial began.
pub(crate) fn fell_asleep(power: &str, policy: &str) -> Option<Fault> {
    asleep(power, policy, "went off in the middle of the trial", "came up in the middle of the trial")
}

/// Why a step of a trial failed, where the phone was the cause: the fault it failed with, unless the phone fell asleep.
pub async fn behind(device: &dyn Device, fault: Fault, patience: &Patience) -> Fault {
    match together(device, AWAKE, patience.dump).await {
        Ok([power, policy]) => match fell_asleep(&power.text(), &policy.text()) {
            Some(asleep) if asleep.code != fault.code => {
                Fault { what: format!("{} (seen as: {})", asleep.what, clip(&fault.what, 200)), ..asleep }
            }
            _ => fault,
        },
        Err(lost) if lost.is_lost() => lost,
        Err(_) => fault,
    }
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
    Err(Fault::new(FaultCode::ClockUnknown, what).passing())
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
    fn a_phone_that_fell_asleep_or_was_locked_is_said_to_be_so() {
        let words =
            |power: &str, policy: &str| fell_asleep(power, policy).map(|fault| (fault.code, fault.what));
        let awake = "  mWakefulness=Awake\n";
        assert_eq!(words(awake, "showing=false"), None);
        assert_eq!(words("", ""), None);
        let (code, what) = words("  mWakefulness=Asleep\n", "showing=true").expect("asleep");
        assert_eq!(
            (code.word(), what.as_str()),
            ("screen_off", "the screen went off in the middle of the trial")
        );
        let (code, what) = words(awake, "showing=true").expect("locked");
        assert_eq!(
            (code.word(), what.as_str()),
            ("locked", "the lock screen came up in the middle of the trial")
        );
    }

    #[test]
    fn the_header_gives_the_offset_of_the_clocks() {
        let text = "Applications Graphics Acceleration Info:\nUptime: 116130041 Realtime: 256466559\n";
        assert_eq!(read_clock(text).unwrap().offset, Span::from_ms(256_466_559 - 116_130_041));
        assert_eq!(read_clock("No process found for: com.a"), None);
    }
}
