//! What every exchange promises. Written against the seam alone, so that each implementation is held to the same.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a real server's time passes by waiting"
)]

use farmjank_farm::model::{Model, Weather};
use farmjank_farm::nats::{Address, Nats, Terms};
use farmjank_results::fault::FaultCode;
use farmjank_results::time::Span;
use farmjank_seams::exchange::{Appended, Exchange, Fence, Leased, LogLine, Place, Taken};
use farmjank_witnesses::nats::NatsServer;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use std::time::Duration;

/// An exchange under test, and time that passes for it.
pub struct Bench<'x> {
    pub exchange: &'x dyn Exchange,
    /// Lets time pass.
    pub pass: &'x dyn Fn(Duration) -> BoxFuture<'x, ()>,
    /// How long leases hold.
    pub term: Duration,
    /// How long taken work is left alone.
    pub ack_wait: Duration,
}

const MOMENT: Duration = Duration::from_millis(200);

pub fn line(run: &str, name: &str) -> LogLine {
    LogLine { run: run.to_owned(), generation: 1, line: name.to_owned() }
}

fn granted(leased: Leased) -> Fence {
    match leased {
        Leased::Granted(fence) => fence,
        other => panic!("{other:?}"),
    }
}

pub fn place(appended: Appended) -> Place {
    match appended {
        Appended::At(place) => place,
        Appended::Refused => panic!("refused"),
    }
}

async fn a_lease_has_one_holder_and_a_fence_that_grows(bench: &Bench<'_>) {
    let x = bench.exchange;
    let first = granted(x.claim("phone.a", b"one").await.expect("answers"));
    let held = x.claim("phone.a", b"two").await.expect("answers");
    assert!(
        matches!(&held, Leased::Held(holder) if holder.body == b"one" && holder.fence == first),
        "{held:?}"
    );
    let second = granted(x.renew("phone.a", first, b"one again").await.expect("answers"));
    assert!(second > first);
    let stale = x.renew("phone.a", first, b"late").await.expect("answers");
    assert!(matches!(&stale, Leased::Held(holder) if holder.body == b"one again" && holder.fence == second));
    let other = granted(x.claim("phone.b", b"two").await.expect("answers"));
    assert!(other > second, "one number for all");
    x.release("phone.a", first).await.expect("answers");
    assert!(x.holder("phone.a").await.expect("answers").is_some(), "an old fence releases nothing");
    x.release("phone.a", second).await.expect("answers");
    assert_eq!(x.holder("phone.a").await.expect("answers"), None);
    assert_eq!(x.renew("phone.a", second, b"one").await.expect("answers"), Leased::Gone);
    assert!(granted(x.claim("phone.a", b"two").await.expect("answers")) > other);
}

async fn a_lease_ends_with_its_term_and_not_before(bench: &Bench<'_>) {
    let x = bench.exchange;
    let mut fence = granted(x.claim("phone.t", b"one").await.expect("answers"));
    for _ in 0..4 {
        (bench.pass)(bench.term / 2).await;
        fence = granted(x.renew("phone.t", fence, b"one").await.expect("answers"));
    }
    (bench.pass)(bench.term + MOMENT * 2).await;
    assert_eq!(x.holder("phone.t").await.expect("answers"), None);
    assert_eq!(x.renew("phone.t", fence, b"one").await.expect("answers"), Leased::Gone);
    assert!(granted(x.claim("phone.t", b"two").await.expect("answers")) > fence);
}

async fn the_leases_of_a_kind_are_listed_while_they_hold(bench: &Bench<'_>) {
    let x = bench.exchange;
    let mut expected = Vec::new();
    for n in 0..80_u8 {
        let (name, body) = (format!("rack-{n:02}"), vec![n]);
        let fence = granted(x.claim(&format!("agent.{name}"), &body).await.expect("answers"));
        match n % 10 {
            3 => x.release(&format!("agent.{name}"), fence).await.expect("answers"),
            _ => expected.push((name, body)),
        }
    }
    granted(x.claim("agents.other", b"another kind").await.expect("answers"));
    let mut listed: Vec<(String, Vec<u8>)> = x
        .holders("agent")
        .await
        .expect("answers")
        .into_iter()
        .map(|(name, holder)| (name, holder.body))
        .collect();
    listed.sort();
    assert_eq!(listed, expected);
    (bench.pass)(bench.term + MOMENT * 2).await;
    assert_eq!(x.holders("agent").await.expect("answers"), []);
}

