//! The grammar of limits: what reads, what is complained about, and where.

use farmjank_results::metric::{Better, Unit};
use farmjank_results::threshold::{Aggregate, Bound, Limit, Relation};
use proptest::prelude::*;

fn read(text: &str, unit: Unit) -> (Aggregate, Relation, Bound) {
    let limit = Limit::parse(text, unit).unwrap_or_else(|complaint| panic!("{text}: {complaint}"));
    assert_eq!(limit.text, text.trim());
    assert_eq!(limit.confidence, None);
    (limit.aggregate, limit.relation, limit.bound)
}

#[test]
fn every_aggregate_comparison_and_unit_reads() {
    use {Aggregate::*, Bound::*, Relation::*};
    assert_eq!(read("mean < 10", Unit::MsPerS), (Mean, Below, Plain(10.0)));
    assert_eq!(read("avg<=10ms/s", Unit::MsPerS), (Mean, AtMost, Plain(10.0)));
    assert_eq!(read("  median >= 95%refresh ", Unit::Fps), (Median, AtLeast, PercentOfRefresh(95.0)));
    assert_eq!(read("med>57.5 fps", Unit::Fps), (Median, Above, Plain(57.5)));
    assert_eq!(read("min >= 95 % refresh", Unit::Fps), (Min, AtLeast, PercentOfRefresh(95.0)));
    assert_eq!(read("max == 0", Unit::Count), (Max, Equal, Plain(0.0)));
    assert_eq!(read("p(95) < 1.5s", Unit::Ms), (P(95.0), Below, Plain(1500.0)));
    assert_eq!(read("p( 99.9 )<100 ms", Unit::Ms), (P(99.9), Below, Plain(100.0)));
    assert_eq!(read("mean < 5%", Unit::Percent), (Mean, Below, Plain(5.0)));
    assert_eq!(read("mean < 5", Unit::Percent), (Mean, Below, Plain(5.0)));
    assert_eq!(read("min >= 95%", Unit::Ratio), (Min, AtLeast, Plain(0.95)));
    assert_eq!(read("min >= .95", Unit::Ratio), (Min, AtLeast, Plain(0.95)));
}

/// Text, unit, the words the complaint points at, a part of what it says, what it suggests.
fn refused(text: &str, unit: Unit, at: &str, what: &str, instead: &str) {
    let complaint = Limit::parse(text, unit).expect_err(text);
    assert_eq!(&text[complaint.at.clone()], at, "{text}: {complaint}");
    assert!(complaint.what.contains(what), "{text}: {complaint}");
    assert_eq!(complaint.instead, instead, "{text}: {complaint}");
}

#[test]
fn every_complaint_points_at_its_words_and_says_what_to_write() {
    refused("meen < 5", Unit::Ms, "meen", "unknown aggregate `meen`", "mean");
    refused("Max < 5", Unit::Ms, "Max", "unknown aggregate", "max");
    refused("medain < 5", Unit::Ms, "medain", "unknown aggregate", "median");
    refused("p95 < 5", Unit::Ms, "p95", "unknown aggregate `p95`", "p(95)");
    refused("p < 5", Unit::Ms, "p", "in parentheses", "p(95)");
    refused("p(0) < 5", Unit::Ms, "0", "above 0 and at most 100", "95");
    refused("p(100.1) < 5", Unit::Ms, "100.1", "above 0 and at most 100", "95");
    refused("p(95 < 5", Unit::Ms, "p(95 ", "not closed", "p(95) ");
    refused("< 5s", Unit::Ms, "< 5s", "begins with an aggregate", "mean < 5s");
    refused("", Unit::Fps, "", "begins with an aggregate", "mean >= 95%refresh");
    refused("5", Unit::Ms, "5", "must come before the number", "mean < 5");
    refused("55", Unit::Fps, "55", "must come before the number", "mean >= 55");
    refused("0", Unit::Count, "0", "must come before the number", "max == 0");
    refused("== 0", Unit::Count, "== 0", "begins with an aggregate", "max == 0");
    refused("95 %refesh ", Unit::Fps, "95 %refesh", "must come before", "mean >= 95%refresh");
    refused("mean = 5", Unit::Ms, "=", "`=` is no comparison", "==");
    refused("mean => 5", Unit::Ms, "=>", "no comparison", ">=");
    refused("mean ≤ 5", Unit::Ms, "≤", "no comparison", "<=");
    refused("mean != 5", Unit::Ms, "!=", "one of < <= > >= ==", "<");
    refused("mean 5", Unit::Ms, "5", "comparison is missing", "< 5");
    refused("mean <", Unit::Ms, "", "number is missing", "10");
    refused("mean < abc", Unit::Ms, "abc", "number is missing", "10");
    refused("mean < 5,5", Unit::Ms, "5,5", "with a point", "5.5");
    refused("mean < -5", Unit::Ms, "-5", "ever negative", "0");
    refused("mean < 1.2.3", Unit::Ms, "1.2.3", "not a number", "10");
}

