//! What follows from the state of a phone: what is changed, what keeps it from being measured, what is told. Pure.

use crate::android::settings::{ANIMATIONS, RATES, SAVER, STAY_ON, TIMEOUT, is_same};
use farmjank_results::device::DeviceFacts;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::prepared::{PhoneState, SettingChange, Storage};
use farmjank_scenarios::prepare::{Prepare, RefreshRate};

/// A screen that goes off later than this is let be, ms.
const LONG: u64 = 10 * 60 * 1000;
/// What it is set to where there is no power that could keep it on, ms.
const AWAY: &str = "1800000";
/// AC, USB and wireless.
const ANY_POWER: &str = "7";
/// Where Android says that storage is low: 5 % of it, and never more than 500 MB.
const LOW_SHARE: u64 = 20;
const LOW_MB: u64 = 500;
/// Two rates nearer than this are one, Hz: panels have 59.94 and 60.000004 where people say 60.
const NEAR_HZ: f64 = 0.6;

/// A change, and whether the scenario or the user asks for it: who asks is told that it cannot be had by a fault.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) change: SettingChange,
    pub(super) asked: bool,
}

/// Why nothing is measured on a phone in this state.
pub(super) fn unfit(wish: &Prepare, state: &PhoneState) -> Option<Fault> {
    let least = wish.least_charge();
    if let Some(battery) = state.battery.filter(|battery| u32::from(battery.percent) < least) {
        let power = if battery.plugged { "on power" } else { "not on power" };
        let what = format!(
            "the battery is at {} % ({power}), and below {least} % nothing is measured",
            battery.percent
        );
        let fault = Fault::new(FaultCode::BatteryLow, what);
        return Some(
            fault.advise("charge the phone, or measure all the same with `--prepare min_battery=0`"),
        );
    }
    let low = |room: &Storage| room.free_mb < LOW_MB.min(room.total_mb / LOW_SHARE);
    if let Some(Storage { free_mb, total_mb }) = state.storage.filter(low) {
        let what =
            format!("{free_mb} MB of {total_mb} MB are free on the phone: Android itself begins to tidy up");
        let fault = Fault::new(FaultCode::StorageLow, what);
        return Some(fault.advise("remove apps, traces and pictures nobody needs from it"));
    }
    None
}

/// What is to be changed on a phone in this state.
pub(super) fn changes(wish: &Prepare, state: &PhoneState, facts: &DeviceFacts) -> Result<Vec<Wanted>, Fault> {
    let mut wanted = Vec::new();
    let mut want = |setting: &str, unset: Option<&str>, value: String, asked: bool| {
        let was = state.settings.get(setting).cloned();
        if !is_same(was.as_deref().or(unset), Some(&value)) {
            wanted.push(Wanted {
                change: SettingChange { setting: setting.to_owned(), was, now: Some(value) },
                asked,
            });
        }
    };
    if let Some((setting, value)) = kept_awake(wish, state) {
        want(setting, None, value.to_owned(), false);
    }
    if let Some(scale) = wish.animations {
        ANIMATIONS.iter().for_each(|setting| want(setting, Some("1"), format!("{scale:?}"), true));
    }
    if let Some(saver) = wish.battery_saver {
        want(SAVER, Some("0"), u8::from(saver).to_string(), true);
    }
    if let Some(rate) = wish.refresh_rate {
        let value = pinned(rate, facts)?;
        RATES.iter().for_each(|setting| want(setting, None, value.clone(), true));
    }
    Ok(wanted)
}

/// What keeps the screen on, where it would go off soon.
fn kept_awake(wish: &Prepare, state: &PhoneState) -> Option<(&'static str, &'static str)> {
    let number = |setting: &str| state.settings.get(setting).and_then(|value| value.parse::<u64>().ok());
    let plugged = state.battery.is_some_and(|battery| battery.plugged);
    let stays = number(TIMEOUT).is_some_and(|ms| ms >= LONG)
        || (plugged && number(STAY_ON).is_some_and(|bits| bits > 0));
    (wish.keeps_awake() && !stays).then_some(if plugged { (STAY_ON, ANY_POWER) } else { (TIMEOUT, AWAY) })
}

/// The rate as the phone's own mode has it.
fn pinned(rate: RefreshRate, facts: &DeviceFacts) -> Result<String, Fault> {
    let hz = match rate {
        RefreshRate::Highest => facts.fastest_hz(),
        RefreshRate::Hz(hz) if facts.modes.is_empty() => Some(hz),
        RefreshRate::Hz(hz) => facts.modes.iter().map(|mode| mode.hz).find(|own| (own - hz).abs() < NEAR_HZ),
    };
    match hz {
        Some(hz) => Ok(format!("{:?}", (hz * 100.0).round() / 100.0)),
        None => {
            let mut own: Vec<f64> = facts.modes.iter().map(|mode| mode.hz).collect();
            own.sort_by(f64::total_cmp);
            own.dedup_by(|one, other| (*one - *other).abs() < NEAR_HZ);
            let own: Vec<String> = own.iter().map(|hz| format!("{hz:.0}")).collect();
            let what = match rate {
                RefreshRate::Hz(hz) => format!("the panel has no {hz} Hz; it has {} Hz", own.join(", ")),
                RefreshRate::Highest => "the phone does not tell which refresh rates it has".to_owned(),
            };
            let advice = "ask for a rate it has or for `highest`, or leave such phones out with `devices: 'refresh >= N'`";
            Err(Fault::new(FaultCode::RateMissing, what).advise(advice))
        }
    }
}

/// What to say of a phone in this state, once a job: it does not keep it from being measured.
pub(super) fn worth_telling(phone: &str, state: &PhoneState) -> Vec<String> {
    let recorders = state.recorders.iter().map(|line| {
        format!("something else records on {phone} and may cost it frames: `{line}`; end it, or measure without it")
    });
    let dialog = state.dialog.iter().map(|dialog| format!("a dialog is in front on {phone}: {dialog}"));
    let foreign = state
        .foreign
        .iter()
        .map(|who| format!("{phone} is not alone: {who}; nothing is measured there until that is over"));
    recorders.chain(foreign).chain(dialog).collect()
}

#[cfg(test)]
mod tests;
