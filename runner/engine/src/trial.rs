//! One trial as straight-line code: settle, setup, steps with their windows, teardown.

mod beside;
mod computed;
mod guard;
mod walker;

use self::walker::Walker;
use crate::android::quiet::{self, Conditions};
use crate::android::settle::behind;
use crate::collect::Harvest;
use crate::companion::Accompanied;
use crate::deploy;
use crate::device_session::DeviceSession;
use crate::during::During;
use crate::failure;
use crate::flow_state::FlowState;
use crate::log::WindowLog;
use crate::measure::measure;
use crate::observe::{FramestatsSampler, OpenWindow};
use crate::perform::Scene;
use crate::probes::{ProbeAnswer, Probes};
use crate::screens::Camera;
use crate::slug::slug;
use crate::traced::{FoundCauses, TracedCauses};
use farmjank_measure::probe_read::{ProbeContext, SideReadings, is_trace};
use farmjank_measure::weigh::{Ask, Measured};
use farmjank_results::event::{Around, Ending, Screen, SkippedSource, WindowMeasured};
use farmjank_results::evidence::PACKED;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::frame_log::FrameLog;
use farmjank_results::window::Window;
use farmjank_scenarios::step::Step;
use std::cell::RefCell;

/// What a trial left behind.
pub struct TrialOutcome {
    /// How it ended.
    pub ending: Ending,
    /// Its windows, in order.
    pub windows: Vec<WindowMeasured>,
    /// Why frames of its windows were late, where it was to tell.
    pub causes: Vec<FoundCauses>,
}

impl TrialOutcome {
    /// Of a trial that was cancelled.
    pub fn interrupted() -> TrialOutcome {
        TrialOutcome { ending: Ending::Interrupted, windows: Vec::new(), causes: Vec::new() }
    }
}

/// A trial under way. The fields after the third are what begins and ends with it.
pub struct Trial<'a> {
    /// The job's hold on its phone.
    pub session: &'a DeviceSession<'a>,
    /// Number, warm-ups first.
    pub number: u32,
    /// Its folder among the evidence.
    folder: String,
    windows: RefCell<Vec<Collected>>,
    /// What happens outside every measured window: launches are read from it.
    outside: RefCell<WindowLog>,
    /// What was recorded beside the trace, window by window.
    beside: RefCell<Vec<Accompanied>>,
    /// The installed app and the phone's heat, as of the last look.
    around: RefCell<Around>,
    /// What the phone did beside the app at the last look; that it was compiling, or read by others, stays true to the
    /// end of the trial: nobody knows until when it did.
    conditions: RefCell<Conditions>,
    framestats: &'a FramestatsSampler,
    probes: &'a Probes<'a>,
    /// What its steps leave each other.
    flow: FlowState,
    /// Take pictures of the screen in its windows.
    pub pictured: bool,
    /// Tell why frames were late.
    pub diagnostic: bool,
    /// It counts: nothing may slow it that can be done without.
    pub counted: bool,
    /// Plugins are asked for metrics of its windows.
    pub asks_plugins: bool,
}

/// A window that is over and waits for the end of the trial, when the trace that saw it is read.
/// One field for each thing the measurement takes.
struct Collected {
    name: String,
    /// Where its files lie in the bundle, without their endings.
    place: String,
    target_fps: Option<f64>,
    log: WindowLog,
    harvest: Harvest,
    side_readings: SideReadings,
    screens: Vec<Screen>,
    void: Option<String>,
    around: Around,
}

impl<'a> Trial<'a> {
    /// A trial that has not begun; `place` is that of its evidence among the job's.
    pub fn new(
        session: &'a DeviceSession<'a>,
        framestats: &'a FramestatsSampler,
        probes: &'a Probes<'a>,
        number: u32,
        place: &str,
    ) -> Self {
        let folder = format!("evidence/job-{}/{place}", session.job);
        let (windows, outside, beside) = (RefCell::default(), RefCell::default(), RefCell::default());
        let (around, conditions) = (RefCell::default(), RefCell::default());
        let (pictured, diagnostic, counted, asks_plugins) = (false, false, true, false);
        let flow = FlowState::new(session.nonce, (session.job, number));
        Trial {
            session,
            number,
            folder,
            windows,
            outside,
            beside,
            around,
            conditions,
            framestats,
            probes,
            flow,
            pictured,
            diagnostic,
            counted,
            asks_plugins,
        }
    }

