//! Seeded chance: xoshiro256++ 1.0 (Blackman and Vigna, public domain), seeded through splitmix64.
//!
//! Written out here so that the bits of every interval and simulation never change with a dependency. Must not know
//! what is drawn for. One seed and stream give one sequence; streams do not overlap in practice (2^256 states).

/// A sequence of draws.
#[derive(Clone, Debug)]
pub struct Chance {
    state: [u64; 4],
}

/// One step of splitmix64 (Steele, Lea and Flood 2014).
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Chance {
    /// The sequence of a seed and a stream. Streams of one seed are independent of each other: replicate number 7 draws
    /// the same whether or not number 6 was ever drawn.
    pub fn of(seed: u64, stream: u64) -> Chance {
        let mut mixed = seed;
        // the stream is mixed through the seed's own word: (1, 2) and (2, 1) must not meet
        let mut word = splitmix(&mut mixed) ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Chance { state: [(); 4].map(|()| splitmix(&mut word)) }
    }

    /// 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        let state = &mut self.state;
        let result = state[0].wrapping_add(state[3]).rotate_left(23).wrapping_add(state[0]);
        let kept = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= kept;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// Uniform in 0..1, in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform whole number below `bound`; 0 for a bound of 0. Its bias, bound / 2^64, is below every digit printed.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// Normal with mean 0 and standard deviation 1 (Marsaglia's polar method, one of each pair).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// Lognormal with mean 1 and logarithms of standard deviation `sd`.
    pub fn lognormal(&mut self, sd: f64) -> f64 {
        (sd * self.normal() - sd * sd / 2.0).exp()
    }

    /// Moves `count` items drawn without replacement to the front, in random order.
    pub fn to_front<T>(&mut self, items: &mut [T], count: usize) {
        for at in 0..count.min(items.len()) {
            let other = at + self.below(items.len() - at);
            items.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // first outputs of xoshiro256++ from the state 1 2 3 4, as in the reference implementation's test vectors
        let mut chance = Chance { state: [1, 2, 3, 4] };
        let drawn: Vec<u64> = (0..5).map(|_| chance.word()).collect();
        let published =
            [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386, 9_228_616_714_210_784_205];
        assert_eq!(drawn, published);
        // and splitmix64 from 1234567
        let mut state = 1_234_567;
        assert_eq!(splitmix(&mut state), 6_457_827_717_110_365_317);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let word = |seed, stream| Chance::of(seed, stream).word();
        assert_eq!(word(1, 2), word(1, 2));
        assert_ne!(word(1, 2), word(2, 1));
        assert_ne!(word(1, 2), word(1, 3));
    }

    #[test]
    fn moments_are_what_they_claim() {
        let mut chance = Chance::of(3, 0);
        let count = 200_000;
        let mut sum = 0.0;
        let mut squares = 0.0;
        let mut logs = 0.0;
        let mut whole = [0u32; 7];
        for _ in 0..count {
            let normal = chance.normal();
            sum += normal;
            squares += normal * normal;
            logs += chance.lognormal(0.5);
            whole[chance.below(7)] += 1;
        }
        let count = f64::from(count);
        assert!(
            (sum / count).abs() < 0.01
                && (squares / count - 1.0).abs() < 0.02
                && (logs / count - 1.0).abs() < 0.01
        );
        assert!(whole.iter().all(|seen| (f64::from(*seen) / count - 1.0 / 7.0).abs() < 0.004), "{whole:?}");
    }
}
