//! Cards of Feishu and Lark. Texts are `plain_text`.

use crate::message::Message;
use crate::sign;
use farmjank_results::verdict::Verdict;
use serde_json::{Value, json};

/// Largest body, bytes: Feishu takes 20 KB of a bot.
pub(super) const MOST: usize = 18_000;

pub(super) fn body(message: &Message, most: usize) -> Value {
    let plain = |text: &str| json!({ "tag": "plain_text", "content": text });
    let template = match message.verdict {
        Some(Verdict::Pass) => "green",
        Some(Verdict::Fail) => "red",
        _ => "orange",
    };
    let mut elements = Vec::new();
    for section in &message.sections {
        let lines: Vec<String> = Message::lines(section, most).collect();
        let text = format!("{}\n{}", section.heading, lines.join("\n"));
        elements.push(json!({ "tag": "div", "text": plain(&text) }));
    }
    elements.push(json!({ "tag": "note", "elements": [ plain(&message.foot) ] }));
    if let Some(link) = &message.link {
        let button =
            json!({ "tag": "button", "text": plain("Log and files"), "type": "default", "url": link });
        elements.push(json!({ "tag": "action", "actions": [ button ] }));
    }
    let header = json!({ "template": template, "title": plain(&message.title) });
    json!({ "msg_type": "interactive", "card": { "header": header, "elements": elements } })
}

/// With its signature, where the bot has a secret; the time is in seconds since 1970.
pub(super) fn signed(mut body: Value, seconds: i64, secret: Option<&str>) -> Value {
    if let Some(secret) = secret {
        body["timestamp"] = json!(seconds.to_string());
        body["sign"] = json!(sign::feishu(seconds, secret));
    }
    body
}
