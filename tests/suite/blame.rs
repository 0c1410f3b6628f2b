//! Whose fault it was reaches the verdict: a slow compositor is reported and does not fail the app, a slow app fails.

use farmjank_results::frame::SourceId;
use farmjank_results::metric::Reading;
use farmjank_results::threshold::Outcome;
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};

/// A limit a smooth app meets.
const STRICT: &str = "
name: Home feed
appId: com.example.shop
iterations: 3
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
setup: [ stopApp ]
steps:
  - launchApp
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 6, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ] } } ]
thresholds: { hitch_ms_per_s: 'mean < 10' }
";

/// One 90 Hz phone whose app hitches at this rate, with a compositor like that.
fn story(hitch_rate: f64, compositor: &str, pin: &str) -> Story {
    let page = format!(
        "{{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: {hitch_rate} }}"
    );
    let app = format!("{{ id: com.example.shop, pages: {{ feed: {page} }} }}");
    let phone =
        format!("{{ archetype: galaxy-a14, serial: A, apps: [{app}], compositor: {{ {compositor} }} }}");
    Stage::lab_yaml(&format!("name: blame\nseed: 7\nphones: [{phone}]\n"))
        .scenario(&(STRICT.to_owned() + pin))
        .run()
}

/// The window's verdict, what became of its limit, and of every trial: its source and its blame.
fn judged(story: &Story) -> (Verdict, Outcome, Vec<(SourceId, Option<Reading>)>) {
    let job = &story.record.jobs[&0];
    let window = job.windows.iter().find(|window| window.window == "fling the feed").expect("the window");
    let measured =
        job.trials.iter().flat_map(|trial| &trial.windows).filter(|one| one.window == window.window);
    let of = |one: &farmjank_results::event::WindowMeasured| {
        (one.coverage.as_ref().expect("coverage").source, one.readings.get("ft_blame_ms").cloned())
    };
    (window.verdict, window.judgements[0].outcome.clone(), measured.map(of).collect())
}

#[test]
fn a_slow_compositor_is_reported_and_does_not_fail_the_app() {
    let story = story(0.0, "slow_cpu: 0.03, slow_gpu: 0.02, longest: 2", "");
    let (verdict, outcome, trials) = judged(&story);
    assert!(matches!(outcome, Outcome::Excused(_)), "{outcome:?} {trials:?}");
    assert_eq!((verdict, story.record.exit_code), (Verdict::Pass, Some(0)));
    assert!(trials.iter().all(|(source, _)| *source == SourceId::FrameTimeline), "{trials:?}");
    let reasons = &story.record.jobs[&0].windows[0].reasons;
    assert!(reasons.iter().any(|reason| reason.contains("not by the app")), "{reasons:?}");
}

#[test]
fn a_slow_app_fails_whatever_the_compositor_does() {
    let story = story(0.05, "slow_cpu: 0.03, longest: 2", "");
    let (verdict, outcome, trials) = judged(&story);
    assert_eq!(
        (verdict, outcome, story.record.exit_code),
        (Verdict::Fail, Outcome::Breached, Some(1)),
        "{trials:?}"
    );
}

#[test]
fn without_a_trace_nobody_is_excused() {
    let story = story(0.0, "slow_cpu: 0.03, slow_gpu: 0.02, longest: 2", "source: surfaceflinger\n");
    let (verdict, _, trials) = judged(&story);
    assert_eq!(verdict, Verdict::Fail);
    assert!(trials.iter().all(|(source, _)| *source == SourceId::SurfaceFlinger), "{trials:?}");
    assert!(trials.iter().all(|(_, blame)| matches!(blame, Some(Reading::Unmeasurable(_)))), "{trials:?}");
}

#[test]
fn counts_alone_are_told_and_judge_no_frame() {
    let story = story(0.0, "slow_cpu: 0.03", "source: timestats\n");
    let job = &story.record.jobs[&0];
    let measured =
        job.trials.iter().flat_map(|trial| &trial.windows).find(|one| one.window == "fling the feed");
    let measured = measured.expect("the window");
    assert!(measured.readings["tally_frames"].value().is_some_and(|frames| frames > 100.0), "{measured:?}");
    assert!(
        matches!(measured.readings["hitch_ms_per_s"], Reading::Unmeasurable(_)),
        "{:?}",
        measured.readings["hitch_ms_per_s"]
    );
    assert_eq!((job.windows[0].verdict, story.record.exit_code), (Verdict::Undecided, Some(4)));
}

#[test]
fn a_limit_on_render_stages_has_every_drawn_frame_read() {
    let limit = STRICT.replace("hitch_ms_per_s: 'mean < 10'", "render_p95_ms: 'max < 60ms'");
    let lab =
        "name: stages\nphones: [ { archetype: galaxy-a14, serial: A }, { archetype: pixel-8, serial: B } ]\n";
    let told = |text: &str| -> Vec<bool> {
        let story = Stage::lab_yaml(lab).scenario(text).run();
        let windows = story.record.jobs.values().flat_map(|job| &job.trials).flat_map(|trial| &trial.windows);
        let readings: Vec<bool> = windows
            .filter(|window| window.window == "fling the feed")
            .map(|window| window.readings["render_p95_ms"].value().is_some())
            .collect();
        assert_eq!(readings.len(), 6);
        readings
    };
    assert_eq!(told(&limit), [true; 6], "asked for, so nothing may be missed");
    assert_eq!(
        told(STRICT),
        [false; 6],
        "not asked for: read at the end only, and more was drawn than a ring holds"
    );
}

#[test]
fn a_trace_too_large_to_fetch_costs_the_trial_nothing_but_the_trace() {
    let long = STRICT.replace("times: 6", "times: 10");
    let lab = "name: large\nphones: [ { archetype: pixel-8, serial: A } ]\n";
    let story = Stage::lab_yaml(lab).scenario(&long).largest(200_000).run();
    let job = &story.record.jobs[&0];
    assert_eq!(job.trials.len(), 3, "none was tried again: {:?}", job.fault);
    for window in
        job.trials.iter().flat_map(|trial| &trial.windows).filter(|one| one.window == "fling the feed")
    {
        assert_eq!(window.coverage.as_ref().map(|coverage| coverage.source), Some(SourceId::SurfaceFlinger));
        let told = window.passed_over.iter().find(|over| over.what == "frametimeline").expect("it is told");
        assert!(told.why.contains("200000") || told.why.contains("larger"), "{}", told.why);
    }
}
