//! Every situation in which a call can end, with the right answer; the same table other clients get wrong.

mod fake;

use fake::{A1, Act, Fake, Open, SECOND, id, packet, phone, simulated};
use farmjank_devices::Options;
use farmjank_results::fault::{Blame, Fault, Persistence};
use farmjank_seams::device::{Output, Provider};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Runs one command on a phone that opens its shell so.
fn call(open: Open) -> Result<Output, Fault> {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(move |_, _| open.clone());
        phone(&fake).await.1.shell("cmd", SECOND * 8).await
    })
}

fn code(open: Open) -> String {
    let fault = call(open).unwrap_err();
    assert_eq!(fault.blame, Blame::Lab, "{fault}");
    assert!(!fault.advice.is_empty(), "{fault}");
    fault.code.to_string()
}

fn output(status: i32, out: &str, err: &str) -> Output {
    Output { status, out: out.into(), err: err.into() }
}

#[test]
fn exit_3_is_exit_3() {
    assert_eq!(call(Open::Okay(vec![Act::Exit(3)])), Ok(output(3, "", "")));
}

#[test]
fn both_streams_and_exit_5() {
    let acts = vec![Act::Out("to out\n"), Act::Err("to err\n"), Act::Out("more"), Act::Exit(5)];
    assert_eq!(call(Open::Okay(acts)), Ok(output(5, "to out\nmore", "to err\n")));
}

#[test]
fn the_end_without_an_exit_packet_is_a_lost_phone() {
    for acts in [
        vec![],
        vec![Act::Out("half of the out")],
        vec![Act::Out("half"), Act::Sleep(SECOND)],
        vec![Act::Raw(packet(1, b"whole")[..7].to_vec())],
        vec![Act::Raw(vec![3, 1, 0, 0, 0])],
    ] {
        let fault = call(Open::Okay(acts)).unwrap_err();
        assert_eq!((fault.code.word(), fault.persistence), ("device_lost", Persistence::Passing));
        assert!(fault.what.contains("A1"), "{fault}");
    }
}

#[test]
fn garbage_is_not_an_answer() {
    assert_eq!(
        code(Open::Okay(vec![Act::Out("half"), Act::Raw(b"\xff\xfegarbage on the wire".to_vec())])),
        "protocol"
    );
    assert_eq!(code(Open::Okay(vec![Act::Raw(packet(9, b"x"))])), "protocol", "unknown kind");
    assert_eq!(code(Open::Okay(vec![Act::Raw(packet(3, &[0; 4]))])), "protocol", "exit packet of four bytes");
    assert_eq!(code(Open::Bytes(b"HTTP/1.0 200 OK\r\n")), "protocol");
    assert_eq!(code(Open::Bytes(b"FAILzzzz")), "protocol");
}

#[test]
fn what_never_answers_ends_at_its_deadline() {
    for open in [Open::Okay(vec![Act::Out("x"), Act::Hang]), Open::Mute] {
        simulated(async {
            let fake = Fake::new(A1);
            let open = open.clone();
            fake.on_shell(move |_, _| open.clone());
            let (_provider, device) = phone(&fake).await;
            let started = Instant::now();
            let fault = device.shell("sleep 1000", Duration::from_millis(2_500)).await.unwrap_err();
            assert_eq!((fault.code.word(), fault.persistence), ("timeout", Persistence::Passing), "{fault}");
            let took = started.elapsed();
            assert!((2_500..2_600).contains(&took.as_millis()), "{took:?}");
            tokio::task::yield_now().await;
            assert_eq!(fake.hung_up.get(), 1, "the command on the phone is ended");
        });
    }
}

#[test]
fn a_mute_phone_meets_the_deadline_of_one_reply_before_that_of_the_call() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.transports.borrow_mut().insert("A1".into(), Open::Mute);
        let options = Options { reply: SECOND * 3, ..Options::default() };
        let provider = fake::FakeDial::with(&[&fake]).provider(1, options);
        let device = provider.lease(&id("A1")).await.unwrap();
        let started = Instant::now();
        let fault = device.shell("x", SECOND * 600).await.unwrap_err();
        assert_eq!(fault.code.word(), "timeout");
        assert_eq!(started.elapsed().as_secs(), 3);
    });
}

#[test]
fn refusals_have_codes() {
    for (text, wanted) in [
        ("device offline", "device_offline"),
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "device_unauthorized"),
        ("device 'A1' not found", "device_missing"),
        ("closed", "closed"),
        ("something new", "refused"),
    ] {
        simulated(async {
            let fake = Fake::new(A1);
            fake.transports.borrow_mut().insert("A1".into(), Open::Fail(text));
            let (_provider, device) = phone(&fake).await;
            let fault = device.shell("x", SECOND).await.unwrap_err();
            assert_eq!(fault.code.word(), wanted, "{fault}");
        });
    }
    assert_eq!(call(Open::Fail("closed")).unwrap_err().code.word(), "closed");
    assert_eq!(call(Open::Close).unwrap_err().code.word(), "device_lost");
}

