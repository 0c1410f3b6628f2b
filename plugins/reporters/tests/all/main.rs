//! What the reporters make of whole runs.

mod believable;
mod folds;
mod golden;
