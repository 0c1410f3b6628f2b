//! What became of a number, with an arrow, a size and a word: the same in every report that holds two runs together.
//!
//! Must not know: formats. Nothing here is cleaned; all of it is ours. Whether a change is more than noise is said by a
//! comparison, not here.

use crate::comparison::{word, word_of};
use crate::words;
use farmjank_results::compare::{CellCompared, State};
use farmjank_results::metric::{Better, Unit};

/// `▲ 192 % worse`, `▼ 12 % better`, `same`; none where the difference is no number.
pub(crate) fn change(from: f64, to: f64, unit: Unit, better: Option<Better>) -> Option<String> {
    let by = to - from;
    if !by.is_finite() {
        return None;
    }
    // What no digit of the report shows is no change.
    if words::number(Some(from), unit) == words::number(Some(to), unit) {
        return Some("same".to_owned());
    }
    let far = match from.abs() {
        base if base < 1e-9 => words::amount(Some(by.abs()), unit),
        base => words::percent(by.abs() / base * 100.0),
    };
    let far = format!("{} {far}", if by > 0.0 { "▲" } else { "▼" });
    let word = match (better.is_some_and(|better| better.is_worse(by)), better) {
        (true, _) => "worse",
        (false, Some(_)) => "better",
        (false, None) if by > 0.0 => "more",
        (false, None) => "less",
    };
    Some(format!("{far} {word}"))
}

/// The same without a word for better or worse: what no comparison has shown is neither.
pub(crate) fn unproved(words: &str) -> String {
    let bare = [" worse", " better"].iter().find_map(|word| words.strip_suffix(word));
    bare.unwrap_or(words).to_owned()
}

/// What the baseline says of one metric: `regression ▲ 192 % worse`, `pass (11.0 → 11.2 ms/s)`, `no baseline`. Only
/// where the comparison found a change is its direction put in a word.
pub(crate) fn against(one: &CellCompared) -> String {
    let unit = one.unit.unwrap_or(Unit::Count);
    let sides = one.base.zip(one.new);
    match (one.state, sides) {
        (State::Regression | State::Improvement | State::Fail, Some((base, new))) => {
            let change = change(base, new, unit, Some(one.better));
            format!("{} {}", word(one.state), change.unwrap_or_default()).trim_end().to_owned()
        }
        (State::Invalid | State::NoBaseline, _) | (_, None) => word_of(one).to_owned(),
        (state, Some((base, new))) => {
            let (base, new) = (words::number(Some(base), unit), words::amount(Some(new), unit));
            format!("{} ({base} → {new})", word(state))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_an_arrow_a_size_and_a_word() {
        let of = |from, to, better| change(from, to, Unit::MsPerS, better).unwrap();
        assert_eq!(of(10.0, 29.2, Some(Better::Lower)), "▲ 192 % worse");
        assert_eq!(of(10.0, 8.8, Some(Better::Lower)), "▼ 12 % better");
        assert_eq!(of(10.0, 8.8, Some(Better::Higher)), "▼ 12 % worse");
        assert_eq!(of(10.0, 10.04, Some(Better::Lower)), "same");
        assert_eq!(of(0.0, 2.0, None), "▲ 2.0 ms/s more");
        assert_eq!(change(f64::NAN, 2.0, Unit::Ms, None), None);
    }
}
