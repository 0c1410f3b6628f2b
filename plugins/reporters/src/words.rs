//! Numbers, verdicts and coverage as people read them; the same words in every report.
//!
//! Must not know: colours, columns, files. Numbers carry as many digits as help and no more.

use farmjank_results::metric::Unit;
use farmjank_results::threshold::Judgement;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
pub use farmjank_results::verdict::exit_word as exit;
use farmjank_results::window::Coverage;

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
pub fn several(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

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

/// A reading without its unit: `71.2`, `0.41`, `2`; `–` when there is none.
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
    }
}

/// A reading with its unit: `71.2 fps`.
pub fn amount(value: Option<f64>, unit: Unit) -> String {
    match value {
        Some(value) if value.is_finite() => number(Some(value), unit) + suffix(unit),
        _ => "–".to_owned(),
    }
}

/// A reading and its limit with enough digits that two different numbers never look equal (`10.004` against `10.000`).
pub fn beside(actual: f64, limit: f64, unit: Unit) -> (String, String) {
    let mut digits = places(actual, unit).max(places(limit, unit));
    let differ = actual != limit && actual.is_finite() && limit.is_finite();
    while differ && digits < 9 && fixed(actual, digits) == fixed(limit, digits) {
        digits += 1;
    }
    // Without need, each keeps its own natural digits.
    let natural = (number(Some(actual), unit), number(Some(limit), unit));
    if differ && natural.0 == natural.1 { (fixed(actual, digits), fixed(limit, digits)) } else { natural }
}

/// A judgement's two sides in words. The limit is the author's text and is not cleaned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The aggregate without unit: `71.2`; `–` when there is none.
    pub actual: String,
    /// The same with its unit: `71.2 fps`.
    pub amount: String,
    /// The limit as written, and what it came to where it is relative: `mean >= 95%refresh = 85.5 fps`.
    pub limit: String,
    /// The bound a confidence was asked of, where one was.
    pub bound: Option<String>,
}

/// What a limit was held against, with enough digits to tell the two apart.
pub fn sides(judgement: &Judgement) -> Sides {
    let unit = judgement.unit;
    let (actual, limit) = match (judgement.actual, judgement.limit) {
        (Some(actual), Some(limit)) => beside(actual, limit, unit),
        (actual, limit) => (number(actual, unit), number(limit, unit)),
    };
    let known = judgement.actual.is_some_and(f64::is_finite);
    let relative = judgement.text.contains("refresh") && judgement.limit.is_some();
    let resolved = if relative { format!(" = {limit}{}", suffix(unit)) } else { String::new() };
    Sides {
        amount: if known { format!("{actual}{}", suffix(unit)) } else { actual.clone() },
        actual,
        limit: format!("{}{resolved}", judgement.text),
        bound: judgement.confidence_bound.map(|bound| format!("bound {}", amount(Some(bound), unit))),
    }
}

/// Where a measured value lies against its limit, with an arrow and a word: `▼ 17 % below`, `▲ 2 above`, `equal`; none
/// where either is unknown.
pub fn apart(judgement: &Judgement) -> Option<String> {
    let (actual, limit) = judgement.actual.zip(judgement.limit)?;
    let by = actual - limit;
    if !by.is_finite() {
        return None;
    }
    let (arrow, word) = match by {
        by if by > 0.0 => ("▲", "above"),
        by if by < 0.0 => ("▼", "below"),
        _ => return Some("equal".to_owned()),
    };
    let far = match limit.abs() {
        // A share of nothing says nothing.
        base if base < 1e-9 => amount(Some(by.abs()), judgement.unit),
        base => percent(by.abs() / base * 100.0),
    };
    Some(format!("{arrow} {far} {word}"))
}

/// A share in percent: `0.04 %`, `3.1 %`, `17 %`; beyond a thousand percent as a factor, `57 ×`.
pub fn percent(share: f64) -> String {
    match share {
        share if share < 0.1 => format!("{share:.2} %"),
        share if share < 9.95 => format!("{share:.1} %"),
        share if share < 1000.0 => format!("{share:.0} %"),
        share => format!("{} ×", grouped((share / 100.0).round().min(1e15) as u64)),
    }
}

/// A length of time: `0.4 s`, `12 s`, `2 min 04 s`, `1 h 02 min`.
pub fn length(span: Span) -> String {
    let seconds = span.secs().max(0.0);
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A time left, roughly, in at most ten characters: `16 s left`, `2 min left`, `3 h left`.
pub fn left(span: Span) -> String {
    let seconds = span.secs().max(0.0).ceil() as u64;
    match seconds {
        0..60 => format!("{seconds} s left"),
        60..3570 => format!("{} min left", (seconds + 30) / 60),
        _ => format!("{} h left", ((seconds + 1800) / 3600).min(9999)),
    }
}

/// The word of a verdict; `not judged` when there is none.
pub fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "pass",
        Some(Verdict::Fail) => "fail",
        Some(Verdict::Broken) => "broken",
        Some(Verdict::Undecided) => "undecided",
        None => "unjudged",
    }
}

/// What was seen, over the counted trials of a window: `1 204 frames, none missed`, or why that is not proved.
pub fn coverage(all: &[&Coverage]) -> String {
    if all.is_empty() {
        return "no frames seen".to_owned();
    }
    let frames = several(all.iter().map(|one| one.frames_seen).sum(), "frame", "frames");
    if all.iter().all(|one| one.proved) {
        return format!("{frames}, none missed");
    }
    let share = all.iter().map(|one| one.share).fold(1.0, f64::min);
    let doubt = all.iter().filter(|one| !one.proved).find_map(|one| one.doubts.first());
    let gaps: usize = all.iter().map(|one| one.gaps.len()).sum();
    let why = match doubt {
        Some(doubt) => doubt.clone(),
        None if gaps > 0 => several(gaps as u64, "gap", "gaps"),
        None => "samples do not overlap".to_owned(),
    };
    // Rounded down: 99.96 % must not read as everything.
    format!("{frames}, coverage not proved ({:.1} % at worst): {why}", (share * 1000.0).floor() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1204), "1 204");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(amount(Some(71.24), Unit::Fps), "71.2 fps");
        assert_eq!(amount(Some(8.333), Unit::Ms), "8.33 ms");
        assert_eq!(amount(Some(2.0), Unit::Count), "2");
        assert_eq!(amount(Some(-0.001), Unit::MsPerS), "0.0 ms/s");
        assert_eq!(amount(None, Unit::Fps), "–");
        assert_eq!(amount(Some(f64::NAN), Unit::Fps), "–");
    }

    #[test]
    fn a_breach_never_looks_like_its_limit() {
        assert_eq!(beside(10.004, 10.0, Unit::MsPerS), ("10.004".into(), "10.000".into()));
        assert_eq!(beside(42.1, 10.0, Unit::MsPerS), ("42.1".into(), "10.0".into()));
        assert_eq!(beside(10.0, 10.0, Unit::MsPerS), ("10.0".into(), "10.0".into()));
    }

    #[test]
    fn lengths_of_time() {
        let text = |ms| length(Span::from_ms(ms));
        assert_eq!(
            [text(400), text(12_300), text(124_000), text(3_720_000)],
            ["0.4 s", "12 s", "2 min 04 s", "1 h 02 min"]
        );
        let left = |ms| left(Span::from_ms(ms));
        assert_eq!(
            [left(-5), left(15_200), left(100_000), left(3_590_000)],
            ["0 s left", "16 s left", "2 min left", "1 h left"]
        );
    }
}
