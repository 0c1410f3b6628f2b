//! What is settled of a run before anything is measured: what its log begins with, and which host does what. It lies on
//! the farm as an object, so that somebody else can conduct the run to its end.

use crate::brought::MethodFiles;
use crate::note::Host;
use crate::shift::{Asked, LONGEST, Shift, Texts, spoken, written};
use crate::turns::Turns;
use farmjank_engine::conduct::started;
use farmjank_engine::options::Options;
use farmjank_engine::planned::Planned;
use farmjank_farm::digest;
use farmjank_farm::frames::VERSION;
use farmjank_farm::subjects::{escaped, is_word};
use farmjank_leaf::text::line;
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Fact, JobId, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Priority;
use farmjank_seams::exchange::Exchange;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::Instant;

/// What is to be run, and on which hosts.
pub struct Commission {
    /// What the run is told.
    pub options: Options,
    /// What to run, checked.
    pub scenarios: Vec<Scenario>,
    /// The same, as hosts read it.
    pub texts: Texts,
    /// How it is measured, as hosts are told.
    pub asked: Asked,
    /// By what methods are told; `asked` names the same.
    pub methods: MethodFiles,
    /// The hosts, in the order of their lines.
    pub hosts: Vec<Host>,
}

/// A run as it is settled. One field for each thing that holds for all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunSheet {
    /// The protocol.
    pub(crate) v: u32,
    /// The run's id, as its bundle has it.
    pub(crate) run: String,
    /// How urgent it is, by its word.
    pub(crate) priority: String,
    /// Whether its phones are simulated.
    pub(crate) simulated: bool,
    /// Nothing was to be measured.
    pub(crate) nothing: bool,
    /// When work begins.
    pub(crate) begins: RunTime,
    /// What its log begins with.
    pub(crate) facts: Vec<(RunTime, Fact)>,
    /// Which host does what.
    pub(crate) parts: Vec<Part>,
}

/// A host's part in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Its line in the log.
    pub(crate) line: String,
    /// The host.
    pub(crate) host: String,
    /// Its shift: the object.
    pub(crate) shift: String,
}

/// One host's line of a run. One field for each thing it is told by or held to.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) jobs: Vec<PlannedJob>,
    pub(crate) numbers: BTreeSet<JobId>,
    pub(crate) phones: BTreeSet<DeviceId>,
    /// Its shift, and what it is called as an object.
    pub(crate) shift: Vec<u8>,
    pub(crate) object: String,
    /// Since when its agent is not there.
    pub(crate) away: Option<Instant>,
    /// It is closed by who conducts the run.
    pub(crate) given_up: bool,
}

impl Commission {
    /// The bytes of what it brings, as they travel to hosts.
    pub(crate) fn brought(&self) -> Vec<Arc<[u8]>> {
        let installs = self.options.installs.iter().map(|install| &install.build);
        let turns = self.options.ab_plan.iter().filter_map(|ab_plan| ab_plan.builds.as_deref());
        let turns = turns.flat_map(|builds| [&builds.old, &builds.new]);
        let files = self.methods.mapping.iter().chain(&self.methods.owners).map(|file| file.bytes.clone());
        installs.chain(turns).map(|build| build.bytes.clone()).chain(files).collect()
    }
}

impl RunSheet {
    /// Settles a run.
    ///
    /// # Errors
    /// `farm_garbled`: it cannot be written down.
    pub(crate) fn of(commission: Commission) -> Result<(RunSheet, Vec<Line>), Fault> {
        let Commission { options, scenarios, texts, asked, hosts, methods: _ } = commission;
        let begins = hosts.iter().map(|host| host.note.looked).max().unwrap_or(RunTime::from_ns(0));
        let surveyed = hosts.iter().flat_map(|host| &host.phones).map(|phone| phone.surveyed()).collect();
        let planned = Planned::of(Ok(surveyed), &scenarios, &options);
        let opening = std::cell::RefCell::new(Vec::new());
        planned.opening(|fact| opening.borrow_mut().push((begins, fact)));
        let warned = planned.forewarned(&options).into_iter();
        let warned = warned.map(|what| (begins, Fact::Noticed { job: None, what }));
        let began = [(RunTime::from_ns(0), started(&options))];
        let facts = began.into_iter().chain(opening.into_inner()).chain(warned).collect();
        let simulated = options.lab.is_some();
        let to_all = Shift {
            v: VERSION,
            tool: options.tool.clone(),
            run: options.run.clone(),
            wall: options.wall.clone(),
            simulated,
            texts,
            asked,
            begins,
            turns: turns(&options, &planned),
            ..Shift::default()
        };
        let mut lines = Vec::new();
        for (number, host) in hosts.iter().enumerate() {
            lines.extend(Line::planned(&planned, &to_all, number, host)?);
        }
        let part = |line: &Line| Part {
            line: line.name.clone(),
            host: line.host.clone(),
            shift: line.object.clone(),
        };
        let (run, priority) = (options.run, options.priority.word().to_owned());
        let (nothing, parts) = (planned.plan.jobs.is_empty(), lines.iter().map(part).collect());
        Ok((RunSheet { v: VERSION, run, priority, simulated, nothing, begins, facts, parts }, lines))
    }

