//! Phones held against themselves: how much numbers move when nothing changed, and which phone differs from itself
//! (docs/design/statistics.md#baselines).
//!
//! Knows no store; earlier sessions are handed in. Values are in the metric's unit, spreads between sessions those of
//! ln(value + 1).

use super::compared::{CellCompared, Compared, Role, State};
use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;
use crate::estimate::mean;
use farmjank_statistics::power::STANDARD_ERRORS;
use std::collections::BTreeMap;

/// Iterations of each build a customary comparison has (docs/design/statistics.md#what-matters).
pub const CUSTOMARY: usize = 15;
/// Sessions below which their spread is not told.
const SESSIONS: usize = 3;

/// How much a cell moves when nothing changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// The cell.
    pub key: CellKey,
    /// Iterations it rests on.
    pub iterations: usize,
    /// Standard deviation between iterations of one block, in the metric's unit.
    pub sd: f64,
    /// Standard deviation between sessions of ln(mean + 1); none of too few sessions.
    pub session_sd: Option<f64>,
}

impl Noise {
    /// The least change that so many iterations against so many find four times in five, in the metric's unit.
    pub fn detectable(&self, old: usize, new: usize) -> Option<f64> {
        detectable(self.sd, old, new)
    }
}

/// 2.8 s √(1/n + 1/m); none where a side is empty.
pub(super) fn detectable(sd: f64, old: usize, new: usize) -> Option<f64> {
    (old > 0 && new > 0).then(|| STANDARD_ERRORS * sd * (1.0 / old as f64 + 1.0 / new as f64).sqrt())
}

/// The noise of every primary cell of phones held against themselves; phones of one model are one cell. `earlier` gives
/// the sessions that are known of a cell.
pub fn noise(compared: &Compared, mut earlier: impl FnMut(&CellKey) -> Vec<CellSession>) -> Vec<Noise> {
    let mut cells: BTreeMap<&CellKey, Vec<&CellCompared>> = BTreeMap::new();
    for cell in of_phones(compared) {
        cells.entry(&cell.key).or_default().push(cell);
    }
    let told = |(key, cells): (&CellKey, Vec<&CellCompared>)| {
        let mut squares = 0.0;
        let mut freedom = 0.0;
        let mut iterations = 0;
        for cell in &cells {
            let Some(error) = detectable(1.0, cell.n.0, cell.n.1) else { continue };
            let sd = cell.mde.map(|mde| mde / error).filter(|sd| sd.is_finite())?;
            let free = (cell.n.0 + cell.n.1).saturating_sub(2) as f64;
            (squares, freedom, iterations) =
                (squares + free * sd * sd, freedom + free, iterations + cell.n.0 + cell.n.1);
        }
        let now = cells.iter().filter_map(|cell| cell.means).map(|(old, new)| (old + new) / 2.0);
        let before = earlier(key).into_iter().filter_map(|session| mean(&session.values));
        let levels: Vec<f64> = now.chain(before).filter(|level| *level >= 0.0).map(f64::ln_1p).collect();
        let sd = (freedom > 0.0).then(|| (squares / freedom).sqrt())?;
        Some(Noise { key: key.clone(), iterations, sd, session_sd: spread(&levels) })
    };
    cells.into_iter().filter_map(told).collect()
}

/// A phone held against itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Itself {
    /// The phone.
    pub device: DeviceId,
    /// Windows compared.
    pub cells: u32,
    /// Windows in which it differs from itself by as much as matters, in words.
    pub differing: Vec<String>,
}

/// Every phone held against itself, in order.
pub fn selves(compared: &Compared) -> Vec<Itself> {
    let mut phones: BTreeMap<&DeviceId, Itself> = BTreeMap::new();
    for cell in of_phones(compared) {
        let told = !matches!(cell.state, State::NoBaseline | State::Invalid) && cell.estimate.is_some();
        let blank = || Itself { device: cell.device.clone(), cells: 0, differing: Vec::new() };
        let phone = phones.entry(&cell.device).or_insert_with(blank);
        phone.cells += u32::from(told);
        if matches!(cell.state, State::Regression | State::Improvement) {
            phone.differing.push(cell.sentence.clone());
        }
    }
    phones.into_values().collect()
}

/// The cells that decide, phone by phone: also where phones of a model are one cell.
fn of_phones(compared: &Compared) -> impl Iterator<Item = &CellCompared> {
    let own = |cell: &&CellCompared| match cell.role {
        Role::Primary => cell.phones.is_none(),
        role => role == Role::Phone,
    };
    compared.cells.iter().filter(own)
}

/// Standard deviation; none of too few.
fn spread(levels: &[f64]) -> Option<f64> {
    let centre = mean(levels).filter(|_| levels.len() >= SESSIONS)?;
    let squares: f64 = levels.iter().map(|level| (level - centre).powi(2)).sum();
    Some((squares / (levels.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::samples::session;
    use super::super::{Given, Measured, Rules, Source, compare};
    use super::*;

    const ONE: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    fn held(old: &[f64], new: &[f64]) -> Compared {
        let (old, new) = (session("run block 1", "A", old), session("run block 1", "A", new));
        compare(Source::default(), &[old], &[Measured::from(new)], &Rules::of(Given::Interleaved, 0))
    }

    #[test]
    fn the_noise_is_the_spread_inside_blocks() {
        let compared = held(&ONE, &ONE);
        let noise = noise(&compared, |_| Vec::new());
        // 1 … 6: s² = 17.5 / 5
        assert!((noise[0].sd - 3.5f64.sqrt()).abs() < 1e-9, "{noise:?}");
        assert_eq!((noise.len(), noise[0].iterations, noise[0].session_sd), (1, 12, None));
        let mde = noise[0].detectable(15, 15).expect("both have iterations");
        assert!((mde - 2.8 * 3.5f64.sqrt() * (2.0f64 / 15.0).sqrt()).abs() < 1e-9);
        assert_eq!(noise[0].detectable(0, 15), None);
    }

    #[test]
    fn sessions_are_spread_by_what_is_known_of_them() {
        let level = |value: f64| session("old", "A", &[value.exp_m1(); 5]);
        let known = |key: &CellKey| {
            assert_eq!(key.window, "fling the feed");
            vec![level(1.0), level(3.0)]
        };
        // This run: ln(mean + 1) of 2.
        let itself = 2.0f64.exp_m1();
        let noise = noise(&held(&[itself; 5], &[itself; 5]), known);
        assert!((noise[0].session_sd.expect("three sessions") - 1.0).abs() < 1e-9, "{noise:?}");
        // Iterations that do not vary: any of the ten could have been off by what matters.
        let mei = 4.0 * itself.sqrt();
        assert!((noise[0].sd - mei / 10f64.sqrt()).abs() < 1e-9, "{noise:?}");
    }

    #[test]
    fn a_phone_that_differs_from_itself_is_named_with_the_window() {
        let same = selves(&held(&ONE, &ONE));
        assert_eq!((same[0].cells, same[0].differing.len()), (1, 0));
        let drifts = selves(&held(&ONE, &ONE.map(|value| value + 60.0)));
        assert_eq!((drifts[0].cells, drifts[0].differing.len()), (1, 1));
        assert!(drifts[0].differing[0].contains("fling the feed"), "{drifts:?}");
    }
}
