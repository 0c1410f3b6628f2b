//! The harness of the suite: whole runs in the simulated lab, and an oracle that computes what they must say.

pub mod beside;
pub mod memory;
pub mod merged;
pub mod oracle;
pub mod scenarios;
pub mod shells;
pub mod stage;
pub mod story;
