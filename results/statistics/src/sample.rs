//! Samples: one number per iteration, inside blocks. The words every other file here speaks.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One iteration's value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The block it was measured in: an arbitrary number, equal for what shared a session. Base and candidate that ran
    /// interleaved in one session have the same block.
    pub block: u32,
    /// Value in the metric's unit.
    pub value: f64,
}

impl Sample {
    /// A sample of a block.
    pub fn new(block: u32, value: f64) -> Sample {
        Sample { block, value }
    }

    /// Values that all belong to one block.
    pub fn of_block(block: u32, values: &[f64]) -> Vec<Sample> {
        values.iter().map(|value| Sample { block, value: *value }).collect()
    }
}

/// Which way a metric improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less is better: hitch time.
    Lower,
    /// More is better: frame rate.
    Higher,
}

impl Better {
    /// A change of the value as a worsening: positive is worse.
    pub fn worsening(self, change: f64) -> f64 {
        match self {
            Better::Lower => change,
            Better::Higher => -change,
        }
    }
}

/// Both arms of one block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Values of the base.
    pub base: Vec<f64>,
    /// Values of the candidate.
    pub candidate: Vec<f64>,
}

/// Samples of both arms by block, in order of the blocks' numbers.
pub fn blocks(base: &[Sample], candidate: &[Sample]) -> Vec<Block> {
    let mut found: BTreeMap<u32, Block> = BTreeMap::new();
    for sample in base {
        found.entry(sample.block).or_default().base.push(sample.value);
    }
    for sample in candidate {
        found.entry(sample.block).or_default().candidate.push(sample.value);
    }
    found.into_values().collect()
}

/// Arithmetic mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sum of squared deviations from the mean; 0 of nothing.
pub(crate) fn squares(values: &[f64]) -> f64 {
    let Some(mean) = mean(values) else { return 0.0 };
    values.iter().map(|value| (value - mean) * (value - mean)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_bring_the_arms_together() {
        let base = [Sample::new(4, 1.0), Sample::new(1, 2.0)];
        let found = blocks(&base, &Sample::of_block(4, &[5.0, 6.0]));
        assert_eq!(found[0], Block { base: vec![2.0], candidate: vec![] });
        assert_eq!(found[1], Block { base: vec![1.0], candidate: vec![5.0, 6.0] });
        assert_eq!((mean(&[]), squares(&[1.0, 3.0])), (None, 2.0));
        assert_eq!((Better::Lower.worsening(2.0), Better::Higher.worsening(2.0)), (2.0, -2.0));
    }
}
