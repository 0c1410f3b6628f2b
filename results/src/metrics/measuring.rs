//! Measuring a window by every metric at once: what they share is looked at once.
//!
//! Must not know single metrics: the same readings as [`reading`](super::reading) gives one by one.

use super::{doubt, registry};
use crate::metric::{Metric, Needs, Reading};
use crate::window::Window;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The registry in order of keys: the map of readings is built from its smallest key on.
static BY_KEY: LazyLock<Vec<&'static Metric>> = LazyLock::new(|| {
    let mut metrics = registry().to_vec();
    metrics.sort_by_key(|metric| metric.key);
    metrics
});

/// Every metric of the registry, by key.
pub fn measure_all(window: &Window) -> BTreeMap<String, Reading> {
    // Whether a window can be trusted depends on what a metric needs, and there are far fewer needs than metrics.
    let mut doubts: Vec<(Needs, Option<String>)> = Vec::new();
    let mut doubted = |needs: Needs| -> Option<String> {
        if let Some((_, known)) = doubts.iter().find(|(of, _)| *of == needs) {
            return known.clone();
        }
        let fresh = doubt(needs, window);
        doubts.push((needs, fresh.clone()));
        fresh
    };
    let mut read = |metric: &&'static Metric| match doubted(metric.needs) {
        Some(why) => Reading::Unmeasurable(why),
        None => metric.measure(window),
    };
    BY_KEY.iter().map(|metric| (metric.key.to_owned(), read(metric))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::super::{find, reading};
    use super::*;

    #[test]
    fn all_at_once_is_each_by_itself() {
        let mut unproved = window(P60, &[P60, 3 * P60, P60]);
        unproved.coverage.proved = false;
        for window in [window(P60, &[P60, 3 * P60, P60, 90 * MS]), window(0, &[MS; 3]), unproved] {
            let all = measure_all(&window);
            assert_eq!(all.len(), registry().len());
            for (key, found) in all {
                let metric = find(&key).expect("a key of the registry");
                assert_eq!(found, reading(metric, &window), "{key}");
            }
        }
    }
}
