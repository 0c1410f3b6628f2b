//! The format of the log, to the byte: one line per kind of fact. Format 1 grows by addition only: a line here may gain
//! a field, but an old line must still be read.

use crate::log::*;
use farmjank_results::cells::{self, JOB_ROW};
use farmjank_results::device::{DeviceId, Readiness};
use farmjank_results::event::*;
use farmjank_results::failure::{Failure, Unavailable};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::SourceId;
use farmjank_results::hitch_causes::*;
use farmjank_results::journal;
use farmjank_results::metric::{Better, Reading, Unit};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::period::{PeriodOrigin, PeriodSegment};
use farmjank_results::plugin_metric::{PluginAsked, PluginMetric};
use farmjank_results::prepared::{PhoneState, SettingChange, Storage};
use farmjank_results::record::Record;
use farmjank_results::resources::ResourceLine;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::time::{BootTime, ClockMap, DeviceTime, Span};
use farmjank_results::timeline::{Gap, GapCause, RowCounts};
use farmjank_results::turn::Build;
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Coverage;
use proptest::prelude::*;
use std::collections::BTreeSet;

const GOLDEN: &str = include_str!("golden/events.ndjson");

fn lost() -> Fault {
    Fault::new(FaultCode::DeviceLost, "the phone left").passing().advise("check the cable")
}

fn measured() -> WindowMeasured {
    let at = DeviceTime::from_ns;
    let coverage = Coverage {
        frames_seen: 59,
        samples: 3,
        proved: false,
        share: 0.1 + 0.2,
        gaps: vec![Gap { after: Some(at(7)), before: None, cause: GapCause::EarlyEnd }],
        source: SourceId::Gfxinfo,
        layer: None,
        periods: vec![PeriodSegment {
            from: at(0),
            period: Span::from_ns(8_333_333),
            origin: PeriodOrigin::Fitted,
        }],
        period_uncertain: Span::from_ms(1),
        late_uncertain: Span::ZERO,
        row_counts: RowCounts { samples: 3, ..RowCounts::default() },
        untold: 0,
        doubts: vec!["the end was not seen".into()],
    };
    WindowMeasured {
        window: "fling the feed".into(),
        span: Some((at(1), at(9))),
        blocked: None,
        motions: vec![Motion { from: at(2), to: at(8), phase: Phase::Finger, touch: None }],
        readings: [
            ("fps".to_owned(), Reading::Value(1e9 / 16_666_667.0)),
            ("levels".to_owned(), Reading::List(vec![1.0, 0.0])),
            ("scroll_fps".to_owned(), Reading::Unmeasurable("no gesture in this window".into())),
        ]
        .into(),
        refresh_hz: Some(59.940_059_999_999_9),
        coverage: Some(coverage),
        void: Some("thermal".into()),
        evidence: vec!["evidence/0/1.dump".into()],
        clock: Some(ClockMap::from_header_ms(1, 3)),
        pace: None,
        unmoved: 1,
        around: None,
        frame_log: Some("evidence/job-0/trial-1/0-fling.strip".to_owned()),
        passed_over: vec![SkippedSource { what: "frametimeline".into(), why: "Android 10 has none".into() }],
        compositor_only: Some(false),
        screens: vec![Screen {
            path: "evidence/job-0/trial-0/0-fling.screens/0.png".to_owned(),
            at: at(3),
            cost_ms: 212.5,
            bytes: 4_096,
            hitch: true,
        }],
        beside: vec![ResourceLine {
            metric: "cpu_ms_per_s".into(),
            since: true,
            points: vec![(at(1), None), (at(9), Some(212.25))],
        }],
        plugins: vec![PluginAsked {
            plugin: "pacing".into(),
            version: Some("1".into()),
            metrics: vec![PluginMetric {
                name: "uneven".into(),
                unit: Unit::Percent,
                better: Better::Lower,
                about: "uneven frames".into(),
            }],
            frames: Some("00000000000000a1".into()),
        }],
    }
}