#[test]
fn a_unit_must_fit_the_metric() {
    refused("mean < 5fps", Unit::Ms, "5fps", "`fps` does not fit this metric; it takes ms or s", "5ms");
    refused("mean < 5 ms", Unit::MsPerS, "5 ms", "it takes ms/s", "5ms/s");
    refused("mean >= 95%", Unit::Fps, "95%", "fps or %refresh", "95%refresh");
    refused("mean >= 95 Hz", Unit::Fps, "95 Hz", "`Hz` is no unit", "95fps");
    refused("mean >= 95%refesh", Unit::Fps, "95%refesh", "`%refesh` is no unit", "95%refresh");
    refused("mean < 95% refresh", Unit::Ms, "95% refresh", "does not fit", "95ms");
    refused("max == 0 frames", Unit::Count, "0 frames", "no unit, it is a count", "0");
    refused("min >= 95", Unit::Ratio, "95", "between 0 and 1", "95%");
    refused("min >= 101%", Unit::Ratio, "101%", "at most 100%", "100%");
    refused("max < 120%", Unit::Percent, "120%", "at most 100%", "100%");
    refused("mean < 5 ms please", Unit::Ms, "5 ms please", "is no unit", "5ms");
}

/// What becomes of a text when every hint is followed to the letter.
fn followed(text: &str, unit: Unit, better: Better) -> Result<Limit, String> {
    let mut text = text.to_owned();
    for _ in 0..8 {
        match Limit::facing(&text, unit, better, false) {
            Ok(limit) => return Ok(limit),
            Err(complaint) => text.replace_range(complaint.at, &complaint.instead),
        }
    }
    Err(text)
}

#[test]
fn a_limit_that_faces_the_wrong_way_is_refused_unless_it_is_meant() {
    let facing = |text, better| Limit::facing(text, Unit::Fps, better, false);
    for (text, better, at, instead) in [
        ("mean < 55", Better::Higher, "<", ">="),
        ("median <= 55", Better::Higher, "<=", ">="),
        ("mean > 55", Better::Lower, ">", "<="),
        ("p(95)>=55", Better::Lower, ">=", "<="),
        ("mean < 0", Better::Lower, "<", "=="),
        ("mean >= 0", Better::Higher, ">=", ">"),
    ] {
        let complaint = facing(text, better).expect_err(text);
        assert_eq!((&text[complaint.at.clone()], &*complaint.instead), (at, instead), "{complaint}");
    }
    assert!(facing("mean == 60", Better::Higher).is_ok() && facing("max == 0", Better::Lower).is_ok());
    assert!(Limit::facing("mean < 55", Unit::Fps, Better::Higher, true).is_ok());
    assert!(Limit::facing("mean < 0", Unit::Fps, Better::Higher, true).is_err(), "nobody means that");
}

#[test]
fn a_hint_keeps_the_number_and_the_unit_of_its_author() {
    let becomes = |text, unit, better| followed(text, unit, better).expect(text).text;
    for (text, unit, better, limit) in [
        ("55", Unit::Fps, Better::Higher, "mean >= 55"),
        ("55 fps", Unit::Fps, Better::Higher, "mean >= 55 fps"),
        ("< 55", Unit::Fps, Better::Higher, "mean >= 55"),
        ("mean >= 95%refesh", Unit::Fps, Better::Higher, "mean >= 95%refresh"),
        ("0", Unit::Count, Better::Lower, "max == 0"),
        ("3", Unit::Count, Better::Lower, "max <= 3"),
        ("== 0", Unit::Count, Better::Lower, "max == 0"),
        ("< 20ms", Unit::Ms, Better::Lower, "mean < 20ms"),
        ("20ms", Unit::Ms, Better::Lower, "mean < 20ms"),
        ("0.5s", Unit::Ms, Better::Lower, "mean < 0.5s"),
        ("5,5", Unit::MsPerS, Better::Lower, "mean < 5.5"),
        ("95", Unit::Ratio, Better::Higher, "mean >= 95%"),
        ("5%", Unit::Percent, Better::Lower, "mean < 5%"),
        ("mean 5", Unit::MsPerS, Better::Lower, "mean < 5"),
        ("p95 > 20", Unit::Ms, Better::Lower, "p(95) <= 20"),
    ] {
        assert_eq!(becomes(text, unit, better), limit, "{text}");
    }
}

