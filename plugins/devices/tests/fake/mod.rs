//! A scripted adb server over in-memory pipes. Its framing is its own on purpose: two witnesses, not one.

#![allow(clippy::disallowed_types, reason = "a list with one waiter: there is no order to keep")]
#![allow(dead_code, reason = "every test file uses its part")]

use farmjank_devices::{AdbProvider, Options};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::Work;
use farmjank_seams::device::{Device, Provider};
use farmjank_seams::host::{Address, Dial, Wire};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::watch;

/// What a pretend phone does after a shell was opened.
#[derive(Clone, Debug)]
pub enum Act {
    /// Raw bytes.
    Raw(Vec<u8>),
    /// A packet of standard output.
    Out(&'static str),
    /// A packet of standard error.
    Err(&'static str),
    /// The exit packet.
    Exit(u8),
    /// Waits.
    Sleep(Duration),
    /// Keeps the connection and says nothing more.
    Hang,
}

/// What a pretend phone does when a service is opened.
#[derive(Clone, Debug)]
pub enum Open {
    /// `OKAY`, then these acts, then the end of the stream.
    Okay(Vec<Act>),
    /// `OKAY` after a while, and exit status 0.
    Late(Duration),
    /// `FAIL` with this text.
    Fail(&'static str),
    /// No answer at all.
    Mute,
    /// The connection is closed.
    Close,
    /// These bytes instead of an answer.
    Bytes(&'static [u8]),
}

type Script = Rc<dyn Fn(&str, &str) -> Open>;

/// One scripted server.
pub struct Fake {
    pub listing: watch::Sender<Option<String>>,
    pub features: RefCell<&'static str>,
    pub script: RefCell<Script>,
    /// A phone with an entry here refuses the transport so.
    pub transports: RefCell<BTreeMap<String, Open>>,
    /// Requests in order, `SERIAL|service` for services of phones.
    pub log: RefCell<Vec<String>>,
    pub open: Cell<usize>,
    pub most: Cell<usize>,
    /// Shell connections the client closed before the phone was done.
    pub hung_up: Cell<usize>,
    /// Size of the pipe; small ones cut everything into pieces.
    pub pipe: Cell<usize>,
}

impl Fake {
    pub fn new(listing: &str) -> Rc<Fake> {
        Rc::new(Fake {
            listing: watch::Sender::new(Some(listing.to_owned())),
            features: RefCell::new("shell_v2,cmd,stat_v2"),
            script: RefCell::new(Rc::new(|_, _| Open::Okay(vec![Act::Exit(0)]))),
            transports: RefCell::default(),
            log: RefCell::default(),
            open: Cell::new(0),
            most: Cell::new(0),
            hung_up: Cell::new(0),
            pipe: Cell::new(1 << 20),
        })
    }

    pub fn on_shell(&self, script: impl Fn(&str, &str) -> Open + 'static) {
        *self.script.borrow_mut() = Rc::new(script);
    }

    pub fn logged(&self, wanted: &str) -> usize {
        self.log.borrow().iter().filter(|entry| entry.contains(wanted)).count()
    }

    async fn serve(self: Rc<Self>, mut wire: DuplexStream) -> std::io::Result<()> {
        let request = read_request(&mut wire).await?;
        self.log.borrow_mut().push(request.clone());
        if let Some(serial) = request.strip_prefix("host:transport:") {
            return self.transport(serial, wire).await;
        }
        match request.as_str() {
            "host:version" => wire.write_all(b"OKAY00040029").await,
            "host:devices-l" => {
                let listing = self.listing.borrow().clone().unwrap_or_default();
                answer(&mut wire, &listing).await
            }
            "host:track-devices-l" => self.track(wire).await,
            other if other.starts_with("host-serial:") && other.ends_with(":features") => {
                let features = *self.features.borrow();
                answer(&mut wire, features).await
            }
            _ => fail(&mut wire, "unknown host service").await,
        }
    }

    async fn track(&self, mut wire: DuplexStream) -> std::io::Result<()> {
        let mut listing = self.listing.subscribe();
        wire.write_all(b"OKAY").await?;
        loop {
            // `None` means that the server is killed.
            let Some(text) = listing.borrow_and_update().clone() else { return Ok(()) };
            wire.write_all(format!("{:04x}{text}", text.len()).as_bytes()).await?;
            if listing.changed().await.is_err() {
                return Ok(());
            }
        }
    }

    async fn transport(&self, serial: &str, mut wire: DuplexStream) -> std::io::Result<()> {
        let refusal = self.transports.borrow().get(serial).cloned();
        match refusal {
            Some(open) => return play(open, &mut wire, &self.hung_up).await,
            None => wire.write_all(b"OKAY").await?,
        }
        let service = read_request(&mut wire).await?;
        self.log.borrow_mut().push(format!("{serial}|{service}"));
        if service == "host:features" {
            let features = *self.features.borrow();
            return answer(&mut wire, features).await;
        }
        let script = Rc::clone(&self.script.borrow());
        let open = script(serial, &service);
        play(open, &mut wire, &self.hung_up).await
    }
}

async fn play(open: Open, wire: &mut DuplexStream, hung_up: &Cell<usize>) -> std::io::Result<()> {
    let acts = match open {
        Open::Late(pause) => {
            tokio::time::sleep(pause).await;
            wire.write_all(b"OKAY").await?;
            vec![Act::Exit(0)]
        }
        Open::Okay(acts) => {
            wire.write_all(b"OKAY").await?;
            acts
        }
        Open::Fail(text) => return fail(wire, text).await,
        Open::Mute => vec![Act::Hang],
        Open::Close => return Ok(()),
        Open::Bytes(bytes) => return wire.write_all(bytes).await,
    };
    let mut byte = [0; 1];
    for act in acts {
        match act {
            Act::Raw(bytes) => wire.write_all(&bytes).await?,
            Act::Out(text) => wire.write_all(&packet(1, text.as_bytes())).await?,
            Act::Err(text) => wire.write_all(&packet(2, text.as_bytes())).await?,
            Act::Exit(status) => wire.write_all(&packet(3, &[status])).await?,
            Act::Sleep(pause) => tokio::select! {
                biased;
                _ = wire.read(&mut byte) => { hung_up.set(hung_up.get() + 1); return Ok(()) }
                () = tokio::time::sleep(pause) => {}
            },
            Act::Hang => {
                let _ = wire.read(&mut byte).await;
                hung_up.set(hung_up.get() + 1);
                return Ok(());
            }
        }
    }
    Ok(())
}

pub fn packet(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

async fn read_request(wire: &mut DuplexStream) -> std::io::Result<String> {
    let mut digits = [0; 4];
    wire.read_exact(&mut digits).await?;
    let length = u16::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap();
    let mut text = vec![0; usize::from(length)];
    wire.read_exact(&mut text).await?;
    Ok(String::from_utf8(text).unwrap())
}

async fn answer(wire: &mut DuplexStream, text: &str) -> std::io::Result<()> {
    wire.write_all(format!("OKAY{:04x}{text}", text.len()).as_bytes()).await
}

async fn fail(wire: &mut DuplexStream, text: &str) -> std::io::Result<()> {
    wire.write_all(format!("FAIL{:04x}{text}", text.len()).as_bytes()).await
}

/// Dials scripted servers by number; a number without a server refuses.
#[derive(Clone, Default)]
pub struct FakeDial {
    pub servers: Rc<RefCell<BTreeMap<u16, Rc<Fake>>>>,
    pub dialled: Rc<RefCell<Vec<u16>>>,
}

impl Dial for FakeDial {
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>> {
        Box::pin(async move {
            let number = match to {
                Address::Lab(number) | Address::Tcp(_, number) => *number,
            };
            self.dialled.borrow_mut().push(number);
            let Some(fake) = self.servers.borrow().get(&number).cloned() else {
                return Err(Fault::new(FaultCode::Refused, format!("nobody listens at {to}")).passing());
            };
            let (ours, theirs) = tokio::io::duplex(fake.pipe.get());
            tokio::task::spawn_local(async move {
                fake.open.set(fake.open.get() + 1);
                fake.most.set(fake.most.get().max(fake.open.get()));
                let _ = Rc::clone(&fake).serve(theirs).await;
                fake.open.set(fake.open.get() - 1);
            });
            Ok(Box::new(ours) as Box<dyn Wire>)
        })
    }
}

impl FakeDial {
    pub fn with(fakes: &[&Rc<Fake>]) -> FakeDial {
        let dial = FakeDial::default();
        for (number, fake) in (0..).zip(fakes) {
            dial.servers.borrow_mut().insert(number, Rc::clone(fake));
        }
        dial
    }

    pub fn provider(&self, servers: u16, options: Options) -> AdbProvider {
        AdbProvider::new((0..servers).map(Address::Lab).collect(), Rc::new(self.clone()), options)
    }
}

/// Runs a test on the paused clock, with local tasks.
pub fn simulated<T>(test: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test)
}

/// A leased phone `A1` of a server with that one phone.
pub async fn phone(fake: &Rc<Fake>) -> (AdbProvider, Rc<dyn Device>) {
    let provider = FakeDial::with(&[fake]).provider(1, Options::default());
    let device = provider.lease(&id("A1")).await.unwrap();
    (provider, device)
}

pub fn id(serial: &str) -> DeviceId {
    DeviceId(serial.to_owned())
}

pub const A1: &str = "A1                     device usb:1-1 product:p model:M device:d transport_id:1\n";
pub const SECOND: Duration = Duration::from_secs(1);
