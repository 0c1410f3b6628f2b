//! What the reporters make of whole runs.

mod annotations;
mod anywhere;
mod believable;
mod cause_life;
mod caused;
mod depth;
mod dialect;
mod everyone;
mod film;
mod folds;
mod golden;
mod held;
mod history;
mod hostile;
mod html;
mod lab_health;
mod live_feed;
mod lively;
mod metrics;
mod pages;
mod schemas;
mod side_by_side;
mod sweep;
mod tables;
mod used;
