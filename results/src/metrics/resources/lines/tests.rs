//! Lines of looks made by hand: rates, holes, bounds.

use super::*;
use std::collections::BTreeMap;

fn at(ms: i64) -> DeviceTime {
    DeviceTime::from_ns(ms * 1_000_000)
}

/// A look at a process that has used so much CPU time.
fn look(ms: i64, cpu_ms: i64, rss_mb: u64) -> ResourceSample {
    let (cpu, rss_kb) = (Some(Span::from_ms(cpu_ms)), Some(rss_mb * 1_024));
    ResourceSample { at: at(ms), pid: Some(7), cpu, rss_kb, ..ResourceSample::default() }
}

fn watch(samples: Vec<ResourceSample>, asked: &[Resource]) -> ResourceWatch {
    ResourceWatch { samples, asked: asked.iter().map(|one| (*one, None)).collect::<BTreeMap<_, _>>() }
}

/// The points of one line, time in ms.
fn points(watch: &ResourceWatch, metric: &Metric) -> Vec<(i64, Option<f64>)> {
    let all = lines(watch);
    let line = all.iter().find(|line| line.metric == metric.key).expect("a line of what was asked for");
    line.points.iter().map(|(at, value)| (at.ns() / 1_000_000, *value)).collect()
}

#[test]
fn cpu_time_is_a_rate_between_looks_and_looks_too_near_each_other_are_one() {
    let looks = vec![
        look(0, 100, 1),
        look(90, 150, 1),
        look(1_000, 400, 1),
        look(2_000, 500, 1),
        look(2_100, 540, 1),
    ];
    let watch = watch(looks, &[Resource::Cpu]);
    let expected = vec![(0, None), (1_000, Some(300.0)), (2_100, Some(127.27))];
    assert_eq!(points(&watch, &CPU_MS_PER_S), expected);
    assert!(lines(&watch)[0].since && points(&watch, &DEVICE_CPU_PCT).is_empty(), "cores were not told");
}

#[test]
fn a_process_that_was_gone_leaves_a_hole_and_the_next_one_counts_from_nothing() {
    let gone = |ms| ResourceSample { at: at(ms), ..ResourceSample::default() };
    let after = ResourceSample { pid: Some(8), ..look(4_000, 250, 90) };
    let watch = watch(
        vec![look(0, 900, 180), look(1_000, 950, 181), gone(2_000), gone(3_000), after],
        &[Resource::Cpu, Resource::Memory],
    );
    let expected = vec![(0, None), (1_000, Some(50.0)), (2_000, None), (3_000, None), (4_000, Some(250.0))];
    assert_eq!(points(&watch, &CPU_MS_PER_S), expected);
    let memory = points(&watch, &RSS_MB);
    assert_eq!(
        memory.iter().map(|(_, mb)| *mb).collect::<Vec<_>>(),
        [Some(180.0), Some(181.0), None, None, Some(90.0)]
    );
}

#[test]
fn a_line_adds_up_to_its_metric_and_is_bounded_however_long_the_window() {
    let looks: Vec<ResourceSample> =
        (0..1_000).map(|n| look(n * 1_000, n * n, if n == 501 { 900 } else { 200 })).collect();
    let watch = watch(looks, &[Resource::Cpu, Resource::Memory]);
    let cpu = points(&watch, &CPU_MS_PER_S);
    assert!((100..=MOST + 1).contains(&cpu.len()), "{}", cpu.len());
    let used: f64 =
        cpu.windows(2).map(|pair| pair[1].1.expect("a rate") * (pair[1].0 - pair[0].0) as f64 / 1e3).sum();
    let (all, _) = watch.cpu().expect("seen twice");
    assert!((used - all.ms()).abs() < all.ms() / 1_000.0, "{used} of {}", all.ms());
    let memory = points(&watch, &RSS_MB);
    assert!(memory.len() <= MOST && memory.contains(&(501_000, Some(900.0))), "a peak stays in sight");
}

#[test]
fn what_is_looked_at_at_both_ends_alone_has_two_points() {
    let mut looks = vec![look(0, 0, 1), look(1_000, 0, 1), look(2_000, 0, 1)];
    for (nth, degrees, bytes) in [(0, 30.0, 1_024), (2, 31.5, 11_264)] {
        (looks[nth].battery, looks[nth].network) = (Some(degrees), Some((bytes, 0)));
    }
    let watch = watch(looks, &[Resource::Temperature, Resource::Network]);
    assert_eq!(points(&watch, &BATTERY_C), [(0, Some(30.0)), (2_000, Some(31.5))]);
    assert_eq!(points(&watch, &NETWORK_RX_KB), [(0, None), (2_000, Some(10.0))]);
    assert_eq!(points(&watch, &NETWORK_TX_KB), [(0, None), (2_000, Some(0.0))]);
    assert!(points(&watch, &SKIN_C).is_empty(), "no sensor");
}

#[test]
fn every_line_is_of_a_metric_of_what_it_is_asked_for_by_and_of_nothing_else() {
    for resource in Resource::ALL {
        let keys: Vec<String> =
            lines(&watch(Vec::new(), &[resource])).into_iter().map(|line| line.metric).collect();
        assert!(
            !keys.is_empty() && keys.iter().all(|key| super::super::resource(key) == Some(resource)),
            "{keys:?}"
        );
    }
    assert_eq!(lines(&watch(vec![look(0, 0, 1), look(1_000, 9, 1)], &[])), []);
}
