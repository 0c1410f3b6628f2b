//! Probes beside the sampling loop: enabled for a job, asked at both ends of a trial and of every window.
//!
//! All probes of a window are asked in one call at each end, between marks nobody on the phone can know beforehand; the
//! same call stamps the window. A trace is binary and of a whole trial: it has calls of its own. Whatever was begun is
//! ended, and whatever was enabled is disabled, while the phone answers. Must not know what outputs mean.

use crate::android::together::{Marks, nonce};
use crate::android::{self, room};
use crate::device_session::DeviceSession;
use farmjank_measure::probe_read::Edges;
use farmjank_results::event::SkippedSource;
use farmjank_results::fault::Fault;
use farmjank_results::frame::SourceId;
use farmjank_results::time::BootTime;
use farmjank_seams::probe::{Probe, ProbeOutput, Scope};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The probes of one job on its phone.
pub struct Probes<'a> {
    session: &'a DeviceSession<'a>,
    active: Vec<ActiveProbe>,
    refused: Vec<SkippedSource>,
    calls: Cell<u64>,
    /// What was begun of a trial and has not ended.
    pending: RefCell<Vec<Begun>>,
}

struct ActiveProbe {
    probe: Rc<dyn Probe>,
    enabled: Option<Vec<u8>>,
}

/// A probe that was asked at the beginning.
pub struct Begun {
    /// Index among the active probes.
    nth: usize,
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
    /// Just before and just after counting began, and the same at the end; as far as known.
    pub edges: Edges,
}

