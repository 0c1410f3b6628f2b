//! The grammar of a limit: `<aggregate> <op> <value>[unit]`, read by hand, every complaint with its place and its cure.
//!
//! Knows [`Unit`]s and which side is better, not metrics. Byte ranges are of the text as given, untrimmed. What is to
//! be written instead stands in place of the range and keeps what the author wrote: followed, it ends in a limit that a
//! good app holds.

use crate::metric::{Better, Unit};
use crate::threshold::{Aggregate, Bound, Limit, LimitComplaint, Relation};
use farmjank_leaf::nearest::{closest, nearest};
use std::ops::Range;

/// Longest limit read, in bytes; the longest sensible one has about 30.
const LONGEST: usize = 200;
const AGGREGATES: [&str; 7] = ["mean", "avg", "median", "med", "min", "max", "p(95)"];

impl Limit {
    /// Reads `<aggregate> <op> <value>[unit]`, such as `mean < 10`, `p(95) <= 0.5s`, `median >= 95%refresh`.
    ///
    /// Aggregates: `mean` (`avg`), `median` (`med`), `min`, `max`, `p(N)`; operators `<` `<=` `>` `>=` `==`; units
    /// `ms`, `s`, `%`, `ms/s`, `fps`, `%refresh`, `MB`, `kB`, `°C`, `mA`, whichever fit `unit`, the unit of the metric.
    /// A number alone is in the metric's unit. The value is stored in the metric's unit. Spaces are optional.
    ///
    /// # Errors
    /// What is wrong, where in `text`, and what to write instead.
    pub fn parse(text: &str, unit: Unit) -> Result<Limit, LimitComplaint> {
        let better = if matches!(unit, Unit::Fps | Unit::Ratio) { Better::Higher } else { Better::Lower };
        read(text, unit, better).map(|(limit, _)| limit)
    }

    /// Reads the limit somebody writes for a metric of which one side is better. Unless it faces the other way on
    /// purpose, it must face this one.
    ///
    /// # Errors
    /// Those of [`Limit::parse`]; that the limit holds the better the worse the app is; or that it holds always, or
    /// never.
    pub fn facing(text: &str, unit: Unit, better: Better, on_purpose: bool) -> Result<Limit, LimitComplaint> {
        let (limit, relation) = read(text, unit, better)?;
        let zero = limit.bound == Bound::Plain(0.0) || limit.bound == Bound::PercentOfRefresh(0.0);
        match (limit.relation, better) {
            (Relation::Below, _) if zero => {
                Err(complaint(relation, "this never holds: no metric is ever negative", "=="))
            }
            (Relation::AtLeast, _) if zero => {
                Err(complaint(relation, "this always holds: no metric is ever negative", ">"))
            }
            (Relation::Below | Relation::AtMost, Better::Higher) if !on_purpose => {
                Err(complaint(relation, "this fails good apps and passes bad ones: higher is better", ">="))
            }
            (Relation::Above | Relation::AtLeast, Better::Lower) if !on_purpose => {
                Err(complaint(relation, "this fails good apps and passes bad ones: lower is better", "<="))
            }
            _ => Ok(limit),
        }
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
    pub(crate) fn can_be_shown(&self) -> bool {
        !self.is_extreme() && self.relation != Relation::Equal
    }
}

/// The limit, and where its comparison stands.
fn read(text: &str, unit: Unit, better: Better) -> Result<(Limit, Range<usize>), LimitComplaint> {
    let hints = Hints { unit, better };
    if text.len() > LONGEST {
        return Err(complaint(0..text.len(), "a limit this long cannot be read", &hints.example()));
    }
    let mut reader = Reader { text, at: 0, hints };
    let aggregate = reader.aggregate()?;
    let (relation, at) = reader.relation()?;
    let bound = reader.bound(unit)?;
    Ok((Limit { text: text.trim().to_owned(), aggregate, relation, bound, confidence: None }, at))
}

/// What to write for a metric of this unit, of which this side is better.
#[derive(Clone, Copy)]
struct Hints {
    unit: Unit,
    better: Better,
}

impl Hints {
    /// A number a good app keeps to.
    fn number(self) -> &'static str {
        match (self.unit, self.better) {
            (Unit::Fps, Better::Higher) => "95%refresh",
            (Unit::Percent | Unit::Ratio, Better::Higher) => "95%",
            (Unit::Percent | Unit::Ratio, Better::Lower) => "5%",
            (Unit::Count, Better::Lower) => "0",
            _ => "10",
        }
    }

