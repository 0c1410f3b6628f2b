//! What metrics say of themselves: nothing is empty, and the word everybody means something else by never stands alone.

use farmjank_results::metric::{Metric, Needs};
use farmjank_results::metrics::{families, find, registry};
use std::collections::BTreeSet;

/// Whose word it is, when it is said.
const OWNERS: [&str; 8] =
    ["perfdog", "chromium", "chromium's", "perfdog's", "hwui", "hwui's", "matrix", "surfaceflinger's"];
/// What may stand between owner and word.
const BETWEEN: [&str; 4] = ["small", "big", "old", "legacy"];

/// Uses of the word without an owner. Keys are single words of their own; between backticks stands what a phone prints.
fn alone(text: &str) -> Vec<String> {
    let own: String = text.split('`').step_by(2).collect::<Vec<&str>>().join(" ");
    let words: Vec<String> = own
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !["jank", "janks", "janky", "jankiness"].contains(&word.trim_matches('\'')) {
            continue;
        }
        let before = words[..at].iter().rev().find(|word| !BETWEEN.contains(&word.as_str()));
        if !before.is_some_and(|owner| OWNERS.contains(&owner.as_str())) {
            found.push(words[at.saturating_sub(2)..=at].join(" "));
        }
    }
    found
}

#[test]
fn the_word_never_stands_alone() {
    for metric in registry() {
        for text in [metric.about, metric.formula, metric.origin] {
            assert_eq!(alone(text), Vec::<String>::new(), "{}: {text}", metric.key);
        }
    }
    for family in families() {
        assert_eq!(alone(&format!("{} {}", family.title, family.about)), Vec::<String>::new());
    }
}

#[test]
fn a_word_that_stands_alone_is_found() {
    assert_eq!(alone("counts jank."), ["counts jank"]);
    assert_eq!(alone("Janky frames"), ["janky"]);
    assert_eq!(alone("its jank, over 125 ms"), ["its jank"]);
    assert!(
        alone("PerfDog big jank; perfdog_jank; a Chromium jank count; JankStats; `Janky frames`").is_empty()
    );
}

#[test]
fn every_metric_says_what_it_is_where_it_comes_from_and_since_when() {
    for metric in registry() {
        let key = metric.key;
        assert!(metric.about.len() > 8 && !metric.about.ends_with('.'), "{key}: about");
        assert!(metric.about.len() <= 300, "{key}: about is {} long", metric.about.len());
        assert!(!metric.formula.trim().is_empty(), "{key}: formula");
        assert!(metric.origin.len() > 20, "{key}: origin");
        assert!((7..=20).contains(&metric.since), "{key}: since");
        for text in [metric.about, metric.formula, metric.origin] {
            assert!(!text.contains("  ") && !text.contains('\n'), "{key}: {text}");
            assert!(!text.contains(".md") && !text.contains("reference"), "{key}: {text}");
        }
    }
}

#[test]
fn texts_name_only_keys_that_exist() {
    let keys: BTreeSet<&str> = registry().iter().map(|metric| metric.key).collect();
    // Others speak of stages and of kinds of lateness too.
    let speaks_of_keys_only = |metric: &&&Metric| {
        !matches!(
            metric.needs,
            Needs::Stages | Needs::Finishes | Needs::Timeline | Needs::Log | Needs::Timestats
        )
    };
    for metric in registry().iter().filter(speaks_of_keys_only) {
        for text in [metric.about, metric.formula, metric.origin] {
            let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            for word in words.filter(|word| looks_like_a_key(word)) {
                assert!(keys.contains(word), "{} speaks of {word}, which is no metric", metric.key);
            }
        }
    }
}

/// `perfdog_jank`, but not the `d_i` of formulas.
fn looks_like_a_key(word: &str) -> bool {
    let letters = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    letters && word.split('_').filter(|part| part.len() > 1).count() > 1 && !word.ends_with("_k")
}

#[test]
fn every_metric_is_in_one_family_and_found_by_its_key() {
    let listed: Vec<&str> =
        families().iter().flat_map(|family| family.metrics).map(|metric| metric.key).collect();
    assert_eq!(listed, registry().iter().map(|metric| metric.key).collect::<Vec<&str>>());
    assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
    let titles: BTreeSet<&str> = families().iter().map(|family| family.title).collect();
    assert_eq!(titles.len(), families().len());
    assert!(listed.iter().all(|key| find(key).is_some()));
}

#[test]
fn every_key_of_the_metrics_on_presents_is_there() {
    let wanted = "fps fps_n_over_t fps_buckets perfdog_fps_avg perfdog_fps_var perfdog_drop_fps scroll_fps_1s scroll_fps \
        finger_fps fling_fps delivery_ratio fps_60eq hitch_ms hitch_ms_per_s hitch_raw_ms_per_s dropped_frames \
        dropped_pct frozen_frames frozen_ratio perfdog_jank perfdog_big_jank perfdog_small_jank perfdog_reset_jank \
        perfdog_reset_big_jank perfdog_stutter_pct drop_levels60 matrix_levels stutter_windows stutter_windows_seed \
        slow20_pct slow30_pct slow_session20 slow_session30 p50_ms p90_ms p95_ms p99_ms max_ms low1_fps p99_fps mean_ms \
        rms_ms stdev_ms jitter_ms chromium_jank_count chromium_max_frame_delay chromium_avg_fps chromium_discrepancy_ms \
        percentage_smooth mostly_smooth cadence zero_rows pending_rows invalid_rows duplicate_rows short_frames \
        loss_events ring_resets idle_gaps idle_ms ambiguous_gap_ms unresolved_pending union_fps views_mean_fps \
        views_sum_jank first_frame_latency_ms launch_total_ms";
    for key in wanted.split_whitespace() {
        assert!(find(key).is_some(), "{key}");
    }
}
