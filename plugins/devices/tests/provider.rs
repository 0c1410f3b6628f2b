//! Many phones on several servers: arrivals, leases, limits, servers that come and go.

mod fake;

use fake::{A1, Act, Fake, FakeDial, Open, SECOND, id, simulated};
use farmjank_devices::{AdbProvider, Options};
use farmjank_results::fault::Blame;
use farmjank_results::recovery::RecoveryStep;
use farmjank_seams::Work;
use farmjank_seams::device::{Arrival, Arrivals, Device, DeviceState, Provider, Sighting};
use farmjank_seams::host::Address;
use farmjank_seams::names::PhoneNames;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

fn seen(serial: &str, state: DeviceState, server: &str) -> Arrival {
    Arrival::Seen(Sighting { id: id(serial), state, server: server.into() })
}

fn line(serial: &str, rest: &str) -> String {
    format!("{serial:<22} {rest}\n")
}

async fn next(watch: &mut Box<dyn Arrivals>) -> Arrival {
    timeout(SECOND * 60, watch.next()).await.expect("an arrival within a minute").unwrap()
}

async fn until_settled(watch: &mut Box<dyn Arrivals>) -> Vec<Arrival> {
    let mut all = vec![];
    loop {
        match next(watch).await {
            Arrival::Settled => return all,
            other => all.push(other),
        }
    }
}

#[test]
fn arrivals_and_departures_of_all_servers() {
    simulated(async {
        let (one, two) = (Fake::new(A1), Fake::new(""));
        let provider = FakeDial::with(&[&one, &two]).provider(2, Options::default());
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(until_settled(&mut watch).await, [seen("A1", DeviceState::Ready, "lab:0")]);

        two.listing.send_replace(Some(line("B1", "unauthorized transport_id:1")));
        assert_eq!(next(&mut watch).await, seen("B1", DeviceState::Unauthorized, "lab:1"));
        let refused = "no permissions (udev); see [http://x/y.html]";
        two.listing.send_replace(Some(line("B1", &format!("{refused} usb:1-2"))));
        assert_eq!(next(&mut watch).await, seen("B1", DeviceState::NoPermissions(refused.into()), "lab:1"));
        one.listing.send_replace(Some(String::new()));
        let Arrival::Gone { id: gone, why } = next(&mut watch).await else { panic!("A1 left") };
        assert_eq!(gone, id("A1"));
        assert!(why.contains("lab:0"), "{why}");
        assert!(timeout(SECOND * 200, watch.next()).await.is_err(), "nothing changed");
    });
}

#[test]
fn a_server_that_breaks_comes_back() {
    simulated(async {
        let (one, two) = (Fake::new(A1), Fake::new(&line("B1", "device")));
        let dial = FakeDial::with(&[&one, &two]);
        let provider = dial.provider(2, Options::default());
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(until_settled(&mut watch).await.len(), 2);
        dial.servers.borrow_mut().remove(&0);
        one.listing.send_replace(None);
        assert!(matches!(next(&mut watch).await, Arrival::ServerLost { server, .. } if server == "lab:0"));
        let Arrival::Gone { id: gone, why } = next(&mut watch).await else { panic!("its phones are gone") };
        assert!(gone == id("A1") && why.contains("lab:0"), "{why}");
        assert!(timeout(SECOND * 30, watch.next()).await.is_err());
        let tries = dial.dialled.borrow().iter().filter(|&&server| server == 0).count();
        assert!((5..=14).contains(&tries), "backs off: {tries} in half a minute");
        assert_eq!(provider.troubles().len(), 1);
        let back = Fake::new(A1);
        dial.servers.borrow_mut().insert(0, back);
        assert_eq!(next(&mut watch).await, Arrival::ServerBack { server: "lab:0".to_owned() });
        assert_eq!(next(&mut watch).await, seen("A1", DeviceState::Ready, "lab:0"));
        assert!(provider.troubles().is_empty());
    });
}

