//! What was around a window on its phone: heat, and the build of the app.

use serde::{Deserialize, Serialize};

/// What [`Around::installation`] begins with where it is a build that is known.
pub const BUILD: &str = "sha256:";

/// What was around a window on the phone when it ended (docs/design/verdicts.md#causes-come-before-numbers). `None`
/// means the phone did not say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Around {
    /// Thermal status, 0 (none) to 6 (shutdown).
    pub thermal_status: Option<u8>,
    /// Temperature of the battery, °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub battery_celsius: Option<f64>,
    /// Version of the installed app, name and code: `7.4.1 (7410)`.
    pub app_version: Option<String>,
    /// Which installation of it: the build, where the run put it there (`sha256:…`), otherwise where the phone has it,
    /// which is another place after every installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installation: Option<String>,
    /// The app was built to be debugged.
    pub debuggable: Option<bool>,
    /// Such a build was meant to be measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub debuggable_meant: bool,
}
