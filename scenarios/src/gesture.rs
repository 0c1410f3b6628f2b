//! Gesture geometry in screen fractions or pixels, and its mapping to `input` coordinates.

use farmjank_results::device::Screen;
use std::time::Duration;

/// One coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// Percent of the screen's extent, 0..=100.
    Percent(f64),
    /// Pixels.
    Px(u32),
}

/// A point on the screen as currently rotated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: Coordinate,
    /// From the top.
    pub y: Coordinate,
}

/// A straight finger movement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gesture {
    /// Finger down.
    pub start: Point,
    /// Finger up.
    pub end: Point,
    /// From down to up.
    pub duration: Duration,
}

impl Coordinate {
    /// In px on an axis of `extent` px, kept on the screen.
    pub fn px(self, extent: u32) -> u32 {
        let last = extent.saturating_sub(1);
        match self {
            Coordinate::Px(px) => px.min(last),
            Coordinate::Percent(percent) => ((percent / 100.0 * f64::from(extent)).round() as u32).min(last),
        }
    }
}

impl Point {
    /// In px on this screen as currently rotated.
    pub fn px(self, screen: Screen) -> (u32, u32) {
        let (width, height) = screen.rotated();
        (self.x.px(width), self.y.px(height))
    }
}

/// A way across the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// Finger time of a swipe that names none: Maestro's.
pub(crate) const SWIPE: Duration = Duration::from_millis(400);

/// Speed of a drag, percent of the screen per second.
///
/// `input` moves a finger at constant speed, so that is also its speed when it lifts. 10 %/s of a phone's height is
/// about 85 dp/s, close to Android's smallest fling (50 dp/s): what remains after the lift is a few px. Slower would
/// move less than one px per vsync at 144 Hz, and frames without movement are not drawn.
pub(crate) const DRAG_PERCENT_PER_S: f64 = 10.0;

/// Length of a drag that names none, percent of the screen.
const DRAG_PERCENT: f64 = 25.0;

impl Direction {
    /// The other way: a view that goes down follows a finger that goes up.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
            Direction::Left => Direction::Right,
            Direction::Right => Direction::Left,
        }
    }
}

impl Gesture {
    fn percent(start: (f64, f64), end: (f64, f64), duration: Duration) -> Self {
        let point = |(x, y)| Point { x: Coordinate::Percent(x), y: Coordinate::Percent(y) };
        Gesture { start: point(start), end: point(end), duration }
    }

    /// A swipe with the finger going this way: Maestro's geometry. It starts and ends at least a tenth of the screen
    /// away from the edges, where the system's own gestures live.
    pub fn swipe(direction: Direction, duration: Duration) -> Self {
        let (start, end) = match direction {
            Direction::Up => ((50.0, 50.0), (50.0, 10.0)),
            Direction::Down => ((50.0, 20.0), (50.0, 90.0)),
            Direction::Left => ((90.0, 50.0), (10.0, 50.0)),
            Direction::Right => ((10.0, 50.0), (90.0, 50.0)),
        };
        Gesture::percent(start, end, duration)
    }

    /// A slow drag that makes the view go this way: a quarter of the screen around its middle, at
    /// [`DRAG_PERCENT_PER_S`] unless a duration is given.
    pub fn drag(view: Direction, duration: Option<Duration>) -> Self {
        let (near, far) = (50.0 - DRAG_PERCENT / 2.0, 50.0 + DRAG_PERCENT / 2.0);
        let (start, end) = match view.opposite() {
            Direction::Up => ((50.0, far), (50.0, near)),
            Direction::Down => ((50.0, near), (50.0, far)),
            Direction::Left => ((far, 50.0), (near, 50.0)),
            Direction::Right => ((near, 50.0), (far, 50.0)),
        };
        let slow = Duration::from_secs_f64(DRAG_PERCENT / DRAG_PERCENT_PER_S);
        Gesture::percent(start, end, duration.unwrap_or(slow))
    }

    /// How long a drag between two points takes at [`DRAG_PERCENT_PER_S`]; points in px are taken on a screen of
    /// 1080 × 2400 px. At least 100 ms.
    pub(crate) fn drag_time(start: Point, end: Point) -> Duration {
        let part = |from: Coordinate, to: Coordinate, extent: f64| {
            let percent = |coordinate: Coordinate| match coordinate {
                Coordinate::Percent(percent) => percent,
                Coordinate::Px(px) => f64::from(px) / extent * 100.0,
            };
            (percent(from) - percent(to)).abs()
        };
        let length = part(start.x, end.x, 1080.0).max(part(start.y, end.y, 2400.0));
        Duration::from_millis((length / DRAG_PERCENT_PER_S * 1e3).clamp(100.0, 60_000.0).round() as u64)
    }

    /// One scroll of `scrollUntilVisible`, from the middle towards an edge: Maestro's geometry, and its speed (0 slow
    /// to 100 fast) as finger time: `1000 ms · (100 - speed) / 100 + 1 ms`.
    pub fn seek(view: Direction, speed: u32) -> Self {
        let end = match view.opposite() {
            Direction::Up => (50.0, 10.0),
            Direction::Down => (50.0, 90.0),
            Direction::Left => (10.0, 50.0),
            Direction::Right => (90.0, 50.0),
        };
        let slow = u64::from(100 - speed.min(100)) * 10 + 1;
        Gesture::percent((50.0, 50.0), end, Duration::from_millis(slow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen { width: 1080, height: 2400, rotation: 0, density: 420 };

    #[test]
    fn directions_are_maestros() {
        let px = |direction| {
            let gesture = Gesture::swipe(direction, SWIPE);
            (gesture.start.px(SCREEN), gesture.end.px(SCREEN))
        };
        assert_eq!(px(Direction::Up), ((540, 1200), (540, 240)));
        assert_eq!(px(Direction::Down), ((540, 480), (540, 2160)));
        assert_eq!(px(Direction::Left), ((972, 1200), (108, 1200)));
        assert_eq!(px(Direction::Right), ((108, 1200), (972, 1200)));
        assert_eq!(Gesture::seek(Direction::Down, 40).duration, Duration::from_millis(601));
        assert_eq!(Gesture::seek(Direction::Down, 40).end.px(SCREEN), (540, 240));
    }

    #[test]
    fn a_drag_moves_more_than_a_pixel_per_vsync_and_hardly_flings() {
        let drag = Gesture::drag(Direction::Down, None);
        let ((_, from), (_, to)) = (drag.start.px(SCREEN), drag.end.px(SCREEN));
        assert!(from > to, "the view goes down when the finger goes up");
        let px_per_s = f64::from(from - to) / drag.duration.as_secs_f64();
        assert!(px_per_s / 144.0 > 1.0, "{px_per_s}");
        let dp_per_s = px_per_s / (f64::from(SCREEN.density) / 160.0);
        assert!(dp_per_s < 100.0, "{dp_per_s}");
    }

    #[test]
    fn coordinates_stay_on_the_screen_however_it_is_turned() {
        let corner = Point { x: Coordinate::Percent(100.0), y: Coordinate::Px(9_999) };
        assert_eq!(corner.px(SCREEN), (1079, 2399));
        assert_eq!(corner.px(Screen { rotation: 1, ..SCREEN }), (2399, 1079));
    }
}
