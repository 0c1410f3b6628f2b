//! Connecting to a database: the crate's one door to sockets. What is asked for in the address and cannot be had is
//! said before anything is sent.

use super::worker::Worker;
use super::{Postgres, words};
use crate::trouble;
use farmjank_results::fault::Fault;
use postgres::config::{Host, SslMode};
use postgres::{Config, NoTls};
use std::time::Duration;

/// How long a server is waited for, unless the address says (`connect_timeout`): first for the connection, then for its
/// greeting.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long each sign of life is waited for, unless the address says less (`tcp_user_timeout`, in seconds): longer than
/// other writers are.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads an address.
///
/// # Errors
/// `history_address`, which never repeats the address: parts of a password may stand anywhere in one that cannot be
/// read.
pub fn read(address: &str) -> Result<Config, Fault> {
    let what = "the address of the history cannot be read";
    let advice = "write postgres://user:password@host:port/database, with @ : / ? # % of the password as %40 %3A %2F %3F %23 %25";
    let mut config: Config = address.parse().map_err(|_| trouble::address(what, advice))?;
    if config.get_hosts().is_empty() {
        return Err(trouble::address("the address of the history names no host", advice));
    }
    if config.get_ssl_mode() == SslMode::Require {
        let what = "the address of the history asks for TLS (sslmode=require), which is not built in";
        let advice = "reach the server through a tunnel, or in a network you trust with sslmode=disable";
        return Err(trouble::address(what, advice));
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECTING);
    }
    if config.get_application_name().is_none() {
        config.application_name("farmjank");
    }
    Ok(config)
}

/// The address for people: everything but the password and options.
pub fn shown(config: &Config) -> String {
    let ports = config.get_ports();
    let host = |(at, host): (usize, &Host)| {
        let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(folder) => format!("{}:{port}", folder.display()),
        }
    };
    let hosts: Vec<String> = config.get_hosts().iter().enumerate().map(host).collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{database}", hosts.join(","))
}

/// Connects.
///
/// # Errors
/// `history_failed` when nobody answers (passing), or does not let us in.
pub fn open(config: &Config) -> Result<Postgres, Fault> {
    let place = shown(config);
    let connecting = config.get_connect_timeout().map_or(CONNECTING, |asked| PATIENCE.min(*asked)) * 2;
    let patience = config.get_tcp_user_timeout().map_or(PATIENCE, |asked| PATIENCE.min(*asked));
    let wanted = config.clone();
    let connect = move || wanted.connect(NoTls);
    match Worker::connect(place.clone(), [connecting, patience], connect)? {
        Ok(worker) => Ok(Postgres { worker, place }),
        Err(why) => Err(words(&place, &why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let config = read("postgres://me:s%40cret@db.example:6543/perf?application_name=x").unwrap();
        assert_eq!(shown(&config), "postgres://me@db.example:6543/perf");
        assert_eq!(shown(&read("postgresql://db.example").unwrap()), "postgres://db.example:5432");
        assert!(!format!("{config:?}").contains("cret"));
    }

    #[test]
    fn an_address_that_cannot_be_used_is_not_repeated() {
        for wrong in [
            "postgres://me:secret@db.example:x/perf",
            "postgres://me:a@db.example/perf?secret=b",
            "postgres://me:secret@db.example/perf?sslmode=require",
            "postgres:///perf?user=secret",
        ] {
            let fault = read(wrong).unwrap_err();
            assert_eq!(fault.code.word(), "history_address");
            assert!(!fault.to_string().contains("secret"), "{fault}");
        }
    }
}
