//! `Stage::lab("demo").scenario(YAML).run()`: a whole run on simulated time, with the lab's truth beside its record.

use crate::memory::{Ear, Memory};
use crate::scenarios::scenarios;
use crate::shells::Shells;
pub use crate::story::Story;
use farmjank_devices::{AdbProvider, Options as AdbOptions};
use farmjank_engine::builds::{AbPlan, BuildFile, Install};
use farmjank_engine::conduct::{Against, Setup, run};
use farmjank_engine::diagnose::Diagnose;
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::pictures::Pictures;
use farmjank_engine::rerun::Rerun;
use farmjank_engine::resume::Earlier;
use farmjank_engine::scribe::LOG;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_engine::survey::Wanted;
use farmjank_frames::registry;
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab_shards::{self as lab_shards, Join, LabShard, MakeShard, ThreadWork};
use farmjank_measure::readers::Readers;
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{Given, Rules, Source, compare, interleaved, measured, primary_cells};
use farmjank_results::record::Record;
use farmjank_scenarios::plan::{Selection, Shard, ShardBy};
use farmjank_scenarios::read::SourceFile;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::{Claims, Priority, Private};
use farmjank_seams::probe::Probe;
use farmjank_seams::reporter::Reporter;
use farmjank_seams::source::FrameSource;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A run to be. One field for each thing a test may change.
pub struct Stage {
    pub(crate) lab: Lab,
    run: Option<String>,
    scenarios: Vec<SourceFile>,
    patience: Patience,
    wanted: Wanted,
    selection: Selection,
    interrupt: Option<(Duration, Urgency)>,
    bound: Option<Duration>,
    reporters: bool,
    forgetful: bool,
    full: std::ops::Range<u64>,
    cut_off: Option<Memory>,
    rerun: Option<Rerun>,
    probes: Option<Vec<Rc<dyn Probe>>>,
    largest: Option<usize>,
    screens: bool,
    diagnose: Diagnose,
    priority: Priority,
    team: String,
    against: Option<Box<Against>>,
    ab_plan: Option<AbPlan>,
    installs: Arc<[Install]>,
}

impl Stage {
    /// In a lab of the gallery.
    pub fn lab(name: &str) -> Stage {
        Stage::of(Lab::named(name).expect("a lab of the gallery"))
    }

    /// In a lab described here.
    pub fn lab_yaml(text: &str) -> Stage {
        Stage::of(Lab::from_yaml(text).expect("a lab that can be read"))
    }

    fn of(lab: Lab) -> Stage {
        let (scenarios, wanted) = (Vec::new(), Wanted::default());
        Stage {
            lab,
            run: None,
            scenarios,
            patience: Patience::default(),
            wanted,
            selection: Selection::default(),
            interrupt: None,
            bound: None,
            reporters: false,
            forgetful: false,
            full: 0..0,
            cut_off: None,
            rerun: None,
            probes: None,
            largest: None,
            screens: false,
            diagnose: Diagnose::default(),
            priority: Priority::default(),
            team: String::new(),
            against: None,
            ab_plan: None,
            installs: Arc::default(),
        }
    }

    /// With another seed.
    pub fn seed(self, seed: u64) -> Stage {
        Stage { lab: self.lab.with_seed(seed), ..self }
    }

    /// Runs this scenario too.
    pub fn scenario(mut self, yaml: &str) -> Stage {
        let name = format!("scenario-{}.yaml", self.scenarios.len());
        self.scenarios.push(SourceFile { name, text: yaml.as_bytes().to_vec() });
        self
    }

    /// By another id, as a run beside others has.
    pub fn called(self, run: &str) -> Stage {
        Stage { run: Some(run.to_owned()), ..self }
    }

    /// Waiting so long for phones that others use.
    pub fn waits(mut self, wait: Duration) -> Stage {
        self.wanted.wait = wait;
        self
    }

    /// So urgent beside others.
    pub fn priority(self, priority: Priority) -> Stage {
        Stage { priority, ..self }
    }

    /// Of a team of a farm.
    pub fn team(self, team: &str) -> Stage {
        Stage { team: team.to_owned(), ..self }
    }

    /// Only these phones.
    pub fn serials(mut self, serials: &[&str]) -> Stage {
        self.wanted.serials = serials.iter().map(|serial| (*serial).to_owned()).collect();
        self
    }

    /// Only this part of the phones, from 1.
    pub fn shard(mut self, index: u32, of: u32) -> Stage {
        self.selection.shard = Some(Shard { index, of, by: ShardBy::Phone });
        self
    }

