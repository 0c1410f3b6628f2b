//! The lab's clock, and the wall clock of phones.

use farmjank_results::time::Span;

/// Wall clock of every phone at the beginning of the lab, s since 1970.
pub(crate) const WALL_START_S: i64 = 1_767_225_600;

/// Wall clock of every phone, s since 1970.
pub(super) fn wall_s(now: LabTime) -> i64 {
    WALL_START_S + now.ns().div_euclid(1_000_000_000)
}

/// An instant of the lab: ns since the lab began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabTime(pub i64);

impl LabTime {
    /// From ns since the lab began.
    pub const fn from_ns(ns: i64) -> Self {
        LabTime(ns)
    }

    /// ns since the lab began.
    pub const fn ns(self) -> i64 {
        self.0
    }
}

impl std::ops::Add<Span> for LabTime {
    type Output = LabTime;
    fn add(self, span: Span) -> LabTime {
        LabTime(self.0.saturating_add(span.ns()))
    }
}
