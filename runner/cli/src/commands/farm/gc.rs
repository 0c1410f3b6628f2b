//! `farmjank farm gc`: makes room before the server does by age. Runs that are over for long go, and the objects that
//! lay there before the runs that stay.

use super::WIDE;
use super::listing::shown_size;
use crate::args::FarmGcArgs;
use crate::baselines::age;
use crate::farm::{opened, reading};
use crate::host::Streams;
use farmjank_engine::scribe::Voice;
use farmjank_farm::nats::Nats;
use farmjank_farm::run_note::lease_of;
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::gc::{RunLogged, Standing, Unneeded, standings, unneeded};
use farmjank_shifts::note::works;
use std::time::Duration;

/// Makes room, or says what would go.
pub async fn run(args: &FarmGcArgs) -> Result<bool, Fault> {
    let stays = age(&args.older_than).ok().and_then(|age| Duration::try_from(age).ok()).ok_or_else(|| {
        let what = format!("--older-than: `{}` is no age", line(&args.older_than, 60));
        Fault::new(FaultCode::Usage, what).advise("write for example 7d or 12h")
    })?;
    let nats = opened(&args.farm, &args.of, "gc", false).await?;
    let exchange = reading(&args.farm, &args.of, "gc").await?;
    if !args.dry_run {
        // Whose key may not is told so before anything is looked at: of nobody's run there is nothing to take.
        nats.upkeep().drop_log("_").await.map_err(|fault| match fault.code {
            FaultCode::FarmRefused => {
                let what = "these credentials may take nothing away";
                Fault::new(FaultCode::FarmRefused, what).advise(
                    "the key of who runs the server may (`operator.nk`); --dry-run takes any that reads",
                )
            }
            _ => fault,
        })?;
    }
    let found = unneeded(runs(&nats, &*exchange, &args.of.team).await?, nats.upkeep().now().await?, stays);
    let team = line(&args.of.team, WIDE);
    if args.dry_run {
        found.runs.iter().for_each(|run| Streams.out(&told(run, "would go")));
        Streams.out(&format!("team {team}: nothing was taken away; {}\n", staying(&found)));
        return Ok(true);
    }
    let before = nats.examined().room().await?.taken;
    let mut came_back = false;
    for run in &found.runs {
        // Somebody may have taken it up since it was looked at.
        let is_held = exchange.holder(&lease_of(&run.name)).await?.is_some();
        if is_held || nats.upkeep().logged(&run.name).await? != Some(run.logged) {
            Streams.out(&told(run, "was taken up again and stays"));
            came_back = true;
            continue;
        }
        nats.upkeep().drop_log(&run.name).await?;
        Streams.out(&told(run, "is gone"));
    }
    // What that one relies on is older than what was reckoned with: the next time knows.
    if !came_back {
        nats.upkeep().drop_objects(found.before).await?;
    }
    let freed = before.saturating_sub(nats.examined().room().await?.taken);
    Streams.out(&format!("team {team}: {} are free again; {}\n", shown_size(freed), staying(&found)));
    Ok(true)
}

/// The runs whose logs the farm has, and who has to do with each.
async fn runs(nats: &Nats, exchange: &dyn Exchange, team: &str) -> Result<Vec<RunLogged>, Fault> {
    let (works, mut all) = (works(exchange, team).await?, Vec::new());
    for (name, standing) in standings(exchange, &works).await? {
        if let Some(logged) = nats.upkeep().logged(&name).await? {
            all.push(RunLogged { name, logged, standing });
        }
    }
    Ok(all)
}

fn told(run: &RunLogged, goes: &str) -> String {
    let what = if run.standing == Standing::Left { "left by everybody since" } else { "over since" };
    format!("run {}, {what} {}, {goes}\n", line(&run.name, WIDE), at(run.logged.last))
}

fn staying(found: &Unneeded) -> String {
    let runs = match found.stay {
        0 => "no run stays".to_owned(),
        1 => "1 run stays".to_owned(),
        many => format!("{many} runs stay"),
    };
    format!("{runs}, and objects that were left after {}", at(found.before))
}

fn at(stamp: u64) -> String {
    let time = jiff::Timestamp::from_nanosecond(i128::from(stamp)).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