    /// The comparison that the better side holds.
    fn relation(self, number: &str) -> &'static str {
        match self.better {
            Better::Higher => ">=",
            Better::Lower if number.trim().trim_end_matches(|c: char| !c.is_ascii_digit()) == "0" => "==",
            Better::Lower if self.unit == Unit::Count => "<=",
            Better::Lower => "<",
        }
    }

    /// How iterations are put together: the worst of them where things are counted.
    fn aggregate(self) -> &'static str {
        if self.unit == Unit::Count && self.better == Better::Lower { "max" } else { "mean" }
    }

    /// A limit with this number and unit.
    fn around(self, number: &str) -> String {
        format!("{} {} {number}", self.aggregate(), self.relation(number))
    }

    fn example(self) -> String {
        self.around(self.number())
    }

    /// A limit out of what follows an aggregate that is missing, mended where it needs it; an example where it cannot
    /// be.
    fn out_of(self, rest: &str) -> String {
        let compared = rest.starts_with(['<', '>', '=', '≤', '≥', '!', '~']);
        let mut text = if compared { format!("{} {rest}", self.aggregate()) } else { self.around(rest) };
        for _ in 0..MENDS {
            match Limit::facing(&text, self.unit, self.better, false) {
                Ok(_) => return text,
                Err(complaint) => text.replace_range(complaint.at, &complaint.instead),
            }
        }
        self.example()
    }
}

/// Mends after which a text is given up: a comparison, a number, a unit, the side it faces.
const MENDS: usize = 4;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    hints: Hints,
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

    fn aggregate(&mut self) -> Result<Aggregate, LimitComplaint> {
        let (at, word) = self.take(char::is_alphanumeric);
        let whole = at.start..self.text.trim_end().len().max(at.start);
        match word {
            "mean" | "avg" => Ok(Aggregate::Mean),
            "median" | "med" => Ok(Aggregate::Median),
            "min" => Ok(Aggregate::Min),
            "max" => Ok(Aggregate::Max),
            "p" => self.percentile(at),
            "" => {
                let what =
                    "a limit begins with an aggregate over the iterations: mean, median, min, max or p(N)";
                let instead = self.hints.out_of(&self.text[whole.clone()]);
                Err(complaint(whole, what, &instead))
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let what = "an aggregate must come before the number: mean, median, min, max or p(N)";
                let instead = self.hints.out_of(&self.text[whole.clone()]);
                Err(complaint(whole, what, &instead))
            }
            _ => {
                let digits = word.strip_prefix(['p', 'P']).filter(|rest| rest.parse::<u8>().is_ok());
                let instead = digits
                    .map_or_else(|| nearest_aggregate(word).to_owned(), |digits| format!("p({digits})"));
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
            let percent = decimal(number).filter(|percent| *percent > 0.0 && *percent <= 100.0);
            let instead = format!("p({}) ", percent.map_or("95", |_| number));
            return Err(complaint(
                start..self.at,
                "the parenthesis of the percentile is not closed",
                &instead,
            ));
        }
        self.at += 1;
        match decimal(number) {
            Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(Aggregate::P(percent)),
            _ => Err(complaint(at, "a percentile is a number above 0 and at most 100", "95")),
        }
    }

    fn relation(&mut self) -> Result<(Relation, Range<usize>), LimitComplaint> {
        let (at, symbol) = self.take(|c| "<>=!≤≥~".contains(c));
        let rest = self.rest().trim();
        let instead = match symbol {
            "<" => return Ok((Relation::Below, at)),
            "<=" => return Ok((Relation::AtMost, at)),
            ">" => return Ok((Relation::Above, at)),
            ">=" => return Ok((Relation::AtLeast, at)),
            "==" => return Ok((Relation::Equal, at)),
            "" => {
                let what = "a comparison is missing: one of < <= > >= ==";
                let number = if rest.is_empty() { self.hints.number() } else { rest };
                let instead = format!("{} {number}", self.hints.relation(number));
                let end = self.text.trim_end().len().max(at.start);
                return Err(complaint(at.start..end, what, &instead));
            }
            "=" | "===" => "==",
            "=<" | "≤" => "<=",
            "=>" | "≥" => ">=",
            _ => self.hints.relation(rest),
        };
        Err(complaint(at, &format!("`{symbol}` is no comparison: one of < <= > >= =="), instead))
    }

    fn bound(&mut self, unit: Unit) -> Result<Bound, LimitComplaint> {
        let (at, number) = self.take(|c| c.is_ascii_digit() || ".,_+-".contains(c));
        let end = self.text.trim_end().len();
        if number.is_empty() {
            let place = at.start..end.max(at.start);
            return Err(complaint(place, "a number is missing after the comparison", self.hints.number()));
        }
        let Some(value) = decimal(number) else {
            let with_point = number.replace(',', ".");
            let (what, instead) = match number.strip_prefix('-') {
                Some(rest) if decimal(rest).is_some() => ("no metric is ever negative", "0"),
                _ if decimal(&with_point).is_some() => ("decimals are written with a point", &*with_point),
                _ => ("this is not a number", self.hints.number()),
            };
            let place = if instead.ends_with(|c: char| !c.is_ascii_digit()) { at.start..end } else { at };
            return Err(complaint(place, what, instead));
        };
        let suffix: String = self.rest().chars().filter(|c| !c.is_whitespace()).collect();
        in_unit(value, number, &suffix, unit)
            .map_err(|(what, instead)| complaint(at.start..end, &what, &instead))
    }
}

