//! A session's numbers as a blob: values, seconds, causes of void iterations. Lossless to the last bit, and small:
//! counts take a byte each, times known to the ns five, everything else eight.
//!
//! `1`, numbers, numbers, texts. Numbers: how many, how they are written (`0` as they are in memory, `1` whole numbers,
//! `2` whole billionths), each. Texts: how many, and each with its length. All whole numbers are LEB128 varints, those
//! with a sign as zigzag. Must not know: cells, databases. Units: those of the metric, and s.

use farmjank_leaf::varint::{self, unzigzag, zigzag};

const FORMAT: u8 = 1;
const PLAIN: u8 = 0;
const WHOLE: u8 = 1;
const BILLIONTHS: u8 = 2;
/// Whole numbers below this are exact as `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What a blob holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// One value per iteration.
    pub values: Vec<f64>,
    /// Time in motion of each, s.
    pub seconds: Vec<f64>,
    /// Causes of void iterations.
    pub void: Vec<String>,
}

/// The blob.
pub fn encode(values: &[f64], seconds: &[f64], void: &[String]) -> Vec<u8> {
    let mut bytes = vec![FORMAT];
    numbers(&mut bytes, values);
    numbers(&mut bytes, seconds);
    varint::write(&mut bytes, void.len() as u64);
    for cause in void {
        varint::write(&mut bytes, cause.len() as u64);
        bytes.extend_from_slice(cause.as_bytes());
    }
    bytes
}

/// What the blob holds; `None` when it is no blob of ours. Takes no more memory than a few times the blob.
pub fn decode(bytes: &[u8]) -> Option<Body> {
    let mut rest = bytes.strip_prefix(&[FORMAT])?;
    let values = read_numbers(&mut rest)?;
    let seconds = read_numbers(&mut rest)?;
    let mut void = Vec::new();
    for _ in 0..varint::take(&mut rest)? {
        let length = usize::try_from(varint::take(&mut rest)?).ok()?;
        let (text, after) = rest.split_at_checked(length)?;
        void.push(std::str::from_utf8(text).ok()?.to_owned());
        rest = after;
    }
    rest.is_empty().then_some(Body { values, seconds, void })
}

/// The numbers as whole multiples of one part in `by`, if that loses no bit of any.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "checked by the bits that come back"
)]
fn scaled(numbers: &[f64], by: f64) -> Option<Vec<i64>> {
    let one = |number: &f64| {
        let parts = (number * by).round();
        let whole = parts as i64;
        let fits = parts.abs() < EXACT && (whole as f64 / by).to_bits() == number.to_bits();
        fits.then_some(whole)
    };
    numbers.iter().map(one).collect()
}

fn numbers(bytes: &mut Vec<u8>, numbers: &[f64]) {
    varint::write(bytes, numbers.len() as u64);
    let whole = scaled(numbers, 1.0).map(|whole| (WHOLE, whole));
    match whole.or_else(|| Some((BILLIONTHS, scaled(numbers, 1e9)?))) {
        Some((way, whole)) => {
            bytes.push(way);
            whole.into_iter().for_each(|number| varint::write(bytes, zigzag(number)));
        }
        None => {
            bytes.push(PLAIN);
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        }
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "written only below the bound where every whole number is exact"
)]
fn read_numbers(rest: &mut &[u8]) -> Option<Vec<f64>> {
    let count = usize::try_from(varint::take(rest)?).ok()?;
    let (way, after) = rest.split_first()?;
    *rest = after;
    // Each number takes a byte or more: a count that lies cannot make us reserve memory.
    if count > rest.len() {
        return None;
    }
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        numbers.push(match *way {
            PLAIN => {
                let (number, after) = rest.split_first_chunk()?;
                *rest = after;
                f64::from_le_bytes(*number)
            }
            WHOLE => unzigzag(varint::take(rest)?) as f64,
            BILLIONTHS => unzigzag(varint::take(rest)?) as f64 / 1e9,
            _ => return None,
        });
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>().prop_filter("finite", |number| number.is_finite()),
            (0..500_u32).prop_map(f64::from),
            (0..20_000_000_000_u64).prop_map(|ns| ns as f64 / 1e9),
            Just(-0.0),
            Just(EXACT),
        ]
    }

    proptest! {
        #[test]
        fn nothing_is_lost(values in vec(number(), 0..40), seconds in vec(number(), 0..40), void in vec(".*", 0..4)) {
            let read = decode(&encode(&values, &seconds, &void)).unwrap();
            let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&read.values), bits(&values));
            prop_assert_eq!(bits(&read.seconds), bits(&seconds));
            prop_assert_eq!(read.void, void);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
            let mut bytes = bytes;
            if let Some(body) = decode(&bytes) {
                prop_assert!(body.values.len() + body.seconds.len() + body.void.len() <= bytes.len());
            }
            bytes.splice(0..0, [FORMAT, 0xff, 0xff, 0xff, 0xff, 0x0f]);
            prop_assert_eq!(decode(&bytes), None);
        }

        #[test]
        fn a_cut_blob_is_refused(values in vec(number(), 1..20), void in vec(".*", 0..3), cut in any::<prop::sample::Index>()) {
            let whole = encode(&values, &[], &void);
            prop_assert_eq!(decode(&whole[..cut.index(whole.len())]), None);
        }
    }

    #[test]
    fn counts_and_times_are_small() {
        let seconds: Vec<f64> = (0..15_u32).map(|n| 20.0 + f64::from(n) * 0.016_666_667).collect();
        assert_eq!(encode(&[0.0; 15], &[], &[]).len(), 1 + 2 + 15 + 2 + 1);
        let ns: Vec<f64> = seconds.iter().map(|s| (s * 1e9).round() / 1e9).collect();
        assert!(encode(&[], &ns, &[]).len() <= 1 + 2 + 2 + 1 + 15 * 6);
    }
}
