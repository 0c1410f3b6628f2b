//! Samples the frames of one window beside its steps: a loop on the phone, read line by line as it prints.
//!
//! Finds what to look at, keeps looking when the layer is made anew, and stops only after a dump that was taken wholly
//! after the window's end. Dumps go to the bundle as they arrive; only frames stay in memory.

mod covered;
mod opening;
mod watch;

use crate::device_session::DeviceSession;
use crate::ledger::{Ledger, LiveCounts};
use crate::probes;
use covered::Covered;
use farmjank_measure::probe_read::written;
use farmjank_measure::seen::Seen;
use farmjank_results::dump::Dump;
use farmjank_results::event::Fact;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::Stamp;
use farmjank_results::time::{BootTime, DeviceTime, Span};
use farmjank_seams::device::{Next, Stream};
use farmjank_seams::sampling_loop::SamplingLoop;
use farmjank_seams::source::{FrameSource, Opened, Unreadable};
use std::cell::{Cell, RefCell};
use std::future::pending;
use std::time::Duration;
use tokio::select;
use tokio::time::{Instant, sleep, timeout};
use watch::{Stage, Watch};

/// How long the preferred source may fail to open before the next one is asked: an app that is only just starting has
/// no layer yet.
const COMING_UP: Duration = Duration::from_secs(2);
/// Pause between two tries to find a layer; well below the time a fresh ring takes to fill.
const TRY_AGAIN: Duration = Duration::from_millis(150);

/// How long steps wait for the first dump.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// The end of a window that is not measured to its end.
const ABANDONED: BootTime = BootTime::from_ns(i64::MIN);

/// What was collected in one window.
pub struct Harvest {
    /// Its frames, as every source saw them.
    pub seen: Seen,
    /// Bundle paths of the raw dumps.
    pub evidence: Vec<String>,
    /// Why sampling ended early.
    pub fault: Option<Fault>,
    /// Why the phone refused a dump, the first time it did.
    pub refusal: Option<Fault>,
}

/// Collects one window. Shared between the sampling loop and the steps beside it.
/// The last five fields change while it does.
pub struct Collector<'a> {
    session: &'a DeviceSession<'a>,
    trial: u32,
    window: &'a str,
    path: String,
    ended: Cell<Option<BootTime>>,
    /// The loop printed something since the window ended.
    spoke: Cell<bool>,
    /// The loop that runs.
    sampling: RefCell<Option<SamplingLoop>>,
    watch: Watch,
    state: RefCell<Ledger>,
}

/// What came from the loop.
enum LoopRead {
    /// Whole lines, each with its line end.
    Lines(Vec<u8>),
    /// Nothing more; true when that ends the window.
    Over(bool),
}

impl<'a> Collector<'a> {
    /// A collector for one window of one trial. `path` is its evidence file in the bundle.
    pub fn new(session: &'a DeviceSession<'a>, trial: u32, window: &'a str, path: String) -> Self {
        let ended = Cell::new(None);
        let spoke = Cell::default();
        Collector {
            session,
            trial,
            window,
            path,
            ended,
            spoke,
            sampling: RefCell::default(),
            watch: Watch::default(),
            state: RefCell::default(),
        }
    }

    /// Returns when the first dump is in, or when there is nothing to look at yet: what the panel did before the first
    /// gesture is known then. Bounded.
    pub async fn ready(&self) {
        self.watch.comes_to(Stage::Looking, FIRST_LOOK).await;
    }

    /// Returns when the first dump is in: a finger that comes down before the page has a layer moves what nobody sees.
    /// Bounded.
    pub(crate) async fn sees(&self) {
        self.watch.comes_to(Stage::Seeing, COMING_UP).await;
    }

    /// Says that the window's steps are over: sampling goes on until a dump begins after this instant.
    pub fn end(&self, at: BootTime) {
        self.ended.set(Some(at));
        self.watch.is_at(Stage::Ended);
    }

    /// Abandons the window: sampling stops at the next line.
    pub(crate) fn abandon(&self) {
        self.ended.set(Some(ABANDONED));
    }

    /// Samples until the window has ended and is covered. Runs beside the steps.
    pub async fn run(&self) -> Result<(), Fault> {
        select! {
            biased;
            sampled = self.sample() => sampled,
            () = self.look_once_more() => Ok(()),
        }
    }

    /// Once the steps are over, asks for the last dump: the loop may be a whole pause away from it. Returns when it
    /// covers the window; until then, and where it does not, the loop goes on.
    async fn look_once_more(&self) {
        self.watch.is_come_to(Stage::Ended).await;
        let sampling = self.sampling.borrow().clone();
        if let Some(mut sampling) = sampling
            && let Ok(output) =
                self.session.device.shell(&sampling.once(), self.session.patience().dump).await
        {
            let mut covered = Covered::default();
            let mut rest = output.out.as_slice();
            while !rest.is_empty() {
                let (dump, taken) = sampling.feed_lines(rest, self.session.env.announcer.now());
                rest = &rest[taken..];
                if dump.is_some_and(|dump| self.covers(&dump, &sampling, &mut covered) == Some(true)) {
                    return;
                }
            }
        }
        pending().await
    }

