//! `farmjank farm keep`: writes the runs of a team into a history as they end, whoever began them, each once.
//!
//! The store has a scheduler of its own, so farm and store are asked in turn.

use super::reading::opened;
use crate::args::FarmKeepArgs;
use crate::command_error::{CommandError, usage};
use crate::farm::{failed, reading};
use crate::history::{self, Keeper};
use crate::host::{Streams, signals};
use crate::in_runtime;
use crate::settings::{refuse, time, variables};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::line;
use farmjank_results::fault::{Blame, Fault, FaultCode, Persistence};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_shifts::runs::known;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long the farm may be away within one question.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is kept where, and what need not be looked at again.
struct Keep<'a> {
    args: &'a FarmKeepArgs,
    labels: BTreeMap<String, String>,
    done: BTreeSet<String>,
    /// All that is over and known could be told.
    whole: bool,
    /// What was wrong last; it is said once.
    wrong: Option<String>,
}

/// Keeps until told to end, or once.
pub fn run(args: &FarmKeepArgs) -> u8 {
    let begun = || {
        let every = time(&args.every).map_err(|why| usage!("--every: {why}"))?;
        let labels = variables("--label", &args.label)?;
        // A place that cannot be is said before anything is waited for.
        Keeper::new(&args.history, labels.clone())?;
        Ok::<_, CommandError>((every, labels))
    };
    let (every, labels) = match begun() {
        Ok(begun) => begun,
        Err(why) => return refuse(&why),
    };
    signals::hear();
    signals::leave_at_once(true);
    let mut keep = Keep { args, labels, done: BTreeSet::new(), whole: true, wrong: None };
    loop {
        match keep.round() {
            Ok(whole) if args.once => return if whole { 0 } else { Verdict::Broken.exit_code() },
            // Credentials and addresses do not mend themselves.
            Err(fault) if args.once || fault.blame == Blame::Scenario => return failed(&fault),
            Err(fault) => keep.say(format!("{fault}; asking again")),
            Ok(true) => keep.wrong = None,
            Ok(false) => {}
        }
        // No scheduler is no reason to ask without a pause: then it ends.
        if let Err(code) = in_runtime(false, tokio::time::sleep(every)) {
            return code;
        }
    }
}

impl Keep<'_> {
    fn say(&mut self, words: String) {
        if self.wrong.as_ref() != Some(&words) {
            Streams.err(&format!("{words}\n"));
            self.wrong = Some(words);
        }
    }

    /// Keeps what is over and not kept yet; whether all of it is.
    fn round(&mut self) -> Result<bool, Fault> {
        let over = self.over()?;
        let mut whole = self.whole;
        for name in over {
            if self.is_kept(&name) {
                self.done.insert(name);
                continue;
            }
            let record = match ran(self.args, &name) {
                Ok(record) => record,
                Err(fault) if fault.persistence == Persistence::Passing => return Err(fault),
                Err(fault) => {
                    Streams.err(&format!("run {name} cannot be read, and is not kept: {fault}\n"));
                    self.done.insert(name);
                    whole = false;
                    continue;
                }
            };
            let keeper = Keeper::new(&self.args.history, self.labels.clone());
            match keeper.and_then(|keeper| keeper.keep(&record)) {
                Ok(said) => {
                    let (id, code) = (line(&record.header.run, 200), record.exit_code.unwrap_or_default());
                    let kept = match self.is_kept(&name) {
                        true => format!("run {id} is in the history; its exit code was {code}"),
                        false => {
                            format!("run {id} measured nothing, and is not kept; its exit code was {code}")
                        }
                    };
                    Streams.out(&format!("{}\n", said.unwrap_or(kept)));
                    self.done.insert(name);
                }
                Err(why) => {
                    self.say(format!("run {name} is not in the history: {why}"));
                    whole = false;
                }
            }
        }
        Ok(whole)
    }

    /// The runs of phones that are over, the oldest first.
    fn over(&mut self) -> Result<Vec<String>, Fault> {
        let asked = in_runtime(false, async {
            let exchange = reading(&self.args.farm, &self.args.of, "keep").await?;
            known(&*exchange, |name, _| !self.done.contains(name)).await
        });
        let known = asked.map_err(|_| unread("the list of runs"))??;
        let mut over: Vec<(u64, String)> = Vec::new();
        for (name, seen) in known {
            match seen {
                Ok(seen) if seen.lab.is_some() => drop(self.done.insert(name)),
                Ok(seen) if seen.over => over.push((seen.stamp, name)),
                Err(fault) if fault.persistence == Persistence::Passing => return Err(fault),
                // Said by another farmjank: that one can keep it.
                Err(fault) if fault.code == FaultCode::FarmSkew => {
                    Streams.err(&format!("run {} is not kept: {fault}\n", line(&name, 200)));
                    self.whole = false;
                    self.done.insert(name);
                }
                // What it was about is gone: it never will be told.
                Err(_) => drop(self.done.insert(name)),
                Ok(_) => {}
            }
        }
        over.sort();
        Ok(over.into_iter().map(|(_, name)| name).collect())
    }

    /// Whether the store has all of a run.
    fn is_kept(&self, run: &str) -> bool {
        let store = history::open_existing(&self.args.history);
        store.is_ok_and(|mut store| store.is_told(run).is_ok_and(|told| told))
    }
}

/// Something was not read to its end: it is asked for again, and nothing stands for it.
fn unread(what: &str) -> Fault {
    Fault::new(FaultCode::FarmUnreachable, format!("{what} was not read to its end")).passing()
}

/// What a run that is over came to.
fn ran(args: &FarmKeepArgs, name: &str) -> Result<Record, Fault> {
    let read = in_runtime(false, async {
        let run = opened((&args.farm, &args.of), name, "keep", PATIENCE).await?;
        run.reading.watched(Vec::new(), run.against).await
    });
    read.unwrap_or(Ok(None))?.ok_or_else(|| unread(&format!("run {name}")))
}
