//! Why frames were late, from the lab's phones: what was planted, told by events alone, against what is charged.

mod judge;
mod lanes;
mod matrix;
mod methods;
mod planted;
mod stalls;
