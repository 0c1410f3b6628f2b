//! What one comparison of a search for the build that became slower comes to: which cell is followed, and what it says
//! of the build that was held against the oldest.
//!
//! Must not know which build is asked for next ([`super::Bisection`]).

use super::bisection::Held;
use super::compared::{CellCompared, Role, State};
use crate::device::DeviceId;
use crate::fault::{Blame, Fault, FaultCode};
use crate::metric::Better;
use crate::record::{JobRecord, Record};

/// The cell that became slower between the oldest and the newest build, and is asked about from there on.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// Model of its phones.
    pub model: String,
    /// Build of their system.
    pub build: String,
    /// Its scenario.
    pub scenario: String,
    /// Its window.
    pub window: String,
    /// Its metric.
    pub metric: String,
    /// Half of what it became slower by at least (95 %), in the metric's unit. A build that is not slower by that much
    /// is none that brought the most of it. None where that is not known to be more than nothing.
    pub half: Option<f64>,
}

impl Followed {
    /// The cell that became slower most clearly: by how improbable that is when nothing changed, then by how often it
    /// holds the least change that matters. None where nothing that gates became slower.
    pub fn of(record: &Record) -> Option<Followed> {
        let clearer = |a: &&CellCompared, b: &&CellCompared| {
            let p = |cell: &CellCompared| cell.p_adjusted.or(cell.p_worse).unwrap_or(1.0);
            let size = |cell: &CellCompared| {
                cell.estimate.zip(cell.mei).map_or(0.0, |(estimate, mei)| estimate.abs() / mei.max(1e-9))
            };
            p(a).total_cmp(&p(b)).then(size(b).total_cmp(&size(a)))
        };
        let cell = deciding(record).filter(|cell| is_slower(cell.state)).min_by(clearer)?;
        let key = &cell.key;
        Some(Followed {
            half: cell.interval.map(|between| slower(cell, between).0 / 2.0).filter(|half| *half > 0.0),
            model: key.model.clone(),
            build: key.build.clone(),
            scenario: key.scenario.clone(),
            window: key.window.clone(),
            metric: key.metric.clone(),
        })
    }

    /// Its phones.
    pub fn phones(&self, record: &Record) -> Vec<DeviceId> {
        let own = |job: &&JobRecord| job.planned.scenario == self.scenario;
        let phones = record.jobs.values().filter(own).filter_map(|job| job.planned.device.clone());
        let is_one = |id: &DeviceId| {
            let facts = record.devices.get(id);
            facts.is_some_and(|facts| (&facts.model, &facts.fingerprint) == (&self.model, &self.build))
        };
        phones.filter(is_one).collect()
    }

    /// Whether a comparison that is open by what matters rules out half of the slowdown that is searched for: of the
    /// typical iteration and on average. With a slowdown far above what matters, few iterations do.
    pub fn rules_out(&self, cell: &CellCompared) -> bool {
        let Some(half) = self.half.filter(|_| cell.state == State::Inconclusive && self.is(cell)) else {
            return false;
        };
        let below = |between: (f64, f64)| slower(cell, between).1 < half;
        cell.interval.is_some_and(below) && cell.mean_interval.is_none_or(below)
    }

    /// Whether this is its cell.
    pub fn is(&self, cell: &CellCompared) -> bool {
        let key = &cell.key;
        (&key.model, &key.build, &key.scenario, &key.window, &key.metric)
            == (&self.model, &self.build, &self.scenario, &self.window, &self.metric)
    }
}

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// What it says of the build.
    Held(Held),
    /// The lab or the tool kept it from saying anything: the next one would say no more.
    Broken(Fault),
}

/// The cell that decides about a comparison: the followed one; before there is one, the worst.
pub fn deciding_cell<'r>(record: &'r Record, followed: Option<&Followed>) -> Option<&'r CellCompared> {
    let rank = |cell: &&CellCompared| match cell.state {
        state if is_slower(state) => 0,
        State::Invalid | State::NoBaseline | State::Inconclusive => 1,
        _ => 2,
    };
    match followed {
        Some(followed) => deciding(record).find(|cell| followed.is(cell)),
        None => deciding(record).min_by_key(rank),
    }
}

