//! The lab's adb server over in-memory pipes on paused time, spoken to byte by byte.

use farmjank_lab::dial::LabDial;
use farmjank_lab::fault::Kind;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_seams::host::{Address, Dial, Wire};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

const LAB: &str = "
name: wire
seed: 7
latency: { median: 45ms, spike: 200ms, chance: 0.05 }
phones:
  - { archetype: pixel-6, serial: one }
  - { archetype: pixel-6, serial: two }
";

/// Runs a story inside a fresh lab, on paused time.
fn story<T>(yaml: &str, tell: impl AsyncFnOnce(Rc<LiveLab>, LabDial) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let lab = Lab::from_yaml(yaml).expect("the lab reads").build().expect("the lab runs");
        tell(lab.clone(), LabDial::new(lab)).await
    })
}

async fn dial(dial: &LabDial) -> Box<dyn Wire> {
    dial.dial(&Address::Lab(0)).await.unwrap_or_else(|fault| panic!("dial: {fault}"))
}

async fn ask(wire: &mut dyn Wire, request: &str) {
    wire.write_all(format!("{:04x}{request}", request.len()).as_bytes()).await.expect("written");
}

async fn word(wire: &mut dyn Wire) -> String {
    let mut word = [0; 4];
    wire.read_exact(&mut word).await.expect("four bytes");
    String::from_utf8_lossy(&word).into_owned()
}

async fn block(wire: &mut dyn Wire) -> String {
    let length = usize::from_str_radix(&word(wire).await, 16).expect("a length");
    let mut text = vec![0; length];
    wire.read_exact(&mut text).await.expect("a block");
    String::from_utf8(text).expect("text")
}

/// Status word and text of a host request.
async fn host(lab: &LabDial, request: &str) -> (String, String) {
    let mut wire = dial(lab).await;
    ask(&mut *wire, request).await;
    (word(&mut *wire).await, block(&mut *wire).await)
}

async fn open(lab: &LabDial, serial: &str, service: &str) -> Box<dyn Wire> {
    let mut wire = dial(lab).await;
    ask(&mut *wire, &format!("host:transport:{serial}")).await;
    assert_eq!(word(&mut *wire).await, "OKAY");
    ask(&mut *wire, service).await;
    assert_eq!(word(&mut *wire).await, "OKAY", "{service}");
    wire
}

/// What a shell v2 connection gives until its end: output, errors, exit status if one came.
async fn packets(wire: &mut dyn Wire) -> (String, String, Option<u8>) {
    let (mut out, mut err, mut status) = (Vec::new(), Vec::new(), None);
    let mut header = [0; 5];
    while wire.read_exact(&mut header).await.is_ok() {
        let mut bytes = vec![0; u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize];
        if wire.read_exact(&mut bytes).await.is_err() {
            break;
        }
        match header[0] {
            1 => out.extend(bytes),
            2 => err.extend(bytes),
            3 => status = bytes.first().copied(),
            other => panic!("packet kind {other}"),
        }
    }
    (String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned(), status)
}

async fn shell(lab: &LabDial, serial: &str, command: &str) -> (String, String, Option<u8>) {
    packets(&mut *open(lab, serial, &format!("shell,v2,raw:{command}")).await).await
}

#[test]
fn host_requests_answer_as_a_server_does() {
    story(LAB, async |_, lab| {
        let ok = |text: &str| ("OKAY".to_owned(), text.to_owned());
        let no = |text: &str| ("FAIL".to_owned(), text.to_owned());
        assert_eq!(host(&lab, "host:version").await, ok("0029"));
        assert_eq!(host(&lab, "host:devices").await, ok("one\tdevice\ntwo\tdevice\n"));
        let (_, long) = host(&lab, "host:devices-l").await;
        assert!(
            long.starts_with("one                    device usb:1-1 ") && long.contains(" transport_id:2\n"),
            "{long}"
        );
        assert_eq!(host(&lab, "host-serial:one:get-state").await, ok("device"));
        assert!(host(&lab, "host-serial:two:features").await.1.contains("shell_v2"));
        assert_eq!(host(&lab, "host:transport:nosuch").await, no("device 'nosuch' not found"));
        assert_eq!(host(&lab, "host:transport-any").await, no("more than one device/emulator"));
        assert_eq!(host(&lab, "shell:echo").await, no("device offline (no transport)"));
        assert_eq!(host(&lab, "host:nonsense").await, no("unknown host service"));
        assert_eq!(host(&lab, "host:kill").await.0, "FAIL");
    });
}

