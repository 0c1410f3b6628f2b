//! `farmjank report`: any report again from the bundle alone; several bundles side by side; `--rejudge` applies other
//! limits to the old evidence.

use crate::args::{ReportArgs, ScenarioArgs};
use crate::baselines::recorded;
use crate::command_error::{CommandError, usage};
use crate::host::{self, Bundle, Streams};
use crate::plugin_targets;
use crate::report_targets::{self, ReportRequest, requests};
use crate::scenarios::load;
use crate::settings::{Terminal, complain, refuse};
use crate::wiring::readers;
use farmjank_engine::job;
use farmjank_engine::progress::Progress;
use farmjank_engine::scribe::{Kept, Voice};
use farmjank_leaf::text::name as shown;

use farmjank_measure::probe_read::ProbeContext;
use farmjank_measure::read_back::{NotReadBack, ReadBack};
use farmjank_measure::weigh::{self, Ask};
use farmjank_reporters::side_by_side::{self, Run};
use farmjank_reporters::{Options, by_name, paint};
use farmjank_results::cause_life::{OnNew, WindowArrivals};
use farmjank_results::cause_selector::{SPLIT, reading, selected};
use farmjank_results::cells;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::event::Fact;
use farmjank_results::evidence::{EvidenceError, Room};
use farmjank_results::record::{JobRecord, Record};
use farmjank_results::verdict::{EXIT_USAGE, Verdict, exit_undelivered};
use farmjank_scenarios::plan::Plan;
use farmjank_scenarios::scenario::Scenario;
use farmjank_scenarios::step::{Action, Step};
use farmjank_seams::host::Files;
use farmjank_seams::reporter::{Delivery, FrameLogs};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest evidence file read.
const MOST: u64 = 4 << 30;

/// A run read from its bundle, and the frame logs of windows that were measured anew, by path.
struct Bundled {
    record: Record,
    anew: BTreeMap<String, Vec<u8>>,
}

/// The frame logs of a bundle, those measured anew first.
struct Anew<'a> {
    anew: &'a BTreeMap<String, Vec<u8>>,
    kept: Kept<'a>,
}

impl FrameLogs for Anew<'_> {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        self.anew.get(path).cloned().or_else(|| self.kept.frame_log(path))
    }
}

/// Rebuilds reports; the exit code is the run's own (of several, that of the worst), or that of the new judgement.
pub fn run(args: &ReportArgs, terminal: Terminal) -> u8 {
    let (records, requests) = match records(args, terminal).and_then(|all| Some((all, requests_of(args)?))) {
        Some(both) => both,
        None => return EXIT_USAGE,
    };
    if let Err(why) = told(args, &requests) {
        return refuse(&why);
    }
    let paint = paint::TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
    let mut delivered = true;
    for request in &requests {
        let text = match &records[..] {
            [one] => document(request, one, &args.runs[0], args, paint),
            _ => match side_by_side(request, &records, args, paint) {
                Ok(text) => text,
                Err(why) => return refuse(&why),
            },
        };
        match &request.path {
            None if request.name == "github" => Streams.commands(&text),
            None => Streams.out(&text),
            Some(path) => {
                if let Err(why) = host::write_file(path, text.as_bytes()) {
                    complain(why);
                    delivered = false;
                }
            }
        }
    }
    let code = match &records[..] {
        [one] => one.record.exit_code.unwrap_or(Verdict::Broken.exit_code()),
        all => {
            let verdict = |one: &Bundled| one.record.verdict.unwrap_or(Verdict::Broken);
            Verdict::worst(all.iter().map(verdict)).exit_code()
        }
    };
    if delivered { code } else { exit_undelivered(code) }
}

/// Tells plugins of the run again.
fn told(args: &ReportArgs, requests: &[ReportRequest]) -> Result<(), CommandError> {
    match (&args.plugins.plugin[..], &args.runs[..]) {
        ([], _) => Ok(()),
        (_, _) if !args.rejudge.is_empty() => {
            Err("--plugin: a plugin is told the events of the run as they are; leave out --rejudge".into())
        }
        (plugins, [run]) => plugin_targets::tell_again(plugins, run, report_targets::is_taken(requests)),
        _ => Err("--plugin: a plugin is told of one run at a time; name one".into()),
    }
}

/// The records of the bundles, judged anew where asked for; none after a complaint.
fn records(args: &ReportArgs, terminal: Terminal) -> Option<Vec<Bundled>> {
    let wanted = ScenarioArgs { paths: args.rejudge.clone(), given: args.given.clone() };
    let scenarios = if args.rejudge.is_empty() { None } else { Some(load(&wanted, None, terminal)?) };
    let one = |run: &PathBuf| {
        let mut bundled = Bundled { record: recorded(run)?, anew: BTreeMap::new() };
        if let Some(scenarios) = &scenarios {
            rejudge(&mut bundled, scenarios, run)?;
        }
        Ok(bundled)
    };
    let all: Result<Vec<Bundled>, CommandError> = args.runs.iter().map(one).collect();
    all.map_err(complain).ok()
}

