//! What a lab file says of one fault, made a [`Scheduled`], or words about what is wrong with it.

use super::duration::{PATTERN, duration};
use crate::fault::{Kind, Remedy, Scheduled, Whom};
use crate::lab_error::{LabError, instead};
use crate::phone_fault::PhoneFault;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// One fault as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Fault")]
pub(super) struct FaultText {
    /// When it happens, since the lab began, such as `20s`.
    #[schemars(regex(pattern = PATTERN))]
    at: String,
    /// To which phone, by its serial; `all` unless it is said.
    phone: Option<String>,
    /// What happens.
    #[schemars(extend("enum" = KINDS.as_slice()))]
    kind: String,
    /// How long it lasts, such as `5s`; some last until somebody acts.
    #[serde(rename = "for")]
    #[schemars(regex(pattern = PATTERN))]
    length: Option<String>,
    /// Of `slow`, `slow_dumpsys`: everything takes so many times as long.
    factor: Option<f64>,
    /// Of `heat`: thermal status, 0 none to 6 shutdown.
    status: Option<u8>,
    /// Of `clock_drift`: how much faster the phone's clocks run, millionths.
    ppm: Option<f64>,
    /// Of `ring_rows`: rows the ring shows, 1 to 127.
    rows: Option<u32>,
    /// Of `trace_loss`, `trace_cut`: share that is lost, that is kept; 0 to 1.
    share: Option<f64>,
    /// Of `battery`: its temperature, °C.
    celsius: Option<f64>,
    /// Of `clock_jump`: how long the phone was suspended, ms.
    ms: Option<i64>,
    /// Of `unplug`, `wedge`, `offline`: what ends it beside time.
    #[schemars(extend("enum" = ["reconnect", "reboot", null]))]
    until: Option<String>,
    /// Of `foreign_loop`: what somebody else's shell runs.
    line: Option<String>,
}

/// Every kind, in the order people are told them.
const KINDS: [&str; 35] = [
    "unplug",
    "wedge",
    "offline",
    "unauthorized",
    "no_permissions",
    "recovery",
    "slow",
    "garble",
    "server_restart",
    "reboot",
    "heat",
    "dexopt",
    "ring_overflow",
    "clock_drift",
    "clock_jump",
    "slow_dumpsys",
    "ring_rows",
    "rings_cleared",
    "trace_loss",
    "trace_cut",
    "battery",
    "crash_app",
    "frozen_app",
    "layer_reborn",
    "app_replaced",
    "permission_dialog",
    "no_scroll",
    "disk_full",
    "foreign_loop",
    "screen_off",
    "dump_timeout",
    "keyguard",
    "no_injection",
    "period_only",
    "no_tracing",
];

/// Checks a fault; `serials` are those of the lab.
pub(super) fn scheduled(text: &FaultText, serials: &BTreeSet<String>) -> Result<Scheduled, LabError> {
    let length = text.length.as_ref().map(|length| duration("faults.for", length)).transpose()?;
    let whom = whom(text, serials)?;
    let kind = kind(text)?;
    let until = remedy(text, &kind)?;
    Ok(Scheduled { at: duration("faults.at", &text.at)?, whom, kind, length, until })
}

fn whom(text: &FaultText, serials: &BTreeSet<String>) -> Result<Whom, LabError> {
    match text.phone.as_deref() {
        None | Some("all") => Ok(Whom::All),
        Some(serial) if serials.contains(serial) => Ok(Whom::Phone(serial.to_owned())),
        Some(serial) => {
            let known: Vec<&str> = serials.iter().take(6).map(String::as_str).collect();
            Err(LabError(format!(
                "faults: no phone has the serial {serial:?}; there are {} …",
                known.join(", ")
            )))
        }
    }
}

/// What ends the fault beside time.
fn remedy(text: &FaultText, kind: &Kind) -> Result<Option<Remedy>, LabError> {
    let Some(word) = text.until.as_deref() else { return Ok(None) };
    if !kind.is_of_connection() {
        let what = format!(
            "faults: {} does not end by a remedy; `until` is for unplug, wedge and offline",
            text.kind
        );
        return Err(LabError(what));
    }
    match word {
        "reconnect" => Ok(Some(Remedy::Reconnect)),
        "reboot" => Ok(Some(Remedy::Reboot)),
        other => Err(LabError(format!("faults.until: there is no {other:?}; write reconnect or reboot"))),
    }
}

