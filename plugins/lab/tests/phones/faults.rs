//! What is wrong on purpose shows the way it shows on real phones.

use crate::readers::latency;
use crate::walk::{phone, with};
use farmjank_lab::phone_fault::PhoneFault;
use farmjank_lab::spec::PhoneSpec;

#[test]
fn a_frozen_app_draws_nothing_and_cannot_be_dumped() {
    let mut walk = phone("pixel-6", 3);
    walk.open("shop://feed");
    walk.phone.set_fault(PhoneFault::FrozenApp);
    let begin = walk.mono();
    walk.fling();
    let text = walk.run("dumpsys gfxinfo com.example.shop framestats");
    assert!(text.contains("Failure while dumping the app: ProcessRecord{"), "{text}");
    walk.wait(6_000);
    assert!(walk.run("dumpsys window").contains("Application Not Responding: com.example.shop}"));
    let truth = walk.phone.truth();
    assert!(
        truth.layers.iter().flat_map(|layer| &layer.frames).all(|frame| frame.vsync < begin + 50_000_000)
    );
}

#[test]
fn a_crash_takes_process_and_layer_away() {
    let mut walk = phone("pixel-8", 3);
    walk.open("shop://feed");
    let layer = walk.main_layer(".FeedActivity");
    assert_ne!(walk.run("pidof com.example.shop"), "");
    let at = walk.now.ns() + 300_000_000;
    walk.phone.set_fault(PhoneFault::CrashApp { at });
    walk.fling();
    let gone = walk.answer("pidof com.example.shop");
    assert_eq!((gone.status, gone.out.len()), (1, 0));
    assert!(latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'"))).rows.is_empty());
    assert!(walk.run("dumpsys window").contains("Application Error: com.example.shop}"));
    assert!(
        walk.run("dumpsys gfxinfo com.example.shop").starts_with("No process found for: com.example.shop")
    );
}

#[test]
fn a_layer_made_anew_has_a_new_number_and_an_empty_ring() {
    let mut walk = phone("moto-edge-30", 3);
    walk.open("shop://feed");
    walk.fling();
    let old = walk.main_layer(".FeedActivity");
    let at = walk.now.ns() + 1_000_000;
    walk.phone.set_fault(PhoneFault::LayerReborn { at });
    walk.wait(10);
    let new = walk.main_layer(".FeedActivity");
    assert_ne!(old, new);
    assert!(latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{old}'"))).rows.is_empty());
    assert_eq!(latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{new}'"))).zeros(), 127);
    walk.fling();
    walk.run("getprop");
    let truth = walk.phone.truth();
    assert!(truth.layer(&old).unwrap().died.is_some() && truth.layer(&new).unwrap().frames.len() > 50);
}

#[test]
fn somebody_else_clears_the_ring() {
    let mut walk = phone("oneplus-9", 3);
    walk.open("shop://feed");
    walk.fling();
    let layer = walk.main_layer(".FeedActivity");
    let at = walk.now.ns() + 1_000_000;
    walk.phone.set_fault(PhoneFault::ClearedByOther { at });
    walk.wait(5);
    assert_eq!(latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'"))).zeros(), 127);
}

#[test]
fn rings_can_be_short_or_silent() {
    let mut walk = phone("pixel-6", 3);
    walk.open("shop://feed");
    walk.fling();
    let layer = walk.main_layer(".FeedActivity");
    walk.phone.set_fault(PhoneFault::RingRows { n: 40 });
    assert_eq!(latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'"))).rows.len(), 40);
    walk.phone.set_fault(PhoneFault::PeriodOnly);
    assert_eq!(walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")).lines().count(), 1);
}

#[test]
fn refused_injection_says_so_and_moves_nothing() {
    for name in ["galaxy-s7", "pixel-8"] {
        let mut walk =
            with(PhoneSpec { archetype: name.into(), injection_blocked: true, ..PhoneSpec::default() }, 3);
        walk.open("shop://feed");
        let answer = walk.answer("input swipe 540 1500 540 500 250");
        let err = String::from_utf8(answer.err).unwrap();
        assert!(
            err.contains("java.lang.SecurityException: Injecting")
                && err.contains("INJECT_EVENTS permission"),
            "{err}"
        );
        assert_ne!(answer.status, 0);
        assert!(walk.phone.truth().gestures.is_empty());
    }
}

#[test]
fn slow_dumps_take_longer_and_heat_is_told() {
    let mut walk = phone("pixel-8", 3);
    let argv = vec!["dumpsys".to_owned(), "battery".to_owned()];
    let usual = walk.phone.begin(walk.now, &argv).unwrap().takes.ms();
    walk.phone.set_fault(PhoneFault::SlowDumpsys { factor: 50.0 });
    assert!(walk.phone.begin(walk.now, &argv).unwrap().takes.ms() > 10.0 * usual);
    walk.phone.set_fault(PhoneFault::Thermal { status: 3 });
    assert!(walk.run("dumpsys thermalservice").contains("Thermal Status: 3\n"));
}

#[test]
fn dump_times_are_those_of_a_real_shell() {
    let mut walk = phone("galaxy-a14", 3);
    let argv = vec!["dumpsys".to_owned(), "battery".to_owned()];
    let mut times: Vec<f64> =
        (0..2_000).map(|_| walk.phone.begin(walk.now, &argv).unwrap().takes.ms()).collect();
    times.sort_by(f64::total_cmp);
    assert!(
        (25.0..=46.0).contains(&times[1_000]) && (110.0..=200.0).contains(times.last().unwrap()),
        "{} {:?}",
        times[1_000],
        times.last()
    );
}
