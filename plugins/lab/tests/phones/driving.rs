//! Fingers, keys and screens: what moves, for how long, and what is on the screen then.

use crate::walk::{phone, with};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::phone::LabTime;
use farmjank_lab::spec::PhoneSpec;

#[test]
fn a_swipe_blocks_for_its_duration_and_starts_slowly_on_old_phones() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 4);
        let argv: Vec<String> = "input swipe 540 1500 540 500 400".split(' ').map(str::to_owned).collect();
        let ms = walk.phone.begin(walk.now, &argv).unwrap().takes.ms();
        let range = if archetype.sdk <= 30 { 700.0..1_450.0 } else { 410.0..445.0 };
        assert!(range.contains(&ms), "{}: {ms}", archetype.name);
    }
}

#[test]
fn content_moves_under_the_finger_and_in_the_fling_and_then_rests() {
    let mut walk = phone("pixel-8", 4);
    walk.open("shop://feed");
    let begin = walk.mono();
    walk.fling();
    walk.wait(4_000);
    walk.run("getprop");
    let truth = walk.phone.truth();
    let gesture = truth.gestures[0];
    // The last move waits for the app's next refresh.
    assert!((200_000_000..212_000_000).contains(&(gesture.up - gesture.down)), "{gesture:?}");
    assert!((600..1_000).contains(&((gesture.fling_end - gesture.up) / 1_000_000)));
    let layer = truth.layers.iter().rev().find(|layer| layer.name.contains("FeedActivity")).unwrap();
    let moved: Vec<_> = layer.frames.iter().filter(|frame| frame.present > begin).collect();
    assert!(moved.iter().all(|frame| frame.gesture == Some(0) && frame.present > gesture.down));
    assert!(moved.last().unwrap().vsync < gesture.fling_end + 60_000_000);
    // 120 Hz: a frame per refresh while it moves.
    assert!(moved.len() > 90, "{}", moved.len());
}

#[test]
fn slow_drags_do_not_fling_and_taps_do_not_move() {
    let mut walk = phone("pixel-6", 4);
    walk.open("shop://search");
    walk.answer("input swipe 540 1500 540 1300 3000");
    walk.wait(1_000);
    walk.answer("input tap 540 2398");
    walk.run("getprop");
    let truth = walk.phone.truth();
    assert_eq!(truth.gestures[0].fling_end, truth.gestures[0].up);
    let of_tap =
        truth.layers.iter().flat_map(|layer| &layer.frames).filter(|frame| frame.gesture == Some(1)).count();
    assert_eq!(of_tap, 0);
}

#[test]
fn single_motion_events_drag_and_fling() {
    let mut walk = phone("oneplus-9", 4);
    walk.open("shop://feed");
    walk.answer("input motionevent DOWN 540 1800");
    for step in 1..=6 {
        walk.answer(&format!("input motionevent MOVE 540 {}", 1_800 - step * 120));
    }
    walk.answer("input motionevent UP 540 1080");
    walk.wait(2_000);
    walk.run("getprop");
    let truth = walk.phone.truth();
    assert_eq!(truth.gestures.len(), 1);
    assert!(truth.gestures[0].fling_end > truth.gestures[0].up);
}

