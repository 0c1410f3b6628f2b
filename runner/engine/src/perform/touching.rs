//! Taps and swipes.

use super::Scene;
use crate::android::gesture::{self, Stamped};
use crate::android::screen::Element;
use crate::observe::OpenWindow;
use crate::touched::GestureStamp;
use farmjank_results::device::Screen;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::gesture::{Coordinate, Direction, Gesture, Point};
use farmjank_scenarios::selector::{Selector, Tap, Target};
use farmjank_seams::device::Device;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a finger stays down for a long press, as in Maestro.
const LONG: Duration = Duration::from_secs(3);
/// How long a tap is given to show something before it is repeated.
const SHOWS: Duration = Duration::from_secs(2);

impl Scene<'_> {
    pub(super) async fn swipe(&self, gesture: &Gesture) -> Result<Stamped, Fault> {
        let session = self.session;
        let screen = session.screen()?;
        if let Some(open_window) = self.open_window {
            open_window.before_gesture().await;
            self.framestats.before_gesture(session, open_window).await?;
        }
        let patience = session.patience().launch;
        let asks = self.open_window.is_some_and(OpenWindow::has_gesture);
        let (stamped, before) = gesture::swipe(&*session.device, gesture, screen, patience, asks).await?;
        if let Some(open_window) = self.open_window {
            let log = &mut *open_window.log.borrow_mut();
            before.iter().for_each(|told| log.remembered(told, session.clock));
            let leaves = gesture::Stroke::of(gesture, screen).leaves(screen);
            let around = self.on_device(stamped);
            log.gestures.push(GestureStamp::around(around, gesture.duration, leaves, session.clock));
        }
        Ok(stamped)
    }

    pub(super) async fn scroll_until(
        &self,
        element: &Selector,
        gesture: &Gesture,
        most: Duration,
    ) -> Result<(), Fault> {
        let wanted = self.flow.wanted(self.session, element).await?;
        let deadline = Instant::now() + most;
        loop {
            let seen = self.looker().look(deadline).await?;
            if wanted.find(&seen).is_some() {
                return Ok(());
            }
            if Instant::now() >= deadline {
                let (words, most) = (wanted.words(), most.as_secs_f64());
                let what = format!("{words} did not come into view within {most:.1} s");
                return Err(Fault::new(FaultCode::ElementMissing, what));
            }
            self.swipe(gesture).await?;
        }
    }

    /// From the middle of an element towards an edge of the screen, to a tenth of it.
    pub(super) async fn swipe_from(
        &self,
        element: &Selector,
        direction: Direction,
        duration: Duration,
        most: Duration,
    ) -> Result<Stamped, Fault> {
        let (element, _) = self.looker().find(element, most, "swipe").await?;
        let screen = self.session.screen()?;
        let (x, y) = element.center();
        let percent = |percent: f64| Coordinate::Percent(percent);
        let edge = |x: f64, y: f64| Point { x: percent(x), y: percent(y) }.px(screen);
        let start = px(x, y);
        let end = match direction {
            Direction::Up => px(x, i64::from(edge(50.0, 10.0).1)),
            Direction::Down => px(x, i64::from(edge(50.0, 90.0).1)),
            Direction::Left => px(i64::from(edge(10.0, 50.0).0), y),
            Direction::Right => px(i64::from(edge(90.0, 50.0).0), y),
        };
        self.swipe(&Gesture { start, end, duration }).await
    }

    /// Taps, as often as is wanted; once more where that was asked for and the screen stayed as it was.
    pub(super) async fn tap(&self, tap: &Tap) -> Result<Stamped, Fault> {
        let (point, before) = match &tap.target {
            Target::Point(point) => (*point, None),
            Target::Element(selector, within) => {
                let (element, seen) = self.looker().find(selector, tap.timeout, "tap").await?;
                (place(&element, *within), Some(seen))
            }
        };
        let before = match before {
            None if tap.retry => Some(self.looker().look(Instant::now() + SHOWS).await?),
            before => before,
        };
        let stamped = self.tap_at(point, tap).await?;
        match tap.retry && before == Some(self.looker().look(Instant::now() + SHOWS).await?) {
            true => self.tap_at(point, tap).await,
            false => Ok(stamped),
        }
    }

    async fn tap_at(&self, point: Point, tap: &Tap) -> Result<Stamped, Fault> {
        let session = self.session;
        let (device, screen, patience) = (&*session.device, session.screen()?, session.patience().launch);
        let mut whole: Option<Stamped> = None;
        for round in 0..tap.times.max(1) {
            if round > 0 {
                sleep(tap.delay).await;
            }
            let stamped = match tap.long {
                true => hold(device, point, screen, patience).await?,
                false => gesture::tap(device, point, screen, patience).await?,
            };
            whole = Some(whole.map_or(stamped, |first| Stamped { began: first.began, ended: stamped.ended }));
        }
        match whole {
            Some(stamped) => Ok(stamped),
            None => gesture::tap(device, point, screen, patience).await,
        }
    }
}

/// A finger that stays where it came down.
async fn hold(
    device: &dyn Device,
    point: Point,
    screen: Screen,
    patience: Duration,
) -> Result<Stamped, Fault> {
    let held = Gesture { start: point, end: point, duration: LONG };
    Ok(gesture::swipe(device, &held, screen, patience, false).await?.0)
}

fn px(x: i64, y: i64) -> Point {
    let px = |value: i64| Coordinate::Px(u32::try_from(value.max(0)).unwrap_or(0));
    Point { x: px(x), y: px(y) }
}

/// The middle of an element, or a point of its area.
fn place(element: &Element, within: Option<Point>) -> Point {
    let (left, top, right, bottom) = element.bounds;
    let along = |from: i64, to: i64, at: Coordinate| match at {
        Coordinate::Percent(percent) => from + ((to - from) as f64 * percent / 100.0) as i64,
        Coordinate::Px(px) => from + i64::from(px),
    };
    match within {
        Some(point) => px(along(left, right, point.x), along(top, bottom, point.y)),
        None => {
            let (x, y) = element.center();
            px(x, y)
        }
    }
}
