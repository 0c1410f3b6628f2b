//! `farmjank compare A B`: two runs, baselines or files of numbers, cell by cell.

use crate::args::{CompareArgs, CompareFormat, Direction};
use crate::baselines::{Kind, Side, age, expired, side};
use crate::command_error::{CommandError, usage};
use crate::history;
use crate::host::Streams;
use crate::settings::{Terminal, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::nearest::nearest;
use farmjank_leaf::text::typed;
use farmjank_reporters::{comparison, paint};
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{Compared, Effect, Given, Measured, Rules, compare};
use farmjank_results::metric::{Better, Unit};
use farmjank_results::metrics;
use std::collections::BTreeMap;

/// Compares; the exit code is that of a run with this outcome.
pub fn run(args: &CompareArgs, terminal: Terminal) -> u8 {
    let compared = match compared(args) {
        Ok(compared) => compared,
        Err(why) => return refuse(&why),
    };
    let text = match args.format {
        CompareFormat::Json => comparison::json(&compared),
        CompareFormat::Markdown => comparison::markdown(&compared),
        CompareFormat::Table => {
            let style =
                paint::TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
            comparison::text(&compared, style)
        }
    };
    Streams.out(&text);
    compared.verdict().exit_code()
}

fn compared(args: &CompareArgs) -> Result<Compared, CommandError> {
    let (old, new) = (side(&args.old, args.metric.as_deref())?, side(&args.new, args.metric.as_deref())?);
    let rules = rules(args, &old, &new)?;
    let base: Vec<CellSession> = old.measured.into_iter().map(|one| one.session).collect();
    Ok(compare(old.source, &base, &new.measured, &rules))
}

fn rules(args: &CompareArgs, old: &Side, new: &Side) -> Result<Rules, CommandError> {
    let given = match (old.kind, new.kind) {
        (Kind::Plain, Kind::Plain) => Given::Plain,
        (Kind::Plain, _) | (_, Kind::Plain) => {
            return Err(
                "a file of numbers compares with another one only; export the other side, or compare runs"
                    .into(),
            );
        }
        (Kind::Run, Kind::Run) => Given::Runs,
        (Kind::Baseline, Kind::Run) => Given::Run,
        (_, Kind::Baseline) => Given::Sets,
    };
    let metric = args.metric.as_deref().filter(|_| given == Given::Plain);
    let known = metric.and_then(metrics::find);
    let asked = args.better.map(|better| match better {
        Direction::Lower => Better::Lower,
        Direction::Higher => Better::Higher,
    });
    let better = match (asked, metric, known) {
        (Some(_), None, _) => {
            let what = "--better: metrics of farmjank know which way they are better";
            return Err(usage!("{what}; it is for files of numbers under a name of your own"));
        }
        (Some(asked), Some(_), Some(known)) if asked != known.better => {
            return Err(contradicts(known.key, known.better));
        }
        (None, Some(key), None) => return Err(direction(key)),
        (asked, ..) => asked,
    };
    let unit = match (metric, known) {
        (Some(_), None) => Unit::Count,
        (_, metric) => metric.map_or(Unit::MsPerS, |metric| metric.unit),
    };
    let effect = args.mei.as_deref().map(|text| Effect::parse(text, unit)).transpose();
    let effect = effect.map_err(|why| format!("--mei: {why}"))?;
    let most = age(&args.age.max_age).map_err(|why| format!("--max-age: {why}"))?;
    let at = new.measured.iter().map(|one: &Measured| one.session.wall.as_str()).max();
    let too_old = at.filter(|_| given == Given::Run).and_then(|at| expired(&old.source, at, most));
    let place = args.history.as_deref();
    let mut noise = BTreeMap::new();
    let mut nights = Vec::new();
    if let Some(place) = place {
        let mut store = history::open_existing(place)?;
        let scenarios = new.measured.iter().map(|one| one.session.key.scenario.clone()).collect();
        noise = history::noise(&mut store)?;
        nights = crate::cell_history::rolling(&mut store, &scenarios)?;
    }
    Ok(Rules { effect, better, expired: too_old, noise, nights, ..Rules::of(given, args.seed) })
}

/// What a metric of farmjank means is not up to a flag.
fn contradicts(key: &str, better: Better) -> CommandError {
    let way = if better == Better::Lower { "lower" } else { "higher" };
    usage!(
        "--better: {key} is a metric of farmjank, of which {way} is better; leave --better out, or give your numbers a name of \
         your own with --metric"
    )
}

/// A metric of the user's own has a direction only the user knows.
fn direction(key: &str) -> CommandError {
    let near = nearest(key, metrics::registry().iter().map(|metric| metric.key));
    let meant = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    let key = typed(key, 80);
    usage!(
        "`{key}` is no metric of farmjank: say with --better lower or --better higher which way it is better{meant}"
    )
}
