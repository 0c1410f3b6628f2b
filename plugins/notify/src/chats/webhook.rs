//! JSON for a program of somebody's own, with a signature over the very bytes of the body.

use super::Told;
use crate::news::Item;
use crate::sign;
use farmjank_leaf::text::line;
use serde_json::{Value, json};

/// Version of the form; it only grows.
const FORMAT: u32 = 1;
/// Most characters of a text.
const TEXT: usize = 400;
/// Most news under each heading.
const ITEMS: usize = 100;

pub(super) fn body(told: &Told<'_>) -> Value {
    let (run, news) = (told.run, told.news);
    let bounded = |text: &str| line(text, TEXT);
    let items = |items: &[Item]| -> Vec<Value> {
        let shown = items.iter().take(ITEMS);
        shown.map(|item| json!({ "what": bounded(&item.what), "why": bounded(&item.why) })).collect()
    };
    json!({
        "format": FORMAT,
        "run": bounded(&run.run),
        "against": news.against.as_deref().map(bounded),
        "sent_ms": told.millis,
        "verdict": run.verdict.map(|verdict| verdict.to_string()),
        "exit_code": run.exit_code,
        "counts": bounded(&run.counts),
        "virtual": run.lab.is_some(),
        "changed": news.is_any(),
        "failing": items(&news.failing),
        "untold": items(&news.untold),
        "passing": items(&news.passing),
        "causes": items(&news.causes),
        "lost": items(&news.lost),
        "back": items(&news.back),
        "link": told.message.link,
    })
}

/// The signature of the body, and what tells one message from another however often it is sent.
pub(super) fn headers(body: &Value, secret: &str) -> Vec<(&'static str, String)> {
    let text = body.to_string();
    let signature = sign::hex(secret, &text);
    let delivery = signature.chars().take(32).collect();
    vec![("x-farmjank-signature", format!("sha256={signature}")), ("x-farmjank-delivery", delivery)]
}