#[test]
fn shells_keep_streams_and_status_apart() {
    story(LAB, async |_, lab| {
        let (out, err, status) = shell(&lab, "one", "echo out; echo err >&2; exit 9").await;
        assert_eq!((out.as_str(), err.as_str(), status), ("out\n", "err\n", Some(9)));
        let mut merged = open(&lab, "one", "shell:echo out; echo err >&2").await;
        let mut text = String::new();
        merged.read_to_string(&mut text).await.expect("text");
        assert_eq!(text, "out\nerr\n");
        let (_, err, status) = shell(&lab, "two", "frobnicate").await;
        assert_eq!(
            (err.as_str(), status),
            ("/system/bin/sh: frobnicate: inaccessible or not found\n", Some(127))
        );
    });
}

#[test]
fn standard_input_reaches_the_command() {
    story(LAB, async |_, lab| {
        let mut wire = open(&lab, "one", "shell,v2,raw:cat; echo end").await;
        wire.write_all(b"\x00\x03\x00\x00\x00abc\x04\x00\x00\x00\x00").await.expect("written");
        assert_eq!(packets(&mut *wire).await, ("abcend\n".to_owned(), String::new(), Some(0)));
    });
}

#[test]
fn calls_take_the_lab_s_latency() {
    story(LAB, async |_, lab| {
        let mut all = Vec::new();
        for _ in 0..200 {
            let from = Instant::now();
            shell(&lab, "one", "true").await;
            all.push(from.elapsed().as_millis());
        }
        all.sort_unstable();
        assert!((40..=52).contains(&all[100]), "median {}", all[100]);
        assert!((150..=205).contains(&all[199]), "worst {}", all[199]);
    });
}

#[test]
fn output_streams_while_the_command_runs() {
    story(LAB, async |_, lab| {
        let mut wire = open(&lab, "one", "shell,v2,raw:while true; do echo tick; sleep 1; done").await;
        let from = Instant::now();
        for _ in 0..5 {
            let mut packet = [0; 10];
            wire.read_exact(&mut packet).await.expect("a packet");
            assert_eq!(&packet, b"\x01\x05\x00\x00\x00tick\n");
        }
        assert!((4000..4300).contains(&from.elapsed().as_millis()), "{:?}", from.elapsed());
    });
}

#[test]
fn tracking_tells_arrivals_and_departures() {
    story(LAB, async |live, lab| {
        let mut wire = dial(&lab).await;
        ask(&mut *wire, "host:track-devices").await;
        assert_eq!(word(&mut *wire).await, "OKAY");
        assert_eq!(block(&mut *wire).await, "one\tdevice\ntwo\tdevice\n");
        live.inject("one", Kind::Unplug, Some(Duration::from_secs(5)));
        assert_eq!(block(&mut *wire).await, "two\tdevice\n");
        live.inject("two", Kind::Unauthorized, None);
        assert_eq!(block(&mut *wire).await, "two\tunauthorized\n");
        assert_eq!(block(&mut *wire).await, "one\tdevice\ntwo\tunauthorized\n");
        let refused = host(&lab, "host:transport:two").await;
        assert!(refused.1.starts_with("device unauthorized."), "{refused:?}");
    });
}

#[test]
fn an_unplugged_phone_ends_its_streams_without_a_status() {
    story(LAB, async |live, lab| {
        let mut wire = open(&lab, "one", "shell,v2,raw:echo a; sleep 100; echo b").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        live.inject("one", Kind::Unplug, None);
        assert_eq!(packets(&mut *wire).await, ("a\n".to_owned(), String::new(), None));
        assert_eq!(host(&lab, "host:transport:one").await.1, "device 'one' not found");
    });
}

#[test]
fn a_wedged_phone_accepts_and_is_silent_until_it_recovers() {
    story(LAB, async |live, lab| {
        live.inject("one", Kind::Wedge, Some(Duration::from_secs(60)));
        let mut wire = open(&lab, "one", "shell,v2,raw:echo late").await;
        let mut byte = [0];
        assert!(timeout(Duration::from_secs(50), wire.read(&mut byte)).await.is_err(), "silent");
        assert_eq!(packets(&mut *wire).await.0, "late\n");
    });
}

