//! An open window: its collector, its log of gestures, and the framestats taken beside the sampling loop.

use crate::android::gesture::answered;
use crate::android::settle::{CLOCKS, clocks_parted};
use crate::collect::{Collector, feed_once};
use crate::device_session::DeviceSession;
use crate::log::WindowLog;
use farmjank_results::cut_rules::{AMBIGUOUS_FLING_GAP, OWED};
use farmjank_results::fault::Fault;
use farmjank_results::frame::SourceId;
use farmjank_results::metric::Needs;
use farmjank_results::metrics::find;
use farmjank_results::time::{BootTime, ClockMap, DeviceTime, Span};
use farmjank_scenarios::step::Action;
use farmjank_seams::sampling_loop::SamplingLoop;
use farmjank_seams::source::FrameSource;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// A window that is open: steps report their gestures to it.
pub struct OpenWindow<'a> {
    /// Samples beside the steps.
    pub collector: Collector<'a>,
    /// What the steps did, on the phone's clock.
    pub log: RefCell<WindowLog>,
}

impl<'a> OpenWindow<'a> {
    /// Opens a window; its raw dumps are kept under `path`.
    pub fn new(session: &'a DeviceSession<'a>, trial: u32, window: &'a str, path: String) -> Self {
        OpenWindow { collector: Collector::new(session, trial, window, path), log: RefCell::default() }
    }

    /// A finger has moved something.
    pub(crate) fn has_gesture(&self) -> bool {
        !self.log.borrow().gestures.is_empty()
    }

    /// The first finger waits until there is something to look at.
    pub(crate) async fn before_gesture(&self) {
        if !self.has_gesture() {
            self.collector.sees().await;
        }
    }

    /// A step touched the app between two instants. Gestures are noted by whoever makes them.
    pub(crate) fn touched(&self, action: &Action, stamps: Option<(DeviceTime, DeviceTime)>, clock: ClockMap) {
        let is_gesture = matches!(action, Action::Swipe(_) | Action::Scroll(_) | Action::SwipeFrom { .. });
        if let Some((began, _)) = stamps.filter(|_| !is_gesture) {
            self.log.borrow_mut().touched(began, clock);
        }
    }
}

/// Frames a framestats ring holds.
const RING_ROWS: f64 = 120.0;
/// Rate assumed where the phone does not tell how fast it can be.
const FASTEST_HZ: f64 = 165.0;
/// Share of the ring after which it is read again: a dump takes its time, and a late one may not lose a frame.
const RING_SHARE: f64 = 0.4;

/// Framestats taken beside the sampling loop: at the end of a window, and between two gestures when the presents pose a
/// puzzle or a limit is set on render stages. Never during a gesture, and not more often than needed: dumping them
/// blocks the app's render thread (docs/design/phones.md#gfxinfo), and all they add to the presents is what a long gap
/// was.
pub struct FramestatsSampler {
    source: Option<Rc<dyn FrameSource>>,
    sampling: RefCell<Option<SamplingLoop>>,
    /// A limit is set on render stages: then no frame of a window may be missed, whatever it costs.
    eager: bool,
    /// When the ring was read last.
    last: Cell<Option<Instant>>,
    /// The last reading told that the phone's clocks are as they were.
    clocks_told: Cell<bool>,
}

impl FramestatsSampler {
    /// The framestats source of this session, when it has one and it is not the only one.
    pub(crate) fn for_session(session: &DeviceSession<'_>) -> Self {
        let sources = &session.sources;
        let source =
            sources.iter().find(|source| source.id() == SourceId::Gfxinfo).filter(|_| sources.len() > 1);
        let of_stages = |metric: &str| {
            find(metric).is_some_and(|metric| matches!(metric.needs, Needs::Stages | Needs::Finishes))
        };
        let eager = session.scenario.metrics().into_iter().any(of_stages);
        FramestatsSampler {
            source: source.cloned(),
            sampling: RefCell::default(),
            eager,
            last: Cell::default(),
            clocks_told: Cell::default(),
        }
    }

    /// Takes the ring at the beginning of a window, where every drawn frame is wanted.
    pub(crate) async fn at_start(
        &self,
        session: &DeviceSession<'_>,
        collector: &Collector<'_>,
    ) -> Result<(), Fault> {
        if self.eager { self.snap(session, collector).await } else { Ok(()) }
    }