    /// Other budgets.
    pub fn patience(mut self, change: impl FnOnce(&mut Patience)) -> Stage {
        change(&mut self.patience);
        self
    }

    /// Interrupts after so much simulated time.
    pub fn interrupt(self, after: Duration, urgency: Urgency) -> Stage {
        Stage { interrupt: Some((after, urgency)), ..self }
    }

    /// Panics when the run is not over within so much simulated time.
    pub fn within(self, bound: Duration) -> Stage {
        Stage { bound: Some(bound), ..self }
    }

    /// With the reporters every run has.
    pub fn reporters(self) -> Stage {
        Stage { reporters: true, ..self }
    }

    /// Where no answer of a phone may be larger than so many bytes.
    pub fn largest(self, bytes: usize) -> Stage {
        Stage { largest: Some(bytes), ..self }
    }

    /// With pictures of the screen in warm-ups.
    pub fn screens(self) -> Stage {
        Stage { screens: true, ..self }
    }

    /// With one more trial that tells why frames were late, of these windows.
    pub fn diagnose(self, diagnose: Diagnose) -> Stage {
        Stage { diagnose, ..self }
    }

    /// Held against these sessions.
    pub fn against(mut self, given: Given, base: Vec<CellSession>) -> Stage {
        let source = Source { name: "before".to_owned(), ..Source::default() };
        self.against = Some(Box::new(move |record| {
            compare(source.clone(), &base, &measured(record), &Rules::of(given, 0))
        }));
        self
    }

    /// Two builds take turns, and the new one is held against the old one.
    pub fn ab_plan(mut self, ab_plan: AbPlan) -> Stage {
        let (ab_rules, name) =
            (ab_plan.ab_rules, ab_plan.builds.as_ref().map(|builds| builds.old.file.clone()));
        self.ab_plan = Some(ab_plan);
        self.against = Some(Box::new(move |record| {
            let ab_rules = ab_rules
                .settled(primary_cells(record.jobs.values().map(|job| &job.planned), &record.devices));
            let name = name.clone().unwrap_or_else(|| "itself".to_owned());
            interleaved(Source { name, ..Source::default() }, record, &ab_rules, 0)
        }));
        self
    }

    /// With this build on every phone, which is put there first.
    pub fn install(self, build: BuildFile) -> Stage {
        let compile = Some("speed".to_owned());
        Stage { installs: Arc::new([Install { app: None, build, compile, reinstall: false }]), ..self }
    }

    /// With only these probes beside the frame sources.
    pub fn probes(self, probes: Vec<Rc<dyn Probe>>) -> Stage {
        Stage { probes: Some(probes), ..self }
    }

    /// On a disk that is full during these writes of the run.
    pub fn full(self, full: std::ops::Range<u64>) -> Stage {
        Stage { full, ..self }
    }

    /// Going on with the run in this bundle, which was cut off.
    pub fn goes_on(self, bundle: Memory) -> Stage {
        Stage { cut_off: Some(bundle), ..self }
    }

    /// Running again what such a run, which came to its end, has of this.
    pub fn runs_again(mut self, bundle: Memory, rerun: Rerun) -> Stage {
        (self.cut_off, self.rerun) = (Some(bundle), Some(rerun));
        self
    }

    /// Without keeping raw dumps in memory: for runs too large to hold.
    pub fn forgetful(self) -> Stage {
        Stage { forgetful: true, ..self }
    }

    /// Runs to the end.
    pub fn run(self) -> Story {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        tokio::task::LocalSet::new().block_on(&runtime, self.play())
    }

    /// Runs to the end with a thread for every shard of the lab; what is left is the record and the log.
    pub fn run_in_racks(self) -> (Record, Rc<Memory>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let seed = self.lab.seed;
        let alone = self.probes.as_ref().is_some_and(Vec::is_empty);
        let shards = self.lab.shards().into_iter().map(|lab| {
            let make: MakeShard = Box::new(move || {
                let live = lab.build().expect("a lab that can be built");
                let options = AdbOptions { name: "lab".into(), ..AdbOptions::default() };
                Ok(LabShard {
                    provider: Rc::new(AdbProvider::new(lab.servers(), Rc::new(LabDial::new(live)), options)),
                    sources: Box::new(move |scenario| sources(scenario, seed)),
                    probes: if alone { Vec::new() } else { registry::probes() },
                    files: Rc::new(Memory::keeping(false)),
                })
            });
            make
        });
        let files = Rc::new(Memory::keeping(!self.forgetful));
        let setup = lab_shards::Setup {
            shards: shards.collect(),
            threads: Box::new(simulated_thread),
            at_once: std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
            scenarios: scenarios(&self.scenarios),
            files: files.clone(),
            voice: Rc::new(Ear::default()),
            reporters: if self.reporters { registry() } else { Vec::new() },
            stop: Stop::default(),
            options: self.options(),
            against: self.against,
        };
        let record = tokio::task::LocalSet::new().block_on(&runtime, lab_shards::run(setup));
        (record, files)
    }

