//! Methods that are planted in the lab's app, told by call stacks in the trace, against the methods that are charged.

use super::matrix::{Matrix, recorded_on_the_page};
use super::planted::{
    APP, Recorded, alone, charged, config, config_with_stacks, phone, record, truly_by, word,
};
use farmjank_causes::cause::Cause;
use farmjank_causes::kind::Kind;
use farmjank_frames::ftrace::Scan;
use farmjank_frames::stacks::Beside;
use farmjank_lab::archetype::{ARCHETYPES, Archetype};
use farmjank_lab::spec::{CauseSpec, Hold, Method, PhoneSpec};
use std::collections::BTreeMap;

/// Phones whose profiler works beside their tracer.
fn profiled() -> impl Iterator<Item = &'static Archetype> {
    ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 33)
}

/// What holds main up in methods: code, and waits nothing else tells of; and what is named without any.
fn causes() -> Vec<CauseSpec> {
    let inside = |kind, method| CauseSpec { method: Some(method), ..alone(kind) };
    vec![
        inside(Hold::Code, Method::ThumbDecode),
        inside(Hold::Code, Method::JsonParse),
        inside(Hold::Code, Method::PriceFormat),
        inside(Hold::Unknown, Method::NetAwait),
        inside(Hold::Unknown, Method::SettingsSave),
        CauseSpec { and: Some(Hold::Lock), ..inside(Hold::Code, Method::JsonParse) },
        alone(Hold::Binder),
        alone(Hold::Starved),
    ]
}

fn open(archetype: &str, profileable: bool) -> PhoneSpec {
    let mut spec = phone(archetype, &causes(), |_| ());
    spec.apps.iter_mut().for_each(|app| app.profileable = profileable);
    spec
}

/// Class and method alone.
fn short(method: &str) -> &str {
    method.strip_prefix("com.example.shop.").unwrap_or(method)
}

/// The method a cause names, without the one that called it; else the word of the cause.
fn name(cause: &Cause) -> String {
    match cause.kind {
        Kind::Method | Kind::WaitsIn => short(cause.object.split(',').next().unwrap_or_default()).to_owned(),
        _ => cause.word(),
    }
}

fn beside(recorded: &Recorded) -> Beside {
    let mut scan = Scan::default();
    recorded.trace.chunks(1 << 16).for_each(|piece| scan.feed(piece));
    scan.finish().stacks
}

#[test]
fn the_methods_that_were_planted_are_those_that_are_charged() {
    let config = config_with_stacks();
    let mut matrix = Matrix::default();
    let mut called = BTreeMap::new();
    for (archetype, seed) in profiled().flat_map(|archetype| (1..=3).map(move |seed| (archetype, seed))) {
        let recorded = record(&open(archetype.name, true), seed, 10, &config);
        let (found, losses) = charged(&recorded.trace);
        assert!(losses.overrun.is_empty() && losses.unreadable == 0 && losses.disordered == 0, "{losses:?}");
        let truth = recorded.phone.truth();
        for late in &found.late {
            let by = |held: &farmjank_lab::truth::held::TruthHeld, by| match held.method {
                Some(method) => short(method.of_app()[0]),
                None => word(by),
            };
            let planted =
                truly_by(&truth, late.frame.token, late.frame.hitch, &by).expect("a frame of the truth");
            let (charges, _) = late.charges.as_ref().expect("nothing was lost");
            let mut by_name = BTreeMap::from([("unexplained".to_owned(), charges.unexplained_us)]);
            for one in &charges.charged {
                *by_name.entry(name(&one.cause)).or_default() += one.us;
                if matches!(one.cause.kind, Kind::Method | Kind::WaitsIn) {
                    *called.entry(one.cause.object.clone()).or_insert(0) += one.us;
                }
            }
            let hitch = late.frame.hitch / 1_000;
            assert_eq!(by_name.values().sum::<i64>(), hitch, "to the microsecond");
            matrix.take(
                &format!("{} {seed} {}", archetype.name, late.frame.token),
                hitch,
                &planted,
                &by_name,
            );
        }
    }
    println!("{}\n{:#?}\n{called:#?}", matrix.shown("frames"), matrix.wrong);
    let (all, right) = (matrix.sum(None, None), matrix.right());
    assert!(100 * right >= 95 * all, "{right} of {all} µs");
    for method in Method::ALL {
        let [own, caller] = method.of_app();
        let percent = matrix.percent(short(own), short(own));
        assert!(
            matrix.frames.get(short(own)).is_some_and(|frames| *frames >= 5) && percent >= 95.0,
            "{own}: {percent} %"
        );
        let whole = format!("{own}, called by {caller}");
        assert!(called.contains_key(&whole), "{whole}: {called:#?}");
    }
    recorded_on_the_page("### Planted methods", &matrix.shown("frames"));
}

#[test]
fn of_an_app_that_may_not_be_looked_into_and_of_a_trace_without_stacks_there_are_none() {
    let closed = beside(&record(&open("pixel-8", false), 1, 2, &config_with_stacks()));
    let told = closed.told(false).expect("they were asked for");
    assert!(
        told.taken == 0 && told.reason.is_some_and(|why| why.contains("profileable")),
        "nothing is told of {APP}"
    );
    let bare = beside(&record(&open("pixel-8", true), 1, 2, &config()));
    assert_eq!(bare.told(false), None);
}

#[test]
fn a_phone_of_before_android_13_refuses_the_whole_config_for_the_clock_of_its_stacks() {
    use farmjank_lab::phone::{LabTime, Phone};
    for (archetype, status) in [("pixel-6", 1), ("pixel-8", 0)] {
        let mut phone = Phone::new(&open(archetype, true), "TEST0001".into(), 1).expect("a phone");
        let line = "perfetto -c - --txt --background -o /data/misc/perfetto-traces/t";
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let running =
            phone.begin_fed(LabTime(0), &argv, config_with_stacks().as_bytes(), 7_001).expect("a program");
        let answer = phone.finish(LabTime(0) + running.takes, running);
        assert_eq!(answer.status, status, "{archetype}: {answer:?}");
    }
}
