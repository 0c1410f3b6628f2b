//! Times as a lab file writes them.

use crate::lab_error::LabError;
use std::time::Duration;

/// How the schema tells them.
pub(super) const PATTERN: &str = r"^[0-9]+(\.[0-9]*)?(ms|s|m|h)$";

/// `45ms`, `2s`, `1.5s`, `2m`.
pub(super) fn duration(what: &str, text: &str) -> Result<Duration, LabError> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds = digits.parse::<f64>().ok().filter(|_| plain).map_or(f64::NAN, |n| n * scale);
    if (0.0..=1e7).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(LabError(format!("{what}: {text:?} is not a time; write it like 45ms, 2s or 5m")))
    }
}
