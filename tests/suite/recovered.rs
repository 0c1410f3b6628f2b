//! What is done for a phone that does not answer, through either stock adb server: it understands what we ask, and the
//! phone of the lab behind it goes and comes back. Skipped with a reason where one is missing, except in CI.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "starts the stock adb server")]

use farmjank_devices::{AdbProvider, Options};
use farmjank_lab::fault::{Kind, Remedy};
use farmjank_lab::lab::Lab;
use farmjank_lab::serve::{ServeOptions, serve};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use farmjank_seams::Work;
use farmjank_seams::device::Provider;
use farmjank_seams::host::{Address, Dial, Wire};
use farmjank_witnesses::ports::free_port;
use farmjank_witnesses::stock;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// Dials over TCP.
struct TcpDial;

impl Dial for TcpDial {
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>> {
        Box::pin(async move {
            let Address::Tcp(host, port) = to else { panic!("{to} is not reached over TCP") };
            match tokio::net::TcpStream::connect((host.as_str(), *port)).await {
                Ok(stream) => Ok(Box::new(stream) as Box<dyn Wire>),
                Err(error) => Err(Fault::new(FaultCode::Refused, format!("{to}: {error}")).passing()),
            }
        })
    }
}

/// A server of its own on a free port, ended with the test.
struct Server(Child, u16);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn adb(program: &Path, port: u16, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.env("ADB_MDNS", "0").env("ADB_USB", "0").env("ADB_EMU", "0");
    command.args(["-P", &port.to_string()]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Server {
    async fn start(program: &Path) -> Server {
        let port = free_port();
        let server = Server(adb(program, port, &["server", "nodaemon"]).spawn().expect("adb starts"), port);
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server;
            }
            sleep(Duration::from_millis(50)).await;
        }
        panic!("the stock adb server does not listen on {port}");
    }
}

#[test]
fn a_phone_behind_a_stock_server_is_connected_anew_and_booted_again() {
    for program in stock::programs() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        tokio::task::LocalSet::new().block_on(&runtime, recovered(&program));
    }
}

async fn recovered(program: &Path) {
    let server = Server::start(program).await;
    let lab = Lab::from_yaml("name: one\nphones:\n  - { archetype: pixel-8, serial: P8 }\n").unwrap();
    let lab = lab.build().unwrap();
    let daemons = ServeOptions { server: None, daemons: Some(([127, 0, 0, 1], 0).into()) };
    let served = serve(&lab, &daemons).await.unwrap();
    let address = served.daemons[0].1.to_string();
    let mut connect = adb(program, server.1, &["connect", &address]).spawn().expect("adb runs");
    let to = vec![Address::Tcp("127.0.0.1".into(), server.1)];
    let provider = AdbProvider::new(to, Rc::new(TcpDial), Options::default());
    let phone = DeviceId(address);
    works(&provider, &phone).await;
    let _ = connect.wait();
    lab.inject_until("P8", Kind::Wedge, Remedy::Reconnect);
    assert!(asked(&provider, &phone).await.is_err(), "it hangs");
    recovers(&provider, &phone, RecoveryStep::Reopen).await;
    // It understands the question, and forgets a phone of the network.
    let said = provider.recover(&phone, RecoveryStep::Reconnect).await.expect("it is understood");
    assert!(said.starts_with(&format!("reconnecting {phone}")), "{said}");
    recovers(&provider, &phone, RecoveryStep::Reopen).await;
    lab.inject_until("P8", Kind::Wedge, Remedy::Reboot);
    assert!(asked(&provider, &phone).await.is_err(), "it hangs");
    recovers(&provider, &phone, RecoveryStep::Reboot).await;
}

async fn recovers(provider: &AdbProvider, phone: &DeviceId, step: RecoveryStep) {
    let said = provider.recover(phone, step).await;
    assert!(said.is_ok(), "{step:?}: {said:?}");
    works(provider, phone).await;
}

/// What a phone answers that is asked its model.
async fn asked(provider: &AdbProvider, phone: &DeviceId) -> Result<String, Fault> {
    let device = provider.lease(phone).await?;
    Ok(device.shell("getprop ro.product.model", Duration::from_secs(3)).await?.text())
}

/// Waits until a phone answers.
async fn works(provider: &AdbProvider, phone: &DeviceId) {
    let mut last = None;
    for _ in 0..300 {
        match asked(provider, phone).await {
            Ok(model) => return assert_eq!(model.trim(), "Pixel 8"),
            Err(fault) => last = Some(fault),
        }
        sleep(Duration::from_millis(300)).await;
    }
    panic!("it does not answer: {last:?}");
}
