//! The text of `host:devices-l` and `host:track-devices-l`, read leniently. Pure.
//!
//! A line is the serial padded to 22 columns, the state, and `key:value` words. Serials may hold colons and spaces, the
//! state may be a sentence (`no permissions (…); see […]`); what is not known is kept as text, never an error.

use crate::adb::refusal::shown;
use farmjank_results::device::DeviceId;
use farmjank_seams::device::DeviceState;

/// Longest serial accepted, in bytes; real ones have at most some sixty.
const MAX_SERIAL: usize = 256;
/// How the state of a phone begins that this computer may not open.
const NO_PERMISSIONS: &str = "no permissions";

/// States adb prints as one word.
const WORDS: [&str; 14] = [
    "device",
    "offline",
    "unauthorized",
    "authorizing",
    "connecting",
    "recovery",
    "rescue",
    "sideload",
    "bootloader",
    "host",
    "detached",
    "unknown",
    "unavailable",
    "<unknown>",
];

/// One line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Serial.
    pub id: DeviceId,
    /// State.
    pub state: DeviceState,
    /// The server's number for this connection of the phone; another number is another connection.
    pub transport: Option<u64>,
}

/// Reads a whole listing. Lines without a serial or a state are left out.
pub fn parse_devices_l(listing: &[u8]) -> Vec<Row> {
    String::from_utf8_lossy(listing).lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let line = line.trim_end();
    let (serial, rest) = split_serial(line)?;
    if serial.is_empty() || serial.len() > MAX_SERIAL {
        return None;
    }
    let (state, words) = split_state(rest);
    let transport =
        words.split_whitespace().find_map(|word| word.strip_prefix("transport_id:")?.parse().ok());
    Some(Row { id: DeviceId(serial.to_owned()), state: read_state(state)?, transport })
}

/// Splits a line into serial and the rest. Candidates are all runs of blanks; the first that leaves a known state and
/// nothing but `key:value` words wins, so a serial may hold blanks and even the word `device`.
fn split_serial(line: &str) -> Option<(&str, &str)> {
    if let Some((serial, rest)) = line.split_once('\t') {
        return Some((serial.trim_end(), rest.trim_start()));
    }
    let cuts: Vec<(&str, &str)> = line
        .char_indices()
        .filter(|&(at, character)| character == ' ' && at > 0 && !line[..at].ends_with(' '))
        .map(|(at, _)| (&line[..at], line[at..].trim_start()))
        .collect();
    let exact = |rest: &str| {
        let (state, _) = split_state(rest);
        WORDS.contains(&state) || state.starts_with(NO_PERMISSIONS)
    };
    let loose = |rest: &str| rest.split(' ').next().is_some_and(|word| WORDS.contains(&word));
    cuts.iter()
        .find(|(_, rest)| exact(rest))
        .or_else(|| cuts.iter().find(|(_, rest)| loose(rest)))
        .copied()
        .or_else(|| at_column(line))
        .or_else(|| cuts.first().copied())
}

/// The padded form with a state nobody knows: the serial ends before column 22.
fn at_column(line: &str) -> Option<(&str, &str)> {
    let serial = line.get(..22)?;
    let rest = line.get(22..)?;
    let rest = rest.strip_prefix(' ')?;
    (serial.ends_with(' ') && !rest.starts_with(' ')).then(|| (serial.trim_end(), rest))
}

/// Splits the rest into the state and the `key:value` words at its end.
fn split_state(rest: &str) -> (&str, &str) {
    let mut end = rest.len();
    loop {
        let head = rest[..end].trim_end();
        let start = head.rfind(' ').map_or(0, |at| at + 1);
        let key = head[start..].split_once(':').map_or("", |(key, _)| key);
        let is_pair = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if start == 0 || !is_pair {
            return (head, rest[head.len()..].trim_start());
        }
        end = start;
    }
}

fn read_state(text: &str) -> Option<DeviceState> {
    Some(match text {
        "" => return None,
        "device" => DeviceState::Ready,
        "unauthorized" | "authorizing" => DeviceState::Unauthorized,
        "offline" => DeviceState::Offline,
        refused if refused.starts_with(NO_PERMISSIONS) => DeviceState::NoPermissions(shown(refused)),
        other => DeviceState::Other(shown(other)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> (String, DeviceState, Option<u64>) {
        let mut rows = parse_devices_l(line.as_bytes());
        assert_eq!(rows.len(), 1, "{line}");
        let row = rows.remove(0);
        (row.id.0, row.state, row.transport)
    }

    #[test]
    fn lines_of_real_servers() {
        let other = |text: &str| DeviceState::Other(text.into());
        let table = [
            (
                "emulator-5554          device product:sdk_gphone model:Pixel_7 device:generic transport_id:1",
                "emulator-5554",
                DeviceState::Ready,
                Some(1),
            ),
            ("R58M123ABCD\tdevice", "R58M123ABCD", DeviceState::Ready, None),
            (
                "192.168.1.20:5555      offline transport_id:12",
                "192.168.1.20:5555",
                DeviceState::Offline,
                Some(12),
            ),
            ("A1                     authorizing transport_id:3", "A1", DeviceState::Unauthorized, Some(3)),
            (
                "A1                     unauthorized usb:1-1.4 transport_id:3",
                "A1",
                DeviceState::Unauthorized,
                Some(3),
            ),
            (
                "????????????           no permissions (user in plugdev group; are your udev rules wrong?); \
                 see [http://developer.android.com/tools/device.html] usb:1-2 transport_id:9",
                "????????????",
                DeviceState::NoPermissions(
                    "no permissions (user in plugdev group; are your udev rules wrong?); \
                     see [http://developer.android.com/tools/device.html]"
                        .into(),
                ),
                Some(9),
            ),
            ("A2                     recovery usb:3-1", "A2", other("recovery"), None),
            ("A2                     fancy new state usb:3-1", "A2", other("fancy new state"), None),
            (
                "adb-R3C_long-serial-AbCd._adb-tls-connect._tcp device product:x transport_id:4",
                "adb-R3C_long-serial-AbCd._adb-tls-connect._tcp",
                DeviceState::Ready,
                Some(4),
            ),
            (
                "my device phone        device product:x transport_id:5",
                "my device phone",
                DeviceState::Ready,
                Some(5),
            ),
            ("a b:c                  device", "a b:c", DeviceState::Ready, None),
            ("012345678901234 device transport_id:7", "012345678901234", DeviceState::Ready, Some(7)),
        ];
        for (line, serial, state, transport) in table {
            assert_eq!(one(line), (serial.to_owned(), state, transport), "{line}");
        }
    }

    #[test]
    fn rubbish_gives_no_rows() {
        assert_eq!(parse_devices_l(b""), []);
        assert_eq!(parse_devices_l(b"\n  \n\tdevice\nlonely\n"), []);
        let long = format!("{} device", "s".repeat(300));
        assert_eq!(parse_devices_l(long.as_bytes()), []);
        assert_eq!(parse_devices_l(b"\xff\xfe device").len(), 1);
    }
}