/// The value in the metric's unit, or what is wrong with the suffix and what to write.
fn in_unit(value: f64, number: &str, suffix: &str, unit: Unit) -> Result<Bound, (String, String)> {
    let plain = match (unit, suffix) {
        (Unit::Fps, "%refresh") => return Ok(Bound::PercentOfRefresh(value)),
        (_, "") => value,
        (Unit::Fps, "fps") | (Unit::Ms, "ms") | (Unit::MsPerS, "ms/s") | (Unit::Percent, "%") => value,
        (Unit::Mb | Unit::Kb | Unit::Celsius | Unit::MilliAmp, own) if own == unit.symbol() => value,
        (Unit::Ms, "s") => value * 1000.0,
        (Unit::Ratio, "%") => value / 100.0,
        _ => return Err(unfit(number, suffix, unit)),
    };
    match unit {
        Unit::Ratio if plain > 1.0 && suffix.is_empty() && plain <= 100.0 => {
            Err(("a ratio is between 0 and 1".to_owned(), format!("{number}%")))
        }
        Unit::Ratio if plain > 1.0 => Err(("a ratio is at most 100%".to_owned(), "100%".to_owned())),
        Unit::Percent if plain > 100.0 => Err(("a share is at most 100%".to_owned(), "100%".to_owned())),
        _ => Ok(Bound::Plain(plain)),
    }
}

fn unfit(number: &str, suffix: &str, unit: Unit) -> (String, String) {
    let (takes, fits, instead): (_, &[&str], _) = match unit {
        Unit::Fps if suffix == "%" => ("fps or %refresh", &[], "%refresh"),
        Unit::Fps => ("fps or %refresh", &["fps", "%refresh"], "fps"),
        Unit::Ms => ("ms or s", &["ms", "s"], "ms"),
        Unit::MsPerS => ("ms/s", &[], "ms/s"),
        Unit::Percent => ("%", &[], "%"),
        Unit::Ratio => ("nothing (0 to 1) or %", &[], "%"),
        Unit::Count => ("no unit, it is a count", &[], ""),
        Unit::Mb => ("MB", &[], "MB"),
        Unit::Kb => ("kB", &[], "kB"),
        Unit::Celsius => ("°C", &[], "°C"),
        Unit::MilliAmp => ("mA", &[], "mA"),
    };
    let instead = nearest(suffix, fits.iter().copied()).unwrap_or(instead);
    let known = ["fps", "ms", "s", "ms/s", "%", "%refresh", "MB", "kB", "°C", "mA"].contains(&suffix);
    let what = if known { "does not fit this metric" } else { "is no unit" };
    (format!("`{suffix}` {what}; it takes {takes}"), format!("{number}{instead}"))
}

/// Digits with at most one point; nothing else, so no sign, exponent, infinity or NaN.
fn decimal(text: &str) -> Option<f64> {
    let shape =
        text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.bytes().any(|b| b.is_ascii_digit());
    shape.then(|| text.parse().ok()).flatten().filter(|value: &f64| value.is_finite())
}

/// The aggregate whose name is nearest, however far.
fn nearest_aggregate(word: &str) -> &'static str {
    closest(word, AGGREGATES).unwrap_or("mean")
}

fn complaint(at: Range<usize>, what: &str, instead: &str) -> LimitComplaint {
    LimitComplaint { at, what: what.to_owned(), instead: instead.to_owned() }
}
