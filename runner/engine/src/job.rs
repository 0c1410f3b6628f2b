//! One job: its trials on its phone, and its verdict from what they measured.

use crate::ab_job::AbJob;
use crate::announce::Announcer;
use crate::deploy;
use crate::device_session::{DeviceSession, RunEnv};
use crate::diagnosis::Diagnosis;
use crate::hooked;
use crate::observe::FramestatsSampler;
use crate::probes::Probes;
use crate::progress::Progress;
use crate::stop::{Stop, Urgency, cancellable};
use crate::trial::{Trial, TrialOutcome};
use crate::undo::Undo;
use farmjank_results::device::DeviceFacts;
use farmjank_results::event::{Ending, Fact, PlannedJob, PlannedWindow, WindowJudged, WindowMeasured};
use farmjank_results::fault::Fault;
use farmjank_results::gate::judge_window;
use farmjank_results::pace;
use farmjank_results::prepared::{PhoneState, SettingChange, listed};
use farmjank_results::threshold::Limit;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::plan::Plan;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Claimant;
use farmjank_seams::device::{Device, Provider};
use farmjank_seams::hook::When;
use std::time::Duration;

/// A job with all that is its own.
pub struct Task<'a> {
    /// As planned.
    pub planned: &'a PlannedJob,
    /// What to run.
    pub scenario: &'a Scenario,
    /// What is known of its phone.
    pub facts: &'a DeviceFacts,
    /// What is changed there.
    pub undo: Undo,
    /// Who had its phone before on this computer, and is over.
    pub before: Vec<String>,
    /// Who else wants its phone, or its place.
    pub others: Others<'a>,
}

/// What a job asks of others between its iterations.
#[derive(Clone, Copy)]
pub struct Others<'a> {
    /// Who waits for its phone and is more urgent.
    pub asked: &'a dyn Fn() -> Option<Claimant>,
    /// Whether somebody can work instead of waiting for a hot phone; told whether iterations are done.
    pub give_way: &'a dyn Fn(bool) -> bool,
    /// Why nothing more is run, where enough has failed.
    pub enough: &'a dyn Fn() -> Option<Fault>,
}

/// Runs what is left of a job. A fault says why it goes no further; passing ones may go on later.
pub async fn run(
    env: &RunEnv,
    provider: &dyn Provider,
    stop: &Stop,
    task: Task<'_>,
    progress: &mut Progress,
) -> Option<Fault> {
    let announcer = &env.announcer;
    let Task { planned, scenario, facts, ref undo, ref before, others } = task;
    let (job, id) = (planned.job, facts.id.clone());
    let device = match provider.lease(&id).await {
        Ok(device) => device,
        Err(fault) => {
            announcer.announce(Fact::LeaseRefused { job, device: id, fault: fault.clone() });
            return Some(fault);
        }
    };
    announcer.announce(Fact::LeaseGranted { job, device: id.clone() });
    let asked = hooked::job(env, When::BeforeJob, job, scenario, &id);
    let open = async {
        asked.await;
        DeviceSession::open(env, job, scenario, device.clone(), facts, (undo, before)).await
    };
    let ended = match cancellable(stop, open).await {
        Some(Ok(session)) => watched(&session, stop, planned, others, progress).await,
        Some(Err(fault)) => Some(fault),
        None => Some(stop.fault()),
    };
    if let Some(what) = left_as_found(&*device, undo, parting(env, stop), ended.as_ref()).await {
        announcer.notice(Some(job), what);
    }
    // Whoever wants it to end at once waits for nobody.
    let _ = cancellable(stop, hooked::job(env, When::AfterJob, job, scenario, &id)).await;
    let reason =
        ended.as_ref().map_or_else(|| "done".to_owned(), |fault| format!("{}: {}", fault.code, fault.what));
    announcer.announce(Fact::LeaseReturned { job, device: id, reason });
    ended
}

/// How long a phone may take to be left as it was found. An impatient user waits for this, but not for long.
fn parting(env: &RunEnv, stop: &Stop) -> Duration {
    if stop.urgency() >= Urgency::Cancel { env.patience.parting } else { env.patience.settings }
}

/// Sets back what was changed, unless the phone is gone: then whoever has it next does. What to say of it.
async fn left_as_found(
    device: &dyn Device,
    undo: &Undo,
    patience: Duration,
    ended: Option<&Fault>,
) -> Option<String> {
    let open = undo.open();
    let later = |open: &[SettingChange]| {
        let (phone, changed) = (device.id(), listed(open));
        format!("{phone} is left changed, and set back when it is next used from here: {changed}")
    };
    if ended.is_some_and(Fault::is_lost) || open.is_empty() {
        return (!open.is_empty()).then(|| later(&open));
    }
    match tokio::time::timeout(patience, undo.set_back(device, patience)).await {
        Ok(Ok(told)) => (!told.is_empty()).then(|| told.words(&device.id().0)),
        Ok(Err(_)) | Err(_) => Some(later(&open)),
    }
}

