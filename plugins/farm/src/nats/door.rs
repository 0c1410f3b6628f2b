//! The one socket of the farm: a connection to NATS that mends itself. The runtime's clock must be a real one, for the
//! client has timers of its own.
//!
//! Credentials come as text and go nowhere but to the server.

use super::refusals::Refusals;
use crate::roles::inbox;
use crate::subjects::word;
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use std::path::PathBuf;
use std::time::Duration;

/// Where a farm is, and how to be let in.
#[derive(Clone, Default)]
pub struct Address {
    /// `nats://`, `tls://`, `ws://` or `wss://`, host and port; several with commas between.
    pub urls: String,
    /// What this end is called in the server's lists.
    pub name: String,
    /// A seed of an nkey (`SU…`), or what a credentials file holds; none where the server lets everybody in.
    pub secret: Option<String>,
    /// Certificates of authorities to believe besides those of the system.
    pub authorities: Option<PathBuf>,
}

/// Between two questions to a server that says nothing. A connection on which three were not answered is made anew,
/// well before leases end.
const ASKS: Duration = Duration::from_secs(5);

/// Whether a text is of the form of credentials: an nkey's seed, or what a .creds file holds.
pub fn is_credentials(secret: &str) -> bool {
    let secret = secret.trim();
    match is_bare(secret) {
        true => nkeys::KeyPair::from_seed(secret).is_ok(),
        false => ConnectOptions::new().credentials(secret).is_ok(),
    }
}

fn is_bare(secret: &str) -> bool {
    secret.starts_with("SU") && !secret.contains(char::is_whitespace)
}

/// Connects.
///
/// # Errors
/// `usage`: no such address. `farm_refused`: the server does not let this end in. `farm_unreachable` (passing).
pub(super) async fn open(
    address: &Address,
    patience: Duration,
    refusals: &Refusals,
) -> Result<Client, Fault> {
    let urls: Vec<&str> = address.urls.split(',').map(str::trim).collect();
    if let Some(bad) = urls.iter().find(|url| url.contains('@')) {
        let told = line(bad.rsplit('@').next().unwrap_or_default(), 80);
        let what = format!("a farm's address holds no password (`…@{told}`)");
        return Err(Fault::new(FaultCode::Usage, what).advise("put it into the environment or a file"));
    }
    let mut options = ConnectOptions::new()
        .name(word("end", &address.name)?)
        .connection_timeout(patience)
        .request_timeout(Some(patience))
        .ping_interval(ASKS)
        .reconnect_delay_callback(|tries| Duration::from_millis(100 << tries.min(5)));
    let heard = refusals.clone();
    options = options.event_callback(move |event| {
        let heard = heard.clone();
        async move { heard.hear(&event) }
    });
    if let Some(path) = &address.authorities {
        options = options.add_root_certificates(path.clone()).require_tls(true);
    }
    let unread = || {
        Fault::new(FaultCode::Usage, "the farm's credentials cannot be read")
            .advise("an nkey's seed (SU…) or a .creds file is wanted")
    };
    options = match address.secret.as_deref().map(str::trim) {
        None => options,
        Some(seed) if is_bare(seed) => {
            let key = nkeys::KeyPair::from_seed(seed).map_err(|_| unread())?.public_key();
            // Answers come where nobody else may listen.
            options.nkey(seed.to_owned()).custom_inbox_prefix(inbox(&key))
        }
        Some(creds) => options.credentials(creds).map_err(|_| unread())?,
    };
    let told = line(&address.urls, 120);
    let connected = tokio::time::timeout(patience * 2, options.connect(urls)).await;
    let why = match connected {
        Ok(Ok(client)) => return Ok(client),
        Ok(Err(why)) => why,
        Err(_) => return Err(super::calls::unreachable(&format!("no answer from {told}"))),
    };
    let fault = |code, what: &str| Fault::new(code, format!("{what} at {told}: {why}"));
    Err(match why.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation
            if address.secret.is_none() =>
        {
            Fault::new(FaultCode::Usage, "the farm asks who comes, and no key was given").advise(
                "name its file (--farm-secret) or set FARMJANK_FARM_SECRET; builds of forks are given no secrets by most CIs",
            )
        }
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            fault(FaultCode::FarmRefused, "the farm does not let this end in")
                .advise("ask who runs the farm for credentials of this role")
        }
        ConnectErrorKind::ServerParse => {
            fault(FaultCode::Usage, "no address of a farm").advise("nats://HOST:4222 or tls://HOST:443")
        }
        kind if kind == ConnectErrorKind::Tls || why.to_string().contains("certificate") => {
            let words = why.to_string();
            let is_of_time =
                words.contains("Expired") || words.contains("expired") || words.contains("NotValidYet");
            let advice = match is_of_time {
                true => {
                    "look at this computer's clock; a certificate that is over is made anew by `farmjank farm init DIR --rotate server`"
                }
                false => "name the authority of its certificate (--farm-ca)",
            };
            fault(FaultCode::FarmRefused, "no trusted connection to the farm").advise(advice)
        }
        _ => fault(FaultCode::FarmUnreachable, "no farm answers").passing(),
    })
}
