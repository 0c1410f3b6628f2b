//! Three servers that keep one store: what one server promises, they promise, and one of them may be gone.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "real servers' time passes by waiting"
)]

use crate::conformance::{Bench, all, line, runtime};
use farmjank_farm::nats::{Address, Kept, Nats, Terms};
use farmjank_seams::exchange::{Appended, Exchange, Place};
use farmjank_witnesses::nats::NatsServer;
use futures::FutureExt as _;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(5);
/// Servers agree within that, on a busy computer, too.
const AGREED: Duration = Duration::from_secs(60);

fn address(servers: &[NatsServer]) -> Address {
    let urls: Vec<String> = servers.iter().map(NatsServer::url).collect();
    Address { urls: urls.join(","), name: "bench".to_owned(), ..Address::default() }
}

/// Asks again while no answer comes: a call may have happened then.
async fn appended(x: &Nats, after: Place, body: &[u8]) -> Place {
    let (line, until) = (line("r", "a"), Instant::now() + AGREED);
    loop {
        match x.append(&line, after, body).await {
            Ok(Appended::At(place)) => return place,
            Ok(Appended::Refused) => {
                if let Some(last) = x.last(&line).await.ok().flatten().filter(|last| last.body == body) {
                    return last.place;
                }
            }
            Err(_) => {}
        }
        assert!(Instant::now() < until, "nobody answers");
    }
}

#[test]
fn three_servers_keep_what_an_exchange_promises() {
    let Some(servers) = NatsServer::cluster() else { return };
    let (term, ack_wait) = (Duration::from_secs(4), Duration::from_secs(3));
    let terms = Terms { term, ack_wait, log_bytes: 4_000_000, ..Terms::FARM };
    runtime().block_on(async {
        let exchange = Nats::connect(&address(&servers), "pay", terms, PATIENCE, true).await;
        let exchange = exchange.expect("they listen");
        exchange.prepare().await.expect("empty servers");
        let kept = exchange.examined().store().await.expect("answers");
        assert!(kept.len() == 4 && kept.iter().all(|(_, kept)| *kept == Kept::Well), "{kept:?}");
        let pass = |time: Duration| tokio::time::sleep(time).boxed();
        all(&Bench { exchange: &exchange, pass: &pass, term, ack_wait }).await;
    });
}

#[test]
fn what_was_written_is_there_whichever_of_three_servers_is_gone() {
    let Some(mut servers) = NatsServer::cluster() else { return };
    runtime().block_on(async {
        let x = Nats::connect(&address(&servers), "pay", Terms::FARM, PATIENCE, true).await;
        let x = x.expect("they listen");
        x.prepare().await.expect("empty servers");
        let mut after = Place(0);
        for (gone, server) in servers.iter_mut().enumerate() {
            let body = format!("while server {gone} is there");
            after = appended(&x, after, body.as_bytes()).await;
            server.kill();
            let body = format!("while server {gone} is gone");
            after = appended(&x, after, body.as_bytes()).await;
            server.again();
        }
        let until = Instant::now() + AGREED;
        let read = loop {
            match x.follow("r", 1, Place(0), Duration::ZERO).await {
                Ok(read) if read.len() == 6 => break read,
                told => assert!(Instant::now() < until, "{told:?}"),
            }
        };
        assert_eq!(read.last().map(|last| last.place), Some(after));
    });
}

/// Agents and runs begin whenever they like, also while the servers agree who leads.
#[test]
fn whoever_comes_while_most_servers_are_away_waits_for_them() {
    let Some(mut servers) = NatsServer::cluster() else { return };
    let mut away = servers.split_off(1);
    away.iter_mut().for_each(NatsServer::kill);
    let back = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(4));
        away.iter_mut().for_each(NatsServer::again);
        away
    });
    runtime().block_on(async {
        let x = Nats::connect(&address(&servers), "pay", Terms::FARM, PATIENCE, true).await;
        x.expect("one listens").prepare().await.expect("the others come back");
    });
    drop(back.join().expect("they begin again"));
}