impl<'a> Probes<'a> {
    /// Enables every probe this phone can have. A lost phone is a fault; a probe that cannot be enabled does without.
    pub async fn enable(session: &'a DeviceSession<'a>) -> Result<Probes<'a>, Fault> {
        let mut active = Vec::new();
        let mut refused = Vec::new();
        for probe in &session.probes {
            match probe.offer(session.facts) {
                Ok(()) => active.push(ActiveProbe { probe: probe.clone(), enabled: None }),
                Err(unfit) => refused.push(SkippedSource { what: probe.id().to_string(), why: unfit.0 }),
            }
        }
        for ActiveProbe { probe, enabled } in &mut active {
            let Some(line) = probe.enable(session.facts, &session.app) else { continue };
            match session.device.shell(&line, session.patience().dump).await {
                Ok(output) => *enabled = Some(output.out),
                Err(fault) if fault.is_lost() => return Err(fault),
                // What may have been half enabled is disabled at the end all the same.
                Err(_) => *enabled = Some(Vec::new()),
            }
        }
        let (calls, pending) = (Cell::new(0), RefCell::default());
        Ok(Probes { session, active, refused, calls, pending })
    }

    /// Ends what a cancelled trial left open, and disables. Best effort: a phone that does not answer is left alone.
    pub async fn disable(&self) {
        let session = self.session;
        let (device, patience) = (&*session.device, session.patience().dump);
        for begun in self.pending.take() {
            let probe = &self.active[begun.nth].probe;
            let line = probe.end(session.facts, &session.app, begun.nonce, &begun.mark);
            if device.shell(&line, patience).await.is_err_and(|fault| fault.is_lost()) {
                return;
            }
        }
        for ActiveProbe { probe, enabled } in &self.active {
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
        beginning.begun.iter().find_map(|begun| {
            let probe = &self.active[begun.nth].probe;
            probe.during(facts, app).map(|line| (probe.id(), line))
        })
    }

    fn of(&self, scope: Scope) -> impl Iterator<Item = (usize, &Rc<dyn Probe>)> {
        let active = self.active.iter().enumerate();
        active.map(|(nth, active)| (nth, &active.probe)).filter(move |(_, one)| one.scope() == scope)
    }

    /// A number no two calls of a run on one phone share.
    fn nonce(&self) -> u64 {
        self.calls.set(self.calls.get() + 1);
        let words = [u64::from(self.session.job), self.calls.get(), self.session.nonce];
        nonce(words.iter().flat_map(|word| word.to_le_bytes()))
    }

    /// Begins a window: asks its probes and stamps it, in one call.
    pub(crate) async fn begin_window(&self) -> Result<Beginning, Fault> {
        let lines: Vec<(usize, u64, String)> = self.lines(Scope::Window);
        self.begin(lines).await
    }

    /// Begins a trial.
    pub(crate) async fn begin_trial(&self) -> Result<Vec<SkippedSource>, Fault> {
        let lines: Vec<(usize, u64, String)> = self.lines(Scope::Trial);
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let Beginning { begun, refused, .. } = self.begin(lines).await?;
        *self.pending.borrow_mut() = begun;
        Ok(refused)
    }

    fn lines(&self, scope: Scope) -> Vec<(usize, u64, String)> {
        let (facts, app) = (self.session.facts, &self.session.app);
        let line = |(nth, probe): (usize, &Rc<dyn Probe>)| {
            let nonce = self.nonce();
            (nth, nonce, probe.begin(facts, app, nonce))
        };
        self.of(scope).map(line).collect()
    }

    async fn begin(&self, lines: Vec<(usize, u64, String)>) -> Result<Beginning, Fault> {
        let marks = Marks(self.nonce());
        let script = marks.script(lines.iter().map(|(_, _, line)| line.as_str()), true, true);
        let output = self.session.device.shell(&script, self.session.patience().launch).await?;
        let told = marks.cut(&output.out, lines.len());
        let around = told.first.zip(told.last);
        let mut beginning = Beginning { around, ..Beginning::default() };
        for ((nth, nonce, _), piece) in lines.into_iter().zip(told.pieces) {
            let (mark, status) = piece.unwrap_or_default();
            if status == 0 {
                beginning.begun.push(Begun { nth, nonce, mark, began: told.first });
            } else {
                let said = if mark.trim_ascii().is_empty() { &output.err } else { &mark };
                let why = format!("it ended with status {status}: {}", android::clip_bytes(said, 200));
                let what = self.active[nth].probe.id().to_string();
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
        let end = |begun: &Begun| self.active[begun.nth].probe.end(facts, app, begun.nonce, &begun.mark);
        let lines: Vec<String> = beginning.begun.iter().map(end).collect();
        let script = marks.script(lines.iter().map(String::as_str), false, true);
        let output = self.session.device.shell(&script, self.session.patience().launch).await?;
        let told = marks.cut(&output.out, lines.len());
        let edges = Edges { began: beginning.around, ended: told.first.zip(told.last) };
        let answers = |(begun, piece): (Begun, Option<(Vec<u8>, i32)>)| {
            let output =
                ProbeOutput { bytes: piece?.0, mark: begun.mark, began: begun.began, ended: told.last };
            Some(ProbeAnswer { probe: self.active[begun.nth].probe.clone(), output, edges })
        };
        Ok((told.first, beginning.begun.into_iter().zip(told.pieces).filter_map(answers).collect()))
    }

    /// A trial's recorder that wrote nothing on a phone without room: that is why.
    async fn with_room(
        &self,
        mut answers: Vec<ProbeAnswer>,
        mut unavailable: Vec<SkippedSource>,
    ) -> Result<(Vec<ProbeAnswer>, Vec<SkippedSource>), Fault> {
        if !answers.iter().any(|answer| answer.output.bytes.is_empty()) {
            return Ok((answers, unavailable));
        }
        let left = self.session.device.shell(room::LEFT, self.session.patience().call).await?;
        if let Some(full) = room::full(&left.text()) {
            let (silent, told) = answers.into_iter().partition(|answer| answer.output.bytes.is_empty());
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
    /// be fetched) is silence with its reason, and costs the trial nothing else.
    pub(crate) async fn end_trial(&self) -> Result<(Vec<ProbeAnswer>, Vec<SkippedSource>), Fault> {
        let (facts, app) = (self.session.facts, &self.session.app);
        let mut answers = Vec::new();
        let mut unavailable = Vec::new();
        loop {
            let Some((nth, nonce, line)) = self.pending.borrow().first().map(|begun| {
                let probe = &self.active[begun.nth].probe;
                (begun.nth, begun.nonce, probe.end(facts, app, begun.nonce, &begun.mark))
            }) else {
                return self.with_room(answers, unavailable).await;
            };
            // It stays pending while it is asked: a cancelled trial leaves nothing open.
            let answer = self.session.device.shell(&line, self.session.patience().launch).await;
            let output = match answer {
                Err(fault) if fault.is_lost() => return Err(fault),
                answer => answer,
            };
            let begun = self.pending.borrow_mut().remove(0);
            debug_assert_eq!(begun.nonce, nonce);
            let output = match output {
                Ok(output) => output,
                Err(fault) => {
                    let what = self.active[nth].probe.id().to_string();
                    unavailable.push(SkippedSource { what, why: fault.what });
                    continue;
                }
            };
            let output = ProbeOutput { bytes: output.out, mark: begun.mark, began: begun.began, ended: None };
            let probe = self.active[nth].probe.clone();
            answers.push(ProbeAnswer { probe, output, edges: Edges::default() });
        }
    }
}
