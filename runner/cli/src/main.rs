//! The `farmjank` command: parse, resolve, call, exit.

mod args;
mod baselines;
mod builds;
mod calibration;
mod cell_history;
mod command_error;
mod commands;
mod configured;
mod farm;
mod files_read;
mod history;
mod host;
mod memory;
mod needs;
mod owners;
mod plugin_metrics;
mod plugin_targets;
mod quarantine;
mod report_targets;
mod run_seen;
mod scenarios;
mod settings;
mod ui;
mod wiring;

use args::Command;
use configured::NotParsed;
use farmjank_engine::scribe::Voice;
use farmjank_results::verdict::{EXIT_USAGE, exit_undelivered};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: memory::Memory = memory::Memory;

fn main() -> ExitCode {
    // Before anything is kept: the first pages stay what they are.
    host::take_small_pages();
    let cli = match configured::cli(host::words()) {
        Ok(cli) => cli,
        Err(NotParsed::Words(refused)) => return not_parsed(&refused),
        Err(NotParsed::Refused(code)) => return ExitCode::from(code),
    };
    let terminal = settings::Terminal::resolve(cli.color);
    host::allow_colours(terminal.color, terminal.color_err);
    let code = match &cli.command {
        _ if cli.version => commands::version::run(cli.verbose),
        Some(command) => dispatch(command, terminal),
        None => code(in_runtime(false, commands::overview::run(terminal))),
    };
    ExitCode::from(delivered(code))
}

/// Help, and flags that make no sense, which repeat what was given: said through the one way to the streams.
fn not_parsed(refused: &clap::Error) -> ExitCode {
    let text = refused.render();
    let terminal = settings::Terminal::resolve(args::When::Auto);
    host::allow_colours(terminal.color, terminal.color_err);
    let (colour, say): (bool, fn(&str)) = match refused.use_stderr() {
        true => (terminal.color_err, |text| host::Streams.err(text)),
        false => (terminal.color, |text| host::Streams.out(text)),
    };
    say(&if colour { text.ansi().to_string() } else { text.to_string() });
    ExitCode::from(delivered(u8::try_from(refused.exit_code()).unwrap_or(EXIT_USAGE)))
}

/// What was asked for and could not be printed is no success.
fn delivered(code: u8) -> u8 {
    let Some(why) = host::out_broken() else { return code };
    let undelivered = exit_undelivered(code);
    settings::complain(format!("standard output cannot be written: {why}; exit {undelivered}"));
    undelivered
}

/// Only what talks to phones runs on a scheduler: the history store has one of its own, and two do not go together.
fn dispatch(command: &Command, terminal: settings::Terminal) -> u8 {
    match command {
        Command::Init(args) => commands::init::run(args),
        Command::Import(args) => commands::import::run(args, terminal),
        Command::Run(args) => commands::run::run(args, terminal),
        Command::Agent(args) => code(in_runtime(false, commands::agent::run(args))),
        Command::Farm(args) => commands::farm::run(args, terminal),
        Command::Ab(args) => commands::ab::run(args, terminal),
        Command::Bisect(args) => commands::bisect::run(args, terminal),
        Command::Calibrate(args) => commands::calibrate::run(args, terminal),
        Command::Config(args) => commands::config::run(args),
        Command::Check(args) => commands::check::run(args, terminal),
        Command::Plan(args) => commands::plan::run(args, terminal),
        Command::Quarantine(args) => commands::quarantine::run(args, terminal),
        Command::Devices(args) => code(in_runtime(args.phones.lab.is_some(), commands::devices::run(args))),
        Command::Doctor(args) => {
            code(in_runtime(args.phones.lab.is_some(), commands::doctor::run(args, terminal)))
        }
        Command::Analyze(args) => commands::analyze::run(args),
        Command::Causes(args) => commands::causes::run(args),
        Command::Tickets(args) => commands::tickets::run(args),
        Command::Notify(args) => commands::notify::run(args),
        Command::Report(args) => commands::report::run(args, terminal),
        Command::Merge(args) => commands::merge::run(args, terminal),
        Command::Runs(args) => commands::runs::run(args, terminal),
        Command::Show(args) => commands::show::run(args, terminal),
        Command::Compare(args) => commands::compare::run(args, terminal),
        Command::Baseline(args) => commands::baseline::run(args, terminal),
        Command::History(args) => commands::history::run(args, terminal),
        Command::Trend(args) => commands::trend::run(args, terminal),
        Command::Suggest(args) => commands::suggest::run(args),
        Command::View(args) => commands::view::run(args),
        Command::Metrics(args) => commands::metrics::run(args, terminal),
        Command::Schema(args) => commands::check::schema(args.of),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::completions::man(args),
        Command::Plugin(args) => commands::plugin::run(args),
        Command::Lab(args) => code(in_runtime(false, commands::lab::run(args, terminal))),
    }
}

fn code(ended: Result<u8, u8>) -> u8 {
    ended.unwrap_or_else(|code| code)
}

/// One single-threaded scheduler for all worlds; simulated time, that of a lab inside this process, jumps to the next
/// timer whenever nothing can run. Fails with an exit code, and says why.
fn in_runtime<T>(simulated: bool, work: impl Future<Output = T>) -> Result<T, u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(simulated).build();
    match runtime {
        Ok(runtime) => {
            let done = tokio::task::LocalSet::new().block_on(&runtime, work);
            // A blocking file transfer that is cut off at its deadline must not hold the exit.
            runtime.shutdown_background();
            Ok(done)
        }
        Err(error) => {
            settings::complain(format!("cannot start: {error}"));
            Err(farmjank_results::verdict::Verdict::Broken.exit_code())
        }
    }
}