#[test]
fn other_faults_show_on_the_wire() {
    story(LAB, async |live, lab| {
        live.inject("one", Kind::Slow(10.0), None);
        let from = Instant::now();
        shell(&lab, "one", "true").await;
        assert!(from.elapsed() >= Duration::from_millis(300), "{:?}", from.elapsed());
        live.inject("one", Kind::Offline, Some(Duration::from_secs(1)));
        assert_eq!(host(&lab, "host:transport:one").await.1, "device offline");
        let mut wire = open(&lab, "two", "shell,v2,raw:sleep 100").await;
        live.inject("two", Kind::ServerRestart, Some(Duration::from_secs(2)));
        assert_eq!(packets(&mut *wire).await.2, None, "every connection ends");
        let refused = lab.dial(&Address::Lab(0)).await.err().expect("refused");
        assert_eq!(refused.code.word(), "refused");
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(shell(&lab, "two", "echo back").await.0, "back\n");
        live.inject("two", Kind::Garble, None);
        let mut garbled = open(&lab, "two", "exec:seq 5000").await;
        let mut bytes = Vec::new();
        garbled.read_to_end(&mut bytes).await.expect("bytes");
        assert!(bytes.iter().filter(|b| **b >= 0x80).count() > 10);
    });
}

#[test]
fn scheduled_faults_come_on_lab_time() {
    let yaml = format!("{LAB}faults:\n  - {{ at: 10s, phone: two, kind: unplug, for: 5s }}\n");
    story(&yaml, async |_, lab| {
        let there = async || host(&lab, "host:devices").await.1.contains("two");
        assert!(there().await);
        tokio::time::sleep(Duration::from_secs(11)).await;
        assert!(!there().await);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(there().await);
    });
}

/// A sync request with its length.
fn sync(id: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&id[..], &(body.len() as u32).to_le_bytes(), body].concat()
}

#[test]
fn files_are_pushed_and_pulled() {
    story(LAB, async |_, lab| {
        let mut wire = open(&lab, "one", "sync:").await;
        let body: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8).collect();
        wire.write_all(&sync(b"SEND", b"/data/local/tmp/f,33188")).await.expect("written");
        for piece in body.chunks(60_000) {
            wire.write_all(&sync(b"DATA", piece)).await.expect("written");
        }
        wire.write_all(b"DONE\x01\x02\x03\x04").await.expect("written");
        let mut answer = [0; 8];
        wire.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"OKAY\0\0\0\0");
        wire.write_all(&sync(b"RECV", b"/data/local/tmp/nosuch")).await.expect("written");
        wire.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer[..4], b"FAIL");
        let mut why = vec![0; u32::from_le_bytes([answer[4], answer[5], answer[6], answer[7]]) as usize];
        wire.read_exact(&mut why).await.expect("words");
        assert_eq!(why, b"No such file or directory");
        assert_eq!(shell(&lab, "one", "cd /data/local/tmp; rm f && ls").await.0, "");
    });
}

#[test]
fn one_seed_gives_one_story_and_a_lost_client_ends_its_shell() {
    let run = || {
        story(LAB, async |_, lab| {
            drop(open(&lab, "one", "shell,v2,raw:while :; do echo x; sleep 0.1; done").await);
            let mut log = Vec::new();
            let from = Instant::now();
            for i in 0..20 {
                let serial = if i % 2 == 0 { "one" } else { "two" };
                log.push((shell(&lab, serial, "echo $$; sleep 0.1; date +%s%N").await, from.elapsed()));
            }
            log
        })
    };
    assert_eq!(run(), run());
}

#[test]
fn hostile_clients_are_sent_away() {
    story(LAB, async |_, lab| {
        for bytes in [&b"zzzz"[..], b"0005host", b"\xff\xff\xff\xff", b"ffffhost"] {
            let mut wire = dial(&lab).await;
            wire.write_all(bytes).await.expect("written");
            let _ = wire.shutdown().await;
            let mut answer = Vec::new();
            let ended = timeout(Duration::from_secs(5), wire.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "{bytes:?} must not hang");
        }
        assert_eq!(host(&lab, "host:version").await.0, "OKAY");
    });
}

