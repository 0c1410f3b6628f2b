//! `farmjank plugin`

use crate::args::{CheckPluginArgs, PluginArgs, PluginCommand};
use crate::command_error::CommandError;
use crate::host::{PluginProcess, Streams};
use crate::plugin_targets::TOOL;
use crate::settings::{refuse, time};
use farmjank_engine::scribe::Voice;
use farmjank_process::check::{Outcome, Rule, check};
use farmjank_process::limits::Patience;
use farmjank_results::verdict::Verdict;
use std::fmt::Write;

/// Does what is asked with plugins.
pub fn run(args: &PluginArgs) -> u8 {
    let PluginCommand::Check(args) = &args.command;
    match checked(args) {
        Ok(seen) => {
            Streams.out(&told(&seen));
            let kept = seen.iter().all(|(_, outcome)| matches!(outcome, Outcome::Kept | Outcome::NotOffered));
            if kept { Verdict::Pass.exit_code() } else { Verdict::Fail.exit_code() }
        }
        Err(why) => refuse(&why),
    }
}

fn checked(args: &CheckPluginArgs) -> Result<Vec<(Rule, Outcome)>, CommandError> {
    let asked = args.timeout.as_deref().map(time).transpose()?;
    let patience = asked.map_or_else(Patience::default, Patience::each);
    let Some((program, rest)) = args.words.split_first() else { return Err("no program is named".into()) };
    Ok(check(&|| PluginProcess::start(program, rest), &patience, TOOL)?)
}

fn told(seen: &[(Rule, Outcome)]) -> String {
    let mut text = String::new();
    for (rule, outcome) in seen {
        // Writing to a String cannot fail.
        let _ = match outcome {
            Outcome::Kept => writeln!(text, "pass  {}", rule.words()),
            Outcome::Broken { what, advice } => {
                writeln!(text, "FAIL  {}\n      {what}\n      {advice}", rule.words())
            }
            Outcome::NotOffered => writeln!(text, "skip  {} (it does not offer that)", rule.words()),
            Outcome::Behind(needed) => {
                writeln!(text, "skip  {} (looked at once it {})", rule.words(), needed.words())
            }
        };
    }
    let kept = seen.iter().filter(|(_, outcome)| *outcome == Outcome::Kept).count();
    let asked = seen.iter().filter(|(_, outcome)| *outcome != Outcome::NotOffered).count();
    let _ = writeln!(text, "{kept} of {asked} rules kept");
    text
}