fn requests_of(args: &ReportArgs) -> Option<Vec<ReportRequest>> {
    // Whoever asks for a plugin alone wants no table.
    let short: Vec<String> =
        args.plugins.plugin.is_empty().then(|| args.format.clone()).into_iter().collect();
    let asked = if args.reporter.is_empty() { &short[..] } else { &args.reporter };
    requests(asked).map_err(complain).ok()
}

/// One report of one run.
fn document(
    request: &ReportRequest,
    bundled: &Bundled,
    run: &Path,
    args: &ReportArgs,
    style: paint::TextStyle,
) -> String {
    let most = args.max_bytes.map(|most| most as usize);
    let mut options = Options { markdown_most: most, ..report_targets::options(request, style, run) };
    let reporter = by_name(request.name, &mut options);
    let bundle = Bundle::open(run);
    let frame_logs = Anew { anew: &bundled.anew, kept: Kept(&bundle) };
    let told = reporter.map_or_else(Vec::new, |mut reporter| reporter.conclude(&bundled.record, &frame_logs));
    let text = |delivery| match delivery {
        Delivery::Out(text) | Delivery::Commands(text) | Delivery::Err(text) => text,
        Delivery::File { bytes, .. } => String::from_utf8_lossy(&bytes).into_owned(),
        Delivery::Failed { what, why } | Delivery::Missed { what, why } => format!("{what}: {why}\n"),
    };
    told.into_iter().map(text).collect()
}

/// One report of several runs.
fn side_by_side(
    request: &ReportRequest,
    records: &[Bundled],
    args: &ReportArgs,
    style: paint::TextStyle,
) -> Result<String, CommandError> {
    let names = args.runs.iter().map(|run| shown(run));
    let runs: Vec<Run> = names.zip(records).map(|(name, one)| Run { name, record: &one.record }).collect();
    let style = if request.path.is_some() { paint::TextStyle::default() } else { style };
    match request.name {
        "table" => Ok(side_by_side::table(&runs, style)),
        "json" => Ok(side_by_side::json(&runs)),
        "markdown" => Ok(side_by_side::markdown(&runs, args.max_bytes.map(|most| most as usize))),
        "html" => {
            let bundles: Vec<Bundle> = args.runs.iter().map(|run| Bundle::open(run)).collect();
            let all: Vec<Anew> = (bundles.iter().zip(records))
                .map(|(bundle, one)| Anew { anew: &one.anew, kept: Kept(bundle) })
                .collect();
            Ok(side_by_side::html(&runs, &all.iter().map(|one| one as &dyn FrameLogs).collect::<Vec<_>>()))
        }
        other => Err(usage!(
            "{other} is of one run; several runs can be put side by side as table, markdown, html or json, and shards of one made \
             whole by `farmjank merge`"
        )),
    }
}

/// Measures every window again from its raw dumps and judges it by the limits of these scenarios.
fn rejudge(bundled: &mut Bundled, scenarios: &[Scenario], run: &Path) -> Result<(), CommandError> {
    let Bundled { record, anew } = bundled;
    let mut unjudged = false;
    let mut evidence = Evidence::of(run);
    for job in record.jobs.values_mut() {
        // What was announced of its cells is about the numbers of then.
        job.cells.clear();
        let Some(scenario) = scenarios.iter().find(|scenario| scenario.name == job.planned.scenario) else {
            let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            let name = &job.planned.scenario;
            return Err(usage!(
                "the run has a scenario `{name}`; the files given have: {}",
                known.join(", ")
            ));
        };
        let Some(facts) = job.planned.device.as_ref().and_then(|device| record.devices.get(device)) else {
            unjudged |= job.verdict.is_none();
            continue;
        };
        let modes: Vec<f64> = facts.modes.iter().map(|mode| mode.hz).collect();
        let counted = |job: &JobRecord| {
            let counted = job.trials.iter().filter(|trial| trial.counted && is_completed(trial));
            let measured = counted.flat_map(|trial| trial.windows.clone()).collect();
            Progress { measured, ..Progress::default() }
        };
        // What was said of the page's pace goes by the targets of then.
        let said = job::paces(&job.planned, &counted(job));
        remeasure(job, scenario, &modes, &mut evidence, anew)?;
        charge(job, scenario, facts);
        let progress = counted(job);
        let own = Some(job.planned.job);
        record.notices.retain(|(job, what)| *job != own || !said.contains(what));
        record.notices.extend(job::paces(&job.planned, &progress).into_iter().map(|what| (own, what)));
        let fact = job::judge(&job.planned, scenario, facts, &progress, job.fault.clone());
        if let Fact::JobJudged { verdict, mut windows, reasons, .. } = fact {
            // What an older run said of the causes of then stands, too.
            for (now, old) in
                windows.iter_mut().zip(&job.windows).filter(|_| scenario.on_new == Some(OnNew::Fail))
            {
                WindowArrivals::carry(old, now);
            }
            let verdict = windows.iter().fold(verdict, |worst, window| worst.worse(window.verdict));
            (job.verdict, job.windows, job.reasons) = (Some(verdict), windows, reasons);
        }
    }
    // What a baseline said of the numbers as they were measured stands.
    let own = cells::run_verdict(record);
    let verdict = if unjudged { own.worse(Verdict::Broken) } else { own };
    record.verdict = Some(verdict);
    if record.interrupted.is_none() {
        record.exit_code = Some(verdict.exit_code());
    }
    Ok(())
}

