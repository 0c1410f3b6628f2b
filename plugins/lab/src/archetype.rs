//! The phone models: what hardware and Android version decides about its frames and its dialect.
//!
//! Rates in Hz, lengths of time in ns unless a field says otherwise. Must not know apps, gestures or text formats.

mod models;

use crate::lab_error::{LabError, instead};

pub use models::ARCHETYPES;

/// One rate the app can be scheduled at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Display mode id it belongs to, as `dumpsys display` numbers them.
    pub mode: u32,
    /// Rate of the app, Hz, as printed.
    pub hz: f32,
    /// Period as `--latency` prints it, ns.
    pub printed: i64,
}

/// A display mode as listed by `dumpsys display`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Id.
    pub id: u32,
    /// `fps=`.
    pub fps: f32,
    /// `vsync=`, which differs from `fps` on panels that divide a fast tick.
    pub vsync: f32,
}

/// How the refresh rate follows touch and content. Rates are indices into [`Archetype::rates`], slowest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// While touched, and for `boost_ms` after.
    pub touch: usize,
    /// Boost after the finger left, ms.
    pub boost_ms: i64,
    /// While content moves without boost.
    pub motion: usize,
    /// While only a video plays.
    pub video: usize,
    /// Without new frames: after so many ms, this rate.
    pub idle: &'static [(i64, usize)],
    /// In the slow end of a fling: from this share of its time, this rate.
    pub tail: &'static [(f64, usize)],
    /// Capped by the battery saver and by `peak_refresh_rate 60`.
    pub capped: usize,
}

/// A phone model with one Android version. One field for each fact of its data sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Archetype {
    /// Name.
    pub name: &'static str,
    /// `ro.product.model`.
    pub model: &'static str,
    /// `ro.product.manufacturer`.
    pub manufacturer: &'static str,
    /// `ro.product.device`.
    pub device: &'static str,
    /// `ro.build.version.release`.
    pub release: &'static str,
    /// `ro.build.version.sdk`.
    pub sdk: u32,
    /// Build id.
    pub build: &'static str,
    /// Screen, px, natural orientation.
    pub width: u32,
    /// Screen, px, natural orientation.
    pub height: u32,
    /// Density, dpi.
    pub density: u32,
    /// Memory, MiB.
    pub ram_mb: u32,
    /// CPU cores.
    pub cores: u32,
    /// Modes as `dumpsys display` lists them.
    pub modes: &'static [Mode],
    /// Rates the app can run at, slowest first.
    pub rates: &'static [Rate],
    /// Choice among them.
    pub policy: Policy,
    /// The true panel is this much faster than its nominal rate, parts per million (negative: slower).
    pub skew_ppm: i64,
    /// Time of everything the CPU does, against the reference phone.
    pub slowness: f64,
    /// From latching to display, in refresh periods.
    pub lead: f64,
    /// `--latency` is served from the 64-frame display history (16 QPR builds).
    pub history_engine: bool,
    /// Median time of a small dump, ms.
    pub dump_ms: f64,
    /// Its `dumpsys input` keeps the fields of events to itself, as user builds do unless their maker changed that.
    pub hides_events: bool,
    /// `Pipeline=` of gfxinfo.
    pub pipeline: &'static str,
}

/// The names there are, in order.
pub(crate) fn names() -> Vec<&'static str> {
    ARCHETYPES.iter().map(|archetype| archetype.name).collect()
}

impl Archetype {
    /// One by its name.
    ///
    /// # Errors
    /// There is none of that name: what there is.
    pub fn find(name: &str) -> Result<&'static Archetype, LabError> {
        ARCHETYPES
            .iter()
            .find(|archetype| archetype.name == name)
            .ok_or_else(|| LabError(format!("no archetype `{name}`; {}", instead(name, &names()))))
    }

    /// Fastest rate, Hz.
    pub fn fastest_hz(&self) -> f32 {
        self.rates.iter().map(|rate| rate.hz).fold(0.0, f32::max)
    }

    /// Build fingerprint.
    pub fn fingerprint(&self) -> String {
        let brand = self.brand();
        format!(
            "{brand}/{0}/{0}:{1}/{2}/farmjank.virtual:user/release-keys",
            self.device, self.release, self.build
        )
    }

    /// `ro.product.brand`.
    pub fn brand(&self) -> String {
        self.manufacturer.to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archetypes_are_many_and_sound() {
        assert!(ARCHETYPES.len() >= 8);
        for archetype in ARCHETYPES {
            let rates = archetype.rates;
            assert!(
                rates.windows(2).all(|pair| pair[0].hz < pair[1].hz),
                "{}: slowest first",
                archetype.name
            );
            let policy = archetype.policy;
            let used = [policy.touch, policy.motion, policy.video, policy.capped];
            let ladder = policy.idle.iter().map(|step| step.1).chain(policy.tail.iter().map(|step| step.1));
            assert!(used.into_iter().chain(ladder).all(|index| index < rates.len()), "{}", archetype.name);
            for rate in rates {
                assert!((1e9 / f64::from(rate.hz) - rate.printed as f64).abs() < 2.0, "{}", archetype.name);
                assert!(archetype.modes.iter().any(|mode| mode.id == rate.mode), "{}", archetype.name);
            }
        }
        assert!(Archetype::find("pixel6").is_err_and(|why| why.0.contains("did you mean `pixel-6`?")));
        assert!(Archetype::find("nokia-3310").is_err_and(|why| why.0.contains("`farmjank schema lab`")));
    }

    #[test]
    fn every_dialect_and_speed_is_there() {
        let has = |sdk: u32| ARCHETYPES.iter().any(|archetype| archetype.sdk == sdk);
        assert!([24, 29, 31, 33, 34, 35, 36].into_iter().all(has));
        let fast = |hz: f32| ARCHETYPES.iter().any(|archetype| (archetype.fastest_hz() - hz).abs() < 0.5);
        assert!([60.0, 90.0, 120.0, 144.0].into_iter().all(fast));
    }
}
