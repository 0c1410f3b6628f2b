//! One binary of all whole-system tests: quick to link, one place to look.

mod blame;
mod browser;
mod simulation;
mod stories;
mod tidy;
mod truth;
