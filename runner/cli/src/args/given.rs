//! Which scenarios, and what is given to them.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which scenarios, and their variables.
#[derive(Args, Debug, Clone, Default)]
pub struct ScenarioArgs {
    /// Scenario files, or folders of them.
    #[arg(default_value = "scenarios", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub given: GivenArgs,
}

/// `farmjank check`
#[derive(Args, Debug, Clone)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scenarios: ScenarioArgs,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListingFormat,
}

/// How commands print that only look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListingFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// What scenarios are given.
#[derive(Args, Debug, Clone, Default)]
pub struct GivenArgs {
    /// A variable for `${NAME}` in scenarios; repeatable. A name alone takes its value from the environment, out of
    /// sight of other users of this computer.
    #[arg(short, long = "env", value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
    /// Variables from a file, a line `NAME=VALUE` for each, as they stand; `#` begins a comment line, a name alone
    /// takes its value from the environment. Repeatable; `-e` overrides it.
    #[arg(long, value_name = "FILE")]
    pub env_file: Vec<PathBuf>,
    /// Let `runFlow` run files that lie outside the scenarios' folder and its repository.
    #[arg(long)]
    pub allow_outside: bool,
}
