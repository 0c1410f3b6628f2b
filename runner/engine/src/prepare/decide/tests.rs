//! What follows from which state, case by case.

use super::*;
use farmjank_results::device::{Battery, DeviceId};
use serde_json::json;

fn facts(rates: &[f64]) -> DeviceFacts {
    let modes: Vec<_> =
        rates.iter().map(|hz| json!({ "id": 1, "width": 1080, "height": 2400, "hz": hz })).collect();
    let mut facts: DeviceFacts = serde_json::from_value(json!({
        "id": "P", "model": "Pixel 8", "manufacturer": "Google", "sdk": 34, "release": "14", "fingerprint": "",
        "screen": null, "modes": modes, "active_hz": null, "ram_mb": null, "battery": null, "thermal_status": null,
        "animations": null, "keyguard": null, "awake": null, "emulator": false, "is_virtual": true, "tags": []
    }))
    .expect("facts");
    facts.id = DeviceId("P".to_owned());
    facts
}

fn state(percent: u8, plugged: bool, settings: &[(&str, &str)]) -> PhoneState {
    PhoneState {
        battery: Some(Battery { percent, decidegrees: 290, plugged, faked: false, saver: false }),
        settings: settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..PhoneState::default()
    }
}

fn words(wish: &Prepare, state: &PhoneState) -> Vec<String> {
    let wanted = changes(wish, state, &facts(&[60.000_004, 120.000_01])).expect("changes");
    wanted.iter().map(|one| one.change.to_string()).collect()
}

#[test]
fn a_screen_that_goes_off_soon_is_kept_on_by_the_power_there_is() {
    let (wish, none) = (Prepare::default(), Vec::<String>::new());
    assert_eq!(words(&wish, &state(80, true, &[(TIMEOUT, "600000")])), none);
    assert_eq!(words(&wish, &state(80, true, &[(TIMEOUT, "30000"), (STAY_ON, "3")])), none);
    assert_eq!(
        words(&wish, &state(80, true, &[(TIMEOUT, "30000")])),
        ["global/stay_on_while_plugged_in not set → 7"]
    );
    assert_eq!(
        words(&wish, &state(80, false, &[(TIMEOUT, "30000"), (STAY_ON, "7")])),
        ["system/screen_off_timeout 30000 → 1800000"]
    );
    assert_eq!(words(&wish.untouched(), &state(80, true, &[(TIMEOUT, "30000")])), none);
}

#[test]
fn only_what_is_otherwise_is_changed() {
    let wish =
        Prepare { animations: Some(1.0), battery_saver: Some(false), ..Prepare::default().untouched() };
    assert_eq!(words(&wish, &state(80, true, &[])), Vec::<String>::new(), "what is not set is 1, and off");
    let set = [(ANIMATIONS[0], "0.5"), (ANIMATIONS[1], "1"), (SAVER, "1")];
    assert_eq!(
        words(&wish, &state(80, true, &set)),
        ["global/window_animation_scale 0.5 → 1.0", "global/low_power 1 → 0"]
    );
}

#[test]
fn a_rate_is_pinned_as_the_panel_has_it_and_one_it_has_not_is_refused() {
    let pin = |rate| Prepare { refresh_rate: Some(rate), ..Prepare::default().untouched() };
    let peak = [(RATES[0], "120.0")];
    assert_eq!(
        words(&pin(RefreshRate::Hz(60.0)), &state(80, true, &peak)),
        ["system/peak_refresh_rate 120.0 → 60.0", "system/min_refresh_rate not set → 60.0"]
    );
    assert_eq!(
        words(&pin(RefreshRate::Highest), &state(80, true, &peak)),
        ["system/min_refresh_rate not set → 120.0"]
    );
    let fault = changes(&pin(RefreshRate::Hz(90.0)), &state(80, true, &[]), &facts(&[120.0, 60.0]))
        .expect_err("none");
    assert_eq!(
        (fault.code.word(), fault.what.as_str()),
        ("rate_missing", "the panel has no 90 Hz; it has 60, 120 Hz")
    );
}

#[test]
fn an_empty_battery_and_a_full_disk_keep_a_phone_from_being_measured() {
    let unfit = |wish: &Prepare, state: &PhoneState| {
        unfit(wish, state).map(|fault| (fault.code.word().to_owned(), fault.what))
    };
    let wish = Prepare::default();
    assert_eq!(unfit(&wish, &state(20, true, &[])), None);
    let (code, what) = unfit(&wish, &state(19, false, &[])).expect("unfit");
    assert_eq!(
        (code.as_str(), what.as_str()),
        ("battery_low", "the battery is at 19 % (not on power), and below 20 % nothing is measured")
    );
    assert_eq!(unfit(&Prepare { min_battery: Some(5), ..wish }, &state(19, false, &[])), None);
    let room = |free_mb, total_mb| PhoneState {
        storage: Some(Storage { free_mb, total_mb }),
        ..state(80, true, &[])
    };
    assert_eq!(unfit(&wish, &room(500, 110_000)), None);
    assert_eq!(unfit(&wish, &room(300, 5_000)), None, "5 % of a small phone is enough");
    let (code, what) = unfit(&wish, &room(499, 110_000)).expect("unfit");
    assert_eq!(code, "storage_low");
    assert!(what.starts_with("499 MB of 110000 MB are free"), "{what}");
}
