//! What the reporters make of whole runs.

mod believable;
mod dialect;
mod folds;
mod golden;
mod hostile;
mod lively;
mod tables;
mod xml;
