//! Pictures of the screen: in warm-ups alone, and each says when it was taken and what it cost.

use super::shop;
use farmjank_engine::scribe::Kept;
use farmjank_reporters::html::html;
use farmjank_results::event::{Screen, WindowMeasured};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};

fn stage(warmup: u32) -> Stage {
    Stage::lab("demo").serials(&["virtual-pixel-8"]).scenario(&shop(2, warmup, 4))
}

/// Windows of warm-ups, and of iterations that count.
fn windows(story: &Story, counted: bool) -> Vec<&WindowMeasured> {
    let trials = story.record.jobs.values().flat_map(|job| &job.trials);
    trials.filter(|trial| trial.counted == counted).flat_map(|trial| &trial.windows).collect()
}

#[test]
fn warm_ups_are_photographed_and_nothing_that_counts() {
    let story = stage(1).reporters().screens().run();
    assert_eq!(story.record.verdict, Some(Verdict::Pass), "{:?}", story.ear.out.borrow());
    assert!(windows(&story, false).iter().all(|window| window.void.is_none()));
    assert!(
        windows(&story, true).iter().all(|window| window.screens.is_empty()),
        "what counts is left alone"
    );
    let taken: Vec<&WindowMeasured> =
        windows(&story, false).into_iter().filter(|one| one.frame_log.is_some()).collect();
    assert_eq!(taken.len(), 2);
    let pictures = |window: &WindowMeasured| -> Vec<Vec<u8>> {
        window.screens.iter().map(|screen| story.files.read(&screen.path)).collect()
    };
    for window in &taken {
        assert!(window.screens.len() >= 4, "about one a second: {:?}", window.screens);
        let (from, to) = window.span.expect("the window was measured");
        for Screen { path, at, cost_ms, bytes, .. } in &window.screens {
            assert!(path.contains("/trial-0/") && path.contains(".screens/"), "{path}");
            assert!(*at > from && *at < to, "taken inside the window");
            assert!((100.0..2_000.0).contains(cost_ms), "{cost_ms} ms");
            assert_eq!(*bytes, story.files.read(path).len() as u64);
            assert!(*bytes < 100_000);
        }
        assert!(window.screens.is_sorted_by_key(|screen| screen.at));
    }
    let (feed, search) = (pictures(taken[0]), pictures(taken[1]));
    assert!(feed.iter().all(|picture| picture.starts_with(b"\x89PNG")));
    assert!(feed.windows(2).any(|two| two[0] != two[1]), "the list moved");
    assert!(feed.iter().all(|picture| !search.contains(picture)), "pages look different");
    // The same bytes again, from the log alone.
    let (again, _) =
        farmjank_results::record::Record::read_ndjson(&story.files.read("events.ndjson")).expect("a log");
    assert_eq!(html(&again, &Kept(&*story.files)).into_bytes(), story.files.read("report.html"));
}

#[test]
fn without_a_warm_up_there_is_nothing_to_photograph_and_a_word_about_it() {
    let story = stage(0).screens().run();
    let all = [windows(&story, false), windows(&story, true)].concat();
    assert!(all.iter().all(|window| window.screens.is_empty()));
    let told = story.record.notices.iter().any(|(_, what)| what.contains("--warmup 1"));
    assert!(told, "{:?}", story.record.notices);
    let unasked = stage(1).run();
    assert!(windows(&unasked, false).iter().all(|window| window.screens.is_empty()), "only where asked for");
    assert!(!String::from_utf8_lossy(&unasked.files.read("events.ndjson")).contains("screens"));
}
