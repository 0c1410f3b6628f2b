//! A phone as its programs find it: what lives, what is printed of it, and what commands left behind.
//!
//! Must not know any program.

use super::clock::Clocks;
use super::command::{Answer, Running, Work};
use super::lab_time::{LabTime, wall_s};
use super::sessions::{Program, Session, Tracing};
use super::settings::Settings;
use super::storage::Storage;
use crate::archetype::Archetype;
use crate::chance::{Draw, Stream};
use crate::dumps::{Body, Scene};
use crate::phone_sim::acts::Act;
use crate::phone_sim::state::PhoneSim;
use farmjank_results::time::Span;
use std::collections::{BTreeMap, BTreeSet};

/// One millisecond, ns.
pub(super) const MS: i64 = 1_000_000;

/// Commands of each kind so far: what a kind draws never depends on the other kinds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Commands {
    pub(super) inputs: u64,
    pub(super) starts: u64,
    pub(super) dumps: u64,
}

/// One virtual phone: what lives, what is printed of it, and what commands left behind. Each program is a function of
/// its module. One field for each thing programs look at.
#[derive(Debug)]
pub struct Phone {
    pub(super) serial: String,
    pub(super) sim: PhoneSim,
    pub(super) clocks: Clocks,
    pub(super) body: Body,
    pub(super) settings: Settings,
    /// Files that commands made.
    pub storage: Storage,
    pub(super) tracing: Tracing,
    pub(super) commands: Commands,
    /// Shells that run, by process id, as `ps` lists them.
    pub(crate) shells: BTreeMap<u32, String>,
}

impl Phone {
    /// Its serial number.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// `ro.product.model`.
    pub fn model(&self) -> &str {
        &self.body.model
    }

    /// What a tool left on it: recorders that run, counting that is on, files, properties and settings that are not the
    /// phone's own.
    pub fn left_behind(&self) -> Vec<String> {
        let lives =
            |session: &&Session| session.ended.is_none() || matches!(session.program, Program::Simpleperf(_));
        let recorders = self.tracing.sessions.values().filter(lives);
        let recorders = recorders
            .map(|session| format!("a recorder runs: {} {}", session.program.name(), session.argv.join(" ")));
        let counting =
            self.sim.flinger.counting.is_on().then(|| "SurfaceFlinger counts (timestats)".to_owned());
        let set = self.settings.properties.iter().filter(|(_, value)| !value.is_empty());
        let properties = set.map(|(name, value)| format!("property {name} is {value}"));
        let files = self.storage.paths().map(|path| format!("file {path}"));
        let keys = self.settings.table.keys().chain(self.settings.first.keys()).collect::<BTreeSet<_>>();
        let changed = keys.into_iter().filter_map(|key| {
            let (was, is) = (self.settings.first.get(key), self.settings.table.get(key));
            (was != is).then(|| format!("setting {key} is {is:?} and was {was:?}"))
        });
        recorders.chain(counting).chain(properties).chain(files).chain(changed).collect()
    }

    /// What it is modelled on.
    pub fn archetype(&self) -> &'static Archetype {
        self.sim.setup.archetype
    }

    /// CLOCK_BOOTTIME, ns.
    pub fn boot_clock_ns(&self, now: LabTime) -> i64 {
        self.clocks.boot(now.ns())
    }

    /// CLOCK_MONOTONIC, ns.
    pub fn monotonic_ns(&self, now: LabTime) -> i64 {
        self.clocks.monotonic(now.ns())
    }

    /// The phone at an instant it has been advanced to.
    pub(super) fn scene(&self, now: LabTime) -> Scene<'_> {
        Scene {
            sim: &self.sim,
            now: self.monotonic_ns(now),
            boot: self.boot_clock_ns(now),
            wall_s: wall_s(now),
            body: &self.body,
        }
    }

    /// A command answered at once by a native program: 4 to 12 ms.
    pub(super) fn native(&mut self, answer: Answer) -> Running {
        self.commands.dumps += 1;
        let takes = Draw::of(self.body.seed, Stream::Start, self.commands.dumps).whole(4 * MS, 12 * MS);
        Running { takes: Span::from_ns(takes), work: Work::Say(answer) }
    }

    /// A command through a system service; through a Java virtual machine of its own up to API level `jvm_until`.
    pub(super) fn served(&mut self, jvm_until: u32, answer: Answer) -> Running {
        self.commands.dumps += 1;
        let takes = self.start_cost(jvm_until, self.commands.dumps ^ 0x5e_0000);
        Running { takes: Span::from_ns(takes), work: Work::Say(answer) }
    }

    /// Time until a Java command does its work, ns.
    pub(super) fn start_cost(&self, jvm_until: u32, index: u64) -> i64 {
        let draw = Draw::of(self.body.seed, Stream::Start, index);
        let archetype = self.sim.setup.archetype;
        match archetype.sdk <= jvm_until {
            true => (draw.between(300.0, 560.0) * archetype.slowness.clamp(1.0, 1.8) * 1e6) as i64,
            false => (draw.between(14.0, 26.0) * 1e6) as i64,
        }
    }

    /// Notes an act `after` ns from `now`.
    pub(super) fn act(&mut self, now: LabTime, after: i64, act: Act) {
        let at = self.monotonic_ns(now) + after;
        self.sim.act(at, act);
    }
}
