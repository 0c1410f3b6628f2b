//! Looking again: a cell that is undecided may be measured further, at most three looks in all, samples added and never
//! replaced, each look held to one smaller bound so that all together keep 5 % (Pocock 1977).

use serde::{Deserialize, Serialize};

/// Looks at most.
pub const LOOKS: u8 = 3;
/// One-sided bound of each look: Pocock's constant for three looks at a one-sided 5 % in all.
pub const BOUND: f64 = 0.0221;

/// What a look says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// Significant: stop.
    Found,
    /// Not yet: measure more, keep everything, look again.
    Again,
    /// Not found, and no look is left.
    Spent,
}

/// Judges look number `look` (from 1) by the one-sided p of *all* samples so far.
pub fn look(look: u8, p_one_sided: f64) -> Look {
    match look {
        0 => Look::Again,
        number if number <= LOOKS && p_one_sided <= BOUND => Look::Found,
        number if number < LOOKS => Look::Again,
        _ => Look::Spent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_looks_and_no_more() {
        assert_eq!((look(1, 0.0221), look(1, 0.0222), look(2, 0.9)), (Look::Found, Look::Again, Look::Again));
        assert_eq!((look(3, 0.02), look(3, 0.05), look(4, 0.0)), (Look::Found, Look::Spent, Look::Spent));
        assert_eq!(look(1, f64::NAN), Look::Again);
    }
}
