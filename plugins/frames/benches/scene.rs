//! What phones would print, made by code: the input of the benchmarks. Same arguments, same bytes.
//!
//! Must not know: who reads it. Times in ns of the phone's clock.

#![allow(dead_code, reason = "each benchmark uses a part of it")]

pub mod dumps;
pub mod kernel;
pub mod measure;
pub mod trace;

/// A small generator of numbers that look random: xorshift.
pub struct Chance(pub u64);

impl Chance {
    /// The next number below `bound`, which is > 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
