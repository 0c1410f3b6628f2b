//! What a metric may read: a number between two bounds, a list of them, one of several tables, or nothing at all.

use farmjank_results::metric::{Cell, Reading};
use std::collections::BTreeMap;

/// Rows of a table: named numbers.
pub type Rows = Vec<BTreeMap<&'static str, f64>>;

/// What the truth allows.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A number between these, both included.
    Number(f64, f64),
    /// A list of so many numbers, each between its bounds.
    List(Vec<(f64, f64)>),
    /// One of these lists, each number within so much.
    OneOf(Vec<Vec<f64>>, f64),
    /// One of these tables, numbers within a millionth.
    Rows(Vec<Rows>),
    /// A table of so many rows, least and most.
    RowCount(usize, usize),
    /// No number, and a reason.
    Absent,
}

impl Answer {
    /// This number, up to the rounding of floats.
    pub fn exact(value: f64) -> Answer {
        Answer::about(value, value.abs() * 1e-9 + 1e-6)
    }

    /// This number, more or less.
    pub fn about(value: f64, slack: f64) -> Answer {
        Answer::Number(value - slack, value + slack)
    }

    /// Between these two, whichever is less, with more room.
    pub fn between(one: f64, other: f64, slack: f64) -> Answer {
        let slack = slack + one.abs().max(other.abs()) * 1e-9 + 1e-6;
        Answer::Number(one.min(other) - slack, one.max(other) + slack)
    }

    /// This list, each number more or less.
    pub fn list(values: impl IntoIterator<Item = f64>, slack: f64) -> Answer {
        let room = |value: f64| (value - slack - 1e-6, value + slack + 1e-6);
        Answer::List(values.into_iter().map(room).collect())
    }

    /// A number, unless there is nothing to make it of.
    pub fn known(value: Option<f64>) -> Answer {
        value.map_or(Answer::Absent, Answer::exact)
    }

    /// Whether a reading is such.
    pub fn admits(&self, reading: &Reading) -> bool {
        match (self, reading) {
            (Answer::Number(low, high), Reading::Value(value)) => (*low..=*high).contains(value),
            (Answer::List(bounds), Reading::List(values)) => {
                bounds.len() == values.len()
                    && bounds.iter().zip(values).all(|((low, high), value)| (*low..=*high).contains(value))
            }
            (Answer::OneOf(lists, slack), Reading::List(values)) => lists.iter().any(|list| {
                list.len() == values.len()
                    && list.iter().zip(values).all(|(one, other)| (one - other).abs() <= slack + 1e-6)
            }),
            (Answer::Rows(tables), Reading::Table(read)) => tables.iter().any(|table| same(table, read)),
            (Answer::RowCount(least, most), Reading::Table(read)) => (*least..=*most).contains(&read.len()),
            (Answer::Absent, Reading::Unmeasurable(why)) => !why.is_empty(),
            _ => false,
        }
    }
}

/// Numbers of the truth are all there; what else the tool says, texts for one, is not asked.
fn same(rows: &Rows, read: &[BTreeMap<String, Cell>]) -> bool {
    let agrees = |mine: &BTreeMap<&str, f64>, theirs: &BTreeMap<String, Cell>| {
        mine.iter().all(|(name, value)| match theirs.get(*name) {
            Some(Cell::Number(number)) => (number - value).abs() <= 1e-6 * value.abs().max(1.0),
            _ => false,
        })
    };
    rows.len() == read.len() && rows.iter().zip(read).all(|(mine, theirs)| agrees(mine, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_within_the_bounds_is_admitted() {
        let two = Answer::exact(2.0);
        assert!(two.admits(&Reading::Value(2.0)) && !two.admits(&Reading::Value(2.001)));
        assert!(!two.admits(&Reading::Unmeasurable("why".into())));
        assert!(Answer::Absent.admits(&Reading::Unmeasurable("why".into())));
        assert!(!Answer::Absent.admits(&Reading::Unmeasurable("".into())));
        let list = Answer::list([1.0, 2.0], 0.5);
        assert!(list.admits(&Reading::List(vec![1.5, 1.5])) && !list.admits(&Reading::List(vec![1.0])));
        let rows = Answer::Rows(vec![vec![BTreeMap::from([("ms", 5.0)])]]);
        let read = |ms| Reading::Table(vec![BTreeMap::from([("ms".to_owned(), Cell::Number(ms))])]);
        assert!(rows.admits(&read(5.0)) && !rows.admits(&read(5.1)) && !rows.admits(&Reading::Table(vec![])));
    }
}
