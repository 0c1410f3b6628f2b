//! What a run on these phones could tell when it is held against a baseline: a run just like the typical old one,
//! compared.
//!
//! Nothing is simulated: the noise is that of the baseline's own sessions, and the state what no change at all would
//! end as.

use crate::baselines::{Kind, Side, of_baseline, side};
use crate::command_error::{CommandError, usage};
use crate::history;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::comparison;
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{CellCompared, Compared, Given, Measured, Role, Rules, compare, primary};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::estimate::mean;
use farmjank_results::event::PlannedJob;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the run that is planned is called.
const PLANNED: &str = "planned";

/// Reads the baseline: a name or file, else one pinned in the history.
///
/// # Errors
/// It is neither a file nor pinned, or cannot be read.
pub fn baseline(named: &Path, place: Option<&str>) -> Result<Side, CommandError> {
    let found = match (side(named, None), place) {
        (Err(why), Some(place)) => {
            let mut store = history::open_existing(place)?;
            history::pinned(&mut store, &named.to_string_lossy())?.map(of_baseline).ok_or(why)?
        }
        (found, _) => found?,
    };
    match found.kind {
        Kind::Plain => Err(usage!("{}: numbers alone are no baseline of a run", shown(named))),
        Kind::Run | Kind::Baseline => Ok(found),
    }
}

/// Every cell that decides, as a run without any change would end.
pub fn held(
    old: &Side,
    jobs: &[PlannedJob],
    facts: &BTreeMap<DeviceId, DeviceFacts>,
    windows: &BTreeMap<(String, String), Vec<String>>,
) -> Compared {
    let base: Vec<CellSession> = old.measured.iter().map(|one| one.session.clone()).collect();
    let mut new: Vec<Measured> = Vec::new();
    for job in jobs {
        let Some(facts) = job.device.as_ref().and_then(|device| facts.get(device)) else { continue };
        for window in windows.get(&(job.scenario.clone(), job.file.clone())).into_iter().flatten() {
            new.extend(typical(&base, job, facts, window));
        }
    }
    let given = if old.kind == Kind::Run { Given::Runs } else { Given::Run };
    let rules = Rules { one_session: false, ..Rules::of(given, 0) };
    let mut compared = compare(old.source.clone(), &base, &new, &rules);
    compared.cells.retain(|cell| cell.role == Role::Primary);
    compared
}

/// A session of a phone as the old ones were, of the metric that decides; none where nothing of the window is known.
fn typical(base: &[CellSession], job: &PlannedJob, facts: &DeviceFacts, window: &str) -> Option<Measured> {
    let near = |session: &&CellSession| {
        let key = &session.key;
        (&key.model, &key.scenario, key.window.as_str()) == (&facts.model, &job.scenario, window)
    };
    let all: Vec<&CellSession> = base.iter().filter(near).collect();
    let metrics: BTreeSet<&str> = all.iter().map(|session| session.key.metric.as_str()).collect();
    let metric = primary(metrics)?.to_owned();
    let of_metric: Vec<&CellSession> =
        all.into_iter().filter(|session| session.key.metric == metric).collect();
    let own: Vec<&CellSession> = of_metric.iter().copied().filter(|one| one.device == facts.id).collect();
    let like = if own.is_empty() { of_metric } else { own };
    let newest = *like.iter().max_by(|a, b| a.wall.cmp(&b.wall))?;
    let levels: Vec<f64> = like.iter().filter_map(|one| mean(&one.values)).map(f64::ln_1p).collect();
    let level = mean(&levels)?.exp_m1();
    let count = job.iterations as usize;
    let mut session = CellSession {
        run: PLANNED.to_owned(),
        device: facts.id.clone(),
        values: vec![level; count],
        seconds: vec![newest.seconds.first().copied().unwrap_or(1.0); count],
        void: Vec::new(),
        effect: job.effect,
        ..newest.clone()
    };
    session.key.build.clone_from(&facts.fingerprint);
    session.key.hash.clone_from(&job.hash);
    Some(session.into())
}

/// What a cell says of itself beforehand: what it would find, or why nothing.
pub fn words(cell: &CellCompared) -> String {
    let place = format!("{} on {}", cell.key.window, cell.key.model);
    let phones = cell.phones.map(|phones| format!(" ({phones} phones)")).unwrap_or_default();
    let end = match cell.mde {
        Some(mde) if cell.design.is_some() => format!("would find {mde:.0} more"),
        _ => "would find nothing".to_owned(),
    };
    let ends = format!("unchanged it would end as {}", comparison::word_of(cell));
    let why = if cell.reasons.is_empty() { String::new() } else { format!(" ({})", cell.reasons.join("; ")) };
    format!("{place}{phones}: {end}; {ends}{why}")
}
