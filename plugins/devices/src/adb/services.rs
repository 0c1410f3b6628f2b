//! Host services of an adb server: version, listing, tracking, transport, features. One connection each.

use crate::adb::link::{Link, Server, after};
use crate::adb::listing::{Row, parse_devices_l};
use crate::adb::refusal::{LinkError, Subject};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use std::collections::BTreeSet;
use tokio::time::Instant;

/// What a phone's adb can do, as words such as `shell_v2`.
pub(crate) type Features = BTreeSet<String>;

impl Server {
    /// Whom questions to the server itself are about.
    pub(crate) fn subject(&self) -> Subject {
        Subject { phone: None, server: self.name.clone() }
    }

    /// Whom questions to a phone are about.
    pub(crate) fn subject_of(&self, phone: &DeviceId) -> Subject {
        Subject { phone: Some(phone.clone()), server: self.name.clone() }
    }

    /// Deadline for a question the server answers by itself.
    pub(crate) fn quick(&self) -> Instant {
        after(self.options.connect + self.options.reply * 2)
    }

    /// `host:version`: the server's protocol version, 41 since 2018.
    pub(crate) async fn version(&self) -> Result<u32, Fault> {
        let answer =
            self.ask("host:version", self.quick()).await.map_err(|error| self.subject().fault(error))?;
        let digits = String::from_utf8_lossy(&answer);
        u32::from_str_radix(digits.trim(), 16).map_err(|_| {
            let error =
                crate::adb::wire::WireError::Length(format!("{:?}", crate::adb::refusal::shown(&digits)));
            self.subject().fault(LinkError::Wire(error))
        })
    }

    /// `host:devices-l`: every phone the server has, in its order.
    pub(crate) async fn devices(&self) -> Result<Vec<Row>, Fault> {
        let answer =
            self.ask("host:devices-l", self.quick()).await.map_err(|error| self.subject().fault(error))?;
        Ok(self.named(parse_devices_l(&answer)))
    }

    /// Rows under the names their phones have here.
    fn named(&self, mut rows: Vec<Row>) -> Vec<Row> {
        rows.iter_mut().for_each(|row| row.id = self.options.names.name(&self.name, &row.id));
        rows
    }

    /// What this server calls a phone.
    pub(crate) fn serial<'p>(&'p self, phone: &'p DeviceId) -> &'p str {
        self.options.names.serial(&self.name, phone)
    }

    /// Features of a phone. Servers read a serial with colons only in the form `host:port` here, so other
    /// such serials are asked through a transport. Servers too old for the question mean: no features.
    pub(crate) async fn features(&self, phone: &DeviceId, deadline: Instant) -> Result<Features, Fault> {
        let serial = self.serial(phone);
        let answer = if plain_serial(serial) {
            self.ask(&format!("host-serial:{serial}:features"), deadline).await
        } else {
            self.ask_through_transport(phone, "host:features", deadline).await
        };
        match answer {
            Ok(text) => {
                let text = String::from_utf8_lossy(&text);
                Ok(text
                    .split(',')
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect())
            }
            Err(LinkError::Refused(text)) if text.contains("unknown host service") => Ok(Features::new()),
            Err(error) => Err(self.subject_of(phone).fault(error)),
        }
    }

    pub(crate) async fn ask(&self, request: &str, deadline: Instant) -> Result<Vec<u8>, LinkError> {
        let _place = self.place(deadline).await?;
        let mut link = self.connect(deadline).await?;
        link.request(request, "answering a question").await?;
        link.block("answering a question").await
    }

    pub(crate) async fn ask_through_transport(
        &self,
        phone: &DeviceId,
        request: &str,
        deadline: Instant,
    ) -> Result<Vec<u8>, LinkError> {
        let _place = self.place(deadline).await?;
        let mut link = self.connect(deadline).await?;
        link.request(&format!("host:transport:{}", self.serial(phone)), "reaching the phone").await?;
        link.request(request, "answering a question").await?;
        link.block("answering a question").await
    }

    /// Subscribes to the list of phones. The place is held only until the subscription stands.
    pub(crate) async fn track(&self) -> Result<Tracker<'_>, Fault> {
        let mut refused = None;
        for request in ["host:track-devices-l", "host:track-devices"] {
            match self.try_track(request).await {
                Ok(tracker) => return Ok(tracker),
                Err(LinkError::Refused(text)) => refused = Some(LinkError::Refused(text)),
                Err(error) => return Err(self.subject().fault(error)),
            }
        }
        Err(self.subject().fault(refused.unwrap_or(LinkError::Ended)))
    }

    async fn try_track(&self, request: &str) -> Result<Tracker<'_>, LinkError> {
        let deadline = self.quick();
        let _place = self.place(deadline).await?;
        let mut link = self.connect(deadline).await?;
        link.request(request, "subscribing").await?;
        Ok(Tracker { link, server: self, fresh: true })
    }
}

/// Serials `host-serial:` understands: without colon, or a host and a port.
pub(crate) fn plain_serial(serial: &str) -> bool {
    match serial.split_once(':') {
        None => true,
        Some((host, port)) => {
            !matches!(host, "usb" | "product" | "model" | "device" | "tcp" | "udp")
                && !port.is_empty()
                && port.bytes().all(|byte| byte.is_ascii_digit())
        }
    }
}

/// A live subscription to one server's list of phones.
pub(crate) struct Tracker<'s> {
    link: Link,
    server: &'s Server,
    fresh: bool,
}

impl Tracker<'_> {
    /// The next whole list. The first has a deadline, later ones come when something changes. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<Vec<Row>, Fault> {
        let block = if self.fresh {
            self.link.block("listing its phones").await
        } else {
            self.link.next_block().await
        };
        let block = block.map_err(|error| self.server.subject().fault(error))?;
        self.fresh = false;
        Ok(self.server.named(parse_devices_l(&block)))
    }
}

#[cfg(test)]
mod tests {
    use super::plain_serial;

    #[test]
    fn serials_with_odd_colons_go_through_a_transport() {
        for plain in ["emulator-5554", "10.0.0.7:5555", "with blank", "???"] {
            assert!(plain_serial(plain), "{plain}");
        }
        for odd in ["a:b", "a b:c", "usb:1", "[::1]:5555", "a:1:2", "a:"] {
            assert!(!plain_serial(odd), "{odd}");
        }
    }
}
