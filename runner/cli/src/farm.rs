//! A connection to a farm, by flags and environment; and what is said where a farm fails.

use crate::args::FarmArgs;
use crate::host::{self, Streams};
use crate::settings::refuse;
use farmjank_engine::scribe::Voice;
use farmjank_farm::bucket::{Bucket, WithBucket};
use farmjank_farm::nats::{Address, Nats, Terms};
use farmjank_farm::reads::Reads;
use farmjank_leaf::text::name as shown;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::verdict::Verdict;
use farmjank_seams::exchange::Exchange;
use std::rc::Rc;
use std::time::Duration;

/// Every question to the farm is given up after that.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest file of credentials.
const SECRET_BYTES: u64 = 64 << 10;
/// What holds the credentials, where no file is named.
const VARIABLE: &str = "FARMJANK_FARM_SECRET";

/// Says what went wrong with a farm; the exit code: whose fault it is decides.
pub fn failed(fault: &Fault) -> u8 {
    if fault.blame == Blame::Scenario {
        return refuse(&fault.clone().into());
    }
    Streams.err(&format!("error: {fault}\n"));
    Verdict::Broken.exit_code()
}

/// Connects; `keeps` says whether this end makes what is missing there, if it may. Who may not waits for who may.
///
/// # Errors
/// `usage`, `farm_refused`, `farm_unreachable` (passing).
pub async fn connected(
    url: &str,
    args: &FarmArgs,
    name: &str,
    keeps: bool,
) -> Result<Rc<dyn Exchange>, Fault> {
    let nats = opened(url, args, name, keeps).await?;
    if keeps {
        match nats.prepare().await {
            Err(fault) if fault.code != FaultCode::FarmRefused => return Err(fault),
            _ => {}
        }
    }
    Ok(match bucket(args)? {
        Some(bucket) => Rc::new(WithBucket::of(nats, bucket)),
        None => Rc::new(nats),
    })
}

/// Where large objects lie that are not on the server; none where all are.
///
/// # Errors
/// `usage`.
pub fn bucket(args: &FarmArgs) -> Result<Option<Bucket>, Fault> {
    let Some(place) = &args.farm_objects else { return Ok(None) };
    Bucket::open(place, &host::env_beginning("AWS_")).map(Some)
}

/// Connects, to read and nothing else: whatever the credentials allow, nothing is written.
///
/// # Errors
/// As `connected`.
pub async fn reading(url: &str, args: &FarmArgs, name: &str) -> Result<Rc<dyn Exchange>, Fault> {
    let nats = opened(url, args, name, false).await?;
    Ok(match bucket(args)? {
        Some(bucket) => Rc::new(Reads(WithBucket::of(nats, bucket))),
        None => Rc::new(Reads(nats)),
    })
}

/// Connects, and makes nothing.
///
/// # Errors
/// As `connected`.
pub async fn opened(url: &str, args: &FarmArgs, name: &str, keeps: bool) -> Result<Nats, Fault> {
    let secret = match &args.farm_secret {
        Some(path) => {
            let bytes = host::read_file(path, SECRET_BYTES)
                .map_err(|why| Fault::new(FaultCode::Usage, format!("--farm-secret: {why}")))?;
            let text = String::from_utf8(bytes).map_err(|_| {
                Fault::new(FaultCode::Usage, format!("--farm-secret: {}: not UTF-8", shown(path)))
            })?;
            Some(text)
        }
        None => host::env(VARIABLE),
    };
    let authorities = args.farm_ca.clone();
    let address = Address { urls: url.to_owned(), name: name.to_owned(), secret, authorities };
    Nats::connect(&address, &args.team, Terms::FARM, PATIENCE, keeps).await
}
