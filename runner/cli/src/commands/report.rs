//! `farmjank report`: any report again from the bundle alone; `--rejudge` applies other limits to the old evidence.

use crate::USAGE;
use crate::args::{ReportArgs, ReportFormat, ScenarioArgs};
use crate::host::{self, Streams};
use crate::scenarios::load;
use crate::settings::{Look, complain};
use crate::wiring::{readers, witnesses};
use farmjank_engine::announce::{LOG, Voice};
use farmjank_engine::measure::Ask;
use farmjank_engine::testify::{Reading, of_evidence};
use farmjank_engine::{job, measure};
use farmjank_reporters::{json, junit, paint, table};
use farmjank_results::device::App;
use farmjank_results::event::{Fact, WindowMeasured};
use farmjank_results::record::{JobRecord, Record};
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::scenario::Scenario;
use farmjank_scenarios::step::{Action, Step};
use std::path::Path;

/// Largest log and evidence file read.
const MOST: u64 = 4 << 30;

/// Rebuilds a report; the exit code is the run's own, or that of the new judgement.
pub fn run(args: &ReportArgs, look: Look) -> u8 {
    let mut record = match recorded(&args.run) {
        Ok(record) => record,
        Err(why) => {
            complain(&why);
            return USAGE;
        }
    };
    if !args.rejudge.is_empty() {
        let wanted = ScenarioArgs { paths: args.rejudge.clone(), env: args.env.clone() };
        let Some(scenarios) = load(&wanted, look) else { return USAGE };
        if let Err(why) = rejudge(&mut record, &scenarios, &args.run) {
            complain(&why);
            return USAGE;
        }
    }
    let bundle = args.run.display().to_string();
    let text = match args.format {
        ReportFormat::Json => json::json(&record),
        ReportFormat::Junit => {
            junit::junit(&record, &junit::Options { bundle: Some(bundle), ..junit::Options::default() })
        }
        ReportFormat::Table => {
            let look = paint::Look { color: look.color, ascii: !look.unicode, width: look.width };
            table::table(&record, look, Some(&bundle))
        }
    };
    Streams.out(&text);
    record.exit_code.unwrap_or(Verdict::Broken.exit_code())
}

fn recorded(run: &Path) -> Result<Record, String> {
    let bytes = host::read_file(&run.join(LOG), MOST)?;
    let read = Record::read_ndjson(&bytes).map_err(|bad| format!("{}: {bad}", run.join(LOG).display()))?;
    Ok(read.0)
}

/// Measures every window again from its raw dumps and judges it by the limits of these scenarios.
fn rejudge(record: &mut Record, scenarios: &[Scenario], run: &Path) -> Result<(), String> {
    let mut judged = Vec::new();
    for job in record.jobs.values_mut() {
        let Some(scenario) = scenarios.iter().find(|scenario| scenario.name == job.planned.scenario) else {
            let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            let name = &job.planned.scenario;
            return Err(format!(
                "the run has a scenario `{name}`; the files given have: {}",
                known.join(", ")
            ));
        };
        let Some(facts) = job.planned.device.as_ref().and_then(|device| record.devices.get(device)) else {
            judged.push(job.verdict.unwrap_or(Verdict::Broken));
            continue;
        };
        let modes: Vec<f64> = facts.modes.iter().map(|mode| mode.hz).collect();
        remeasure(job, scenario, &modes, run)?;
        let counted = job.trials.iter().filter(|trial| trial.counted && is_completed(trial));
        let measured: Vec<WindowMeasured> = counted.flat_map(|trial| trial.windows.clone()).collect();
        let fact = job::judge(&job.planned, scenario, facts, &measured, job.fault.clone());
        if let Fact::JobJudged { verdict, windows, reasons, .. } = fact {
            judged.push(verdict);
            (job.verdict, job.windows, job.reasons) = (Some(verdict), windows, reasons);
        }
    }
    let verdict = Verdict::worst(judged);
    record.verdict = Some(verdict);
    if record.interrupted.is_none() {
        record.exit_code = Some(verdict.exit_code());
    }
    Ok(())
}

fn is_completed(trial: &farmjank_results::record::TrialRecord) -> bool {
    matches!(trial.ending, Some(farmjank_results::event::Ending::Completed))
}

fn remeasure(job: &mut JobRecord, scenario: &Scenario, modes: &[f64], run: &Path) -> Result<(), String> {
    let (sources, witnesses, app) = (readers(), witnesses(), App(scenario.app.clone()));
    for window in job.trials.iter_mut().flat_map(|trial| &mut trial.windows) {
        if window.evidence.is_empty() {
            continue;
        }
        let file = |path: &String| Ok((path.clone(), host::read_file(&run.join(path), MOST)?));
        let files = window.evidence.iter().map(file).collect::<Result<Vec<_>, String>>()?;
        let how = Reading { app: &app, clock: window.clock, modes };
        let (dumps, testimonies) = of_evidence(&files, &witnesses, how)?;
        let target_fps = target_fps(&scenario.steps, &window.window).or(scenario.target_fps);
        let ask = Ask { app: &app, target_fps, pinned: scenario.source };
        *window = measure::remeasure(window, &dumps, &sources, &testimonies, modes, ask)?.window;
    }
    Ok(())
}

/// The target rate declared by a window itself.
fn target_fps(steps: &[Step], window: &str) -> Option<f64> {
    steps.iter().find_map(|step| match &step.action {
        Action::Measure { name, target_fps, .. } if name == window => *target_fps,
        Action::Repeat { steps, .. } | Action::RunFlow { steps, .. } => target_fps(steps, window),
        _ => None,
    })
}
