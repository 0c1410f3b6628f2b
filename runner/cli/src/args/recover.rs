//! How far a run goes for a phone that does not answer.

use clap::{Args, ValueEnum};
use farmjank_engine::patience::Patience;
use farmjank_results::recovery::RecoveryStep;

/// How far may be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Furthest {
    /// Wait for it, do nothing.
    None,
    /// Have the adb server open its connection to the phone anew. Changes nothing on the phone.
    Reconnect,
    /// Boot it, where that does not help. What other people left running on it is gone then.
    Reboot,
}

/// `--recover`
#[derive(Args, Debug, Clone)]
pub struct RecoverArgs {
    /// What may be done for a phone that does not answer while it is measured. The adb server is never ended.
    #[arg(long, value_enum, default_value = "reconnect")]
    pub recover: Furthest,
    /// How often a phone may be booted (--recover reboot) within 24 hours, all runs of this computer together. One that
    /// needs it more often is broken, and says so.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub reboots_per_day: u32,
}

impl RecoverArgs {
    /// How far is gone, and how often, by these flags.
    pub fn within(&self, patience: Patience) -> Patience {
        let recover = match self.recover {
            Furthest::None => None,
            Furthest::Reconnect => Some(RecoveryStep::Reconnect),
            Furthest::Reboot => Some(RecoveryStep::Reboot),
        };
        Patience { recover, reboots_per_day: self.reboots_per_day, ..patience }
    }
}
