//! What comparing builds will take, said before anything is measured: scenarios and phones in, noise from the history
//! where somebody calibrated it, words out.

use crate::command_error::CommandError;
use crate::history;
use farmjank_engine::options::Forewarn;
use farmjank_history::History;
use farmjank_history::{Missing, open};
use farmjank_results::compare::{AbRules, Calibrated, Expected, Need, needs as needed, primary_cells};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::PlannedJob;
use farmjank_results::iteration_time::UsualTimes;
use farmjank_scenarios::plan::motion_times;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::history::{Calibration, CellFilter};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The metric whose noise is told.
const HITCH: &str = "hitch_ms_per_s";
/// Newest sessions whose level is taken.
const SESSIONS: usize = 5;
/// Refresh rate of a phone that does not say, Hz.
const UNKNOWN_HZ: f64 = 60.0;

/// What is known of the noise of cells, and how long iterations took.
#[derive(Clone, Debug, Default)]
pub struct Known {
    cells: Vec<(Calibration, Option<f64>)>,
    /// How long iterations took.
    pub usual: UsualTimes,
}

impl Known {
    /// What a store knows of these scenarios.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(store: Option<&mut History>, scenarios: &[Scenario]) -> Result<Known, CommandError> {
        let Some(store) = store else { return Ok(Known::default()) };
        let mut cells = Vec::new();
        for scenario in scenarios {
            let metric = Some(HITCH.to_owned());
            let filter =
                CellFilter { scenario: Some(scenario.name.clone()), metric, ..CellFilter::default() };
            for found in store.calibrations(&filter)? {
                let sessions = store.cell(&found.key, SESSIONS)?;
                let values: Vec<f64> = sessions.into_iter().flat_map(|session| session.values).collect();
                let level = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
                cells.push((found, level));
            }
        }
        Ok(Known { cells, usual: history::usual(store, scenarios)? })
    }

    /// The same of a place: the one named, or the usual one where it is there.
    ///
    /// # Errors
    /// The one named is not there, or cannot be read.
    pub fn at(place: Option<&str>, usual: bool, scenarios: &[Scenario]) -> Result<Known, CommandError> {
        let mut store = match place {
            Some(place) => Some(history::open_existing(place)?),
            None if usual => open(history::PLACE, Missing::Refuse).ok(),
            None => None,
        };
        Known::of(store.as_mut(), scenarios)
    }

    /// The newest calibration of a window on this kind of phone.
    fn of_cell(
        &self,
        facts: &DeviceFacts,
        scenario: &Scenario,
        window: &str,
    ) -> Option<(Calibrated, Option<f64>)> {
        let same = |found: &&(Calibration, Option<f64>)| {
            let key = &found.0.key;
            (&key.model, &key.build, &key.hash, key.window.as_str())
                == (&facts.model, &facts.fingerprint, &scenario.hash, window)
        };
        let (found, level) = self.cells.iter().filter(same).max_by(|a, b| a.0.wall.cmp(&b.0.wall))?;
        Some((Calibrated { sd: found.sd, iterations: found.iterations }, *level))
    }
}

/// What every cell that decides takes, in order of the plan. `iterations` of each scenario are those of its jobs.
pub fn needs(
    scenarios: &[Scenario],
    jobs: &[PlannedJob],
    facts: &BTreeMap<DeviceId, DeviceFacts>,
    known: &Known,
    ab_rules: AbRules,
) -> Vec<Need> {
    let mut cells: Vec<Expected> = Vec::new();
    let mut planned: BTreeMap<String, u32> = BTreeMap::new();
    for job in jobs {
        let of_job = |one: &&Scenario| (&one.name, &one.file) == (&job.scenario, &job.file);
        let Some(scenario) = scenarios.iter().find(of_job) else { continue };
        let Some(facts) = job.device.as_ref().and_then(|device| facts.get(device)) else { continue };
        planned.insert(job.scenario.clone(), job.iterations);
        for (window, motion) in motion_times(scenario) {
            let own = |cell: &&mut Expected| {
                (cell.scenario.as_str(), cell.window.as_str(), cell.model.as_str())
                    == (job.scenario.as_str(), window, facts.model.as_str())
            };
            if let Some(cell) = cells.iter_mut().find(own) {
                cell.phones += 1;
                continue;
            }
            let known = known.of_cell(facts, scenario, window);
            cells.push(Expected {
                scenario: job.scenario.clone(),
                window: window.to_owned(),
                model: facts.model.clone(),
                refresh: facts.fastest_hz().unwrap_or(UNKNOWN_HZ),
                phones: 1,
                motion: motion.as_secs_f64(),
                effect: scenario.effect,
                calibrated: known.map(|known| known.0),
                level: known.and_then(|known| known.1),
            });
        }
    }
    let ab_rules = ab_rules.settled(primary_cells(jobs, facts));
    needed(cells, |cell| AbRules {
        iterations: planned.get(&cell.scenario).copied().unwrap_or(1),
        ..ab_rules
    })
}

/// `fling the results on Pixel 8 (120 Hz, 2 phones): …`
pub fn told(need: &Need) -> String {
    let phones = if need.of.phones > 1 { format!(", {} phones", need.of.phones) } else { String::new() };
    format!("{} on {} ({:.0} Hz{phones}): {}", need.of.window, need.of.model, need.of.refresh, need.words())
}

/// What to ask for, so that every cell of one scenario most likely ends: iterations of `--iterations`; none where no
/// number would do.
pub fn advised(needs: &[&Need]) -> Option<u32> {
    needs.iter().map(|need| need.per_look).collect::<Option<Vec<u32>>>()?.into_iter().max()
}

/// Scenarios in order of the plan, each with its cells.
pub fn by_scenario(needs: &[Need]) -> Vec<(&str, Vec<&Need>)> {
    let mut all: Vec<(&str, Vec<&Need>)> = Vec::new();
    for need in needs {
        match all.iter_mut().find(|(name, _)| *name == need.of.scenario) {
            Some((_, cells)) => cells.push(need),
            None => all.push((&need.of.scenario, vec![need])),
        }
    }
    all
}

/// Says, once the phones are known, which comparisons will most likely end undecided.
pub fn forewarning(scenarios: Vec<Scenario>, known: Known, ab_rules: AbRules) -> Rc<Forewarn> {
    Rc::new(move |jobs, facts| {
        let all = needs(&scenarios, jobs, facts, &known, ab_rules);
        let warned = by_scenario(&all).into_iter().filter_map(|(scenario, cells)| {
            let open: Vec<&&Need> = cells.iter().filter(|need| !need.is_met()).collect();
            let worst = open.iter().max_by_key(|need| need.iterations.unwrap_or(u32::MAX))?;
            let advice = match advised(&cells) {
                Some(count) => format!("give --iterations {count}, or measure longer windows"),
                None => "measure longer windows".to_owned(),
            };
            Some(format!(
                "{scenario}: with at most {} iterations of each build {} of {} windows will most likely stay undecided when \
                 nothing changed; {advice}. {}",
                worst.planned,
                open.len(),
                cells.len(),
                told(worst)
            ))
        });
        warned.collect()
    })
}