#[test]
fn the_screen_shows_where_the_list_is() {
    let mut walk = phone("pixel-6", 4);
    walk.open("shop://feed");
    assert_eq!(
        walk.run("uiautomator dump /sdcard/window_dump.xml"),
        "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    );
    let read = |walk: &crate::walk::Walk| {
        String::from_utf8(walk.phone.file(walk.now, "/storage/emulated/0/window_dump.xml").unwrap()).unwrap()
    };
    let top = read(&walk);
    assert!(
        top.contains("text=\"Item 1\" resource-id=\"com.example.shop:id/title\"")
            && top.contains("scrollable=\"true\"")
    );
    assert_eq!(top.matches("<node").count(), top.matches("</node>").count() + top.matches(" />").count());
    for _ in 0..5 {
        walk.fling();
    }
    walk.run("uiautomator dump");
    assert!(!read(&walk).contains("text=\"Item 1\""));
}

#[test]
fn a_tap_on_a_tab_opens_its_page_and_back_returns() {
    let mut walk = phone("pixel-8", 4);
    walk.run("am start -W -n com.example.shop/.MainActivity");
    walk.wait(800);
    let xml = walk.run("uiautomator dump /dev/tty");
    let node = xml.split("<node").find(|node| node.contains(":id/nav_feed\"")).unwrap();
    let bounds: Vec<i64> = node
        .split("bounds=\"[")
        .nth(1)
        .unwrap()
        .split([',', ']', '[', '"'])
        .filter_map(|part| part.parse().ok())
        .collect();
    walk.answer(&format!("input tap {} {}", (bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2));
    walk.wait(1_000);
    assert!(walk.run("dumpsys window").contains("com.example.shop/com.example.shop.FeedActivity}"));
    walk.answer("input keyevent KEYCODE_BACK");
    walk.wait(500);
    assert!(
        walk.run("dumpsys window").contains("mCurrentFocus=Window{")
            && walk.run("dumpsys window").contains(".MainActivity}")
    );
    walk.answer("input keyevent 3");
    walk.wait(300);
    assert!(walk.run("dumpsys window").contains("Launcher}"));
}

#[test]
fn refresh_rates_follow_touch_and_switch_inside_flings() {
    let mut walk = phone("pixel-9-pro", 4);
    walk.open("shop://feed");
    walk.wait(3_000);
    walk.fling();
    walk.run("getprop");
    let truth = walk.phone.truth();
    let gesture = truth.gestures[0];
    let inside: Vec<i64> = truth
        .switches
        .iter()
        .filter(|switch| gesture.down < switch.at && switch.at < gesture.fling_end)
        .map(|switch| switch.printed)
        .collect();
    assert_eq!(inside, [8_333_333, 12_500_000, 16_666_666]);
    assert!(truth.period_at(gesture.down) > 90_000_000);
}

#[test]
fn a_video_plays_at_its_own_rate_into_its_surface() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 4);
        walk.open("shop://video");
        walk.wait(5_000);
        walk.run("getprop");
        let truth = walk.phone.truth();
        let surface = truth.layers.iter().find(|layer| layer.name.starts_with("SurfaceView")).unwrap();
        let (first, last) = (surface.frames.first().unwrap(), surface.frames.last().unwrap());
        let fps = (surface.frames.len() - 1) as f64 / ((last.vsync - first.vsync) as f64 / 1e9);
        assert!((fps - 30.0).abs() < 1.0, "{}: {fps}", archetype.name);
        let main = truth.layers.iter().find(|layer| layer.name.starts_with("com.example.shop/")).unwrap();
        assert_eq!(main.frames.len(), 1);
    }
}

#[test]
fn uptime_is_boottime_in_steps_of_ten_ms() {
    let walk = phone("pixel-6", 4);
    let now = LabTime::from_ns(123_456_789);
    let text = String::from_utf8(walk.phone.file(now, "/proc/uptime").unwrap()).unwrap();
    let first: f64 = text.split(' ').next().unwrap().parse().unwrap();
    let exact = walk.phone.boot_clock_ns(now) as f64 / 1e9;
    assert!(exact - first >= 0.0 && exact - first < 0.010_001, "{exact} {first}");
    assert_eq!(walk.phone.file(now, "/proc/timer_list"), None);
}

#[test]
fn a_covered_phone_shows_nothing_until_it_is_opened() {
    let mut walk = with(PhoneSpec { keyguard: true, archetype: "pixel-8".into(), ..PhoneSpec::default() }, 4);
    let text = walk.run("am start -W -a android.intent.action.VIEW -d shop://feed com.example.shop");
    assert!(text.contains("Status: timeout") && !text.contains("TotalTime"), "{text}");
    assert!(walk.run("dumpsys window policy").contains("showing=true"));
    assert!(walk.phone.truth().layers.is_empty());
    walk.run("wm dismiss-keyguard");
    walk.wait(500);
    assert!(walk.run("dumpsys window policy").contains("showing=false"));
    assert!(walk.run("dumpsys window").contains("FeedActivity}"));
    assert!(!walk.phone.truth().layers.is_empty());
}
