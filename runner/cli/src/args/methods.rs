//! Flags of `farmjank run` that have causes of late frames name methods and owners.

use super::RunArgs;
use clap::Args;
use farmjank_engine::diagnose::Diagnose;
use std::path::PathBuf;

/// How methods are told, and whose they are.
#[derive(Args, Debug, Clone)]
pub struct MethodArgs {
    /// Take call stacks where it is seen why frames were late, so that causes name methods: of apps that are debuggable
    /// or <profileable android:shell="true"/>, on Android 12 and newer (on 12 by simpleperf, in the iteration after
    /// those that count alone); of others the reason is said. Alone it means --causes, too.
    #[arg(long, conflicts_with = "no_witnesses")]
    pub stacks: bool,
    /// Of --stacks: the mapping.txt that R8 or ProGuard wrote for this very build, for the names of the source.
    #[arg(long, value_name = "FILE", requires = "stacks")]
    pub mapping: Option<PathBuf>,
    /// Who answers for which package, an owners.yaml: causes of late frames are told with their owner
    /// (docs/causes.md, "Owners").
    #[arg(long, value_name = "FILE", conflicts_with = "no_witnesses")]
    pub owners: Option<PathBuf>,
}

impl RunArgs {
    /// Whose late frames are asked about: who wants methods asks.
    pub fn diagnose(&self) -> Diagnose {
        match self.causes {
            Diagnose::Never if self.methods.stacks => Diagnose::Failed,
            asked => asked,
        }
    }
}
