//! The least effect that matters: what a comparison must be able to rule out before it says *pass*
//! (docs/design/statistics.md#what-matters).
//!
//! Knows units and the defaults, not iterations.

use crate::metric::Unit;
use crate::threshold::{Bound, Limit};
use farmjank_leaf::text::typed;
use farmjank_statistics::Mei;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Of units other than hitch time, this share of the baseline: 5 % of the frame rate is what 15 iterations show on most
/// phones (docs/design/statistics.md#what-matters).
const SHARE: f64 = 0.05;
/// Largest share of a baseline that can be asked for, percent.
const MOST_PERCENT: f64 = 1_000.0;

/// An effect as its author wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// In the metric's own unit.
    Plain(f64),
    /// Percent of the baseline.
    Percent(f64),
}

/// A text that is no effect, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}; {}", self.what(), self.instead())]
pub struct NoEffect {
    text: String,
    example: &'static str,
}

impl NoEffect {
    /// What is wrong.
    pub fn what(&self) -> String {
        format!("`{}` is no effect", self.text)
    }

    /// What to write.
    pub fn instead(&self) -> String {
        format!("write {} or a share of the baseline as `5%`", self.example)
    }
}

impl Effect {
    /// Reads `10 ms/s`, `12`, `5%`; a number alone is in the metric's unit.
    ///
    /// # Errors
    /// [`NoEffect`]: not a number above 0, or of another unit.
    pub fn parse(text: &str, unit: Unit) -> Result<Effect, NoEffect> {
        let wrong = || {
            let example = if unit == Unit::MsPerS { "`10 ms/s`" } else { "a number" };
            NoEffect { text: typed(text, 40).to_string(), example }
        };
        let positive = |value: f64| Some(value).filter(|value| value.is_finite() && *value > 0.0);
        if let Some(percent) = text.trim().strip_suffix('%') {
            let percent = percent.trim_end().parse().ok().and_then(positive);
            return percent.filter(|percent| *percent <= MOST_PERCENT).map(Effect::Percent).ok_or_else(wrong);
        }
        match Limit::parse(&format!("mean < {}", text.trim()), unit) {
            Ok(Limit { bound: Bound::Plain(value), .. }) => {
                positive(value).map(Effect::Plain).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    /// As the statistics take it.
    pub(crate) fn mei(self) -> Mei {
        match self {
            Effect::Plain(value) => Mei::Absolute(value),
            Effect::Percent(percent) => Mei::Relative(percent / 100.0),
        }
    }
}

/// The effect that matters where nobody said one: max(10 ms/s, 4 √baseline) for hitch time, else 5 % of the baseline,
/// and of counts and percentages never less than one.
pub(crate) fn customary(unit: Option<Unit>) -> Mei {
    match unit {
        Some(Unit::MsPerS) => Mei::Hitch,
        Some(Unit::Count | Unit::Percent) => Mei::Greater { absolute: 1.0, relative: SHARE },
        _ => Mei::Relative(SHARE),
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::Plain(value) => write!(f, "{value}"),
            Effect::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_read_in_the_unit_of_the_metric_or_as_a_share() {
        assert_eq!(Effect::parse("10 ms/s", Unit::MsPerS), Ok(Effect::Plain(10.0)));
        assert_eq!(Effect::parse(" 12.5 ", Unit::MsPerS), Ok(Effect::Plain(12.5)));
        assert_eq!(Effect::parse("0.2s", Unit::Ms), Ok(Effect::Plain(200.0)));
        assert_eq!(Effect::parse("5 %", Unit::Fps), Ok(Effect::Percent(5.0)));
        for wrong in ["", "-3", "0", "ten", "10 fps", "nan%", "-5%", "1e9%", "95%refresh"] {
            assert!(Effect::parse(wrong, Unit::MsPerS).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_customary_effect_on_hitch_time_is_that_of_the_reference() {
        assert_eq!([0.0, 100.0].map(|base| customary(Some(Unit::MsPerS)).of(base)), [10.0, 40.0]);
        assert_eq!(customary(Some(Unit::Fps)).of(60.0), 3.0);
        assert_eq!(customary(Some(Unit::Count)).of(0.0), 1.0);
        assert_eq!((Effect::Percent(5.0).mei().of(60.0), Effect::Plain(7.0).mei().of(60.0)), (3.0, 7.0));
    }
}
