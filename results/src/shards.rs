//! Runs that share the phones of one plan: each is a shard, knows the whole plan, and measures its part of it. Their
//! bundles are merged into the one an unshared run would have left ([`merge`](mod@merge)).
//!
//! Jobs have the numbers of the whole plan in every shard, so that what is said of a job, and the paths of its dumps,
//! mean the same job in all of them.

mod differ;
mod fresh;
mod given;
pub mod merge;
mod not_merged;
mod strand;

use crate::planned_job::PlannedJob;
use serde::{Deserialize, Serialize};

/// How a plan is shared, as every shard's log and a merged one say it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shards {
    /// How many there are.
    pub of: u32,
    /// Which one this run is, from 1; none of a log that was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<u32>,
    /// The runs a log was merged of, by shard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<ShardRun>,
    /// Jobs of the plan that other shards do; a merged log has them all among its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<PlannedJob>,
}

/// A run that did one shard.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShardRun {
    /// Which shard, from 1.
    pub shard: u32,
    /// Its id.
    pub run: String,
    /// When it began, RFC 3339.
    pub wall: String,
    /// What interrupted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<String>,
}

impl Shards {
    /// Whether what this shard measured stands in the log.
    pub fn has(&self, shard: u32) -> bool {
        self.own == Some(shard) || self.merged.iter().any(|run| run.shard == shard)
    }
}
