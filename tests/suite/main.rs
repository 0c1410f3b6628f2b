//! One binary of all whole-system tests: quick to link, one place to look.

mod blame;
mod browser;
mod causes;
mod claimed;
mod conformance;
mod farmed;
mod prepared;
mod prove;
mod recovered;
mod shells;
mod simulation;
mod spread;
mod stillness;
mod stories;
mod teams;
mod tidy;
mod truth;
mod yielded;