#[test]
fn settled_needs_every_server_or_its_failure() {
    simulated(async {
        let fake = Fake::new(A1);
        let dial = FakeDial::default();
        dial.servers.borrow_mut().insert(1, fake);
        let mut watch = dial.provider(2, Options::default()).watch().await.unwrap();
        let all = until_settled(&mut watch).await;
        let [Arrival::ServerLost { server, fault }, phone] = &*all else { panic!("{all:?}") };
        assert_eq!((&**server, phone), ("lab:0", &seen("A1", DeviceState::Ready, "lab:1")));
        assert!(fault.blame == Blame::Lab && fault.what.contains("lab:0"), "{fault}");
        let fault = FakeDial::default().provider(2, Options::default()).watch().await.err().unwrap();
        assert_eq!((fault.code.word(), fault.blame), ("no_server", Blame::Lab));
        assert!(fault.what.contains("lab:0") && fault.advice.contains("adb start-server"), "{fault}");
        let fault = FakeDial::default().provider(1, Options::default()).lease(&id("A1")).await.err().unwrap();
        assert_eq!(fault.code.word(), "no_server");
    });
}

#[test]
fn a_lease_is_exclusive_and_names_what_is_wrong() {
    simulated(async {
        let listing = [
            line("A1", "device"),
            line("U", "unauthorized"),
            line("O", "offline"),
            line("R", "recovery"),
            line("P", "no permissions (udev)"),
            line("T", "device transport_id:1"),
            line("T", "device transport_id:2"),
        ];
        let fake = Fake::new(&listing.concat());
        let provider = FakeDial::with(&[&fake]).provider(1, Options::default());
        let held = provider.lease(&id("A1")).await.unwrap();
        let codes = |serial: &'static str| async {
            let serial = id(serial);
            provider.lease(&serial).await.err().map(|fault| fault.code.to_string()).unwrap_or_default()
        };
        assert_eq!(codes("A1").await, "device_leased");
        drop(held);
        assert_eq!(codes("A1").await, "", "given back by dropping");
        assert_eq!(codes("U").await, "device_unauthorized");
        assert_eq!(codes("O").await, "device_offline");
        assert_eq!(codes("R").await, "device_not_ready");
        assert_eq!(codes("P").await, "device_no_permissions");
        assert_eq!(codes("T").await, "device_ambiguous");
        assert_eq!(codes("nobody").await, "device_missing");
        assert_eq!(codes("nobody").await, "device_missing", "a failed lease holds nothing");
    });
}

#[test]
fn the_ready_one_of_two_same_serials_counts() {
    simulated(async {
        let (one, two) = (Fake::new(&line("X", "offline")), Fake::new(&line("X", "device")));
        let provider = FakeDial::with(&[&one, &two]).provider(2, Options::default());
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(until_settled(&mut watch).await, [seen("X", DeviceState::Ready, "lab:1")]);
        let device = provider.lease(&id("X")).await.unwrap();
        device.shell("x", SECOND).await.unwrap();
        assert_eq!((one.logged("X|"), two.logged("X|")), (0, 1));
    });
}

#[test]
fn two_phones_of_one_serial_that_have_names_are_reached_by_them() {
    simulated(async {
        let (one, two) = (Fake::new(&line("X", "device")), Fake::new(&line("X", "device")));
        let named = |server: &str, name: &str| (server.to_owned(), "X".to_owned(), name.to_owned());
        let names = PhoneNames::of([named("lab:0", "left"), named("lab:1", "right")]);
        let provider = FakeDial::with(&[&one, &two]).provider(2, Options { names, ..Options::default() });
        let mut watch = provider.watch().await.unwrap();
        let (left, right) = (DeviceState::Ready, DeviceState::Ready);
        let both = [seen("left", left, "lab:0"), seen("right", right, "lab:1")];
        assert_eq!(until_settled(&mut watch).await, both);
        let right = provider.lease(&id("right")).await.unwrap();
        right.shell("x", SECOND).await.unwrap();
        assert_eq!((one.logged("X|"), two.logged("X|")), (0, 1), "its server knows it by its serial");
        assert_eq!(right.id(), &id("right"));
        let fault = provider.lease(&id("X")).await.err().unwrap();
        assert_eq!(fault.code.word(), "device_missing", "{fault}");
        // This fake offers no recovery; that it is the one asked is what counts.
        let fault = provider.recover(&id("right"), RecoveryStep::Reconnect).await.unwrap_err();
        assert!(fault.what.contains("lab:1 refused for phone right"), "{fault}");
    });
}

