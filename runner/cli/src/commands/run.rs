//! `farmjank run`

mod fit;
mod inputs;
mod methods;
mod options;
mod over_farm;
mod place;
mod taken_up;
mod watch;

use crate::args::RunArgs;
use crate::calibration;
use crate::command_error::{CommandError, usage};
use crate::commands::notify::AfterRun;
use crate::files_read::FilesRead;
use crate::history::Keeper;
use crate::host::{self, Bundle, Streams};
use crate::in_runtime;
use crate::plugin_targets;
use crate::quarantine;
use crate::report_targets::{self, ReportRequest};
use crate::scenarios::{Unread, load_noting, selection};
use crate::settings::{Terminal, complain, refuse, serials, time};
use crate::ui::Ui;
use crate::wiring::{self, lab, phones, probes_of_run, sources};
use farmjank_engine::builds::AbPlan;
use farmjank_engine::conduct::{Setup, run as conduct};
use farmjank_engine::resume::left;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::Stop;
use farmjank_frames::ftrace::Methods;
use farmjank_lab::lab::Lab;
use farmjank_lab_shards as lab_shards;
use farmjank_leaf::text::name as shown;
use farmjank_process::reporter::Started;
use farmjank_reporters::{by_name, paint};
use farmjank_results::compare::{AbRules, Source};
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::record::Record;
use farmjank_results::verdict::{EXIT_NOTHING_SELECTED, EXIT_USAGE, Verdict};
use farmjank_scenarios::plan::nothing_selected;
use farmjank_scenarios::scenario::{Scenario, Spread};
use farmjank_seams::host::Files;
use farmjank_seams::reporter::Reporter;
use indicatif::ProgressDrawTarget;
use inputs::{RunInputs, inputs};
pub use inputs::{against, between_builds};
use methods::methods;
pub use methods::told_by;
pub use options::TOOL;
use options::{OfLab, options, placed};
pub use place::own_id;
use place::{NoPlace, Place};
use std::path::{Path, PathBuf};
use std::rc::Rc;
pub use taken_up::ATTACHED;
use taken_up::{over, taken_up};

/// Wall time of a simulated run: it has none, and the same seed gives the same bytes.
const NO_WALL: &str = "2000-01-01T00:00:00Z";

/// Wall time of the start of a run, of a lab inside it or of phones.
pub fn wall(simulated: bool) -> String {
    if simulated { NO_WALL.to_owned() } else { host::wall() }
}

/// What a run is about.
pub enum About {
    /// Its limits, and a baseline where one is named.
    Limits,
    /// Two builds that take turns, and what the old one is called.
    Builds(AbPlan, Source),
    /// Every phone against itself.
    Itself(AbRules),
}

/// Runs scenarios on phones.
pub fn run(args: &RunArgs, terminal: Terminal) -> u8 {
    match args.watch {
        true => watch::run(args, terminal),
        false => about(args, terminal, About::Limits),
    }
}

/// Runs scenarios on phones; two builds take turns where the run is about them. The store is asked before and after.
pub fn about(args: &RunArgs, terminal: Terminal, about: About) -> u8 {
    let after = match AfterRun::expected(args) {
        Ok(after) => after,
        Err(why) => return refuse(&why),
    };
    match once(args, terminal, about, &FilesRead::default()) {
        Ok(done) => {
            after.tell(&done.record);
            done.over()
        }
        Err(NoRun::Files) => EXIT_USAGE,
        Err(NoRun::Ended(code)) => code,
    }
}

/// A run that came to its end, before anybody is told what to do about it.
pub struct Done {
    /// What happened.
    pub record: Record,
    /// Its bundle.
    pub root: PathBuf,
    itself: Option<AbRules>,
    keeper: Option<Keeper>,
    ui: Option<Ui>,
}

/// Why there was no run. What is wrong has been printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// Files that were read have complaints.
    Files,
    /// Anything else, with this exit code.
    Ended(u8),
}

