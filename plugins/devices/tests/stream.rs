//! Long-lived shells: lines over any packet borders, patience, ends, cancellation.

mod fake;

use fake::{A1, Act, Fake, FakeDial, Open, SECOND, id, packet, phone, simulated};
use farmjank_devices::Options;
use farmjank_results::fault::{Fault, Persistence};
use farmjank_seams::device::{Next, Provider, Stream};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Everything a stream says until it ends or fails.
async fn all(stream: &mut dyn Stream) -> (Vec<String>, Result<i32, Fault>) {
    let mut lines = vec![];
    loop {
        match stream.next(SECOND * 5).await {
            Ok(Next::Line(line)) => lines.push(String::from_utf8(line).unwrap()),
            Ok(Next::Ended(status)) => return (lines, Ok(status)),
            Err(fault) => return (lines, Err(fault)),
        }
    }
}

fn said(acts: Vec<Act>, pipe: usize) -> (Vec<String>, Result<i32, Fault>) {
    simulated(async {
        let fake = Fake::new(A1);
        fake.pipe.set(pipe);
        fake.on_shell(move |_, _| Open::Okay(acts.clone()));
        let (_provider, device) = phone(&fake).await;
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        let first = all(stream.as_mut()).await;
        let again = stream.next(SECOND).await;
        match &first.1 {
            Ok(status) => assert_eq!(again, Ok(Next::Ended(*status)), "the end stays the end"),
            Err(fault) => assert_eq!(again.as_ref(), Err(fault), "a fault stays the fault"),
        }
        first
    })
}

#[test]
fn lines_do_not_care_for_packets() {
    for pipe in [1 << 16, 2] {
        let acts = vec![
            Act::Out("one\ntw"),
            Act::Err("noise\n"),
            Act::Sleep(SECOND),
            Act::Out("o\r\n\nth"),
            Act::Out("ree"),
            Act::Exit(9),
        ];
        assert_eq!(
            said(acts, pipe),
            (vec!["one".into(), "two".into(), String::new(), "three".into()], Ok(9))
        );
    }
}

#[test]
fn a_lost_phone_is_a_fault_after_its_whole_lines() {
    let (lines, end) = said(vec![Act::Out("whole\nhalf of a li")], 1 << 16);
    assert_eq!(lines, ["whole"], "a line cut short is not a line");
    assert_eq!(end.unwrap_err().code.word(), "device_lost");
    let (lines, end) = said(vec![Act::Out("whole\n"), Act::Raw(b"?garbage".to_vec())], 1 << 16);
    assert_eq!((lines, end.unwrap_err().code.word()), (vec!["whole".to_owned()], "protocol"));
}

#[test]
fn silence_costs_patience_and_nothing_else() {
    simulated(async {
        let fake = Fake::new(A1);
        let acts =
            vec![Act::Out("par"), Act::Sleep(SECOND * 3), Act::Err("x"), Act::Out("t\n"), Act::Exit(0)];
        fake.on_shell(move |_, _| Open::Okay(acts.clone()));
        let (_provider, device) = phone(&fake).await;
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        let started = Instant::now();
        let fault = stream.next(SECOND).await.unwrap_err();
        assert_eq!((fault.code.word(), fault.persistence), ("silent", Persistence::Passing));
        assert_eq!(started.elapsed(), SECOND);
        assert_eq!(stream.next(SECOND * 5).await, Ok(Next::Line(b"part".to_vec())), "no byte was lost");
        assert_eq!(stream.next(SECOND).await, Ok(Next::Ended(0)));
    });
}

#[test]
fn dropping_next_loses_no_line() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.pipe.set(5);
        let mut acts: Vec<Act> = vec![];
        for _ in 0..20 {
            acts.extend([
                Act::Out("hello "),
                Act::Sleep(Duration::from_millis(7)),
                Act::Out("world\nnext line\n"),
            ]);
        }
        acts.push(Act::Exit(0));
        fake.on_shell(move |_, _| Open::Okay(acts.clone()));
        let (_provider, device) = phone(&fake).await;
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        let (mut lines, mut cancelled) = (vec![], 0);
        loop {
            match timeout(Duration::from_millis(2), stream.next(SECOND)).await {
                Err(_) => cancelled += 1,
                Ok(Ok(Next::Line(line))) => lines.push(line),
                Ok(end) => {
                    assert_eq!(end, Ok(Next::Ended(0)));
                    break;
                }
            }
        }
        assert!(cancelled > 20, "{cancelled}");
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        assert_eq!(lines, [&b"hello world"[..], b"next line"].repeat(20));
    });
}

#[test]
fn a_line_without_end_is_refused() {
    simulated(async {
        let fake = Fake::new(A1);
        let acts = vec![Act::Out("fine\n"), Act::Raw(packet(1, &[b'x'; 5000])), Act::Hang];
        fake.on_shell(move |_, _| Open::Okay(acts.clone()));
        let provider = FakeDial::with(&[&fake]).provider(1, Options { max_line: 1000, ..Options::default() });
        let device = provider.lease(&id("A1")).await.unwrap();
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        let (lines, end) = all(stream.as_mut()).await;
        assert_eq!((lines, end.unwrap_err().code.word()), (vec!["fine".to_owned()], "output_too_large"));
    });
}

#[test]
fn a_dropped_stream_ends_the_command_and_outlives_its_device() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(|_, _| Open::Okay(vec![Act::Out("a\n"), Act::Hang]));
        let (_provider, device) = phone(&fake).await;
        let mut stream = device.stream("loop", SECOND).await.unwrap();
        drop(device);
        assert_eq!(stream.next(SECOND).await, Ok(Next::Line(b"a".to_vec())));
        drop(stream);
        tokio::task::yield_now().await;
        assert_eq!((fake.hung_up.get(), fake.open.get()), (1, 0));
    });
}

#[test]
fn streams_of_phones_without_shell_v2_end_at_the_mark() {
    for (text, lines) in
        [("one\r\ntwo\r\n", vec!["one", "two"]), ("one\nno end", vec!["one", "no end"]), ("", vec![])]
    {
        for tail in ["\r\n", "\n", ""] {
            simulated(async {
                let fake = Fake::new(A1);
                *fake.features.borrow_mut() = "";
                fake.on_shell(move |_, service| {
                    let mark = service.rsplit_once("echo ").unwrap().1.strip_suffix("$?").unwrap();
                    Open::Okay(vec![Act::Raw(format!("{text}{mark}4{tail}").into_bytes())])
                });
                let (_provider, device) = phone(&fake).await;
                let mut stream = device.stream("loop", SECOND).await.unwrap();
                let (seen, end) = all(stream.as_mut()).await;
                assert_eq!((seen.as_slice(), end), (strings(&lines).as_slice(), Ok(4)));
            });
        }
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn opening_is_bounded_and_refusals_arrive() {
    simulated(async {
        let fake = Fake::new(A1);
        fake.on_shell(|_, service| if service.contains("mute") { Open::Mute } else { Open::Fail("closed") });
        let (_provider, device) = phone(&fake).await;
        let started = Instant::now();
        assert_eq!(device.stream("mute", SECOND * 2).await.err().unwrap().code.word(), "timeout");
        assert_eq!(started.elapsed(), SECOND * 2);
        assert_eq!(device.stream("x", SECOND).await.err().unwrap().code.word(), "closed");
        drop(Rc::clone(&fake));
    });
}