    async fn sample(&self) -> Result<(), Fault> {
        let began = Instant::now();
        let mut drain_until = None;
        loop {
            if self.ended.get().is_some() {
                let until =
                    *drain_until.get_or_insert_with(|| Instant::now() + self.session.patience().drain);
                if Instant::now() >= until {
                    return Ok(());
                }
            }
            match self.open(began).await {
                Ok(opened) => {
                    if self.follow(opened, &mut drain_until).await? {
                        return Ok(());
                    }
                }
                Err(fault) if fault.code.is_waiting() => {
                    self.doubt(&fault.to_string());
                    self.watch.is_at(Stage::Looking);
                    sleep(TRY_AGAIN).await;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// The first source that opens, best first.
    async fn open(&self, began: Instant) -> Result<Opened, Fault> {
        let comes_up = || began.elapsed() < COMING_UP && self.ended.get().is_none();
        let opened = opening::open(self.session, comes_up).await?;
        self.announce_source(&opened);
        Ok(opened)
    }

    fn announce_source(&self, opened: &Opened) {
        let rhythm = opened.sampling.rhythm();
        self.session.env.announcer.announce(Fact::SourceChosen {
            job: self.session.job,
            trial: self.trial,
            window: self.window.to_owned(),
            source: opened.sampling.source(),
            target: opened.sampling.targets().join(" | "),
            ring_rows: rhythm.ring_rows,
            every_ms: rhythm.pause.ms(),
            passed_over: opened.passed_over.clone(),
        });
    }

    /// Follows one sampling. True when the window is covered; false when the layer died or the loop was cut and must be
    /// opened anew.
    async fn follow(&self, opened: Opened, drain_until: &mut Option<Instant>) -> Result<bool, Fault> {
        let session = self.session;
        let mut sampling = opened.sampling;
        let endless = session.env.signature().sign(&sampling.endless());
        let mut stream = session.device.stream(&endless, session.patience().open).await?;
        *self.sampling.borrow_mut() = Some(sampling.clone());
        let mut covered = Covered::default();
        loop {
            let lines = match self.next_lines(&mut *stream, drain_until).await? {
                LoopRead::Lines(lines) => lines,
                LoopRead::Over(covered) => return Ok(covered),
            };
            let now = session.env.announcer.now();
            let mut rest = lines.as_slice();
            while !rest.is_empty() {
                let (dump, taken) = sampling.feed_lines(rest, now);
                rest = &rest[taken..];
                let Some(dump) = dump else { break };
                match self.covers(&dump, &sampling, &mut covered) {
                    Some(false) => self.watch.is_at(Stage::Seeing),
                    Some(true) => return Ok(true),
                    None => {
                        self.sampling.take();
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Takes one dump in: whether the window is covered now. None when its layer is gone.
    fn covers(&self, dump: &Dump, sampling: &SamplingLoop, covered: &mut Covered) -> Option<bool> {
        let pending = self.take(dump, sampling)?;
        let Some(ended) = self.ended.get() else { return Some(false) };
        Some(covered.by(dump, ended, pending, sampling.targets()))
    }

    /// The next line of the loop; over (and whether that ends the window) when it ended, fell silent, or the drain is
    /// over.
    async fn next_lines(
        &self,
        stream: &mut dyn Stream,
        drain_until: &mut Option<Instant>,
    ) -> Result<LoopRead, Fault> {
        if let Some(lines) = stream.ready() {
            return Ok(LoopRead::Lines(lines));
        }
        let patience = self.session.patience();
        let limit = match self.ended.get() {
            Some(_) => {
                let until = *drain_until.get_or_insert_with(|| Instant::now() + patience.drain);
                until.saturating_duration_since(Instant::now())
            }
            None => patience.silence,
        };
        let mut next = timeout(limit, stream.next(patience.silence)).await;
        if next.is_err() && self.ended.get() > Some(ABANDONED) && !self.spoke.replace(true) {
            // Not one line since the window ended: a service hangs. `dumpsys` gives up by itself, and says so.
            let longer = patience.silence.saturating_sub(patience.drain);
            *drain_until = Some(Instant::now() + longer);
            next = timeout(longer, stream.next(patience.silence)).await;
        }
        match next {
            Ok(Ok(Next::Line(mut line))) => {
                self.spoke.set(self.ended.get().is_some());
                line.push(b'\n');
                Ok(LoopRead::Lines(line))
            }
            Ok(Ok(Next::Ended(status))) => {
                self.doubt(&format!("the sampling loop on the phone ended with status {status}"));
                Ok(LoopRead::Over(self.ended.get().is_some()))
            }
            Ok(Err(fault)) if fault.code == FaultCode::Silent => {
                self.doubt("the sampling loop on the phone fell silent and was started anew");
                Ok(LoopRead::Over(false))
            }
            Ok(Err(fault)) => Err(fault),
            // The drain is over, or the loop is wedged: coverage says what is missing.
            Err(_) => Ok(LoopRead::Over(self.ended.get().is_some())),
        }
    }

    /// Takes one dump in: to the bundle, into the stitches. None when its layer is gone; otherwise whether frames are
    /// still on their way to the screen.
    pub fn take(&self, dump: &Dump, sampling: &SamplingLoop) -> Option<bool> {
        self.keep(dump);
        let source = self.session.sources.iter().find(|source| source.id() == sampling.source());
        let read = source.map(|source| source.read(dump, Some(self.session.clock)));
        let state = &mut *self.state.borrow_mut();
        state.dumped.insert(dump.target.clone());
        let mut pending = false;
        let modes = &self.session.facts.modes;
        match read {
            Some(Ok(samples)) => {
                for (ring, sample) in samples {
                    pending |= sample.rows.iter().any(|row| row.present == Stamp::Pending);
                    state.add(dump.source, ring, &sample, || modes.iter().map(|mode| mode.hz).collect());
                }
            }
            Some(Err(Unreadable::Missing(why) | Unreadable::Empty(why))) => {
                state.doubt(&why);
                return None;
            }
            Some(Err(Unreadable::Refused(why))) => state.refused(dump.source, &why),
            Some(Err(Unreadable::Garbled(why))) => state.doubt(&why),
            None => {}
        }
        self.tell_live_counts(&mut state.live);
        Some(pending)
    }

    fn keep(&self, dump: &Dump) {
        let state = &mut *self.state.borrow_mut();
        let bytes = state.writer.encode(dump);
        match self.session.env.files.append(&self.path, &bytes) {
            Ok(()) => state.wrote = true,
            Err(why) => {
                state.writer.lost();
                if !std::mem::replace(&mut state.unkept, true) {
                    let words = format!("evidence of {} is not whole: {why}", self.window);
                    self.session.env.announcer.notice(Some(self.session.job), words);
                }
            }
        }
    }

    /// Keeps what a probe of this window said beside its dumps.
    pub(crate) fn keep_output(&self, answer: &probes::ProbeAnswer) {
        let arrived = self.session.env.announcer.now();
        let halves = written(answer.probe.id(), &answer.output, answer.edges, arrived);
        halves.iter().for_each(|dump| self.keep(dump));
    }

    fn tell_live_counts(&self, live: &mut LiveCounts) {
        let since = *live.since.get_or_insert_with(Instant::now);
        if since.elapsed() < Duration::from_secs(1) {
            return;
        }
        // Every source sees the same frames: the busiest ring is the app.
        let (frames, busy) = live.rings.values().copied().max().unwrap_or_default();
        self.session.env.announcer.announce(Fact::SampleTaken {
            job: self.session.job,
            trial: self.trial,
            window: self.window.to_owned(),
            samples: live.samples,
            frames,
            fps: (busy > Span::ZERO).then(|| frames as f64 / busy.secs()),
        });
        *live = LiveCounts { since: Some(Instant::now()), ..LiveCounts::default() };
    }

    fn doubt(&self, words: &str) {
        self.state.borrow_mut().doubt(words);
    }

    /// Whether a long gap came in since the last call that no touch explains: the list stopped and something redrew
    /// later, or the app hung. Only another source can tell.
    pub(crate) fn saw_puzzle(&self, touches: &[(DeviceTime, DeviceTime)]) -> bool {
        self.state.borrow_mut().puzzle(touches)
    }

    /// The longest time between two presents seen so far, pauses left out.
    pub fn longest(&self) -> Span {
        self.state.borrow().longest
    }

    /// What was collected.
    pub(crate) fn harvest(self) -> Harvest {
        let Ledger { stitching, doubts, refusal, wrote, dumped, .. } = self.state.into_inner();
        let sampling = self.sampling.into_inner();
        let targets = sampling.iter().flat_map(SamplingLoop::targets);
        let unread = targets.filter(|target| !dumped.contains(*target)).cloned().collect();
        let seen = Seen { unread, ..stitching.finish(doubts) };
        Harvest { seen, evidence: if wrote { vec![self.path] } else { Vec::new() }, fault: None, refusal }
    }
}

/// Reads the lines a `once` script printed into its collector.
pub(crate) fn feed_once(
    sampling: &mut SamplingLoop,
    text: &[u8],
    collector: &Collector<'_>,
    source: &dyn FrameSource,
) {
    debug_assert_eq!(sampling.source(), source.id());
    let mut rest = text;
    while !rest.is_empty() {
        let (dump, taken) = sampling.feed_lines(rest, collector.session.env.announcer.now());
        rest = &rest[taken..];
        dump.iter().for_each(|dump| {
            collector.take(dump, sampling);
        });
    }
}
