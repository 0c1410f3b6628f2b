//! What one comparison of a search for the build that became slower comes to: which cell is followed, and what it says
//! of the build that was held against the oldest.
//!
//! Must not know which build is asked for next ([`super::Bisection`]).

use super::bisection::Held;
use super::compared::{CellCompared, Role, State};
use crate::device::DeviceId;
use crate::fault::{Blame, Fault, FaultCode};
use crate::record::{JobRecord, Record};

/// The cell that became slower between the oldest and the newest build, and is asked about from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let key = &deciding(record).filter(|cell| is_slower(cell.state)).min_by(clearer)?.key;
        Some(Followed {
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
}
