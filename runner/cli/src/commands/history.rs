//! `farmjank history`: cells night after night, one of them in depth.

use crate::args::{HistoryArgs, HistoryFormat};
use crate::baselines::recorded;
use crate::cell_history::{HistoryQuery, Read, read};
use crate::command_error::{CommandError, usage};
use crate::history::Keeper;
use crate::host::Streams;
use crate::settings::{Terminal, complain, refuse, variables};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::show::fits;
use farmjank_reporters::{history, paint};
use farmjank_results::cell::CellKey;
use farmjank_results::compare::measured;
use farmjank_results::trend::{Line, Trend};
use farmjank_results::verdict::Verdict;
use std::collections::BTreeSet;

/// Nothing was selected.
pub const NOTHING: u8 = 5;
/// Nights a change is news in.
const NEWEST: usize = 10;
/// Lines of one window that are told in depth: its phones, and what they replaced.
const DEEP: usize = 4;

/// Lists cells, or shows one.
pub fn run(args: &HistoryArgs, terminal: Terminal) -> u8 {
    if !args.add.is_empty() {
        return add(args).map_or_else(|why| refuse(&why), |()| Verdict::Pass.exit_code());
    }
    let paint = paint::TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
    match wanted(args) {
        Err(why) => refuse(&why),
        Ok(read) if read.sweep.trends.is_empty() => {
            let what = if args.cell.is_empty() { "such cell" } else { "cell of that name" };
            complain(format!("there is no {what} in {}; `farmjank history` lists them", read.place));
            NOTHING
        }
        Ok(Read { place, sweep, runs, calibrations }) => {
            let told = history::HistoryView {
                place: &place,
                sweep: &sweep,
                runs: &runs,
                calibrations: &calibrations,
            };
            let deep = is_one(&sweep.trends);
            Streams.out(&match (args.format, deep) {
                (HistoryFormat::Json, deep) => history::history(&told, deep),
                (HistoryFormat::Table, true) => history::depth(&told, paint),
                (HistoryFormat::Table, false) => history::listing(&told, paint),
            });
            Verdict::Pass.exit_code()
        }
    }
}

/// Brings finished runs into the history. All are read before the first is kept.
fn add(args: &HistoryArgs) -> Result<(), CommandError> {
    let labels = variables("--label", &args.label)?;
    let mut finished = Vec::new();
    for run in &args.add {
        let record = recorded(run)?;
        if record.verdict.is_none() {
            return Err(usage!("{} is not over: its log ends before it was judged", shown(run)));
        }
        if measured(&record).is_empty() {
            return Err(usage!("{} measured nothing, so there is nothing to keep", shown(run)));
        }
        finished.push(record);
    }
    for record in &finished {
        let said = Keeper::new(&args.cells.history, labels.clone())?.keep(record)?;
        let run = farmjank_reporters::clean::line(&record.header.run, 100);
        let count = measured(record).len();
        let kept = || format!("run {run} is in the history, with {count} cells and metrics");
        Streams.out(&format!("{}\n", said.unwrap_or_else(kept)));
    }
    Ok(())
}

/// One metric of one window on phones of one model.
fn is_one(trends: &[Trend]) -> bool {
    let spot = |trend: &Trend| {
        let key = &trend.line.key;
        [&key.model, &key.scenario, &key.window, &key.metric].map(String::clone)
    };
    trends.len() <= DEEP && trends.iter().map(spot).collect::<BTreeSet<_>>().len() == 1
}

/// The lines that fit the name, those it names whole before those that only contain it.
fn wanted(args: &HistoryArgs) -> Result<Read, CommandError> {
    let named = args.cell.join(" ").to_lowercase();
    let parts: Vec<&str> = named.split('/').map(str::trim).collect();
    if parts.len() > 3 {
        return Err(usage!("`{named}` has more than three parts; write phone/scenario/window"));
    }
    let lower = |name: &str| name.to_lowercase();
    // A serial is known only from the nights, so any part may turn out to be a phone.
    let may = |key: &CellKey| {
        let names = [lower(&key.model), lower(&key.scenario), lower(&key.window)];
        fits(&parts, &|part, at| at == 0 || names[at].contains(part))
    };
    let by_model = |key: &CellKey| {
        let names = [lower(&key.model), lower(&key.scenario), lower(&key.window)];
        fits(&parts, &|part, at| names[at].contains(part))
    };
    let query = |keeps: &dyn Fn(&CellKey) -> bool, holding: &[&str]| {
        let holding = holding.iter().map(|part| (*part).to_owned()).collect();
        read(&args.cells, &HistoryQuery { keeps, holding, newest: NEWEST, effect: None })
    };
    let mut read = query(&by_model, &parts)?;
    if read.sweep.trends.is_empty() && !named.is_empty() {
        read = query(&may, parts.get(1..).unwrap_or_default())?;
    }
    if !named.is_empty() {
        let whole = |trend: &Trend| {
            let names = names(&trend.line);
            fits(&parts, &|part, at| {
                names[at] == part
                    || (at == 0
                        && (lower(&trend.line.device.0) == part || lower(&trend.line.key.model) == part))
            })
        };
        let some = |trend: &Trend| {
            let names = names(&trend.line);
            fits(&parts, &|part, at| names[at].contains(part))
        };
        let exact = read.sweep.trends.iter().any(whole);
        read.sweep.trends.retain(|trend| if exact { whole(trend) } else { some(trend) });
    }
    Ok(read)
}

/// Phone (model and serial), scenario, window.
fn names(line: &Line) -> [String; 3] {
    [history::phone(line), line.key.scenario.clone(), line.key.window.clone()].map(|name| name.to_lowercase())
}
