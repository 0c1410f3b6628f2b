//! Probes beside the sampling loop: enabled for a job, asked at both ends of a trial and of every window.
//!
//! All probes of a window are asked in one call at each end, between marks nobody on the phone can know beforehand; the
//! same call stamps the window. A trace is binary and of a whole trial: it has calls of its own. Whatever was begun is
//! ended, and whatever was enabled is disabled, while the phone answers. Must not know what outputs mean.

use crate::android::pieces::{self, Unfetched};
use crate::android::together::{Marks, nonce};
use crate::android::{self, room};
use crate::device_session::DeviceSession;
use farmjank_measure::probe_read::Edges;
use farmjank_results::event::{SkippedSource, TraceSize};
use farmjank_results::evidence::PACKED;
use farmjank_results::fault::Fault;
use farmjank_results::frame::SourceId;
use farmjank_results::time::{BootTime, Span};
use farmjank_seams::probe::{Companion, Left, Probe, ProbeOutput, Scope};
use farmjank_seams::source::Unfit;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::time::Instant;

/// The probes of one job on its phone.
pub struct Probes<'a> {
    pub(crate) session: &'a DeviceSession<'a>,
    active: Vec<ActiveProbe>,
    refused: Vec<SkippedSource>,
    calls: Cell<u64>,
    /// What was begun of a trial and has not ended.
    pending: RefCell<Vec<Begun>>,
    /// A recorder beside one of these that runs.
    pub(crate) companion: RefCell<Option<Companion>>,
}

struct ActiveProbe {
    probe: Rc<dyn Probe>,
    /// The same where it is asked why frames are late.
    for_causes: Option<Rc<dyn Probe>>,
    enabled: Option<Vec<u8>>,
}

/// A probe that is to be asked, with its nonce and line.
type Asking = (Rc<dyn Probe>, u64, String);

/// A probe that was asked at the beginning.
pub struct Begun {
    probe: Rc<dyn Probe>,
    nonce: u64,
    mark: Vec<u8>,
    began: Option<BootTime>,
}

/// The beginning of a stretch: when it was, who is watching it, who is not.
#[derive(Default)]
pub struct Beginning {
    /// Just before the first probe was asked, and just after the last.
    pub around: Option<(BootTime, BootTime)>,
    /// Who watches.
    pub begun: Vec<Begun>,
    /// Who could not, and why.
    pub refused: Vec<SkippedSource>,
}

/// What a probe said, and where its words are kept in the bundle.
pub struct ProbeAnswer {
    /// Who.
    pub probe: Rc<dyn Probe>,
    /// What.
    pub output: ProbeOutput,
    /// Where it lies in the bundle, where it is there already and not in `output`, as it may be long.
    pub fetched: Option<Fetched>,
    /// Just before and just after counting began, and the same at the end; as far as known.
    pub edges: Edges,
}

/// What a probe left on the phone, in the bundle.
#[derive(Clone)]
pub struct Fetched {
    /// Its path there.
    pub path: String,
    /// What it took.
    pub size: TraceSize,
}

