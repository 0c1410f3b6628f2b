//! The phones of an agent, and how a shift is measured on them: virtual ones on clocks that jump, each shard on its
//! thread; or those that are attached, on the clock of the world.

use crate::brought::MethodFiles;
use crate::quota::{Most, Quota};
use crate::sharing::Sharing;
use crate::shift::{Asked, Shift};
use farmjank_engine::announce::{Announcer, FactSink};
use farmjank_engine::borrowed::give_back_all;
use farmjank_engine::builds::{AbPlan, Install};
use farmjank_engine::claiming::Claiming;
use farmjank_engine::conduct::look;
use farmjank_engine::deadline::{Deadline, Until};
use farmjank_engine::device_session::{ForScenario, RunEnv};
use farmjank_engine::installing::Installing;
use farmjank_engine::job_runner::JobRunner;
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::progress::Progress;
use farmjank_engine::reboots::Day;
use farmjank_engine::standing::Standing;
use farmjank_engine::stop::Stop;
use farmjank_engine::survey::{Surveyed, Wanted};
use farmjank_lab_shards::{MakeShard, Shards, Threads};
use farmjank_results::event::JobId;
use farmjank_results::fault::Fault;
use farmjank_results::time::RunTime;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Claims;
use farmjank_seams::device::Provider;
use farmjank_seams::hook::NoHooks;
use farmjank_seams::host::Files;
use farmjank_seams::probe::Probe;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Shifts at once with phones that are attached.
const SHIFTS: usize = 32;
/// So long a shift waits for a phone that another run has.
const QUEUED: Duration = Duration::from_hours(12);

/// The phones of an agent.
pub enum Bench {
    /// A part of a virtual lab.
    Lab(LabBench),
    /// Phones behind adb servers.
    Attached(AttachedBench),
}

/// Makes the shards of a lab for what is asked, with files in a folder; or says why what methods are told by cannot be
/// read.
pub type MakeShards = dyn Fn(&Asked, &MethodFiles, &str) -> Result<Vec<MakeShard>, Fault>;

/// A part of a virtual lab.
pub struct LabBench {
    /// Its shards.
    pub shards: Box<MakeShards>,
    /// Starts their threads.
    pub threads: Box<Threads>,
    /// How many of them work at once.
    pub at_once: usize,
}

/// Makes the sources of frames of a scenario.
pub type MakeSources = dyn Fn() -> Box<ForScenario>;
/// Makes the probes for what is asked, likewise.
pub type MakeProbes = dyn Fn(&Asked, &MethodFiles) -> Result<Vec<Rc<dyn Probe>>, Fault>;

/// Makes the files of a folder.
pub type MakeFiles = dyn Fn(&str) -> Rc<dyn Files>;

/// Phones behind adb servers. One field for each thing that is injected.
pub struct AttachedBench {
    /// Where they come from.
    pub provider: Rc<dyn Provider>,
    /// Who of this host has those that are lent.
    pub sharing: Sharing,
    /// Which run of this computer uses which.
    pub claims: Rc<dyn Claims>,
    /// How many of them the team's runs may have.
    pub quota: Quota,
    /// What the inventory says of them.
    pub wanted: Wanted,
    /// Ways of seeing frames.
    pub sources: Box<MakeSources>,
    /// Who is asked beside.
    pub probes: Box<MakeProbes>,
    /// Files in a folder.
    pub files: Box<MakeFiles>,
}

/// One attempt at a shift. One field for each thing it begins with.
pub struct Attempt<'a> {
    /// What is to be done.
    pub shift: &'a Shift,
    /// Its scenarios, read.
    pub scenarios: Vec<Scenario>,
    /// What is put on phones first.
    pub installs: Arc<[Install]>,
    /// Builds that take turns, where the run is about that.
    pub ab_plan: Option<AbPlan>,
    /// By what methods are told.
    pub methods: MethodFiles,
    /// The folder its files lie in.
    pub folder: &'a str,
    /// What names on phones are made of.
    pub name: String,
    /// Where the run is.
    pub since: RunTime,
    /// What is left of the run's time; none where it goes on until all is run. Simulated runs have a time of their own.
    pub left: Option<Deadline>,
    /// How far its jobs came before; those that are judged are not among the shift's any more.
    pub progress: BTreeMap<JobId, Progress>,
    /// How it is stopped.
    pub stop: Stop,
}

impl Bench {
    /// Whether its phones are simulated.
    pub fn is_simulated(&self) -> bool {
        matches!(self, Bench::Lab(_))
    }

    /// How many shifts of one urgency are measured at once. Virtual phones need the computer alone; for the others it
    /// only has to bear that many runs, for who has which phone the claims say.
    pub fn at_once(&self) -> usize {
        match self {
            Bench::Lab(_) => 1,
            Bench::Attached(_) => SHIFTS,
        }
    }

