//! Moving files over real sockets: whole files, refusals, and every way to lose half of one.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "a pretend server on loopback")]

mod real;

use farmjank_devices::{AdbProvider, Options};
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::device::DeviceId;
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

    fn pull(&self, path: &str) -> Result<Vec<u8>, Fault> {
        self.with_phone(Options::default(), async |phone| phone.pull(path, patience_for(path)).await)
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
    match &word {
        b"RECV" => send_file(&mut wire, &path, files)?,
        b"SEND" => take_file(&mut wire, path.strip_suffix(",0777").unwrap(), files)?,
        other => panic!("{other:?}"),
    }
    // adbd waits for further requests until the client closes.
    std::io::copy(&mut wire, &mut std::io::sink()).map(|_| ())
}

fn send_file(wire: &mut TcpStream, path: &str, files: &Files) -> std::io::Result<()> {
    let frame = |word: &[u8], bytes: &[u8]| [word, &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    let closed = || Err(std::io::Error::other("closed on purpose"));
    match path {
        "/frozen" => return wire.write_all(&frame(b"DATA", &[1; 70_000])),
        "/cut-between" => {
            wire.write_all(&frame(b"DATA", b"half"))?;
            return closed();
        }
        "/cut-after-header" => {
            wire.write_all(&frame(b"DATA", b"half"))?;
            wire.write_all(b"DATA\xff\0\0\0")?;
            return closed();
        }
        "/empty-chunk" => {
            let bytes =
                [frame(b"DATA", b"half"), frame(b"DATA", b""), frame(b"DATA", b"rest"), frame(b"DONE", b"")];
            return wire.write_all(&bytes.concat());
        }
        "/rubbish" => return wire.write_all(b"WHAT\0\0\0\0"),
        _ => {}
    }
    match files.lock().unwrap().get(path) {
        None => wire.write_all(&frame(b"FAIL", b"open failed: No such file or directory")),
        Some(bytes) => {
            for chunk in bytes.chunks(65_536) {
                wire.write_all(&frame(b"DATA", chunk))?;
            }
            wire.write_all(&frame(b"DONE", b""))
        }
    }
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
        if path == "/lost" {
            return Err(std::io::Error::other("unplugged"));
        }
    }
    word(wire)?;
    if path.starts_with("/system") {
        let text = b"couldn't create file: Read-only file system";
        return wire.write_all(&[b"FAIL", &(text.len() as u32).to_le_bytes()[..], text].concat());
    }
    files.lock().unwrap().insert(path.to_owned(), bytes);
    wire.write_all(b"OKAY\0\0\0\0")
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
fn files_arrive_whole_both_ways() {
    let server = Server::start();
    for length in [0, 1, 65_535, 65_536, 3_000_001] {
        let bytes: Vec<u8> = (0..length).map(|at: u32| (at % 251) as u8).collect();
        server.push("/data/a b'c,d", &bytes).unwrap();
        assert!(server.files.lock().unwrap()["/data/a b'c,d"] == bytes, "{length} bytes pushed");
        assert!(server.pull("/data/a b'c,d").unwrap() == bytes, "{length} bytes pulled");
    }
}

#[test]
fn refusals_of_the_phone_are_words() {
    let server = Server::start();
    let fault = server.pull("/missing").unwrap_err();
    assert_eq!(fault.code, "file_refused");
    assert!(fault.what.contains("/missing") && fault.what.contains("No such file"), "{fault}");
    let fault = server.push("/system/x", b"x").unwrap_err();
    assert_eq!(fault.code, "file_refused");
    assert!(fault.what.contains("Read-only file system"), "{fault}");
}

#[test]
fn half_a_file_is_never_a_file() {
    let server = Server::start();
    for (path, code) in [
        ("/cut-between", "device_lost"),
        ("/cut-after-header", "device_lost"),
        ("/empty-chunk", "device_lost"),
        ("/rubbish", "protocol"),
    ] {
        let fault = server.pull(path).unwrap_err();
        assert_eq!((fault.code.as_str(), fault.blame), (code, Blame::Lab), "{path}: {fault}");
    }
    // The server closes with bytes unread, which resets the connection at one moment or another: often enough to meet most.
    for _ in 0..20 {
        assert_eq!(server.push("/lost", &[7; 2_000_000]).unwrap_err().code, "device_lost");
    }
}

#[test]
fn a_frozen_phone_is_cut_at_the_deadline() {
    let server = Server::start();
    for pulling in [true, false] {
        let started = Instant::now();
        let result = match pulling {
            true => server.pull("/frozen").map(|_| ()),
            false => server.push("/frozen", &vec![0; 30_000_000]),
        };
        let took = started.elapsed();
        assert_eq!(result.unwrap_err().code, "timeout");
        assert!(took >= FROZEN && took < Duration::from_secs(60), "{took:?}");
    }
}

#[test]
fn giving_up_closes_everything() {
    let server = Server::start();
    let started = Instant::now();
    server.with_phone(Options::default(), async |phone| {
        let pull = phone.pull("/frozen", Duration::from_secs(600));
        assert!(tokio::time::timeout(Duration::from_millis(100), pull).await.is_err());
    });
    assert!(started.elapsed() < Duration::from_secs(60), "the runtime could shut down");
}

#[test]
fn a_file_has_a_cap() {
    let server = Server::start();
    let bytes = vec![3; 200_000];
    server.push("/big", &bytes).unwrap();
    for max_file in [1_000, 199_999, 200_000] {
        let options = Options { max_file, ..Options::default() };
        let patience = Duration::from_secs(60);
        let result = server.with_phone(options, async |phone| phone.pull("/big", patience).await);
        match max_file {
            200_000 => assert_eq!(result.unwrap().len(), 200_000),
            _ => assert_eq!(result.unwrap_err().code, "output_too_large", "{max_file}"),
        }
    }
}

#[test]
fn files_are_fetched_from_simulated_phones_only_of_a_served_lab() {
    struct Never;
    impl farmjank_seams::host::Dial for Never {
        fn dial<'a>(
            &'a self,
            _: &'a Address,
        ) -> farmjank_seams::Work<'a, Box<dyn farmjank_seams::host::Wire>> {
            Box::pin(async {
                let (ours, mut theirs) = tokio::io::duplex(1000);
                tokio::task::spawn_local(async move {
                    use tokio::io::AsyncWriteExt;
                    theirs.write_all(b"OKAY000aA1\tdevice\n").await.unwrap();
                    std::future::pending::<()>().await;
                });
                Ok(Box::new(ours) as Box<dyn farmjank_seams::host::Wire>)
            })
        }
    }
    real::live(async {
        let provider = AdbProvider::new(vec![Address::Lab(0)], Rc::new(Never), Options::default());
        let device = provider.lease(&DeviceId("A1".into())).await.unwrap();
        let fault = device.pull("/x", Duration::from_secs(1)).await.unwrap_err();
        assert_eq!((fault.code.as_str(), fault.blame), ("files_need_tcp", Blame::Tool));
        assert!(fault.advice.contains("farmjank lab serve"), "{fault}");
        // Builds are sent to them all the same, over the simulated wire; this one answers nonsense.
        let fault = device.push(b"x", "/x", Duration::from_secs(1)).await.unwrap_err();
        assert_eq!((fault.code.as_str(), fault.blame), ("protocol", Blame::Lab));
    });
}
