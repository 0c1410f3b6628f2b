//! The law against brute force, and against published values.

use super::*;
use proptest::prelude::*;

fn one(base: &[f64], candidate: &[f64]) -> Vec<Block> {
    vec![Block { base: base.to_vec(), candidate: candidate.to_vec() }]
}

/// Every way to label the pooled values of a block: the candidate's sum of mid-ranks (plain, by counting), with the sum
/// seen.
fn labelled(block: &Block) -> (Vec<f64>, f64) {
    let pooled: Vec<f64> = block.base.iter().chain(&block.candidate).copied().collect();
    let below = |value: f64| pooled.iter().filter(|other| **other < value).count() as f64;
    let tied = |value: f64| pooled.iter().filter(|other| **other == value).count() as f64;
    let ranks: Vec<f64> = pooled.iter().map(|value| below(*value) + (tied(*value) + 1.0) / 2.0).collect();
    let (total, candidates) = (pooled.len(), block.candidate.len());
    let chosen = (0u32..1 << total).filter(|mask| mask.count_ones() as usize == candidates);
    let sum = |mask: u32| (0..total).filter(|at| mask >> at & 1 == 1).map(|at| ranks[at]).sum::<f64>();
    let seen = ranks[block.base.len()..].iter().sum();
    (chosen.map(sum).collect(), seen)
}

/// p two-sided, greater, less by enumeration of all labellings of all blocks.
fn enumerated(blocks: &[Block]) -> [f64; 3] {
    let mut sums = vec![0.0];
    let mut seen = 0.0;
    for block in blocks {
        let (own, own_seen) = labelled(block);
        sums = sums.iter().flat_map(|sum| own.iter().map(move |own| sum + own)).collect();
        seen += own_seen;
    }
    let count = sums.len() as f64;
    let expected = sums.iter().sum::<f64>() / count;
    let share = |holds: &dyn Fn(f64) -> bool| sums.iter().filter(|sum| holds(**sum)).count() as f64 / count;
    // sums are multiples of a half: a quarter separates equal from different
    let far = (seen - expected).abs();
    [
        share(&|sum| (sum - expected).abs() > far - 1e-6),
        share(&|sum| sum > seen - 0.25),
        share(&|sum| sum < seen + 0.25),
    ]
}

fn all(test: &RankTest) -> [f64; 3] {
    [test.p_two_sided, test.p_greater, test.p_less]
}

fn close(left: [f64; 3], right: [f64; 3]) -> bool {
    left.iter().zip(right).all(|(left, right)| (left - right).abs() <= 1e-12)
}

#[test]
fn agrees_with_the_published_tables() {
    // Mann and Whitney 1947: n = m = 5, U = 0 has chance 1/252 on one side; the least two-sided p is 2/252
    let test = test(&one(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]), 0).unwrap();
    assert!(close(all(&test), [2.0 / 252.0, 1.0 / 252.0, 1.0]), "{test:?}");
    assert_eq!(test.method, Method::Exact);
    // 3 + 3 can never reach 5 % on two sides: 2 / 20
    let three = super::test(&one(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0).unwrap();
    assert!((three.p_two_sided - 0.1).abs() < 1e-15);
    // 10 + 10 reaches 2 / C(20, 10), far below what a normal approximation can
    let low: Vec<f64> = (0..10).map(f64::from).collect();
    let high: Vec<f64> = (10..20).map(f64::from).collect();
    assert!((super::test(&one(&low, &high), 0).unwrap().p_two_sided - 2.0 / 184_756.0).abs() < 1e-15);
}

#[test]
fn all_zeros_are_no_difference() {
    let test = test(&one(&[0.0; 8], &[0.0, -0.0, 0.0]), 0).unwrap();
    assert_eq!(all(&test), [1.0; 3]);
}

#[test]
fn arms_that_never_meet_give_no_answer() {
    let apart = [Block { base: vec![1.0], candidate: vec![] }, Block { base: vec![], candidate: vec![2.0] }];
    assert_eq!(test(&apart, 0), None);
    assert_eq!(test(&[], 0), None);
    // a block with one arm changes nothing
    let mut blocks = one(&[1.0, 2.0, 2.0], &[2.0, 5.0, 7.0]);
    let alone = test(&blocks, 0);
    blocks.extend(apart);
    assert_eq!(test(&blocks, 0), alone);
}

