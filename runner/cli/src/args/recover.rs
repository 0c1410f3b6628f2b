//! How far a run goes for a phone that does not answer.

use clap::{Args, ValueEnum};
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
}

impl RecoverArgs {
    /// The furthest step; none for no step.
    pub fn furthest(&self) -> Option<RecoveryStep> {
        match self.recover {
            Furthest::None => None,
            Furthest::Reconnect => Some(RecoveryStep::Reconnect),
            Furthest::Reboot => Some(RecoveryStep::Reboot),
        }
    }
}
