//! The same as one JSON object: stable keys, times in ms exact to the microsecond, `null` with a reason where events
//! were lost.

use super::{CausedView, iterations};
use crate::clean::json_text;
use farmjank_results::hitch_causes::{
    CallStacks, FrameCause, FrameCauses, HitchCause, HitchCauses, LateFrame, NamedCause, StallCauses,
    Stalled, Unexplained,
};
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
    if let (Some(found), Some(Value::Array(all))) = (&of.causes, fields.get_mut("causes")) {
        for (one, cause) in all.iter_mut().zip(&found.causes) {
            if let (Some(told), Value::Object(cause)) = (iterations::of_cause(of, &cause.fingerprint), one) {
                cause.insert("iterations".to_owned(), told);
            }
        }
    }
    if !of.iterations.is_empty() {
        fields.insert("iterations".to_owned(), iterations::list(of));
    }
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
    put("stalls", stalls(&found.stalls));
    let stacks = |of: &CallStacks| json!({ "taken": of.taken, "lost": of.lost, "reason": of.reason.as_deref().map(json_text) });
    put("stacks", found.stacks.as_ref().map_or(Value::Null, stacks));
    put("doubts", found.doubts.iter().map(|doubt| json_text(doubt)).collect());
    fields
}

pub(crate) fn named(cause: &NamedCause) -> Map<String, Value> {
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
    put_beside(&mut fields, one);
    Value::Object(fields)
}

/// What is known beside the numbers of a cause.
fn put_beside(fields: &mut Map<String, Value>, one: &HitchCause) {
    let told = |text: &str| (!text.is_empty()).then(|| json_text(text));
    fields.insert("detail".to_owned(), json!(json_text(&one.detail)));
    fields.insert("method".to_owned(), json!(told(&one.method)));
    fields.insert("owner".to_owned(), json!(one.owner.as_deref().map(json_text)));
    fields.insert("confidence".to_owned(), json!(one.confidence.word()));
}

fn frame(late: &LateFrame) -> Value {
    let mut fields = Map::new();
    fields.insert("token".to_owned(), json!(late.token));
    fields.insert("process".to_owned(), json!(late.process));
    fields.insert("layer".to_owned(), json!(json_text(&late.layer)));
    fields.insert("shown_at_ns".to_owned(), json!(late.shown_at.ns()));
    fields.insert("hitch_ms".to_owned(), ms(late.hitch_us));
    fields.append(&mut charged(late.charged.as_ref(), late.reason.as_deref()));
    Value::Object(fields)
}

/// What one frame or one stall is charged to; null with the reason where nothing can be said.
fn charged(told: Option<&FrameCauses>, reason: Option<&str>) -> Map<String, Value> {
    let one = |charged: &FrameCause| {
        let mut fields = named(&charged.named);
        fields.insert("ms".to_owned(), ms(charged.us));
        fields.insert("took_ms".to_owned(), ms(charged.took_us));
        fields.insert("usual_ms".to_owned(), ms(charged.usual_us));
        fields.insert("detail".to_owned(), json!(json_text(&charged.detail)));
        Value::Object(fields)
    };
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
    put("causes", json!(told.map(|told| told.causes.iter().map(one).collect::<Vec<_>>())));
    put("smaller", json!(told.map(|told| json!({ "causes": told.smaller, "ms": ms(told.smaller_us) }))));
    put("unexplained_ms", json!(told.map(|told| ms(told.unexplained_us))));
    put("confidence", json!(told.map(|told| told.confidence.word())));
    put("reason", json!(reason.map(json_text)));
    fields
}

/// Stalls without a frame, with the keys of docs/causes.md.
pub(super) fn stalls(found: &StallCauses) -> Value {
    let cause = |one: &HitchCause| {
        let mut fields = named(&one.named);
        fields.insert("fingerprint".to_owned(), json!(one.fingerprint));
        fields.insert("ms".to_owned(), ms(one.us));
        fields.insert("stalls".to_owned(), json!(one.frames));
        put_beside(&mut fields, one);
        Value::Object(fields)
    };
    let stall = |one: &Stalled| {
        let mut fields = Map::new();
        fields.insert("process".to_owned(), json!(one.process));
        fields.insert("began_at_ns".to_owned(), json!(one.began.ns()));
        fields.insert("ms".to_owned(), ms(one.us));
        fields.insert("touch_waited_ms".to_owned(), one.touch_us.map_or(Value::Null, ms));
        fields.append(&mut charged(one.charged.as_ref(), one.reason.as_deref()));
        Value::Object(fields)
    };
    let why = |one: &Unexplained| json!({ "reason": json_text(&one.reason), "ms": ms(one.us) });
    json!({
        "count": found.count,
        "ms": ms(found.us),
        "explained_ms": ms(found.explained_us),
        "unexplained_ms": ms(found.unexplained_us),
        "unknown_ms": ms(found.unknown_us),
        "unexplained": found.unexplained.iter().map(why).collect::<Vec<_>>(),
        "causes": found.causes.iter().map(cause).collect::<Vec<_>>(),
        "smaller": { "causes": found.smaller, "ms": ms(found.smaller_us) },
        "list": found.list.iter().map(stall).collect::<Vec<_>>(),
        "left_out": found.left_out,
    })
}

fn ms(us: i64) -> Value {
    json!(us as f64 / 1e3)
}
