//! Which scenarios, and what is given to them.

use clap::Args;
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
