//! Flags that run a part of a finished run again.

use clap::Args;
use farmjank_engine::rerun::Rerun;

/// What is run again.
#[derive(Args, Debug, Clone, Default)]
#[group(id = "Rerun", multiple = true, conflicts_with = "overwrite")]
pub struct RerunArgs {
    /// Run only what failed in a run that is over: a name from `farmjank runs` or a folder; without one the run in
    /// --out, or the newest. Its jobs begin anew, and the run is reported whole: what passes now and failed before says
    /// so everywhere. Give the other flags as before. Nothing failed: exit 5.
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub last_failed: Option<String>,
    /// The same of what could not be told. Both flags take both.
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub undecided: Option<String>,
}

impl RerunArgs {
    /// What is asked for, and of which run: none named where it is empty.
    ///
    /// # Errors
    /// Two runs are named.
    pub fn asked(&self) -> Result<Option<(Rerun, &str)>, &'static str> {
        let rerun = Rerun { failed: self.last_failed.is_some(), undecided: self.undecided.is_some() };
        let names = [&self.last_failed, &self.undecided].into_iter().flatten();
        let mut names = names.map(String::as_str).filter(|name| !name.is_empty());
        let named = names.next().unwrap_or_default();
        match names.all(|other| other == named) {
            true => Ok((rerun != Rerun::default()).then_some((rerun, named))),
            false => Err("--last-failed and --undecided name two runs; name one"),
        }
    }
}
