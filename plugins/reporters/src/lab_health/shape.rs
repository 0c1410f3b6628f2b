//! The shape of a lab's health in JSON.
//!
//! Field names are a promise (`docs/lab-health.md`): add, never rename. `null` means *not known*; it is never 0.

use super::{HealthView, sentences};
use crate::clean::json_text;
use crate::json::{FORMAT, written};
use farmjank_results::lab_health::{PhoneDay, PhoneHealth, Standing};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document {
    format: u32,
    place: String,
    from: String,
    to: String,
    runs: usize,
    counted_elsewhere: usize,
    virtual_runs: usize,
    not_counted: Vec<NotCounted>,
    replace: Vec<String>,
    said: Vec<String>,
    phones: Vec<Phone>,
}

#[derive(Serialize)]
struct NotCounted {
    bundle: String,
    why: String,
}

#[derive(Serialize)]
struct Phone {
    device: String,
    model: Option<String>,
    standing: &'static str,
    chance: Option<f64>,
    days_of_trouble: usize,
    total: Counts,
    days: Vec<Day>,
}

#[derive(Serialize)]
struct Day {
    day: String,
    trouble: bool,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
struct Counts {
    jobs: u32,
    iterations: u32,
    left: u32,
    recovered: BTreeMap<String, u32>,
    faults: BTreeMap<String, u32>,
    moved: u32,
    void_windows: u32,
    throttled_windows: u32,
    hottest_celsius: Option<f64>,
}

/// All of it, every day of every phone.
pub fn json(view: &HealthView<'_>) -> String {
    let health = view.health;
    let skipped = view.skipped.iter();
    written(&Document {
        format: FORMAT,
        place: json_text(view.place),
        from: view.period.from.to_string(),
        to: view.period.to.to_string(),
        runs: health.runs,
        counted_elsewhere: health.counted_elsewhere,
        virtual_runs: view.virtual_runs,
        not_counted: skipped
            .map(|(bundle, why)| NotCounted { bundle: json_text(bundle), why: json_text(why) })
            .collect(),
        replace: health.out().map(|(phone, _)| json_text(&phone.device.0)).collect(),
        said: sentences(health).iter().map(|said| json_text(said)).collect(),
        phones: health.phones.iter().map(phone).collect(),
    })
}

fn phone(phone: &PhoneHealth) -> Phone {
    let (standing, chance) = match phone.standing {
        Standing::Out { chance } => ("out", Some(chance)),
        Standing::Among => ("among", None),
        Standing::Untold => ("untold", None),
    };
    let day = |(date, day): (&jiff::civil::Date, &PhoneDay)| Day {
        day: date.to_string(),
        trouble: day.is_troubled(),
        counts: counts(day),
    };
    Phone {
        device: json_text(&phone.device.0),
        model: phone.model.as_deref().map(json_text),
        standing,
        chance,
        days_of_trouble: phone.troubled(),
        total: counts(&phone.total()),
        days: phone.days.iter().map(day).collect(),
    }
}

fn counts(day: &PhoneDay) -> Counts {
    let step = |step| serde_json::to_value(step).ok().and_then(|word| Some(word.as_str()?.to_owned()));
    let recovered = day.recovered.iter().filter_map(|(own, times)| Some((step(own)?, *times)));
    Counts {
        jobs: day.jobs,
        iterations: day.iterations,
        left: day.left,
        recovered: recovered.collect(),
        faults: day.faults.iter().map(|(code, times)| (json_text(code.word()), *times)).collect(),
        moved: day.moved,
        void_windows: day.void,
        throttled_windows: day.heat.throttled,
        hottest_celsius: day.heat.hottest,
    }
}
