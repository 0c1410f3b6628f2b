//! How long iterations took, of one scenario on phones of one class: what the next plan knows of them.
//!
//! Must not know where that is kept.

use crate::event::Ending;
use crate::record::Record;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long an iteration of a scenario takes on phones of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterationTime {
    /// Hash of the scenario's content (hex).
    pub hash: String,
    /// [`DeviceFacts::class`](crate::device::DeviceFacts::class) of the phones.
    pub class: String,
    /// From its start to its end, cooling and teardown included, ms.
    pub ms: u64,
}

/// What a run tells: the median of the iterations that came to their end, warm-ups among them; not of builds that took
/// turns, each of which has its own. In order of scenarios and classes, each once.
pub fn iteration_times(record: &Record) -> Vec<IterationTime> {
    let mut all: BTreeMap<(&str, String), Vec<u64>> = BTreeMap::new();
    for job in record.jobs.values() {
        let facts = job.planned.device.as_ref().and_then(|id| record.devices.get(id));
        let Some(facts) = facts else { continue };
        let whole = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed));
        let times = whole.filter(|trial| trial.turn.is_none()).filter_map(|trial| {
            let took = trial.ended? - trial.started;
            u64::try_from(took.ns() / 1_000_000).ok()
        });
        all.entry((&job.planned.hash, facts.class())).or_default().extend(times);
    }
    let told = |((hash, class), times): ((&str, String), Vec<u64>)| {
        Some(IterationTime { hash: hash.to_owned(), class, ms: median(times)? })
    };
    all.into_iter().filter_map(told).collect()
}

/// How long iterations took before, by scenario and class of phones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsualTimes(BTreeMap<(String, String), u64>);

impl UsualTimes {
    /// The median of what runs told, each of them once; of an even number the smaller of the two in the middle.
    pub fn of(told: impl IntoIterator<Item = IterationTime>) -> Self {
        let mut all: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
        for IterationTime { hash, class, ms } in told {
            all.entry((hash, class)).or_default().push(ms);
        }
        UsualTimes(all.into_iter().filter_map(|(of, times)| Some((of, median(times)?))).collect())
    }

    /// How long one iteration usually takes, ms; none where nobody knows.
    pub fn ms(&self, hash: &str, class: &str) -> Option<u64> {
        self.0.get(&(hash.to_owned(), class.to_owned())).copied()
    }
}

/// So many iterations of so many ms. Saturates.
pub fn of_all(ms: u64, iterations: u32) -> Duration {
    Duration::from_millis(ms).saturating_mul(iterations)
}

fn median(mut times: Vec<u64>) -> Option<u64> {
    times.sort_unstable();
    times.get(times.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_usually_takes_is_the_middle_of_what_runs_told_and_classes_stay_apart() {
        let time = |class: &str, ms| IterationTime { hash: "c0ffee".into(), class: class.into(), ms };
        let told =
            [time("a", 9_000), time("a", 1_000), time("b", 5_000), time("a", 2_000), time("a", 90_000)];
        let usual = UsualTimes::of(told);
        assert_eq!(usual.ms("c0ffee", "a"), Some(2_000), "one slow night moves nothing");
        assert_eq!(
            (usual.ms("c0ffee", "b"), usual.ms("c0ffee", "c"), usual.ms("0", "a")),
            (Some(5_000), None, None)
        );
        assert_eq!(of_all(u64::MAX, 7), Duration::from_millis(u64::MAX).saturating_mul(7));
    }
}