#[test]
fn lab_files_complain_in_words() {
    for (yaml, words) in [
        ("name: x\nphones: [{ archetype: pixel-6, colour: red }]", "line 2 column 32: unknown key `colour`"),
        (
            "name: x\nphones:\n  - {}\n  - { archetype: nokia }",
            "line 4: phone virtual-nokia-1: no archetype `nokia`",
        ),
        ("name: x\nphones: []\nlatency: warp", "no profile is called \"warp\""),
        ("name: x\nphones: []\nfaults: [{ at: 3 parsecs, kind: unplug }]", "is not a time"),
        ("name: x\nphones: []\nfaults: [{ at: 3s, kind: earthquake }]", "there is no kind \"earthquake\""),
        ("name: x\nphones: [{ serial: a }, { serial: a }]", "line 2: two phones have the serial"),
        ("name: x\nphones: [{ count: 4000000 }]", "at most"),
    ] {
        let why = Lab::from_yaml(yaml).expect_err(yaml).to_string();
        assert!(why.contains(words), "{why}");
    }
    assert!(Lab::named("nosuch").expect_err("unknown").to_string().contains("demo"));
}

#[test]
fn the_phone_s_programs_answer_through_the_wire() {
    story(LAB, async |live, lab| {
        let (out, err, status) = shell(&lab, "one", "getprop ro.product.model; wm size | cut -d: -f2").await;
        assert_eq!((out.as_str(), err.as_str(), status), ("Pixel 6\n 1080x2400\n", "", Some(0)));
        let (out, ..) = shell(&lab, "one", "read u _ < /proc/uptime; echo $u").await;
        let uptime: f64 = out.trim().parse().expect("a number");
        assert!(uptime > 0.0);
        // What was written is there, and what was removed is gone until a program writes it again.
        let line = "echo hello > /sdcard/f; cat /storage/emulated/0/f; uiautomator dump; grep -c hierarchy /sdcard/window_dump.xml; \
                    rm /sdcard/window_dump.xml; [ -e /sdcard/window_dump.xml ] || echo gone; uiautomator dump > /dev/null; \
                    [ -e /sdcard/window_dump.xml ] && echo back";
        let (out, ..) = shell(&lab, "one", line).await;
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(
            (lines[0], lines[lines.len() - 2], lines[lines.len() - 1]),
            ("hello", "gone", "back"),
            "{out}"
        );
        // A ring that is held back makes its shell wait; other services answer meanwhile.
        live.inject("one", Kind::RingOverflow, Some(Duration::from_secs(4)));
        let from = Instant::now();
        let (out, ..) = shell(&lab, "one", "dumpsys battery").await;
        assert!(out.contains("level") && from.elapsed() < Duration::from_secs(1), "{:?}", from.elapsed());
        let (out, ..) = shell(&lab, "one", "dumpsys SurfaceFlinger --list").await;
        assert!(!out.is_empty() && from.elapsed() >= Duration::from_secs(4), "{:?}", from.elapsed());
    });
}

#[test]
fn every_frame_passes_through_a_sampling_loop() {
    story(LAB, async |live, lab| {
        let line = "am start -W -n com.example.shop/.FeedActivity > /dev/null; L=$(dumpsys SurfaceFlinger --list | grep FeedActivity | tail -1); \
                    echo \"$L\"; (input swipe 540 1800 540 600 200; sleep 1; input swipe 540 1800 540 600 200) & i=0; \
                    while [ $i -lt 12 ]; do echo @@; dumpsys SurfaceFlinger --latency \"$L\"; sleep 0.4; i=$((i+1)); done; wait";
        let (out, err, status) = shell(&lab, "one", line).await;
        assert_eq!((err.as_str(), status), ("", Some(0)));
        let mut seen = std::collections::BTreeSet::new();
        for dump in out.split("@@\n").skip(1) {
            for row in dump.lines().skip(1) {
                let columns: Vec<i64> = row.split('\t').filter_map(|n| n.parse().ok()).collect();
                if let [_, actual, _] = columns[..]
                    && actual > 0
                    && actual != i64::MAX
                {
                    seen.insert(actual);
                }
            }
        }
        let layer = out.lines().next().expect("a layer").to_owned();
        // Dumps end before the layer does: frames presented after the last one are not looked for.
        let last = *seen.last().expect("frames");
        let lost = live.truth("one", |truth| {
            let frames = truth.layers.iter().filter(|l| layer.contains(&l.name)).flat_map(|l| &l.frames);
            let presents: Vec<i64> = frames.map(|f| f.present).filter(|p| *p <= last).collect();
            (presents.len(), presents.iter().filter(|p| !seen.contains(p)).count())
        });
        let (existed, lost) = lost.expect("the phone");
        assert!(existed > 60, "{existed} frames existed on {layer}");
        assert_eq!(lost, 0, "of {existed}");
    });
}
