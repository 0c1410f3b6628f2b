//! Flags of what is measured and reported without gating.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank quarantine add -s R58M123ABC --reason 'the battery swells' --owner ana --for 7d
  farmjank quarantine add --scenario 'Home feed' --devices 'model = \"Pixel 4\"' --reason 'FEED-812' --owner feed-team --until 2026-12-31
  farmjank quarantine                                  # what there is, and what lapses soon
  farmjank quarantine remove -s R58M123ABC

The file is there to be committed. Exit codes: 0 · 2 usage, or a file that cannot be read";

/// `farmjank quarantine`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct QuarantineArgs {
    /// What to do with it; lists it when left out.
    #[command(subcommand)]
    pub command: Option<QuarantineCommand>,
    /// The file; scenarios/quarantine.yaml, else quarantine.yaml, where it is not named.
    #[arg(long, global = true, value_name = "FILE")]
    pub quarantine: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListFormat,
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// What can be done with it.
#[derive(Subcommand, Debug, Clone)]
pub enum QuarantineCommand {
    /// List what there is, and when it lapses.
    List,
    /// Take a phone, or a scenario or window on some phones, out of the gate until a day. What is there for the same is
    /// replaced; comments and everything else in the file stay.
    Add(AddArgs),
    /// Let it gate again: every entry that says all of this.
    Remove(RemoveQuarantineArgs),
    /// Check the file.
    Check,
}

/// Of what.
#[derive(Args, Debug, Clone, Default)]
pub struct QuarantinedArgs {
    /// Only this phone.
    #[arg(short, long, value_name = "SERIAL", conflicts_with = "devices")]
    pub serial: Option<String>,
    /// Only phones that match, such as `model = "Pixel 4"`.
    #[arg(long, value_name = "EXPR")]
    pub devices: Option<String>,
    /// Only the scenario of this name.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Only this window of it.
    #[arg(long, value_name = "NAME", requires = "scenario")]
    pub window: Option<String>,
}

/// `farmjank quarantine add`
#[derive(Args, Debug, Clone)]
#[command(group = clap::ArgGroup::new("end").required(true).args(["until", "for_days"]))]
pub struct AddArgs {
    /// Of what.
    #[command(flatten)]
    pub of: QuarantinedArgs,
    /// Why it does not gate.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Who answers for it.
    #[arg(long, value_name = "NAME")]
    pub owner: String,
    /// Its last day, in UTC.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// How long from today: `7d`.
    #[arg(long = "for", id = "for_days", value_name = "AGE")]
    pub for_days: Option<String>,
}

/// `farmjank quarantine remove`
#[derive(Args, Debug, Clone)]
pub struct RemoveQuarantineArgs {
    /// Of what.
    #[command(flatten)]
    pub of: QuarantinedArgs,
    /// Every entry that lapsed.
    #[arg(long)]
    pub lapsed: bool,
}
