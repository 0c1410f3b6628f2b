//! Which phones qualify, and for each other phone the reason it does not.

use farmjank_results::device::DeviceFacts;

/// A checked requirement expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requirement {
    /// As written; empty matches every phone.
    pub text: String,
}

impl Requirement {
    /// Ok when the phone qualifies; otherwise why not, in words (`sdk is 28, needs >= 29`).
    pub fn matches(&self, facts: &DeviceFacts) -> Result<(), String> {
        let _ = facts;
        Ok(())
    }
}