    /// Runs it to its end. Whatever was measured is returned, whatever happened. `give_way`: somebody else can work
    /// instead of waiting for a hot phone.
    pub async fn run(self, give_way: &dyn Fn() -> bool) -> TrialOutcome {
        let scenario = self.session.scenario;
        let mut result = self.settle(give_way).await;
        let settled = result.is_ok();
        let mut refused = self.probes.refused().to_vec();
        if result.is_ok() {
            result = Walker(&self).walk(&scenario.setup, "setup", None).await;
        }
        if result.is_ok() {
            result = self.probes.begin_trial(self.diagnostic).await.map(|more| {
                more.iter().for_each(|over| self.probes.tell_unrecorded(&over.why));
                refused.extend(more);
            });
        }
        if result.is_ok() {
            result = Walker(&self).walk(&scenario.steps, "steps", None).await;
        }
        result = match result {
            Err(fault) if !fault.is_lost() => {
                let session = self.session;
                if settled {
                    failure::keep(session, self.number, &self.folder).await;
                }
                let whose = (session.app.0.as_str(), session.facts.sdk, &session.env.signature());
                let fault = behind(&*session.device, whose, fault, session.patience()).await;
                let before = self.around.borrow().installation.clone();
                Err(deploy::behind(session, fault, before).await)
            }
            result => result,
        };
        let lost = result.as_ref().is_err_and(Fault::is_lost);
        let ended = if lost { Ok(Default::default()) } else { self.probes.end_trial(&self.folder).await };
        let (answers, unavailable) = ended.unwrap_or_else(|fault| {
            result = result.clone().and(Err(fault));
            Default::default()
        });
        unavailable.iter().for_each(|over| self.probes.tell_unrecorded(&over.why));
        refused.extend(unavailable);
        // Teardown runs after a failure too, but a phone that is gone cannot be tidied.
        if !result.as_ref().is_err_and(Fault::is_lost) {
            let torn_down = Walker(&self).walk(&scenario.teardown, "teardown", None).await;
            result = result.and(torn_down);
        }
        let mut traced = match self.diagnostic {
            true => TracedCauses::read(self.session, &answers, self.beside.take()).await,
            false => None,
        };
        let (mut windows, cuts, unseen) = self.measured(answers, refused, traced.as_mut());
        if result.is_ok() {
            self.compute(&mut windows, cuts).await;
        }
        let causes = match traced {
            Some(traced) => traced.of(self.session, &windows).await,
            None => Vec::new(),
        };
        result = result.and(unseen.map_or(Ok(()), Err));
        let outside = self.outside.into_inner();
        if outside.has_launch() {
            windows.insert(0, outside.launch_window());
        }
        let ending = match result {
            Ok(()) => Ending::Completed,
            Err(fault) => Ending::Faulted(fault),
        };
        TrialOutcome { ending, windows, causes }
    }

    async fn settle(&self, give_way: &dyn Fn() -> bool) -> Result<(), Fault> {
        let session = self.session;
        let (device, patience) = (&*session.device, session.patience());
        let (sdk, own) = (session.facts.sdk, &session.env.signature());
        let (conditions, around) =
            quiet::settle(device, sdk, &session.app.0, patience, own, give_way).await?;
        let debuggable_meant = session.scenario.debuggable_meant;
        let installation =
            session.env.installing.told(&session.facts.id, &session.app.0, around.installation);
        session.env.installing.holds(&session.app.0, installation.as_deref())?;
        self.around.replace(Around { debuggable_meant, installation, ..around });
        let unfit = conditions.unfit();
        self.conditions.replace(conditions);
        unfit.map_or(Ok(()), Err)
    }

