//! What one call of `input` takes before its first event and after its last one, ns (docs/design/phones.md#input).

use super::super::state::MS;
use crate::archetype::Archetype;
use crate::chance::{Draw, Stream};
use crate::spec::InputSpec;

/// Newest API level on which every call starts a Java virtual machine of its own.
pub(super) const JVM_UNTIL: u32 = 30;
/// Programs per core at which the waits below were measured.
const MEASURED_AT: f64 = 4.0;
/// Longest wait for a core before the first event, ms, at that many programs per core.
const LATE_START_MS: f64 = 590.0;
/// The same for one event of a gesture.
const LATE_EVENT_MS: f64 = 60.0;
/// The same from the last event until the caller goes on.
const LATE_RETURN_MS: f64 = 630.0;

/// One call's own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Until the first event.
    pub before: i64,
    /// A finger leaves so much later than it was asked to.
    pub late: i64,
    /// From the last event until the command returns.
    pub after: i64,
}

/// The cost of call number `call`; `start` is what starting its program takes on an idle phone.
pub(super) fn of(spec: &InputSpec, archetype: &Archetype, seed: u64, call: u64, start: i64) -> Cost {
    if spec.prompt {
        return Cost { before: start, late: 0, after: 2 * MS };
    }
    let draw = Draw::of(seed, Stream::Input, call);
    let crowd = ((spec.crowd - 1.0) / (MEASURED_AT - 1.0)).max(0.0);
    // Most calls get a core soon, some wait for all the others.
    let waits = |most: f64, index: u64| (crowd * most * draw.next(index).unit().powi(2) * 1e6) as i64;
    let (before, after) = match archetype.sdk <= JVM_UNTIL {
        // The machine is taken down again before the shell goes on.
        true => (start, draw.next(1).between(12.0, 106.0)),
        false => ((draw.next(2).between(8.0, 34.0) * 1e6) as i64, draw.next(1).between(1.5, 6.0)),
    };
    Cost {
        before: before + waits(LATE_START_MS, 3),
        late: waits(LATE_EVENT_MS, 4),
        after: (after * 1e6) as i64 + waits(LATE_RETURN_MS, 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(name: &str, spec: InputSpec) -> [(i64, i64); 3] {
        let archetype = Archetype::find(name).unwrap();
        let all: Vec<Cost> = (0..2_000).map(|call| of(&spec, archetype, 7, call, 400 * MS)).collect();
        [|cost: &Cost| cost.before, |cost: &Cost| cost.late, |cost: &Cost| cost.after].map(|part| {
            (all.iter().map(part).min().unwrap_or(0) / MS, all.iter().map(part).max().unwrap_or(0) / MS)
        })
    }

    #[test]
    fn a_quiet_phone_returns_within_the_measured_bounds_and_a_crowded_one_within_its_own() {
        let quiet = InputSpec { prompt: false, crowd: 1.0, ..InputSpec::default() };
        assert_eq!(spread("galaxy-s7", quiet), [(400, 400), (0, 0), (12, 105)]);
        assert_eq!(spread("pixel-8", quiet), [(8, 33), (0, 0), (1, 5)]);
        let crowded = InputSpec { prompt: false, crowd: 4.0, ..InputSpec::default() };
        let [before, late, after] = spread("galaxy-s7", crowded);
        assert!(before.0 == 400 && (950..=990).contains(&before.1), "{before:?}");
        assert!(late.0 == 0 && (50..=60).contains(&late.1), "{late:?}");
        assert!(after.0 < 30 && (640..=736).contains(&after.1), "{after:?}");
        assert_eq!(
            spread("pixel-8", InputSpec { prompt: true, crowd: 4.0, ..InputSpec::default() })[2],
            (2, 2)
        );
    }
}