    /// Reads one that lies on the farm, and its lines.
    ///
    /// # Errors
    /// Those of the exchange; `farm_refused`: the farm keeps it no more; `farm_skew`, `farm_garbled`.
    pub(crate) async fn fetched(
        exchange: &dyn Exchange,
        object: &str,
    ) -> Result<(RunSheet, Vec<Line>), Fault> {
        let sheet = RunSheet::alone(exchange, object).await?;
        let mut lines: Vec<Line> = Vec::new();
        for part in &sheet.parts {
            lines.push(Line::of(part, kept(exchange, &part.shift).await?)?);
        }
        let all: BTreeSet<JobId> = lines.iter().flat_map(|line| &line.numbers).copied().collect();
        let names: BTreeSet<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        let jobs: usize = lines.iter().map(|line| line.jobs.len()).sum();
        let apart = jobs == all.len() && names.len() == lines.len();
        // A folder is called so.
        let plain = |c: char| !c.is_control() && !['/', '\\', ':'].contains(&c);
        let named = !sheet.run.is_empty() && sheet.run.len() <= LONGEST && sheet.run.chars().all(plain);
        if !apart || !named || sheet.run.starts_with('.') {
            return Err(Fault::new(
                FaultCode::FarmGarbled,
                "what this run is about on the farm cannot be a run",
            ));
        }
        Ok((sheet, lines))
    }

    /// Reads one that lies on the farm, without what each host does.
    ///
    /// # Errors
    /// Those of the exchange; `farm_refused`: the farm keeps it no more; `farm_skew`, `farm_garbled`.
    pub(crate) async fn alone(exchange: &dyn Exchange, object: &str) -> Result<RunSheet, Fault> {
        spoken("a run", &kept(exchange, object).await?)
    }

    /// How urgent it is.
    pub(crate) fn priority(&self) -> Priority {
        Priority::named(&self.priority).unwrap_or_default()
    }
}

/// How builds take turns, once all phones of the run are known: together they are the cells that decide.
fn turns(options: &Options, planned: &Planned) -> Option<Turns> {
    let ab_plan = options.ab_plan.clone()?.settled(&planned.plan.jobs, &planned.facts);
    Some(Turns::of(&ab_plan))
}

async fn kept(exchange: &dyn Exchange, object: &str) -> Result<Vec<u8>, Fault> {
    let gone = || {
        Fault::new(FaultCode::FarmRefused, "the farm does not keep what this run is about any more")
            .advise("where its large objects lie in a bucket, name that (--farm-objects)")
    };
    digest::fetch(exchange, object).await?.ok_or_else(gone)
}

impl Line {
    /// The part of a host; none where it has no jobs.
    fn planned(planned: &Planned, to_all: &Shift, number: usize, host: &Host) -> Result<Option<Line>, Fault> {
        let phones: BTreeSet<DeviceId> = host.phones.iter().map(|phone| phone.id.clone()).collect();
        let jobs = planned.at_work(|id| phones.contains(id));
        if jobs.is_empty() {
            return Ok(None);
        }
        let facts = planned.facts.iter().filter(|(id, _)| phones.contains(id));
        let facts = facts.map(|(_, facts)| facts.clone()).collect();
        let numbers = jobs.iter().map(|job| job.job).collect();
        let turns = to_all.turns.as_ref().map(|turns| turns.of_jobs(&numbers));
        let shift = written(&Shift { facts, jobs, turns, ..to_all.clone() })?;
        let line = format!("{number:04}-{}", escaped(&host.name));
        Line::of(&Part { line, host: host.name.clone(), shift: digest::of(&shift) }, shift).map(Some)
    }

    fn of(part: &Part, bytes: Vec<u8>) -> Result<Line, Fault> {
        let shift: Shift = spoken("a shift", &bytes)?;
        let Part { line: name, host, shift: object } = part.clone();
        if !is_word(&name) || !is_word(&host) {
            let what = format!("a run names a host that cannot be one: {}", line(&host, 60));
            return Err(Fault::new(FaultCode::FarmGarbled, what));
        }
        let numbers = shift.jobs.iter().map(|job| job.job).collect();
        let phones = shift.facts.into_iter().map(|facts| facts.id).collect();
        let (jobs, shift) = (shift.jobs, bytes);
        Ok(Line { name, host, jobs, numbers, phones, shift, object, away: None, given_up: false })
    }
}
