//! Stalls without a frame that a page plants, by every kind of cause, and pages that rest: a matrix of what was planted
//! against what was charged.

use super::matrix::{Matrix, causes, recorded_on_the_page};
use super::planted::{FLING, Recorded, ahead, alone, charged, config, perform, phone, word};
use farmjank_causes::held::LEAST;
use farmjank_causes::inquiry::Stalled;
use farmjank_lab::archetype::{ARCHETYPES, Archetype};
use farmjank_lab::spec::{CauseSpec, Hold, PhoneSpec, StallSpec};
use farmjank_lab::truth::held::TruthStall;
use std::collections::BTreeMap;

/// Ends of a stretch that are its thread's way out of the wait for a message and back into it, ns.
const EDGES: i64 = 100_000;

fn traced() -> impl Iterator<Item = &'static Archetype> {
    ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 31)
}

/// Holds of main: those of others need a frame.
fn on_main(cause: &CauseSpec) -> bool {
    let of_main = |by: Hold| {
        !matches!(by, Hold::Upload | Hold::Shader | Hold::Render | Hold::RenderStarved | Hold::Gpu)
    };
    of_main(cause.kind) && cause.and.is_none_or(of_main)
}

/// A phone whose page holds main up now and then, for this.
fn stalls(archetype: &str, cause: Option<CauseSpec>, unmarked: bool) -> PhoneSpec {
    phone(archetype, &[], |page| {
        page.hitch_rate = 0.0;
        page.stall = Some(StallSpec { every_ms: 430, ms: 190, cause, unmarked });
    })
}

/// What was really planted in a stall, by the word it should be charged by, ns; what is no cause is the message.
fn truly(truth: &[TruthStall], stall: (i64, i64)) -> BTreeMap<&'static str, i64> {
    let mut by_word = BTreeMap::new();
    let inside = |from: i64, to: i64| (to.min(stall.1) - from.max(stall.0)).max(0);
    for held in truth.iter().flat_map(TruthStall::held).flatten() {
        let (whole, ns) = (held.to - held.from, inside(held.from, held.to));
        for (by, part) in held.parts().into_iter().filter(|_| ns > 0) {
            *by_word.entry(word(by)).or_default() += ns * part / whole.max(1);
        }
    }
    by_word
}

/// The stalls found in a trace, and the page's own, on the clock of the trace.
fn both(recorded: &Recorded) -> (Vec<Stalled>, Vec<TruthStall>) {
    let (found, losses) = charged(&recorded.trace);
    assert!(losses.overrun.is_empty() && losses.unreadable == 0 && losses.disordered == 0, "{losses:?}");
    let sum = &found.stalls;
    let length: i64 = found.stalled.iter().map(|one| (one.stall.to - one.stall.from) / 1_000).sum();
    assert_eq!((sum.us, sum.unknown_us), (length, 0));
    assert_eq!(sum.explained_us + sum.unexplained_us, sum.us, "to the microsecond");
    let ahead = ahead(&recorded.trace);
    let truth = recorded.phone.truth();
    let later = |stall: &TruthStall| TruthStall { from: stall.from + ahead, to: stall.to + ahead, ..*stall };
    (found.stalled, truth.stalls.iter().map(later).collect())
}

#[test]
fn what_a_page_plants_in_stalls_without_a_frame_is_what_is_charged() {
    let config = config();
    let mut matrix = Matrix::default();
    let (mut whole, mut missed) = (0, Vec::new());
    let planted = causes().into_iter().filter(on_main).map(Some).chain([None]);
    for (cause, archetype) in planted.zip(traced().collect::<Vec<_>>().into_iter().cycle()) {
        for seed in 1..=2 {
            let steps = [FLING, FLING, ("getprop", 6_000)];
            let recorded = perform(&stalls(archetype.name, cause, false), seed, &steps, &config);
            let (found, truth) = both(&recorded);
            for one in &found {
                let (from, to) = (one.stall.from, one.stall.to);
                let planted = truly(&truth, (from, to));
                let (charges, _) = one.charges.as_ref().expect("nothing was lost");
                let mut by_word = BTreeMap::from([("unexplained".to_owned(), charges.unexplained_us)]);
                charges
                    .charged
                    .iter()
                    .for_each(|one| *by_word.entry(one.cause.word()).or_default() += one.us);
                let us = (to - from) / 1_000;
                assert_eq!(by_word.values().sum::<i64>(), us, "to the microsecond");
                matrix.take(&format!("{} {seed} {cause:?} {from}", archetype.name), us, &planted, &by_word);
            }
            // Whatever no frame waited in is found, from its beginning to its end; the last one outlives the trace.
            let end = truth.iter().map(|stall| stall.to).max().unwrap_or(0);
            for stall in truth.iter().filter(|one| one.from > end - 5_000_000_000 && one.to < end) {
                let near = |one: &&Stalled| {
                    (one.stall.from - stall.from).abs() < EDGES && (one.stall.to - stall.to).abs() < EDGES
                };
                whole += 1;
                if !found.iter().any(|one| near(&one)) {
                    missed.push(format!("{} {seed} {cause:?} {stall:?}", archetype.name));
                }
            }
        }
    }
    let shown = matrix.shown("stalls");
    println!("{shown}\n{whole} stalls at rest, missed: {missed:#?}");
    assert!(whole > 500 && missed.is_empty(), "{} of {whole}: {missed:#?}", missed.len());
    let (all, right) = (matrix.sum(None, None), matrix.right());
    assert!(100 * right >= 95 * all, "{right} of {all} µs");
    assert!(matrix.percent("unexplained", "unexplained") >= 90.0, "what nothing tells of is unexplained");
    for (planted, stalls) in &matrix.frames {
        let percent = matrix.percent(planted, planted);
        assert!(*stalls >= 5 && percent >= 90.0, "{planted}: {percent} % of {stalls} stalls");
    }
    recorded_on_the_page("### Planted stalls", &shown);
}

