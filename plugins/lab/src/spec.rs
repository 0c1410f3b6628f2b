//! What a lab file says of one phone: the serde types of `labs/*.yaml`. Values only; what they mean is decided
//! elsewhere.
//!
//! Units are in the field docs. Unknown keys are refused, everything has a default.

mod app;
mod cause;
mod method;

pub use app::{AppSpec, Moment, PaceSpec, PageKind, PageSpec, StallSpec, TouchStallSpec};
pub use cause::{CauseSpec, Hold, Meanwhile};
pub use method::Method;

use crate::archetype;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One line of phones in a lab file.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PhoneSpec {
    /// Name among the archetypes, such as `pixel-6`.
    #[schemars(extend("enum" = archetype::names()))]
    pub archetype: String,
    /// Serial number; made up from archetype and index when absent.
    pub serial: Option<String>,
    /// Model name instead of the archetype's.
    pub model: Option<String>,
    /// How many phones like this.
    pub count: u32,
    /// Tags of the phone, for requirements.
    pub tags: Vec<String>,
    /// Installed apps; `com.example.shop` when none is named.
    pub apps: Vec<AppSpec>,
    /// Battery.
    pub battery: BatterySpec,
    /// Heat.
    pub thermal: ThermalSpec,
    /// The lock screen covers everything until it is dismissed.
    pub keyguard: bool,
    /// The lock screen wants a secret: it cannot be dismissed from a shell.
    pub secure: bool,
    /// The screen is on.
    pub awake: bool,
    /// `input` is refused with a SecurityException.
    pub injection_blocked: bool,
    /// Background load: 0 none, 1 makes every frame cost twice as much.
    pub load: f64,
    /// What `input` takes beside its events.
    pub input: InputSpec,
    /// What its compositor and display do to frames that were in time.
    pub compositor: CompositorSpec,
    /// Settings as `namespace/key`, such as `global/animator_duration_scale: "0.5"`.
    pub settings: BTreeMap<String, String>,
    /// Room left for data, MB; two fifths of all there is unless it is said.
    pub free_mb: Option<u64>,
    /// Command lines of programs that others run there, such as `screenrecord /sdcard/a.mp4`.
    pub programs: Vec<String>,
    /// What it keeps from a shell, as builds for users do.
    pub refuses: Vec<Refused>,
    /// Faults present from the start.
    pub faults: Vec<crate::phone_fault::PhoneFault>,
}

impl Default for PhoneSpec {
    fn default() -> Self {
        PhoneSpec {
            archetype: "pixel-6".into(),
            serial: None,
            model: None,
            count: 1,
            tags: Vec::new(),
            apps: Vec::new(),
            battery: BatterySpec::default(),
            thermal: ThermalSpec::default(),
            keyguard: false,
            secure: false,
            awake: true,
            injection_blocked: false,
            load: 0.0,
            input: InputSpec::default(),
            compositor: CompositorSpec::default(),
            settings: BTreeMap::new(),
            free_mb: None,
            programs: Vec::new(),
            refuses: Vec::new(),
            faults: Vec::new(),
        }
    }
}

/// The battery as it starts.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BatterySpec {
    /// Charge, percent.
    pub level: u32,
    /// On a USB cable.
    pub plugged: bool,
    /// Temperature, °C.
    pub celsius: f64,
    /// Current out of it without a cable, mA, give or take 20.
    pub drain_ma: f64,
    /// Battery saver on: caps the refresh rate at 60 Hz.
    pub saver: bool,
}

impl Default for BatterySpec {
    fn default() -> Self {
        BatterySpec { level: 84, plugged: true, celsius: 29.5, drain_ma: 380.0, saver: false }
    }
}

/// What a phone keeps from a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// CPU time of apps and cores.
    Cpu,
    /// Memory of apps.
    Memory,
    /// The thermal service, and the battery's temperature.
    Temperature,
    /// The battery's current.
    Battery,
    /// Counters of what apps send and receive.
    Network,
}

/// Heat as it starts and grows.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThermalSpec {
    /// Thermal status, 0 none to 6 shutdown.
    pub status: u8,
    /// Frame costs grow by this share per minute of lab time (0.02 is 2 %) …
    pub drift_per_minute: f64,
    /// … up to this factor.
    pub ceiling: f64,
}

impl Default for ThermalSpec {
    fn default() -> Self {
        ThermalSpec { status: 0, drift_per_minute: 0.004, ceiling: 1.15 }
    }
}

/// How promptly `input` moves a finger and comes back.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InputSpec {
    /// It lifts the finger to the ns and is back 2 ms later, as on no phone: for tests of something else.
    pub prompt: bool,
    /// Programs that want each core of what runs the phone. Up to 1 nothing waits; at 4 fingers come down up to 0.6 s
    /// later, and the command is back up to 0.6 s later. Frames cost what they do.
    pub crowd: f64,
    /// A keyboard with keys of its own is attached: a text field gets the cursor, and nothing comes up on the screen.
    pub hardware_keyboard: bool,
}

impl Default for InputSpec {
    fn default() -> Self {
        InputSpec { prompt: false, crowd: 1.0, hardware_keyboard: false }
    }
}

/// What SurfaceFlinger and the display do to frames that reached them in time. Shares of display frames, 0 to 1;
/// nothing is wrong unless it is said here.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompositorSpec {
    /// SurfaceFlinger's CPU work is late.
    pub slow_cpu: f64,
    /// Its composition on the GPU is late.
    pub slow_gpu: f64,
    /// The display shows a frame later than it was told to.
    pub display_late: f64,
    /// The next refresh was predicted wrong.
    pub mispredicted: f64,
    /// An app's buffer is replaced by the next one before it is shown.
    pub dropped: f64,
    /// Longest lateness, refreshes.
    pub longest: u32,
}

impl Default for CompositorSpec {
    fn default() -> Self {
        CompositorSpec {
            slow_cpu: 0.0,
            slow_gpu: 0.0,
            display_late: 0.0,
            mispredicted: 0.0,
            dropped: 0.0,
            longest: 1,
        }
    }
}

impl CompositorSpec {
    /// Whether the shares are shares.
    pub fn sound(&self) -> bool {
        let late = [self.slow_cpu, self.slow_gpu, self.display_late, self.mispredicted];
        late.iter().chain([&self.dropped]).all(|share| (0.0..=1.0).contains(share))
            && late.iter().sum::<f64>() <= 1.0
            && (1..=60).contains(&self.longest)
    }
}