/// The trials between enabling the probes and disabling them. Whatever happened, what was enabled is disabled.
async fn watched(
    session: &DeviceSession<'_>,
    stop: &Stop,
    planned: &PlannedJob,
    others: Others<'_>,
    progress: &mut Progress,
) -> Option<Fault> {
    let probes = match cancellable(stop, Probes::enable(session)).await {
        Some(Ok(probes)) => probes,
        Some(Err(fault)) => return Some(fault),
        None => return Some(stop.fault()),
    };
    let ended = match &session.env.ab_plan {
        None => trials(session, &probes, stop, planned, others, progress).await,
        Some(ab_plan) => {
            AbJob { session, probes: &probes, stop, planned, ab_plan, asked: others.asked }
                .run(progress)
                .await
        }
    };
    for what in paces(planned, progress).into_iter().chain(unmoved(planned, progress)) {
        session.env.announcer.notice(Some(planned.job), what);
    }
    if !ended.as_ref().is_some_and(Fault::is_lost) {
        let _ = tokio::time::timeout(parting(session.env, stop), probes.disable()).await;
    }
    ended
}

/// Pages that keep a pace the scenario does not declare, one sentence for each window.
pub fn paces(planned: &PlannedJob, progress: &Progress) -> Vec<String> {
    let said = |window: &PlannedWindow| {
        let own = progress.measured.iter().filter(|one| one.window == window.name && one.void.is_none());
        pace::notice(&window.name, &own.map(|one| one.pace.as_ref()).collect::<Vec<_>>())
    };
    planned.windows.iter().filter_map(said).collect()
}

/// Pages on which some swipes scrolled and others did not, one sentence for each window; iterations in which nothing
/// scrolled say so themselves.
fn unmoved(planned: &PlannedJob, progress: &Progress) -> Vec<String> {
    let said = |window: &PlannedWindow| {
        let own = progress.measured.iter().filter(|one| one.window == window.name && one.void.is_none());
        let (iterations, swipes) = own
            .filter(|one| one.unmoved > 0)
            .fold((0u32, 0u32), |(iterations, swipes), one| (iterations + 1, swipes + one.unmoved));
        (swipes > 0).then(|| {
            let (swipe, they) = if swipes == 1 { ("swipe", "it") } else { ("swipes", "they") };
            let iterations = if iterations == 1 { "one iteration".to_owned() } else { format!("{iterations} iterations") };
            format!(
                "`{}`: {swipes} {swipe} in {iterations} scrolled nothing, not one frame came of it: the page was at its end, or \
                 {they} missed the list; a longer list, or fewer swipes, measures what is meant",
                window.name
            )
        })
    };
    planned.windows.iter().filter_map(said).collect()
}

/// What to say of battery saver, where it is on.
fn saver(facts: &DeviceFacts, state: &PhoneState) -> Option<String> {
    state.battery.or(facts.battery).filter(|battery| battery.saver)?;
    let [now, can] = [facts.active_hz, facts.fastest_hz()]
        .map(|hz| hz.map_or_else(String::new, |hz| format!("{hz:.0} Hz")));
    let rates = if now.is_empty() || can.is_empty() {
        String::new()
    } else {
        format!(" (it is at {now} and can do {can})")
    };
    Some(format!(
        "battery saver is on and caps the refresh rate{rates}: these are the numbers of a phone that saves power; charge it and \
         switch it off for those of the phone as it is"
    ))
}