/// One run; the files it reads are noted.
pub fn once(args: &RunArgs, terminal: Terminal, about: About, noted: &FilesRead) -> Result<Done, NoRun> {
    if let Some(key) = &args.over.attach {
        return taken_up(args, terminal, key, about);
    }
    let scenarios = load_noting(&args.scenarios, args.phones.lab.as_deref(), terminal, noted);
    let mut scenarios = scenarios.map_err(|why| match why {
        Unread::Complaints => NoRun::Files,
        Unread::Nothing => NoRun::Ended(EXIT_USAGE),
    })?;
    let paths = &args.scenarios.paths;
    let held =
        quarantine::load_noting(paths, &args.select.quarantine, terminal, noted).ok_or(NoRun::Files)?;
    let itself = if let About::Itself(ab_rules) = &about { Some(*ab_rules) } else { None };
    let mut inputs = inputs(args, &mut scenarios, held, about).map_err(|why| NoRun::Ended(refuse(&why)))?;
    let keeper = inputs.keeper.take();
    if let Some(why) = nothing_selected(&scenarios, &inputs.selection) {
        complain(why);
    }
    let (methods, files) = methods(args).map_err(|why| NoRun::Ended(refuse(&why)))?;
    if args.over.farm.is_some() {
        let conducted = over_farm::conducted(args, terminal, scenarios, (inputs, files), noted);
        return over(in_runtime(false, conducted).flatten(), itself, keeper);
    }
    let simulated = args.phones.lab.is_some();
    let (record, ui, root) = in_runtime(simulated, conducted(args, terminal, scenarios, inputs, methods))
        .flatten()
        .map_err(NoRun::Ended)?;
    Ok(Done { record, root, itself, keeper, ui })
}

/// The run itself, and who watches it; or the exit code when there was none.
async fn conducted(
    args: &RunArgs,
    terminal: Terminal,
    scenarios: Vec<Scenario>,
    mut inputs: RunInputs,
    methods: Methods,
) -> Result<(Record, Option<Ui>, PathBuf), u8> {
    let phones = phones(&args.phones, &inputs.plugins).await.map_err(|fault| no_phones(&fault))?;
    inputs.wanted.inventory.clone_from(&phones.inventory.phones);
    let of = OfLab { lab: phones.lab.as_ref().map(|lab| lab.name().to_owned()), seed: phones.seed };
    let Place { run, root, bundle, earlier } = placed(args, &scenarios, &inputs, &of)?;
    let (ui, stop) = (watched(args, &root).map_err(|why| refuse(&why))?, Stop::default());
    host::signals::listen(stop.clone());
    let (requests, plugins) = (std::mem::take(&mut inputs.requests), std::mem::take(&mut inputs.plugins));
    let (against, options) = options(args, run, of, inputs);
    let hooks = plugin_targets::hooks(&plugins, phones.lab.is_some());
    let reporters = reporters(heard(args), &requests, plugins, terminal, &root);
    let (files, voice, place) = (Rc::new(bundle), Rc::new(Streams), root.clone());
    let record =
        if let Some(lab) = of_racks(args, &scenarios).filter(|_| earlier.is_none() && !hooks.are_wanted()) {
            let open = move || Rc::new(Bundle::open(&place)) as Rc<dyn Files>;
            let setup = lab_shards::Setup {
                options,
                scenarios,
                shards: wiring::shards(&lab, (1, 1), probes_of_run(args.no_witnesses, methods), open),
                threads: Box::new(host::simulated_thread),
                at_once: host::cores(),
                files,
                voice,
                reporters,
                against,
                stop,
            };
            lab_shards::run(setup).await
        } else {
            let setup = Setup {
                options,
                scenarios,
                provider: phones.provider,
                sources: Box::new(move |scenario| sources(scenario, phones.seed)),
                probes: probes_of_run(args.no_witnesses, methods)(),
                hooks: Rc::new(hooks),
                claims: phones.claims,
                files,
                voice,
                reporters,
                earlier,
                against,
                stop,
            };
            conduct(setup).await.map_err(|why| refuse(&usage!("--resume: {}: {why}", shown(&root))))?
        };
    tell_left(args, &record, &root);
    Ok((record, ui, root))
}

/// Whether it is quiet, and whether its table stands aside.
fn heard(args: &RunArgs) -> (bool, bool) {
    (args.quiet, args.aside)
}

/// What can still be measured, and how.
fn tell_left(args: &RunArgs, record: &Record, root: &Path) {
    let left = if args.quiet || args.watch { 0 } else { left(record, &record.devices).len() };
    let jobs = if left == 1 { "1 job".to_owned() } else { format!("{left} jobs") };
    if left > 0 {
        let words = format!(
            "{jobs} can still be measured to the end: the same command with --resume {}",
            shown(root)
        );
        Streams.err(&format!("{words}\n"));
    }
}

/// Nothing to write into; or nothing left to do, which ends as that run did.
fn no_place(none: &NoPlace) -> u8 {
    match none {
        NoPlace::Refused(why) => refuse(why),
        NoPlace::Over(root, exit_code) => {
            let words = "came to its end: nothing is left to do. Its exit code was";
            Streams.err(&format!("the run in {} {words} {exit_code}\n", shown(root)));
            *exit_code
        }
        NoPlace::Nothing(root, why) => {
            Streams.err(&format!("{}: {why}\n", shown(root)));
            EXIT_NOTHING_SELECTED
        }
    }
}

/// The live view, where one is asked for.
fn watched(args: &RunArgs, root: &Path) -> Result<Option<Ui>, CommandError> {
    args.ui.then(|| Ui::open(root, &args.view, false)).transpose()
}

