//! Why bundles are not merged, in words.

use thiserror::Error;

/// Why bundles are not merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotMerged {
    /// There is none.
    #[error("there is no bundle to merge")]
    Nothing,
    /// It was cut off early.
    #[error(
        "{bundle}: the run was cut off before it made its plan, and does not say which shard it was; leave it out, or go on \
        with it (`farmjank run … --resume {bundle}`)"
    )]
    Unplanned {
        /// Its name.
        bundle: String,
    },
    /// It is no shard.
    #[error("{bundle}: no shard, but a whole run: only what was run with --shard is merged")]
    Whole {
        /// Its name.
        bundle: String,
    },
    /// Two builds took turns in it.
    #[error(
        "{bundle}: two builds took turns in it, and are compared on its phones alone; such runs are not merged"
    )]
    Builds {
        /// Its name.
        bundle: String,
    },
    /// They are not of one plan.
    #[error("{} and {} are not of one plan: {how}; all shards need the same scenarios, flags and phones", bundles[0], bundles[1])]
    OtherPlan {
        /// Their names.
        bundles: [String; 2],
        /// How they differ.
        how: String,
    },
    /// Both hold one shard, and say other things of it.
    #[error("{} and {} both hold shard {shard}, and differ: {how}; give one of them", bundles[0], bundles[1])]
    Differ {
        /// Their names.
        bundles: [String; 2],
        /// `2/3`
        shard: String,
        /// About what.
        how: String,
    },
    /// Evidence lies where that of its job does not.
    #[error(
        "{bundle}: job {job} has its evidence in {path:?}, where that of another may lie; the log was altered"
    )]
    Astray {
        /// Its name.
        bundle: String,
        /// The job.
        job: u32,
        /// The path.
        path: String,
    },
}
