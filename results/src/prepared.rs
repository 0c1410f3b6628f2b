//! The state a phone was in when a job took it, and what was changed there for the job (docs/prepare.md). Must not know
//! how a phone is asked.

use crate::device::Battery;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a phone told of itself when a job took it. What it did not tell is `None`, or not there. One field for each
/// thing that is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhoneState {
    /// Charge, temperature, cable, and whether it saves power.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub battery: Option<Battery>,
    /// Thermal status, 0 (none) to 6 (shutdown); Android 10 and newer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal_status: Option<u8>,
    /// Room for the data of apps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// The screen was on once it had been woken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awake: Option<bool>,
    /// The lock screen was in front then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyguard: Option<bool>,
    /// Settings that bear on what is measured, by `namespace/key`. One that is not here is not set on the phone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// It compiled apps (dex2oat).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compiling: bool,
    /// Recorders of others at work on it, by what they were started with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorders: Vec<String>,
    /// Loops of others that read or clear its frames, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<String>,
    /// The dialog in front of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
}

/// Room on a phone, MB of 1024 × 1024 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// Free.
    pub free_mb: u64,
    /// In all.
    pub total_mb: u64,
}

/// A setting and its value before and after; none: it is not set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// `namespace/key`, such as `global/low_power`.
    pub setting: String,
    /// Before.
    pub was: Option<String>,
    /// After.
    pub now: Option<String>,
}

impl fmt::Display for SettingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        write!(f, "{} {} → {}", self.setting, value(&self.was), value(&self.now))
    }
}

/// Changes in words, one after the other.
pub fn listed(changes: &[SettingChange]) -> String {
    changes.iter().map(SettingChange::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_what_was_not_set() {
        let change = |was: Option<&str>, now: Option<&str>| SettingChange {
            setting: "global/stay_on_while_plugged_in".to_owned(),
            was: was.map(str::to_owned),
            now: now.map(str::to_owned),
        };
        assert_eq!(
            listed(&[change(None, Some("7")), change(Some("7"), None)]),
            "global/stay_on_while_plugged_in not set → 7, global/stay_on_while_plugged_in 7 → not set"
        );
    }
}
