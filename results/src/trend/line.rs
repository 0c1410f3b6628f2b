//! Lines of nights: what one phone gave in one cell, run after run.
//!
//! Must not know: which nights are alike.

use crate::cell::{CellKey, CellSession};
use crate::compare::{Effect, is_sound};
use crate::device::DeviceId;
use crate::estimate::{deviation, mean, mean_bounds};
use crate::metric::{Better, Unit};
use crate::metrics;
use std::collections::BTreeMap;

/// Confidence of each side of a night's interval, percent: 95 % between both.
const SIDE: f64 = 97.5;

/// One run of a line. One field for each column of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Night {
    /// Id of the run.
    pub run: String,
    /// Wall time of its start, RFC 3339.
    pub wall: String,
    /// Its place among all runs of the store, the oldest first.
    pub order: usize,
    /// Mean of its iterations; none when more than a fifth of them is void.
    pub level: Option<f64>,
    /// 95 % interval of that mean by Student's t; none below two iterations.
    pub interval: Option<(f64, f64)>,
    /// Standard deviation of its iterations; none below two.
    pub spread: Option<f64>,
    /// Iterations with a value.
    pub n: usize,
    /// Causes of the void ones.
    pub void: Vec<String>,
    /// Version of the app under test, where known.
    pub app: Option<String>,
}

/// One cell on one phone, night after night.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The cell.
    pub key: CellKey,
    /// The phone.
    pub device: DeviceId,
    /// Its nights, the oldest first; at least one.
    pub nights: Vec<Night>,
    /// The least change that matters, where its scenario says one; of its newest night.
    pub effect: Option<Effect>,
}

impl Line {
    /// Unit of its values, where the metric has one we know.
    pub fn unit(&self) -> Option<Unit> {
        metrics::find(&self.key.metric).map(|metric| metric.unit)
    }

    /// Which way is better.
    pub fn better(&self) -> Better {
        metrics::find(&self.key.metric).map_or(Better::Lower, |metric| metric.better)
    }

    /// The nights that count, as their places among all nights and their levels.
    pub fn levels(&self) -> (Vec<usize>, Vec<f64>) {
        let sound = self.nights.iter().enumerate().filter_map(|(at, night)| Some((at, night.level?)));
        sound.unzip()
    }

    /// The newest night.
    pub fn last(&self) -> &Night {
        self.nights.last().expect("a line has nights")
    }

    /// The oldest night.
    pub fn first(&self) -> &Night {
        self.nights.first().expect("a line has nights")
    }
}

/// Sessions of one phone by run, in order.
type Runs<'s> = BTreeMap<(usize, &'s str), Vec<&'s CellSession>>;

/// Sessions of one cell, taken apart by phone; sessions of one run and phone are one night. `order` gives a run's place
/// among all runs, the oldest first.
pub fn lines(sessions: &[CellSession], order: impl Fn(&str) -> usize) -> Vec<Line> {
    let mut by_phone: BTreeMap<(&CellKey, &DeviceId), Runs<'_>> = BTreeMap::new();
    for session in sessions {
        let nights = by_phone.entry((&session.key, &session.device)).or_default();
        nights.entry((order(&session.run), &session.run)).or_default().push(session);
    }
    let line = |((key, device), nights): ((&CellKey, &DeviceId), Runs<'_>)| Line {
        key: key.clone(),
        device: device.clone(),
        effect: nights
            .values()
            .next_back()
            .and_then(|newest| newest.iter().find_map(|session| session.effect)),
        nights: nights.into_iter().filter_map(|((order, _), sessions)| night(order, &sessions)).collect(),
    };
    by_phone.into_iter().map(line).collect()
}

fn night(order: usize, sessions: &[&CellSession]) -> Option<Night> {
    let first = sessions.first()?;
    let values: Vec<f64> = sessions.iter().flat_map(|session| session.values.iter().copied()).collect();
    let whole = CellSession {
        values,
        void: sessions.iter().flat_map(|session| session.void.iter().cloned()).collect(),
        ..(*first).clone()
    };
    let sound = is_sound(&whole);
    let CellSession { run, wall, values, void, app_version, .. } = whole;
    Some(Night {
        run,
        wall,
        order,
        level: mean(&values).filter(|level| sound && level.is_finite()),
        interval: mean_bounds(&values, SIDE).filter(|_| sound),
        spread: deviation(&values),
        n: values.len(),
        void,
        app: app_version,
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{night_of, order};
    use super::*;

    #[test]
    fn phones_stay_apart_and_nights_stand_in_order() {
        let sessions = [night_of(3, "A", &[3.0]), night_of(1, "B", &[1.0, 3.0]), night_of(1, "A", &[1.0]), {
            // The same window twice in one run: one night.
            let mut more = night_of(1, "B", &[5.0]);
            more.void = vec!["iteration 2: heat".to_owned()];
            more
        }];
        let found = lines(&sessions, order);
        let told = |at: usize| {
            let nights = found[at].nights.iter().map(|night| (night.run.as_str(), night.level, night.n));
            (found[at].device.0.as_str(), nights.collect::<Vec<_>>())
        };
        assert_eq!(told(0), ("A", vec![("run-001", Some(1.0), 1), ("run-003", Some(3.0), 1)]));
        // A quarter of it is void: kept, and not counted.
        assert_eq!((told(1), found.len()), (("B", vec![("run-001", None, 3)]), 2));
        assert_eq!((found[1].nights[0].void.len(), found[1].levels()), (1, (vec![], vec![])));
    }

    #[test]
    fn a_night_knows_how_sure_it_is() {
        let found = lines(&[night_of(1, "A", &[1.0, 2.0, 3.0])], order);
        let night = &found[0].nights[0];
        // t(0.975, 2) = 4.303, s = 1
        let (low, high) = night.interval.expect("three values");
        assert!((high - 2.0 - 4.302_653 / 3.0f64.sqrt()).abs() < 1e-5 && (low + high - 4.0).abs() < 1e-9);
        assert_eq!((night.spread, night.level), (Some(1.0), Some(2.0)));
    }

    #[test]
    fn what_matters_is_what_the_newest_night_says() {
        let said = |night: usize, effect| CellSession { effect, ..night_of(night, "A", &[1.0]) };
        let effect = Some(Effect::Percent(15.0));
        assert_eq!(lines(&[said(2, effect), said(1, None)], order)[0].effect, effect);
        assert_eq!(lines(&[said(1, effect), said(2, None)], order)[0].effect, None);
    }
}
