//! Launches: what `am start` says, and what was there to see.

use crate::walk::phone;
use farmjank_lab::archetype::ARCHETYPES;

#[test]
fn a_cold_start_shows_a_splash_then_the_app() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 9);
        let text = walk.run("am start -W -S -n com.example.shop/.MainActivity");
        walk.wait(600);
        walk.run("getprop");
        let truth = walk.phone.truth();
        let launch = &truth.launches[0];
        assert!(text.contains(&format!("TotalTime: {}\n", launch.total_ms)), "{text}");
        assert!(launch.cold);
        let drawn = (launch.first_frame.unwrap() - launch.start) / 1_000_000;
        assert!(
            (launch.total_ms - 40..launch.total_ms + 120).contains(&drawn),
            "{}: {drawn} {}",
            archetype.name,
            launch.total_ms
        );
        let splash = truth
            .layers
            .iter()
            .find(|layer| layer.name.starts_with(if archetype.sdk >= 26 { "Splash" } else { "Starting" }))
            .unwrap();
        assert!(
            splash.frames.len() > 5 && splash.died.is_some(),
            "{}: {}",
            archetype.name,
            splash.frames.len()
        );
        let main = truth.layers.iter().find(|layer| layer.package == "com.example.shop").unwrap();
        assert!(main.frames.len() > 3, "{}", main.frames.len());
    }
}
