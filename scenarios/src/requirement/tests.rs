//! Tables of requirements against phones, and of complaints.

use super::{Mismatch, Requirement};
use farmjank_results::device::{DeviceFacts, DeviceId, RefreshMode};
use proptest::prelude::*;

/// A phone; also used by the tests of the plan.
pub(crate) fn phone(serial: &str, model: &str, sdk: u32, hz: f64) -> DeviceFacts {
    DeviceFacts {
        id: DeviceId(serial.to_owned()),
        model: model.to_owned(),
        manufacturer: "samsung".to_owned(),
        sdk,
        release: String::new(),
        fingerprint: String::new(),
        screen: None,
        modes: vec![
            RefreshMode { id: 1, hz: 60.000004, width: 1080, height: 2400 },
            RefreshMode { id: 2, hz, width: 1080, height: 2400 },
        ],
        active_hz: None,
        ram_mb: Some(3716),
        battery: None,
        thermal_status: None,
        animations: None,
        keyguard: None,
        awake: None,
        emulator: false,
        is_virtual: true,
        tags: ["smoke".to_owned(), "night-2".to_owned()].into(),
    }
}

fn why(requirement: &str) -> String {
    let phone = phone("R58M", "SM-A155F", 28, 120.00001);
    match Requirement::parse(requirement).expect(requirement).matches(&phone) {
        Ok(()) => "ok".to_owned(),
        Err(why) => why.to_string(),
    }
}

#[test]
fn phones_qualify_or_the_reason_is_said() {
    for (requirement, answer) in [
        ("", "ok"),
        ("sdk >= 28", "ok"),
        ("sdk >= 29", "sdk is 28, needs >= 29"),
        ("sdk(>=29)", "sdk is 28, needs >= 29"),
        ("sdk = 28 & refresh == 120", "ok"),
        ("refresh > 120", "refresh is 120 Hz, needs > 120"),
        ("refresh >= 144hz", "refresh is 120 Hz, needs >= 144hz"),
        ("refresh <= 120 & refresh >= 120", "ok"),
        ("model ~ \"sm-a1*\"", "ok"),
        ("model(\"SM-A1*\")", "ok"),
        ("!(model ~ 'SM-A1*')", "model is \"SM-A155F\", needs not ~ \"SM-A1*\""),
        ("manufacturer = Samsung", "ok"),
        ("manufacturer != samsung", "manufacturer is \"samsung\", needs != \"samsung\""),
        ("serial = r58m", "serial is \"R58M\", needs = \"r58m\""),
        ("serial ~ R5?M", "ok"),
        ("ram >= 4GB", "ok"),
        ("ram(<4GB)", "ram is 4GB (3716 MB reported), needs < 4GB"),
        ("ram >= 3800MB", "ram is 3716 MB, needs >= 3800MB"),
        ("tag = smoke & tag ~ night*", "ok"),
        ("tag(soak)", "tag \"soak\" is missing (has night-2, smoke)"),
        ("tag != smoke", "tag \"smoke\" is on it, must not be"),
        ("!tag(smoke)", "tag \"smoke\" is on it, must not be"),
        ("not tag = soak and sdk < 30", "ok"),
        ("sdk >= 29 | refresh >= 144", "sdk is 28, needs >= 29, and refresh is 120 Hz, needs >= 144"),
        ("sdk >= 29 & refresh >= 144", "sdk is 28, needs >= 29; refresh is 120 Hz, needs >= 144"),
        ("sdk >= 29 || tag(smoke) && !(refresh < 90)", "ok"),
    ] {
        assert_eq!(why(requirement), answer, "{requirement}");
    }
}

