//! Both stock `adb` programs, an old and the newest one, between us and the lab's daemons and servers, on real loopback
//! sockets and the real clock.
//!
//! Skipped with a printed reason where one is missing; in CI that is a failure.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this corner is about a real program and files"
)]

use farmjank_lab::fault::Kind;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab::serve::{ServeOptions, Served, serve};
use farmjank_witnesses::ports::free_port;
use farmjank_witnesses::stock;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::rc::Rc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::timeout;

const LAB: &str = "
name: corner
latency: none
phones:
  - { archetype: pixel-6, serial: left }
  - { archetype: pixel-6, serial: right }
";

/// Longest time anything may take here.
const PATIENCE: Duration = Duration::from_secs(30);

/// The stock adb, with a server of its own or talking to ours.
struct Adb {
    program: PathBuf,
    port: u16,
    home: PathBuf,
    _server: Option<Child>,
}

impl Drop for Adb {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

impl Adb {
    fn new(program: &Path, port: u16) -> Self {
        let home = std::env::temp_dir().join(format!("farmjank-lab-adb-{port}-{}", std::process::id()));
        std::fs::create_dir_all(&home).expect("a folder");
        Adb { program: program.to_owned(), port, home, _server: None }
    }

    /// Starts the stock server on a free port.
    async fn with_server(program: &Path) -> Self {
        let free = free_port();
        let mut adb = Adb::new(program, free);
        let server = adb
            .command()
            .args(["server", "nodaemon"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("adb starts");
        adb._server = Some(server);
        for _ in 0..100 {
            if tokio::net::TcpStream::connect(("127.0.0.1", free)).await.is_ok() {
                return adb;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the stock adb server does not listen on {free}");
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("-P")
            .arg(self.port.to_string())
            .env("HOME", &self.home)
            .env("ADB_MDNS", "0")
            .env_remove("ANDROID_SERIAL");
        command.stdin(Stdio::null());
        command
    }

    async fn run(&self, args: &[&str]) -> Output {
        let work = self.command().args(args).kill_on_drop(true).output();
        timeout(PATIENCE, work).await.unwrap_or_else(|_| panic!("adb {args:?} hangs")).expect("adb runs")
    }

    async fn text(&self, args: &[&str]) -> String {
        let output = self.run(args).await;
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Connects to every daemon and waits until all are usable.
    async fn connect(&self, served: &Served) -> Vec<String> {
        let mut names = Vec::new();
        for (_, address) in &served.daemons {
            let said = self.text(&["connect", &address.to_string()]).await;
            assert!(said.contains("connected to"), "{said}");
            names.push(address.to_string());
        }
        for _ in 0..100 {
            if self.text(&["devices"]).await.matches("\tdevice").count() == names.len() {
                return names;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not all daemons became usable: {}", self.text(&["devices"]).await);
    }
}

/// Waits until something holds.
async fn eventually(what: &str, holds: impl AsyncFn() -> bool) {
    let patient = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(PATIENCE, patient).await.is_ok(), "in {PATIENCE:?}: {what}");
}

fn story(tell: impl AsyncFn(Rc<LiveLab>, Served, PathBuf)) {
    for program in stock::programs() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let lab = Lab::from_yaml(LAB).expect("the lab reads").build().expect("the lab runs");
            let any = Some("127.0.0.1:0".parse().expect("an address"));
            let served = serve(&lab, &ServeOptions { server: any, daemons: any }).await.expect("served");
            tell(lab, served, program).await;
        });
    }
}

/// Everything a stock client does with a phone, whoever is the server.
async fn use_phone(adb: &Adb, phone: &str) {
    let output = adb.run(&["-s", phone, "shell", "echo out; echo err >&2; exit 7"]).await;
    assert_eq!(output.status.code(), Some(7));
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
    let output = adb.run(&["-s", phone, "shell", "nosuchprogram"]).await;
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(output.stderr, b"/system/bin/sh: nosuchprogram: inaccessible or not found\n");
    let output = adb.run(&["-s", phone, "exec-out", "printf 'a\\r\\nb'"]).await;
    assert_eq!(output.stdout, b"a\r\nb");
    let output = adb.run(&["-s", phone, "shell", "seq 200000 | tail -n 1; seq 100000"]).await;
    assert!(output.stdout.starts_with(b"200000\n1\n2\n") && output.stdout.ends_with(b"\n100000\n"));
    assert_eq!(output.stdout.len(), 7 + 588_895);
    assert_eq!(adb.text(&["-s", phone, "get-state"]).await, "device\n");
    files(adb, phone).await;
}

async fn files(adb: &Adb, phone: &str) {
    let (from, to) = (adb.home.join("from.bin"), adb.home.join("to.bin"));
    let bytes: Vec<u8> = (0..1_500_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(&from, &bytes).expect("written");
    let (from, to) = (from.to_string_lossy().into_owned(), to.to_string_lossy().into_owned());
    let said = adb.text(&["-s", phone, "push", &from, "/data/local/tmp/blob.bin"]).await;
    assert!(said.contains("1 file pushed"), "{said}");
    assert_eq!(adb.text(&["-s", phone, "shell", "wc -c < /data/local/tmp/blob.bin"]).await, "1500000\n");
    let said = adb.text(&["-s", phone, "pull", "/data/local/tmp/blob.bin", &to]).await;
    assert!(said.contains("1 file pulled"), "{said}");
    assert!(std::fs::read(&to).expect("read") == bytes, "the same bytes come back");
    let missing = adb.run(&["-s", phone, "pull", "/data/local/tmp/nosuch", &to]).await;
    assert_ne!(missing.status.code(), Some(0));
    let refused = adb.run(&["-s", phone, "push", &from, "/system/x"]).await;
    assert_ne!(refused.status.code(), Some(0));
}

#[test]
fn the_stock_server_drives_the_lab_s_daemons() {
    story(async |_, served, program| {
        let adb = Adb::with_server(&program).await;
        let phones = adb.connect(&served).await;
        use_phone(&adb, &phones[0]).await;
        // Many streams at once on one connection.
        let many = (0..12).map(|i| {
            let line = format!("sleep 0.3; echo {i}");
            let (adb, phone) = (&adb, phones[1].as_str());
            async move { adb.text(&["-s", phone, "shell", &line]).await }
        });
        let texts = futures::future::join_all(many).await;
        assert_eq!(texts, (0..12).map(|i| format!("{i}\n")).collect::<Vec<_>>());
    });
}

#[test]
fn the_stock_client_drives_the_lab_s_server() {
    story(async |_, served, program| {
        let adb = Adb::new(&program, served.servers[0].port());
        assert!(adb.text(&["devices"]).await.contains("left\tdevice\nright\tdevice\n"));
        assert!(adb.text(&["devices", "-l"]).await.contains("transport_id:2"));
        use_phone(&adb, "right").await;
        let ambiguous = adb.text(&["shell", "true"]).await;
        assert!(ambiguous.contains("more than one device"), "{ambiguous}");
        let missing = adb.text(&["-s", "nosuch", "shell", "true"]).await;
        assert!(missing.contains("device 'nosuch' not found"), "{missing}");
    });
}

#[test]
fn a_client_killed_in_mid_stream_ends_its_command() {
    story(async |lab, served, program| {
        let adb = Adb::with_server(&program).await;
        let phones = adb.connect(&served).await;
        let line = "while :; do echo tick; date +%s%N > /data/local/tmp/alive; sleep 0.05; done";
        let mut client = adb
            .command()
            .args(["-s", &phones[0], "shell", line])
            .stdout(Stdio::null())
            .spawn()
            .expect("adb starts");
        let stamp =
            async || adb.text(&["-s", &phones[0], "shell", "cat /data/local/tmp/alive 2> /dev/null"]).await;
        eventually("the loop runs", async || !stamp().await.is_empty()).await;
        client.kill().await.expect("killed");
        eventually("the loop has ended", async || {
            let before = stamp().await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            stamp().await == before
        })
        .await;
        // The cable goes: the stock tools see it, and only that one.
        lab.inject("left", Kind::Unplug, None);
        eventually("the unplugged phone is no device", async || {
            !adb.text(&["devices"]).await.contains(&format!("{}\tdevice", phones[0]))
        })
        .await;
        assert!(adb.text(&["devices"]).await.contains(&format!("{}\tdevice", phones[1])));
    });
}

#[test]
fn an_interactive_shell_reads_its_script_from_standard_input() {
    story(async |_, served, program| {
        let adb = Adb::new(&program, served.servers[0].port());
        let mut child = adb
            .command()
            .args(["-s", "left", "shell"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("adb starts");
        let mut input = child.stdin.take().expect("piped");
        tokio::io::AsyncWriteExt::write_all(&mut input, b"x=4\nif [ $x = 4 ]\nthen echo four\nfi\nexit 3\n")
            .await
            .expect("written");
        drop(input);
        let output = timeout(PATIENCE, child.wait_with_output()).await.expect("ends").expect("runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "four\n");
        assert_eq!(output.status.code(), Some(3));
    });
}
