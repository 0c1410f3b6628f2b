//! What who runs the server does to a farm: bounds what a team may keep, and takes away what nobody needs.

use crate::conformance::runtime;
use crate::roles::{Farm, LONG};
use farmjank_farm::nats::{Nats, Terms};
use farmjank_results::fault::FaultCode;
use farmjank_seams::exchange::{Exchange, LogLine, Place};
use std::time::Duration;

/// So much later is later on any server's clock.
const MOMENT: Duration = Duration::from_millis(50);

async fn wrote(farm: &Nats, run: &str) {
    for (generation, line) in [(0, "_head"), (1, "_opening"), (1, "0001-left")] {
        let line = LogLine { run: run.to_owned(), generation, line: line.to_owned() };
        farm.append(&line, Place(0), b"1").await.expect("written");
    }
}

/// A moment of the server's clock before which all that was asked happened, and after which all that will be.
async fn moment(nats: &Nats) -> u64 {
    tokio::time::sleep(MOMENT).await;
    let now = nats.upkeep().now().await.expect("told");
    tokio::time::sleep(MOMENT).await;
    now
}

impl Farm {
    /// Somebody of the team `pay`, who relies on objects that are there for so long.
    async fn relying(&self, called: &str, relied_on: Duration) -> Nats {
        self.nats_by(called, "pay", LONG, Terms { relied_on, ..Terms::FARM }).await
    }
}

#[test]
fn the_operator_takes_a_log_away_and_objects_by_their_age_and_nobody_else_may() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        let run = farm.nats("run-pay", "pay", LONG).await;
        run.prepare().await.expect("an empty server");
        let operator = farm.nats("operator", "pay", LONG).await;
        assert_eq!(operator.upkeep().drop_objects(u64::MAX).await.expect("nothing is there"), 0);
        let begun = moment(&operator).await;
        wrote(&run, "old").await;
        let between = moment(&operator).await;
        let logged = operator.upkeep().logged("old").await.expect("told").expect("there");
        assert!(begun < logged.first && logged.first <= logged.last && logged.last < between, "{logged:?}");
        assert_eq!(operator.upkeep().logged("older").await.expect("told"), None);
        wrote(&run, "old-2").await;
        assert_eq!(operator.upkeep().drop_log("old").await.expect("purged"), 3);
        assert_eq!(operator.upkeep().drop_log("old").await.expect("there is nothing any more"), 0);
        assert_eq!(operator.upkeep().logged("old").await.expect("told"), None);
        assert_eq!(run.follow("old-2", 1, Place(0), Duration::ZERO).await.expect("answers").len(), 2);

        // Of one part, of three, and one after them.
        let large = vec![7; 1_300_000];
        for (name, bytes) in [("small", &large[..10]), ("large", &large[..])] {
            run.put(name, bytes).await.expect("left");
        }
        assert_eq!(operator.upkeep().drop_objects(between).await.expect("all are younger"), 0);
        let between = moment(&operator).await;
        run.put("young", &large).await.expect("left");
        for called in ["run-pay", "agent-left", "viewer-pay", "keeper"] {
            let other = farm.nats(called, "pay", LONG).await;
            for refused in
                [other.upkeep().drop_objects(between).await, other.upkeep().drop_log("old-2").await]
            {
                assert_eq!(refused.expect_err("not theirs").code, FaultCode::FarmRefused, "{called}");
            }
        }
        assert_eq!(operator.upkeep().drop_objects(between).await.expect("purged"), 4);
        for (name, there) in [("small", false), ("large", false), ("young", true)] {
            assert_eq!(run.get(name).await.expect("answers").is_some(), there, "{name}");
        }
        run.put("large", &large).await.expect("left again");
        assert!(run.get("large").await.expect("answers") == Some(large));
        // A store that is gone is no fault of who asks.
        let web = farm.nats("operator", "web", LONG).await;
        assert!(web.upkeep().drop_log("old").await.is_err(), "there is none yet");
    });
}

