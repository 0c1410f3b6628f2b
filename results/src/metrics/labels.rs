//! What the numbers of a list stand for, for those metrics that document a name for each.
//!
//! Must not know windows. A list that is a series (presents per second) has no labels.

/// Classes of late frames, of drop levels.
const LEVELS: [&str; 5] = ["best", "normal", "middle", "high", "frozen"];
const RANKS: [&str; 4] = ["p50", "p90", "p95", "p99"];
const STAGE: [&str; 3] = ["p50", "p95", "longest"];
const FACTORS: [&str; 11] = [
    "unknown_delay",
    "input",
    "animation",
    "layout_measure",
    "draw",
    "sync_queue",
    "sync",
    "command_issue",
    "swap_buffers",
    "gpu",
    "none",
];
const BLAME: [&str; 5] = ["app", "compositor", "display", "stuffing", "dropped"];
const SEVERITY: [&str; 2] = ["less than a period", "a period or more"];
const KINDS: [&str; 16] = [
    "none",
    "sf_scheduling",
    "prediction_error",
    "display_hal",
    "sf_cpu",
    "sf_gpu",
    "app_deadline",
    "buffer_stuffing",
    "unknown",
    "sf_stuffing",
    "dropped",
    "non_animating",
    "app_resynced",
    "display_off",
    "mode_change",
    "power_change",
];

/// One label for each number of the metric's list, in its order; empty for single values and series.
pub fn labels(key: &str) -> &'static [&'static str] {
    match key {
        "drop_levels60" | "matrix_levels" | "matrix_do_frame_levels" => &LEVELS,
        "main_factor" => &FACTORS,
        "ft_blame" => &BLAME,
        "ft_severity" => &SEVERITY,
        "ft_jank_types" => &KINDS,
        "render_ms" | "frameDurationCpuMs" | "frameOverrunMs" => &RANKS,
        stage if stage.starts_with("stage_") => &STAGE,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::registry;
    use super::*;
    use crate::frame_timeline::JankOwner;

    /// Letters and digits of a text, in lower case.
    fn bare(text: &str) -> String {
        text.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
    }

    #[test]
    fn labels_are_the_words_of_the_metrics_own_text_in_their_order() {
        let mut labelled = 0;
        for metric in registry() {
            let text = bare(&[metric.about, metric.formula, metric.origin].concat());
            let mut at = 0;
            for label in labels(metric.key).iter().map(|label| bare(label)) {
                labelled += 1;
                // The formula of a severity is in other words than its text.
                let found = text[at..].find(&label).or_else(|| label.contains("period").then_some(0));
                at += found.unwrap_or_else(|| panic!("{}: {label} is not in {text}", metric.key));
            }
        }
        assert!(labelled > 60, "{labelled}");
        assert_eq!(JankOwner::ALL.map(JankOwner::word), BLAME);
    }
}
