//! The same as one JSON object: stable keys, times in ms exact to the microsecond, `null` with a reason where events
//! were lost.

use super::CausedView;
use farmjank_results::hitch_causes::{FrameCause, HitchCause, HitchCauses, LateFrame, NamedCause};
use serde_json::{Map, Value, json};

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// The JSON form.
pub fn json(view: &CausedView<'_>) -> String {
    let mut whole = Map::new();
    whole.insert("format".to_owned(), json!(FORMAT));
    whole.insert("app".to_owned(), json!(view.app));
    whole.append(&mut object(view.found));
    format!("{:#}\n", Value::Object(whole))
}

/// What was found, with the keys of docs/causes.md.
pub fn object(found: &HitchCauses) -> Map<String, Value> {
    let why: Vec<Value> =
        found.unexplained.iter().map(|one| json!({ "reason": one.reason, "ms": ms(one.us) })).collect();
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
    put("doubts", json!(found.doubts));
    fields
}

fn named(cause: &NamedCause) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), json!(cause.kind));
    fields.insert("group".to_owned(), json!(cause.group.word()));
    fields.insert("title".to_owned(), json!(cause.title));
    fields.insert("thread".to_owned(), json!(cause.thread));
    fields.insert("object".to_owned(), json!(cause.object));
    fields
}

fn cause(one: &HitchCause, found: &HitchCauses) -> Value {
    let mut fields = named(&one.named);
    fields.insert("fingerprint".to_owned(), json!(one.fingerprint));
    fields.insert("ms".to_owned(), ms(one.us));
    fields.insert("ms_per_s".to_owned(), json!(found.ms_per_s(one.us)));
    fields.insert("frames".to_owned(), json!(one.frames));
    fields.insert("usual_ms".to_owned(), ms(one.usual_us));
    fields.insert("detail".to_owned(), json!(one.detail));
    fields.insert("confidence".to_owned(), json!(one.confidence.word()));
    Value::Object(fields)
}

fn frame(late: &LateFrame) -> Value {
    let charged = |charged: &FrameCause| {
        let mut fields = named(&charged.named);
        fields.insert("ms".to_owned(), ms(charged.us));
        fields.insert("took_ms".to_owned(), ms(charged.took_us));
        fields.insert("usual_ms".to_owned(), ms(charged.usual_us));
        fields.insert("detail".to_owned(), json!(charged.detail));
        Value::Object(fields)
    };
    let told = late.charged.as_ref();
    json!({
        "token": late.token,
        "process": late.process,
        "layer": late.layer,
        "shown_at_ns": late.shown_at.ns(),
        "hitch_ms": ms(late.hitch_us),
        "causes": told.map(|told| told.causes.iter().map(charged).collect::<Vec<_>>()),
        "smaller": told.map(|told| json!({ "causes": told.smaller, "ms": ms(told.smaller_us) })),
        "unexplained_ms": told.map(|told| ms(told.unexplained_us)),
        "confidence": told.map(|told| told.confidence.word()),
        "reason": late.reason,
    })
}

fn ms(us: i64) -> Value {
    json!(us as f64 / 1e3)
}