/// Whoever relies on what lies there has it for days, though an operator makes room.
#[test]
fn an_object_that_is_old_is_left_anew_and_one_that_is_young_is_relied_on() {
    let Some(farm) = Farm::start() else { return };
    runtime().block_on(async {
        farm.nats("run-pay", "pay", LONG).await.prepare().await.expect("an empty server");
        let operator = farm.nats("operator", "pay", LONG).await;
        let young = farm.relying("agent-left", LONG).await;
        let old = farm.relying("agent-left", Duration::ZERO).await;
        let large: Vec<u8> = (0..1_300_000_u32).map(|n| (n % 251) as u8).collect();
        for (relying, stays) in [(&young, false), (&old, true)] {
            young.put("small", b"1").await.expect("left");
            young.put("large", &large).await.expect("left");
            let between = moment(&operator).await;
            relying.put("small", b"1").await.expect("there, or left anew");
            relying.put("large", &large).await.expect("there, or left anew");
            operator.upkeep().drop_objects(between).await.expect("purged");
            assert_eq!(young.get("small").await.expect("answers").is_some(), stays);
            assert_eq!(young.get("large").await.expect("answers"), stays.then(|| large.clone()));
        }
        // Somebody died on the way long ago: its parts are old, and no better than none.
        let first = "fj.obj.pay.large.0";
        let options = async_nats::ConnectOptions::with_nkey(farm.seeds["operator"].clone());
        let client = options.connect(farm.server.url()).await.expect("let in");
        let stream = async_nats::jetstream::new(client).get_stream("FJ_OBJ_pay").await.expect("there");
        assert_eq!(stream.purge().filter(first).await.expect("purged").purged, 1);
        let between = moment(&operator).await;
        old.put("large", &large).await.expect("left");
        operator.upkeep().drop_objects(between).await.expect("purged");
        assert_eq!(young.get("large").await.expect("answers"), Some(large));
    });
}

/// As docs/farm.md says it, by the questions that NATS's own tools ask.
#[test]
fn who_runs_the_server_takes_one_run_away_and_nothing_else() {
    let Some(all) = Farm::start() else { return };
    runtime().block_on(async {
        let farm = all.nats("run-pay", "pay", LONG).await;
        farm.prepare().await.expect("an empty server");
        for run in ["old", "older", "old-2"] {
            wrote(&farm, run).await;
        }
        let options = |called: &str| async_nats::ConnectOptions::with_nkey(all.seeds[called].clone());
        let client = options("operator").connect(all.server.url()).await.expect("let in");
        let context = async_nats::jetstream::new(client);
        let mut stream = context.get_stream("FJ_LOG_pay").await.expect("there");
        let purged = stream.purge().filter("fj.log.pay.old.>").await.expect("purged");
        assert_eq!(purged.purged, 3);
        let mut config = stream.info().await.expect("told").config.clone();
        config.max_bytes = 200_000_000;
        context.update_stream(config).await.expect("bounded");
        let left: Vec<String> =
            farm.lasts(0, "_head").await.expect("answers").into_iter().map(|(run, _)| run).collect();
        assert_eq!(left, ["old-2", "older"]);
        let kept = farm.follow("old-2", 1, Place(0), Duration::ZERO).await.expect("answers");
        assert_eq!(kept.len(), 2, "what others wrote stands");
    });
}

#[test]
fn the_operator_bounds_what_a_team_may_keep_and_what_is_beyond_is_refused_in_words() {
    let Some(all) = Farm::start() else { return };
    runtime().block_on(async {
        let run = all.nats("run-pay", "pay", LONG).await;
        run.prepare().await.expect("a run makes streams");
        assert_eq!(run.examined().room().await.expect("told").most, None, "the disk is the bound");
        let operator = all.nats_by("operator", "pay", LONG, Terms::FARM.within(4_000_000)).await;
        operator.upkeep().bound().await.expect("it may");
        let room = run.examined().room().await.expect("told");
        assert_eq!(room.most, Some(4_000_000));
        let mut refused = None;
        for part in 0..8_u8 {
            let bytes = vec![part; 700_000];
            refused = refused.or(run.put(&format!("d{part}"), &bytes).await.err());
        }
        let fault = refused.expect("3.5 MB hold no 5.6");
        assert_eq!(fault.code, FaultCode::FarmFull, "{fault}");
        // What lies there is no worse for being old where nothing can be left in its place.
        let old = all.relying("agent-left", Duration::ZERO).await;
        old.put("d0", &vec![0; 700_000]).await.expect("it lies there");
        assert_eq!(run.get("d0").await.expect("answers"), Some(vec![0; 700_000]));
        let room = run.examined().room().await.expect("told");
        assert!(room.taken > 2_000_000 && room.taken <= 4_000_000, "{room:?}");
        let web = all.nats("run-web", "web", LONG).await;
        web.prepare().await.expect("another team's");
        web.put("d", &vec![1; 700_000]).await.expect("it has room of its own");
    });
}
