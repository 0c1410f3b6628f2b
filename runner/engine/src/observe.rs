//! An open window: its collector, its log of gestures, and the framestats taken beside the sampling loop.

use crate::collect::{Collector, feed_once, is_lost};
use crate::measure::WindowLog;
use crate::session::Session;
use farmjank_results::blame::Fault;
use farmjank_results::frame::SourceId;
use farmjank_seams::source::{FrameSource, Tap};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Share of the framestats ring that may fill before it is read again between gestures.
const RING_SHARE: f64 = 0.8;

/// A window that is open: steps report their gestures to it.
pub struct Eye<'a> {
    /// Samples beside the steps.
    pub collector: Collector<'a>,
    /// What the steps did, on the phone's clock.
    pub log: RefCell<WindowLog>,
}

impl<'a> Eye<'a> {
    /// Opens a window; its raw dumps are kept under `path`.
    pub fn new(session: &'a Session<'a>, trial: u32, window: &'a str, path: String) -> Self {
        Eye { collector: Collector::new(session, trial, window, path), log: RefCell::default() }
    }
}

/// Framestats taken between gestures, never during one: dumping them blocks the app's render thread
/// (frame-sources.md 2.8).
pub struct Beside {
    source: Option<Rc<dyn FrameSource>>,
    tap: RefCell<Option<Box<dyn Tap>>>,
    last: RefCell<Option<Instant>>,
}

impl Beside {
    /// The framestats source of this session's bench, when it has one and it is not the only one.
    pub fn for_session(session: &Session<'_>) -> Self {
        let sources = &session.sources;
        let source =
            sources.iter().find(|source| source.id() == SourceId::Gfxinfo).filter(|_| sources.len() > 1);
        Beside { source: source.cloned(), tap: RefCell::default(), last: RefCell::default() }
    }

    /// Takes the ring now. A source that cannot be read is left out; a lost phone is a fault.
    pub async fn snap(&self, session: &Session<'_>, collector: &Collector<'_>) -> Result<(), Fault> {
        let Some(source) = self.source.as_ref().filter(|source| source.offer(session.facts).is_ok()) else {
            return Ok(());
        };
        let mut tap = match self.tap.take() {
            Some(tap) => tap,
            None => match source.open(&*session.device, session.facts, &session.app).await {
                Ok(opened) => opened.tap,
                Err(fault) if is_lost(&fault) => return Err(fault),
                // No HWUI frames (yet): a game or a Flutter app never has any.
                Err(_) => return Ok(()),
            },
        };
        let output = session.device.shell(&tap.once(), session.patience().dump).await?;
        feed_once(&mut *tap, &output.out, collector, &**source);
        *self.last.borrow_mut() = Some(Instant::now());
        *self.tap.borrow_mut() = Some(tap);
        Ok(())
    }

    /// Takes the ring before a gesture if it could fill up by the end of it.
    pub async fn before_gesture(
        &self,
        session: &Session<'_>,
        collector: &Collector<'_>,
        gesture: Duration,
    ) -> Result<(), Fault> {
        let rhythm = self.tap.borrow().as_ref().map(|tap| tap.rhythm());
        let (Some(rhythm), Some(last)) = (rhythm, *self.last.borrow()) else { return Ok(()) };
        let frames = (last.elapsed() + gesture).as_secs_f64() * rhythm.fastest_hz;
        if frames > f64::from(rhythm.ring_rows) * RING_SHARE {
            self.snap(session, collector).await?;
        }
        Ok(())
    }
}