async fn a_line_is_written_by_who_knows_its_end(bench: &Bench<'_>) {
    let x = bench.exchange;
    let (a, b) = (line("r", "a"), line("r", "b"));
    assert_eq!(x.last(&a).await.expect("answers"), None);
    let first = place(x.append(&a, Place(0), b"1").await.expect("answers"));
    let other = place(x.append(&b, Place(0), b"2").await.expect("answers"));
    assert!(other > first);
    for wrong in [Place(0), other] {
        assert_eq!(x.append(&a, wrong, b"zombie").await.expect("answers"), Appended::Refused);
    }
    let third = place(x.append(&a, first, b"3").await.expect("answers"));
    let last = x.last(&a).await.expect("answers").expect("there");
    assert_eq!((last.place, last.body.as_slice(), last.line.as_str()), (third, b"3".as_slice(), "a"));
}

async fn the_last_of_a_line_is_listed_for_every_run(bench: &Bench<'_>) {
    let x = bench.exchange;
    let of =
        |run: u32, generation| LogLine { run: format!("of-{run:02}"), generation, line: "_last".to_owned() };
    let mut expected = Vec::new();
    // More than are read at once, each written twice; the second in another order.
    let mut firsts = Vec::new();
    for run in 0..90 {
        firsts.push(place(x.append(&of(run, 0), Place(0), b"first").await.expect("answers")));
        x.append(&of(run, 1), Place(0), b"another generation").await.expect("answers");
    }
    for run in (0..90).rev() {
        let last = x.append(&of(run, 0), firsts[run as usize], &[run as u8]).await.expect("answers");
        expected.push((of(run, 0).run, place(last), vec![run as u8]));
    }
    expected.reverse();
    let listed = x.lasts(0, "_last").await.expect("answers").into_iter();
    let listed: Vec<_> = listed.map(|(run, last)| (run, last.place, last.body)).collect();
    assert_eq!(listed, expected);
    assert_eq!(x.lasts(2, "_last").await.expect("answers"), []);
}

async fn who_follows_reads_all_lines_in_order_from_anywhere(bench: &Bench<'_>) {
    let x = bench.exchange;
    let (mut ends, mut expected) = ([Place(0); 3], Vec::new());
    for n in 0..30_u8 {
        let at = usize::from(n * 7 % 3);
        let name = ["a", "b", "c"][at];
        ends[at] = place(x.append(&line("many", name), ends[at], &[n]).await.expect("answers"));
        expected.push((ends[at], name.to_owned(), vec![n]));
        // Another run, and another generation, are not read.
        let mut elsewhere = line("many", name);
        elsewhere.generation = 10 + u32::from(n);
        place(x.append(&elsewhere, Place(0), b"x").await.expect("answers"));
    }
    for from in [0, 1, 17, 29, 30] {
        let mut after = if from == 0 { Place(0) } else { expected[from - 1].0 };
        let mut read = Vec::new();
        let mut stamp = 0;
        loop {
            let some = x.follow("many", 1, after, Duration::ZERO).await.expect("answers");
            let Some(last) = some.last() else { break };
            after = last.place;
            for one in some {
                assert!(one.stamp >= stamp, "the store's clock goes back");
                stamp = one.stamp;
                read.push((one.place, one.line, one.body));
            }
        }
        assert_eq!(read, expected[from..], "from {from}");
    }
}

async fn work_is_given_again_until_it_is_done(bench: &Bench<'_>) {
    let x = bench.exchange;
    let take = async |host: &'static str| -> Option<Taken> { x.take(host, MOMENT).await.expect("answers") };
    for _ in 0..2 {
        x.offer("rack-1", "run/1", b"shift").await.expect("answers");
    }
    assert_eq!(take("rack-2").await, None, "another's");
    let first = take("rack-1").await.expect("offered");
    assert_eq!((first.body.as_slice(), first.times), (b"shift".as_slice(), 1));
    assert_eq!(take("rack-1").await, None, "the same offer twice is one");
    for _ in 0..3 {
        (bench.pass)(bench.ack_wait / 2).await;
        x.keep(&first.receipt).await.expect("answers");
    }
    assert_eq!(take("rack-1").await, None, "it is being done");
    (bench.pass)(bench.ack_wait + MOMENT * 2).await;
    let again = take("rack-1").await.expect("nobody kept it");
    assert_eq!((again.body.as_slice(), again.times), (b"shift".as_slice(), 2));
    x.done(&again.receipt).await.expect("answers");
    (bench.pass)(bench.ack_wait + MOMENT * 2).await;
    assert_eq!(take("rack-1").await, None);
}

async fn an_object_is_there_for_whoever_knows_its_digest(bench: &Bench<'_>) {
    let x = bench.exchange;
    let large: Vec<u8> = (0..700_000_u32).map(|n| (n % 251) as u8).collect();
    for (digest, bytes) in [("d0", [].as_slice()), ("d1", &large)] {
        assert_eq!(x.get(digest).await.expect("answers"), None);
        for _ in 0..2 {
            x.put(digest, bytes).await.expect("answers");
        }
        assert_eq!(x.get(digest).await.expect("answers").as_deref(), Some(bytes));
        x.discard(digest).await.expect("answers");
        x.discard(digest).await.expect("what is not there is forgotten already");
        assert_eq!(x.get(digest).await.expect("answers"), None);
        x.put(digest, bytes).await.expect("answers");
        assert_eq!(x.get(digest).await.expect("answers").as_deref(), Some(bytes));
    }
}