#[test]
fn what_is_unknown_never_matches_not_even_negated() {
    let mut silent = phone("x", " ", 0, 60.0);
    silent.modes.clear();
    silent.ram_mb = None;
    for test in ["sdk >= 1", "refresh < 500", "ram >= 1MB", "model ~ *", "model != other"] {
        for requirement in [test.to_owned(), format!("!({test})"), format!("!(!({test}))")] {
            let why = Requirement::parse(&requirement).expect(test).matches(&silent).expect_err(&requirement);
            assert!(
                matches!(&why, Mismatch::Unknown(why) if why.contains("is unknown")),
                "{requirement}: {why}"
            );
        }
    }
    let either = Requirement::parse("sdk >= 1 | serial = x").expect("reads");
    assert_eq!(either.matches(&silent), Ok(()));
}

#[test]
fn fractional_rates_are_the_rate_people_name() {
    for (hz, requirement) in [(119.98, "refresh = 120"), (59.94, "refresh >= 60"), (89.6, "refresh >= 90")] {
        let mut phone = phone("x", "m", 30, hz);
        phone.modes.remove(0);
        assert_eq!(Requirement::parse(requirement).expect("reads").matches(&phone), Ok(()), "{hz}");
    }
}

#[test]
fn complaints_name_the_place_and_the_way_out() {
    for (text, at, what, instead) in [
        ("sdk >= 29 & refesh >= 60", 12..18, "unknown field `refesh`", "write `refresh`"),
        ("api >= 29", 0..3, "unknown field `api`", "write `sdk`"),
        (
            "smoke",
            0..5,
            "unknown field `smoke`",
            "fields are serial, model, manufacturer, sdk, refresh, ram, tag",
        ),
        ("sdk", 0..3, "`sdk` is compared with nothing", "write `sdk >= 29`"),
        ("sdk >=", 6..6, "a value is missing at the end", "write `sdk >= 29`"),
        ("sdk >= new", 7..10, "`new` is not a number `sdk` can be compared with", "write `sdk >= 29`"),
        ("ram >= 4", 7..8, "`ram` needs a unit", "write `4GB` or `4MB`"),
        ("model < 3", 6..7, "`model` is text and has no order", "write `model = 3` or `model ~ \"3*\"`"),
        ("sdk ~ 3*", 4..5, "`sdk` is a number; `~` compares text", "write `sdk >= 29`"),
        (
            "model = SM-*",
            8..12,
            "`*` and `?` stand for other characters only after `~`",
            "write `model ~ \"SM-*\"`",
        ),
        ("(sdk > 3", 0..1, "this `(` is never closed", "add `)`"),
        ("sdk > 3)", 7..8, "this `)` closes nothing", "remove it"),
        ("sdk > 3 ram > 1GB", 8..11, "two tests stand side by side", "join them with `&` (and) or `|` (or)"),
        ("sdk > 3 &", 9..9, "the expression ends too early", "write a test such as `sdk >= 29`"),
        ("model = \"x", 8..10, "a quote is opened and never closed", "close it"),
    ] {
        let complaint = Requirement::parse(text).expect_err(text);
        assert_eq!(
            (complaint.at, complaint.what.as_str(), complaint.instead.as_str()),
            (at, what, instead),
            "{text}"
        );
    }
}

#[test]
fn depth_is_bounded() {
    let complaint = Requirement::parse(&"!".repeat(3000)).expect_err("deep");
    assert!(complaint.what.contains("inside each other"), "{complaint:?}");
    assert!(Requirement::parse(&"(".repeat(3000)).is_err());
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}|[a-z()!&|<>=~ \"*0-9G]{0,60}") {
        if let Ok(requirement) = Requirement::parse(&text) {
            let _ = requirement.matches(&phone("a", "b", 30, 90.0));
        }
    }

    #[test]
    fn negation_never_agrees(level in 1u32..40, sdk in 0u32..40) {
        let phone = phone("a", "b", sdk, 90.0);
        let matches = |text: String| Requirement::parse(&text).expect("reads").matches(&phone).is_ok();
        let (plain, negated) = (matches(format!("sdk >= {level}")), matches(format!("!(sdk >= {level})")));
        prop_assert!(!(plain && negated));
        prop_assert_eq!(plain || negated, sdk > 0);
    }
}
