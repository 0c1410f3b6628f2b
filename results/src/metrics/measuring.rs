//! Measuring a window by every metric at once: what they share is looked at once.
//!
//! Must not know single metrics: the same readings as [`reading`](super::reading) gives one by one.

use super::{BY_KEY, doubt};
use crate::metric::{Metric, Needs, Reading};
use crate::readings::Readings;
use crate::window::Window;
use std::sync::Arc;

/// Every metric of the registry, by key.
pub fn measure_all(window: &Window) -> Readings {
    // Whether a window can be trusted depends on what a metric needs, and there are far fewer needs than metrics.
    let mut doubts: Vec<(Needs, Option<Arc<str>>)> = Vec::new();
    let mut doubted = |needs: Needs| -> Option<Arc<str>> {
        if let Some((_, known)) = doubts.iter().find(|(of, _)| *of == needs) {
            return known.clone();
        }
        let fresh = doubt(needs, window).map(Arc::from);
        doubts.push((needs, fresh.clone()));
        fresh
    };
    let mut read = |metric: &&'static Metric| match doubted(metric.needs) {
        Some(why) => Reading::Unmeasurable(why),
        None => metric.measure(window),
    };
    BY_KEY.iter().map(|metric| (*metric, read(metric))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::super::{find, reading, registry};
    use super::*;

    #[test]
    fn all_at_once_is_each_by_itself() {
        let mut unproved = window(P60, &[P60, 3 * P60, P60]);
        unproved.coverage.proved = false;
        for window in [window(P60, &[P60, 3 * P60, P60, 90 * MS]), window(0, &[MS; 3]), unproved] {
            let all = measure_all(&window);
            assert_eq!(all.len(), registry().len());
            for (key, found) in &all {
                let metric = find(key).expect("a key of the registry");
                assert_eq!(*found, reading(metric, &window), "{key}");
            }
        }
    }
}