/// A number that has to be there, and in its range.
fn within<N: PartialOrd + Copy>(
    text: &FaultText,
    given: Option<N>,
    range: RangeInclusive<N>,
    key: &str,
) -> Result<N, LabError> {
    let fits = given.filter(|number| range.contains(number));
    fits.ok_or_else(|| LabError(format!("faults: {} needs `{key}`", text.kind)))
}

fn kind(text: &FaultText) -> Result<Kind, LabError> {
    Ok(match text.kind.as_str() {
        "unplug" => Kind::Unplug,
        "wedge" => Kind::Wedge,
        "offline" => Kind::Offline,
        "unauthorized" => Kind::Unauthorized,
        "no_permissions" => Kind::NoPermissions,
        "recovery" => Kind::Recovery,
        "slow" => Kind::Slow(within(text, text.factor, 1.0..=1e4, "factor: 1 or more")?),
        "garble" => Kind::Garble,
        "server_restart" => Kind::ServerRestart,
        "reboot" => Kind::Reboot,
        "heat" => Kind::Heat(within(text, text.status, 0..=6, "status: 0 to 6")?),
        "dexopt" => Kind::Dexopt,
        "ring_overflow" => Kind::RingOverflow,
        "clock_drift" => Kind::ClockDrift(within(text, text.ppm, -1e5..=1e5, "ppm: -100000 to 100000")?),
        "screen_off" => Kind::ScreenOff,
        "dump_timeout" => Kind::DumpTimeout,
        "foreign_loop" => match &text.line {
            Some(line) if !line.trim().is_empty() => Kind::ForeignLoop(line.clone()),
            _ => {
                return Err(LabError(
                    "faults: foreign_loop needs `line`: what somebody else's shell runs".to_owned(),
                ));
            }
        },
        _ => Kind::Model(of_phone(text)?),
    })
}

/// What is wrong inside a phone.
fn of_phone(text: &FaultText) -> Result<PhoneFault, LabError> {
    // An instant that is over means now.
    let at = 0;
    Ok(match text.kind.as_str() {
        "slow_dumpsys" => {
            PhoneFault::SlowDumpsys { factor: within(text, text.factor, 0.0..=f64::MAX, "factor")? }
        }
        "ring_rows" => PhoneFault::RingRows { n: within(text, text.rows, 0..=u32::MAX, "rows: 1 to 127")? },
        "rings_cleared" => PhoneFault::ClearedByOther { at },
        "trace_loss" => {
            PhoneFault::TraceLoss { share: within(text, text.share, 0.0..=1.0, "share: 0 to 1")? }
        }
        "trace_cut" => PhoneFault::TraceCut {
            kept: within(text, text.share, 0.0..=1.0, "share: 0 to 1, of what is left")?,
        },
        "battery" => {
            PhoneFault::Battery { celsius: within(text, text.celsius, -40.0..=120.0, "celsius: -40 to 120")? }
        }
        "clock_jump" => {
            PhoneFault::ClockJump { ms: within(text, text.ms, 1..=86_400_000, "ms: 1 to 86400000")? }
        }
        "crash_app" => PhoneFault::CrashApp { at },
        "frozen_app" => PhoneFault::FrozenApp,
        "layer_reborn" => PhoneFault::LayerReborn { at },
        "app_replaced" => PhoneFault::AppReplaced,
        "permission_dialog" => PhoneFault::PermissionDialog { asks: true },
        "no_scroll" => PhoneFault::NoScroll { stuck: true },
        "disk_full" => PhoneFault::DiskFull { full: true },
        "keyguard" => PhoneFault::Keyguard,
        "no_injection" => PhoneFault::NoInjection,
        "period_only" => PhoneFault::PeriodOnly,
        "no_tracing" => PhoneFault::NoTracing,
        other => {
            return Err(LabError(format!("faults: there is no kind {other:?}; {}", instead(other, &KINDS))));
        }
    })
}