#[test]
fn a_hundred_thousand_bytes_arrive_whole_through_any_pipe() {
    for pipe in [1 << 20, 3] {
        simulated(async {
            let fake = Fake::new(A1);
            fake.pipe.set(pipe);
            let blob: Vec<u8> = (0..100_000_u32).map(|at| (at * 7) as u8).collect();
            let acts = vec![Act::Raw(packet(1, &blob)), Act::Exit(0)];
            fake.on_shell(move |_, _| Open::Okay(acts.clone()));
            let output = phone(&fake).await.1.shell("blob", SECOND).await.unwrap();
            assert!(output.out == (0..100_000_u32).map(|at| (at * 7) as u8).collect::<Vec<u8>>());
        });
    }
}

#[test]
fn output_has_a_cap() {
    simulated(async {
        let fake = Fake::new(A1);
        let flood = vec![b'x'; 1000];
        fake.on_shell(move |_, _| {
            Open::Okay(vec![Act::Raw(packet(2, &flood)), Act::Raw(packet(1, &flood)), Act::Hang])
        });
        let options = Options { max_output: 1500, ..Options::default() };
        let provider = fake::FakeDial::with(&[&fake]).provider(1, options);
        let device = provider.lease(&id("A1")).await.unwrap();
        let fault = device.shell("yes", SECOND).await.unwrap_err();
        assert_eq!((fault.code.word(), fault.persistence), ("output_too_large", Persistence::Lasting));
    });
}

#[test]
fn dropping_a_call_closes_its_connection() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(|_, _| Open::Okay(vec![Act::Hang]));
        let (_provider, device) = phone(&fake).await;
        let dropped = tokio::time::timeout(SECOND, device.shell("sleep 1000", SECOND * 100)).await;
        assert!(dropped.is_err());
        tokio::task::yield_now().await;
        assert_eq!((fake.hung_up.get(), fake.open.get()), (1, 0));
    });
}

#[test]
fn a_phone_without_shell_v2_gets_a_mark() {
    simulated(async {
        let fake = Fake::new(A1);
        *fake.features.borrow_mut() = "cmd";
        fake.on_shell(|_, service| {
            let mark = service.rsplit_once("echo ").unwrap().1.strip_suffix("$?").unwrap();
            assert!(service.starts_with("shell:(") && !service.contains("v2"), "{service}");
            match service {
                cut if cut.contains("cut") => Open::Okay(vec![Act::Out("half")]),
                _ => Open::Okay(vec![Act::Raw(format!("hello\n{mark}42\r\n").into_bytes())]),
            }
        });
        let (_provider, device) = phone(&fake).await;
        assert_eq!(device.shell("hello", SECOND).await, Ok(output(42, "hello\n", "")));
        assert_eq!(device.shell("cut", SECOND).await.unwrap_err().code.word(), "device_lost");
    });
}

#[test]
fn serials_and_commands_are_data() {
    simulated(async {
        let serial = "my phone:x y";
        let fake = Fake::new("my phone:x y           device transport_id:1\n");
        let provider = fake::FakeDial::with(&[&fake]).provider(1, Options::default());
        let device = provider.lease(&id(serial)).await.unwrap();
        device.shell("echo 'a;b' \"$c\"\n`d`", SECOND).await.unwrap();
        let log = fake.log.borrow().clone();
        assert!(log.contains(&"host:transport:my phone:x y".to_owned()), "{log:?}");
        assert!(log.contains(&"my phone:x y|shell,v2,raw:echo 'a;b' \"$c\"\n`d`".to_owned()), "{log:?}");
        assert!(
            log.contains(&"my phone:x y|host:features".to_owned()),
            "odd serials are asked through a transport"
        );
        let long = "x".repeat(70_000);
        assert_eq!(device.shell(&long, SECOND).await.unwrap_err().code.word(), "command_too_long");
    });
}

#[test]
fn no_server_is_refused_and_features_are_asked_once_per_connection() {
    simulated(async {
        let fake = Fake::new(A1);
        let dial = fake::FakeDial::with(&[&fake]);
        let provider = dial.provider(1, Options::default());
        let device = provider.lease(&id("A1")).await.unwrap();
        for _ in 0..3 {
            device.shell("x", SECOND).await.unwrap();
        }
        assert_eq!(fake.logged(":features"), 1);
        fake.on_shell(|_, _| Open::Okay(vec![]));
        assert_eq!(device.shell("x", SECOND).await.unwrap_err().code.word(), "device_lost");
        fake.on_shell(|_, _| Open::Okay(vec![Act::Exit(0)]));
        device.shell("x", SECOND).await.unwrap();
        assert_eq!(fake.logged(":features"), 2, "a lost connection is another connection");
        let kept: Rc<Fake> = dial.servers.borrow_mut().remove(&0).unwrap();
        assert_eq!(device.shell("x", SECOND).await.unwrap_err().code.word(), "refused");
        drop(kept);
    });
}
