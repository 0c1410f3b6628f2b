//! An adb server over any byte stream: the host side that a runner talks to.
//!
//! Has its own framing on purpose — it shares no code with the client it is a witness against. Requests are four
//! hexadecimal digits of length and a text; answers are `OKAY` or `FAIL` with the texts of a real server (1.0.41).

mod connection;
mod listing;
pub(crate) mod service;
mod sync;

use crate::live_phone::{LivePhone, Presence};
use crate::remedy;
use farmjank_seams::watched::Watched;
use listing::device_list;
use service::Service;
use std::rc::Rc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Protocol version 1.0.41.
const VERSION: &str = "0029";

/// Longest request a server reads, bytes.
const REQUEST_MOST: usize = 64 * 1024;

/// What a device of this lab can do, as adb names it. Only what is built.
pub(crate) const FEATURES: &str = "shell_v2,stat_v2,ls_v2,fixed_push_mkdir";

/// One server of a running lab and the phones on it.
pub struct LiveServer {
    number: u16,
    phones: Vec<Rc<LivePhone>>,
    changed: Rc<Watched<u64>>,
    /// Up, and how often it was started: a restart ends every connection.
    up: Watched<(bool, u64)>,
}

impl LiveServer {
    pub(crate) fn new(number: u16, phones: Vec<Rc<LivePhone>>, changed: Rc<Watched<u64>>) -> Self {
        LiveServer { number, phones, changed, up: Watched::new((true, 0)) }
    }

    /// Its number in the lab.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Its phones.
    pub fn phones(&self) -> &[Rc<LivePhone>] {
        &self.phones
    }

    /// Whether it can be connected to.
    pub(crate) fn is_up(&self) -> bool {
        self.up.borrow().0
    }

    /// Starts or stops it. Either ends every connection.
    pub(crate) fn set_up(&self, up: bool) {
        self.up.change(|state| *state = (up, state.1 + 1));
    }

    /// Talks to one client until either side ends, or the server goes down.
    pub async fn serve<W: AsyncRead + AsyncWrite + Unpin>(self: Rc<Self>, mut wire: W) {
        let generation = self.up.borrow().1;
        tokio::select! {
            biased;
            () = self.up.until(|state| state.1 != generation) => {}
            _ = self.converse(&mut wire) => {}
        }
    }

    async fn converse<W: AsyncRead + AsyncWrite + Unpin>(&self, wire: &mut W) -> std::io::Result<()> {
        let mut phone: Option<Rc<LivePhone>> = None;
        loop {
            let Some(request) = read_request(wire).await? else { return Ok(()) };
            if request.starts_with("host") {
                match self.host(&request, phone.as_ref()) {
                    Reply::Chosen(chosen, id) => {
                        wire.write_all(b"OKAY").await?;
                        if let Some(id) = id {
                            wire.write_all(&id.to_le_bytes()).await?;
                        }
                        phone = Some(chosen);
                    }
                    Reply::Text(text) => return okay(wire, &text).await,
                    Reply::Track(long) => return self.track(wire, long).await,
                    Reply::Wait(serial, state) => return self.wait(wire, serial.as_deref(), &state).await,
                    Reply::Fail(why) => return fail(wire, &why).await,
                }
                continue;
            }
            let Some(phone) = &phone else { return fail(wire, "device offline (no transport)").await };
            return self.open(wire, phone, &request).await;
        }
    }

    /// Opens a service of a phone and hands the connection to it.
    async fn open<W: AsyncRead + AsyncWrite + Unpin>(
        &self,
        wire: &mut W,
        phone: &Rc<LivePhone>,
        request: &str,
    ) -> std::io::Result<()> {
        if let Err(why) = usable(phone) {
            return fail(wire, &why).await;
        }
        let cuts = phone.cable().cuts;
        let Some(service) = Service::parse(request) else { return fail(wire, "closed").await };
        let latency = phone.next_latency();
        tokio::select! {
            biased;
            () = phone.cut(cuts) => return fail(wire, "closed").await,
            () = tokio::time::sleep(latency / 2) => {}
        }
        wire.write_all(b"OKAY").await?;
        service.run(phone.clone(), cuts, latency / 2, &mut *wire).await;
        wire.shutdown().await
    }

    fn host(&self, request: &str, current: Option<&Rc<LivePhone>>) -> Reply {
        // `host-serial:SERIAL:verb`, `host-transport-id:N:verb`, `host-usb:verb`, `host-local:verb`, `host:verb`
        let (choice, verb) = if let Some(rest) = request.strip_prefix("host-serial:") {
            match self
                .phones
                .iter()
                .find(|p| rest.strip_prefix(p.serial()).is_some_and(|r| r.starts_with(':')))
            {
                Some(phone) => (Choice::Serial(phone.serial()), &rest[phone.serial().len() + 1..]),
                None => rest
                    .rsplit_once(':')
                    .map_or((Choice::Serial(rest), ""), |(s, verb)| (Choice::Serial(s), verb)),
            }
        } else if let Some(rest) = request.strip_prefix("host-transport-id:") {
            rest.split_once(':').map_or((Choice::Id(rest), ""), |(id, verb)| (Choice::Id(id), verb))
        } else {
            match request.split_once(':') {
                Some(("host" | "host-usb" | "host-local", verb)) => (Choice::Any, verb),
                _ => return Reply::Fail("unknown host service".into()),
            }
        };
        self.verb(&choice, verb, current)
    }