/// Last, since nothing can be written afterwards: logs have room for a few MB.
async fn what_is_too_much_is_refused_and_kept_things_stay(bench: &Bench<'_>) {
    let x = bench.exchange;
    let (full, mut after, mut kept) = (line("full", "a"), Place(0), 0);
    let fault = loop {
        match x.append(&full, after, &vec![7; 200_000]).await {
            Ok(appended) => (after, kept) = (place(appended), kept + 1),
            Err(fault) => break fault,
        }
        assert!(kept < 100, "no quota is kept");
    };
    assert_eq!(fault.code, FaultCode::FarmFull, "{fault}");
    assert_eq!(x.last(&full).await.expect("answers").map(|last| last.place), Some(after));
}

pub async fn all(bench: &Bench<'_>) {
    a_lease_has_one_holder_and_a_fence_that_grows(bench).await;
    a_lease_ends_with_its_term_and_not_before(bench).await;
    the_leases_of_a_kind_are_listed_while_they_hold(bench).await;
    a_line_is_written_by_who_knows_its_end(bench).await;
    the_last_of_a_line_is_listed_for_every_run(bench).await;
    who_follows_reads_all_lines_in_order_from_anywhere(bench).await;
    work_is_given_again_until_it_is_done(bench).await;
    an_object_is_there_for_whoever_knows_its_digest(bench).await;
    what_is_too_much_is_refused_and_kept_things_stay(bench).await;
}

#[test]
fn the_model_keeps_what_an_exchange_promises() {
    let (term, ack_wait) = (Duration::from_secs(45), Duration::from_secs(30));
    let model = Model::new(Span::from(term), Span::from(ack_wait), 4_000_000);
    let exchange = model.connect(Weather::calm());
    let pass = |time: Duration| {
        model.pass(Span::from(time));
        std::future::ready(()).boxed()
    };
    let bench = Bench { exchange: &exchange, pass: &pass, term, ack_wait };
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().expect("a runtime").block_on(all(&bench));
}

/// One thread, as each end of a farm has for it: time passes by waiting, and the client goes on meanwhile.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn a_real_server_keeps_what_an_exchange_promises() {
    let Some(server) = NatsServer::start("") else { return };
    let (term, ack_wait) = (Duration::from_secs(2), Duration::from_millis(1500));
    let terms = Terms { term, ack_wait, log_bytes: 4_000_000, ..Terms::FARM };
    let address = Address { urls: server.url(), name: "bench".to_owned(), ..Address::default() };
    runtime().block_on(async {
        let exchange = Nats::connect(&address, "pay", terms, Duration::from_secs(5), true).await;
        let exchange = exchange.expect("it listens");
        exchange.prepare().await.expect("an empty server");
        exchange.prepare().await.expect("what is there stays");
        let pass = |time: Duration| tokio::time::sleep(time).boxed();
        all(&Bench { exchange: &exchange, pass: &pass, term, ack_wait }).await;
    });
}

/// Every call that a store that was lost can meet first.
#[test]
fn a_store_that_was_lost_is_made_again_whoever_asks_first() {
    let Some(mut server) = NatsServer::start("") else { return };
    let terms = Terms { term: Duration::from_secs(2), ack_wait: Duration::from_secs(2), ..Terms::FARM };
    let address = Address { urls: server.url(), name: "bench".to_owned(), ..Address::default() };
    runtime().block_on(async {
        let x =
            Nats::connect(&address, "pay", terms, Duration::from_secs(5), true).await.expect("it listens");
        x.prepare().await.expect("an empty server");
        let a = line("r", "a");
        for call in 0..8 {
            server.kill();
            std::fs::remove_dir_all(server.store()).expect("its store");
            server.again();
            let until = std::time::Instant::now() + Duration::from_secs(30);
            loop {
                let asked = match call {
                    0 => x.holders("agent").await.map(drop),
                    1 => x.put("d", b"1").await,
                    2 => x.get("d").await.map(drop),
                    3 => x.take("rack", MOMENT).await.map(drop),
                    4 => x.offer("rack", "id", b"1").await,
                    5 => x.claim("phone.a", b"1").await.map(drop),
                    6 => x.last(&a).await.map(drop),
                    _ => x.follow("r", 1, Place(0), MOMENT).await.map(drop),
                };
                let Err(fault) = asked else { break };
                assert_eq!(fault.code, FaultCode::FarmUnreachable, "call {call}: {fault}");
                assert!(std::time::Instant::now() < until, "call {call} never works again: {fault}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    });
}