    /// Its steps as they are carried out in this window, if one is open.
    fn scene<'s>(&'s self, open_window: Option<&'s OpenWindow<'s>>) -> Scene<'s> {
        Scene {
            session: self.session,
            flow: &self.flow,
            open_window,
            outside: &self.outside,
            framestats: self.framestats,
            folder: &self.folder,
        }
    }

    /// One measured window: its steps run while its frames are sampled beside them and probes watch.
    async fn window(
        &self,
        name: &str,
        target_fps: Option<f64>,
        steps: &[Step],
        path: &str,
    ) -> Result<(), Fault> {
        let session = self.session;
        let place = format!("{}/{}-{}", self.folder, self.windows.borrow().len(), slug(name));
        let open_window = OpenWindow::new(session, self.number, name, format!("{place}.dumps{PACKED}"));
        let mut beginning = self.begin_window().await?;
        let mut side_readings =
            SideReadings { unavailable: std::mem::take(&mut beginning.refused), ..SideReadings::default() };
        let during = During::new(session, self.probes.during(&beginning));
        let log_start = match beginning.around {
            Some((_, last)) => last,
            None => session.stamp().await?,
        };
        let walk = async {
            let result = async {
                open_window.collector.ready().await;
                self.framestats.at_start(session, &open_window.collector).await?;
                Walker(self).walk(steps, path, Some(&open_window)).await?;
                during.stop();
                let (ended, answers) = self.probes.end_window(beginning).await?;
                let ended = match ended {
                    Some(ended) => ended,
                    None => session.stamp().await?,
                };
                self.framestats.at_end(session, &open_window, ended).await?;
                Ok((ended, answers))
            };
            let result: Result<_, Fault> = result.await;
            if result.is_err() {
                open_window.collector.abandon();
            }
            result
        };
        let camera = Camera::new(session, &open_window.collector, format!("{place}.screens"));
        let walk = async {
            let walked = walk.await;
            camera.stop();
            during.stop();
            walked
        };
        let (walked, sampled, screens, printed) =
            futures::join!(walk, open_window.collector.run(), camera.run(self.pictured), during.run());
        drop(camera);
        let mut log = open_window.log.into_inner();
        log.from = Some(session.clock.to_device(log_start));
        log.to = walked.as_ref().ok().map(|(ended, _)| session.clock.to_device(*ended));
        // The camera stops a moment after the last step: what it took then shows no part of the window.
        let screens = screens.into_iter().filter(|screen| log.to.is_none_or(|to| screen.at < to)).collect();
        let walked = walked.map(|(_, answers)| {
            for mut one in answers {
                during.join(&mut one, &printed);
                open_window.collector.keep_output(&one);
                side_readings.read(&*one.probe, &one.output, one.edges, self.probe_context(&[]));
            }
        });
        let mut harvest = open_window.collector.harvest();
        harvest.fault = sampled.err();
        harvest.evidence.extend(self.end_beside(&place, walked.as_ref().err()).await);
        let target_fps = target_fps.or(session.scenario.target_fps);
        let (result, void) = match walked {
            Ok(()) => match self.guard().await {
                Ok(void) => (Ok(()), void),
                Err(fault) => (Err(fault), None),
            },
            Err(fault) => (Err(fault), None),
        };
        let void = void.or_else(|| Some(format!("it did not finish: {}", result.as_ref().err()?.what)));
        // Whatever happened in it, what was measured stays on record.
        let name = name.to_owned();
        let around = self.around.borrow().clone();
        let collected =
            Collected { name, place, target_fps, log, harvest, side_readings, screens, void, around };
        self.windows.borrow_mut().push(collected);
        result
    }

    fn probe_context<'r>(&'r self, modes: &'r [f64]) -> ProbeContext<'r> {
        ProbeContext { app: &self.session.app, clock: Some(self.session.clock), modes }
    }

    /// Measures every window, now that the trial's own probes have answered. The fault: the phone refused dumps, and
    /// nobody else proves that no frame was missed meanwhile.
    fn measured(
        &self,
        answers: Vec<ProbeAnswer>,
        refused: Vec<SkippedSource>,
        mut traced: Option<&mut TracedCauses>,
    ) -> (Vec<WindowMeasured>, Vec<Option<Window>>, Option<Fault>) {
        let session = self.session;
        let modes: Vec<f64> = session.facts.modes.iter().map(|mode| mode.hz).collect();
        let (mut of_trial, mut traces) =
            (SideReadings { unavailable: refused, ..SideReadings::default() }, Vec::new());
        for ProbeAnswer { probe, output, fetched, edges } in answers {
            if let Some(fetched) = fetched {
                traces.push(fetched.path);
                if let Some(read) = traced.as_mut().and_then(|traced| traced.frames.take()) {
                    of_trial.take(probe.id(), read, edges, &modes);
                }
                continue;
            }
            if is_trace(probe.id()) && !output.bytes.is_empty() {
                let path = format!("{}/{}{PACKED}", self.folder, probe.file());
                match session.env.files.write(&path, &output.bytes) {
                    Ok(()) => traces.push(path),
                    Err(why) => {
                        let words = format!("the trace could not be written: {why}");
                        session.env.announcer.notice(Some(session.job), words);
                    }
                }
            }
            of_trial.read(&*probe, &output, edges, self.probe_context(&modes));
            if let Some(over) = of_trial.unavailable.last().filter(|_| output.bytes.is_empty()) {
                self.probes.tell_unrecorded(&over.why);
            }
        }
        let mut unseen = None;
        let measured = |collected: Collected| {
            let Collected {
                name,
                place,
                target_fps,
                log,
                mut harvest,
                mut side_readings,
                screens,
                void,
                around,
            } = collected;
            side_readings.trace.clone_from(&of_trial.trace);
            side_readings.unavailable.splice(0..0, of_trial.unavailable.iter().cloned());
            harvest.evidence.extend(traces.iter().cloned());
            let refusal = harvest.refusal.take().or_else(|| {
                let refused =
                    |fault: &Fault| fault.code == FaultCode::DumpRefused && fault.blame == Blame::Lab;
                harvest.fault.clone().filter(refused)
            });
            let ask = Ask { app: &session.app, target_fps, pinned: session.scenario.source };
            let Measured { mut window, frame_log, cut } =
                measure(session, &name, ask, &log, harvest, &side_readings);
            window.void = void.or(window.void);
            let proved = window.coverage.as_ref().is_some_and(|coverage| coverage.proved);
            unseen = unseen.take().or(refusal.filter(|_| !proved));
            window.screens = screens;
            window.around = Some(around);
            window.frame_log =
                frame_log.and_then(|frame_log| self.kept(&frame_log, format!("{place}.strip")));
            (window, cut)
        };
        let (windows, cuts) = self.windows.take().into_iter().map(measured).unzip();
        (windows, cuts, unseen)
    }

    /// Keeps a frame log in the bundle; where, if it could be written.
    fn kept(&self, frame_log: &FrameLog, path: String) -> Option<String> {
        let env = &self.session.env;
        match env.files.write(&path, &frame_log.encode()) {
            Ok(()) => Some(path),
            Err(why) => {
                let words = format!("the frames of a window could not be kept for the report: {why}");
                env.announcer.notice(Some(self.session.job), words);
                None
            }
        }
    }
}
