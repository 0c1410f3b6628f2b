//! Samples the frames of one window beside its steps: a loop on the phone, read line by line as it prints.
//!
//! Finds what to look at, keeps looking when the layer is made anew, and stops only after a dump that was taken wholly
//! after the window's end. Dumps go to the bundle as they arrive; only frames stay in memory.

mod watch;

use crate::device_session::DeviceSession;
use crate::ledger::{Ledger, LiveCounts};
use crate::probes;
use farmjank_measure::probe_read::written;
use farmjank_measure::seen::Seen;
use farmjank_results::dump::Dump;
use farmjank_results::event::{Fact, SkippedSource};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::Stamp;
use farmjank_results::time::{BootTime, DeviceTime, Span};
use farmjank_seams::device::{Next, Stream};
use farmjank_seams::sampling_loop::SamplingLoop;
use farmjank_seams::source::{FrameSource, Opened, Unreadable};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;
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
/// The last four fields change while it does.
pub struct Collector<'a> {
    session: &'a DeviceSession<'a>,
    trial: u32,
    window: &'a str,
    path: String,
    ended: Cell<Option<BootTime>>,
    /// The loop printed something since the window ended.
    spoke: Cell<bool>,
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
    }

    /// Abandons the window: sampling stops at the next line.
    pub(crate) fn abandon(&self) {
        self.ended.set(Some(ABANDONED));
    }

    /// Samples until the window has ended and is covered. Runs beside the steps.
    pub async fn run(&self) -> Result<(), Fault> {
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
        let session = self.session;
        let mut first: Option<Fault> = None;
        let mut passed_over = Vec::new();
        for source in &session.sources {
            if first.is_some() && began.elapsed() < COMING_UP && self.ended.get().is_none() {
                break;
            }
            if let Err(unfit) = source.offer(session.facts) {
                passed_over.push(SkippedSource { what: source.id().to_string(), why: unfit.0 });
                continue;
            }
            match source.open(&*session.device, session.facts, &session.app).await {
                Ok(mut opened) => {
                    opened.passed_over.splice(0..0, passed_over);
                    self.announce_source(&opened);
                    return Ok(opened);
                }
                Err(fault) if fault.is_lost() => return Err(fault),
                Err(fault) => {
                    passed_over.push(SkippedSource { what: source.id().to_string(), why: fault.to_string() });
                    first.get_or_insert(fault);
                }
            }
        }
        // Every failure to find something to look at may pass: the app may not have drawn yet.
        Err(first.map_or_else(|| no_source(&passed_over), Fault::passing))
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
        let mut covered = BTreeMap::new();
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
                let Some(pending) = self.take(&dump, &sampling) else { return Ok(false) };
                self.watch.is_at(Stage::Seeing);
                if let Some(ended) = self.ended.get() {
                    let settled = dump.asked.is_some_and(|asked| asked > ended) && !pending;
                    covered.insert(dump.target.clone(), settled);
                    if sampling.targets().iter().all(|target| covered.get(target) == Some(&true)) {
                        return Ok(true);
                    }
                }
            }
        }
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
            Err(why) => state.doubt(&format!("evidence could not be written: {why}")),
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
        let gaps = std::mem::take(&mut self.state.borrow_mut().gaps);
        // The rest before a finger comes down; it may begin while the one before is perhaps still down.
        let before = |nth: usize| nth.checked_sub(1).map(|before| touches[before].1);
        let is_touched = |gap: &(DeviceTime, DeviceTime)| {
            let mut all = touches.iter().enumerate();
            all.any(|(nth, (began, _))| {
                *began > gap.0 && *began < gap.1 && before(nth).is_none_or(|ended| ended < gap.0)
            })
        };
        gaps.iter().any(|gap| !is_touched(gap))
    }

    /// The longest time between two presents seen so far, pauses left out.
    pub fn longest(&self) -> Span {
        self.state.borrow().longest
    }

    /// What was collected.
    pub(crate) fn harvest(self) -> Harvest {
        let Ledger { stitching, doubts, refusal, wrote, .. } = self.state.into_inner();
        let seen = stitching.finish(doubts);
        Harvest { seen, evidence: if wrote { vec![self.path] } else { Vec::new() }, fault: None, refusal }
    }
}

/// Faults that mean *nothing to look at yet*, and pass when the app draws.
fn no_source(passed_over: &[SkippedSource]) -> Fault {
    let why: Vec<String> = passed_over.iter().map(|over| format!("{}: {}", over.what, over.why)).collect();
    let what = format!("no source can see frames on this phone ({})", why.join("; "));
    Fault::new(FaultCode::NoSource, what)
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