/// What a comparison says of the newer build: by the followed cell, or by all where none is followed yet.
pub fn comparison(record: &Record, followed: Option<&Followed>) -> Comparison {
    let own = |job: &&JobRecord| followed.is_none_or(|followed| followed.scenario == job.planned.scenario);
    let fault = || record.jobs.values().filter(own).find_map(|job| job.fault.as_ref());
    match deciding_cell(record, followed) {
        Some(cell) if is_slower(cell.state) => Comparison::Held(Held::Slower),
        Some(cell) if followed.is_some_and(|followed| followed.rules_out(cell)) => {
            Comparison::Held(Held::NoSlower)
        }
        // A phone on which nothing could be measured may be the one that is slower.
        Some(cell) if is_open(cell.state) || (followed.is_none() && fault().is_some()) => match fault() {
            Some(fault) => of_fault(fault),
            None => Comparison::Held(Held::Untold(cell.sentence.clone())),
        },
        Some(_) => Comparison::Held(Held::NoSlower),
        None => match fault() {
            Some(fault) => of_fault(fault),
            None => Comparison::Held(Held::Untold("nothing could be compared".to_owned())),
        },
    }
}

/// A build that cannot be installed, crashes, or has not what the scenario asks for says nothing; what the lab did may
/// be done to the next one, too.
fn of_fault(fault: &Fault) -> Comparison {
    let of_build = matches!(
        fault.code,
        FaultCode::ApkRefused | FaultCode::ApkOther | FaultCode::CompileFailed | FaultCode::OldBuild
    );
    match fault.blame {
        Blame::Lab | Blame::Tool if !of_build => Comparison::Broken(fault.clone()),
        _ => Comparison::Held(Held::Untold(fault.what.clone())),
    }
}

fn deciding(record: &Record) -> impl Iterator<Item = &CellCompared> {
    let cells = record.compared.iter().flat_map(|compared| &compared.cells);
    cells.filter(|cell| cell.role == Role::Primary && !cell.quarantined)
}

/// How much slower the new side is, by an interval of its difference: at least and at most.
fn slower(cell: &CellCompared, (low, high): (f64, f64)) -> (f64, f64) {
    match cell.better {
        Better::Lower => (low, high),
        Better::Higher => (-high, -low),
    }
}

fn is_slower(state: State) -> bool {
    matches!(state, State::Regression | State::Fail)
}

fn is_open(state: State) -> bool {
    matches!(state, State::Invalid | State::NoBaseline | State::Inconclusive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_does_says_nothing_of_it_and_what_the_lab_does_ends_the_search() {
        for code in
            [FaultCode::ApkRefused, FaultCode::CompileFailed, FaultCode::OldBuild, FaultCode::AppCrashed]
        {
            let fault = Fault::new(code, "why");
            assert_eq!(of_fault(&fault), Comparison::Held(Held::Untold("why".to_owned())), "{}", fault.code);
        }
        for code in [FaultCode::NoPhone, FaultCode::Timeout] {
            let fault = Fault::new(code, "why");
            assert_eq!(of_fault(&fault), Comparison::Broken(fault.clone()), "{}", fault.code);
        }
    }

    #[test]
    fn a_run_that_compared_nothing_says_nothing() {
        let nothing = Held::Untold("nothing could be compared".to_owned());
        assert_eq!(comparison(&Record::default(), None), Comparison::Held(nothing));
        assert_eq!(Followed::of(&Record::default()), None);
    }

    fn cell(state: &str, better: &str, interval: (f64, f64), means: (f64, f64)) -> CellCompared {
        let key = super::super::samples::session("r", "P8", &[1.0]).key;
        serde_json::from_value(serde_json::json!({
            "key": key, "device": "P8", "role": "primary", "state": state, "better": better, "n": [45, 45],
            "sessions": [1, 1], "interval": interval, "mean_interval": means, "reasons": [], "sentence": "",
        }))
        .expect("a cell")
    }

    #[test]
    fn a_build_that_lacks_most_of_the_slowdown_is_no_slower_though_less_might_matter() {
        let key = cell("pass", "higher", (0.0, 0.0), (0.0, 0.0)).key;
        let followed = |half| Followed {
            model: key.model.clone(),
            build: key.build.clone(),
            scenario: key.scenario.clone(),
            window: key.window.clone(),
            metric: key.metric.clone(),
            half,
        };
        let open = |between, means| cell("inconclusive", "higher", between, means);
        let near = open((-20.0, 12.0), (-25.0, 3.0));
        assert!(followed(Some(48.0)).rules_out(&near));
        assert!(!followed(Some(20.0)).rules_out(&near), "on average it may be");
        assert!(!followed(None).rules_out(&near), "nothing is known of the slowdown");
        assert!(!followed(Some(48.0)).rules_out(&open((-60.0, 1.0), (-1.0, 1.0))));
        // What was proved stays proved, and nothing is said of a cell that is void.
        for state in ["regression", "invalid"] {
            assert!(!followed(Some(48.0)).rules_out(&cell(state, "higher", (-20.0, 12.0), (-25.0, 3.0))));
        }
    }
}
