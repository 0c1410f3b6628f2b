//! Before anything is measured: how many iterations it takes until a cell can end as a pass, or a change can be found.
//!
//! Normal approximations of what [`crate::state`] asks for, held against simulation in the crate's tests: plans, not
//! verdicts. Spreads and effects are in the metric's unit, iterations are those of one arm, both arms are measured
//! equally often.

use crate::beyond::rules_out;
use crate::normal::{below, quantile};
use crate::power::STANDARD_ERRORS;
use crate::size::unseen_step;
use crate::state::ITERATIONS_TO_PASS;

/// Iterations per arm beyond which none are planned.
pub const MOST: usize = 10_000;
/// How far the estimated variance of iterations strays: kurtosis of hitch times. On the noise model of
/// docs/design/statistics.md#the-noise-model 3 to 12 at 20 s of motion, 4 to 22 at 6 s, 6 to 27 at 2 s.
const KURTOSIS: f64 = 20.0;
/// Points at which the spread that will be estimated is tried: the middles of as many equal chances.
const POINTS: usize = 24;

/// How much a cell moves when nothing changed, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moves {
    /// Standard deviation between iterations of one arm and block.
    pub sd: f64,
    /// Standard deviation between installations of one build; 0 where they do not differ, or nobody knows.
    pub installation_sd: f64,
    /// Iterations of one installation.
    pub per_install: usize,
}

impl Moves {
    /// Iterations that differ so much, installations that do not.
    pub fn of(sd: f64) -> Moves {
        Moves { sd, installation_sd: 0.0, per_install: 1 }
    }

    /// Standard error of the difference of two means of n iterations: as iterations alone explain it, and as it is.
    fn errors(self, mei: f64, n: usize) -> (f64, f64) {
        let sd = self.believed(mei, n);
        let installations = n.div_ceil(self.per_install.max(1)) as f64;
        let told = 2.0 * sd * sd / n as f64;
        (told.sqrt(), (told + 2.0 * self.installation_sd * self.installation_sd / installations).sqrt())
    }

    /// Iterations that do not differ are believed no less than one of them off by what matters.
    fn believed(self, mei: f64, n: usize) -> f64 {
        if self.sd > 0.0 { self.sd } else { unseen_step(mei, 2 * n) }
    }

    fn is_sound(self) -> bool {
        [self.sd, self.installation_sd].into_iter().all(|sd| sd.is_finite() && sd >= 0.0)
    }
}

/// Chance that a cell of n + n iterations ends as a pass when nothing changed; 0 below [`ITERATIONS_TO_PASS`], and
/// where the numbers make no sense.
pub(crate) fn chance_to_pass(moves: Moves, mei: f64, n: usize) -> f64 {
    if n < ITERATIONS_TO_PASS || !moves.is_sound() || mei.is_nan() || mei <= 0.0 {
        return 0.0;
    }
    let (told, real) = moves.errors(mei, n);
    // the spread is estimated from both arms: its square strays by √((kurtosis - 1) / 2n) of itself, as a lognormal
    let stray = ((KURTOSIS - 1.0) / (2 * n) as f64).ln_1p().sqrt();
    let at = |point: usize| {
        let z = quantile((point as f64 + 0.5) / POINTS as f64).unwrap_or(0.0);
        let estimated = told * (z * stray / 2.0 - stray * stray / 4.0).exp();
        // the bound of the mean below the MEI; at normal quantiles, as n is large
        if STANDARD_ERRORS * estimated <= mei { below((mei - BOUND * estimated) / real) } else { 0.0 }
    };
    // each terrible one more asks for the same luck again
    let spared = 1.0 - terrible_by_chance(moves.believed(mei, n), mei).powi(allowed(n));
    spared * (0..POINTS).map(at).sum::<f64>() / POINTS as f64
}

/// Chance that an iteration of a candidate like its base is the first of both beyond all of the base, and by an MEI:
/// one half for the first, and the less the tighter iterations lie (docs/design/statistics.md#the-noise-model, fitted
/// from above); on silent phones foreign work alone makes a fourth.
fn terrible_by_chance(sd: f64, mei: f64) -> f64 {
    (0.5 * (-0.25 * mei / sd).exp()).max(0.25)
}

/// Terrible iterations that n may have and still rule out one in ten.
fn allowed(n: usize) -> i32 {
    (0i32..).take_while(|count| rules_out(*count as usize, n)).count() as i32
}