#[test]
fn two_ready_phones_with_one_serial_are_nobody_s_to_choose() {
    simulated(async {
        let rows = |serial: &str| line(serial, "device");
        let (one, two) = (Fake::new(&rows("X")), Fake::new(""));
        let provider = FakeDial::with(&[&one, &two]).provider(2, Options::default());
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(until_settled(&mut watch).await, [seen("X", DeviceState::Ready, "lab:0")]);
        two.listing.send_replace(Some(rows("X")));
        assert!(timeout(SECOND, watch.next()).await.is_err(), "one that is in use stays it");
        let fault = provider.lease(&id("X")).await.err().unwrap();
        assert_eq!((fault.code.word(), fault.blame), ("device_ambiguous", Blame::Lab));
        assert!(fault.what.contains("lab:0") && fault.what.contains("lab:1"), "{fault}");

        let mut watch = provider.watch().await.unwrap();
        let all = until_settled(&mut watch).await;
        let [Arrival::Seen(Sighting { state: DeviceState::Ambiguous(places), .. })] = &*all else {
            panic!("{all:?}")
        };
        assert!(places.contains("lab:0") && places.contains("lab:1"), "{places}");

        // A phone over the network is one phone, however many servers are connected to it.
        one.listing.send_replace(Some(rows("10.0.0.7:5555")));
        two.listing.send_replace(Some(rows("10.0.0.7:5555")));
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(until_settled(&mut watch).await, [seen("10.0.0.7:5555", DeviceState::Ready, "lab:0")]);
        assert!(provider.lease(&id("10.0.0.7:5555")).await.is_ok());
    });
}

#[test]
fn phones_beyond_the_limit_are_named_with_words() {
    simulated(async {
        let rows = |range: std::ops::Range<u32>| {
            range.map(|n| line(&format!("P{n:03}"), "device")).collect::<String>()
        };
        let fake = Fake::new(&rows(0..131));
        let provider = FakeDial::with(&[&fake]).provider(1, Options::default());
        let mut watch = provider.watch().await.unwrap();
        let all = until_settled(&mut watch).await;
        assert_eq!(all.len(), 131);
        let Arrival::Seen(last) = &all[130] else { panic!() };
        let DeviceState::Surplus(words) = &last.state else { panic!("{last:?}") };
        assert!(words.contains("128") && words.contains("lab:0"), "{words}");
        assert_eq!(
            all.iter().filter(|a| matches!(a, Arrival::Seen(s) if s.state == DeviceState::Ready)).count(),
            128
        );
        // One leaves, the next in line is used; those in use stay in use whatever the order of the list.
        fake.listing.send_replace(Some(format!("{}{}", rows(100..131), rows(1..100))));
        assert!(matches!(next(&mut watch).await, Arrival::Gone { id: gone, .. } if gone == id("P000")));
        assert_eq!(next(&mut watch).await, seen("P128", DeviceState::Ready, "lab:0"));
        assert!(timeout(SECOND, watch.next()).await.is_err());
        let mut held: Vec<Rc<dyn Device>> = vec![];
        for n in 1..129 {
            held.push(provider.lease(&id(&format!("P{n:03}"))).await.unwrap());
        }
        assert_eq!(provider.lease(&id("P130")).await.err().unwrap().code.word(), "too_many_phones");
    });
}

