//! `farmjank ab OLD.apk NEW.apk`: two builds in turn on every phone, in one run.

use super::run::{ATTACHED, About, about};
use crate::args::{AbArgs, InstallArgs, TurnArgs};
use crate::builds::{build, mode};
use crate::command_error::CommandError;
use crate::settings::{Terminal, refuse, time};
use farmjank_engine::builds::{AbPlan, Budget, BuildFile, Builds};
use farmjank_results::compare::{AbRules, Source};
use farmjank_results::time::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Holds one build against another; the exit code is the run's.
pub fn run(args: &AbArgs, terminal: Terminal) -> u8 {
    match ab_plan(args) {
        Ok((ab_plan, source)) => about(&args.run, terminal, About::Builds(ab_plan, source)),
        Err(why) => refuse(&why),
    }
}

fn ab_plan(args: &AbArgs) -> Result<(AbPlan, Source), CommandError> {
    if args.run.over.attach.is_some() {
        return Err(ATTACHED.into());
    }
    if args.run.baseline.is_some() {
        return Err(
            "--baseline: the old build is what the new one is held against; use `farmjank run`".into()
        );
    }
    if !args.run.install.install.is_empty() {
        return Err("--install: name both builds, the old one first".into());
    }
    let lab = args.run.phones.lab.is_some();
    let (old, new) = (build(&args.old, lab)?, build(&args.new, lab)?);
    let (ab_rules, budget) = ab_rules(&args.turns, true)?;
    between((old, new), &args.run.install, ab_rules, budget)
}

/// Two builds in turn.
///
/// # Errors
/// `--compile` is no mode.
pub fn between(
    (old, new): (BuildFile, BuildFile),
    install: &InstallArgs,
    ab_rules: AbRules,
    budget: Option<Span>,
) -> Result<(AbPlan, Source), CommandError> {
    let compile = mode(install)?;
    let source = Source { name: old.file.clone(), ..Source::default() };
    let builds = Builds { old, new, compile, reinstall: install.reinstall };
    let (budget, siblings) = (budget.map(Budget::of), BTreeMap::new());
    Ok((AbPlan { ab_rules, builds: Some(Arc::new(builds)), budget, siblings }, source))
}

/// How builds take turns, and how long that may take.
///
/// # Errors
/// `--budget` is no time.
pub fn ab_rules(args: &TurnArgs, installs: bool) -> Result<(AbRules, Option<Span>), CommandError> {
    let budget = args.budget.as_deref().map(time).transpose().map_err(|why| format!("--budget: {why}"))?;
    let screen = match (args.screen, args.no_screen) {
        (false, false) => None,
        (screen, _) => Some(screen),
    };
    let (per_install, looks) = (args.per_install, args.looks);
    // Iterations are each scenario's own.
    let ab_rules =
        AbRules { per_install, looks, screen, thrifty: budget.is_some(), installs, ..AbRules::of(0) };
    Ok((ab_rules, budget.map(Span::from)))
}
