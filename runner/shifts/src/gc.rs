//! What of a farm nobody needs any more: runs that are over for long, or that everybody left, and objects that lay
//! there before the first of those that stay. Deciding it takes nothing away.
//!
//! No list says which objects a run names, for a log would have to be read whole for it. Their age does: what a run
//! relies on was left after it began, or was [relied on](farmjank_farm::nats::RELIED_ON) for a day at most when it did.

use crate::runs::known;
use farmjank_farm::head::Head;
use farmjank_farm::nats::{Logged, RELIED_ON};
use farmjank_farm::run_note::lease_of;
use farmjank_results::fault::{Fault, Persistence};
use farmjank_seams::exchange::Exchange;
use std::collections::BTreeSet;
use std::time::Duration;

/// Objects stay for at least that long, and so does what a run that stays found when it began: a part of an object may
/// have been relied on for a day when its last part was written, and that for another when the run came.
pub const STAYS: Duration = RELIED_ON.saturating_mul(3);

/// Who still has to do with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody but who may read it: it is over.
    Over,
    /// Nobody, though it is not over, or cannot be told any more.
    Left,
    /// Somebody conducts it, or a host works for it.
    UnderWay,
}

/// A run whose log lies on the farm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLogged {
    /// What it is called on the farm.
    pub name: String,
    /// When its log was written.
    pub logged: Logged,
    /// Who has to do with it.
    pub standing: Standing,
}

/// What goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unneeded {
    /// Runs, the oldest first.
    pub runs: Vec<RunLogged>,
    /// How many stay.
    pub stay: usize,
    /// Objects that were left before that, ns since 1970 on the server's clock.
    pub before: u64,
}

/// Who has to do with each run that the farm knows, by name. `works`: the runs that hosts say they work for.
///
/// # Errors
/// Those of the exchange.
pub async fn standings(
    exchange: &dyn Exchange,
    works: &BTreeSet<String>,
) -> Result<Vec<(String, Standing)>, Fault> {
    let mut all = Vec::new();
    for (name, _, head) in Head::all(exchange).await? {
        if head.is_ok_and(|head| head.over) {
            all.push((name, Standing::Over));
        }
    }
    // What those are about is asked, for hosts may have said their last although nobody was told.
    for (name, seen) in known(exchange, |_, over| !over).await? {
        let held = works.contains(&name) || exchange.holder(&lease_of(&name)).await?.is_some();
        all.push(match seen {
            _ if held => (name, Standing::UnderWay),
            Ok(seen) if seen.over => (name, Standing::Over),
            // It cannot be asked about now.
            Err(fault) if fault.persistence == Persistence::Passing => (name, Standing::UnderWay),
            Ok(_) | Err(_) => (name, Standing::Left),
        });
    }
    Ok(all)
}

