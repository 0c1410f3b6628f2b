//! Bringing a phone into a state worth measuring, and saying why it is not.

use super::foreign::{self, ForeignLoop, Signature};
use super::together::together;
use super::{app, clip, preflight, room, state};
use crate::patience::Patience;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::prepared::PhoneState;
use farmjank_results::time::{ClockMap, Span};
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

/// A phone as it was found when a job took it.
pub(crate) struct Found {
    /// What it is like.
    pub(crate) state: PhoneState,
    /// Loops of others that read its frames.
    pub(crate) loops: Vec<ForeignLoop>,
    /// Namespaces of settings it did not tell.
    pub(crate) untold: Vec<&'static str>,
    /// Why it shows no frames, where it does not.
    pub(crate) asleep: Option<Fault>,
}

/// Wakes the phone and dismisses a keyguard without a lock, and asks in the same call what else it is like.
pub(crate) async fn found(
    device: &dyn Device,
    sdk: u32,
    patience: &Patience,
    own: &Signature,
) -> Result<Found, Fault> {
    let [battery, heat, storage, global, system, secure, processes, focus] = preflight::lines(sdk);
    let lines =
        [WAKE, AWAKE[0], AWAKE[1], &battery, &heat, &storage, &global, &system, &secure, &processes, &focus];
    let [_, power, policy, answers @ ..] = together(device, lines, patience.launch).await?;
    let (mut state, untold) = preflight::read(&answers);
    let loops = foreign::read(&preflight::processes(&answers), own);
    let (power, policy) = (power.text(), policy.text());
    (state.awake, state.keyguard) = (state::awake(&power), state::keyguard(&policy));
    let mut asleep = asleep(&power, &policy, "stays off", "is in front");
    if asleep.is_some() {
        // The screen comes on and the keyguard goes by an animation: one more look before giving up.
        sleep(Duration::from_secs(1)).await;
        asleep = woken(device, patience).await?.err();
    }
    if asleep.is_none() {
        (state.awake, state.keyguard) = (state.awake.map(|_| true), state.keyguard.map(|_| false));
    }
    Ok(Found { state, loops, untold, asleep })
}

/// Wakes a phone.
const WAKE: &str = "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard";
/// What tells whether a phone is awake and unlocked.
pub(crate) const AWAKE: [&str; 2] = ["dumpsys power | grep mWakefulness=", "dumpsys window policy"];

/// Wakes it and looks, in one call; the inner fault is what it still is.
async fn woken(device: &dyn Device, patience: &Patience) -> Result<Result<(), Fault>, Fault> {
    let lines = [WAKE, AWAKE[0], AWAKE[1]];
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

/// Why a step of a trial failed, where something else was the cause: the fault it failed with, unless the phone fell
/// asleep, a dialog lies over the app, no room is left on the phone, or somebody else is at work there.
pub async fn behind(
    device: &dyn Device,
    (app, sdk, own): (&str, u32, &Signature),
    fault: Fault,
    patience: &Patience,
) -> Fault {
    let loops = foreign::line(sdk);
    let lines = [AWAKE[0], AWAKE[1], app::IN_FRONT, room::LEFT, &loops];
    let [power, policy, focus, left, loops] = match together(device, lines, patience.dump).await {
        Ok(answers) => answers,
        Err(lost) if lost.is_lost() => return lost,
        Err(_) => return fault,
    };
    let others = foreign::fault(&foreign::read(&loops.text(), own));
    let cause = fell_asleep(&power.text(), &policy.text())
        .or_else(|| app::dialog(app, &state::front(&focus.text())))
        .or_else(|| room::full(&left.text()).filter(|_| needs_room(&fault)));
    match cause {
        Some(cause) if cause.code != fault.code => {
            Fault { what: format!("{} (seen as: {})", cause.what, clip(&fault.what, 200)), ..cause }
        }
        _ => foreign::behind(others, fault),
    }
}

/// Faults that a full storage shows itself by: what is written there is empty, or refused.
fn needs_room(fault: &Fault) -> bool {
    use FaultCode::{ApkRefused, CommandFailed, FileRefused, UiUnreadable};
    matches!(fault.code, ApkRefused | CommandFailed | FileRefused | UiUnreadable)
}

/// How far two readings of the distance of a phone's clocks may lie apart, each ±11 ms, and what lies between reading
/// one clock and the other on a busy phone. A phone that was suspended was so for longer.
const CLOCKS_APART: Span = Span::from_ms(250);

/// The phone's clocks lie further apart than when the lease began, by a text that begins as `dumpsys gfxinfo` does;
/// nothing where it does not say. What was measured meanwhile cannot be placed in time.
pub(crate) fn clocks_parted(text: &str, clock: ClockMap) -> Option<Result<(), Fault>> {
    let moved = read_clock(text)?.offset - clock.offset;
    if moved.ns().abs() <= CLOCKS_APART.ns() {
        return Some(Ok(()));
    }
    let what = format!(
        "the phone's clocks parted by {:.1} s in the middle of the trial: it was suspended, or its time was set",
        moved.secs()
    );
    let advice = "keep it awake and charged (`adb shell svc power stayon true`), and let no other tool change its time";
    Some(Err(Fault::new(FaultCode::ClockJumped, what).passing().advise(advice)))
}

/// Both clocks, of a process that always runs.
pub(crate) const CLOCKS: &str = "dumpsys gfxinfo com.android.systemui | head -n 4";

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
    fn clocks_that_part_are_told_from_clocks_read_twice() {
        let text = |realtime: i64| format!("Applications:\nUptime: 116130041 Realtime: {realtime}\n");
        let clock = read_clock(&text(256_466_559)).expect("a header");
        assert_eq!(clocks_parted(&text(256_466_581), clock), Some(Ok(())));
        let fault = clocks_parted(&text(256_469_559), clock).expect("it says").expect_err("parted");
        assert_eq!((fault.code.word(), fault.what.contains("by 3.0 s")), ("clock_jumped", true), "{fault}");
        assert_eq!(clocks_parted("No process found", clock), None);
    }

    #[test]
    fn the_header_gives_the_offset_of_the_clocks() {
        let text = "Applications Graphics Acceleration Info:\nUptime: 116130041 Realtime: 256466559\n";
        assert_eq!(read_clock(text).unwrap().offset, Span::from_ms(256_466_559 - 116_130_041));
        assert_eq!(read_clock("No process found for: com.a"), None);
    }
}
