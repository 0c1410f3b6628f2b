//! What believable runs were asked for beside their frames.
//!
//! Of the second window alone: one thing that each phone tells look by look, and one that it keeps.

use crate::believable::Words;
use farmjank_results::metric::Reading;
use farmjank_results::resources::ResourceLine;
use farmjank_results::time::{DeviceTime, Span};

/// Readings and lines of a window that began then; none of other windows.
pub fn beside(
    window: usize,
    words: &Words,
    start: DeviceTime,
    cpu: Reading,
) -> (Vec<(String, Reading)>, Vec<ResourceLine>) {
    if window != 1 {
        return (Vec::new(), Vec::new());
    }
    let at = |ms| start + Span::from_ms(ms);
    let most = cpu.value().map(|mean| mean * 1.5);
    let points = vec![(at(-80), None), (at(1_000), most.map(|most| most / 2.0)), (at(4_240), most)];
    let [told, kept] = ["cpu_ms_per_s", "rss_mb"].map(str::to_owned);
    let lines = vec![
        ResourceLine { metric: told.clone(), since: true, points },
        ResourceLine { metric: kept.clone(), ..ResourceLine::default() },
    ];
    let why = Reading::Unmeasurable(format!("this phone keeps it: {}", words.why).into());
    (vec![(told, cpu), (kept, why)], lines)
}