/// Standard errors from a mean to the end of its interval, with some allowance for the quantile of t at 2 × 29
/// iterations.
const BOUND: f64 = 2.0;

/// Iterations of each arm with which a cell ends as a pass with that chance when nothing changed. None where [`MOST`]
/// do not suffice.
pub fn to_pass(moves: Moves, mei: f64, chance: f64) -> Option<usize> {
    least(|n| chance_to_pass(moves, mei, n) >= chance)
}

/// The greatest standard deviation between iterations with which n of each arm still pass with that chance; none where
/// no spread is small enough. Over longer windows it falls about as one over the root of their length.
pub fn sd_to_pass(mei: f64, n: usize, chance: f64) -> Option<f64> {
    let passes = |sd: f64| chance_to_pass(Moves::of(sd), mei, n) >= chance;
    let mut low = 0.0;
    let mut high = mei * n as f64;
    if !passes(low) {
        return None;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if passes(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// The chance each of so many cells needs, so that all of them together have this one.
pub fn each(chance: f64, cells: usize) -> f64 {
    chance.powf(1.0 / cells.max(1) as f64)
}

/// The least n up to [`MOST`] for which it holds, where it goes on to hold for greater ones.
fn least(holds: impl Fn(usize) -> bool) -> Option<usize> {
    let mut low = 0;
    let mut high = MOST;
    if !holds(high) {
        return None;
    }
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if holds(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quiet_cells_need_the_least_and_noisy_ones_more() {
        // none, one or two terrible ones by chance are allowed of 29, 46 and 61; one comes in a fourth of the cells
        let quiet = |chance| to_pass(Moves::of(0.0), 10.0, chance);
        assert_eq!([0.74, 0.93, 0.95].map(quiet), [Some(ITERATIONS_TO_PASS), Some(46), Some(61)]);
        assert_eq!(chance_to_pass(Moves::of(0.0), 10.0, ITERATIONS_TO_PASS - 1), 0.0);
        // 2 (1.96 + 1.64)² (sd / mei)² = 104 for a spread of twice what matters, and something for a spread that strays
        let noisy = to_pass(Moves::of(20.0), 10.0, 0.95).unwrap();
        assert!((104..150).contains(&noisy), "{noisy}");
        assert!(to_pass(Moves::of(20.0), 10.0, each(0.95, 20)) > Some(noisy));
        assert_eq!(to_pass(Moves::of(1e6), 10.0, 0.95), None);
        for wrong in [Moves::of(f64::NAN), Moves::of(-1.0)] {
            assert_eq!(chance_to_pass(wrong, 10.0, 50), 0.0);
        }
        assert_eq!(chance_to_pass(Moves::of(1.0), 0.0, 50), 0.0);
    }

    #[test]
    fn installations_that_differ_ask_for_more_of_them() {
        let differing = Moves { sd: 5.0, installation_sd: 4.0, per_install: 5 };
        let chance = |n| chance_to_pass(differing, 10.0, n);
        assert!(chance(30) < chance_to_pass(Moves::of(5.0), 10.0, 30) && chance(30) < chance(60));
        let each_time = Moves { per_install: 1, ..differing };
        assert!(chance_to_pass(each_time, 10.0, 30) > chance(30));
    }

    #[test]
    fn the_spread_that_passes_is_the_one_that_needs_so_many() {
        let sd = sd_to_pass(10.0, 60, 0.9).unwrap();
        assert!(
            chance_to_pass(Moves::of(sd), 10.0, 60) >= 0.9
                && chance_to_pass(Moves::of(sd * 1.01), 10.0, 60) < 0.9
        );
        assert_eq!(sd_to_pass(10.0, 10, 0.9), None);
        assert_eq!((each(0.95, 1), each(0.95, 0)), (0.95, 0.95));
        assert!((each(0.95, 12).powi(12) - 0.95).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn more_iterations_and_less_noise_never_hurt(sd in 0.0f64..60.0, mei in 5.0f64..50.0, n in 29usize..400, more in 1usize..100) {
            let chance = |sd: f64, n: usize| chance_to_pass(Moves::of(sd), mei, n);
            prop_assert!(chance(sd, n + more) >= chance(sd, n) - 1e-9);
            prop_assert!(chance(sd + 1.0, n) <= chance(sd, n) + 1e-9);
            prop_assert!((0.0..=1.0).contains(&chance(sd, n)));
        }
    }
}
