//! An evening of dumps is stitched, fitted and cut to exactly the frames that were shown.

use crate::film::{Film, MS, asked, at, drops, dump, hz, pending, reporting, with_zeros};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::stitch::{Stitch, StitchRules};

/// Dumps of a ring of 127 rows every 0.35 s, the newest two rows pending.
fn evening(film: &Film, presents: &[i64]) -> Vec<Sample> {
    let (mut samples, mut end, mut now) = (Vec::new(), 0, presents[0]);
    while end < presents.len() {
        now += 350 * MS;
        end = presents.partition_point(|present| *present <= now);
        let shown = &presents[end.saturating_sub(125)..end];
        let mut sample = dump(shown);
        let coming = presents[end..].iter().take(2).filter(|present| **present < now + 34 * MS);
        sample.rows.extend(coming.map(|present| pending(*present)));
        let period =
            film.panel.iter().rev().find(|(from, _)| *from <= now).map_or(film.panel[0].1, |(_, p)| *p);
        samples.push(with_zeros(127 - sample.rows.len() as u32, reporting(period, asked(now, sample))));
    }
    samples
}

#[test]
fn an_evening_of_dumps_loses_nothing() {
    let mut film = Film::from(1_000 * MS);
    for round in 0..100 {
        film = film.play(hz(120.0), drops(600, 25, round)).play(hz(60.0), drops(200, 25, round + 1000));
    }
    let presents: Vec<i64> = film.noisy(5).iter().map(|present| present.ns()).collect();
    let samples = evening(&film, &presents);
    assert!(presents.len() > 80_000 && samples.len() > 1_500);
    let mut stitch = Stitch::new(StitchRules { modes: vec![60.0, 120.0], pins: Vec::new() });
    samples.iter().for_each(|sample| stitch.add(sample));
    let timeline = stitch.finish();
    let motion = Motion {
        from: at(presents[0]),
        to: at(*presents.last().unwrap()),
        phase: Phase::Finger,
        touch: None,
    };
    let window = cut(&timeline, &[motion], &CutRules::new(SourceId::SurfaceFlinger));
    assert!(window.coverage.proved, "{:?}", window.coverage.doubts);
    assert_eq!(window.coverage.frames_seen as usize, presents.len());
    assert_eq!(timeline.row_counts.unresolved_pending, 0);
    let wrong =
        window.intervals.iter().zip(&film.vsyncs[1..]).filter(|(i, truth)| i64::from(i.vsyncs) != **truth);
    assert!(wrong.count() <= film.panel.len());
}