/// The evidence of a bundle, and how much it may still unfold to.
struct Evidence {
    bundle: Bundle,
    room: Room,
    /// Files that were read before: windows of a trial share its trace.
    known: BTreeSet<String>,
}

/// Why evidence cannot be read.
#[derive(Debug, thiserror::Error)]
enum NotRead {
    #[error(transparent)]
    Window(#[from] NotReadBack),
    #[error(transparent)]
    Bundle(#[from] EvidenceError),
}

impl Evidence {
    fn of(run: &Path) -> Evidence {
        Evidence { bundle: Bundle::open(run), room: Room::of_bundle(), known: BTreeSet::new() }
    }

    fn files(&mut self, names: &[String]) -> Result<Vec<(String, Vec<u8>)>, CommandError> {
        let mut files = Vec::new();
        let mut left = MOST;
        for name in names {
            let bytes = self.bundle.read(name, left)?;
            left -= bytes.len() as u64;
            if self.known.insert(name.clone()) {
                self.room.widen(bytes.len() as u64);
            }
            files.push((name.clone(), bytes));
        }
        Ok(files)
    }
}

fn is_completed(trial: &farmjank_results::record::TrialRecord) -> bool {
    matches!(trial.ending, Some(farmjank_results::event::Ending::Completed))
}

fn remeasure(
    job: &mut JobRecord,
    scenario: &Scenario,
    modes: &[f64],
    evidence: &mut Evidence,
    anew: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), CommandError> {
    let (readers, app) = (readers(), App(scenario.app.clone()));
    for window in job.trials.iter_mut().flat_map(|trial| &mut trial.windows) {
        if window.evidence.is_empty() {
            continue;
        }
        let files = evidence.files(&window.evidence)?;
        let bytes = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let how = ProbeContext { app: &app, clock: window.clock, modes };
        let kept = evidence
            .room
            .within(Room::of_file(bytes), |room| {
                ReadBack::read_in(files, &readers, how, room).map_err(NotRead::from)
            })
            .map_err(|why| why.to_string())?;
        let target_fps = target_fps(&scenario.steps, &window.window).or(scenario.target_fps);
        let ask = Ask { app: &app, target_fps, pinned: scenario.source };
        let again = weigh::remeasure(window, kept, ask);
        // Bundles of before have dumps and no frame logs.
        let path = window.frame_log.clone().unwrap_or_else(|| format!("{}.strip", window.evidence[0]));
        *window = again.window;
        window.frame_log = again.frame_log.map(|frame_log| {
            anew.insert(path.clone(), frame_log.encode());
            path
        });
    }
    Ok(())
}

/// What limits on causes are held against: what the log says was charged to them in each iteration.
fn charge(job: &mut JobRecord, scenario: &Scenario, facts: &DeviceFacts) {
    let JobRecord { trials, causes, .. } = job;
    for trial in trials.iter_mut().filter(|trial| trial.counted) {
        for window in &mut trial.windows {
            let own = causes.iter().rfind(|one| one.trial == trial.trial && one.window == window.window);
            let last = || causes.iter().rfind(|one| one.window == window.window);
            let why = own.or_else(last).and_then(|one| one.reason.as_deref());
            let why = why.unwrap_or("its iterations were not traced for it");
            let found = own.and_then(|one| one.causes.as_ref()).ok_or(why);
            for limit in Plan::thresholds_for(scenario, &window.window, facts) {
                if let Some(pattern) = selected(&limit.metric) {
                    let part = reading(pattern, found, window.readings.get(SPLIT));
                    window.readings.insert(limit.metric.as_str().into(), part);
                }
            }
        }
    }
}

/// The target rate declared by a window itself.
fn target_fps(steps: &[Step], window: &str) -> Option<f64> {
    steps.iter().find_map(|step| match &step.action {
        Action::Measure { name, target_fps, .. } if name == window => *target_fps,
        Action::Repeat { steps, .. } | Action::RunFlow { steps, .. } => target_fps(steps, window),
        _ => None,
    })
}
