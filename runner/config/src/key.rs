//! The keys of `farmjank.toml`: each is the flag of that name, and `FARMJANK_…` in the environment. Must not know which
//! command has which flag.

use Kind::{Choice, Filter, Flag, Pairs, Path, Paths, Place, Reports, Text, Texts, Time, Whole, Wishes};

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number, from and up to.
    Whole(u64, u64),
    /// Any text.
    Text,
    /// A time with its unit: `60s`, `1m30s`.
    Time,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A file or folder.
    Path,
    /// A file, or a name that is none.
    Place,
    /// A device filter.
    Filter,
    /// Texts.
    Texts,
    /// Files or folders.
    Paths,
    /// `NAME` or `NAME=FILE`.
    Reports,
    /// What is changed on phones: `animations=1`.
    Wishes,
    /// `NAME=VALUE`, or `NAME` alone; those of all levels count, each name once.
    Pairs,
}

impl Kind {
    /// Whether it takes several values.
    pub fn is_list(self) -> bool {
        matches!(self, Texts | Paths | Reports | Wishes | Pairs)
    }
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The flag's long name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The key without which it means nothing.
    pub needs: Option<&'static str>,
}

const fn key(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, needs: None }
}

const fn beside(name: &'static str, kind: Kind, needs: &'static str) -> Key {
    Key { name, kind, needs: Some(needs) }
}

const MOST: u64 = u32::MAX as u64;

/// The paths of scenarios: no flag, but what stands on the command line without one.
pub const SCENARIOS: &str = "scenarios";

/// Every key, in the order people read of them.
pub const KEYS: &[Key] = &[
    key(SCENARIOS, Paths),
    key("env", Pairs),
    key("env-file", Paths),
    key("allow-outside", Flag),
    key("serial", Texts),
    key("device-filter", Filter),
    key("wait-for-devices", Time),
    key("adb", Texts),
    key("inventory", Path),
    key("lab", Place),
    beside("seed", Whole(0, u64::MAX), "lab"),
    key("farm", Text),
    beside("team", Text, "farm"),
    beside("farm-secret", Path, "farm"),
    beside("farm-ca", Path, "farm"),
    beside("farm-objects", Text, "farm"),
    beside("farm-storage", Text, "farm"),
    beside("farm-patience", Time, "farm"),
    beside("evidence", Choice(&["all", "failed", "none"]), "farm"),
    key("include-tags", Texts),
    key("exclude-tags", Texts),
    beside("shard-by", Choice(&["phone", "duration"]), "shard"),
    key("phones", Whole(1, MOST)),
    key("allow-missing", Flag),
    key("spread", Choice(&["off", "scenarios", "iterations"])),
    key("quarantine", Paths),
    key("prepare", Wishes),
    key("beside", Texts),
    key("iterations", Whole(1, MOST)),
    key("warmup", Whole(0, MOST)),
    key("jobs", Whole(1, MOST)),
    key("priority", Choice(&["nightly", "branch", "gate"])),
    key("retries", Whole(0, MOST)),
    key("fail-fast", Whole(1, MOST)),
    key("deadline", Time),
    key("recover", Choice(&["none", "reconnect", "reboot"])),
    key("reboots-per-day", Whole(0, MOST)),
    key("out", Path),
    beside("overwrite", Flag, "out"),
    key("reporter", Reports),
    key("plugin", Pairs),
    key("junit", Path),
    key("no-witnesses", Flag),
    key("allow-debuggable", Flag),
    key("baseline", Place),
    beside("one-session", Flag, "baseline"),
    key("max-age", Text),
    key("history", Place),
    key("no-history", Flag),
    key("rolling", Flag),
    key("label", Pairs),
    key("causes", Choice(&["never", "failed", "each", "always"])),
    key("stacks", Flag),
    beside("mapping", Path, "stacks"),
    key("owners", Path),
    key("screens", Flag),
    key("quiet", Flag),
    key("notify", Texts),
    key("per-install", Whole(1, 1000)),
    key("looks", Whole(1, 3)),
    key("budget", Time),
    key("screen", Flag),
    key("no-screen", Flag),
    key("compile", Text),
    key("reinstall", Flag),
    key("block", Whole(1, 1000)),
];

/// Keys that can be set for some phones.
pub const FOR_PHONES: &[&str] = &["iterations", "warmup", "prepare"];

impl Key {
    /// The key of this name.
    pub fn named(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Its variable in the environment.
    pub fn variable(&self) -> String {
        // FARMJANK_FARM_SECRET is the secret itself, which is nobody's setting.
        if self.name == "farm-secret" {
            return "FARMJANK_FARM_SECRET_FILE".to_owned();
        }
        format!("FARMJANK_{}", self.name.to_uppercase().replace('-', "_"))
    }
}
