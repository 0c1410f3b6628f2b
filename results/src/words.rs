//! Numbers as people read them: the one way a value is written, in verdicts and in every report.
//!
//! As many digits as help and no more, the same for one value wherever it stands; what machines read stays exact. Must
//! not know: reports, colours, columns. What a comparison estimated has fewer digits: `compare`'s sentences know how
//! many.

use crate::metric::Unit;

/// Most digits after the point; what still looks equal is written in full.
const MOST: usize = 9;

/// Digits after the point that suit a unit.
fn places(value: f64, unit: Unit) -> usize {
    match unit {
        Unit::Count if value.fract() == 0.0 => 0,
        Unit::Ratio => 3,
        Unit::Ms | Unit::Percent if value.abs() < 10.0 => 2,
        Unit::Ms if value.abs() >= 1000.0 => 0,
        _ => 1,
    }
}

fn fixed(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{value:.places$}");
    // "-0.0" says nothing that "0.0" does not.
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// A value without its unit: `71.2`, `0.41`, `2`; `–` when there is none.
pub fn number(value: Option<f64>, unit: Unit) -> String {
    value.map_or_else(|| "–".to_owned(), |value| fixed(value, places(value, unit)))
}

/// The unit as it follows a number; counts and ratios have none.
pub fn suffix(unit: Unit) -> &'static str {
    match unit {
        Unit::Count | Unit::Ratio => "",
        Unit::Percent => " %",
        Unit::Fps => " fps",
        Unit::Ms => " ms",
        Unit::MsPerS => " ms/s",
        Unit::Mb => " MB",
        Unit::Kb => " kB",
        Unit::Celsius => " °C",
        Unit::MilliAmp => " mA",
    }
}

/// A value with its unit: `71.2 fps`; `–` when there is none.
pub fn amount(value: Option<f64>, unit: Unit) -> String {
    match value {
        Some(value) if value.is_finite() => number(Some(value), unit) + suffix(unit),
        _ => "–".to_owned(),
    }
}

/// A value and its limit, without unit, with enough digits that two different numbers never look equal (`10.004`
/// against `10.000`): what breaks a limit must not read as what keeps it.
pub fn beside(actual: f64, limit: f64, unit: Unit) -> (String, String) {
    let natural = (number(Some(actual), unit), number(Some(limit), unit));
    let fewest = places(actual, unit).max(places(limit, unit));
    let told = |digits| (fixed(actual, digits), fixed(limit, digits));
    let differ = actual != limit && actual.is_finite() && limit.is_finite();
    // Of one size they have as many digits; `10.00` of 9.996 is `10.0` all the same.
    if !differ || natural.0.parse::<f64>().ok() != natural.1.parse::<f64>().ok() {
        return natural;
    }
    let enough = (fewest..=MOST).map(told).find(|(actual, limit)| actual != limit);
    enough.unwrap_or_else(|| (actual.to_string(), limit.to_string()))
}

/// As [`amount`], with digits enough to tell it from a limit, where there is one.
pub fn amount_beside(actual: f64, limit: Option<f64>, unit: Unit) -> String {
    match limit {
        Some(limit) if actual.is_finite() => beside(actual, limit, unit).0 + suffix(unit),
        _ => amount(Some(actual), unit),
    }
}

/// With up to so many decimals, trailing zeros left out: what an author wrote, as a threshold that matters.
pub fn trimmed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A whole number in groups of three: `1 204`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// `1 frame`, `2 frames`: a count with its noun.
pub fn several(count: impl TryInto<u64>, one: &str, many: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 1204, 1_234_567].map(grouped), ["0", "1 204", "1 234 567"]);
        assert_eq!(amount(Some(71.24), Unit::Fps), "71.2 fps");
        assert_eq!(amount(Some(8.333), Unit::Ms), "8.33 ms");
        assert_eq!(amount(Some(2.0), Unit::Count), "2");
        assert_eq!(amount(Some(-0.001), Unit::MsPerS), "0.0 ms/s");
        assert_eq!(amount(None, Unit::Fps), "–");
        assert_eq!(amount(Some(f64::NAN), Unit::Fps), "–");
        assert_eq!([15.0, 2.46, 120.0].map(|value| trimmed(value, 1)), ["15", "2.5", "120"]);
    }

    #[test]
    fn a_breach_never_looks_like_its_limit() {
        let of = |actual, limit, unit| {
            let (actual, limit) = beside(actual, limit, unit);
            format!("{actual} against {limit}")
        };
        assert_eq!(of(10.004, 10.0, Unit::MsPerS), "10.004 against 10.000");
        assert_eq!(of(42.1, 10.0, Unit::MsPerS), "42.1 against 10.0");
        assert_eq!(of(10.0, 10.0, Unit::MsPerS), "10.0 against 10.0");
        assert_eq!(of(54.96, 55.0, Unit::Fps), "54.96 against 55.00");
        assert_eq!(of(9.996, 10.0, Unit::Ms), "9.996 against 10.000", "rounded they are 10.00 and 10.0");
        assert_eq!(of(0.1 + 0.2, 0.3, Unit::Ratio), "0.30000000000000004 against 0.3");
        assert_eq!(amount_beside(54.96, Some(55.0), Unit::Fps), "54.96 fps");
        assert_eq!(amount_beside(54.96, None, Unit::Fps), "55.0 fps");
    }

    proptest! {
        #[test]
        fn what_is_larger_reads_larger(
            limit in 0.0f64..2000.0,
            by in prop_oneof![-1.0f64..1.0, -1e-3f64..1e-3, -1e-12f64..1e-12],
            unit in prop::sample::select(vec![Unit::Fps, Unit::Ms, Unit::MsPerS, Unit::Percent, Unit::Ratio, Unit::Count, Unit::Mb, Unit::Kb, Unit::Celsius, Unit::MilliAmp]),
        ) {
            let actual = (limit + by).max(0.0);
            let (left, right) = beside(actual, limit, unit);
            let number = |text: &str| text.parse::<f64>().expect("a number");
            prop_assert_eq!(number(&left).partial_cmp(&number(&right)), actual.partial_cmp(&limit), "{} {}", left, right);
        }
    }
}
