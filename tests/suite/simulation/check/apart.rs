//! No phone is in two runs: by their logs, on the lab's clock, and by what the phone itself felt of fingers.

use super::World;
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_tests::stage::Story;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A run's hold on a phone.
#[derive(Debug)]
struct Hold {
    run: usize,
    /// On the lab's clock, ns.
    from: i64,
    until: i64,
    /// Its swipes, on the phone's clock, ns.
    swipes: Vec<(i64, i64)>,
}

fn events(story: &Story) -> Vec<Event> {
    Record::read_ndjson(&story.files.read("events.ndjson")).map(|(_, events)| events).unwrap_or_default()
}

fn holds(run: usize, begun: Duration, story: &Story, all: &mut BTreeMap<String, Vec<Hold>>) {
    let begun = i64::try_from(begun.as_nanos()).unwrap_or(i64::MAX);
    let mut open: BTreeMap<u32, (String, Hold)> = BTreeMap::new();
    for event in events(story) {
        let now = begun + event.at.ns();
        match event.fact {
            Fact::LeaseGranted { job, device } => {
                open.insert(job, (device.0, Hold { run, from: now, until: now, swipes: Vec::new() }));
            }
            Fact::StepFinished { job, stamps: Some((from, until)), .. } => {
                if let Some((_, hold)) = open.get_mut(&job) {
                    hold.swipes.push((from.ns(), until.ns()));
                }
            }
            Fact::LeaseReturned { job, .. } => {
                if let Some((device, hold)) = open.remove(&job) {
                    all.entry(device).or_default().push(Hold { until: now, ..hold });
                }
            }
            _ => {}
        }
    }
}

/// What is wrong with how runs shared the phones.
pub fn apart(world: &World, begun: &[Duration], stories: &[Story]) -> Vec<String> {
    let mut all: BTreeMap<String, Vec<Hold>> = BTreeMap::new();
    for (run, story) in stories.iter().enumerate() {
        holds(run, begun[run], story, &mut all);
    }
    let mut wrongs = Vec::new();
    for (serial, mut holds) in all {
        holds.sort_by_key(|hold| (hold.from, hold.until));
        for pair in holds.windows(2) {
            if pair[0].run != pair[1].run && pair[0].until > pair[1].from {
                let [one, two] = [&pair[0], &pair[1]].map(|hold| hold.run);
                wrongs.push(format!("{serial} is in run {one} and run {two} at {} ns", pair[1].from));
            }
        }
        if !world.sound.contains(&serial) {
            continue;
        }
        // Between a run's first and last stamped finger on the phone, every finger it felt is of that run: taps and
        // searches have no stamps of their own.
        let felt: Vec<i64> = stories[0]
            .lab
            .truth(&serial, |truth| truth.gestures.iter().map(|one| one.down).collect())
            .unwrap_or_default();
        let stretches: Vec<(usize, i64, i64)> = holds
            .iter()
            .filter_map(|hold| {
                let from = hold.swipes.iter().map(|(from, _)| *from).min()?;
                Some((hold.run, from, hold.swipes.iter().map(|(_, until)| *until).max()?))
            })
            .collect();
        for down in felt {
            let of = |(_, from, until): &&(usize, i64, i64)| (*from..=*until).contains(&down);
            let runs: BTreeSet<usize> = stretches.iter().filter(of).map(|(run, ..)| *run).collect();
            if runs.len() > 1 {
                wrongs.push(format!("a finger on {serial} at {down} ns is of runs {runs:?}"));
            }
        }
    }
    wrongs
}