    fn verb(&self, choice: &Choice<'_>, verb: &str, current: Option<&Rc<LivePhone>>) -> Reply {
        let (name, rest) = verb.split_once(':').unwrap_or((verb, ""));
        match name {
            "version" => Reply::Text(VERSION.into()),
            "host-features" => Reply::Text(FEATURES.into()),
            "devices" => Reply::Text(device_list(&self.phones, false)),
            "devices-l" => Reply::Text(device_list(&self.phones, true)),
            "track-devices" => Reply::Track(false),
            "track-devices-l" => Reply::Track(true),
            "reconnect" => match self.find(choice) {
                Ok(phone) => {
                    let shown = listing::state(phone.cable().presence);
                    remedy::reconnect(phone);
                    Reply::Text(format!("reconnecting {} [{shown}]\n", phone.serial()))
                }
                Err(why) => Reply::Fail(why),
            },
            "reconnect-offline" => Reply::Text(self.reconnect_offline()),
            "connect" => Reply::Text(self.connect(rest)),
            "disconnect" => self.disconnect(rest),
            "kill" => Reply::Fail("this server belongs to a virtual lab and ends with it".into()),
            "transport" => self.choose(&Choice::Serial(rest), false),
            "transport-id" => self.choose(&Choice::Id(rest), false),
            "transport-any" | "transport-usb" | "transport-local" => self.choose(&Choice::Any, false),
            "tport" => match rest.split_once(':') {
                Some(("serial", serial)) => self.choose(&Choice::Serial(serial), true),
                _ => self.choose(&Choice::Any, true),
            },
            "features" => match current.map(Ok).unwrap_or_else(|| self.usable(choice)) {
                Ok(_) => Reply::Text(FEATURES.into()),
                Err(why) => Reply::Fail(why),
            },
            "get-state" | "get-serialno" | "get-devpath" => match self.find(choice) {
                Ok(phone) if name == "get-state" => {
                    Reply::Text(listing::state(phone.cable().presence).into())
                }
                Ok(phone) if name == "get-serialno" => Reply::Text(phone.serial().into()),
                Ok(phone) => Reply::Text(format!("usb:{}-{}", self.number + 1, phone.number())),
                Err(why) => Reply::Fail(why),
            },
            _ if name.starts_with("wait-for-") => {
                let serial =
                    if let Choice::Serial(serial) = choice { Some((*serial).to_owned()) } else { None };
                Reply::Wait(serial, name.rsplit('-').next().unwrap_or("device").to_owned())
            }
            _ => Reply::Fail("unknown host service".into()),
        }
    }

    /// Every phone that is listed and not usable is connected anew; says which.
    fn reconnect_offline(&self) -> String {
        let unusable =
            |phone: &&Rc<LivePhone>| !matches!(phone.cable().presence, Presence::Ready | Presence::Absent);
        let chosen: Vec<_> = self.phones.iter().filter(unusable).collect();
        chosen.iter().for_each(|phone| remedy::reconnect(phone));
        chosen.iter().map(|phone| format!("reconnecting {}\n", phone.serial())).collect()
    }

    /// Success and failure alike are told in words behind `OKAY`.
    fn connect(&self, address: &str) -> String {
        match self.phones.iter().find(|phone| phone.serial() == address) {
            Some(phone) if phone.cable().presence == Presence::Ready => {
                format!("already connected to {address}")
            }
            Some(phone) if remedy::connect(phone) => format!("connected to {address}"),
            _ => format!("failed to connect to '{address}': Connection refused"),
        }
    }

    fn disconnect(&self, address: &str) -> Reply {
        match self.phones.iter().find(|phone| phone.serial() == address) {
            Some(phone) if remedy::disconnect(phone) => Reply::Text(format!("disconnected {address}")),
            _ => Reply::Fail(format!("no such device '{address}'")),
        }
    }

    fn choose(&self, choice: &Choice<'_>, with_id: bool) -> Reply {
        match self.usable(choice) {
            Ok(phone) => Reply::Chosen(phone.clone(), with_id.then(|| phone.number())),
            Err(why) => Reply::Fail(why),
        }
    }

    fn usable(&self, choice: &Choice<'_>) -> Result<&Rc<LivePhone>, String> {
        let phone = self.find(choice)?;
        usable(phone)?;
        Ok(phone)
    }