    /// Takes the ring now. A source that cannot be read is left out; a lost phone is a fault.
    pub(crate) async fn snap(
        &self,
        session: &DeviceSession<'_>,
        collector: &Collector<'_>,
    ) -> Result<(), Fault> {
        let Some(source) = self.source.as_ref().filter(|source| source.offer(session.facts).is_ok()) else {
            return Ok(());
        };
        let mut sampling = match self.sampling.take() {
            Some(sampling) => sampling,
            None => match source.open(&*session.device, session.facts, &session.app).await {
                Ok(opened) => opened.sampling,
                Err(fault) if fault.is_lost() => return Err(fault),
                // No HWUI frames (yet): a game or a Flutter app never has any.
                Err(_) => return Ok(()),
            },
        };
        let output = session.device.shell(&sampling.once(), session.patience().dump).await?;
        let parted = clocks_parted(&output.text(), session.clock);
        self.clocks_told.set(parted.is_some());
        parted.unwrap_or(Ok(()))?;
        feed_once(&mut sampling, &output.out, collector, &**source);
        *self.sampling.borrow_mut() = Some(sampling);
        self.last.set(Some(Instant::now()));
        Ok(())
    }

    /// Waits in a window. Where every drawn frame is wanted, the ring is read before it can have gone round.
    pub async fn wait(
        &self,
        session: &DeviceSession<'_>,
        open_window: Option<&OpenWindow<'_>>,
        time: Duration,
    ) -> Result<(), Fault> {
        let until = Instant::now() + time;
        if let Some(open_window) = open_window.filter(|_| self.eager) {
            let fastest = session.facts.fastest_hz().unwrap_or(FASTEST_HZ).max(1.0);
            let lasts = Duration::from_secs_f64(RING_ROWS * RING_SHARE / fastest);
            while let Some(last) = self.last.get()
                && last + lasts < until
            {
                sleep_until(last + lasts).await;
                self.snap(session, &open_window.collector).await?;
                if self.last.get() == Some(last) {
                    break; // no source to read
                }
            }
        }
        sleep_until(until).await;
        Ok(())
    }

    /// Once the steps of a window are over: asks for its last finger, waits until the app answers, and takes the ring.
    /// A frame it still owed is in it then (docs/design/windows.md#silence-at-the-end). The collector looks no further.
    pub(crate) async fn at_end(
        &self,
        session: &DeviceSession<'_>,
        open_window: &OpenWindow<'_>,
        ended: BootTime,
    ) -> Result<(), Fault> {
        if open_window.log.borrow().gestures.is_empty() {
            open_window.collector.end(ended);
            return self.snap(session, &open_window.collector).await;
        }
        let (told, answer) = answered(&*session.device, session.patience().launch).await?;
        sleep(OWED.to_duration()).await;
        open_window.collector.end(answer.as_ref().map_or(ended, |answer| answer.ended + OWED));
        self.snap(session, &open_window.collector).await?;
        if !self.clocks_told.take() {
            let header = session.device.shell(CLOCKS, session.patience().dump).await?;
            clocks_parted(&header.text(), session.clock).unwrap_or(Ok(()))?;
        }
        let log = &mut *open_window.log.borrow_mut();
        told.iter().for_each(|told| log.remembered(told, session.clock));
        let Some(answer) = answer else { return Ok(()) };
        let usual = Span::from(session.input_takes) + AMBIGUOUS_FLING_GAP;
        if answer.ended - answer.began > usual {
            log.blocked =
                Some((session.clock.to_device(answer.began), session.clock.to_device(answer.ended)));
        }
        Ok(())
    }

    /// Takes the ring before a gesture if a long gap since the last one needs explaining.
    pub(crate) async fn before_gesture(
        &self,
        session: &DeviceSession<'_>,
        open_window: &OpenWindow<'_>,
    ) -> Result<(), Fault> {
        let touches: Vec<(DeviceTime, DeviceTime)> =
            open_window.log.borrow().gestures.iter().map(|gesture| (gesture.began, gesture.ended)).collect();
        match open_window.collector.saw_puzzle(&touches) || self.eager {
            true => self.snap(session, &open_window.collector).await,
            false => Ok(()),
        }
    }
}
