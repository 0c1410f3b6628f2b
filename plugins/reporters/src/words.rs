//! Numbers, verdicts and coverage as people read them; the same words in every report.
//!
//! Must not know: colours, columns, files. How a value is written is decided in [`farmjank_results::words`].

use farmjank_results::threshold::Judgement;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
pub use farmjank_results::verdict::exit_word as exit;
use farmjank_results::window::Coverage;
pub use farmjank_results::words::{amount, amount_beside, beside, grouped, number, several, suffix};

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
        bound: judgement
            .confidence_bound
            .map(|bound| format!("bound {}", amount_beside(bound, judgement.limit, unit))),
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
    let frames = several(all.iter().map(|one| one.frames_seen).sum::<u64>(), "frame", "frames");
    if all.iter().all(|one| one.proved) {
        return format!("{frames}, none missed");
    }
    let share = all.iter().map(|one| one.share).fold(1.0, f64::min);
    let doubt = all.iter().filter(|one| !one.proved).find_map(|one| one.doubts.first());
    let gaps: usize = all.iter().map(|one| one.gaps.len()).sum();
    let why = match doubt {
        Some(doubt) => doubt.clone(),
        None if gaps > 0 => several(gaps, "gap", "gaps"),
        None => "samples do not overlap".to_owned(),
    };
    // Rounded down: 99.96 % must not read as everything.
    format!("{frames}, coverage not proved ({:.1} % at worst): {why}", (share * 1000.0).floor() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::event::WindowMeasured;
    use farmjank_results::gate::judge_window;
    use farmjank_results::metric::{Reading, Unit};
    use farmjank_results::threshold::Limit;

    #[test]
    fn a_verdict_and_a_table_write_one_value_in_one_way() {
        let limits = [("fps", "median >= 55", Unit::Fps), ("p95_ms", "max < 33.3", Unit::Ms)];
        let limits =
            limits.map(|(key, text, unit)| (key.to_owned(), Limit::parse(text, unit).expect("a limit")));
        for (fps, p95) in [(50.48, 1041.6), (54.96, 33.301)] {
            let values = [("fps", fps), ("p95_ms", p95)];
            let window = WindowMeasured {
                readings: values.map(|(key, value)| (key.to_owned(), Reading::Value(value))).into(),
                ..WindowMeasured::default()
            };
            let judged = judge_window(&limits, &[window]);
            for (judgement, reason) in judged.judgements.iter().zip(&judged.reasons) {
                let amount = sides(judgement).amount;
                assert!(reason.contains(&format!(" is {amount}, limit ")), "{amount} in the table, {reason}");
            }
            assert_eq!(judged.reasons.len(), 2);
        }
    }

    #[test]
    fn lengths_of_time_have_the_digits_people_read() {
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
