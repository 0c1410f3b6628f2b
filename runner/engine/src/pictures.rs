//! What a run is told about pictures of the screen.

/// When the screen is photographed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pictures {
    /// In warm-ups.
    pub warm_ups: bool,
    /// Where a step failed. Not where something secret may be on the screen.
    pub failures: bool,
}
