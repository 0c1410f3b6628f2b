//! What matters and what could be seen: the minimum effect of interest (MEI) and the minimal detectable effect (MDE).

use crate::sample::{Block, squares};
use crate::size::Unseen;
use serde::{Deserialize, Serialize};

/// Default MEI of metrics in ms/s: never below this.
pub(crate) const MEI_FLOOR: f64 = 10.0;
/// … nor below this times the root of the baseline: what 15 iterations of 20 s can see
/// (docs/design/statistics.md#what-matters).
pub(crate) const MEI_ROOT: f64 = 4.0;
/// Standard errors a change must have to be found with 80 % power at 5 %, two-sided: 1.96 + 0.84.
pub const STANDARD_ERRORS: f64 = 2.8;

/// The least change that matters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mei {
    /// max(10, 4 √baseline): for hitch times in ms/s, and only for them.
    Hitch,
    /// A change in the metric's unit.
    Absolute(f64),
    /// A share of the baseline: 0.05 is 5 %.
    Relative(f64),
    /// The greater of a change in the metric's unit and a share of the baseline.
    Greater {
        /// In the metric's unit.
        absolute: f64,
        /// Share of the baseline.
        relative: f64,
    },
}

impl Mei {
    /// In the metric's unit, given the mean of the baseline. Never negative.
    pub fn of(self, baseline: f64) -> f64 {
        let level = baseline.abs();
        let mei = match self {
            Mei::Hitch => MEI_FLOOR.max(MEI_ROOT * level.sqrt()),
            Mei::Absolute(change) => change,
            Mei::Relative(share) => share * level,
            Mei::Greater { absolute, relative } => absolute.max(relative * level),
        };
        mei.max(0.0)
    }
}

/// The change these iterations could have found with 80 % power: 2.8 s √(1/n + 1/m), which is 2.8 s √(2/n) for arms of
/// one length. s is the spread inside arm and block, and no less than can be believed. None where no arm of a block has
/// two values.
pub fn detectable(blocks: &[Block], unseen: Unseen) -> Option<f64> {
    let arms =
        || blocks.iter().flat_map(|block| [&block.base, &block.candidate]).filter(|arm| !arm.is_empty());
    let freedom = arms().map(|arm| arm.len() - 1).sum::<usize>();
    let (n, m) =
        blocks.iter().fold((0, 0), |(n, m), block| (n + block.base.len(), m + block.candidate.len()));
    if freedom == 0 || n == 0 || m == 0 {
        return None;
    }
    let own = (arms().map(|arm| squares(arm)).sum::<f64>() / freedom as f64).sqrt();
    let spread = own.max(unseen.sd(n + m, own > 0.0));
    Some(STANDARD_ERRORS * spread * (1.0 / n as f64 + 1.0 / m as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_ten_until_the_root_takes_over() {
        assert_eq!((Mei::Hitch.of(0.0), Mei::Hitch.of(6.25), Mei::Hitch.of(25.0)), (10.0, 10.0, 20.0));
        assert_eq!((Mei::Absolute(5.0).of(80.0), Mei::Relative(0.1).of(80.0)), (5.0, 8.0));
        let either = Mei::Greater { absolute: 2.0, relative: 0.05 };
        assert_eq!((either.of(10.0), either.of(60.0)), (2.0, 3.0));
        assert_eq!(Mei::Absolute(-1.0).of(3.0), 0.0);
    }

    #[test]
    fn what_could_be_seen_is_the_worked_number() {
        let known = |blocks: &[Block]| detectable(blocks, Unseen::default());
        // two arms of 1 2 3: s = 1, 2.8 √(2/3)
        let arm = vec![1.0, 2.0, 3.0];
        let block = Block { base: arm.clone(), candidate: arm.clone() };
        let mde = known(std::slice::from_ref(&block)).unwrap();
        assert!((mde - 2.8 * (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
        // a block that lies elsewhere adds no spread
        let far = Block { base: vec![101.0, 102.0, 103.0], candidate: vec![101.0, 102.0, 103.0] };
        let both = known(&[block, far]).unwrap();
        assert!((both - 2.8 * (2.0f64 / 6.0).sqrt()).abs() < 1e-12, "{both}");
        assert_eq!(known(&[Block { base: vec![1.0], candidate: vec![2.0] }]), None);
        assert_eq!(known(&[Block { base: arm, candidate: vec![] }]), None);
        // what does not vary was not seen to vary: one of ten could have been off by a step
        let still = Block { base: vec![0.0; 5], candidate: vec![0.0; 5] };
        let unseen = Unseen { matters: 10.0, ..Unseen::default() };
        assert!(
            (detectable(&[still], unseen).unwrap() - 2.8 * 10.0 / 10.0f64.sqrt() * 0.4f64.sqrt()).abs()
                < 1e-12
        );
    }
}
