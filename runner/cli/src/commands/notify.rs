//! `farmjank notify`: tells somebody of a run that is over; and what `farmjank run --notify` does at its end.

mod after_run;
mod changes;
mod check;
mod given;
mod mail;
mod not_told;
mod page;
mod pull;
mod targets;
mod world;

use crate::args::NotifyArgs;
use crate::baselines::recorded;
use crate::command_error::CommandError;
use crate::commands::runs;
use crate::history;
use crate::host::Streams;
use crate::run_seen::seen;
use crate::settings::{complain, refuse, time, variables};
pub use after_run::AfterRun;
use changes::{Changes, Outcome};
use farmjank_engine::scribe::Voice;
use farmjank_results::verdict::Verdict;
use targets::Target;
use world::{Until, link};

/// Tells whom it is asked to tell.
pub fn run(args: &NotifyArgs) -> u8 {
    match told(args) {
        Ok(true) => 0,
        Ok(false) => Verdict::Broken.exit_code(),
        Err(why) => refuse(&why),
    }
}

/// Whether everybody was told.
fn told(args: &NotifyArgs) -> Result<bool, CommandError> {
    let until = Until::within(time(&args.time)?);
    let targets = args.to.iter().map(|to| Target::parse(to)).collect::<Result<Vec<_>, _>>()?;
    let comment = pull::comment(args)?;
    if targets.iter().any(|target| matches!(target, Target::CheckRun(_))) {
        check::on_a_commit(&args.comment.commit)?;
    }
    let news = match targets.iter().any(|target| matches!(target, Target::Listener(_))) {
        true => Some(changes(args)?),
        false => None,
    };
    let mut all = true;
    for target in &targets {
        let told = match (target, &news) {
            (Target::PullRequest(place), _) => pull::tell(place, &comment, args, until),
            (Target::CheckRun(place), _) => check::tell(place, &comment, args, until),
            (Target::Listener(one), Some(news)) => {
                news.tell(one, until, args.dry_run).map(|outcome| match outcome {
                    Outcome::Told => format!("{} is told\n", one.shown()),
                    Outcome::Would(text) => text,
                    Outcome::NothingNew => format!("{} is not told: nothing changed\n", one.shown()),
                })
            }
            (Target::Listener(_), None) => continue,
        };
        match told {
            Ok(words) => Streams.out(&words),
            Err(why) => {
                complain(format!("{} is not told: {why}", target.shown()));
                all = false;
            }
        }
    }
    Ok(all)
}

/// What changed, for whom it is told.
fn changes(args: &NotifyArgs) -> Result<Changes, CommandError> {
    let record = recorded(&args.run)?;
    let (now, lab) = (seen(&record), record.header.lab.as_deref());
    let before = match (&args.against, &args.store) {
        (None, Some(store)) => {
            let labels = variables("--label", &args.label)?;
            history::told_before(store, &now.run, history::branch(&labels), lab)?
        }
        (against, _) => {
            let before = against.clone().or_else(|| runs::before(&args.run));
            before.map(|run| recorded(&run)).transpose()?.map(|record| seen(&record))
        }
    };
    Ok(Changes::of(now, before.as_ref(), args.link.clone().or_else(link), args.always))
}
