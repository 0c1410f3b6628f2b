//! Adaptive cards, as the workflows of Teams take them. Texts are runs of rich text, which read no Markdown.

use crate::message::Message;
use serde_json::{Value, json};

/// Largest body, bytes: Teams takes 28 KB.
pub(super) const MOST: usize = 24_000;

pub(super) fn body(message: &Message, most: usize) -> Value {
    let run = |text: &str, bold: bool| {
        let weight = if bold { "Bolder" } else { "Default" };
        json!({ "type": "RichTextBlock", "inlines": [ { "type": "TextRun", "text": text, "weight": weight } ] })
    };
    let mut body = vec![run(&message.title, true)];
    for section in &message.sections {
        body.push(run(section.heading, true));
        body.extend(Message::lines(section, most).map(|line| run(&line, false)));
    }
    body.push(run(&message.foot, false));
    let mut card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": { "width": "Full" },
        "body": body,
    });
    if let Some(link) = &message.link {
        card["actions"] = json!([ { "type": "Action.OpenUrl", "title": "Log and files", "url": link } ]);
    }
    let content_type = "application/vnd.microsoft.card.adaptive";
    json!({ "type": "message", "attachments": [ { "contentType": content_type, "contentUrl": null, "content": card } ] })
}