fn judged_window() -> WindowJudged {
    let judgement = |outcome| Judgement {
        metric: "hitch_ms_per_s".into(),
        unit: Unit::MsPerS,
        text: "mean < 10".into(),
        actual: Some(12.5),
        limit: Some(10.0),
        confidence_bound: None,
        values: vec![Some(12.5), None],
        outcome,
    };
    WindowJudged {
        window: "fling the feed".into(),
        verdict: Verdict::Fail,
        judgements: vec![judgement(Outcome::Breached), judgement(Outcome::Unknown("one value only".into()))],
        counted: 2,
        void: vec!["iteration 3: thermal".into()],
        reasons: vec!["too slow".into()],
        new_causes: Vec::new(),
    }
}

fn prepared() -> Fact {
    let change = |was: Option<&str>, now: Option<&str>| SettingChange {
        setting: "global/low_power".into(),
        was: was.map(str::to_owned),
        now: now.map(str::to_owned),
    };
    let settings = [("global/low_power".to_owned(), "1".to_owned())].into();
    let storage = Some(Storage { free_mb: 49_280, total_mb: 123_200 });
    let state = PhoneState { settings, storage, awake: Some(true), ..PhoneState::default() };
    let changes = vec![change(Some("1"), Some("0")), change(None, Some("0"))];
    Fact::PhonePrepared { job: 0, device: phone(0), state: Box::new(state), changes }
}

fn installed() -> Fact {
    Fact::AppInstalled {
        job: 0,
        build: Some(Build::New),
        file: "new.apk".into(),
        app: "com.example.shop".into(),
        version: Some("7.5.0".into()),
        version_code: Some(750),
        compiled: Some("speed".into()),
        sha256: None,
    }
}

/// One lawful log with every kind of fact.
fn causes_found() -> Fact {
    let named = NamedCause {
        kind: "lock.monitor".into(),
        group: Group::Waiting,
        title: "main waits for a lock held by \"db-writer\" in ShopDb.flush".into(),
        thread: "main".into(),
        object: "\"db-writer\" in ShopDb.flush".into(),
    };
    let detail = "meanwhile db-writer waits for the disk".to_owned();
    let one =
        FrameCause { named: named.clone(), us: 41_667, took_us: 44_000, usual_us: 0, detail: detail.clone() };
    let frame = LateFrame {
        token: 20,
        process: 7,
        layer: "com.shop/com.shop.Main#77".into(),
        shown_at: BootTime::from_ns(157_479_676_000_000),
        present: Some(DeviceTime::from_ns(157_479_000_000_000)),
        hitch_us: 41_667,
        charged: Some(FrameCauses {
            causes: vec![one],
            smaller: 0,
            smaller_us: 0,
            unexplained_us: 0,
            confidence: Confidence::Sure,
        }),
        reason: None,
    };
    let lost =
        LateFrame { charged: None, reason: Some("events were lost around it".into()), ..frame.clone() };
    let causes = HitchCauses {
        hitch_us: 83_334,
        explained_us: 41_667,
        unknown_us: 41_667,
        late_frames: 2,
        in_time: 40,
        motion: Some(Span::from_ns(2_000_000_000)),
        causes: vec![HitchCause {
            fingerprint: named.fingerprint("com.shop"),
            named,
            us: 41_667,
            frames: 1,
            usual_us: 0,
            detail,
            method: String::new(),
            owner: None,
            confidence: Confidence::Sure,
        }],
        frames: vec![frame, lost],
        ..HitchCauses::default()
    };
    let window = "fling the feed".to_owned();
    Fact::CausesFound { job: 0, trial: 1, window, causes: Some(Box::new(causes)), reason: None, trace: None }
}

