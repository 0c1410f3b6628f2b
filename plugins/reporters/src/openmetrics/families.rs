//! Families of `metrics.txt`: their names, units and texts, and which reading of a cell feeds which.
//!
//! Must not know: labels' meaning. Names end with their unit, as OpenMetrics asks; values are converted from the units
//! of the registry of metrics.

use crate::cells::Cell;

/// A name with its samples.
pub(super) struct Family {
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    samples: Vec<String>,
}

impl Family {
    /// A family without samples. `unit` is empty for counts and states.
    pub(super) fn new(name: &'static str, unit: &'static str, help: &'static str) -> Self {
        Family { name, unit, help, samples: Vec::new() }
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, labels: &str, value: &str) {
        self.samples.push(format!("{}{{{labels}}} {value}\n", self.name));
    }

    /// Appends the family, unless nothing was measured.
    pub(super) fn write(&self, text: &mut String) {
        let Family { name, unit, help, samples } = self;
        if samples.is_empty() {
            return;
        }
        text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n"));
        if !unit.is_empty() {
            text.push_str(&format!("# UNIT {name} {unit}\n"));
        }
        samples.iter().for_each(|sample| text.push_str(sample));
    }
}

/// A metric that becomes a family, or several that share one and differ by a label.
pub(super) struct Headline {
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    /// Metric keys, each with the label it adds.
    keys: &'static [(&'static str, &'static str)],
    /// From the registry's unit to the base unit.
    factor: f64,
    /// Digits after the point, always the same.
    places: usize,
}

impl Headline {
    /// Its family, without samples.
    pub(super) fn family(&self) -> Family {
        Family::new(self.name, self.unit, self.help)
    }

    /// Adds what a cell measured: means over its counted iterations. Nothing where there is no number.
    pub(super) fn read(&self, cell: &Cell, labels: &str, family: &mut Family) {
        for (key, label) in self.keys {
            let Some(value) = cell.summary(key).one().filter(|value| value.is_finite()) else { continue };
            let labels = if label.is_empty() { labels.to_owned() } else { format!("{labels},{label}") };
            family.add(&labels, &format!("{:.*}", self.places, value * self.factor));
        }
    }
}

/// The numbers worth a series. Everything else is in `results.json`.
pub(super) const HEADLINES: [Headline; 7] = [
    Headline {
        name: "farmjank_frame_rate_hertz",
        unit: "hertz",
        help: "Frames shown per second of motion, mean over the counted iterations.",
        keys: &[("fps", "")],
        factor: 1.0,
        places: 1,
    },
    Headline {
        name: "farmjank_hitch_ratio",
        unit: "ratio",
        help: "Time by which frames were late, per time in motion, mean over the counted iterations.",
        keys: &[("hitch_ms_per_s", "")],
        factor: 0.001,
        places: 4,
    },
    Headline {
        name: "farmjank_dropped_frames_ratio",
        unit: "ratio",
        help: "Share of frames the display could have shown and did not, mean over the counted iterations.",
        keys: &[("dropped_pct", "")],
        factor: 0.01,
        places: 4,
    },
    Headline {
        name: "farmjank_frozen_frames",
        unit: "",
        help: "Frames that took longer than 700 ms, mean over the counted iterations.",
        keys: &[("frozen_frames", "")],
        factor: 1.0,
        places: 2,
    },
    Headline {
        name: "farmjank_frame_time_seconds",
        unit: "seconds",
        help: "Time from one frame to the next, by percentile within an iteration, mean over the counted iterations.",
        keys: &[
            ("p50_ms", "percentile=\"50\""),
            ("p90_ms", "percentile=\"90\""),
            ("p95_ms", "percentile=\"95\""),
            ("p99_ms", "percentile=\"99\""),
            ("max_ms", "percentile=\"100\""),
        ],
        factor: 0.001,
        places: 4,
    },
    Headline {
        name: "farmjank_first_frame_latency_seconds",
        unit: "seconds",
        help: "Time from the start of a gesture to the first frame after it, mean over the counted iterations.",
        keys: &[("first_frame_latency_ms", "")],
        factor: 0.001,
        places: 4,
    },
    Headline {
        name: "farmjank_launch_seconds",
        unit: "seconds",
        help: "Total time of the launch as the phone timed it, mean over the counted iterations.",
        keys: &[("launch_total_ms", "")],
        factor: 0.001,
        places: 3,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_headline_is_a_metric_and_ends_with_its_unit() {
        for headline in &HEADLINES {
            assert!(
                headline.unit.is_empty() || headline.name.ends_with(&format!("_{}", headline.unit)),
                "{}",
                headline.name
            );
            for (key, _) in headline.keys {
                assert!(farmjank_results::metrics::find(key).is_some(), "{key} is in the registry");
            }
        }
    }
}
