//! The same as JSON objects: stable keys, rates in ms per second of motion, `null` with a reason where nothing can be
//! said.

use super::{CauseHistory, CausesHeld};
use crate::caused::named;
use crate::clean::json_text;
use farmjank_results::cause_life::{Amount, CauseChange, CauseNight, PhonesAsked, State, WindowChange};
use farmjank_results::device::DeviceId;
use farmjank_results::record::Record;
use serde_json::{Value, json};

/// Version of the JSON forms: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// The JSON form of two runs.
pub fn json(held: &CausesHeld<'_>) -> String {
    let run = |record: &Record| json!({ "run": json_text(&record.header.run), "wall": json_text(&record.header.wall) });
    let [old, new] = held.records.map(run);
    let windows: Vec<Value> = held.windows.iter().map(window).collect();
    let not_asked = held.not_asked;
    format!(
        "{:#}\n",
        json!({ "format": FORMAT, "old": old, "new": new, "windows": windows, "windows_not_asked": not_asked })
    )
}

/// The JSON form of one cause over nights.
pub fn nights_json(history: &CauseHistory<'_>) -> String {
    let line = |line: &farmjank_results::cause_life::CauseLine| {
        json!({
            "scenario": json_text(&line.spot.scenario),
            "window": json_text(&line.spot.window),
            "class": json_text(&line.spot.class),
            "hash": json_text(&line.hash),
            "refresh_hz": line.refresh,
            "methods": line.methods,
            "nights": line.nights.iter().map(night).collect::<Vec<_>>(),
        })
    };
    let mut whole = super::over_nights::described(history).map(named).unwrap_or_default();
    whole.insert("format".to_owned(), json!(FORMAT));
    whole.insert("history".to_owned(), json!(json_text(history.place)));
    whole.insert("fingerprint".to_owned(), json!(json_text(history.fingerprint)));
    whole.insert("lines".to_owned(), history.lines.iter().map(line).collect());
    format!("{:#}\n", Value::Object(whole))
}

fn window(one: &WindowChange) -> Value {
    let (causes, reason) = match &one.causes {
        Ok(causes) => (json!(causes.iter().map(cause).collect::<Vec<_>>()), None),
        Err(why) => (Value::Null, Some(json_text(why))),
    };
    json!({
        "scenario": json_text(&one.spot.scenario),
        "window": json_text(&one.spot.window),
        "class": json_text(&one.spot.class),
        "old": side(&one.before),
        "new": side(&one.after),
        "notes": one.notes.iter().map(|note| json_text(note)).collect::<Vec<_>>(),
        "causes": causes,
        "reason": reason,
    })
}

fn side(asked: &PhonesAsked) -> Value {
    let told = !asked.told.is_empty();
    let whole = Amount { us: asked.hitch_us, motion: asked.motion, ..Amount::default() };
    let not_known = |(device, why): &(DeviceId, String)| json!({ "device": json_text(&device.0), "reason": json_text(why) });
    json!({
        "devices": devices(&asked.told),
        "not_known": asked.blind.iter().map(not_known).collect::<Vec<_>>(),
        "motion_ms": told.then_some(asked.motion.ns() as f64 / 1e6),
        "frames_late": told.then_some(asked.late_frames),
        "hitch_ms_per_s": told.then(|| whole.ms_per_s()),
    })
}

fn cause(one: &CauseChange) -> Value {
    let rate = |side: Option<Amount>| side.map(|amount| amount.ms_per_s());
    let frames = |side: Option<Amount>| side.map(|amount| amount.frames);
    let mut fields = named(&one.named);
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
    put("fingerprint", json!(json_text(&one.fingerprint)));
    put("ms_per_s", json!({ "old": rate(one.before), "new": rate(one.after) }));
    put("frames", json!({ "old": frames(one.before), "new": frames(one.after) }));
    put("devices", devices(&one.devices));
    put("state", state(&one.state));
    put("reason", reason(&one.state));
    put("chance", json!(one.chance));
    Value::Object(fields)
}

fn night(one: &CauseNight) -> Value {
    json!({
        "run": json_text(&one.run),
        "wall": json_text(&one.wall),
        "labels": one.labels.iter().map(|(name, label)| (json_text(name), json!(json_text(label)))).collect::<serde_json::Map<_, _>>(),
        "app_version": one.app_version.as_deref().map(json_text),
        "phones": side(&one.phones),
        "devices": devices(&one.devices),
        "ms_per_s": one.amount.map(|amount| amount.ms_per_s()),
        "frames": one.amount.map(|amount| amount.frames),
        "state": state(&one.state),
        "reason": reason(&one.state),
        "chance": one.chance,
    })
}

fn devices(all: &[DeviceId]) -> Value {
    all.iter().map(|device| json_text(&device.0)).collect()
}

fn state(state: &Result<State, String>) -> Value {
    json!(state.as_ref().ok().map(|state| state.word()))
}

fn reason(state: &Result<State, String>) -> Value {
    json!(state.as_ref().err().map(|why| json_text(why)))
}
