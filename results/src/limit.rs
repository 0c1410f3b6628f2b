//! The grammar of a limit: `<aggregate> <op> <value>[unit]`, read by hand, every complaint with its place and its cure.
//!
//! Knows [`Unit`]s, not metrics. Byte ranges are of the text as given, untrimmed.

use crate::metric::Unit;
use crate::threshold::{Aggregate, Bound, Limit, LimitComplaint, Relation};
use farmjank_leaf::nearest::closest;
use std::ops::Range;

/// Longest limit read, in bytes; the longest sensible one has about 30.
const LONGEST: usize = 200;
const AGGREGATES: [&str; 7] = ["mean", "avg", "median", "med", "min", "max", "p(95)"];

impl Limit {
    /// Reads `<aggregate> <op> <value>[unit]`, such as `mean < 10`, `p(95) <= 0.5s`, `median >= 95%refresh`.
    ///
    /// Aggregates: `mean` (`avg`), `median` (`med`), `min`, `max`, `p(N)`; operators `<` `<=` `>` `>=` `==`; units `ms`,
    /// `s`, `%`, `ms/s`, `fps`, `%refresh`, whichever fit `unit`, the unit of the metric. A number alone is in the
    /// metric's unit. The value is stored in the metric's unit. Spaces are optional.
    ///
    /// # Errors
    /// What is wrong, where in `text`, and what to write instead.
    pub fn parse(text: &str, unit: Unit) -> Result<Limit, LimitComplaint> {
        if text.len() > LONGEST {
            return Err(complaint(0..text.len(), "a limit this long cannot be read", "mean < 10"));
        }
        let mut reader = Reader { text, at: 0 };
        let aggregate = reader.aggregate(unit)?;
        let relation = reader.relation()?;
        let bound = reader.bound(unit)?;
        Ok(Limit { text: text.trim().to_owned(), aggregate, relation, bound, confidence: None })
    }

    /// The same limit, to be shown with this one-sided confidence in percent (50 < `percent` < 100).
    ///
    /// # Errors
    /// When the number is out of range, or when no finite sample can show the limit with confidence: the extremes
    /// (`min`, `max`, `p(100)`) always grow with more iterations, and `==` has no side.
    pub fn with_confidence(mut self, percent: f64) -> Result<Limit, LimitComplaint> {
        let whole = 0..self.text.len();
        if !(percent > 50.0 && percent < 100.0) {
            return Err(complaint(
                whole,
                "a confidence is a number of percent above 50 and below 100",
                "confidence: 95",
            ));
        }
        if self.is_extreme() {
            let what =
                format!("no number of iterations shows the extreme `{}` with confidence", self.aggregate);
            let instead = "leave out confidence, or limit mean, median or p(N) below 100";
            return Err(LimitComplaint { at: whole, what, instead: instead.to_owned() });
        }
        if self.relation == Relation::Equal {
            return Err(complaint(
                whole,
                "`==` cannot be shown with confidence: it has no side",
                "use <= or >=",
            ));
        }
        self.confidence = Some(percent);
        Ok(self)
    }

    fn is_extreme(&self) -> bool {
        matches!(self.aggregate, Aggregate::Min | Aggregate::Max | Aggregate::P(100.0))
    }

