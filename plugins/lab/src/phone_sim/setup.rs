//! What a phone is when the lab begins.

use super::compositor::Compositor;
use crate::app::App;
use crate::archetype::Archetype;
use crate::canvas::Canvas;

/// What stays the same for a phone's whole life. One field for each key of a phone in a lab file.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The model.
    pub archetype: &'static Archetype,
    /// Installed apps.
    pub apps: Vec<App>,
    /// Seed of everything.
    pub seed: u64,
    /// CLOCK_MONOTONIC at the beginning of the lab.
    pub origin: i64,
    /// True speed of the panel against its nominal rate, ppm.
    pub skew_ppm: i64,
    /// Factor on costs from background load.
    pub load: f64,
    /// Growth of costs per ns, and its ceiling.
    pub drift: (f64, f64),
    /// Lock screen at the beginning, and whether it wants a secret.
    pub keyguard: (bool, bool),
    /// Screen on at the beginning.
    pub awake: bool,
    /// Battery saver at the beginning.
    pub saver: bool,
    /// What `input` takes beside its events.
    pub input: crate::spec::InputSpec,
    /// What compositor and display do; none when they are never late.
    pub compositor: Option<Compositor>,
}

impl Setup {
    /// Screen geometry.
    pub fn canvas(&self) -> Canvas {
        let model = self.archetype;
        Canvas {
            width: i64::from(model.width),
            height: i64::from(model.height),
            density: i64::from(model.density),
        }
    }
}
