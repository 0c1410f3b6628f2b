//! `farmjank suggest`: limits that an unchanged build keeps, from what it measured.

use crate::args::{SuggestArgs, SuggestFormat};
use crate::baselines::recorded;
use crate::cell_history::good_nights;
use crate::command_error::{CommandError, usage};
use crate::history::{self, open_existing};
use crate::host::Streams;
use crate::settings::refuse;
use farmjank_engine::scribe::Voice;
use farmjank_history::History;
use farmjank_leaf::nearest::nearest;
use farmjank_leaf::text::{name as shown, typed};
use farmjank_reporters::suggested::{SuggestView, json, yaml};
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::metrics;
use farmjank_results::plugin_metric::parts;
use farmjank_results::record::Record;
use farmjank_results::rerun::to_keep;
use farmjank_results::suggest::{Asked, Known, suggest};
use farmjank_results::verdict::Verdict;
use farmjank_seams::history::CellFilter;
use std::collections::{BTreeMap, BTreeSet};

/// Says which limits to set.
pub fn run(args: &SuggestArgs) -> u8 {
    match found(args) {
        Err(why) => refuse(&why),
        Ok(Found { sessions, known, notes }) => {
            let asked = Asked { false_alarms: args.false_alarms, iterations: args.iterations };
            let suggested = suggest(&sessions, &known, asked);
            let view =
                SuggestView { suggested: &suggested, is_partial: args.window.is_some(), notes: &notes };
            Streams.out(&match args.format {
                SuggestFormat::Yaml => yaml(&view),
                SuggestFormat::Json => json(&view),
            });
            let told = if suggested.scenarios.is_empty() { Verdict::Undecided } else { Verdict::Pass };
            told.exit_code()
        }
    }
}

/// What limits are reckoned from.
struct Found {
    sessions: Vec<CellSession>,
    known: BTreeMap<CellKey, Known>,
    notes: Vec<String>,
}

fn found(args: &SuggestArgs) -> Result<Found, CommandError> {
    if let Some(wrong) = args.metric.iter().find(|key| metrics::find(key).is_none()) {
        if parts(wrong).is_some() {
            return Err(usage!(
                "--metric: what plugins compute is in no history, and no limit is suggested for it yet"
            ));
        }
        let near = nearest(wrong, metrics::registry().iter().map(|metric| metric.key));
        let meant = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let wrong = typed(wrong, 80);
        return Err(usage!("--metric: `{wrong}` is no metric; `farmjank metrics` lists them{meant}"));
    }
    let SuggestArgs { model, scenario, window, .. } = args.clone();
    let filter = CellFilter { model, scenario, window, ..CellFilter::default() };
    let is_wanted =
        |key: &CellKey| filter.holds(key) && (args.metric.is_empty() || args.metric.contains(&key.metric));
    let mut store = match (&args.history, args.runs.is_empty()) {
        (None, false) => None,
        (place, _) => Some(open_existing(place.as_deref().unwrap_or(history::PLACE))?),
    };
    let (mut sessions, notes) = match &mut store {
        Some(store) if args.runs.is_empty() => (good_nights(store, &filter)?, Vec::new()),
        _ => of_runs(args)?,
    };
    sessions.retain(|session| is_wanted(&session.key));
    if sessions.is_empty() {
        return Err(CommandError::NothingSelected(
            "nothing of that name was measured; `farmjank history` lists what was".to_owned(),
        ));
    }
    let known = store.as_mut().map(|store| known(store, &filter, &sessions)).transpose()?;
    Ok(Found { sessions, known: known.unwrap_or_default(), notes })
}

fn of_runs(args: &SuggestArgs) -> Result<(Vec<CellSession>, Vec<String>), CommandError> {
    let mut sessions = Vec::new();
    let mut notes = Vec::new();
    let mut seen: BTreeMap<(String, String), String> = BTreeMap::new();
    for path in &args.runs {
        let record: Record = recorded(path)?;
        let run = shown(path);
        let Some(verdict) = record.verdict else {
            return Err(usage!("{run}: this run was cut off before it was judged"));
        };
        let header = &record.header;
        if let Some(same) = seen.insert((header.run.clone(), header.wall.clone()), run.clone()) {
            return Err(usage!("{same} and {run} are one run: it tells no more when it is given twice"));
        }
        if verdict == Verdict::Fail {
            notes.push(format!("{run} failed: limits that rest on it let such a run pass."));
        }
        sessions.extend(to_keep(&record).into_iter().map(|one| one.session));
    }
    Ok((sessions, notes))
}

/// What calibrations found that are not among the sessions themselves.
fn known(
    store: &mut History,
    filter: &CellFilter,
    sessions: &[CellSession],
) -> Result<BTreeMap<CellKey, Known>, CommandError> {
    let own: BTreeSet<&str> = sessions.iter().map(|session| session.run.as_str()).collect();
    let others = store.calibrations(filter)?.into_iter().filter(|found| !own.contains(found.run.as_str()));
    // Each half has a mean of its own.
    let freedom = |iterations: u64| usize::try_from(iterations.saturating_sub(2)).unwrap_or(usize::MAX);
    Ok(others.map(|found| (found.key, Known { sd: found.sd, freedom: freedom(found.iterations) })).collect())
}
