//! Several layers of one app.

use crate::scene::{MS, P60, SECOND, START, at, number, reason, segments, window};
use farmjank_results::motion::Phase;
use farmjank_results::period::{PeriodOrigin, PeriodSegment};
use farmjank_results::time::Span;
use farmjank_results::window::{LayerPresents, Window};

fn layer(name: &str, presents: impl IntoIterator<Item = i64>) -> LayerPresents {
    LayerPresents {
        layer: name.to_owned(),
        presents: presents.into_iter().map(|ns| at(START + ns)).collect(),
    }
}

/// A list at 60 and a video at 15, over four seconds of one gesture.
fn beside() -> Window {
    let mut window = window(P60, &[P60; 240]);
    let own = window.presents.iter().map(|present| present.ns() - START).collect::<Vec<i64>>();
    let video = (0..60).map(|frame| frame * 4 * P60 + 300_000);
    window.beside.layers = vec![layer("app", own), layer("video", video)];
    let period = PeriodSegment { from: at(0), period: Span::from_ns(P60), origin: PeriodOrigin::Pinned };
    window.coverage.periods = vec![period];
    window
}

#[test]
fn sixty_and_fifteen_are_sixty_together_and_37_5_in_the_mean() {
    let window = beside();
    assert!((number(&window, "union_fps") - 60.0).abs() < 0.01, "{}", number(&window, "union_fps"));
    assert!((number(&window, "views_mean_fps") - 37.5).abs() < 0.01);
    assert_eq!(number(&window, "views_sum_jank"), 0.0);
}

#[test]
fn one_layer_is_what_it_is_alone() {
    let mut alone = window(P60, &[10 * MS, 10 * MS, 10 * MS, 200 * MS, 20 * MS]);
    assert!(reason(&alone, "union_fps").contains("were not kept apart"));
    let presents = alone.presents.iter().map(|present| present.ns() - START).collect::<Vec<i64>>();
    alone.beside.layers = vec![layer("app", presents.clone())];
    for (key, own) in [("union_fps", "fps"), ("views_mean_fps", "fps"), ("views_sum_jank", "perfdog_jank")] {
        assert_eq!(number(&alone, key), number(&alone, own), "{key}");
    }
    alone.beside.layers.push(layer("twin", presents));
    assert_eq!(number(&alone, "views_sum_jank"), 2.0);
    assert_eq!(number(&alone, "union_fps"), number(&alone, "fps"));
    alone.beside.layers.push(layer("still", [0]));
    assert_eq!(
        number(&alone, "views_mean_fps"),
        number(&alone, "fps"),
        "a layer that did not draw has no rate"
    );
}

#[test]
fn presents_half_a_period_apart_are_two() {
    let union = |offset: i64| {
        let mut window = beside();
        let shifted = (0..240).map(|frame| frame * P60 + offset);
        window.beside.layers[1] = layer("video", shifted);
        window.coverage.periods[0].period = Span::from_ns(P60 - 1);
        number(&window, "union_fps").round()
    };
    let half = (P60 - 1) / 2;
    assert_eq!((union(half - 1), union(half), union(half + 1)), (60.0, 120.0, 120.0));
}

#[test]
fn time_between_gestures_is_no_frame() {
    let mut two = segments(P60, &[vec![10 * MS; 10], vec![10 * MS; 10]], Phase::Free);
    let presents = two.presents.iter().map(|present| present.ns() - START).collect::<Vec<i64>>();
    two.beside.layers = vec![layer("other", presents)];
    assert_eq!(number(&two, "union_fps"), 100.0);
    assert_eq!(number(&two, "views_mean_fps"), 100.0);
    two.beside.layers = vec![layer("other", [0, 3 * SECOND])];
    assert!(reason(&two, "union_fps").contains("no layer has two presents in a row"));
    assert!(reason(&two, "views_mean_fps").contains("no layer has two presents in a row"));
    assert!(reason(&two, "views_sum_jank").contains("no layer has two presents in a row"));
}

#[test]
fn presents_that_may_be_missing_are_refused() {
    let mut window = beside();
    window.coverage.proved = false;
    assert!(reason(&window, "union_fps").contains("frames may have been missed"));
}
