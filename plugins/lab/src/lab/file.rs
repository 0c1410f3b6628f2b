//! The lab file: YAML to [`Lab`], with line and words when something is wrong.

use super::described::Lab;
use super::duration::{PATTERN, duration};
use super::fault_text::{FaultText, scheduled};
use crate::lab_error::{LabError, instead};
use crate::latency::Latency;
use crate::phone::Phone;
use crate::spec::PhoneSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_saphyr::{Error, Spanned};
use std::collections::BTreeSet;

/// Most phones of a lab.
const PHONES_MOST: usize = 10_000;

/// A lab: phones that do not exist.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "farmjank lab file")]
struct LabFile {
    /// Its name, shown in every report.
    name: String,
    /// What all chance is drawn from; `--seed` wins.
    #[serde(default)]
    seed: u64,
    /// How long a call to a phone takes on its way; `hub` unless it is said.
    #[serde(default)]
    #[schemars(with = "Option<LatencyText>")]
    latency: Option<Spanned<LatencyText>>,
    /// The phones, at most 10 000 in all.
    #[schemars(with = "Vec<PhoneSpec>")]
    phones: Vec<Spanned<PhoneSpec>>,
    /// What happens to them, and when.
    #[serde(default)]
    #[schemars(with = "Vec<FaultText>")]
    faults: Vec<Spanned<FaultText>>,
}

/// How long a call takes on its way: a profile by its name, or times of one's own.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Latency")]
enum LatencyText {
    /// A profile.
    Named(#[schemars(extend("enum" = Latency::NAMES))] String),
    /// Times of one's own.
    Given(LatencyGiven),
}

/// Times of one's own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LatencyGiven {
    /// Half of the calls take less, such as `45ms`.
    #[schemars(regex(pattern = PATTERN))]
    median: String,
    /// No call takes longer; the median unless it is said.
    #[schemars(regex(pattern = PATTERN))]
    spike: Option<String>,
    /// Share of calls that spike, 0 to 1; 0.05 unless it is said.
    chance: Option<f64>,
}

/// The schema of a lab file (JSON Schema, draft 2020-12), pretty, with a final newline: made of the types the reader
/// fills. It is looser than the reader where numbers have a range, and where one key asks for another.
pub(super) fn schema() -> String {
    // A tree of maps, lists and text always has a JSON text.
    serde_json::to_string_pretty(&schemars::schema_for!(LabFile)).unwrap_or_default() + "\n"
}

/// What the YAML crate complains of, with what to write instead of a word it does not know.
fn unread(error: &Error) -> LabError {
    let (what, word, known) = match error.without_snippet() {
        Error::SerdeUnknownField { field, expected, .. } => ("key", field, expected),
        Error::SerdeUnknownVariant { variant, expected, .. } => ("word", variant, expected),
        _ => {
            let words = error.to_string();
            return LabError(format!("lab file: {}", words.strip_prefix("error: ").unwrap_or(&words)));
        }
    };
    let place = error
        .location()
        .map_or_else(String::new, |at| format!("line {} column {}: ", at.line(), at.column()));
    LabError(format!("lab file: {place}unknown {what} `{word}`; {}", instead(word, known)))
}

/// Reads and checks a lab file.
pub(super) fn read(text: &str) -> Result<Lab, LabError> {
    let file: LabFile = serde_saphyr::from_str(text).map_err(|error| unread(&error))?;
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
            LabError(format!(
                "latency: no profile is called {name:?}; {}, or {{ median: 45ms, spike: 200ms }}",
                instead(name, &Latency::NAMES)
            ))
        }),
        LatencyText::Given(given) => {
            let median = duration("latency.median", &given.median)?;
            let spike = given.spike.as_ref().map_or(Ok(median), |text| duration("latency.spike", text))?;
            let chance = given.chance.unwrap_or(0.05);
            if spike < median || !(0.0..=1.0).contains(&chance) {
                return Err(LabError(
                    "latency: the spike is at least the median, and chance lies in 0..1".into(),
                ));
            }
            Ok(Latency { median, spike, chance })
        }
    }
}
