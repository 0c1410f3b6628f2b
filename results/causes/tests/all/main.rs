//! Causes found in states and slices made by hand.

mod lanes;
mod laws;
mod rules;
mod stalls;
mod truth;
mod world;
