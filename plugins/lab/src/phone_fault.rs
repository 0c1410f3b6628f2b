//! What can be wrong with a phone, on purpose, as descriptions of phones and labs name it.

use schemars::JsonSchema;
use serde::Deserialize;

/// Something wrong with a phone or its app, on purpose.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PhoneFault {
    /// Every `dumpsys` takes this many times as long.
    SlowDumpsys {
        /// Factor, at least 1.
        factor: f64,
    },
    /// The app in front stops drawing and answering, from now on.
    FrozenApp,
    /// The app in front then loses its process.
    CrashApp {
        /// When, ns since the lab began.
        at: i64,
    },
    /// Thermal status from now on; from 2 up frames cost more.
    Thermal {
        /// 0 none to 6 shutdown.
        status: u8,
    },
    /// The battery is as warm as this from now on; nothing else changes.
    Battery {
        /// °C.
        celsius: f64,
    },
    /// The phone compiles apps in the background, as it does at night (`dex2oat`).
    Dexopt {
        /// From now on, or no more.
        running: bool,
    },
    /// The `--latency` ring shows only this many rows.
    RingRows {
        /// Rows, 1..=127.
        n: u32,
    },
    /// The window's layer is destroyed and made anew.
    LayerReborn {
        /// When, ns since the lab began.
        at: i64,
    },
    /// Another tool clears every `--latency` ring.
    ClearedByOther {
        /// When, ns since the lab began.
        at: i64,
    },
    /// The lock screen comes up now.
    Keyguard,
    /// The screen goes off now.
    ScreenOff {
        /// No key wakes it, as with a phone that gave up; false: keys wake it again.
        stuck: bool,
    },
    /// `input` is refused from now on.
    NoInjection,
    /// `--latency` prints only its first line, whatever the layer.
    PeriodOnly,
    /// `--latency` prints its second and third column in each other's place.
    SwappedColumns,
    /// `--latency` prints a period on its first line that no mode of the panel has.
    HeaderPeriod {
        /// What it prints, ns.
        ns: i64,
    },
    /// Chunks of a trace are lost on their way.
    TraceLoss {
        /// Share of them, 0..=1.
        share: f64,
    },
    /// The tracing service does not run, as where a vendor switched it off.
    NoTracing,
    /// The app asks for a permission, now and whenever it starts, until it is granted: the system's dialog lies in
    /// front.
    PermissionDialog {
        /// From now on, or no more.
        asks: bool,
    },
    /// What is in front does not scroll, whatever finger comes: at its end, or the gesture means another place.
    NoScroll {
        /// From now on, or no more.
        stuck: bool,
    },
    /// Somebody installs the app in front again, or the first where none is: the same build, in another place.
    AppReplaced,
    /// No room is left on the phone: files are made, and nothing but a few words fits into them.
    DiskFull {
        /// From now on, or no more.
        full: bool,
    },
    /// The phone was suspended for so long: CLOCK_BOOTTIME went on, CLOCK_MONOTONIC did not.
    ClockJump {
        /// ms.
        ms: i64,
    },
    /// Trace files end in the middle.
    TraceCut {
        /// Share of the bytes that are there, 0..=1.
        kept: f64,
    },
}