async fn many(fake: &Rc<Fake>, count: u32, options: Options) -> (AdbProvider, Vec<Rc<dyn Device>>) {
    fake.listing.send_replace(Some((0..count).map(|n| line(&format!("P{n}"), "device")).collect()));
    let provider = FakeDial::with(&[fake]).provider(1, options);
    let mut held = vec![];
    for n in 0..count {
        held.push(provider.lease(&id(&format!("P{n}"))).await.unwrap());
    }
    (provider, held)
}

#[test]
fn at_most_64_calls_are_opened_at_once() {
    simulated(async {
        let fake = Fake::new("");
        fake.on_shell(|_, _| Open::Late(Duration::from_millis(80)));
        let (_provider, held) = many(&fake, 128, Options::default()).await;
        let started = Instant::now();
        let calls = held.iter().map(|device| device.shell("work", SECOND * 30));
        let done = futures::future::join_all(calls).await;
        assert!(done.iter().all(|result| result.as_ref().is_ok_and(|output| output.status == 0)));
        assert_eq!(fake.most.get(), 64, "connections at once");
        assert_eq!(started.elapsed().as_millis() / 10, 16, "two rounds of 80 ms");
    });
}

#[test]
fn calls_that_are_open_wait_for_no_others() {
    simulated(async {
        let fake = Fake::new("");
        fake.on_shell(|_, _| Open::Okay(vec![Act::Sleep(Duration::from_millis(80)), Act::Exit(0)]));
        let (_provider, held) = many(&fake, 128, Options::default()).await;
        let started = Instant::now();
        let calls = held.iter().map(|device| device.shell("work", SECOND * 30));
        let done = futures::future::join_all(calls).await;
        assert!(done.iter().all(|result| result.as_ref().is_ok_and(|output| output.status == 0)));
        assert_eq!(started.elapsed().as_millis() / 10, 8, "all at once: phones in step hold up none");
    });
}

#[test]
fn streams_and_wedged_calls_give_their_place_back() {
    simulated(async {
        let fake = Fake::new("");
        fake.on_shell(|_, _| Open::Okay(vec![Act::Hang]));
        let (_provider, held) = many(&fake, 64, Options::default()).await;
        let started = Instant::now();
        let mut streams = vec![];
        for device in &held {
            streams.push(device.stream("loop", SECOND).await.unwrap());
        }
        assert_eq!((started.elapsed(), fake.open.get()), (Duration::ZERO, 64));
        // Wedged calls stop no others.
        let wedged =
            futures::future::join_all(held[..40].iter().map(|device| device.shell("wedge", SECOND * 10)));
        let quick = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            fake.on_shell(|_, _| Open::Okay(vec![Act::Exit(0)]));
            let started = Instant::now();
            held[50].shell("quick", SECOND * 30).await.unwrap();
            started.elapsed()
        };
        let (_, took) = tokio::join!(wedged, quick);
        assert!(took <= SECOND, "{took:?}");
    });
}

#[test]
fn a_dead_host_does_not_slow_leases() {
    struct HalfDead(FakeDial);
    impl farmjank_seams::host::Dial for HalfDead {
        fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn farmjank_seams::host::Wire>> {
            match to {
                Address::Lab(0) => Box::pin(std::future::pending()),
                _ => self.0.dial(to),
            }
        }
    }
    simulated(async {
        let dial = FakeDial::default();
        dial.servers.borrow_mut().insert(1, Fake::new(A1));
        let dial = Rc::new(HalfDead(dial));
        let provider = AdbProvider::new(vec![Address::Lab(0), Address::Lab(1)], dial, Options::default());
        let started = Instant::now();
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(started.elapsed(), SECOND * 5, "connecting has a deadline");
        assert_eq!(until_settled(&mut watch).await.len(), 2, "the dead host and the phone");
        let started = Instant::now();
        provider.lease(&id("A1")).await.unwrap();
        assert_eq!(started.elapsed(), Duration::ZERO);
    });
}
