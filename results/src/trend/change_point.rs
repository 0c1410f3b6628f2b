//! Where a line turned: an alert that rings within days, and E-divisive, which says the night
//! (docs/design/statistics.md#nights).
//!
//! Must not know: other lines. A change point smaller than the least change that matters is kept and told as such,
//! never acted on.

use super::Line;
use crate::compare::{Effect, customary};
use crate::metric::Better;
use farmjank_statistics::change::{self, Change, divisive};

/// Nights the alert needs before it can ring: 20 back and 5 against them.
pub const ENOUGH: usize = change::BACK + change::FORWARD;
/// How far apart the two rules may place what is one change point, nights.
const NEAR: usize = change::FORWARD;

/// Which way a level went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Worse.
    Worse,
    /// Better.
    Better,
}

impl Way {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Way::Worse => "worse",
            Way::Better => "better",
        }
    }
}

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first night of the new level, among the line's nights.
    pub at: usize,
    /// Level before, as exp(mean of ln(x + 1)) - 1 of its nights.
    pub before: f64,
    /// Level after.
    pub after: f64,
    /// Two-sided p of the alert, where it rang.
    pub alert: Option<f64>,
    /// Two-sided p of the place E-divisive found, where it did.
    pub placed: Option<f64>,
    /// The least change from the level before that matters.
    pub mei: f64,
    /// Which way it went.
    pub way: Way,
}

impl ChangePoint {
    /// Level after less level before.
    pub fn size(&self) -> f64 {
        self.after - self.before
    }

    /// Large enough to act on.
    pub fn matters(&self) -> bool {
        self.size().abs() >= self.mei
    }
}

/// Every change point of a line, the oldest first. `effect` is the least change that matters, instead of the line's
/// own.
pub fn change_points(line: &Line, effect: Option<Effect>) -> Vec<ChangePoint> {
    let (places, levels) = line.levels();
    let mut found: Vec<(Change, Option<f64>, Option<f64>)> =
        divisive::changes(&levels).into_iter().map(|change| (change, None, Some(change.p))).collect();
    for rung in change::changes(&levels) {
        let same = |(placed, ..): &&mut (Change, Option<f64>, Option<f64>)| {
            placed.at.abs_diff(rung.at) <= NEAR && placed.size().signum() == rung.size().signum()
        };
        let nearest = found.iter_mut().filter(same).min_by_key(|(placed, ..)| placed.at.abs_diff(rung.at));
        match nearest {
            Some((_, alert, _)) => *alert = Some(alert.map_or(rung.p, |before| before.min(rung.p))),
            None => found.push((rung, Some(rung.p), None)),
        }
    }
    found.sort_by_key(|(change, ..)| change.at);
    let change_point = |(change, alert, placed): (Change, Option<f64>, Option<f64>)| {
        let worse = match line.better() {
            Better::Lower => change.size() > 0.0,
            Better::Higher => change.size() < 0.0,
        };
        ChangePoint {
            at: places[change.at],
            before: change.before,
            after: change.after,
            alert,
            placed,
            mei: least_change(line, effect, change.before),
            way: if worse { Way::Worse } else { Way::Better },
        }
    };
    found.into_iter().map(change_point).collect()
}

/// The least change of a level that matters, in the metric's unit: what is asked for, or what the scenario says, or the
/// customary one.
pub fn least_change(line: &Line, effect: Option<Effect>, level: f64) -> f64 {
    effect.or(line.effect).map_or_else(|| customary(line.unit()), Effect::mei).of(level)
}

#[cfg(test)]
mod tests {
    use super::super::samples::line;
    use super::*;

    #[test]
    fn a_step_is_told_once_by_both_rules_and_placed_to_the_night() {
        let levels: Vec<f64> = [vec![14.0; 30], vec![41.0; 8]].concat();
        let found = change_points(&line(&levels, 1), None);
        assert_eq!(found.len(), 1, "{found:?}");
        let change_point = found[0];
        assert_eq!((change_point.at, change_point.way, change_point.matters()), (30, Way::Worse, true));
        assert!(
            change_point.alert.is_some()
                && change_point.placed.is_some()
                && (change_point.size() - 27.0).abs() < 8.0,
            "{change_point:?}"
        );
        // 4 √14 = 15
        assert!((change_point.mei - 15.0).abs() < 1.5, "{change_point:?}");
        let other = change_points(&line(&levels, 1), Some(Effect::Plain(60.0)));
        assert!(!other[0].matters(), "{other:?}");
        // What the scenario says matters, unless something else is asked for.
        let mut said = line(&levels, 1);
        said.effect = Some(Effect::Plain(60.0));
        assert!(
            !change_points(&said, None)[0].matters()
                && change_points(&said, Some(Effect::Plain(20.0)))[0].matters()
        );
    }

    #[test]
    fn a_young_step_is_placed_before_the_alert_can_ring() {
        let levels: Vec<f64> = [vec![14.0; 20], vec![60.0; 3]].concat();
        let found = change_points(&line(&levels, 2), None);
        assert_eq!(
            found.iter().map(|change_point| (change_point.at, change_point.alert)).collect::<Vec<_>>(),
            [(20, None)]
        );
    }

    #[test]
    fn more_frames_a_second_are_better() {
        let levels: Vec<f64> = [vec![40.0; 30], vec![80.0; 8]].concat();
        let mut line = line(&levels, 3);
        line.key.metric = "fps".to_owned();
        assert_eq!(
            change_points(&line, None).first().map(|change_point| change_point.way),
            Some(Way::Better)
        );
    }

    #[test]
    fn quiet_nights_have_no_turn_that_matters() {
        let loud = |seed| change_points(&line(&[25.0; 60], seed), None).iter().any(ChangePoint::matters);
        assert_eq!((0..200).filter(|seed| loud(*seed)).count(), 0);
    }
}