    /// The phones there are now, and when that was known: time of a run that begins with looking.
    ///
    /// # Errors
    /// The lab, or no server of the phones, answers.
    pub async fn look(&self) -> Result<(RunTime, Vec<Surveyed>), Fault> {
        match self {
            Bench::Lab(lab) => {
                let options = Shift::default().options();
                let shards = (lab.shards)(&Asked::default(), &MethodFiles::default(), "")?;
                let mut shards = Shards::open(&options, &[], shards, &*lab.threads, lab.at_once);
                let (at, phones) = shards.surveyed().await;
                phones.map(|phones| (at, phones))
            }
            Bench::Attached(own) => {
                let (mut arrivals, patience) = (None, Patience::default());
                let provider = own.sharing.of(&own.provider);
                let phones = look(&provider, &mut arrivals, &own.wanted, &patience, &*own.claims).await;
                // What is not given back now, whoever lent it takes back by itself.
                give_back_all(&provider).await;
                Ok((RunTime::from_ns(0), phones?))
            }
        }
    }

    /// How many of them runs of the team may have at once; virtual ones nobody shares.
    pub fn most(&self) -> Most {
        self.attached().map(|own| own.quota.most()).unwrap_or_default()
    }

    /// Those phones that can be followed, and withheld from every run of this computer; none where they are virtual.
    pub fn attached(&self) -> Option<&AttachedBench> {
        match self {
            Bench::Lab(_) => None,
            Bench::Attached(own) => Some(own),
        }
    }

    /// Measures a shift to its end.
    ///
    /// # Errors
    /// Its phones cannot be reached at all: nothing was measured.
    pub async fn measure(&self, attempt: Attempt<'_>, sink: Rc<dyn FactSink>) -> Result<(), Fault> {
        match self {
            Bench::Lab(lab) => lab.measure(attempt, &*sink).await,
            Bench::Attached(own) => own.measure(attempt, sink).await,
        }
    }
}

impl LabBench {
    async fn measure(&self, attempt: Attempt<'_>, sink: &dyn FactSink) -> Result<(), Fault> {
        let Attempt { shift, scenarios, installs, ab_plan, methods, folder, stop, .. } = attempt;
        let made = (self.shards)(&shift.asked, &methods, folder)?;
        let options = Options { installs, ..shift.options() };
        let mut shards = Shards::open(&options, &scenarios, made, &*self.threads, self.at_once);
        shards.surveyed().await.1?;
        shards.begin(&shift.phones(), &shift.jobs, shift.begins, ab_plan.as_ref());
        shards.merged(shift.begins, sink, &stop).await;
        Ok(())
    }
}

impl AttachedBench {
    async fn measure(&self, attempt: Attempt<'_>, sink: Rc<dyn FactSink>) -> Result<(), Fault> {
        let Attempt {
            shift,
            scenarios,
            installs,
            ab_plan,
            methods,
            folder,
            name,
            since,
            left,
            progress,
            stop,
        } = attempt;
        let probes = (self.probes)(&shift.asked, &methods)?;
        let options = Options { installs, ..shift.options() };
        let facts = shift.phones();
        let serials: Vec<String> = facts.keys().map(|id| id.0.clone()).collect();
        let wanted = Wanted { phones: serials.len(), serials, ..self.wanted.clone() };
        let mut arrivals = None;
        let provider: Rc<dyn Provider> = Rc::new(self.sharing.of(&self.provider));
        let phones = look(&*provider, &mut arrivals, &wanted, &options.patience, &*self.claims).await;
        let phones = match phones {
            Ok(phones) => phones,
            Err(fault) => {
                give_back_all(&*provider).await;
                return Err(fault);
            }
        };
        let who = RunEnv::called(&options.run);
        let env = RunEnv {
            announcer: Rc::new(Announcer::since(since, sink)),
            files: (self.files)(folder),
            patience: options.patience,
            sources: (self.sources)(),
            probes,
            nonce: RunEnv::nonce_of(&name),
            who: who.clone(),
            installing: Installing::of(options.installs),
            ab_plan,
            diagnose: options.diagnose,
            // What others measured is not known here.
            slower: None,
            new_causes: None,
            pictures: options.pictures,
            unrecorded: Default::default(),
            // Whoever is asked is on another computer.
            hooks: Rc::new(NoHooks),
        };
        let servers =
            phones.iter().map(|phone| (phone.sighting.id.clone(), phone.sighting.server.clone())).collect();
        let claiming = Claiming {
            claims: self.quota.over(self.claims.clone()),
            by: self.quota.claimer(who, options.priority),
            servers,
            wait: QUEUED,
            day: Day::of(&options.wall, since),
        };
        let (most_running, jobs) = (options.most_running, shift.jobs.clone());
        let standing = Standing::until(Default::default(), Until::since(since, left));
        let runner =
            JobRunner { scenarios, provider, stop, most_running, env, jobs, facts, claiming, standing };
        if let Some(mut arrivals) = arrivals {
            runner.work(&mut *arrivals, progress).await;
        }
        let given = give_back_all(&*runner.provider).await;
        given.into_iter().for_each(|what| runner.env.announcer.notice(None, what));
        Ok(())
    }
}
