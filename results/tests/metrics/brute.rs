//! A naive oracle: the definitions in floating point, by loops over everything, sharing nothing with the
//! implementation.
//!
//! Lengths are ms; a segment is a list of lengths. Slow on purpose.

/// Samples of the scroll frame rate: the first group of frames that lasts a second, then those of the rest.
pub fn scroll_samples(lengths: &[f64]) -> Vec<f64> {
    let elapsed = |count: usize| lengths[..count].iter().sum::<f64>();
    match (1..=lengths.len()).find(|count| elapsed(*count) >= 1000.0) {
        Some(count) => {
            let mut samples = vec![count as f64 / (elapsed(count) / 1000.0)];
            samples.extend(scroll_samples(&lengths[count..]));
            samples
        }
        None => Vec::new(),
    }
}

/// Presents per whole second from `start`, by asking of every second which presents lie in it.
pub fn buckets(presents: &[f64], start: f64, end: f64) -> Vec<f64> {
    let mut counts = Vec::new();
    let mut second = start;
    while second + 1000.0 <= end {
        let inside = presents.iter().filter(|present| **present >= second && **present < second + 1000.0);
        counts.push(inside.count() as f64);
        second += 1000.0;
    }
    counts
}

/// A stutter window: index of its first frame, frames, ms, longest.
#[derive(Clone, Debug, PartialEq)]
pub struct Stutter {
    /// Index of the first frame.
    pub first: usize,
    /// How many frames.
    pub frames: usize,
    /// How long.
    pub ms: f64,
    /// Longest frame.
    pub max_ms: f64,
}

/// Every stutter window of a segment, whatever its rate; written after the text of the definition, step by step.
pub fn stutters(lengths: &[f64]) -> Vec<Stutter> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lengths.len() {
        if lengths[at] <= 33.3 {
            at += 1;
            continue;
        }
        let last = (at..lengths.len())
            .find(|last| {
                let sum: f64 = lengths[at..=*last].iter().sum();
                *last + 1 == lengths.len() || sum >= 99.6 && lengths[last + 1] < 17.0
            })
            .expect("the end closes it");
        let own = &lengths[at..=last];
        found.push(Stutter {
            first: at,
            frames: own.len(),
            ms: own.iter().sum(),
            max_ms: own.iter().copied().fold(0.0, f64::max),
        });
        at = last + 1;
    }
    found
}

/// Chromium's count, in its own steps: lengths in periods, short ones removed, differences, rounded, classed.
pub fn chromium_janks(lengths: &[f64], period: f64) -> f64 {
    let normal: Vec<f64> = lengths.iter().map(|ms| ms / period).filter(|f| *f >= 0.5).collect();
    let changes: Vec<f64> = normal.windows(2).map(|pair| pair[1] - pair[0]).collect();
    changes.iter().map(|change| change.round().max(0.0)).filter(|step| *step > 0.0 && *step < 20.0).count()
        as f64
}

/// Absolute discrepancy of time stamps by its definition: normalise to the unit interval, try every pair of places (the
/// stamps and both ends), compare the share of stamps with the length, scale back.
pub fn discrepancy(stamps: &[f64]) -> f64 {
    let count = stamps.len() as f64;
    let (low, high) = (stamps[0], stamps[stamps.len() - 1]);
    let scale = (count - 1.0) / count / (high - low);
    let unit: Vec<f64> = stamps.iter().map(|stamp| (stamp - low) * scale + 0.5 / count).collect();
    let mut places = vec![0.0];
    places.extend(&unit);
    places.push(1.0);
    let mut worst: f64 = 0.0;
    for (one, from) in places.iter().enumerate() {
        for to in &places[one..] {
            let closed = unit.iter().filter(|stamp| *from <= **stamp && **stamp <= *to).count() as f64;
            let open = unit.iter().filter(|stamp| *from < **stamp && **stamp < *to).count() as f64;
            worst = worst.max(closed / count - (to - from)).max((to - from) - open / count);
        }
    }
    worst / scale
}

/// PerfDog's count with a plain or an emptied history: frames longer than `floor` ms of those that count (over 83.33).
pub fn perfdog(lengths: &[f64], empties: bool, over: f64) -> usize {
    let mut history: Vec<f64> = Vec::new();
    let mut count = 0;
    for length in lengths {
        let last_three: Vec<f64> = history.iter().rev().take(3).copied().collect();
        let mean = last_three.iter().sum::<f64>() / 3.0;
        let late = last_three.len() == 3 && *length > 2.0 * mean && *length > 1000.0 / 24.0 * 2.0;
        count += usize::from(late && *length > over);
        if late && empties {
            history.clear();
        } else {
            history.push(*length);
        }
    }
    count
}

/// Share of the frames that the most frequent length has decides the cadence.
pub fn cadence(vsyncs: &[u32]) -> f64 {
    let holds = |one: &&u32| vsyncs.iter().filter(|other| other == one).count() * 5 >= vsyncs.len() * 4;
    vsyncs.iter().find(holds).map_or(0.0, |found| f64::from(*found))
}

/// Mean of the longest hundredth, as a rate.
pub fn low(lengths: &[f64]) -> f64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let longest = &sorted[..(lengths.len() as f64 / 100.0).ceil() as usize];
    1000.0 * longest.len() as f64 / longest.iter().sum::<f64>()
}
