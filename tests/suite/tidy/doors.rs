//! Doors to the world: which files may open files, sockets, processes, threads, clocks, the environment, or print.
//!
//! Everything else reaches the world through the traits of `plugins/seams/src/host.rs`, so that it can be simulated.

use super::tokens::{Kind, Token, closing};
use super::tree::{Source, sources};
use super::{Complaint, none};

/// Paths that touch the world, by root and next word.
const WORLD: [(&str, &[&str]); 5] = [
    ("async_nats", &["connect", "connect_with_options", "ConnectOptions"]),
    ("object_store", &["aws", "http", "local"]),
    ("std", &["fs", "net", "process", "env", "thread"]),
    ("tokio", &["fs", "net", "process", "signal"]),
    ("reqwest", &["Client", "ClientBuilder", "get", "blocking"]),
];
/// Clocks and calls that block, wherever they come from.
const BLOCKING: [&str; 2] = ["SystemTime", "spawn_blocking"];
/// Macros that print.
const PRINTING: [&str; 4] = ["print", "println", "eprint", "eprintln"];
/// Who may: the outside world itself, what is read of the folder of a run, the sockets a lab and the live view are
/// served on, the file of a history store, requests to systems of other people, and the chores, which are a program of
/// their own.
const MAY: [&str; 25] = [
    "runner/cli/src/host.rs",
    "runner/cli/src/host/agent_state.rs",
    "runner/cli/src/host/bundle.rs",
    "runner/cli/src/host/claims.rs",
    "runner/cli/src/host/durable.rs",
    "runner/cli/src/host/output.rs",
    "runner/cli/src/host/reading.rs",
    "runner/cli/src/host/secrets.rs",
    "runner/cli/src/host/claim_file.rs",
    "runner/cli/src/host/signals.rs",
    "runner/cli/src/host/phone_log.rs",
    "runner/cli/src/host/system/",
    "runner/cli/src/host/poured.rs",
    "runner/cli/src/host/spilled.rs",
    "runner/cli/src/host/plugin.rs",
    "runner/bundle/src/reading.rs",
    "runner/cli/src/ui/door.rs",
    "plugins/lab/src/serve.rs",
    "plugins/history/src/postgres/worker.rs",
    "plugins/history/src/sqlite/door.rs",
    "plugins/farm/src/bucket/door.rs",
    "plugins/farm/src/nats/door.rs",
    "plugins/requests/src/door.rs",
    "plugins/requests/src/mail.rs",
    "ci/src/",
];
/// Values behind those doors that touch nothing: how a program ended, what an address says.
const HARMLESS: [&str; 7] =
    ["ExitCode", "IpAddr", "Ipv4Addr", "Ipv6Addr", "SocketAddr", "SocketAddrV4", "SocketAddrV6"];

/// Words that follow `root::`, one level deep: `std::fs`, `std::{fs, io::Read}`.
fn follow<'t>(tokens: &'t [Token], at: usize, root: &str) -> Vec<(usize, &'t Token)> {
    let path =
        |at: usize| [at, at + 1].iter().all(|at| tokens.get(*at).is_some_and(|token| token.is_mark(':')));
    if !tokens[at].is(root) || !path(at + 1) {
        return Vec::new();
    }
    let next = at + 3;
    match tokens.get(next).map(|token| &token.kind) {
        Some(Kind::Word(_)) => vec![(next, &tokens[next])],
        Some(Kind::Open('{')) => {
            let end = closing(tokens, next);
            let starts = |at: &usize| matches!(tokens[at - 1].kind, Kind::Open('{') | Kind::Mark(','));
            (next + 1..end).filter(starts).map(|at| (at, &tokens[at])).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a door's word is only passed on the way to harmless values.
fn is_harmless(tokens: &[Token], door: usize) -> bool {
    let name = tokens[door].word().unwrap_or_default();
    // Read on from the door as if it were a root of its own.
    let behind = follow(tokens, door, name);
    !behind.is_empty() && behind.iter().all(|(_, word)| HARMLESS.iter().any(|harmless| word.is(harmless)))
}

fn open_doors(source: &Source) -> Vec<Complaint> {
    let tokens = &source.tokens;
    let mut complaints = Vec::new();
    let mut complain = |line: usize, what: &str| {
        let words = format!(
            "{what} touches the world: take it from `Host` (plugins/seams/src/host.rs) or hand it in"
        );
        complaints.push(Complaint::at(&source.path, line, words));
    };
    for at in (0..tokens.len()).filter(|at| source.ships(tokens[*at].line)) {
        for (root, doors) in WORLD {
            for (place, word) in follow(tokens, at, root) {
                if doors.iter().any(|door| word.is(door)) && !is_harmless(tokens, place) {
                    complain(word.line, &format!("`{root}::{}`", word.word().unwrap_or_default()));
                }
            }
        }
        if let Some(word) = BLOCKING.iter().find(|word| tokens[at].is(word)) {
            complain(tokens[at].line, &format!("`{word}`"));
        }
        let called = tokens.get(at + 1).is_some_and(|next| next.is_mark('!'));
        if let Some(word) = PRINTING.iter().find(|word| called && tokens[at].is(word)) {
            complain(tokens[at].line, &format!("`{word}!`"));
        }
    }
    complaints
}

#[test]
fn the_world_is_reached_through_its_doors() {
    let others = sources().iter().filter(|source| !MAY.iter().any(|door| source.path.starts_with(door)));
    none(others.flat_map(open_doors).collect());
}

#[test]
fn every_door_named_here_exists() {
    for door in MAY {
        assert!(super::tree::exists(door), "{door} is gone: take it off the list");
    }
}

#[test]
fn an_open_door_is_found() {
    let complaints = |text: &str| open_doors(&Source::new("a/src/a.rs", text)).len();
    assert_eq!(complaints("use std::fs;"), 1);
    assert_eq!(complaints("use std::{io, net::TcpStream, time::{Duration, SystemTime}};"), 2);
    assert_eq!(
        complaints("fn f() { tokio::task::spawn_blocking(g); println!(\"x\"); std::env::var(\"X\"); }"),
        3
    );
    assert_eq!(complaints("use std::process::ExitCode; use std::fmt; fn f() { env!(\"X\"); }"), 0);
    assert_eq!(complaints("use std::net::{IpAddr, SocketAddr}; fn f() { x::<std::net::Ipv6Addr>(); }"), 0);
    assert_eq!(complaints("use std::net::{IpAddr, TcpStream};"), 1);
    assert_eq!(complaints("#[cfg(test)]\nmod tests { use std::fs; }"), 0);
}