/// What goes of these, where runs stay for so long after their last word. `now`: ns since 1970 on the server's clock.
pub fn unneeded(runs: Vec<RunLogged>, now: u64, stays: Duration) -> Unneeded {
    let ago =
        |time: u64, span: Duration| time.saturating_sub(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX));
    let goes = |run: &RunLogged| match run.standing {
        Standing::Over => run.logged.last < ago(now, stays),
        // Somebody may still take it up, or its hosts be back after a weekend.
        Standing::Left => run.logged.last < ago(now, stays.max(STAYS)),
        Standing::UnderWay => false,
    };
    let (mut runs, stay): (Vec<RunLogged>, Vec<RunLogged>) = runs.into_iter().partition(goes);
    runs.sort_by(|one, other| (one.logged.last, &one.name).cmp(&(other.logged.last, &other.name)));
    let first = stay.iter().map(|run| ago(run.logged.first, STAYS));
    let before = first.chain([ago(now, stays.max(STAYS))]).min().unwrap_or_default();
    Unneeded { runs, stay: stay.len(), before }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_farm::frames::VERSION;
    use farmjank_farm::model::{Model, Weather};
    use farmjank_results::time::Span;
    use farmjank_seams::exchange::{LogLine, Place};
    use futures::FutureExt;

    const DAY: u64 = 86_400_000_000_000;
    const NOW: u64 = 100 * DAY;

    #[test]
    fn a_run_stays_under_way_while_somebody_has_it_and_is_left_once_nobody_has() {
        let exchange =
            Model::new(Span::from_ms(45_000), Span::from_ms(30_000), 1 << 20).connect(Weather::calm());
        let works = BTreeSet::from(["worked for".to_owned()]);
        let asked = async {
            for (run, v, over) in [
                ("conducted", VERSION, false),
                ("worked for", VERSION, false),
                ("left", VERSION, false),
                ("older", VERSION - 1, false),
                ("over", VERSION, true),
                ("over and older", VERSION - 1, true),
            ] {
                let line = LogLine { run: run.to_owned(), generation: 0, line: "_head".to_owned() };
                // What it is about is nowhere, as of a run whose objects were let go.
                let head = Head {
                    v,
                    generation: 1,
                    object: "none".to_owned(),
                    stays: false,
                    over,
                    cancelled: false,
                };
                let body = serde_json::to_vec(&head).expect("json");
                exchange.append(&line, Place(0), &body).await?;
            }
            exchange.claim(&lease_of("conducted"), b"somebody").await?;
            standings(&exchange, &works).await
        };
        let told = asked.now_or_never().expect("a model answers at once").expect("it answers");
        let of = |name: &str| told.iter().find(|(run, _)| run == name).expect("known").1;
        assert_eq!((of("conducted"), of("worked for")), (Standing::UnderWay, Standing::UnderWay));
        assert_eq!((of("over"), of("over and older")), (Standing::Over, Standing::Over));
        assert_eq!(of("older"), Standing::Left);
        assert_eq!(told.len(), 6);
        // Its sheet may be late: whether it is gone for good, the fault says.
        assert_ne!(of("left"), Standing::Over);
    }

    fn run(name: &str, (first, last): (u64, u64), standing: Standing) -> RunLogged {
        RunLogged { name: name.to_owned(), logged: Logged { first: first * DAY, last: last * DAY }, standing }
    }

    fn days(days: u64) -> Duration {
        Duration::from_hours(24 * days)
    }

    fn names(unneeded: &Unneeded) -> Vec<&str> {
        unneeded.runs.iter().map(|run| run.name.as_str()).collect()
    }

    #[test]
    fn what_is_over_goes_by_its_last_word_and_what_is_under_way_never() {
        let runs = || {
            vec![
                run("young", (98, 99), Standing::Over),
                run("old", (80, 92), Standing::Over),
                run("older", (80, 81), Standing::Over),
                run("long", (10, 11), Standing::UnderWay),
                run("left", (50, 92), Standing::Left),
                run("left lately", (50, 98), Standing::Left),
            ]
        };
        assert_eq!(names(&unneeded(runs(), NOW, days(7))), ["older", "left", "old"]);
        assert_eq!(unneeded(runs(), NOW, days(7)).stay, 3);
        // What is over goes at once where that is wanted; what was left lately never does.
        let all = unneeded(runs(), NOW, Duration::ZERO);
        assert_eq!(names(&all), ["older", "left", "old", "young"]);
    }

    #[test]
    fn objects_stay_as_long_as_a_run_that_stays_may_have_relied_on_them() {
        let of = |runs: Vec<RunLogged>, stays| unneeded(runs, NOW, stays).before / DAY;
        assert_eq!(of(vec![], days(7)), 93);
        // However soon runs go: what begins now relies on what others left.
        assert_eq!(of(vec![], Duration::ZERO), 97);
        assert_eq!(of(vec![run("over", (80, 92), Standing::Over)], days(7)), 93);
        assert_eq!(of(vec![run("over", (80, 94), Standing::Over)], days(7)), 77);
        assert_eq!(of(vec![run("a", (95, 99), Standing::UnderWay)], Duration::ZERO), 92);
        assert_eq!(of(vec![run("a", (1, 99), Standing::UnderWay)], Duration::ZERO), 0);
    }
}
