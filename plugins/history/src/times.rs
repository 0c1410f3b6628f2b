//! Wall times: RFC 3339 texts outside, µs since 1970 (UTC) inside. Texts do not sort as times do: `:00Z` stands after
//! `:00.5Z`.

use crate::trouble;
use farmjank_results::fault::Fault;
use jiff::Timestamp;

/// µs since 1970 of a wall time.
///
/// # Errors
/// `history_refused` when it is none.
pub fn micros(wall: &str) -> Result<i64, Fault> {
    wall.parse().map(Timestamp::as_microsecond).map_err(|_| {
        let shown: String = wall.chars().take(40).collect();
        trouble::refused(
            format!("{shown:?} is no time of day"),
            "write it as RFC 3339, such as 2026-03-01T02:00:00Z",
        )
    })
}

/// The wall time of µs since 1970.
///
/// # Errors
/// `history_unreadable` when no calendar knows it.
pub fn wall(micros: i64) -> Result<String, Fault> {
    let time = Timestamp::from_microsecond(micros);
    time.map(|time| time.to_string()).map_err(|_| trouble::unreadable("it holds a time outside the calendar"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_times_and_back() {
        assert_eq!(micros("1970-01-01T00:00:00.5Z").unwrap(), 500_000);
        assert!(micros("2026-03-01T02:00:00Z").unwrap() < micros("2026-03-01T02:00:00.5Z").unwrap());
        assert_eq!(micros("2026-03-01T03:00:00+01:00"), micros("2026-03-01T02:00:00Z"));
        assert_eq!(wall(micros("2026-03-01T02:00:00Z").unwrap()).unwrap(), "2026-03-01T02:00:00Z");
        assert_eq!(micros("yesterday").unwrap_err().code.word(), "history_refused");
        assert_eq!(wall(i64::MAX).unwrap_err().code.word(), "history_unreadable");
    }
}
