//! What is known about a phone, and the app under test.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// A phone's serial as adb prints it. Hostile text until escaped or quoted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceId(pub String);

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a phone that was seen can be used. In a log it is one text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Readiness {
    /// It can: `ready`, or one of adb's words for it.
    Ready,
    /// It cannot, and why, in words.
    NotReady(String),
}

impl From<String> for Readiness {
    fn from(text: String) -> Readiness {
        match text.as_str() {
            "ready" | "device" | "online" => Readiness::Ready,
            _ => Readiness::NotReady(text),
        }
    }
}

impl From<Readiness> for String {
    fn from(readiness: Readiness) -> String {
        match readiness {
            Readiness::Ready => "ready".to_owned(),
            Readiness::NotReady(why) => why,
        }
    }
}

/// The package name of the app under test, such as `com.example.shop`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct App(pub String);

/// One display mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefreshMode {
    /// The mode's id in `dumpsys display`.
    pub id: u32,
    /// Refresh rate in Hz; fractions are normal (59.94, 120.00001).
    pub hz: f64,
    /// Width in px.
    pub width: u32,
    /// Height in px.
    pub height: u32,
}

/// The screen as `input` sees it: override size if any, in the natural orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screen {
    /// Width in px in natural orientation.
    pub width: u32,
    /// Height in px in natural orientation.
    pub height: u32,
    /// Quarter turns from natural orientation, 0..=3.
    pub rotation: u8,
    /// Density in dpi, 0 when unknown.
    pub density: u32,
}

impl Screen {
    /// Width and height in px as currently rotated: the space of `input` coordinates.
    pub fn rotated(self) -> (u32, u32) {
        if self.rotation % 2 == 1 { (self.height, self.width) } else { (self.width, self.height) }
    }
}

/// Battery state from `dumpsys battery`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Battery {
    /// Charge in percent, 0..=100.
    pub percent: u8,
    /// Temperature in tenths of a degree Celsius.
    pub decidegrees: i32,
    /// Power is connected.
    pub plugged: bool,
    /// Values are faked (`UPDATES STOPPED`).
    pub faked: bool,
    /// Battery saver is on (caps the refresh rate).
    pub saver: bool,
}

/// Animation scales; 1.0 when unset.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnimationScales {
    /// `window_animation_scale`
    pub window: f64,
    /// `transition_animation_scale`
    pub transition: f64,
    /// `animator_duration_scale`
    pub animator: f64,
}

/// Everything known about a phone before a trial. `None` means the phone did not say, never a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Serial.
    pub id: DeviceId,
    /// `ro.product.model`
    pub model: String,
    /// `ro.product.manufacturer`
    pub manufacturer: String,
    /// `ro.build.version.sdk`, such as 34.
    pub sdk: u32,
    /// `ro.build.version.release`, such as `14`.
    pub release: String,
    /// `ro.build.fingerprint`
    pub fingerprint: String,
    /// Screen.
    pub screen: Option<Screen>,
    /// Every refresh mode the default display offers; empty when unknown.
    pub modes: Vec<RefreshMode>,
    /// Refresh rate in force when the facts were read, Hz.
    pub active_hz: Option<f64>,
    /// Total memory in MB.
    pub ram_mb: Option<u64>,
    /// Battery.
    pub battery: Option<Battery>,
    /// Thermal status 0 (none) to 6 (shutdown).
    pub thermal_status: Option<u8>,
    /// Animation scales.
    pub animations: Option<AnimationScales>,
    /// The keyguard is showing.
    pub keyguard: Option<bool>,
    /// The screen is on.
    pub awake: Option<bool>,
    /// An emulator by its properties.
    pub emulator: bool,
    /// A simulated phone of the virtual lab; every output says so.
    pub is_virtual: bool,
    /// Tags given by the lab or the settings.
    pub tags: BTreeSet<String>,
}

impl DeviceFacts {
    /// The fastest refresh rate the phone offers, in Hz: the largest mode, else the active rate.
    pub fn fastest_hz(&self) -> Option<f64> {
        self.modes.iter().map(|mode| mode.hz).chain(self.active_hz).reduce(f64::max)
    }

    /// What phones have in common that stand for each other: model, release and the rates of the panel, as one text.
    pub fn class(&self) -> String {
        let rates: BTreeSet<i64> = self.modes.iter().map(|mode| (mode.hz * 1e3).round() as i64).collect();
        let rates: Vec<String> = rates.iter().map(|mhz| format!("{:.0}", *mhz as f64 / 1e3)).collect();
        format!("{} · sdk {} · {} Hz", self.model, self.sdk, rates.join("/"))
    }
}
