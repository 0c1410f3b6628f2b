//! `farmjank run --notify`: who is told is read before the run, what is told after it. Whatever becomes of a message,
//! the run ends as it does.

use super::changes::{Changes, Outcome};
use super::targets::Listener;
use super::world::{Until, link};
use crate::args::RunArgs;
use crate::baselines::recorded;
use crate::command_error::{CommandError, usage};
use crate::commands::runs;
use crate::history;
use crate::host::{self, Streams};
use crate::run_seen::seen;
use crate::settings::variables;
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_leaf::text::typed;
use farmjank_notify::news::RunSeen;
use farmjank_results::record::Record;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long telling everybody may take.
const TIME: Duration = Duration::from_secs(60);

/// Who is told when a run is over, and what the one before said.
pub struct AfterRun {
    targets: Vec<Listener>,
    before: Option<RunSeen>,
}

impl AfterRun {
    /// Before the run: its bundle may take the place of the one before.
    ///
    /// # Errors
    /// `--notify` names no chat.
    pub fn expected(args: &RunArgs) -> Result<AfterRun, CommandError> {
        let read = |text: &String| {
            Listener::parse(text).ok_or_else(|| {
                usage!(
                    "--notify `{}`: write slack, teams, feishu, dingtalk, webhook or mail, or slack:VARIABLE",
                    typed(text, 100)
                )
            })
        };
        let targets = args.notify.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        if targets.is_empty() {
            return Ok(AfterRun { targets, before: None });
        }
        let before = match of_history(args) {
            Some(before) => Some(before),
            None => of_bundle(args.out.as_ref()),
        };
        Ok(AfterRun { targets, before })
    }

    /// After the run. Who interrupted it knows.
    pub fn tell(&self, record: &Record) {
        if self.targets.is_empty() || record.interrupted.is_some() {
            return;
        }
        let changes = Changes::of(seen(record), self.before.as_ref(), link(), false);
        let until = Until::within(TIME);
        for target in &self.targets {
            match changes.tell(target, until, false) {
                Ok(Outcome::Told) => Streams.err(&format!("{} is told\n", target.shown())),
                Ok(_) => {}
                // No error: a chat that is down makes no run red.
                Err(why) => Streams.err(&format!("warning: {} is not told: {why}\n", target.shown())),
            }
        }
    }
}

/// The newest run of its branch and lab in the history that the run will be kept in. One that cannot be read is said by
/// the run itself.
fn of_history(args: &RunArgs) -> Option<RunSeen> {
    let lab = args.phones.lab.as_deref();
    let usual = lab.is_none() && !args.keep.no_history;
    let place = args.keep.history.as_deref().or(usual.then_some(history::PLACE))?;
    let labels = variables("--label", &args.keep.label).ok()?;
    let named = lab.and_then(|lab| crate::wiring::lab(lab, args.phones.seed).ok());
    let lab = named.as_ref().map(|lab| lab.name.as_str());
    history::told_before(place, "", history::branch(&labels), lab).ok()?
}

/// The run whose place is taken, else the newest that is kept.
fn of_bundle(out: Option<&PathBuf>) -> Option<RunSeen> {
    let run = out.filter(|out| host::is_there(&out.join(LOG))).cloned();
    let run = run.or_else(|| runs::newest(Path::new(runs::FOLDER)))?;
    recorded(&run).ok().filter(|record| record.verdict.is_some()).map(|record| seen(&record))
}
