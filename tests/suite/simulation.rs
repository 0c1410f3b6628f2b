//! A swarm of whole runs: random labs, random troubles, random scenarios, checked from outside. One seed is one story;
//! `FARMJANK_SWARM=20` tries twenty times as many of them, `FARMJANK_SWARM_FROM=700` starts elsewhere.

pub mod check;
mod draw;

use draw::World;
use farmjank_engine::scribe::LOG;
use farmjank_engine::stop::Urgency;
use farmjank_tests::beside::beside;
use farmjank_tests::stage::{Stage, Story};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Seeds tried when nobody asks for more: about 20 s of a debug build, and as much for half as many of cut runs and of
/// runs at once.
const SEEDS: u64 = 16;

#[allow(clippy::disallowed_methods, reason = "how many seeds to try is asked of the environment, here only")]
fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn stage(world: &World, seed: u64) -> Stage {
    let stage = Stage::lab_yaml(&world.lab).seed(seed).reporters().within(world.bound);
    let stage = stage.patience(|patience| patience.recover = world.recover).diagnose(world.diagnose);
    world.scenarios.iter().fold(stage, |stage, scenario| stage.scenario(scenario))
}

fn play(world: &World, seed: u64) -> Story {
    let mut stage = stage(world, seed);
    if let Some(after) = world.interrupt {
        stage = stage.interrupt(after, if seed.is_multiple_of(2) { Urgency::Drain } else { Urgency::Cancel });
    }
    stage.run()
}

/// What a panic said.
fn panicked<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
        format!("it panicked: {}", words.unwrap_or_default())
    })
}

/// What is wrong with the run of a seed, in words.
fn wrongs(seed: u64) -> Vec<String> {
    let world = draw::world(seed);
    let (story, again) = match panicked(|| (play(&world, seed), play(&world, seed))) {
        Ok(both) => both,
        Err(why) => return vec![why],
    };
    let mut wrongs = check::wrongs(&world, &story);
    for path in story.files.paths() {
        if story.files.read(&path) != again.files.read(&path) {
            wrongs.push(format!("{path} differs between two runs of one seed"));
        }
    }
    wrongs.extend(check::left_behind(&world, &story));
    wrongs
}

/// The same run by a process that dies when a share of its log is written, and by another one that goes on with it.
fn wrongs_of_a_cut(seed: u64) -> Vec<String> {
    let world = draw::world(seed);
    let first = match panicked(|| play(&world, seed)) {
        Ok(first) => first,
        Err(why) => return vec![why],
    };
    let log = first.files.read(LOG);
    let lines: Vec<usize> =
        log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    // The last line is that of a run that is over.
    let cut = lines[(world.cut * lines.len() as f64) as usize % (lines.len() - 1).max(1)];
    let kept = log[..cut].to_vec();
    let goes_on = || stage(&world, seed).goes_on(first.files.cut_off(LOG, cut)).run();
    match panicked(goes_on) {
        Ok(story) => check::wrongs_of_resumed(&world, &kept, &story),
        Err(why) => vec![format!("cut off after {cut} bytes: {why}")],
    }
}

/// Two or three runs at once on the phones of the seed's lab.
fn wrongs_of_several(seed: u64) -> Vec<String> {
    let world = draw::world(seed);
    let several = || {
        let stages = world.beside.iter().enumerate().map(|(run, (after, wait))| {
            let stage = stage(&world, seed).called(&format!("run-{run}")).waits(*wait);
            (*after, stage.within(world.bound * 3 + *wait))
        });
        beside(stages.collect::<Vec<(Duration, Stage)>>())
    };
    let (stories, held) = match panicked(several) {
        Ok(both) => both,
        Err(why) => return vec![why],
    };
    let mut wrongs: Vec<String> = held.iter().map(|who| format!("{who} holds a phone for ever")).collect();
    for (run, story) in stories.iter().enumerate() {
        let found = check::wrongs_of_one(&world, story);
        wrongs.extend(found.into_iter().map(|words| format!("run {run}: {words}")));
    }
    let begun: Vec<Duration> = world.beside.iter().map(|(after, _)| *after).collect();
    wrongs.extend(check::apart(&world, &begun, &stories));
    wrongs
}

/// Holds a share of the seeds against a checker; what is wrong is said with the command that shows it again.
pub fn swarm(test: &str, seeds: u64, wrongs: impl Fn(u64) -> Vec<String>) {
    let (times, from) =
        (asked("FARMJANK_SWARM").unwrap_or(1), asked("FARMJANK_SWARM_FROM").unwrap_or_default());
    let mut bad = String::new();
    for seed in from..from + seeds * times {
        let wrongs = wrongs(seed);
        if !wrongs.is_empty() {
            bad += &format!(
                "seed {seed}: FARMJANK_SWARM_FROM={seed} cargo test -p farmjank-tests --test suite {test}\n  {}\n",
                wrongs.join("\n  ")
            );
        }
    }
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn whatever_happens_the_laws_hold_and_no_number_lies() {
    swarm("whatever_happens", SEEDS, wrongs);
}

#[test]
fn a_layer_that_stood_still_proves_nothing_of_a_game_beside_it_that_was_read_too_late() {
    assert_eq!(wrongs(120_022), Vec::<String>::new());
}

#[test]
fn a_run_that_is_cut_off_anywhere_loses_no_iteration_and_measures_none_twice() {
    swarm("cut_off_anywhere", SEEDS / 2, wrongs_of_a_cut);
}

#[test]
fn runs_at_once_never_have_a_phone_together_and_all_of_them_end() {
    swarm("runs_at_once", SEEDS / 2, wrongs_of_several);
}
