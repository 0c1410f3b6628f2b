//! Messages of DingTalk. They are of the kind `text`, which reads no Markdown and mentions nobody it is not told to.

use super::plain;
use crate::message::Message;
use crate::sign;
use serde_json::{Value, json};

/// Largest body, bytes: DingTalk takes 20 000.
pub(super) const MOST: usize = 18_000;

pub(super) fn body(message: &Message, most: usize) -> Value {
    json!({ "msgtype": "text", "text": { "content": plain(message, most) }, "at": { "isAtAll": false } })
}

/// A path with its signature, where the robot has a secret; the time is in milliseconds since 1970.
pub(super) fn signed(path: &str, millis: i64, secret: Option<&str>) -> String {
    let Some(secret) = secret else { return path.to_owned() };
    let sign = sign::dingtalk(millis, secret).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}timestamp={millis}&sign={sign}")
}
