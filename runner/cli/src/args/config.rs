//! Flags of `farmjank.toml`: which file, which profile, and what it comes to.

use super::Cli;
use clap::builder::Resettable;
use clap::{Args, CommandFactory, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Commands that read `farmjank.toml`.
pub const CONFIGURED: [&str; 8] = ["run", "ab", "bisect", "calibrate", "check", "plan", "devices", "doctor"];

/// The command whose own commands are [`OF_FARM`].
pub const FARM: &str = "farm";
/// Commands of `farmjank farm` that read it: all that ask a farm.
pub const OF_FARM: [&str; 11] =
    ["status", "phones", "queue", "keep", "fetch", "watch", "doctor", "gc", "cancel", "drain", "undrain"];

/// The whole command line: what is derived, and which file and profile where a command reads one.
pub fn command() -> clap::Command {
    let all = Cli::command();
    // Not augmented in place: that would take the command's own description away.
    let own = FileArgs::augment_args(clap::Command::new("file"));
    let with = |one: clap::Command| one.args(own.get_arguments().cloned());
    let all = CONFIGURED.iter().fold(all, |all, name| all.mut_subcommand(name, with));
    all.mut_subcommand(FARM, |farm| OF_FARM.iter().fold(farm, |farm, name| farm.mut_subcommand(name, with)))
}

/// The same, before it is known what a file gives: nothing a command needs, or a flag, has to be there.
pub fn command_to_add_to() -> clap::Command {
    let alone = |one: clap::Command| one.mut_args(|arg| arg.requires(Resettable::<clap::Id>::Reset));
    let free = |one: clap::Command| one.mut_args(|arg| arg.required(false));
    let all = CONFIGURED.iter().fold(command(), |all, name| all.mut_subcommand(name, alone));
    all.mut_subcommand(FARM, |farm| OF_FARM.iter().fold(farm, |farm, name| farm.mut_subcommand(name, free)))
}

/// Which file, and which profile of it.
#[derive(Args, Debug, Clone, Default)]
pub struct FileArgs {
    /// Use this profile of farmjank.toml; without it that of FARMJANK_PROFILE, else its `[default]` alone.
    #[arg(short = 'P', long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Read this file instead of the farmjank.toml of this folder or its repository; FARMJANK_CONFIG names one, too.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `farmjank config`
#[derive(Args, Debug, Clone)]
pub struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

const EXAMPLES: &str = "Examples:
  farmjank config show                                  what `farmjank run` would use here
  farmjank config show -P gate                          in this profile
  farmjank config show plan -P nightly --iterations 3   what that very command would use

Exit codes: 0 shown · 2 a mistake in the file, a variable or a flag";

/// What can be done with it.
#[derive(Subcommand, Debug, Clone)]
pub enum ConfigCommand {
    /// Show every value a command would use, and where it comes from: flag, environment, profile, default, built in.
    Show(ShowConfigArgs),
}

/// `farmjank config show`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct ShowConfigArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ConfigFormat,
    /// The command with its flags, as it would be typed; `run` without it.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// How `config show` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}
