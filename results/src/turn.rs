//! Whose turn a trial is, where a run holds two builds of an app against each other on every phone.
//!
//! Must not know how turns are planned ([`crate::compare::AbSchedule`]) nor what they measured.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the two builds. Where a phone is held against itself both are the same build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Build {
    /// What is compared with.
    Old,
    /// What is judged.
    New,
}

impl Build {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Build {
        match self {
            Build::Old => Build::New,
            Build::New => Build::Old,
        }
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Build::Old => "old",
            Build::New => "new",
        })
    }
}

/// Whose turn a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Turn {
    /// The build.
    #[serde(rename = "arm")]
    pub build: Build,
    /// Block it belongs to, from 1: each holds both builds. None for the warm-up after an installation, which is
    /// discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// The look its block was measured for, from 1; 0 for what is measured to screen.
    pub look: u8,
}

impl Turn {
    /// Whether it counts towards limits: what was judged is the new build, after its warm-up.
    pub fn counted(&self) -> bool {
        self.build == Build::New && self.block.is_some()
    }
}
