//! Laws of the stage metrics together: no frame makes them panic, and what they count adds up.

use super::METRICS;
use super::samples::{P60, taking, window};
use crate::framestats::{FrameStats, RenderStages};
use crate::metric::{Needs, Reading};
use crate::metrics::{find, measure_all, reading};
use crate::readings::Readings;
use crate::time::{DeviceTime, Span};
use proptest::prelude::*;

fn any_time() -> impl Strategy<Value = Option<DeviceTime>> {
    let ns = prop_oneof![any::<i64>(), 0i64..3_000_000_000, Just(i64::MAX), Just(i64::MIN), Just(0)];
    prop::option::of(ns.prop_map(DeviceTime::from_ns))
}

fn any_span() -> impl Strategy<Value = Option<Span>> {
    let ns = prop_oneof![any::<i64>(), 1i64..40_000_000, Just(i64::MAX), Just(0), Just(1)];
    prop::option::of(ns.prop_map(Span::from_ns))
}

fn any_frame() -> impl Strategy<Value = FrameStats> {
    let times = prop::collection::vec(any_time(), 18);
    let spans = prop::collection::vec(any_span(), 4);
    (times, spans, 0u32..4).prop_map(|(at, span, flags)| FrameStats {
        flags,
        vsync_id: None,
        intended: at[0].unwrap_or_default(),
        vsync: at[1],
        oldest_input: at[2],
        handle_input: at[3],
        animation: at[4],
        traversals: at[5],
        draw: at[6],
        sync_queued: at[7],
        sync_start: at[8],
        issue: at[9],
        swap: at[10],
        swap_completed: at[11],
        submitted: at[12],
        gpu_completed: at[13],
        completed: at[14].unwrap_or_default(),
        deadline: at[15],
        displayed: at[16],
        interval: span[0],
        started: at[17],
        workload: span[1],
        dequeue: span[2],
        queue: span[3],
    })
}

fn number(readings: &Readings, key: &str) -> f64 {
    readings[key].value().unwrap_or_else(|| panic!("{key}: {:?}", readings[key]))
}

fn sum(readings: &Readings, key: &str) -> f64 {
    match &readings[key] {
        Reading::List(list) => list.iter().sum(),
        other => panic!("{key}: {other:?}"),
    }
}

proptest! {
    #[test]
    fn any_frames_are_measured_or_refused(frames in prop::collection::vec(any_frame(), 0..40)) {
        for (key, reading) in &measure_all(&window(frames)) {
            match reading {
                Reading::Value(value) => prop_assert!(value.is_finite(), "{key}"),
                Reading::List(list) => prop_assert!(list.iter().all(|value| value.is_finite()), "{key}"),
                Reading::Table(_) => {}
                Reading::Unmeasurable(why) => prop_assert!(!why.is_empty(), "{key}"),
            }
        }
    }

    #[test]
    fn counts_add_up(times in prop::collection::vec(9_000_000i64..900_000_000, 1..60)) {
        let frames: Vec<_> = times.iter().zip(0..).map(|(took, nth)| taking(nth, *took)).collect();
        let readings = measure_all(&window(frames));
        let all = times.len() as f64;
        prop_assert_eq!(number(&readings, "frame_count"), all);
        prop_assert_eq!(sum(&readings, "matrix_do_frame_levels"), all);
        let long = times.iter().filter(|took| **took > 2 * P60).count() as f64;
        prop_assert_eq!(sum(&readings, "main_factor"), long);
        let over = number(&readings, "over_interval_pct") * all / 100.0;
        prop_assert!((over - number(&readings, "jank_legacy")).abs() < 1e-9);
        let frozen = number(&readings, "vitals_frozen");
        prop_assert!(frozen <= number(&readings, "frozen_render") && frozen <= number(&readings, "vitals_slow"));
        let late = number(&readings, "jank_deadline");
        prop_assert!(late + number(&readings, "hwui_high_input_latency") <= all);
        for reason in ["hwui_missed_vsync", "hwui_slow_ui", "hwui_slow_upload", "hwui_slow_draw"] {
            prop_assert!(number(&readings, reason) <= late, "{reason}");
        }
    }
}

#[test]
fn frames_that_may_be_missing_leave_no_number() {
    let mut unproved = window(vec![taking(0, P60)]);
    if let Some(stages) = &mut unproved.beside.framestats {
        *stages = RenderStages {
            proved: false,
            doubts: vec!["two dumps show no frame in common".to_owned()],
            ..stages.clone()
        };
    }
    for metric in METRICS {
        let needs = if metric.key == "frameOverrunMs" { Needs::Finishes } else { Needs::Stages };
        assert_eq!(metric.needs, needs, "{}", metric.key);
        assert!(find(metric.key).is_some() && !metric.origin.is_empty(), "{}", metric.key);
        let reading = reading(metric, &unproved);
        assert!(matches!(reading, Reading::Unmeasurable(why) if why.contains("no frame in common")));
    }
}

#[test]
fn no_text_says_the_word_alone() {
    for metric in METRICS {
        for text in [metric.about, metric.formula] {
            let bare = |word: &str| {
                word.trim_matches(|letter: char| !letter.is_alphanumeric()).eq_ignore_ascii_case("jank")
            };
            assert!(!text.split_whitespace().any(bare), "{}: {text}", metric.key);
        }
    }
}
