//! What the app and its phone used while a window was open: CPU, memory, heat, the battery's current, network.
//!
//! Looked at on the frames' clock, a few times a window; no frames in it.

use crate::time::{DeviceTime, Span};
use farmjank_leaf::nearest::nearest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Something that can be looked at beside the frames, when somebody asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// CPU time of the app's process, and how busy the phone's cores are.
    Cpu,
    /// Memory of the app's process.
    Memory,
    /// Skin and battery, °C.
    Temperature,
    /// Current out of the battery.
    Battery,
    /// Bytes of the app.
    Network,
}

impl Resource {
    /// Each, in the order people are told them.
    pub const ALL: [Resource; 5] =
        [Resource::Cpu, Resource::Memory, Resource::Temperature, Resource::Battery, Resource::Network];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Cpu => "cpu",
            Resource::Memory => "memory",
            Resource::Temperature => "temperature",
            Resource::Battery => "battery",
            Resource::Network => "network",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Resource> {
        Resource::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The one somebody wrote.
    ///
    /// # Errors
    /// There is none of that name: what to write instead.
    pub fn read(text: &str) -> Result<Resource, UnknownResource> {
        let meant = nearest(text, Resource::ALL.map(Resource::name)).and_then(Resource::named);
        Resource::named(text).ok_or(UnknownResource { meant })
    }
}

/// Nothing that can be looked at beside frames is called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownResource {
    /// What was meant, most likely.
    pub meant: Option<Resource>,
}

impl fmt::Display for UnknownResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meant {
            Some(meant) => write!(f, "did you mean `{meant}`?"),
            None => write!(f, "write `{}`", Resource::ALL.map(Resource::name).join("`, `")),
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One look. What was not asked for, or what the phone did not tell, is none: one field for each thing that is looked
/// at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceSample {
    /// When.
    pub at: DeviceTime,
    /// The app's main process; none while it does not run.
    pub pid: Option<u32>,
    /// CPU time of that process since it began, in ticks of 10 ms.
    pub cpu: Option<Span>,
    /// CPU time of all cores since boot that was spent on something, and all there was; in the same ticks.
    pub cores: Option<(Span, Span)>,
    /// Memory of that process that lies in RAM (RSS), shared pages counted in full, kB.
    pub rss_kb: Option<u64>,
    /// The hottest sensor below the skin, °C.
    pub skin: Option<f64>,
    /// The battery, °C.
    pub battery: Option<f64>,
    /// A cable or a dock feeds the phone, whether or not the battery is charged by it.
    pub fed: Option<bool>,
    /// Current of the battery as the kernel tells it, of either sign; µA or mA, as its maker chose.
    pub current: Option<i64>,
    /// Bytes the app received and sent since boot.
    pub network: Option<(u64, u64)>,
}

/// What was looked at in one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceWatch {
    /// Looks in order of time: the first as the window began, the last as its steps were over.
    pub samples: Vec<ResourceSample>,
    /// What was asked for, with the reason why the phone does not tell where it does not.
    pub asked: BTreeMap<Resource, Option<String>>,
}

/// What a counter moved by between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The look before.
    pub from: DeviceTime,
    /// This look.
    pub to: DeviceTime,
    /// CPU time spent between them.
    pub used: Option<Span>,
    /// Of so much.
    pub of: Span,
}

/// What was looked at over a window, for those who draw it under the frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceLine {
    /// Key of the metric that is made of it; values are in its unit.
    pub metric: String,
    /// Each value is of the time since the point before it, and the first has none; else it is of its instant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub since: bool,
    /// In order of time; none where that look told nothing. Without a point where the phone keeps it: the metric's
    /// reading says why.
    pub points: Vec<(DeviceTime, Option<f64>)>,
}

/// A display draws more than this by itself, mA: a smaller number out of a battery that feeds it is in mA.
const SCREEN_MA: i64 = 20;

impl ResourceSample {
    /// Current out of the battery, mA; none where something else feeds the phone, or where nobody tells.
    pub fn draws_ma(&self) -> Option<f64> {
        let current = self.current.filter(|_| self.fed == Some(false))?.unsigned_abs();
        let is_micro = current > SCREEN_MA.unsigned_abs() * 1_000;
        Some(if is_micro { current as f64 / 1_000.0 } else { current as f64 })
    }
}

impl ResourceWatch {
    /// CPU time of the app from the first look that tells of it to the last, and how long that is.
    pub fn cpu(&self) -> Option<(Span, Span)> {
        let spent = self.cpu_spent();
        let used = spent.iter().filter_map(|one| one.used).reduce(|sum, used| sum + used)?;
        let span = spent.last()?.to - spent.first()?.from;
        Some((used, span)).filter(|(_, span)| *span > Span::ZERO)
    }

    /// CPU time of the app look by look, of the time between them; none while it did not run. A process that ended in
    /// between takes along what it used since the look before.
    pub fn cpu_spent(&self) -> Vec<Spent> {
        // A look at a process that did not tell its CPU time is passed over: nothing began there.
        let tells = |sample: &&ResourceSample| sample.cpu.is_some() || sample.pid.is_none();
        let telling: Vec<&ResourceSample> = self.samples.iter().filter(tells).collect();
        let spent = |before: &ResourceSample, after: &ResourceSample| {
            let since = match before.cpu {
                Some(cpu) if before.pid == after.pid => cpu,
                // It began after the look before, so all it used it used since.
                _ => Span::ZERO,
            };
            let used = after.cpu.map(|cpu| (cpu - since).max(Span::ZERO));
            Spent { from: before.at, to: after.at, used, of: after.at - before.at }
        };
        telling.windows(2).map(|pair| spent(pair[0], pair[1])).collect()
    }

    /// CPU time of all cores that was spent on something, look by look, of all there was; none where counters went
    /// back.
    pub fn cores_spent(&self) -> Vec<Spent> {
        let told = self.samples.iter().filter_map(|sample| Some((sample.at, sample.cores?)));
        let told: Vec<(DeviceTime, (Span, Span))> = told.collect();
        let spent = |before: (DeviceTime, (Span, Span)), after: (DeviceTime, (Span, Span))| {
            let (busy, all) = (after.1.0 - before.1.0, after.1.1 - before.1.1);
            let used = (busy >= Span::ZERO && all >= busy).then_some(busy);
            Spent { from: before.0, to: after.0, used, of: used.map_or(Span::ZERO, |_| all) }
        };
        told.windows(2).map(|pair| spent(pair[0], pair[1])).collect()
    }

    /// Share of all cores' time that was spent on something, 0..=1.
    pub fn busy(&self) -> Option<f64> {
        let told = |sample: &ResourceSample| sample.cores;
        let first = self.samples.iter().find_map(told)?;
        let last = self.samples.iter().rev().find_map(told)?;
        let (busy, all) = (last.0 - first.0, last.1 - first.1);
        (all > Span::ZERO).then(|| (busy.ns() as f64 / all.ns() as f64).clamp(0.0, 1.0))
    }

    /// Bytes received and sent from the first look to the last. Counters that went back (a reboot, somebody cleared
    /// them) tell nothing.
    pub fn network(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.samples.first()?.network?, self.samples.last()?.network?);
        last.0.checked_sub(first.0).zip(last.1.checked_sub(first.1))
    }
}
