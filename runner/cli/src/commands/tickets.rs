//! `farmjank tickets`: opens, comments, reopens and closes tickets for causes of late frames.
//!
//! The history is read before anything is asked, as its store and the scheduler of requests do not go together.

mod asked;
mod outside;

use crate::args::{AnalyzeFormat, TicketsArgs};
use crate::baselines::recorded;
use crate::command_error::{CommandError, usage};
use crate::history::{PLACE, open_existing};
use crate::host::{self, Streams};
use crate::owners;
use crate::settings::refuse;
use asked::{Asked, asked};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_requests::door::Door;
use farmjank_results::cause_life::asked_any;
use farmjank_results::fault::FaultCode;
use farmjank_results::verdict::Verdict;
use farmjank_tickets::cause::Run;
use farmjank_tickets::journal;
use farmjank_tickets::life::{Life, life};
use farmjank_tickets::plan::{Facts, plan};
use farmjank_tickets::report::Report;
use farmjank_tickets::rules::Rules;
use farmjank_tickets::ticket::Known;
use farmjank_tickets::{Driver, Outside, Trouble};
use outside::World;
use std::collections::BTreeMap;

/// Largest journal that is read, bytes.
const JOURNAL: u64 = 64 << 20;

/// Does what is asked of tickets.
pub fn run(args: &TicketsArgs) -> u8 {
    match reported(args) {
        Ok(report) => {
            Streams.out(&match args.format {
                AnalyzeFormat::Table => report.table(),
                AnalyzeFormat::Json => report.json(),
            });
            if report.has_trouble() { Verdict::Broken.exit_code() } else { 0 }
        }
        Err(why) => refuse(&why),
    }
}

/// What is known before anybody is asked.
struct Given {
    run: Run,
    rules: Rules,
    history: Option<History>,
    report: Report,
}

fn reported(args: &TicketsArgs) -> Result<Report, CommandError> {
    let mut asked = asked(args)?;
    let mut record = recorded(&args.run)?;
    if let Some(file) = &args.owners {
        let owners = owners::read(file)?;
        owners.tell_all(&mut record);
        asked.rules.teams = owners.teams;
    }
    let run = Run::of(&record, &shown(&args.run));
    let (history, mut notes) = History::open(args.store.as_deref())?;
    if !asked_any(&record) {
        notes.push("no window of this run was asked why its frames were late: run it with --causes (windows that fail), or \
                    with --causes=each".to_owned());
    }
    let target = asked.tracker.name();
    let journal = args.run.join(journal::FILE);
    let told = if host::is_there(&journal) {
        journal::read(&String::from_utf8_lossy(&host::read_file(&journal, JOURNAL)?), &target)
    } else {
        journal::Told::default()
    };
    if told.done > 0 {
        notes.push(format!("{} writes of earlier calls for this run are in {}", told.done, shown(&journal)));
    }
    let report = Report { target, run: run.id.clone(), applied: args.apply, notes, ..Report::default() };
    let mut given = Given { run, rules: asked.rules.clone(), history, report };
    let Asked { tracker, base, token: Some(token), patience, .. } = asked else {
        given.report.notes.push(format!(
            "without a token in {} it is not known which tickets there are: this is for none",
            asked.variable
        ));
        given.plan(&BTreeMap::new())?;
        return Ok(given.report);
    };
    let door = Door::new(base, Some(&token), patience).map_err(|why| usage!("{why}"))?;
    let world = World { door, journal };
    let driver = Driver::new(tracker, world, told);
    crate::in_runtime(false, given.done(driver)).map_err(|_| usage!("requests cannot be made here"))?
}

impl Given {
    async fn done<O: Outside>(mut self, mut driver: Driver<O>) -> Result<Report, CommandError> {
        let applied = self.report.applied;
        match self.known(&mut driver).await {
            Ok(known) => {
                self.report.found = Some(known.len());
                self.plan(&known)?;
                if applied {
                    self.report.taken = driver.take(&self.report.plan.steps).await;
                }
            }
            Err(Stopped::Trouble(why)) => self.report.trouble = Some(why.words),
            Err(Stopped::Store(why)) => return Err(why),
        }
        Ok(self.report)
    }

    /// Tickets, with comments of those that matter.
    async fn known<O: Outside>(
        &mut self,
        driver: &mut Driver<O>,
    ) -> Result<BTreeMap<String, Known>, Stopped> {
        let mut known = driver.tickets(self.report.applied).await.map_err(Stopped::Trouble)?;
        let lives = self.lives(&known).map_err(Stopped::Store)?;
        let all = known.clone();
        let facts = Facts { run: &self.run, lives: lives.as_ref(), known: &all, rules: &self.rules };
        for one in known.values_mut().filter(|one| facts.needs_comments(one)) {
            driver.read_comments(one).await.map_err(Stopped::Trouble)?;
        }
        Ok(known)
    }

    fn plan(&mut self, known: &BTreeMap<String, Known>) -> Result<(), CommandError> {
        let lives = self.lives(known)?;
        self.report.plan = plan(&Facts { run: &self.run, lives: lives.as_ref(), known, rules: &self.rules });
        Ok(())
    }

    /// What the history tells of every cause that matters; none without a history.
    fn lives(
        &mut self,
        known: &BTreeMap<String, Known>,
    ) -> Result<Option<BTreeMap<String, Life>>, CommandError> {
        let prints: Vec<&str> = self.run.causes.iter().map(|cause| cause.fingerprint.as_str()).collect();
        let prints = prints.into_iter().chain(known.keys().map(String::as_str));
        self.history.as_mut().map(|history| history.lives(prints, &self.run.id)).transpose()
    }
}

/// Why tickets are not known.
enum Stopped {
    Trouble(Trouble),
    Store(CommandError),
}

/// The history store, and what was read of it.
struct History {
    store: farmjank_history::History,
    read: BTreeMap<String, Life>,
}

impl History {
    /// Opens the store that is named, or the usual one where there is one; and says where there is none.
    fn open(named: Option<&str>) -> Result<(Option<History>, Vec<String>), CommandError> {
        match open_existing(named.unwrap_or(PLACE)) {
            Ok(store) => Ok((Some(History { store, read: BTreeMap::new() }), Vec::new())),
            Err(CommandError::Fault(fault)) if named.is_none() && fault.code == FaultCode::HistoryMissing => {
                let why = "without a history store it is not known what is new, grown or gone, and no ticket is closed; --store \
                           names one";
                Ok((None, vec![why.to_owned()]))
            }
            Err(why) => Err(why),
        }
    }

    fn lives<'p>(
        &mut self,
        prints: impl Iterator<Item = &'p str>,
        run: &str,
    ) -> Result<BTreeMap<String, Life>, CommandError> {
        for print in prints {
            if !self.read.contains_key(print) {
                let nights = self.store.cause(print)?;
                if !nights.is_empty() {
                    self.read.insert(print.to_owned(), life(print, &nights, run));
                }
            }
        }
        Ok(self.read.clone())
    }
}
