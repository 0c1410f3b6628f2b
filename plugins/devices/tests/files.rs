//! Moving files over real sockets: whole files, refusals, and every way to lose half of one.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a pretend server on loopback")]

mod real;

use farmjank_devices::{AdbProvider, Options};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Blame, Fault};
use farmjank_seams::device::{Device, Provider};
use farmjank_seams::host::Address;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A pretend server with one phone `A1` whose file service misbehaves by path.
struct Server {
    port: u16,
    files: Files,
    open: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (files, open) = (Files::default(), Arc::new(AtomicUsize::new(0)));
        let (kept, counter) = (Arc::clone(&files), Arc::clone(&open));
        std::thread::spawn(move || {
            for wire in listener.incoming().flatten() {
                let (files, open) = (Arc::clone(&kept), Arc::clone(&counter));
                std::thread::spawn(move || {
                    open.fetch_add(1, Ordering::SeqCst);
                    let _ = serve(wire, &files);
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Server { port, files, open }
    }

    /// Runs `test` with the leased phone, then checks that no connection stays behind.
    fn with_phone<T>(&self, options: Options, test: impl AsyncFnOnce(&dyn Device) -> T) -> T {
        let address = Address::Tcp("localhost".into(), self.port);
        let result = real::live(async {
            let provider = AdbProvider::new(vec![address], real::dial(), options);
            let device: Rc<dyn Device> = provider.lease(&DeviceId("A1".into())).await.unwrap();
            test(device.as_ref()).await
        });
        let patience = Instant::now() + Duration::from_secs(60);
        while self.open.load(Ordering::SeqCst) > 0 {
            assert!(Instant::now() < patience, "a connection stays behind");
            std::thread::sleep(Duration::from_millis(5));
        }
        result
    }

    fn push(&self, path: &str, bytes: &[u8]) -> Result<(), Fault> {
        self.with_phone(Options::default(), async |phone| phone.push(bytes, path, patience_for(path)).await)
    }
}

/// Short only where the deadline itself is tested: a busy machine may need seconds for what else is tested here.
fn patience_for(path: &str) -> Duration {
    if path == "/frozen" { FROZEN } else { Duration::from_secs(60) }
}

const FROZEN: Duration = Duration::from_millis(800);

fn serve(mut wire: TcpStream, files: &Files) -> std::io::Result<()> {
    match request(&mut wire)?.as_str() {
        "host:devices-l" => return wire.write_all(b"OKAY000aA1\tdevice\n"),
        "host:transport:A1" => wire.write_all(b"OKAY")?,
        other => return wire.write_all(format!("FAIL{:04x}{other}", other.len()).as_bytes()),
    }
    assert_eq!(request(&mut wire)?, "sync:");
    wire.write_all(b"OKAY")?;
    let (word, path) = (word(&mut wire)?, block(&mut wire)?);
    let path = String::from_utf8(path).unwrap();
    assert_eq!(&word, b"SEND");
    take_file(&mut wire, path.strip_suffix(",33188").unwrap(), files)?;
    // adbd waits for further requests until the client closes.
    std::io::copy(&mut wire, &mut std::io::sink()).map(|_| ())
}

fn take_file(wire: &mut TcpStream, path: &str, files: &Files) -> std::io::Result<()> {
    if path == "/frozen" {
        std::thread::sleep(Duration::from_millis(1500));
        return Ok(());
    }
    let mut bytes = vec![];
    loop {
        match &word(wire)? {
            b"DATA" => bytes.extend(block(wire)?),
            b"DONE" => break,
            other => panic!("{other:?}"),
        }
        match path {
            "/lost" => return Err(std::io::Error::other("unplugged")),
            "/full" => return refuse(wire, b"write failed: No space left on device"),
            _ => {}
        }
    }
    word(wire)?;
    if path.starts_with("/system") {
        return refuse(wire, b"couldn't create file: Read-only file system");
    }
    if path == "/rubbish" {
        return wire.write_all(b"WHAT\0\0\0\0");
    }
    files.lock().unwrap().insert(path.to_owned(), bytes);
    wire.write_all(b"OKAY\0\0\0\0")
}

fn refuse(wire: &mut TcpStream, text: &[u8]) -> std::io::Result<()> {
    wire.write_all(&[b"FAIL", &(text.len() as u32).to_le_bytes()[..], text].concat())
}

fn request(wire: &mut TcpStream) -> std::io::Result<String> {
    let length = u64::from_str_radix(std::str::from_utf8(&word(wire)?).unwrap(), 16).unwrap();
    let mut text = String::new();
    wire.take(length).read_to_string(&mut text)?;
    Ok(text)
}

fn word(wire: &mut TcpStream) -> std::io::Result<[u8; 4]> {
    let mut word = [0; 4];
    wire.read_exact(&mut word).map(|()| word)
}

fn block(wire: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; u32::from_le_bytes(word(wire)?) as usize];
    wire.read_exact(&mut bytes).map(|()| bytes)
}

#[test]
fn a_file_arrives_whole() {
    let server = Server::start();
    for length in [0, 1, 65_535, 65_536, 3_000_001] {
        let bytes: Vec<u8> = (0..length).map(|at: u32| (at % 251) as u8).collect();
        server.push("/data/a b'c,d", &bytes).unwrap();
        assert!(server.files.lock().unwrap()["/data/a b'c,d"] == bytes, "{length} bytes pushed");
    }
}

#[test]
fn a_refused_push_is_told_in_the_phones_words() {
    let server = Server::start();
    // In the middle of a file as well as at its end.
    for (path, words) in [("/system/x", "Read-only file system"), ("/full", "No space left")] {
        let fault = server.push(path, &[7; 2_000_000]).unwrap_err();
        assert_eq!(fault.code.word(), "file_refused", "{fault}");
        assert!(fault.what.contains(path) && fault.what.contains(words), "{fault}");
    }
}

#[test]
fn half_a_file_is_never_a_file() {
    let server = Server::start();
    let fault = server.push("/rubbish", b"x").unwrap_err();
    assert_eq!((fault.code.word(), fault.blame), ("protocol", Blame::Lab), "{fault}");
    // The server closes with bytes unread, which resets the connection at one moment or another: often enough to meet
    // most.
    for _ in 0..20 {
        assert_eq!(server.push("/lost", &[7; 2_000_000]).unwrap_err().code.word(), "device_lost");
    }
}

#[test]
fn a_frozen_phone_is_cut_at_the_deadline() {
    let server = Server::start();
    let started = Instant::now();
    let result = server.push("/frozen", &vec![0; 30_000_000]);
    let took = started.elapsed();
    assert_eq!(result.unwrap_err().code.word(), "timeout");
    assert!(took >= FROZEN && took < Duration::from_secs(60), "{took:?}");
}

#[test]
fn giving_up_closes_everything() {
    let server = Server::start();
    let started = Instant::now();
    server.with_phone(Options::default(), async |phone| {
        let bytes = vec![0; 30_000_000];
        let push = phone.push(&bytes, "/frozen", Duration::from_secs(600));
        assert!(tokio::time::timeout(Duration::from_millis(100), push).await.is_err());
    });
    assert!(started.elapsed() < Duration::from_secs(60), "the runtime could shut down");
}
