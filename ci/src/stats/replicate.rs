//! Replicates shared among the processors of this machine. What comes out does not depend on how many there are.

use farmjank_statistics::rank::Tests;
use std::thread;

/// Runs trials number 0..count and joins what they give. `join` must not care for order.
pub fn replicates<T: Send + Default>(
    count: u64,
    trial: impl Fn(u64, &mut Tests) -> T + Sync,
    join: impl Fn(T, T) -> T + Sync,
) -> T {
    let workers = thread::available_parallelism().map_or(1, usize::from) as u64;
    let work = |worker: u64| {
        let mut tests = Tests::default();
        let own = (worker..count).step_by(workers as usize);
        own.fold(T::default(), |all, replicate| join(all, trial(replicate, &mut tests)))
    };
    thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let done = started.into_iter().map(|worker| worker.join().expect("a trial does not panic"));
        done.fold(T::default(), &join)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_replicate_runs_once() {
        let mut seen = replicates(
            101,
            |replicate, _| vec![replicate],
            |mut left, right| {
                left.extend(right);
                left
            },
        );
        seen.sort_unstable();
        assert_eq!(seen, (0..101).collect::<Vec<_>>());
    }
}
