//! The same as one JSON object: stable keys, times in ms exact to the microsecond, `null` with a reason where events
//! were lost.

use super::CausedView;
use crate::clean::json_text;
use farmjank_results::hitch_causes::{FrameCause, HitchCause, HitchCauses, LateFrame, NamedCause};
use farmjank_results::record::WindowCauses;
use serde_json::{Map, Value, json};

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// The JSON form.
pub fn json(view: &CausedView<'_>) -> String {
    let mut whole = Map::new();
    whole.insert("format".to_owned(), json!(FORMAT));
    whole.insert("app".to_owned(), json!(json_text(view.app)));
    whole.append(&mut object(view.found));
    format!("{:#}\n", Value::Object(whole))
}

/// What a run knows of a window: as [`json`], with the trial it was found in; null with a reason where nothing was.
pub(crate) fn of_window(of: &WindowCauses) -> Value {
    let mut fields = of.causes.as_ref().map(object).unwrap_or_default();
    fields.insert("trial".to_owned(), json!(of.trial));
    fields.insert("reason".to_owned(), json!(of.reason.as_deref().map(json_text)));
    if of.causes.is_none() {
        fields.insert("causes".to_owned(), Value::Null);
    }
    Value::Object(fields)
}

/// What was found, with the keys of docs/causes.md.
fn object(found: &HitchCauses) -> Map<String, Value> {
    let why: Vec<Value> = found
        .unexplained
        .iter()
        .map(|one| json!({ "reason": json_text(&one.reason), "ms": ms(one.us) }))
        .collect();
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
    put("hitch_ms", ms(found.hitch_us));
    put("explained_ms", ms(found.explained_us));
    put("unexplained_ms", ms(found.unexplained_us));
    put("unknown_ms", ms(found.unknown_us));
    put("unexplained", json!(why));
    put("frames_late", json!(found.late_frames));
    put("frames_in_time", json!(found.in_time));
    put("frames_dropped", json!(found.dropped));
    put("motion_ms", found.motion.map_or(Value::Null, |motion| ms(motion.ns() / 1_000)));
    put("causes", found.causes.iter().map(|one| cause(one, found)).collect());
    put("smaller", json!({ "causes": found.smaller, "ms": ms(found.smaller_us) }));
    put("frames", found.frames.iter().map(frame).collect());
    put("frames_left_out", json!(found.frames_left_out));
    put("doubts", found.doubts.iter().map(|doubt| json_text(doubt)).collect());
    fields
}

fn named(cause: &NamedCause) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), json!(json_text(&cause.kind)));
    fields.insert("group".to_owned(), json!(cause.group.word()));
    fields.insert("title".to_owned(), json!(json_text(&cause.title)));
    fields.insert("thread".to_owned(), json!(json_text(&cause.thread)));
    fields.insert("object".to_owned(), json!(json_text(&cause.object)));
    fields
}

fn cause(one: &HitchCause, found: &HitchCauses) -> Value {
    let mut fields = named(&one.named);
    fields.insert("fingerprint".to_owned(), json!(one.fingerprint));
    fields.insert("ms".to_owned(), ms(one.us));
    fields.insert("ms_per_s".to_owned(), json!(found.ms_per_s(one.us)));
    fields.insert("frames".to_owned(), json!(one.frames));
    fields.insert("usual_ms".to_owned(), ms(one.usual_us));
    fields.insert("detail".to_owned(), json!(json_text(&one.detail)));
    fields.insert("confidence".to_owned(), json!(one.confidence.word()));
    Value::Object(fields)
}

fn frame(late: &LateFrame) -> Value {
    let charged = |charged: &FrameCause| {
        let mut fields = named(&charged.named);
        fields.insert("ms".to_owned(), ms(charged.us));
        fields.insert("took_ms".to_owned(), ms(charged.took_us));
        fields.insert("usual_ms".to_owned(), ms(charged.usual_us));
        fields.insert("detail".to_owned(), json!(json_text(&charged.detail)));
        Value::Object(fields)
    };
    let told = late.charged.as_ref();
    json!({
        "token": late.token,
        "process": late.process,
        "layer": json_text(&late.layer),
        "shown_at_ns": late.shown_at.ns(),
        "hitch_ms": ms(late.hitch_us),
        "causes": told.map(|told| told.causes.iter().map(charged).collect::<Vec<_>>()),
        "smaller": told.map(|told| json!({ "causes": told.smaller, "ms": ms(told.smaller_us) })),
        "unexplained_ms": told.map(|told| ms(told.unexplained_us)),
        "confidence": told.map(|told| told.confidence.word()),
        "reason": late.reason.as_deref().map(json_text),
    })
}

fn ms(us: i64) -> Value {
    json!(us as f64 / 1e3)
}
