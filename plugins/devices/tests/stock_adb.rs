//! Both stock adb servers, an old and the newest one, as witnesses: what our bytes mean to it. Skipped with a reason
//! where one is missing, except in CI.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "starts the stock adb server")]

mod real;

use farmjank_devices::adb::{StartPolicy, Started, ensure_server};
use farmjank_devices::{AdbProvider, Options};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::device::{Arrival, Provider};
use farmjank_seams::host::{Address, Spawn};
use farmjank_witnesses::ports::free_port;
use farmjank_witnesses::stock;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// No discovery: whatever else runs on this computer stays out of the test.
fn adb(program: &Path, port: u16) -> Command {
    let mut command = Command::new(program);
    command
        .env("ADB_LOCAL_TRANSPORT_MAX_PORT", "5554")
        .env("ADB_USB", "0")
        .env("ADB_EMU", "0")
        .env("ADB_MDNS", "0");
    command.args(["-P", &port.to_string()]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// A stock server on a free port.
    fn start(program: &Path) -> Server {
        let port = free_port();
        let child = adb(program, port).args(["server", "nodaemon"]).spawn().expect("adb starts");
        let server = Server { child, port };
        let patience = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < patience, "adb server does not listen on {port}");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn provider(&self) -> AdbProvider {
        AdbProvider::new(vec![Address::Tcp("localhost".into(), self.port)], real::dial(), Options::default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_stock_server_understands_us() {
    for program in stock::programs() {
        understood(Server::start(&program));
    }
}

fn understood(mut server: Server) {
    real::live(async {
        let provider = server.provider();
        assert_eq!(provider.version(0).await, Ok(41));
        assert_eq!(provider.list().await, Ok(vec![]));
        let mut watch = provider.watch().await.unwrap();
        assert_eq!(watch.next().await, Ok(Arrival::Settled));
        let fault = provider.lease(&DeviceId("nobody".into())).await.err().unwrap();
        assert_eq!(fault.code.word(), "device_missing");
        assert!(tokio::time::timeout(Duration::from_millis(200), watch.next()).await.is_err(), "quiet");

        server.child.kill().unwrap();
        server.child.wait().unwrap();
        let noticed = async {
            while provider.troubles().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), noticed).await.expect("a killed server is noticed");
        assert_eq!(provider.list().await.unwrap_err().code.word(), "no_server");
    });
}

/// Runs the stock adb with the test's environment.
struct StockSpawn<'p>(&'p Path, u16);

impl Spawn for StockSpawn<'_> {
    fn run<'a>(&'a self, program: &'a str, args: &'a [&'a str], _: Duration) -> Work<'a, (i32, String)> {
        Box::pin(async move {
            assert_eq!((program, args), ("adb", &["-P", &self.1.to_string(), "start-server"][..]));
            match adb(self.0, self.1).arg("start-server").status() {
                Ok(status) => Ok((status.code().unwrap_or(-1), String::new())),
                Err(error) => Err(Fault::new(FaultCode::ProgramMissing, error.to_string())),
            }
        })
    }
}

#[test]
fn a_server_is_started_on_the_port_asked_for() {
    stock::programs().iter().for_each(|program| started(program));
}

fn started(program: &Path) {
    real::live(async {
        let port = free_port();
        let address = Address::Tcp("127.0.0.1".into(), port);
        let policy = StartPolicy { adb: Some("adb".into()), ..StartPolicy::default() };
        let started = ensure_server(&address, real::dial(), &StockSpawn(program, port), &policy).await;
        let again = ensure_server(&address, real::dial(), &StockSpawn(program, port), &policy).await;
        // The test's own server: farmjank itself never ends one.
        adb(program, port).arg("kill-server").status().unwrap();
        assert_eq!((started, again), (Ok(Started::Now), Ok(Started::Already)));
    });
}