impl Done {
    /// The exit code, when nobody watches any more. Who interrupted the run wants to leave, not to read.
    pub fn over(self) -> u8 {
        let Done { record, itself, mut keeper, ui, .. } = self;
        host::signals::leave_at_once(true);
        let found = itself.map(|ab_rules| {
            let store = keeper.as_mut().and_then(|keeper| keeper.made());
            calibration::found(&record, &ab_rules, store)
        });
        let own = kept(&record, keeper);
        let code = found.as_ref().map_or(own, |found| found.code(&record));
        if let Some(found) = found {
            Streams.out(&found.text(&record));
        }
        if let Some(ui) = ui.filter(|_| record.interrupted.is_none()) {
            host::signals::leave_at_once(false);
            ui.announce_stay();
            ui.stay();
        }
        code
    }
}

/// Keeps the run's numbers where they are wanted, and gives its exit code. What was measured is in the bundle: a store
/// that fails takes nothing away from the run.
fn kept(record: &Record, keeper: Option<Keeper>) -> u8 {
    if let Some(keeper) = keeper {
        match keeper.keep(record) {
            Ok(None) => {}
            Ok(Some(words)) => Streams.err(&format!("{words}\n")),
            Err(why) => Streams.err(&format!("the run is not in the history: {why}\n")),
        }
    }
    record.exit_code.unwrap_or(Verdict::Broken.exit_code())
}

/// The lab, when its phones fill several shards and nothing makes them wait for each other.
fn of_racks(args: &RunArgs, scenarios: &[Scenario]) -> Option<Lab> {
    let lab = lab(args.phones.lab.as_ref()?, args.phones.seed).ok()?;
    let said = selection(scenarios, &args.select, &args.phones).ok().and_then(|selection| selection.spread);
    let spread = scenarios.iter().any(|scenario| said.unwrap_or(scenario.spread) != Spread::Off);
    // Threads do not tell each other what failed.
    let apart = !spread
        && !args.watch
        && args.fail_fast.is_none()
        && serials(&args.phones).is_empty()
        && time(&args.phones.wait_for_devices).is_ok_and(|wait| wait.is_zero())
        && usize::try_from(args.jobs).is_ok_and(|most| most >= lab.phones.len());
    (apart && lab.shards().len() > 1).then_some(lab)
}

/// No adb server, or no such lab: whose fault decides the exit code.
pub fn no_phones(fault: &Fault) -> u8 {
    complain(fault);
    if fault.blame == Blame::Scenario {
        return EXIT_USAGE;
    }
    if matches!(fault.code, FaultCode::NoServer | FaultCode::NoPhone | FaultCode::ProgramMissing) {
        Streams.err("to try farmjank without phones: farmjank run --lab demo\n");
    }
    Verdict::Broken.exit_code()
}

/// The console, what every bundle has, and what was asked for beside it; the console on standard error alone where it
/// stands `aside`.
pub fn reporters(
    (quiet, aside): (bool, bool),
    requests: &[ReportRequest],
    plugins: Vec<Started>,
    terminal: Terminal,
    root: &Path,
) -> Vec<Box<dyn Reporter>> {
    let taken = aside || report_targets::is_taken(requests);
    let mut made = console((quiet, taken), terminal, Some(root));
    let style = style_of(terminal);
    let mut options = farmjank_reporters::Options {
        style,
        brief: quiet,
        rows: 24,
        bundle: Some(shown(root)),
        ..farmjank_reporters::Options::default()
    };
    made.extend(farmjank_reporters::bundled().filter_map(|name| by_name(name, &mut options)));
    made.extend(report_targets::reporters(requests, style, root));
    // Last, so that the files of the others are there when a plugin is asked.
    made.extend(plugin_targets::reporters(plugins, root, taken));
    made
}

/// The console alone: `quiet` without progress, on standard error where standard output is `taken`; with the folder it
/// names.
pub fn console(
    (quiet, taken): (bool, bool),
    terminal: Terminal,
    root: Option<&Path>,
) -> Vec<Box<dyn Reporter>> {
    let live = terminal.live && !quiet;
    let mut options = farmjank_reporters::Options {
        style: style_of(terminal),
        brief: quiet,
        rows: 24,
        size: live.then(|| Box::new(host::screen_size) as farmjank_reporters::live::Size),
        target: live.then(ProgressDrawTarget::stderr),
        bundle: root.map(shown),
        ..farmjank_reporters::Options::default()
    };
    let console = by_name(if live { "live" } else { "console" }, &mut options);
    console.into_iter().map(|console| report_targets::console(console, quiet, taken)).collect()
}

fn style_of(terminal: Terminal) -> paint::TextStyle {
    paint::TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width }
}
