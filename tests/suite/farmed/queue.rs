//! Several runs at once on the phones of one farm: a gate waits for no sweep.

use super::computers::{Computer, Conducted, TERM, Wish, conducted, gathered, passing};
use farmjank_farm::model::{Model, Weather};
use farmjank_results::event::{Ending, Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::claim::Priority;
use farmjank_tests::memory::Memory;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What is done beside an iteration when a phone changes hands: it is set back, let go, asked for (twice a second),
/// looked at and made ready.
const HANDOVER: Span = Span::from_ms(12_000);

pub(super) fn events(files: &Memory) -> Vec<Event> {
    Record::read_ndjson(&files.read(farmjank_engine::scribe::LOG)).expect("a log that keeps every law").1
}

/// Iterations of a log, as they were measured.
pub(super) fn iterations(files: &Memory) -> Vec<(RunTime, RunTime)> {
    let (mut begun, mut all) = (None, Vec::new());
    for event in events(files) {
        match event.fact {
            Fact::TrialStarted { .. } => begun = Some(event.at),
            Fact::TrialFinished { ending: Ending::Completed, .. } => {
                all.push((begun.take().expect("it began"), event.at));
            }
            _ => {}
        }
    }
    all
}

pub(super) async fn ended(run: Conducted) -> Record {
    let ended = tokio::time::timeout(Duration::from_secs(7200), run).await;
    ended.expect("it ends").expect("it does not panic").expect("a run")
}

pub(super) fn on_one_clock(story: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio::task::LocalSet::new().block_on(&runtime.expect("a runtime"), story);
}

pub(super) async fn begins(files: &Memory) {
    while !String::from_utf8_lossy(&files.read(farmjank_engine::scribe::LOG)).contains("trial_started") {
        sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn a_gate_waits_for_an_iteration_of_a_sweep_and_no_longer() {
    // At whichever moment of the sweep it comes.
    for after in [13_000, 15_300, 18_700, 22_900, 31_100] {
        on_one_clock(async move {
            let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
            passing(&model);
            let mut computer = Computer::new(1, &model, Weather::calm());
            computer.begin();
            let client = model.connect(Weather::calm());
            let wish = |run: &str, priority, iterations| Wish {
                run: run.to_owned(),
                priority,
                iterations,
                ..Wish::usual(0)
            };
            let of_sweep = wish("sweep", Priority::Nightly, 12);
            let (sweeping, sweep) = conducted(&of_sweep, &client, gathered(&client, 1).await);
            sleep(Duration::from_millis(after)).await;
            assert!(!iterations(&sweep).is_empty(), "the sweep is under way");
            let of_gate = wish("gate", Priority::Gate, 2);
            let found = gathered(&client, 1).await;
            let asked = Instant::now();
            let (gating, gate) = conducted(&of_gate, &client, found);
            begins(&gate).await;
            let waited = Span::from(asked.elapsed());
            assert_eq!(ended(gating).await.exit_code, Some(0));
            let before = iterations(&sweep).len();
            assert!(before < 12, "the gate is over before the sweep");
            assert_eq!(ended(sweeping).await.exit_code, Some(0));
            let all = iterations(&sweep);
            assert_eq!(
                (all.len(), iterations(&gate).len()),
                (12, 2),
                "nothing is lost, nothing measured twice"
            );
            let longest = all.iter().map(|(from, to)| *to - *from).max().expect("iterations");
            assert!(waited <= longest + HANDOVER, "{waited:?} of {longest:?}");
            let told = |files: &Rc<Memory>, words: &str| {
                let log = files.read(farmjank_engine::scribe::LOG);
                assert!(String::from_utf8_lossy(&log).contains(words), "{words}");
            };
            told(&sweep, "which is more urgent; waiting for it to be free again");
            println!("asked {after} ms in: waited {waited:?}, an iteration takes {longest:?}");
        });
    }
}
