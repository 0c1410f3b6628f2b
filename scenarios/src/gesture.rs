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