    fn options(&self) -> Options {
        Options {
            run: self.run.clone().unwrap_or_else(|| format!("lab-{}-seed{}", self.lab.name, self.lab.seed)),
            tool: "test".into(),
            wall: "2000-01-01T00:00:00Z".into(),
            seed: self.lab.seed,
            lab: Some(self.lab.name.clone()),
            wanted: self.wanted.clone(),
            selection: self.selection.clone(),
            most_running: 512,
            patience: self.patience,
            installs: self.installs.clone(),
            ab_plan: self.ab_plan.clone(),
            diagnose: self.diagnose,
            pictures: Pictures { warm_ups: self.screens, failures: true },
            priority: self.priority,
            team: self.team.clone(),
            ..Options::default()
        }
    }

    async fn play(self) -> Story {
        let lab = self.lab.build().expect("a lab that can be built");
        let shells = Shells::default();
        lab.transcribe(shells.scribe());
        let story = self.conducted(lab, Rc::new(Private::default())).await;
        shells.hold_against_real_ones();
        story
    }

    /// The run, on the phones of a lab that is switched on.
    pub(crate) async fn conducted(self, lab: Rc<LiveLab>, claims: Rc<dyn Claims>) -> Story {
        let options = self.options();
        let provider = AdbProvider::new(
            self.lab.servers(),
            Rc::new(LabDial::new(lab.clone())),
            AdbOptions {
                name: "lab".into(),
                max_output: self.largest.unwrap_or(AdbOptions::default().max_output),
                ..AdbOptions::default()
            },
        );
        let earlier = self.cut_off.as_ref().map(|bundle| bundle.read(LOG));
        let read = |log: &[u8]| match self.rerun {
            Some(rerun) => Earlier::rerun(log, rerun).expect("a run that has such a part"),
            None => Earlier::read(log).expect("a run that can go on"),
        };
        let earlier = earlier.map(|log| read(&log));
        let memory = self.cut_off.unwrap_or_else(|| Memory::keeping(!self.forgetful)).full(self.full);
        let files = Rc::new(memory);
        let (ear, stop) = (Rc::new(Ear::default()), Stop::default());
        if let Some((after, urgency)) = self.interrupt {
            let stop = stop.clone();
            tokio::task::spawn_local(async move {
                tokio::time::sleep(after).await;
                stop.ask(urgency, "SIGINT");
            });
        }
        let seed = self.lab.seed;
        let setup = Setup {
            options,
            scenarios: scenarios(&self.scenarios),
            provider: Rc::new(provider),
            sources: Box::new(move |scenario| sources(scenario, seed)),
            probes: self.probes.unwrap_or_else(registry::probes),
            hooks: Rc::new(farmjank_seams::hook::NoHooks),
            claims,
            files: files.clone(),
            voice: ear.clone(),
            against: self.against,
            reporters: if self.reporters { registry() } else { Vec::new() },
            earlier,
            stop,
        };
        let record = match self.bound {
            None => run(setup).await,
            Some(bound) => tokio::time::timeout(bound, run(setup))
                .await
                .unwrap_or_else(|_| panic!("the run is not over after {bound:?} of simulated time")),
        };
        let record = record.expect("a run of the same plan");
        Story { record, files, ear, lab }
    }
}

#[expect(clippy::disallowed_methods, reason = "a shard's thread, as the program starts it")]
fn simulated_thread(work: ThreadWork) -> Join {
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), work());
    });
    Box::new(|| thread.join())
}

fn registry() -> Vec<Box<dyn Reporter>> {
    farmjank_reporters::registry(farmjank_reporters::Options::default())
}

/// Who reads evidence again, as in the program.
pub fn readers() -> Readers {
    Readers { dumps: registry::dump_readers(), probes: registry::probe_readers() }
}

fn sources(scenario: &Scenario, seed: u64) -> Vec<Rc<dyn FrameSource>> {
    registry::sources_pinned(scenario.layer.clone(), seed, scenario.source)
}