async fn trials(
    session: &DeviceSession<'_>,
    probes: &Probes<'_>,
    stop: &Stop,
    planned: &PlannedJob,
    others: Others<'_>,
    progress: &mut Progress,
) -> Option<Fault> {
    let (announcer, job): (&Announcer, _) = (&session.env.announcer, planned.job);
    let framestats = FramestatsSampler::for_session(session);
    let diagnosis = Diagnosis { session, probes, framestats: &framestats, stop, planned };
    if session.env.pictures.warm_ups && planned.warmup == 0 {
        let what = "screens are photographed in warm-ups only, and this scenario has none: add `warmup: 1`, or run with --warmup 1";
        announcer.notice(Some(job), what.to_owned());
    }
    if progress.completed == 0 && progress.tries == 0 {
        diagnosis.forewarn();
        let told = crate::prepare::told(session.facts, &session.state).into_iter();
        told.chain(saver(session.facts, &session.state)).for_each(|what| announcer.notice(Some(job), what));
    }
    if let Some(fault) = brought(&diagnosis, progress).await {
        return Some(fault);
    }
    let first = progress.completed;
    while progress.completed < planned.warmup + planned.iterations {
        if stop.urgency() >= Urgency::Drain {
            return Some(stop.fault());
        }
        if let Some(fault) = (others.enough)() {
            return Some(fault);
        }
        // Between two iterations, and never before one was made: it gets on whoever asks.
        if progress.completed > first && (others.asked)().is_some() {
            progress.later = true;
            return None;
        }
        let trial = progress.completed;
        let counted = trial >= planned.warmup;
        announcer.announce(Fact::TrialStarted {
            job,
            trial,
            counted,
            diagnostic: false,
            reference: false,
            settling: false,
            turn: None,
        });
        let mut one = Trial::new(session, &framestats, probes, trial, &progress.place(trial));
        one.pictured = session.env.pictures.warm_ups && !counted;
        (one.diagnostic, one.asks_plugins) = (counted && diagnosis.is_wide(), counted);
        let give_way = || (others.give_way)(trial > 0);
        let outcome = cancellable(stop, one.hooked(&give_way)).await;
        progress.tries += 1;
        let mut outcome = outcome.unwrap_or_else(TrialOutcome::interrupted);
        diagnosis.charge(&mut outcome);
        let (ending, windows) = (outcome.ending.clone(), outcome.windows.clone());
        announcer.announce(Fact::TrialFinished { job, trial, counted, ending, windows });
        match outcome.ending {
            Ending::Completed => {
                progress.completed += 1;
                progress.tries = 0;
                if counted {
                    progress.measured.extend(outcome.windows.iter().cloned());
                }
                if counted && diagnosis.is_wide() {
                    diagnosis.tell_counted(trial, outcome);
                    diagnosis.references(progress).await;
                }
            }
            Ending::Faulted(fault) => return Some(fault),
            Ending::Interrupted => return Some(stop.fault()),
        }
    }
    if (others.enough)().is_none() {
        let judged = windows(planned, session.scenario, session.facts, progress);
        diagnosis.run(progress, judged).await;
        progress.arrivals = diagnosis.arrivals(progress);
    }
    None
}

/// Puts the build the run brought on the phone, where it is not there; why it cannot be.
async fn brought(diagnosis: &Diagnosis<'_>, progress: &mut Progress) -> Option<Fault> {
    match cancellable(diagnosis.stop, deploy::ensure(diagnosis.session)).await {
        Some(Ok(false)) => {}
        // The first pass after an installation is a warm-up; where none follows, it is made beside those that count.
        Some(Ok(true)) if progress.completed < diagnosis.planned.warmup => {}
        Some(Ok(true)) => diagnosis.settle(progress).await,
        Some(Err(fault)) => return Some(fault),
        None => return Some(diagnosis.stop.fault()),
    }
    None
}

/// Judges the windows of a job by what its counted trials measured so far.
pub fn windows(
    planned: &PlannedJob,
    scenario: &Scenario,
    facts: &DeviceFacts,
    progress: &Progress,
) -> Vec<WindowJudged> {
    let counted = |name: &str| -> Vec<WindowMeasured> {
        progress.measured.iter().filter(|window| window.window == name).cloned().collect()
    };
    let judged = |window: &PlannedWindow| {
        let limits: Vec<(String, Limit)> = Plan::thresholds_for(scenario, &window.name, facts)
            .into_iter()
            .map(|threshold| (threshold.metric, threshold.limit))
            .collect();
        let mut judged = judge_window(&limits, &counted(&window.name));
        judged.window.clone_from(&window.name);
        let own = progress.arrivals.iter().filter(|one| one.window == window.name);
        own.for_each(|one| one.judge(&mut judged));
        judged
    };
    planned.windows.iter().map(judged).collect()
}

/// Judges a job by what its counted trials measured, and by the fault that ended it, if one did.
pub fn judge(
    planned: &PlannedJob,
    scenario: &Scenario,
    facts: &DeviceFacts,
    progress: &Progress,
    fault: Option<Fault>,
) -> Fact {
    let windows = windows(planned, scenario, facts, progress);
    let mut reasons: Vec<String> = progress.note.iter().cloned().collect();
    let mut verdict = Verdict::worst(windows.iter().map(|window| window.verdict));
    if let Some(fault) = &fault {
        verdict = verdict.worse(fault.verdict());
        // A job cut short cannot pass, but what was already breached stays breached.
        reasons.push(fault.to_string());
    }
    Fact::JobJudged { job: planned.job, verdict, windows, fault, reasons }
}