fn every_kind() -> Vec<Event> {
    let device = phone(0);
    let Fact::PlanMade { digest, mut jobs, .. } = plan_made(2) else { unreachable!() };
    jobs[0].windows = vec![PlannedWindow { name: "fling the feed".into(), line: 11, column: 5 }];
    jobs[1].device = None;
    (jobs[0].device, jobs[0].spares) = (Some(phone(2)), vec![device.clone()]);
    let why = "refresh 60 is below 90".to_owned();
    let refusals = vec![Refusal { scenario: "Home feed".into(), device: DeviceId("b".into()), why }];
    let absent = vec![Absent { device: DeviceId("c".into()), fault: lost(), allowed: true }];
    let mut chosen = source_chosen(0, 1);
    if let Fact::SourceChosen { passed_over, .. } = &mut chosen {
        passed_over.push(SkippedSource { what: "gfxinfo".into(), why: "not an HWUI app".into() });
    }
    let (step, stamps) = ("steps[2]".to_owned(), Some((DeviceTime::from_ns(1), DeviceTime::from_ns(2))));
    numbered(vec![
        run_started(),
        Fact::DeviceSeen {
            device: device.clone(),
            state: Readiness::Ready,
            facts: Some(Box::new(facts_of("lab-0"))),
        },
        Fact::PlanMade { digest, jobs, refusals, absent, shards: None, quarantined: Vec::new() },
        Fact::JobQueued { job: 0, why: "its phone is busy".into() },
        Fact::JobMoved { job: 0, from: phone(2), to: phone(0), fault: lost() },
        Fact::LeaseRefused { job: 0, device: device.clone(), fault: lost() },
        granted(0, 0),
        prepared(),
        installed(),
        trial_started(0, 1),
        chosen,
        step_started(0, 1, "steps[2]"),
        Fact::StepFinished { job: 0, trial: 1, step, stamps, fault: Some(lost()) },
        sample_taken(0, 1),
        failure_kept(),
        Fact::TrialFinished {
            job: 0,
            trial: 1,
            counted: true,
            ending: Ending::Faulted(lost()),
            windows: vec![measured()],
        },
        Fact::DeviceGone { device, why: "unplugged".into() },
        causes_found(),
        Fact::JobJudged {
            job: 0,
            verdict: Verdict::Fail,
            windows: vec![judged_window()],
            fault: Some(lost()),
            reasons: vec!["too slow".into()],
        },
        returned(0, 0),
        Fact::RecoveryTried {
            device: phone(0),
            step: RecoveryStep::Reconnect,
            why: "does not answer".into(),
        },
        noticed(Some(0)),
        judged(1),
        compared(),
        cell_judged(CellVerdict {
            cause: Some("threshold.hitch_ms_per_s".into()),
            by_fault: true,
            reasons: vec!["too slow".into()],
            fault: Some(lost()),
            against: Some("hitch 14 → 41 ms/s".into()),
            ..cell_of(0, "fling the feed", Verdict::Fail)
        }),
        cell_judged(CellVerdict { whole: true, device: None, ..cell_of(1, JOB_ROW, Verdict::Pass) }),
        Fact::RunJudged { verdict: Verdict::Fail, exit_code: 1, interrupted: None },
        delivery(),
        Fact::DeliveryFailed { reporter: "webhook".into(), what: "post".into(), why: "refused".into() },
        Fact::RunFinished { exit_code: 1 },
    ])
}

fn failure_kept() -> Fact {
    let failure = Failure {
        front: Some("com.a/.Feed".into()),
        texts: vec!["Feed".into()],
        picture: None,
        hierarchy: Some("evidence/job-0/trial-1/failure/hierarchy.xml".into()),
        log: Some("evidence/job-0/trial-1/failure/log.txt".into()),
        unavailable: vec![Unavailable {
            what: "picture".into(),
            why: "screencap ended with status 1".into(),
        }],
    };
    Fact::FailureKept { job: 0, trial: 1, failure: Box::new(failure) }
}

#[test]
fn every_kind_of_fact_is_written_as_it_always_was() {
    let events = every_kind();
    let written: Vec<String> =
        events.iter().map(|event| String::from_utf8(journal::line(event).unwrap()).unwrap()).collect();
    for (line, golden) in written.iter().zip(GOLDEN.split_inclusive('\n')) {
        assert_eq!(
            line,
            golden,
            "the format changed; if by addition only, the new log is:\n{}",
            written.concat()
        );
    }
    assert_eq!(written.concat(), GOLDEN, "the golden has more or fewer lines");
    let kinds: BTreeSet<&str> = events.iter().map(|event| event.fact.kind()).collect();
    assert_eq!(kinds.len(), 28, "a closed set of kinds, each with a line: {kinds:?}");
    for (event, line) in events.iter().zip(&written) {
        assert!(line.contains(&format!("\"kind\":\"{}\"", event.fact.kind())), "{line}");
    }
}

