//! `farmjank farm gc`: makes room before the server does by age. Runs that are over for long go, and the objects that
//! lay there before the runs that stay.

use super::WIDE;
use super::listing::size;
use crate::args::FarmGcArgs;
use crate::baselines::age;
use crate::farm::{opened, reading};
use crate::host::Streams;
use farmjank_engine::scribe::Voice;
use farmjank_farm::nats::{Allowed, Nats};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::gc::{RunLogged, Standing, Unneeded, standing, unneeded};
use farmjank_shifts::note::listed;
use farmjank_shifts::runs::known;
use std::time::Duration;

/// Makes room, or says what would go.
pub async fn run(args: &FarmGcArgs) -> Result<bool, Fault> {
    let stays = age(&args.older_than).ok().and_then(|age| Duration::try_from(age).ok()).ok_or_else(|| {
        let what = format!("--older-than: `{}` is no age", line(&args.older_than, 60));
        Fault::new(FaultCode::Usage, what).advise("write for example 7d or 12h")
    })?;
    let nats = opened(&args.farm, &args.of, "gc", false).await?;
    let exchange = reading(&args.farm, &args.of, "gc").await?;
    if !args.dry_run && nats.upkeep().may_drop().await? == Allowed::No {
        let what = "these credentials may take nothing away";
        return Err(Fault::new(FaultCode::FarmRefused, what)
            .advise("the key of who runs the server may (`operator.nk`); --dry-run takes any that reads"));
    }
    let found = unneeded(runs(&nats, &*exchange, &args.of.team).await?, nats.upkeep().now().await?, stays);
    let goes = if args.dry_run { "would go" } else { "is gone" };
    if !args.dry_run {
        let before = nats.examined().room().await?.taken;
        for run in &found.runs {
            nats.upkeep().drop_log(&run.name).await?;
            Streams.out(&told(run, goes));
        }
        nats.upkeep().drop_objects(found.before).await?;
        let freed = before.saturating_sub(nats.examined().room().await?.taken);
        Streams.out(&format!("{} are free again; {}\n", size(freed), staying(&found)));
    } else {
        found.runs.iter().for_each(|run| Streams.out(&told(run, goes)));
        Streams.out(&format!("nothing was taken away; {}\n", staying(&found)));
    }
    Ok(true)
}

/// The runs whose logs the farm has, and who has to do with each.
async fn runs(nats: &Nats, exchange: &dyn Exchange, team: &str) -> Result<Vec<RunLogged>, Fault> {
    let known = known(exchange, |_, _| true).await?;
    // Asked afterwards: who took one of them up meanwhile is seen.
    let (hosts, mut all) = (listed(exchange, team).await?, Vec::new());
    for (name, seen) in known {
        let standing = standing(exchange, &name, &seen, &hosts).await?;
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
