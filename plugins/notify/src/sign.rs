//! Signatures by which a chat or a program knows that a message is ours: HMAC with SHA-256.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// In hexadecimal digits.
pub(crate) fn hex(key: &str, message: &str) -> String {
    mac(key, message).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Feishu: the time and the secret are the key, and nothing is what is signed. The time is in seconds.
pub(crate) fn feishu(seconds: i64, secret: &str) -> String {
    STANDARD.encode(mac(&format!("{seconds}\n{secret}"), ""))
}

/// DingTalk: the secret is the key, the time and the secret are what is signed. The time is in milliseconds.
pub(crate) fn dingtalk(millis: i64, secret: &str) -> String {
    STANDARD.encode(mac(secret, &format!("{millis}\n{secret}")))
}

fn mac(key: &str, message: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()), message.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_that_others_compute() {
        // RFC 4231, test case 2.
        let rfc = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex("Jefe", "what do ya want for nothing?"), rfc);
        assert_eq!(feishu(1_599_360_473, "demo"), "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=");
        assert_eq!(dingtalk(1_599_360_473_000, "demo"), "eblRZvilBzXa6Ce18IeBM4pMy1rYNWKicaCg6VMwQe0=");
    }
}
