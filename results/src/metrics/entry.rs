//! One line of the registry as a value: a metric written down instead of implemented.

use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::window::Window;

/// A metric whose parts are constants and one function.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Key in reports and thresholds.
    pub key: &'static str,
    /// Unit of its readings.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// What it reads.
    pub needs: Needs,
    /// One line for people.
    pub about: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// First Android release that can give it.
    pub since: u8,
    /// Where the definition comes from.
    pub origin: &'static str,
    /// The reading of one window.
    pub measure: fn(&Window) -> Reading,
}

impl Metric for Entry {
    fn key(&self) -> &'static str {
        self.key
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn better(&self) -> Better {
        self.better
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn formula(&self) -> &'static str {
        self.formula
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn since(&self) -> u8 {
        self.since
    }

    fn origin(&self) -> &'static str {
        self.origin
    }

    fn measure(&self, window: &Window) -> Reading {
        (self.measure)(window)
    }
}