    /// Whether enough iterations could show this limit with confidence: not the extremes, and not `==`.
    pub fn can_be_shown(&self) -> bool {
        !self.is_extreme() && self.relation != Relation::Equal
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes the longest run of characters that fit, after spaces.
    fn take(&mut self, fits: impl Fn(char) -> bool) -> (Range<usize>, &'a str) {
        self.space();
        let rest = self.rest();
        let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        let range = self.at..self.at + length;
        self.at = range.end;
        (range, &rest[..length])
    }

    fn aggregate(&mut self, unit: Unit) -> Result<Aggregate, LimitComplaint> {
        let (at, word) = self.take(char::is_alphanumeric);
        match word {
            "mean" | "avg" => Ok(Aggregate::Mean),
            "median" | "med" => Ok(Aggregate::Median),
            "min" => Ok(Aggregate::Min),
            "max" => Ok(Aggregate::Max),
            "p" => self.percentile(at),
            "" => {
                let what =
                    "a limit begins with an aggregate over the iterations: mean, median, min, max or p(N)";
                Err(complaint(at, what, if unit == Unit::Fps { "mean >= 95%refresh" } else { "mean < 10" }))
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let what = "an aggregate must come before the number: mean, median, min, max or p(N)";
                Err(complaint(at, what, &format!("mean < {word}")))
            }
            _ => {
                let digits = word.strip_prefix(['p', 'P']).filter(|rest| rest.parse::<u8>().is_ok());
                let instead =
                    digits.map(|digits| format!("p({digits})")).unwrap_or_else(|| nearest(word).to_owned());
                Err(complaint(at, &format!("unknown aggregate `{word}`"), &instead))
            }
        }
    }

    fn percentile(&mut self, word: Range<usize>) -> Result<Aggregate, LimitComplaint> {
        self.space();
        let start = word.start;
        if !self.rest().starts_with('(') {
            return Err(complaint(word, "a percentile names its percent in parentheses", "p(95)"));
        }
        self.at += 1;
        let (at, number) = self.take(|c| c != ')' && !c.is_whitespace());
        self.space();
        if !self.rest().starts_with(')') {
            return Err(complaint(
                start..self.at,
                "the parenthesis of the percentile is not closed",
                "p(95)",
            ));
        }
        self.at += 1;
        match decimal(number) {
            Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(Aggregate::P(percent)),
            _ => Err(complaint(at, "a percentile is a number above 0 and at most 100", "p(95)")),
        }
    }

    fn relation(&mut self) -> Result<Relation, LimitComplaint> {
        let (at, symbol) = self.take(|c| "<>=!≤≥~".contains(c));
        let instead = match symbol {
            "<" => return Ok(Relation::Below),
            "<=" => return Ok(Relation::AtMost),
            ">" => return Ok(Relation::Above),
            ">=" => return Ok(Relation::AtLeast),
            "==" => return Ok(Relation::Equal),
            "" => {
                let what = "a comparison is missing: one of < <= > >= ==";
                return Err(complaint(at.start..at.start.max(self.text.len()), what, "<"));
            }
            "=" | "===" => "==",
            "=<" | "≤" => "<=",
            "=>" | "≥" => ">=",
            _ => "< <= > >= or ==",
        };
        Err(complaint(at, &format!("`{symbol}` is no comparison"), instead))
    }

    fn bound(&mut self, unit: Unit) -> Result<Bound, LimitComplaint> {
        let (at, number) = self.take(|c| c.is_ascii_digit() || ".,_+-".contains(c));
        if number.is_empty() {
            let end = self.text.trim_end().len().max(at.start);
            return Err(complaint(at.start..end, "a number is missing after the comparison", "10"));
        }
        let Some(value) = decimal(number) else {
            let (what, instead) = match number.strip_prefix('-') {
                Some(rest) if decimal(rest).is_some() => ("no metric is ever negative", "0"),
                _ if decimal(&number.replace(',', ".")).is_some() => {
                    ("decimals are written with a point", ".")
                }
                _ => ("this is not a number", "10"),
            };
            let instead = if instead == "." { number.replace(',', ".") } else { instead.to_owned() };
            return Err(complaint(at, what, &instead));
        };
        self.space();
        let start = self.at;
        let written = self.rest().trim_end();
        let suffix: String = written.chars().filter(|c| !c.is_whitespace()).collect();
        let place = if suffix.is_empty() { at.clone() } else { start..start + written.len() };
        in_unit(value, number, &suffix, unit).map_err(|(what, instead)| complaint(place, &what, &instead))
    }
}

/// The value in the metric's unit, or what is wrong with the suffix and what to write.
fn in_unit(value: f64, number: &str, suffix: &str, unit: Unit) -> Result<Bound, (String, String)> {
    let plain = match (unit, suffix) {
        (Unit::Fps, "%refresh") => return Ok(Bound::PercentOfRefresh(value)),
        (_, "") => value,
        (Unit::Fps, "fps") | (Unit::Ms, "ms") | (Unit::MsPerS, "ms/s") | (Unit::Percent, "%") => value,
        (Unit::Ms, "s") => value * 1000.0,
        (Unit::Ratio, "%") => value / 100.0,
        _ => return Err(unfit(number, suffix, unit)),
    };
    match unit {
        Unit::Ratio if plain > 1.0 && suffix.is_empty() => {
            Err(("a ratio is between 0 and 1".to_owned(), format!("{number}%")))
        }
        Unit::Ratio if plain > 1.0 => Err(("a ratio is at most 100%".to_owned(), "100%".to_owned())),
        Unit::Percent if plain > 100.0 => Err(("a share is at most 100%".to_owned(), "100%".to_owned())),
        _ => Ok(Bound::Plain(plain)),
    }
}

fn unfit(number: &str, suffix: &str, unit: Unit) -> (String, String) {
    let (fits, instead) = match unit {
        Unit::Fps if suffix == "%" => ("fps or %refresh", "%refresh"),
        Unit::Fps => ("fps or %refresh", "fps"),
        Unit::Ms => ("ms or s", "ms"),
        Unit::MsPerS => ("ms/s", "ms/s"),
        Unit::Percent => ("%", "%"),
        Unit::Ratio => ("nothing (0 to 1) or %", "%"),
        Unit::Count => ("no unit, it is a count", ""),
    };
    let known = ["fps", "ms", "s", "ms/s", "%", "%refresh"].contains(&suffix);
    let what = if known { "does not fit this metric" } else { "is no unit" };
    (format!("`{suffix}` {what}; it takes {fits}"), format!("{number}{instead}"))
}

/// Digits with at most one point; nothing else, so no sign, exponent, infinity or NaN.
fn decimal(text: &str) -> Option<f64> {
    let shape =
        text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.bytes().any(|b| b.is_ascii_digit());
    shape.then(|| text.parse().ok()).flatten().filter(|value: &f64| value.is_finite())
}

/// The aggregate whose name is nearest, however far.
fn nearest(word: &str) -> &'static str {
    closest(word, AGGREGATES).unwrap_or("mean")
}

fn complaint(at: Range<usize>, what: &str, instead: &str) -> LimitComplaint {
    LimitComplaint { at, what: what.to_owned(), instead: instead.to_owned() }
}
