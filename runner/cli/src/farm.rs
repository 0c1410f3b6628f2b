//! A connection to a farm, by flags and environment; and what is said where a farm fails.

use crate::args::FarmArgs;
use crate::host::{self, Streams};
use crate::settings::refuse;
use farmjank_engine::scribe::Voice;
use farmjank_farm::bucket::{Bucket, WithBucket};
use farmjank_farm::keys::is_seed;
use farmjank_farm::nats::{Address, Nats, Terms, is_credentials};
use farmjank_farm::reads::Reads;
use farmjank_leaf::text::name as shown;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::verdict::Verdict;
use farmjank_seams::exchange::Exchange;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// Every question to the farm is given up after that.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest file of credentials.
const SECRET_BYTES: u64 = 64 << 10;
/// Largest file of authorities.
const AUTHORITY_BYTES: u64 = 4 << 20;
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
        Some(path) if is_key(path) => return Err(told_by_mistake("--farm-secret")),
        Some(path) => {
            if let Some(words) = host::others_may_read(path) {
                Streams.err(&format!("note: --farm-secret: {words}\n"));
            }
            let bytes = host::read_file(path, SECRET_BYTES)
                .map_err(|why| Fault::new(FaultCode::Usage, format!("--farm-secret: {why}")))?;
            let text = String::from_utf8(bytes).map_err(|_| {
                Fault::new(FaultCode::Usage, format!("--farm-secret: {}: not UTF-8", shown(path)))
            })?;
            Some(text)
        }
        // Of a build of a fork, which is given no secrets, it is there and empty.
        None => host::env(VARIABLE).filter(|_| has_secret()),
    };
    if secret.as_deref().is_some_and(|secret| !is_credentials(secret)) {
        let place = args.farm_secret.as_ref().map_or_else(
            || format!("{VARIABLE}: its text"),
            |path| format!("--farm-secret: what is in {}", shown(path)),
        );
        return Err(Fault::new(FaultCode::Usage, format!("{place} is no key"))
            .advise("an nkey's seed (SU…) or a .creds file is wanted; `farmjank farm init` writes NAME.nk"));
    }
    if let Some(path) = &args.farm_ca {
        let bytes = host::read_file(path, AUTHORITY_BYTES)
            .map_err(|why| Fault::new(FaultCode::Usage, format!("--farm-ca: {why}")))?;
        if !String::from_utf8_lossy(&bytes).contains("-----BEGIN CERTIFICATE-----") {
            let what = format!("--farm-ca: {}: no certificate is in it", shown(path));
            return Err(
                Fault::new(FaultCode::Usage, what).advise("`farmjank farm init` writes authority.pem")
            );
        }
    }
    let authorities = args.farm_ca.clone();
    let address = Address { urls: url.to_owned(), name: name.to_owned(), secret, authorities };
    let terms = args.farm_storage.map_or(Terms::FARM, |bytes| Terms::FARM.within(bytes));
    Nats::connect(&address, &args.team, terms, PATIENCE, keeps).await
}

/// Whether the environment holds what lets in.
pub fn has_secret() -> bool {
    host::env(VARIABLE).is_some_and(|secret| !secret.trim().is_empty())
}

/// Whether what is to name a file is a key itself.
pub fn is_key(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_seed(&name.to_string_lossy()))
}

/// A key stands where the name of its file belongs: whoever reads along has it now.
pub fn told_by_mistake(place: &str) -> Fault {
    let what = format!("{place}: that is a key itself, and not the name of the file that holds it");
    Fault::new(FaultCode::Usage, what).advise(
        "put it into a file, or into FARMJANK_FARM_SECRET; where others could read it, make it anew (`farmjank farm init DIR --rotate NAME`)",
    )
}
