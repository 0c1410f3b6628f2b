//! The least change that matters, as a column holds it: `20` in the metric's unit, `15%` of the baseline. Every number
//! comes back to the last bit.
//!
//! Must not know: which cells have one.

use crate::trouble;
use farmjank_results::compare::Effect;
use farmjank_results::fault::Fault;

/// As it is kept.
pub fn text(effect: Effect) -> String {
    effect.to_string()
}

/// As it was kept.
///
/// # Errors
/// `history_unreadable` when it is none.
pub fn read(text: &str) -> Result<Effect, Fault> {
    let number = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    let found = match text.strip_suffix('%') {
        Some(percent) => number(percent).map(Effect::Percent),
        None => number(text).map(Effect::Plain),
    };
    found.ok_or_else(|| trouble::unreadable("the least change that matters of a session is garbled"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_none_is_garbled() {
        for wrong in ["", "%", "-3", "0", "nan", "1e999", "10 ms/s", "5%%"] {
            assert_eq!(
                read(wrong).map_err(|fault| fault.code),
                Err(farmjank_results::fault::FaultCode::HistoryUnreadable),
                "{wrong}"
            );
        }
    }

    proptest! {
        #[test]
        fn comes_back_to_the_last_bit(value in f64::MIN_POSITIVE..1e9, percent: bool) {
            let effect = if percent { Effect::Percent(value) } else { Effect::Plain(value) };
            prop_assert_eq!(read(&text(effect)).ok(), Some(effect));
        }
    }
}
