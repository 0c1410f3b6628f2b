//! Flags about plugins: programs of other people.

use clap::{Args, Subcommand};

/// Which plugins are told.
#[derive(Args, Debug, Clone, Default)]
pub struct PluginFlag {
    /// Tell this program of the run, in any language: events on its standard input, files it answers with into
    /// `plugins/NAME` of the bundle (docs/plugins.md); repeatable. Run without a shell, quotes keep words together.
    /// One that fails is told, and changes neither verdict nor exit code; it may compute metrics that limits are on,
    /// as NAME.metric, and these are undecided where it says no number, and lend phones, which count beside those of
    /// the adb servers.
    #[arg(long, value_name = "NAME=COMMAND")]
    pub plugin: Vec<String>,
}

/// Which plugins lend phones, where nothing is run.
#[derive(Args, Debug, Clone, Default)]
pub struct LenderFlag {
    /// Also the phones that this program lends, in any language (docs/plugins.md); repeatable. Those that are free are
    /// taken while they are asked what they are, and given back.
    #[arg(long, value_name = "NAME=COMMAND")]
    pub plugin: Vec<String>,
}

impl super::PhoneArgs {
    /// The same, and what these plugins lend.
    pub fn with(&self, lenders: &LenderFlag) -> super::PhoneArgs {
        super::PhoneArgs { lenders: lenders.plugin.clone(), ..self.clone() }
    }
}

/// `farmjank plugin`
#[derive(Args, Debug, Clone)]
pub struct PluginArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PluginCommand,
}

/// What can be done with plugins.
#[derive(Subcommand, Debug, Clone)]
pub enum PluginCommand {
    /// Play a recorded run to a plugin in several ways, and say which rules of the protocol it keeps.
    Check(CheckPluginArgs),
}

const EXAMPLES: &str = "Examples:
  farmjank plugin check python3 slowest.py
  farmjank plugin check --timeout 2m ./target/release/uploader --dry-run

Exit codes: 0 every rule is kept · 1 a rule is broken · 2 it cannot be started";

/// `farmjank plugin check`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct CheckPluginArgs {
    /// Longest wait for each answer; without it as in a run: 10s for hello, 30s for a conclusion (or what the plugin's
    /// hello says), 5s to leave.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// The plugin with its arguments; flags of this command stand before it.
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
