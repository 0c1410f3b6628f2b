//! Causes found in states and slices made by hand.

mod laws;
mod rules;
mod truth;
mod world;