#[test]
fn hostile_text_is_refused_whole() {
    let long = "mean < ".to_owned() + &"9".repeat(10_000);
    assert!(Limit::parse(&long, Unit::Ms).expect_err("long").what.contains("this long"));
}

#[test]
fn confidence_is_refused_where_no_sample_can_show_it() {
    let limit = |text| Limit::parse(text, Unit::Ms).unwrap();
    assert_eq!(limit("mean < 5").with_confidence(95.0).unwrap().confidence, Some(95.0));
    assert_eq!(limit("p(99) < 5").with_confidence(99.9).unwrap().confidence, Some(99.9));
    for percent in [50.0, 100.0, 0.95, -1.0, f64::NAN, f64::INFINITY] {
        let complaint = limit("mean < 5").with_confidence(percent).expect_err("range");
        assert!(complaint.what.contains("above 50 and below 100"));
    }
    for text in ["max < 5", "min > 5", "p(100) < 5"] {
        let complaint = limit(text).with_confidence(95.0).expect_err(text);
        assert!(complaint.what.contains("extreme") && complaint.at == (0..text.len()), "{complaint}");
    }
    assert!(limit("mean == 5").with_confidence(95.0).expect_err("==").what.contains("no side"));
}

fn units() -> impl Strategy<Value = Unit> {
    prop::sample::select(vec![
        Unit::Fps,
        Unit::Ms,
        Unit::MsPerS,
        Unit::Percent,
        Unit::Ratio,
        Unit::Count,
        Unit::Mb,
        Unit::Kb,
        Unit::Celsius,
        Unit::MilliAmp,
    ])
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_the_same_limit(
        aggregate in prop_oneof![
            Just(Aggregate::Mean), Just(Aggregate::Median), Just(Aggregate::Min), Just(Aggregate::Max),
            (0.001f64..=100.0).prop_map(Aggregate::P),
        ],
        relation in prop::sample::select(vec![
            Relation::Below, Relation::AtMost, Relation::Above, Relation::AtLeast, Relation::Equal,
        ]),
        (unit, bound) in prop_oneof![
            (Just(Unit::Fps), (0.0f64..1e4).prop_map(Bound::PercentOfRefresh)),
            (units(), (0.0f64..=1.0).prop_map(Bound::Plain)),
            (Just(Unit::Ms), (0.0f64..1e9).prop_map(Bound::Plain)),
        ],
    ) {
        let limit = Limit { text: String::new(), aggregate, relation, bound, confidence: None };
        let text = limit.to_string();
        let back = Limit::parse(&text, unit).map_err(|complaint| TestCaseError::fail(complaint.to_string()))?;
        prop_assert_eq!(&back, &Limit { text: text.clone(), ..limit.clone() });
        let dense: String = text.split(' ').collect();
        prop_assert_eq!(Limit::parse(&dense, unit).map(|limit| limit.bound), Ok(bound));
    }

    #[test]
    fn any_text_reads_or_is_complained_about_within_itself(text in ".{0,40}", unit in units()) {
        if let Err(complaint) = Limit::parse(&text, unit) {
            prop_assert!(text.get(complaint.at.clone()).is_some(), "{:?}", complaint.at);
            prop_assert!(!complaint.what.is_empty());
        }
    }

    #[test]
    fn hints_followed_to_the_letter_end_in_a_limit_that_faces_the_right_way(
        text in "(mean|avg|meen|p95|p\\(95|max)? ?(<|<=|>|>=|==|=|!=|≤)? ?[0-9]{0,3}(,5|\\.5)? ?(ms|s|fps|%|%refesh|Hz)?",
        unit in units(),
        higher in any::<bool>(),
    ) {
        let better = if higher { Better::Higher } else { Better::Lower };
        let limit = followed(&text, unit, better).map_err(TestCaseError::fail)?;
        let wrong = match better {
            Better::Higher => matches!(limit.relation, Relation::Below | Relation::AtMost),
            Better::Lower => matches!(limit.relation, Relation::Above | Relation::AtLeast),
        };
        prop_assert!(!wrong, "{text}: {limit}");
    }

    #[test]
    fn near_misses_never_panic(text in "(mean|p\\(|med|max)? ?[<>=]{0,2} ?[0-9.,-]{0,5}[a-z%/ ]{0,6}", unit in units()) {
        if let Err(complaint) = Limit::parse(&text, unit) {
            prop_assert!(text.get(complaint.at).is_some());
        }
    }
}