    fn find(&self, choice: &Choice<'_>) -> Result<&Rc<LivePhone>, String> {
        let mut there = self.phones.iter().filter(|phone| phone.cable().presence != Presence::Absent);
        match choice {
            Choice::Serial(serial) => there
                .find(|phone| phone.serial() == *serial)
                .ok_or_else(|| format!("device '{serial}' not found")),
            Choice::Id(id) => there
                .find(|phone| id.parse() == Ok(phone.number()))
                .ok_or_else(|| format!("no device with transport id '{id}'")),
            Choice::Any => match (there.next(), there.next()) {
                (None, _) => Err("no devices/emulators found".into()),
                (Some(phone), None) => Ok(phone),
                _ => Err("more than one device/emulator".into()),
            },
        }
    }

    /// Sends the list now and after every change, until the client goes.
    async fn track<W: AsyncRead + AsyncWrite + Unpin>(
        &self,
        wire: &mut W,
        long: bool,
    ) -> std::io::Result<()> {
        wire.write_all(b"OKAY").await?;
        let mut last: Option<String> = None;
        let mut byte = [0];
        loop {
            let seen = *self.changed.borrow();
            let list = device_list(&self.phones, long);
            if last.as_ref() != Some(&list) {
                block(wire, &list).await?;
                last = Some(list);
            }
            tokio::select! {
                biased;
                read = wire.read(&mut byte) => if read? == 0 { return Ok(()) },
                () = self.changed.until(|changes| *changes != seen) => {}
            }
        }
    }

    /// `wait-for-device` and its kin: `OKAY`, then another `OKAY` when a phone is in the state.
    async fn wait<W: AsyncRead + AsyncWrite + Unpin>(
        &self,
        wire: &mut W,
        serial: Option<&str>,
        state: &str,
    ) -> std::io::Result<()> {
        wire.write_all(b"OKAY").await?;
        let fits = |phone: &Rc<LivePhone>| match state {
            "disconnect" => phone.cable().presence == Presence::Absent,
            "any" => phone.cable().presence != Presence::Absent,
            state => listing::state(phone.cable().presence) == state,
        };
        loop {
            let seen = *self.changed.borrow();
            if self.phones.iter().any(|phone| serial.is_none_or(|s| s == phone.serial()) && fits(phone)) {
                return wire.write_all(b"OKAY").await;
            }
            let mut byte = [0];
            tokio::select! {
                biased;
                read = wire.read(&mut byte) => if read? == 0 { return Ok(()) },
                () = self.changed.until(|changes| *changes != seen) => {}
            }
        }
    }
}

/// How a request picks its phone.
enum Choice<'a> {
    Any,
    Serial(&'a str),
    Id(&'a str),
}

enum Reply {
    /// A phone for the services that follow; with its transport id when that was asked for.
    Chosen(Rc<LivePhone>, Option<u64>),
    Text(String),
    Track(bool),
    Wait(Option<String>, String),
    Fail(String),
}

/// Whether services can be opened on a phone; else a real server's words.
fn usable(phone: &LivePhone) -> Result<(), String> {
    match phone.cable().presence {
        Presence::Ready => Ok(()),
        Presence::Offline => Err("device offline".into()),
        Presence::Unauthorized => Err("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that \
             seems wrong.\nOtherwise check for a confirmation dialog on your device."
            .into()),
        Presence::NoPermissions => Err("insufficient permissions for device: user in plugdev group; are your udev rules wrong?\n\
             See [http://developer.android.com/tools/device.html] for more information"
            .into()),
        // Its daemon lives, and has no Android behind it.
        Presence::Recovery => Err("closed".into()),
        Presence::Absent => Err(format!("device '{}' not found", phone.serial())),
    }
}

/// The next request; nothing when the client is gone.
async fn read_request<W: AsyncRead + AsyncWrite + Unpin>(wire: &mut W) -> std::io::Result<Option<String>> {
    let mut digits = [0; 4];
    match wire.read_exact(&mut digits).await {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    };
    let length = std::str::from_utf8(&digits).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
    let Some(length) = length.filter(|length| *length <= REQUEST_MOST) else {
        fail(wire, "malformed request").await?;
        return Ok(None);
    };
    let mut text = vec![0; length];
    wire.read_exact(&mut text).await?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

async fn block<W: AsyncWrite + Unpin>(wire: &mut W, text: &str) -> std::io::Result<()> {
    // Four digits hold no more; a list of a full server is a third of it.
    let text = &text.as_bytes()[..text.len().min(0xffff)];
    wire.write_all(format!("{:04x}", text.len()).as_bytes()).await?;
    wire.write_all(text).await
}

async fn okay<W: AsyncWrite + Unpin>(wire: &mut W, text: &str) -> std::io::Result<()> {
    wire.write_all(b"OKAY").await?;
    block(wire, text).await?;
    wire.shutdown().await
}

async fn fail<W: AsyncWrite + Unpin>(wire: &mut W, why: &str) -> std::io::Result<()> {
    wire.write_all(b"FAIL").await?;
    block(wire, why).await?;
    wire.shutdown().await
}
