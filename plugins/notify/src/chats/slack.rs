//! Slack's blocks. Texts are `plain_text`, which has no markup but the three signs that are escaped in every text.

use crate::message::{Message, Section};
use serde_json::{Value, json};

/// Largest body, bytes: Slack takes about 13 000 characters in practice.
pub(super) const MOST: usize = 12_000;
/// Longest text of a block, characters, as it is sent.
const TEXT: usize = 3_000;
/// Longest header, characters, as it is sent.
const HEADER: usize = 150;

pub(super) fn body(message: &Message, most: usize) -> Value {
    let plain = |text: &str| json!({ "type": "plain_text", "text": escaped(text), "emoji": false });
    let mut blocks = vec![json!({ "type": "header", "text": plain(title(&message.title)) })];
    for section in &message.sections {
        blocks.push(json!({ "type": "section", "text": plain(&text(section, most)) }));
    }
    blocks.push(json!({ "type": "context", "elements": [ plain(&message.foot) ] }));
    if let Some(link) = &message.link {
        let link = format!("<{}|Log and files>", escaped(link));
        blocks
            .push(json!({ "type": "section", "text": { "type": "mrkdwn", "text": link, "verbatim": true } }));
    }
    json!({ "text": escaped(&message.title), "blocks": blocks })
}

/// A section with as many news as one block takes.
fn text(section: &Section, most: usize) -> String {
    let with = |most: usize| {
        let lines: Vec<String> = Message::lines(section, most).collect();
        format!("{}\n{}", section.heading, lines.join("\n"))
    };
    let fits = (0..=most).rev().map(with).find(|text| escaped(text).chars().count() <= TEXT);
    fits.unwrap_or_else(|| section.heading.to_owned())
}

/// As much of a title as a header takes.
fn title(title: &str) -> &str {
    let ends = title.char_indices().map(|(at, _)| at).chain([title.len()]).rev();
    let fits = ends.map(|end| &title[..end]).find(|title| escaped(title).chars().count() <= HEADER);
    fits.unwrap_or_default()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
