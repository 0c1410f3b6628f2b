//! Flags of what a new user types first, and of what a shell is told.

use super::GivenArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `farmjank init`
#[derive(Args, Debug, Clone)]
pub struct InitArgs {
    /// Where to write.
    #[arg(default_value = ".", value_name = "FOLDER", hide_default_value = true)]
    pub folder: PathBuf,
    /// Whose CI files: github, gitlab, jenkins, jenkins-library (a step for all pipelines, in a repository of its own),
    /// buildkite, azure, bitrise or none.
    #[arg(long, value_enum, default_value = "github", hide_possible_values = true)]
    pub ci: Ci,
}

/// `farmjank import`
#[derive(Args, Debug, Clone)]
pub struct ImportFlowsArgs {
    /// Flows, or folders of them; what they run comes along.
    #[arg(required = true, value_name = "FLOW")]
    pub flows: Vec<PathBuf>,
    /// Where to write.
    #[arg(long, default_value = "scenarios", value_name = "FOLDER")]
    pub to: PathBuf,
    /// Write scenarios anew that are there.
    #[arg(long)]
    pub overwrite: bool,
    #[command(flatten)]
    pub given: GivenArgs,
}

/// Whose CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ci {
    /// GitHub Actions.
    Github,
    /// GitLab.
    Gitlab,
    /// Jenkins, a declarative pipeline.
    Jenkins,
    /// Jenkins, a shared library with one step.
    JenkinsLibrary,
    /// Buildkite.
    Buildkite,
    /// Azure Pipelines.
    Azure,
    /// Bitrise.
    Bitrise,
    /// No CI file.
    None,
}

/// `farmjank completions`
#[derive(Args, Debug, Clone)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `farmjank man`
#[derive(Args, Debug, Clone)]
pub struct ManArgs {
    /// The page of this command; of the whole program without it.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// `farmjank schema`
#[derive(Args, Debug, Clone)]
pub struct SchemaArgs {
    /// Of which files: scenario, quarantine, inventory, owners, config, lab.
    #[arg(value_enum, value_name = "KIND", default_value = "scenario", hide_default_value = true)]
    pub of: SchemaOf,
}

/// Files that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// Scenarios.
    Scenario,
    /// What does not gate.
    Quarantine,
    /// The adb servers and phones of a lab.
    Inventory,
    /// Who answers for causes of late frames.
    Owners,
    /// `farmjank.toml`.
    Config,
    /// Virtual labs, for `--lab FILE`.
    Lab,
}
