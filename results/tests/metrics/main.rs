//! Metrics from outside: the worked example, every boundary, a naive oracle, and what no change of dumps may change.

mod boundaries;
mod brute;
mod brute_laws;
mod dumps_laws;
mod layers;
mod levels;
mod scene;
mod seconds;
mod stutter;
mod words;
