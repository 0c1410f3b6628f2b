//! The lab file: YAML to [`Lab`], with line and words when something is wrong.

use super::described::Lab;
use crate::fault::{Kind, Scheduled, Whom};
use crate::lab_error::LabError;
use crate::latency::Latency;
use crate::phone::Phone;
use crate::phone_fault::PhoneFault;
use crate::spec::PhoneSpec;
use serde::Deserialize;
use serde_saphyr::Spanned;
use std::collections::BTreeSet;
use std::time::Duration;

/// Most phones of a lab.
const PHONES_MOST: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabFile {
    name: String,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    latency: Option<Spanned<LatencyText>>,
    phones: Vec<Spanned<PhoneSpec>>,
    #[serde(default)]
    faults: Vec<Spanned<FaultText>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LatencyText {
    Named(String),
    Given(LatencyGiven),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LatencyGiven {
    median: String,
    spike: Option<String>,
    chance: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultText {
    at: String,
    phone: Option<String>,
    kind: String,
    #[serde(rename = "for")]
    length: Option<String>,
    factor: Option<f64>,
    status: Option<u8>,
    ppm: Option<f64>,
    rows: Option<u32>,
    share: Option<f64>,
    celsius: Option<f64>,
}

/// Reads and checks a lab file.
pub(super) fn read(text: &str) -> Result<Lab, LabError> {
    let file: LabFile = serde_saphyr::from_str(text).map_err(|error| {
        let words = error.to_string();
        LabError(format!("lab file: {}", words.strip_prefix("error: ").unwrap_or(&words)))
    })?;
    let latency = match &file.latency {
        None => Latency::HUB,
        Some(given) => at(given, latency(&given.value))?,
    };
    let mut phones: Vec<(String, PhoneSpec)> = Vec::new();
    let mut taken = BTreeSet::new();
    for given in &file.phones {
        at(given, more_phones(&given.value, file.seed, &mut phones, &mut taken))?;
    }
    let faults = file
        .faults
        .iter()
        .map(|given| at(given, scheduled(&given.value, &taken)))
        .collect::<Result<_, _>>()?;
    Ok(Lab { name: file.name, seed: file.seed, latency, phones, faults })
}

/// A complaint with the line it is about.
fn at<T, R>(given: &Spanned<T>, result: Result<R, LabError>) -> Result<R, LabError> {
    result.map_err(|LabError(why)| LabError(format!("lab file: line {}: {why}", given.referenced.line())))
}

/// Adds the phones of one entry. What a description means only the phone knows, so one is tried.
fn more_phones(
    spec: &PhoneSpec,
    seed: u64,
    phones: &mut Vec<(String, PhoneSpec)>,
    taken: &mut BTreeSet<String>,
) -> Result<(), LabError> {
    let wanted = phones.len().saturating_add(spec.count as usize);
    if wanted > PHONES_MOST {
        return Err(LabError(format!("a lab has at most {PHONES_MOST} phones, not {wanted}; lower `count`")));
    }
    for i in 1..=spec.count {
        let serial = serial(spec, i, taken);
        if !taken.insert(serial.clone()) {
            return Err(LabError(format!("two phones have the serial {serial:?}; serials must differ")));
        }
        if i == 1 {
            Phone::new(spec, serial.clone(), seed)
                .map_err(|why| LabError(format!("phone {serial}: {why}")))?;
        }
        phones.push((serial, PhoneSpec { count: 1, ..spec.clone() }));
    }
    Ok(())
}

/// The serial as given, with a number behind it when there are several; else made of the archetype's name.
fn serial(spec: &PhoneSpec, index: u32, taken: &BTreeSet<String>) -> String {
    match &spec.serial {
        Some(given) if spec.count <= 1 => given.clone(),
        Some(given) => format!("{given}-{index}"),
        None => {
            let free = |n: &u32| !taken.contains(&format!("virtual-{}-{n}", spec.archetype));
            let n = (index..).find(free).unwrap_or(index);
            format!("virtual-{}-{n}", spec.archetype)
        }
    }
}

fn latency(text: &LatencyText) -> Result<Latency, LabError> {
    match text {
        LatencyText::Named(name) => Latency::named(name).ok_or_else(|| {
            LabError(format!("latency: no profile is called {name:?}; write none, usb, hub or remote, or {{ median: 45ms, spike: 200ms }}"))
        }),
        LatencyText::Given(given) => {
            let median = duration("latency.median", &given.median)?;
            let spike = given.spike.as_ref().map_or(Ok(median), |text| duration("latency.spike", text))?;
            let chance = given.chance.unwrap_or(0.05);
            if spike < median || !(0.0..=1.0).contains(&chance) {
                return Err(LabError("latency: the spike is at least the median, and chance lies in 0..1".into()));
            }
            Ok(Latency { median, spike, chance })
        }
    }
}

/// `45ms`, `2s`, `1.5s`, `2m`.
pub(super) fn duration(what: &str, text: &str) -> Result<Duration, LabError> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds = digits.parse::<f64>().ok().filter(|_| plain).map_or(f64::NAN, |n| n * scale);
    if (0.0..=1e7).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(LabError(format!("{what}: {text:?} is not a time; write it like 45ms, 2s or 5m")))
    }
}

fn scheduled(text: &FaultText, serials: &BTreeSet<String>) -> Result<Scheduled, LabError> {
    let whom = match text.phone.as_deref() {
        None | Some("all") => Whom::All,
        Some(serial) if serials.contains(serial) => Whom::Phone(serial.to_owned()),
        Some(serial) => {
            let known: Vec<&str> = serials.iter().take(6).map(String::as_str).collect();
            return Err(LabError(format!(
                "faults: no phone has the serial {serial:?}; there are {} …",
                known.join(", ")
            )));
        }
    };
    let wrong = |key: &str| LabError(format!("faults: {} needs `{key}`", text.kind));
    let share = |share: &f64| (0.0..=1.0).contains(share);
    let kind = match text.kind.as_str() {
        "unplug" => Kind::Unplug,
        "wedge" => Kind::Wedge,
        "offline" => Kind::Offline,
        "unauthorized" => Kind::Unauthorized,
        "no_permissions" => Kind::NoPermissions,
        "recovery" => Kind::Recovery,
        "slow" => Kind::Slow(
            text.factor.filter(|f| (1.0..=1e4).contains(f)).ok_or_else(|| wrong("factor: 1 or more"))?,
        ),
        "garble" => Kind::Garble,
        "server_restart" => Kind::ServerRestart,
        "reboot" => Kind::Reboot,
        "heat" => Kind::Heat(text.status.filter(|s| *s <= 6).ok_or_else(|| wrong("status: 0 to 6"))?),
        "dexopt" => Kind::Dexopt,
        "ring_overflow" => Kind::RingOverflow,
        "clock_drift" => Kind::ClockDrift(
            text.ppm.filter(|p| p.abs() <= 1e5).ok_or_else(|| wrong("ppm: -100000 to 100000"))?,
        ),
        "slow_dumpsys" => {
            Kind::Model(PhoneFault::SlowDumpsys { factor: text.factor.ok_or_else(|| wrong("factor"))? })
        }
        "ring_rows" => {
            Kind::Model(PhoneFault::RingRows { n: text.rows.ok_or_else(|| wrong("rows: 1 to 127"))? })
        }
        "trace_loss" => Kind::Model(PhoneFault::TraceLoss {
            share: text.share.filter(share).ok_or_else(|| wrong("share: 0 to 1"))?,
        }),
        "trace_cut" => Kind::Model(PhoneFault::TraceCut {
            kept: text.share.filter(share).ok_or_else(|| wrong("share: 0 to 1, of what is left"))?,
        }),
        "battery" => Kind::Model(PhoneFault::Battery {
            celsius: text
                .celsius
                .filter(|c| (-40.0..=120.0).contains(c))
                .ok_or_else(|| wrong("celsius: -40 to 120"))?,
        }),
        "frozen_app" => Kind::Model(PhoneFault::FrozenApp),
        "screen_off" => Kind::ScreenOff,
        "dump_timeout" => Kind::DumpTimeout,
        "keyguard" => Kind::Model(PhoneFault::Keyguard),
        "no_injection" => Kind::Model(PhoneFault::NoInjection),
        "period_only" => Kind::Model(PhoneFault::PeriodOnly),
        "no_tracing" => Kind::Model(PhoneFault::NoTracing),
        other => {
            return Err(LabError(format!(
                "faults: there is no kind {other:?}; write unplug, wedge, offline, unauthorized, no_permissions, recovery, slow, \
                 garble, server_restart, reboot, heat, dexopt, ring_overflow, clock_drift, slow_dumpsys, ring_rows, trace_loss, trace_cut, \
                 battery, frozen_app, screen_off, dump_timeout, keyguard, no_injection, \
                 period_only or no_tracing"
            )));
        }
    };
    let length = text.length.as_ref().map(|length| duration("faults.for", length)).transpose()?;
    Ok(Scheduled { at: duration("faults.at", &text.at)?, whom, kind, length })
}
