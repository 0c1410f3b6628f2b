//! A swarm of whole runs: random labs, random troubles, random scenarios, checked from outside. One seed is one story;
//! `FARMJANK_SWARM=20` tries twenty times as many of them, `FARMJANK_SWARM_FROM=700` starts elsewhere.

pub mod check;
mod draw;

use draw::World;
use farmjank_engine::stop::Urgency;
use farmjank_tests::stage::{Stage, Story};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seeds tried when nobody asks for more: less than 20 s of a debug build.
const SEEDS: u64 = 16;

#[allow(clippy::disallowed_methods, reason = "how many seeds to try is asked of the environment, here only")]
fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn play(world: &World, seed: u64) -> Story {
    let mut stage = Stage::lab_yaml(&world.lab).seed(seed).reporters().within(world.bound);
    for scenario in &world.scenarios {
        stage = stage.scenario(scenario);
    }
    if let Some(after) = world.interrupt {
        stage = stage.interrupt(after, if seed.is_multiple_of(2) { Urgency::Drain } else { Urgency::Cancel });
    }
    stage.run()
}

/// What is wrong with the run of a seed, in words.
fn wrongs(seed: u64) -> Vec<String> {
    let world = draw::world(seed);
    let story = catch_unwind(AssertUnwindSafe(|| (play(&world, seed), play(&world, seed))));
    let (story, again) = match story {
        Ok(both) => both,
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            return vec![format!("it panicked: {}", words.unwrap_or_default())];
        }
    };
    let mut wrongs = check::wrongs(&world, &story);
    for path in story.files.paths() {
        if story.files.read(&path) != again.files.read(&path) {
            wrongs.push(format!("{path} differs between two runs of one seed"));
        }
    }
    wrongs
}

#[test]
fn whatever_happens_the_laws_hold_and_no_number_lies() {
    let (times, from) =
        (asked("FARMJANK_SWARM").unwrap_or(1), asked("FARMJANK_SWARM_FROM").unwrap_or_default());
    let mut bad = String::new();
    for seed in from..from + SEEDS * times {
        let wrongs = wrongs(seed);
        if !wrongs.is_empty() {
            bad += &format!("seed {seed}:\n  {}\n", wrongs.join("\n  "));
        }
    }
    assert!(bad.is_empty(), "{bad}");
}
