//! One job's hold on its phone: everything a trial needs at hand.

use crate::android::{self, foreign::Signature, settle};
use crate::announce::Announcer;
use crate::builds::AbPlan;
use crate::diagnose::Diagnose;
use crate::installing::Installing;
use crate::patience::Patience;
use crate::pictures::Pictures;
use crate::prepare::Doorway;
use crate::undo::Undo;
use farmjank_results::cause_life::WindowArrivals;
use farmjank_results::device::{App, DeviceFacts, DeviceId, Screen};
use farmjank_results::event::JobId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::SourceId;
use farmjank_results::prepared::PhoneState;
use farmjank_results::time::{BootTime, ClockMap};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::device::Device;
use farmjank_seams::hook::Hooks;
use farmjank_seams::host::Files;
use farmjank_seams::probe::{Only, Probe};
use farmjank_seams::source::FrameSource;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// Makes the frame sources of a scenario, best first.
pub type ForScenario = dyn Fn(&Scenario) -> Vec<Rc<dyn FrameSource>>;

/// Windows of a job that became slower.
pub type Slower = dyn Fn(JobId) -> BTreeSet<String>;

/// New causes of the windows of a job.
pub type NewCauses = dyn Fn(JobId) -> Vec<WindowArrivals>;

/// What every job shares. One field for each thing that is injected.
pub struct RunEnv {
    /// Makes events.
    pub announcer: Rc<Announcer>,
    /// The bundle.
    pub files: Rc<dyn Files>,
    /// Timeouts and budgets.
    pub patience: Patience,
    /// Ways of seeing frames for a scenario, best first (the scenario may pin one, or a layer).
    pub sources: Box<ForScenario>,
    /// Who is asked at both ends of trials and windows.
    pub probes: Vec<Rc<dyn Probe>>,
    /// Who is asked before and after jobs and trials.
    pub hooks: Rc<dyn Hooks>,
    /// Makes names on the phone unlike those of other runs.
    pub nonce: u64,
    /// What the run is called by those who meet it on a phone.
    pub who: String,
    /// The builds it brought.
    pub installing: Installing,
    /// Two builds that take turns, where the run is about that.
    pub ab_plan: Option<AbPlan>,
    /// Whether one more trial tells why frames were late.
    pub diagnose: Diagnose,
    /// Windows of a job that became slower than the baseline, by what it measured so far; none without a baseline.
    pub slower: Option<Box<Slower>>,
    /// New causes of a job's windows, by what was found so far; none without a run to hold them against.
    pub new_causes: Option<Box<NewCauses>>,
    /// When the screen is photographed.
    pub pictures: Pictures,
    /// Phones whose recorder was told not to work: once each.
    pub unrecorded: RefCell<BTreeSet<DeviceId>>,
}

impl RunEnv {
    /// What the marks of a run are made of: the same for the same run id.
    pub fn nonce_of(run: &str) -> u64 {
        crate::android::together::nonce(run.bytes())
    }

    /// What a run is called by those who meet it on a phone.
    pub fn called(run: &str) -> String {
        format!("run {run}")
    }

    /// Signs what stays on a phone for longer than a call.
    pub(crate) fn signature(&self) -> Signature {
        Signature { who: self.who.clone(), nonce: self.nonce }
    }
}

/// One job on its phone. One field for each thing that stays the same until it ends.
pub struct DeviceSession<'a> {
    /// Shared by all jobs.
    pub env: &'a RunEnv,
    /// Job number.
    pub job: JobId,
    /// What to run.
    pub scenario: &'a Scenario,
    /// The app.
    pub app: App,
    /// The phone.
    pub device: Rc<dyn Device>,
    /// What is known about it.
    pub facts: &'a DeviceFacts,
    /// What it was like when the job took it.
    pub state: PhoneState,
    /// Its clocks.
    pub clock: ClockMap,
    /// What `input` takes on it while no app is waited for.
    pub input_takes: Duration,
    /// Ways of seeing frames, best first.
    pub sources: Vec<Rc<dyn FrameSource>>,
    /// Who is asked at both ends of trials and windows.
    pub probes: Vec<Rc<dyn Probe>>,
    /// Makes names on the phone unlike those of other runs.
    pub nonce: u64,
}

impl<'a> DeviceSession<'a> {
    /// Prepares a leased phone: set as the scenario wants it, awake, unlocked, clocks known, cost of `input` known.
    /// What is changed there is the caller's to set back, whatever becomes of the session. Who had the phone `before`
    /// is over: what it left running is ended.
    pub async fn open(
        env: &'a RunEnv,
        job: JobId,
        scenario: &'a Scenario,
        device: Rc<dyn Device>,
        facts: &'a DeviceFacts,
        (undo, before): (&Undo, &[String]),
    ) -> Result<DeviceSession<'a>, Fault> {
        let patience = &env.patience;
        let own = &env.signature();
        let doorway =
            Doorway { announcer: &env.announcer, patience, job, device: &*device, facts, undo, own, before };
        let state = doorway.prepare(&scenario.prepare_on(facts)).await?;
        let clock = settle::clock(&*device, &scenario.app, patience).await?;
        // A phone that refuses touches says so now and not in the middle of a window.
        let input_takes = android::gesture::lead(&*device, patience.launch).await?;
        let app = App(scenario.app.clone());
        let sources = (env.sources)(scenario);
        // Where the author pinned another source of single frames, nobody needs a trace of them.
        let traced = !matches!(scenario.source, Some(SourceId::SurfaceFlinger | SourceId::Gfxinfo));
        let wanted = |probe: &&Rc<dyn Probe>| traced || probe.id() != SourceId::FrameTimeline;
        let asked = scenario.resources();
        let only = |probe: &Rc<dyn Probe>| match probe.only(&asked) {
            Only::Always => Some(probe.clone()),
            Only::Never => None,
            Only::This(probe) => Some(probe),
        };
        let probes = env.probes.iter().filter(wanted).filter_map(only).collect();
        let nonce = env.nonce;
        Ok(DeviceSession {
            env,
            job,
            scenario,
            app,
            device,
            facts,
            state,
            clock,
            input_takes,
            sources,
            probes,
            nonce,
        })
    }

    /// Timeouts and budgets.
    pub fn patience(&self) -> &'a Patience {
        &self.env.patience
    }

    /// The phone's `/proc/uptime` now.
    pub async fn stamp(&self) -> Result<BootTime, Fault> {
        let text =
            android::say(&*self.device, "read u x </proc/uptime; echo \"$u\"", self.patience().call).await?;
        android::uptime(&text).ok_or_else(|| {
            let what =
                format!("the phone's clock cannot be read: /proc/uptime says {}", android::clip(&text, 80));
            Fault::new(FaultCode::ClockUnknown, what).passing()
        })
    }

    /// The screen gestures are drawn on.
    pub fn screen(&self) -> Result<Screen, Fault> {
        self.facts.screen.ok_or_else(|| {
            let fault =
                Fault::new(FaultCode::ScreenUnknown, "the phone does not say how large its screen is");
            fault.advise("`adb shell wm size` must answer")
        })
    }
}
