//! What phones are called whose serial several adb servers list: every emulator is `emulator-5554`.

use farmjank_results::device::DeviceId;
use std::collections::BTreeMap;

/// Names of phones, by the server each is on and its serial there. One without a name is called by its serial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneNames {
    called: BTreeMap<(String, String), DeviceId>,
}

impl PhoneNames {
    /// Of phones as `(server, serial, name)`, servers as in [`Sighting::server`](crate::device::Sighting::server).
    pub fn of(named: impl IntoIterator<Item = (String, String, String)>) -> Self {
        let one =
            |(server, serial, name): (String, String, String)| ((plain(&server), serial), DeviceId(name));
        PhoneNames { called: named.into_iter().map(one).collect() }
    }

    /// The same, and what another phone is called.
    #[must_use]
    pub fn and(mut self, (server, serial, name): (&str, &str, &DeviceId)) -> Self {
        self.called.insert((plain(server), serial.to_owned()), name.clone());
        self
    }

    /// What the phone of this serial on this server is called.
    pub fn name(&self, server: &str, serial: &DeviceId) -> DeviceId {
        self.called.get(&(plain(server), serial.0.clone())).unwrap_or(serial).clone()
    }

    /// The serial, on this server, of the phone that is called so.
    pub fn serial<'n>(&'n self, server: &str, phone: &'n DeviceId) -> &'n str {
        let server = plain(server);
        let own = self.called.iter().find(|((on, _), name)| *on == server && *name == phone);
        own.map_or(&phone.0, |((_, serial), _)| serial)
    }
}

/// A server by another name is the same server.
fn plain(server: &str) -> String {
    server.replace("localhost:", "127.0.0.1:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_one_server_and_leads_back_to_the_serial() {
        let serial = DeviceId("emulator-5554".to_owned());
        let names = PhoneNames::of([("localhost:5037".to_owned(), serial.0.clone(), "left".to_owned())]);
        let left = names.name("127.0.0.1:5037", &serial);
        assert_eq!(left.0, "left");
        assert_eq!(names.name("rack7:5037", &serial), serial);
        assert_eq!(names.serial("localhost:5037", &left), "emulator-5554");
        assert_eq!(names.serial("rack7:5037", &left), "left", "there it is nobody's name");
    }
}