#[test]
fn large_samples_are_permuted_at_random_and_come_close_to_exact() {
    let values =
        |shift: f64, count: u32| (0..count).map(|at| f64::from(at * 37 % 101) + shift).collect::<Vec<_>>();
    let huge = one(&values(0.0, 100), &values(9.0, 100));
    let by_chance = test(&huge, 7).unwrap();
    assert_eq!(by_chance.method, Method::MonteCarlo);
    assert_eq!(test(&huge, 7), Some(by_chance));
    // the same drawing on a case whose law is known
    let small = one(&values(0.0, 20), &values(12.0, 20));
    let exact_test = test(&small, 0).unwrap();
    let (ranked, sum) = rank(&small[0]);
    let expected = (ranked.candidates * (ranked.doubled.len() + 1)) as u64;
    let small_by_chance = monte_carlo(&[ranked], sum, expected, 3);
    for (exact, drawn) in all(&exact_test).into_iter().zip(all(&small_by_chance)) {
        // five standard errors
        assert!(
            (exact - drawn).abs() < 5.0 * (exact * (1.0 - exact) / f64::from(DRAWS)).sqrt() + 2e-5,
            "{exact} {drawn}"
        );
    }
}

/// Few distinct values and many zeros: what hitch rates of smooth phones look like.
fn arm(most: usize) -> impl Strategy<Value = Vec<f64>> {
    let value = prop_oneof![2 => Just(0.0), 2 => (0u8..4).prop_map(f64::from), 1 => 0.0f64..4.0];
    proptest::collection::vec(value, 1..=most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_block_is_brute_force(base in arm(6), candidate in arm(6)) {
        let blocks = one(&base, &candidate);
        let test = test(&blocks, 0).unwrap();
        prop_assert!(close(all(&test), enumerated(&blocks)), "{:?} {:?}", test, enumerated(&blocks));
    }

    #[test]
    fn several_blocks_are_brute_force(arms in proptest::collection::vec((arm(3), arm(3)), 1..4)) {
        let blocks: Vec<Block> = arms.into_iter().map(|(base, candidate)| Block { base, candidate }).collect();
        let test = test(&blocks, 0).unwrap();
        prop_assert!(close(all(&test), enumerated(&blocks)), "{:?} {:?}", test, enumerated(&blocks));
    }

    #[test]
    fn remembered_laws_answer_as_fresh_ones(arms in proptest::collection::vec((arm(6), arm(6)), 1..5)) {
        let mut tests = Tests::default();
        for (base, candidate) in &arms {
            let blocks = one(base, candidate);
            prop_assert_eq!(tests.test(&blocks, 0), super::test(&blocks, 0));
        }
    }

    #[test]
    fn swapping_the_arms_swaps_the_sides(arms in proptest::collection::vec((arm(8), arm(5)), 1..3)) {
        let blocks: Vec<Block> = arms.into_iter().map(|(base, candidate)| Block { base, candidate }).collect();
        let swapped: Vec<Block> =
            blocks.iter().map(|block| Block { base: block.candidate.clone(), candidate: block.base.clone() }).collect();
        let (left, right) = (test(&blocks, 0).unwrap(), test(&swapped, 0).unwrap());
        prop_assert!(close(all(&left), [right.p_two_sided, right.p_less, right.p_greater]));
    }

    #[test]
    fn only_the_order_of_values_matters(base in arm(9), candidate in arm(9), scale in 0.1f64..50.0) {
        let bent = |values: &[f64]| values.iter().map(|value| (value * scale).exp().min(1e300)).collect::<Vec<_>>();
        let finite = [&base, &candidate].iter().all(|arm| arm.iter().all(|value| value * scale < 600.0));
        prop_assume!(finite);
        prop_assert_eq!(test(&one(&base, &candidate), 0), test(&one(&bent(&base), &bent(&candidate)), 0));
    }
}