#[test]
fn a_page_that_rests_or_moves_smoothly_holds_nobody_up() {
    let config = config();
    for archetype in traced() {
        for seed in 1..=3 {
            let spec = phone(archetype.name, &[], |page| page.hitch_rate = 0.0);
            let steps = [("getprop", 2_000), FLING, ("getprop", 3_000), FLING, ("getprop", 3_000)];
            let (found, _) = both(&perform(&spec, seed, &steps, &config));
            assert!(found.is_empty(), "{} {seed}: {found:#?}", archetype.name);
        }
    }
}

#[test]
fn frames_that_are_late_are_no_stalls_beside() {
    let config = config();
    for archetype in traced() {
        let spec = phone(archetype.name, &[alone(Hold::Message), alone(Hold::Lock)], |page| {
            page.hitch_cap = 20;
            page.hitch_tail = 0.6;
        });
        let (found, losses) = charged(&perform(&spec, 3, &[FLING; 10], &config).trace);
        let long = found.late.iter().filter(|late| late.frame.hitch > LEAST);
        assert!(losses.overrun.is_empty() && long.count() > 0, "{}", archetype.name);
        assert!(found.stalled.is_empty(), "{}: {:#?}", archetype.name, found.stalled);
    }
}

#[test]
fn of_a_message_nobody_marks_what_is_told_is_charged_and_a_plain_sleep_is_no_stall() {
    let config = config();
    let mut sleeps = 0;
    let kinds = [Hold::Lock, Hold::Binder, Hold::Disk, Hold::Starved, Hold::Gc, Hold::Inflate, Hold::Unknown];
    for (kind, archetype) in kinds.into_iter().zip(traced().collect::<Vec<_>>().into_iter().cycle()) {
        let steps = [FLING, FLING, ("getprop", 6_000)];
        let spec = stalls(archetype.name, Some(alone(kind)), true);
        let (found, truth) = both(&perform(&spec, 4, &steps, &config));
        if kind == Hold::Unknown {
            assert!(found.is_empty(), "{}: {found:#?}", archetype.name);
            sleeps += truth.len();
            continue;
        }
        let (mut right, mut all) = (0, 0);
        for one in &found {
            let planted = truly(&truth, (one.stall.from, one.stall.to));
            assert!(
                planted.contains_key(word(kind)),
                "{}: {one:?} where nothing was planted",
                archetype.name
            );
            let (charges, _) = one.charges.as_ref().expect("nothing was lost");
            let own = charges.charged.iter().filter(|one| one.cause.word() == word(kind));
            right += own.map(|one| one.us).sum::<i64>();
            all += (one.stall.to - one.stall.from) / 1_000;
        }
        assert!(
            found.len() >= 10 && 100 * right >= 95 * all,
            "{kind:?}: {right} of {all} in {}",
            found.len()
        );
    }
    assert!(sleeps >= 10);
}

#[test]
fn a_touch_that_comes_while_main_is_held_up_is_said_to_have_waited() {
    let config = config();
    let mut waited = 0;
    for archetype in traced() {
        let spec = stalls(archetype.name, Some(alone(Hold::Disk)), false);
        let steps = [FLING, ("getprop", 1_900), FLING, ("getprop", 2_050), FLING, ("getprop", 2_200), FLING];
        let recorded = perform(&spec, 6, &steps, &config);
        let (found, _) = both(&recorded);
        let (truth, ahead) = (recorded.phone.truth(), ahead(&recorded.trace));
        for one in &found {
            let (from, to) = (one.stall.from - ahead, one.stall.to - ahead);
            let touch = truth.gestures.iter().find(|touch| touch.down > from && touch.down < to);
            let (said, really) = (one.stall.touch, touch.map(|touch| to - touch.down));
            let near = said.zip(really).is_some_and(|(said, really)| (said - really).abs() < 1_200_000);
            // What main was held up by just before a frame may be taken with it, where nobody marks that.
            assert!(near || said.is_none(), "{}: {said:?} {really:?}", archetype.name);
            waited += usize::from(near);
        }
    }
    assert!(waited >= 3, "{waited} touches came in a stall");
}
