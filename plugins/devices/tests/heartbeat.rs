//! The phone that is connected and silent is found, and found again when it is back.

mod fake;

use fake::{A1, Act, Fake, FakeDial, Open, SECOND, id, simulated};
use farmjank_devices::Options;
use farmjank_seams::device::{Arrival, Next, Provider};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

#[test]
fn a_silent_phone_is_found_and_its_work_fails() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(|_, _| Open::Okay(vec![Act::Out("hi\n"), Act::Hang]));
        let provider = FakeDial::with(&[&fake]).provider(1, Options::default());
        let mut watch = provider.watch().await.unwrap();
        assert!(matches!(watch.next().await, Ok(Arrival::Seen(_))));
        assert_eq!(watch.next().await, Ok(Arrival::Settled));
        let device = provider.lease(&id("A1")).await.unwrap();
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        assert_eq!(stream.next(SECOND).await, Ok(Next::Line(b"hi".to_vec())));
        // From here on the phone is frozen: connections stand, nothing answers.
        fake.on_shell(|_, _| Open::Mute);
        let frozen = Instant::now();
        let (line, call, gone) =
            tokio::join!(stream.next(SECOND * 600), device.shell("x", SECOND * 600), watch.next());
        assert_eq!(line.unwrap_err().code.word(), "device_silent");
        // The call itself meets the deadline of one reply first.
        assert_eq!(call.unwrap_err().code.word(), "timeout");
        assert!(
            matches!(&gone, Ok(Arrival::Gone { id: gone, why }) if gone.0 == "A1" && why.contains("answer"))
        );
        let took = frozen.elapsed();
        assert!(SECOND * 19 < took && took <= SECOND * 21, "every 10 s, two misses of 5 s: {took:?}");
        assert_eq!(device.shell("x", SECOND).await.unwrap_err().code.word(), "device_silent");
        drop((stream, device));
        assert_eq!(provider.lease(&id("A1")).await.err().unwrap().code.word(), "device_silent");

        fake.on_shell(|_, _| Open::Okay(vec![Act::Exit(0)]));
        assert!(
            matches!(watch.next().await, Ok(Arrival::Seen(sighting)) if sighting.id.0 == "A1"),
            "it is back"
        );
        provider.lease(&id("A1")).await.unwrap().shell("x", SECOND).await.unwrap();
    });
}

#[test]
fn a_running_call_fails_when_its_phone_falls_silent() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(|_, service| match service {
            "shell,v2,raw:long" => Open::Okay(vec![Act::Out("x"), Act::Hang]),
            _ => Open::Mute,
        });
        let provider = FakeDial::with(&[&fake]).provider(1, Options::default());
        let device = provider.lease(&id("A1")).await.unwrap();
        assert_eq!(device.shell("long", SECOND * 600).await.unwrap_err().code.word(), "device_silent");
    });
}

#[test]
fn who_talks_is_not_asked_and_one_miss_is_forgiven() {
    simulated(async {
        let fake = Fake::new(A1);
        let chatter: Vec<Act> = (0..25).flat_map(|_| [Act::Out("tick\n"), Act::Sleep(SECOND * 4)]).collect();
        fake.on_shell(move |_, service| match service {
            "shell,v2,raw:loop" => Open::Okay(chatter.clone()),
            _ => Open::Okay(vec![Act::Exit(0)]),
        });
        let provider = FakeDial::with(&[&fake]).provider(1, Options::default());
        let device = provider.lease(&id("A1")).await.unwrap();
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        while let Ok(Next::Line(_)) = stream.next(SECOND * 10).await {}
        assert_eq!(fake.logged("raw:echo"), 0, "bytes are a sign of life");

        sleep(SECOND * 35).await;
        assert_eq!(fake.logged("raw:echo"), 3, "one question every ten quiet seconds");
        fake.on_shell(|_, _| Open::Okay(vec![Act::Sleep(SECOND * 6), Act::Exit(0)]));
        sleep(SECOND * 7).await;
        fake.on_shell(|_, _| Open::Okay(vec![Act::Exit(0)]));
        sleep(SECOND * 60).await;
        device.shell("x", SECOND).await.unwrap();
        drop(device);
        let asked = fake.logged("raw:echo");
        sleep(SECOND * 60).await;
        assert_eq!(fake.logged("raw:echo"), asked, "a phone given back is not asked");
    });
}

#[test]
fn a_replugged_phone_is_another_connection() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(|_, _| Open::Mute);
        let provider = FakeDial::with(&[&fake]).provider(1, Options::default());
        let mut watch = provider.watch().await.unwrap();
        let device = provider.lease(&id("A1")).await.unwrap();
        loop {
            if let Arrival::Gone { .. } = timeout(SECOND * 60, watch.next()).await.unwrap().unwrap() {
                break;
            }
        }
        drop(device);
        fake.on_shell(|_, _| Open::Okay(vec![Act::Exit(0)]));
        let gone = Instant::now();
        fake.listing.send_replace(Some(A1.replace("transport_id:1", "transport_id:2")));
        assert!(matches!(watch.next().await, Ok(Arrival::Seen(_))));
        assert!(gone.elapsed() < Duration::from_millis(10), "without waiting for the next question");
        provider.lease(&id("A1")).await.unwrap();
    });
}