impl<'a> Probes<'a> {
    /// Enables every probe this phone can have. A lost phone is a fault; a probe that cannot be enabled does without.
    pub async fn enable(session: &'a DeviceSession<'a>) -> Result<Probes<'a>, Fault> {
        let mut active = Vec::new();
        let mut refused = Vec::new();
        for probe in &session.probes {
            match probe.offer(session.facts) {
                Ok(()) => {
                    let for_causes = probe.for_causes();
                    active.push(ActiveProbe { probe: probe.clone(), for_causes, enabled: None });
                }
                Err(unfit) => refused.push(SkippedSource { what: probe.id().to_string(), why: unfit.0 }),
            }
        }
        for ActiveProbe { probe, enabled, .. } in &mut active {
            let Some(line) = probe.enable(session.facts, &session.app) else { continue };
            match session.device.shell(&line, session.patience().dump).await {
                Ok(output) => *enabled = Some(output.out),
                Err(fault) if fault.is_lost() => return Err(fault),
                // What may have been half enabled is disabled at the end all the same.
                Err(_) => *enabled = Some(Vec::new()),
            }
        }
        let (calls, pending, companion) = (Cell::new(0), RefCell::default(), RefCell::default());
        Ok(Probes { session, active, refused, calls, pending, companion })
    }

    /// Ends what a cancelled trial left open, and disables. Best effort: a phone that does not answer is left alone.
    pub async fn disable(&self) {
        let session = self.session;
        let (device, patience) = (&*session.device, session.patience().dump);
        if self.abandon_companion().await.is_err_and(|fault| fault.is_lost()) {
            return;
        }
        for begun in self.pending.take() {
            let line = begun.probe.end(session.facts, &session.app, begun.nonce, &begun.mark);
            let discard = begun.probe.left(begun.nonce).map(|left| format!("; {}", left.discard));
            let line = line + &discard.unwrap_or_default();
            if device.shell(&line, patience).await.is_err_and(|fault| fault.is_lost()) {
                return;
            }
        }
        for ActiveProbe { probe, enabled, .. } in &self.active {
            let enabled = enabled.as_deref().unwrap_or_default();
            if let Some(line) = probe.disable(session.facts, &session.app, enabled)
                && device.shell(&line, patience).await.is_err_and(|fault| fault.is_lost())
            {
                return;
            }
        }
    }

    /// Who cannot watch on this phone at all, and why.
    pub fn refused(&self) -> &[SkippedSource] {
        &self.refused
    }

    /// Says of a trial's recorder that it did not work: once for each phone, however many trials there are.
    pub(crate) fn tell_unrecorded(&self, why: &str) {
        let (env, facts) = (self.session.env, self.session.facts);
        if env.unrecorded.borrow_mut().insert(facts.id.clone()) {
            let words = format!(
                "no trace is recorded on {}: {why}; frames are judged by what else saw them, and nobody but the app is blamed",
                facts.id
            );
            env.announcer.notice(Some(self.session.job), words);
        }
    }

    /// What runs beside a window that has begun, and which answer it belongs to: one at most.
    pub(crate) fn during(&self, beginning: &Beginning) -> Option<(SourceId, String)> {
        let (facts, app) = (self.session.facts, &self.session.app);
        beginning
            .begun
            .iter()
            .find_map(|begun| begun.probe.during(facts, app).map(|line| (begun.probe.id(), line)))
    }

    pub(crate) fn of(&self, scope: Scope, causes: bool) -> impl Iterator<Item = &Rc<dyn Probe>> {
        let asked = move |active: &'_ ActiveProbe| causes && active.for_causes.is_some();
        let asked = move |active| match asked(active) {
            true => active.for_causes.as_ref().unwrap_or(&active.probe),
            false => &active.probe,
        };
        self.active.iter().map(asked).filter(move |one| one.scope() == scope)
    }

    /// Why it cannot be seen on this phone why frames are late, where it cannot.
    pub(crate) fn blind_to_causes(&self) -> Option<Unfit> {
        if self.active.iter().any(|active| active.for_causes.is_some()) {
            return None;
        }
        let traces = |probe: &Rc<dyn Probe>| probe.for_causes().is_some();
        let refusal = self.session.probes.iter().find(|probe| traces(probe));
        let refusal = refusal.and_then(|probe| probe.offer(self.session.facts).err());
        Some(refusal.unwrap_or_else(|| Unfit("no trace is recorded here".to_owned())))
    }

    /// A number no two calls of a run on one phone share.
    pub(crate) fn nonce(&self) -> u64 {
        self.calls.set(self.calls.get() + 1);
        let words = [u64::from(self.session.job), self.calls.get(), self.session.nonce];
        nonce(words.iter().flat_map(|word| word.to_le_bytes()))
    }

    /// Begins a window: asks its probes and stamps it, in one call.
    pub(crate) async fn begin_window(&self) -> Result<Beginning, Fault> {
        self.begin(self.lines(Scope::Window, false)).await
    }

    /// Begins a trial; where `causes` is set, one that is to tell why frames are late.
    pub(crate) async fn begin_trial(&self, causes: bool) -> Result<Vec<SkippedSource>, Fault> {
        let lines = self.lines(Scope::Trial, causes);
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let Beginning { begun, refused, .. } = self.begin(lines).await?;
        *self.pending.borrow_mut() = begun;
        Ok(refused)
    }

    fn lines(&self, scope: Scope, causes: bool) -> Vec<Asking> {
        let (facts, app) = (self.session.facts, &self.session.app);
        let line = |probe: &Rc<dyn Probe>| {
            let nonce = self.nonce();
            (probe.clone(), nonce, probe.begin(facts, app, nonce))
        };
        self.of(scope, causes).map(line).collect()
    }

    async fn begin(&self, lines: Vec<Asking>) -> Result<Beginning, Fault> {
        let marks = Marks(self.nonce());
        let script = marks.script(lines.iter().map(|(_, _, line)| line.as_str()), true, true);
        let output = self.session.device.shell(&script, self.session.patience().launch).await?;
        let told = marks.cut(&output.out, lines.len());
        let around = told.first.zip(told.last);
        let mut beginning = Beginning { around, ..Beginning::default() };
        for ((probe, nonce, _), piece) in lines.into_iter().zip(told.pieces) {
            let (mark, status) = piece.unwrap_or_default();
            if status == 0 {
                beginning.begun.push(Begun { probe, nonce, mark, began: told.first });
            } else {
                let said = if mark.trim_ascii().is_empty() { &output.err } else { &mark };
                let why = format!("it ended with status {status}: {}", android::clip_bytes(said, 200));
                let what = probe.id().to_string();
                beginning.refused.push(SkippedSource { what, why });
            }
        }
        Ok(beginning)
    }

    /// Ends a window: stamps its end first, then ends its probes. The stamp is that of the window's end.
    pub(crate) async fn end_window(
        &self,
        beginning: Beginning,
    ) -> Result<(Option<BootTime>, Vec<ProbeAnswer>), Fault> {
        let (facts, app) = (self.session.facts, &self.session.app);
        let marks = Marks(self.nonce());
        let end = |begun: &Begun| begun.probe.end(facts, app, begun.nonce, &begun.mark);
        let lines: Vec<String> = beginning.begun.iter().map(end).collect();
        let script = marks.script(lines.iter().map(String::as_str), false, true);
        let output = self.session.device.shell(&script, self.session.patience().launch).await?;
        let told = marks.cut(&output.out, lines.len());
        let edges = Edges { began: beginning.around, ended: told.first.zip(told.last) };
        let answers = |(begun, piece): (Begun, Option<(Vec<u8>, i32)>)| {
            let output =
                ProbeOutput { bytes: piece?.0, mark: begun.mark, began: begun.began, ended: told.last };
            Some(ProbeAnswer { probe: begun.probe, output, fetched: None, edges })
        };
        Ok((told.first, beginning.begun.into_iter().zip(told.pieces).filter_map(answers).collect()))
    }

    /// A trial's recorder that wrote nothing on a phone without room: that is why.
    async fn with_room(
        &self,
        mut answers: Vec<ProbeAnswer>,
        mut unavailable: Vec<SkippedSource>,
    ) -> Result<(Vec<ProbeAnswer>, Vec<SkippedSource>), Fault> {
        let silent = |answer: &ProbeAnswer| answer.output.bytes.is_empty() && answer.fetched.is_none();
        if !answers.iter().any(silent) {
            return Ok((answers, unavailable));
        }
        let left = self.session.device.shell(room::LEFT, self.session.patience().call).await?;
        if let Some(full) = room::full(&left.text()) {
            let (silent, told) = answers.into_iter().partition(silent);
            answers = told;
            let over = |answer: ProbeAnswer| SkippedSource {
                what: answer.probe.id().to_string(),
                why: full.to_string(),
            };
            unavailable.extend(Vec::into_iter(silent).map(over));
        }
        Ok((answers, unavailable))
    }

    /// Ends what was begun of a trial. A lost phone is a fault; an output that cannot be had (a trace larger than may
    /// be fetched) is silence with its reason, and costs the trial nothing else. Long ones go to this folder of the
    /// bundle.
    pub(crate) async fn end_trial(
        &self,
        folder: &str,
    ) -> Result<(Vec<ProbeAnswer>, Vec<SkippedSource>), Fault> {
        let (facts, app) = (self.session.facts, &self.session.app);
        let mut answers = Vec::new();
        let mut unavailable = Vec::new();
        loop {
            let Some((probe, nonce, line)) = self.pending.borrow().first().map(|begun| {
                (begun.probe.clone(), begun.nonce, begun.probe.end(facts, app, begun.nonce, &begun.mark))
            }) else {
                return self.with_room(answers, unavailable).await;
            };
            // It stays pending while it is asked: a cancelled trial leaves nothing open.
            let said = self.session.device.shell(&line, self.session.patience().launch).await;
            let mut fetched = Ok(None);
            if let (Ok(_), Some(left)) = (&said, probe.left(nonce)) {
                fetched = self.fetched(&left, format!("{folder}/{}{PACKED}", probe.file())).await.map(Some);
            }
            let answer = match (said, fetched) {
                (Err(fault), _) | (_, Err(Unfetched::Fault(fault))) if fault.is_lost() => return Err(fault),
                (Err(fault), _) | (_, Err(Unfetched::Fault(fault))) => Err(fault.what),
                (_, Err(Unfetched::Refused(why))) => Err(why),
                (Ok(output), Ok(path)) => Ok((output, path)),
            };
            let begun = self.pending.borrow_mut().remove(0);
            debug_assert_eq!(begun.nonce, nonce);
            match answer {
                Err(why) => unavailable.push(SkippedSource { what: probe.id().to_string(), why }),
                Ok((output, fetched)) => {
                    let output =
                        ProbeOutput { bytes: output.out, mark: begun.mark, began: begun.began, ended: None };
                    answers.push(ProbeAnswer { probe, output, fetched, edges: Edges::default() });
                }
            }
        }
    }

    /// Brings what a probe left on the phone into the bundle, and takes it away there.
    pub(crate) async fn fetched(&self, left: &Left, path: String) -> Result<Fetched, Unfetched> {
        let began = Instant::now();
        let (device, patience) = (&*self.session.device, self.session.patience().launch);
        let files = &self.session.env.files;
        let mut keep = |piece: &[u8]| files.append(&path, piece).map_err(|why| why.to_string());
        let fetched = pieces::fetch(device, &left.path, patience, &mut keep).await;
        let fetching = Span::from(began.elapsed());
        let discarded = device.shell(&left.discard, self.session.patience().call).await;
        let bytes = fetched?;
        discarded.map_err(Unfetched::Fault)?;
        Ok(Fetched { path, size: TraceSize { bytes, fetching } })
    }
}
