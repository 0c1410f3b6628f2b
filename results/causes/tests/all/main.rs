//! Causes found in states and slices made by hand.

mod lanes;
mod laws;
mod methods;
mod rules;
mod stalls;
mod truth;
mod world;
