//! What must be in order before numbers are compared (docs/compare.md#what-voids-an-iteration): causes that void
//! iterations, looked for without a look at any result.
//!
//! Lost frames and heat during a window are voided where they are measured; here are the guards of a whole session. Hz.

use crate::device::DeviceFacts;
use crate::event::WindowMeasured;

/// Hottest thermal status numbers are taken at: light.
const HOTTEST: u8 = 1;
/// How far a battery may be from that of its session, °C (docs/design/verdicts.md#causes-come-before-numbers).
const APART: f64 = 3.0;
/// How far a rate may be from a mode of the panel to be that mode.
const NEAR: f64 = 0.03;

/// Why nothing this phone measures can be compared; none when all is in order or the phone does not say.
pub(super) fn of_phone(facts: &DeviceFacts) -> Option<String> {
    if let Some(status) = facts.thermal_status.filter(|status| *status > HOTTEST) {
        return Some(format!("the phone was hot when the run began (thermal status {status})"));
    }
    if facts.battery.is_some_and(|battery| battery.saver) {
        return Some("battery saver was on, which caps the refresh rate".to_owned());
    }
    (build_type(&facts.fingerprint) == Some("eng"))
        .then(|| "the phone runs an eng build of Android, which is slower than what users have".to_owned())
}

/// Why nothing this build of the app measures can be compared; none when all is in order or the phone does not say.
pub(super) fn of_app(window: &WindowMeasured) -> Option<String> {
    let around = window.around.as_ref()?;
    (around.debuggable == Some(true) && !around.debuggable_meant).then(|| {
        "the app is built to be debugged, which makes it slower than what users have; measure a release build, or say \
         --allow-debuggable"
            .to_owned()
    })
}

/// Version of the app in a window.
pub(super) fn version(window: &WindowMeasured) -> Option<&str> {
    window.around.as_ref()?.app_version.as_deref()
}

/// Thermal status at the end of a window.
pub(super) fn heat(window: &WindowMeasured) -> Option<u8> {
    window.around.as_ref()?.thermal_status
}

/// Adds causes where the battery was more than 3 °C warmer or colder than in the middle one of these iterations. Of
/// builds that take turns these are the iterations of a block: what warms slowly warms both builds.
pub(super) fn warmth(trials: &[&WindowMeasured], causes: &mut [&mut Option<String>]) {
    let celsius =
        |trial: &WindowMeasured| trial.around.as_ref()?.battery_celsius.filter(|value| value.is_finite());
    let sound = trials.iter().zip(causes.iter()).filter(|(_, cause)| cause.is_none());
    let mut all: Vec<f64> = sound.filter_map(|(trial, _)| celsius(trial)).collect();
    all.sort_by(f64::total_cmp);
    let Some(middle) = all.get(all.len().saturating_sub(1) / 2).copied() else { return };
    for (trial, cause) in trials.iter().zip(causes) {
        if let Some(own) = celsius(trial).filter(|own| cause.is_none() && (own - middle).abs() > APART) {
            **cause = Some(format!("with the battery at {own:.1} °C, most others near {middle:.1} °C"));
        }
    }
}

/// `user`, `userdebug` or `eng`: the word before the keys at the end of a fingerprint
/// (`…/oriole:14/AP1A/1:user/release-keys`).
pub(super) fn build_type(fingerprint: &str) -> Option<&str> {
    fingerprint
        .rsplit(':')
        .next()?
        .split('/')
        .next()
        .filter(|word| ["user", "userdebug", "eng"].contains(word))
}

/// The refresh rate of a window as a mode of the panel, whole Hz: the fastest one in force while the content moved. On
/// an adaptive panel rates fall at the end of every fling; the one it begins with is the policy's choice.
pub(crate) fn refresh(facts: &DeviceFacts, window: &WindowMeasured) -> Option<u32> {
    let periods = window.coverage.as_ref().map_or(&[][..], |coverage| &coverage.periods);
    let shortest = periods.iter().map(|segment| segment.period.secs()).filter(|period| *period > 0.0);
    let hz = shortest.map(f64::recip).reduce(f64::max).or(window.refresh_hz)?;
    let distance = |mode: &f64| (mode - hz).abs();
    let modes = facts.modes.iter().map(|mode| mode.hz).filter(|mode| distance(mode) <= NEAR * hz);
    let mode = modes.min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(hz);
    (mode.is_finite() && (1.0..10_000.0).contains(&mode)).then_some(mode.round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Around;

    #[test]
    fn a_battery_much_warmer_than_that_of_its_session_voids() {
        let with = |celsius| {
            let around = Around { battery_celsius: celsius, ..Around::default() };
            WindowMeasured { around: Some(around), ..WindowMeasured::default() }
        };
        let trials = [Some(31.0), Some(30.0), None, Some(34.5), Some(33.9), Some(32.0), Some(26.8)].map(with);
        let trials: Vec<&WindowMeasured> = trials.iter().collect();
        let mut causes: Vec<Option<String>> = vec![None; trials.len()];
        causes[4] = Some("frames may be missing".to_owned());
        warmth(&trials, &mut causes.iter_mut().collect::<Vec<_>>());
        assert_eq!(causes[3].as_deref(), Some("with the battery at 34.5 °C, most others near 31.0 °C"));
        assert_eq!(causes[4].as_deref(), Some("frames may be missing"));
        let voided = causes.iter().filter(|cause| cause.is_some()).count();
        assert_eq!((voided, causes[6].is_some()), (3, true));
    }

    #[test]
    fn a_debuggable_app_is_no_comparison_unless_it_is_meant() {
        let why = |debuggable, debuggable_meant| {
            let around = Around { debuggable, debuggable_meant, ..Around::default() };
            of_app(&WindowMeasured { around: Some(around), ..WindowMeasured::default() })
        };
        assert!(why(Some(true), false).is_some_and(|why| why.contains("--allow-debuggable")));
        assert_eq!([why(Some(true), true), why(Some(false), false), why(None, false)], [None, None, None]);
        assert_eq!(of_app(&WindowMeasured::default()), None);
    }

    #[test]
    fn the_build_type_is_read_from_the_end_of_the_fingerprint() {
        let of = |text: &str| build_type(text).map(str::to_owned);
        assert_eq!(of("google/oriole/oriole:14/AP1A.240305/1:user/release-keys").as_deref(), Some("user"));
        assert_eq!(of("a/b/c:14/X/1:userdebug/dev-keys").as_deref(), Some("userdebug"));
        assert_eq!(of("a/b/c:14/X/1:eng/test-keys").as_deref(), Some("eng"));
        assert_eq!((of(""), of("user"), of("a:b:c/d")), (None, Some("user".into()), None));
    }
}
