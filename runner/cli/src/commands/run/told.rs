//! What the flags of a run mean, settled before any phone is touched: what to run, whom to tell, what to hold it against, and
//! where its numbers are kept.

use crate::args::RunArgs;
use crate::baselines::{Kind, age, expired, of_baseline, side};
use crate::history;
use crate::outlets::{Wish, wishes};
use crate::scenarios::{adjust, selection};
use crate::settings::{serials, time};
use farmjank_engine::conduct::Against;
use farmjank_engine::survey::Wanted;
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{Given, Rules, compare, measured};
use farmjank_scenarios::plan::Selection;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::history::History;
use std::path::Path;

/// The flags, read.
pub struct Told {
    /// Which phones are asked at all.
    pub wanted: Wanted,
    /// Which jobs.
    pub selection: Selection,
    /// Which reports.
    pub wishes: Vec<Wish>,
    /// What the run is held against.
    pub against: Option<Box<Against>>,
    /// Where its numbers are kept.
    pub store: Option<Box<dyn History>>,
}

/// Reads the flags; baseline and history are opened, so that a run is not measured in vain.
///
/// # Errors
/// In words, for the first flag that cannot be read.
pub fn told(args: &RunArgs, scenarios: &mut [Scenario]) -> Result<Told, String> {
    adjust(scenarios, &args.select)?;
    let selection = selection(&args.select, args.phones.device_filter.as_deref())?;
    let wait = time(&args.phones.wait_for_devices)?;
    let wishes = wishes(&args.reporter)?;
    // Simulated numbers do not belong among those of phones, unless somebody asks for it.
    let usual = args.phones.lab.is_none() && !args.no_history;
    let place = args.history.as_deref().or(usual.then_some(history::PLACE));
    let mut store = place.map(history::open).transpose()?;
    let most = age(&args.age.max_age).map_err(|why| format!("--max-age: {why}"))?;
    let against = match &args.baseline {
        None => None,
        Some(named) => Some(against(named, store.as_deref_mut(), most)?),
    };
    Ok(Told { wanted: Wanted { serials: serials(&args.phones), wait }, selection, wishes, against, store })
}

/// What the run will be held against: a run's bundle, a baseline's file, or one pinned in the history.
fn against(
    named: &Path,
    store: Option<&mut (dyn History + 'static)>,
    most: jiff::SignedDuration,
) -> Result<Box<Against>, String> {
    let mut old = side(named, None);
    if let (Err(why), Some(store)) = (&old, store) {
        old = history::pinned(store, &named.display().to_string())?.map(of_baseline).ok_or(why.clone());
    }
    let old = old.map_err(|why| format!("--baseline: {why}"))?;
    let given = match old.kind {
        Kind::Run => Given::Runs,
        Kind::Baseline => Given::Run,
        Kind::Plain => {
            return Err(format!("--baseline: {}: numbers alone are no baseline of a run", named.display()));
        }
    };
    let base: Vec<CellSession> = old.measured.into_iter().map(|one| one.session).collect();
    Ok(Box::new(move |record| {
        let at = &record.header.wall;
        let expired = if given == Given::Run { expired(&old.source, at, most) } else { None };
        compare(old.source.clone(), &base, &measured(record), &Rules { expired, ..Rules::of(given, 0) })
    }))
}
