//! The `farmjank` command: parse, resolve, call, exit.

mod args;
mod baselines;
mod commands;
mod history;
mod host;
mod nights;
mod outlets;
mod scenarios;
mod settings;
mod ui;
mod wiring;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// A run makes and drops small texts by the million: this costs a quarter less than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Usage or scenario error: nothing ran.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let look = settings::Look::resolve(cli.color);
    let code = match &cli.command {
        Some(command) => in_runtime(is_simulated(command), dispatch(command, look)),
        None => in_runtime(false, commands::overview::run(look)),
    };
    ExitCode::from(code)
}

async fn dispatch(command: &Command, look: settings::Look) -> u8 {
    match command {
        Command::Run(args) => commands::run::run(args, look).await,
        Command::Ab(args) => commands::ab::run(args, look).await,
        Command::Calibrate(args) => commands::calibrate::run(args, look).await,
        Command::Check(args) => commands::check::run(args, look),
        Command::Plan(args) => commands::plan::run(args, look).await,
        Command::Devices(args) => commands::devices::run(args, look).await,
        Command::Doctor(args) => commands::doctor::run(args, look).await,
        Command::Analyze(args) => commands::analyze::run(args),
        Command::Report(args) => commands::report::run(args, look),
        Command::Show(args) => commands::show::run(args, look),
        Command::Compare(args) => commands::compare::run(args, look),
        Command::Baseline(args) => commands::baseline::run(args, look),
        Command::History(args) => commands::history::run(args, look),
        Command::Trend(args) => commands::trend::run(args, look),
        Command::View(args) => commands::view::run(args),
        Command::Metrics(args) => commands::metrics::run(args, look),
        Command::Schema => commands::check::schema(),
        Command::Lab(args) => commands::lab::run(args, look).await,
    }
}

/// A virtual lab inside this process lives on simulated time.
fn is_simulated(command: &Command) -> bool {
    let phones = match command {
        Command::Run(args) => &args.phones,
        Command::Ab(args) => &args.run.phones,
        Command::Calibrate(args) => &args.run.phones,
        Command::Plan(args) => &args.phones,
        Command::Devices(args) | Command::Doctor(args) => args,
        _ => return false,
    };
    phones.lab.is_some()
}

/// One single-threaded scheduler for all worlds; simulated time jumps to the next timer whenever nothing can run.
fn in_runtime(simulated: bool, work: impl Future<Output = u8>) -> u8 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(simulated).build();
    match runtime {
        Ok(runtime) => {
            let code = tokio::task::LocalSet::new().block_on(&runtime, work);
            // A blocking file transfer that is cut off at its deadline must not hold the exit.
            runtime.shutdown_background();
            code
        }
        Err(error) => {
            settings::complain(&format!("cannot start: {error}"));
            farmjank_results::verdict::Verdict::Broken.exit_code()
        }
    }
}
