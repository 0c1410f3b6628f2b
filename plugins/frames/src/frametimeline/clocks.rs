//! The phone's clocks in a trace: which clock a packet's stamp is of, and what it reads on CLOCK_MONOTONIC. Units: ns.
//!
//! Clocks drift apart only when the phone sleeps (or the wall clock is set), so the nearest snapshot converts.

use super::wire::{Value, fields};
use std::collections::BTreeMap;

/// CLOCK_MONOTONIC's number.
pub(crate) const MONOTONIC: u64 = 3;
/// CLOCK_BOOTTIME's number: what a stamp without a number is of.
pub(crate) const BOOTTIME: u64 = 6;
/// Clocks from here up to 127 belong to one sequence each.
const OF_SEQUENCE: std::ops::RangeInclusive<u64> = 64..=127;
/// Snapshots kept. A service writes one every ten seconds; beyond a day of them every second one is forgotten.
const KEPT: usize = 8192;

/// One clock in one snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reading {
    clock: u64,
    value: i64,
    incremental: bool,
    unit: i64,
}

/// Every snapshot of a trace: what each clock read at an instant of CLOCK_MONOTONIC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// By clock: its reading and CLOCK_MONOTONIC minus it, sorted by the reading once [`Clocks::settle`] was called.
    offsets: BTreeMap<u64, Vec<(i64, i64)>>,
    /// Clocks of one sequence, by sequence and clock.
    own: BTreeMap<(u64, u64), Own>,
    snapshots: u64,
    /// CLOCK_MONOTONIC of the newest snapshot.
    newest: Option<i64>,
}

/// A clock of one sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Own {
    /// BOOTTIME or MONOTONIC beside it in the snapshot.
    base: u64,
    /// What that read then, ns.
    at: i64,
    /// What the clock read then, in its own units.
    value: i64,
    incremental: bool,
    unit: i64,
}

impl Clocks {
    /// Takes a `ClockSnapshot` of a sequence.
    pub fn snapshot(&mut self, sequence: u64, message: &[u8]) {
        let clocks =
            fields(message).filter(|(number, _)| *number == 1).filter_map(|(_, value)| value.bytes());
        let readings: Vec<Reading> = clocks.map(reading).collect();
        let find =
            |clock: u64| readings.iter().find(|reading| reading.clock == clock && !reading.incremental);
        if let Some(monotonic) = find(MONOTONIC) {
            self.snapshots += 1;
            self.newest = self.newest.max(Some(monotonic.value));
            for other in readings.iter().filter(|other| !OF_SEQUENCE.contains(&other.clock)) {
                let value = other.value.saturating_mul(other.unit);
                self.remember(other.clock, value, monotonic.value.saturating_sub(value));
            }
        }
        let Some(base) = find(BOOTTIME).or_else(|| find(MONOTONIC)) else { return };
        for own in readings.iter().filter(|own| OF_SEQUENCE.contains(&own.clock)) {
            let Reading { clock, value, incremental, unit } = *own;
            let own = Own { base: base.clock, at: base.value, value, incremental, unit };
            self.own.insert((sequence, clock), own);
        }
    }

    fn remember(&mut self, clock: u64, value: i64, offset: i64) {
        let known = self.offsets.entry(clock).or_default();
        if known.len() >= KEPT {
            let mut nth = 0_u32;
            known.retain(|_| {
                nth += 1;
                nth.is_multiple_of(2)
            });
        }
        known.push((value, offset));
    }

    /// The stamp of a packet as a clock all packets can be compared on, and that clock. Incremental clocks step on.
    pub fn resolve(&mut self, sequence: u64, clock: u64, stamp: u64) -> Option<(u64, i64)> {
        let stamp = i64::try_from(stamp).ok()?;
        if !OF_SEQUENCE.contains(&clock) {
            return Some((clock, stamp));
        }
        let own = self.own.get_mut(&(sequence, clock))?;
        let value = if own.incremental { own.value.saturating_add(stamp) } else { stamp };
        let since = value.saturating_sub(own.value).saturating_mul(own.unit);
        let at = own.at.saturating_add(since);
        if own.incremental {
            (own.value, own.at) = (value, at);
        }
        Some((own.base, at))
    }

    /// Whether any snapshot tells CLOCK_MONOTONIC.
    pub fn known(&self) -> bool {
        self.snapshots > 0
    }

    /// CLOCK_MONOTONIC of the newest snapshot.
    pub fn newest(&self) -> Option<i64> {
        self.newest
    }

    /// BOOTTIME minus MONOTONIC at the latest snapshot.
    pub(crate) fn newest_offset(&self) -> Option<i64> {
        let known = self.offsets.get(&BOOTTIME)?;
        known.iter().max_by_key(|(at, _)| *at)?.1.checked_neg()
    }

    /// Sorts what was learned: call once, before [`Clocks::monotonic`].
    pub fn settle(&mut self) {
        self.offsets.values_mut().for_each(|offsets| offsets.sort_unstable());
    }

    /// CLOCK_BOOTTIME at an instant of CLOCK_MONOTONIC, by the nearest snapshot; none where no snapshot shows both.
    pub fn boottime(&self, monotonic: i64) -> Option<i64> {
        let known = self.offsets.get(&BOOTTIME)?;
        let nearest =
            known.iter().min_by_key(|(at, offset)| at.saturating_add(*offset).abs_diff(monotonic))?;
        monotonic.checked_sub(nearest.1)
    }

    /// CLOCK_MONOTONIC at a reading of another clock, by the nearest snapshot; none where no snapshot shows that clock.
    pub fn monotonic(&self, clock: u64, value: i64) -> Option<i64> {
        if clock == MONOTONIC {
            return Some(value);
        }
        let known = self.offsets.get(&clock)?;
        let next = known.partition_point(|(at, _)| *at < value);
        let after = known.get(next);
        let before = next.checked_sub(1).and_then(|index| known.get(index));
        let distance = |snapshot: &&(i64, i64)| snapshot.0.abs_diff(value);
        let nearest = before.into_iter().chain(after).min_by_key(distance)?;
        value.checked_add(nearest.1)
    }
}

fn reading(message: &[u8]) -> Reading {
    let mut reading = Reading { unit: 1, ..Reading::default() };
    for (number, value) in fields(message) {
        match (number, value) {
            (1, Value::Number(clock)) => reading.clock = clock,
            (2, Value::Number(stamp)) => reading.value = i64::try_from(stamp).unwrap_or(i64::MAX),
            (3, Value::Number(flag)) => reading.incremental = flag != 0,
            (4, Value::Number(unit)) => reading.unit = i64::try_from(unit).unwrap_or(1).max(1),
            _ => {}
        }
    }
    reading
}
