//! What kind of fault it is. Must not know who met it.

use farmjank_results::fault::Fault;

/// The phone itself does not answer.
pub fn is_lost(fault: &Fault) -> bool {
    fault.code.starts_with("device_") || matches!(fault.code.as_str(), "timeout" | "protocol" | "refused")
}
