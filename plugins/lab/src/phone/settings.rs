//! What people and tools set: settings, properties, and overrides of the display.

use crate::archetype::Archetype;
use crate::spec::PhoneSpec;
use std::collections::BTreeMap;

/// `wm size` and `wm density` overrides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overrides {
    pub(super) size: Option<(u32, u32)>,
    pub(super) density: Option<u32>,
}

/// What people and tools set, as it stands.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Under `namespace/key`.
    pub(super) table: BTreeMap<String, String>,
    /// The same as the phone came.
    pub(super) first: BTreeMap<String, String>,
    /// Properties that were set.
    pub(super) properties: BTreeMap<String, String>,
    pub(super) overrides: Overrides,
}

impl Settings {
    /// Of a phone as it comes.
    pub(super) fn of(archetype: &Archetype, spec: &PhoneSpec) -> Settings {
        let table = defaults(archetype, spec);
        Settings { first: table.clone(), table, properties: BTreeMap::new(), overrides: Overrides::default() }
    }
}

/// Settings of a phone as it comes, under `namespace/key`.
fn defaults(archetype: &Archetype, spec: &PhoneSpec) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    let mut put = |key: &str, value: &str| settings.insert(key.to_owned(), value.to_owned());
    put("global/window_animation_scale", "1.0");
    put("global/transition_animation_scale", "1.0");
    put("global/adb_enabled", "1");
    put("global/low_power", if spec.battery.saver { "1" } else { "0" });
    put("system/screen_off_timeout", "600000");
    put("system/accelerometer_rotation", "0");
    put("secure/android_id", "5f1a07c2d9e3b846");
    if archetype.rates.len() > 1 {
        put("system/peak_refresh_rate", &format!("{:.1}", archetype.fastest_hz()));
    }
    settings.extend(spec.settings.clone());
    settings
}

/// Whether settings cap the refresh rate.
pub(super) fn caps(settings: &BTreeMap<String, String>) -> bool {
    let rate = |key: &str| settings.get(key).and_then(|value| value.parse::<f64>().ok());
    rate("global/low_power") == Some(1.0)
        || rate("system/peak_refresh_rate").is_some_and(|hz| hz > 0.0 && hz < 61.0)
}
