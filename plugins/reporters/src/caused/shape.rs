//! The same as one JSON object: stable keys, times in ms exact to the microsecond, `null` with a reason where events
//! were lost.

use super::CausedView;
use farmjank_causes::add::Charged;
use farmjank_causes::cause::Cause;
use farmjank_causes::inquiry::{Late, Total};
use serde_json::{Map, Value, json};

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// The JSON form.
pub fn json(view: &CausedView<'_>) -> String {
    let found = view.found;
    let why: Vec<Value> =
        found.why.iter().map(|(why, us)| json!({ "reason": why.words(), "ms": ms(*us) })).collect();
    let whole = json!({
        "format": FORMAT,
        "app": view.app,
        "hitch_ms": ms(found.hitch_us),
        "explained_ms": ms(found.explained_us),
        "unexplained_ms": ms(found.unexplained_us),
        "unknown_ms": ms(found.unknown_us),
        "unexplained": why,
        "frames_in_time": found.in_time,
        "frames_dropped": view.dropped,
        "causes": found.totals.iter().map(total).collect::<Vec<_>>(),
        "frames": found.late.iter().map(frame).collect::<Vec<_>>(),
        "doubts": view.doubts,
    });
    format!("{whole:#}\n")
}

fn named(cause: &Cause) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), json!(cause.word()));
    fields.insert("group".to_owned(), json!(cause.group().word()));
    fields.insert("title".to_owned(), json!(cause.sentence()));
    fields.insert("thread".to_owned(), json!(cause.thread));
    fields.insert("object".to_owned(), json!(cause.object));
    fields
}

fn total(total: &Total) -> Value {
    let mut fields = named(&total.cause);
    fields.insert("ms".to_owned(), ms(total.us));
    fields.insert("frames".to_owned(), json!(total.frames));
    fields.insert("usual_ms".to_owned(), ms(total.usual_us));
    fields.insert("detail".to_owned(), json!(total.detail));
    fields.insert("confidence".to_owned(), json!(total.confidence.word()));
    Value::Object(fields)
}

fn frame(late: &Late) -> Value {
    let frame = &late.frame;
    let charged = |charged: &Charged| {
        let mut fields = named(&charged.cause);
        fields.insert("ms".to_owned(), ms(charged.us));
        fields.insert("took_ms".to_owned(), ms(charged.took_us));
        fields.insert("usual_ms".to_owned(), ms(charged.usual_us));
        fields.insert("detail".to_owned(), json!(charged.detail));
        Value::Object(fields)
    };
    let (causes, unexplained, confidence, reason) = match &late.charges {
        Ok((charges, confidence)) => (
            json!(charges.charged.iter().map(charged).collect::<Vec<_>>()),
            ms(charges.unexplained_us),
            json!(confidence.word()),
            Value::Null,
        ),
        Err(why) => (Value::Null, Value::Null, Value::Null, json!(why)),
    };
    json!({
        "token": frame.token,
        "process": frame.process,
        "layer": frame.layer,
        "shown_at_ns": frame.to,
        "hitch_ms": ms(frame.hitch / 1_000),
        "causes": causes,
        "unexplained_ms": unexplained,
        "confidence": confidence,
        "reason": reason,
    })
}

fn ms(us: i64) -> Value {
    json!(us as f64 / 1e3)
}