#[test]
fn the_golden_log_reads_back_as_the_same_events() {
    let (record, events) = Record::read_ndjson(GOLDEN.as_bytes()).unwrap();
    assert_eq!(events, every_kind());
    assert_eq!(record, Record::fold(&events).unwrap());
}

#[test]
fn a_log_written_before_a_field_existed_is_still_read() {
    let clock = ",\"clock\":{\"offset\":2000000,\"uncertainty\":11000000}";
    assert!(GOLDEN.contains(clock));
    let (_, events) = Record::read_ndjson(GOLDEN.replace(clock, "").as_bytes()).unwrap();
    assert_eq!(events.len(), every_kind().len());
}

#[test]
fn a_log_written_before_cells_were_judged_is_still_read() {
    let (before, after): (Vec<Event>, Vec<Event>) =
        every_kind().into_iter().partition(|event| event.seq < 21);
    let after = after.into_iter().filter(|event| event.fact.kind() != "cell_judged");
    let old = numbered(before.into_iter().chain(after).map(|event| event.fact).collect());
    let record = Record::fold(&old).unwrap();
    assert_eq!(old.len(), every_kind().len() - 2);
    // Cells are then what the jobs and the comparison make of them.
    let told: Vec<_> = record.jobs.values().flat_map(|job| cells::of_job(&record, job)).collect();
    let said: Vec<_> = told.iter().map(|cell| (cell.window.as_str(), cell.verdict, cell.whole)).collect();
    assert_eq!(said, [("fling the feed", Some(Verdict::Fail), false), (JOB_ROW, Some(Verdict::Pass), true)]);
    assert_eq!(told[0].cause.as_deref(), Some("threshold.hitch_ms_per_s"));
}

proptest! {
    #[test]
    fn numbers_come_back_bit_for_bit(value in any::<f64>().prop_filter("finite", |v| v.is_finite()), seed in any::<u64>()) {
        let fps = Fact::SampleTaken { job: 0, trial: 0, window: "w".into(), samples: seed, frames: 0, fps: Some(value) };
        let event = &numbered(vec![fps])[0];
        let back: Event = serde_json::from_slice(&journal::line(event).unwrap()).unwrap();
        prop_assert_eq!(&back, event);
        let Fact::SampleTaken { fps: Some(read), .. } = back.fact else { unreachable!() };
        prop_assert_eq!(read.to_bits(), value.to_bits());
    }

    #[test]
    fn any_text_survives_the_log(what in any::<String>()) {
        let event = &numbered(vec![Fact::Noticed { job: None, what }])[0];
        let line = journal::line(event).unwrap();
        prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one event, one line");
        prop_assert_eq!(&serde_json::from_slice::<Event>(&line).unwrap(), event);
    }
}

#[test]
fn a_log_without_stalls_is_written_as_before_and_read_as_one_without_any() {
    let none = HitchCauses::default();
    let written = serde_json::to_string(&none).expect("JSON");
    assert!(!written.contains("stalls"), "{written}");
    assert_eq!(serde_json::from_str::<HitchCauses>(&written).expect("what was written"), none);
    let (began, reason) = (BootTime::from_ns(7), Some("events were lost around it".to_owned()));
    let one = Stalled { process: 7, began, from: None, us: 90_000, touch_us: Some(5), charged: None, reason };
    let stalls =
        StallCauses { us: 90_000, unknown_us: 90_000, count: 1, list: vec![one], ..StallCauses::default() };
    let some = HitchCauses { stalls, ..none };
    let written = serde_json::to_string(&some).expect("JSON");
    assert_eq!(serde_json::from_str::<HitchCauses>(&written).expect("what was written"), some);
}
