//! What farmjank wants: YAML text → [`scenario::Scenario`]s or complaints → a plan. Sync and pure.

pub mod gesture;
pub mod requirement;
pub mod scenario;
pub mod step;
