//! Laws of the pure parts: any bytes in any chunking, no panic, the same answer.

use farmjank_devices::adb::lines::{Lines, find_mark};
use farmjank_devices::adb::packets::{Packets, Piece};
use farmjank_devices::adb::parse_devices_l;
use farmjank_devices::adb::roster::Roster;
use farmjank_devices::adb::servers_from_env;
use farmjank_devices::adb::wire::{Inbox, Status, WireError, encode_request};
use farmjank_results::device::DeviceId;
use farmjank_seams::device::{Arrival, DeviceState};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that are half protocol, half rubbish: pure noise rarely gets past a header.
fn wireish() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"OKAY".to_vec()),
        Just(b"FAIL".to_vec()),
        (0u16..40).prop_map(|length| format!("{length:04x}").into_bytes()),
        proptest::collection::vec(any::<u8>(), 0..20),
        (0u8..5, proptest::collection::vec(any::<u8>(), 0..30)).prop_map(|(kind, payload)| {
            let mut bytes = vec![kind];
            bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&payload);
            bytes
        }),
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

fn chunks(bytes: &[u8], sizes: &[usize]) -> Vec<Vec<u8>> {
    let (mut rest, mut out, mut at) = (bytes, vec![], 0);
    while !rest.is_empty() {
        let size = sizes.get(at % sizes.len().max(1)).copied().unwrap_or(1).clamp(1, rest.len());
        out.push(rest[..size].to_vec());
        rest = &rest[size..];
        at += 1;
    }
    out
}

/// Standard output, standard error, exit status, error: what a decoder understood, packet borders forgotten.
type Understood = (Vec<u8>, Vec<u8>, Option<u8>, Option<WireError>);

fn decode(pieces_of: &[Vec<u8>]) -> Understood {
    let (mut decoder, mut pieces, mut error) = (Packets::default(), vec![], None);
    for chunk in pieces_of {
        if let Err(wrong) = decoder.feed(chunk, &mut pieces) {
            error = Some(wrong);
            break;
        }
    }
    let (mut out, mut err, mut exit) = (vec![], vec![], None);
    for piece in pieces {
        match piece {
            Piece::Out(bytes) => out.extend(bytes),
            Piece::Err(bytes) => err.extend(bytes),
            Piece::Exit(status) => exit = Some(status),
        }
    }
    assert_eq!(exit.is_some(), decoder.ended());
    (out, err, exit, error)
}

proptest! {
    #[test]
    fn packets_mean_the_same_in_any_chunking(bytes in wireish(), sizes in proptest::collection::vec(1usize..9, 1..5)) {
        prop_assert_eq!(decode(&chunks(&bytes, &sizes)), decode(&[bytes]));
    }

    #[test]
    fn packets_say_what_was_packed(parts in proptest::collection::vec((any::<bool>(), proptest::collection::vec(any::<u8>(), 0..50)), 0..10), status: u8, cut in 0usize..5) {
        let (mut bytes, mut out, mut err) = (vec![], vec![], vec![]);
        for (to_out, payload) in &parts {
            bytes.push(if *to_out { 1 } else { 2 });
            bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
            bytes.extend_from_slice(payload);
            if *to_out { out.extend(payload) } else { err.extend(payload) }
        }
        bytes.extend_from_slice(&[3, 1, 0, 0, 0, status]);
        prop_assert_eq!(decode(&chunks(&bytes, &[cut + 1])), (out, err, Some(status), None));
        // Whatever is missing at the end, an exit status is never made up.
        let truncated = &bytes[..bytes.len() - 1 - cut];
        prop_assert_eq!(decode(&[truncated.to_vec()]).2, None);
    }

    #[test]
    fn answers_mean_the_same_in_any_chunking(bytes in wireish(), sizes in proptest::collection::vec(1usize..9, 1..5)) {
        let read = |chunks: Vec<Vec<u8>>| {
            let (mut inbox, mut answers): (Inbox, Vec<Result<Status, WireError>>) = Default::default();
            for chunk in chunks {
                inbox.push(&chunk);
                loop {
                    match inbox.take_status() {
                        Ok(Some(status)) => answers.push(Ok(status)),
                        Ok(None) => break,
                        Err(error) => { answers.push(Err(error)); return (answers, 0) }
                    }
                }
            }
            (answers, inbox.len())
        };
        prop_assert_eq!(read(chunks(&bytes, &sizes)), read(vec![bytes]));
    }

    #[test]
    fn requests_and_blocks_are_mirrors(text in ".{0,300}", more in proptest::collection::vec(any::<u8>(), 0..20)) {
        let mut inbox = Inbox::default();
        inbox.push(&encode_request(&text).unwrap());
        inbox.push(&more);
        prop_assert_eq!(inbox.take_block().unwrap().unwrap(), text.into_bytes());
        prop_assert_eq!(inbox.take_all(), more);
    }

    #[test]
    fn lines_are_those_of_the_whole(text in "[ab\r\n]{0,60}", sizes in proptest::collection::vec(1usize..7, 1..4)) {
        let mut lines = Lines::new(1000);
        let mut whole = vec![];
        for chunk in chunks(text.as_bytes(), &sizes) {
            lines.feed(&chunk, &mut whole).unwrap();
        }
        let whole = String::from_utf8(whole).unwrap();
        let mut seen: Vec<String> = whole.split_terminator('\n').map(str::to_owned).collect();
        seen.extend(lines.finish().map(|line| String::from_utf8(line).unwrap()));
        let mut wanted: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        if wanted.last() == Some(&"") {
            wanted.pop();
        }
        prop_assert_eq!(seen, wanted);
    }

    #[test]
    fn marks_carry_their_status(head in "[a-z0-9:]{0,20}", status in 0i32..256) {
        let line = format!("{head}MARK:{status}");
        prop_assert_eq!(find_mark(line.as_bytes(), "MARK:"), Some((head.len(), status)));
    }

    #[test]
    fn no_listing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for row in parse_devices_l(&bytes) {
            prop_assert!(!row.id.0.is_empty() && row.id.0.len() <= 1024);
        }
    }

    #[test]
    fn listed_phones_are_read_back(serial in "[A-Za-z0-9._:?-]{1,40}", state in 0usize..6, transport: Option<u32>) {
        let words = ["device", "offline", "unauthorized", "recovery", "no permissions (a: b); see [http://x]", "odd"];
        let id = transport.map_or(String::new(), |id| format!(" product:p model:M transport_id:{id}"));
        let rows = parse_devices_l(format!("{serial:<22} {}{id}\n", words[state]).as_bytes());
        prop_assert_eq!(rows.len(), 1);
        prop_assert_eq!(&rows[0].id.0, &serial);
        prop_assert_eq!(rows[0].transport, transport.map(u64::from));
        let wanted = match state {
            0 => DeviceState::Ready,
            1 => DeviceState::Offline,
            2 => DeviceState::Unauthorized,
            4 => DeviceState::NoPermissions(words[state].into()),
            _ => DeviceState::Other(words[state].into()),
        };
        prop_assert_eq!(&rows[0].state, &wanted);
    }

    #[test]
    fn arrivals_add_up_to_the_list(lists in proptest::collection::vec((0usize..2, proptest::collection::btree_map(0u8..6, any::<bool>(), 0..6)), 1..12)) {
        let mut roster = Roster::new(["one".to_owned(), "two".to_owned()], 4);
        let mut known = BTreeMap::new();
        let mut settled = 0;
        let mut last = [BTreeMap::new(), BTreeMap::new()];
        for (server, phones) in lists {
            let rows = phones.iter().map(|(n, ready)| format!("P{n} {}\n", if *ready { "device" } else { "offline" }));
            roster.listed(server, parse_devices_l(rows.collect::<String>().as_bytes()));
            last[server] = phones;
            for arrival in roster.arrivals(&BTreeSet::new()) {
                match arrival {
                    Arrival::Seen(sighting) => { known.insert(sighting.id.clone(), sighting); }
                    Arrival::Gone { id, .. } => prop_assert!(known.remove(&id).is_some(), "gone without having been"),
                    Arrival::ServerLost { .. } | Arrival::ServerBack { .. } => prop_assert!(false, "none was lost"),
                    Arrival::Settled => settled += 1,
                }
            }
            let listed: BTreeSet<DeviceId> =
                last.iter().flat_map(|part| part.keys()).map(|n| DeviceId(format!("P{n}"))).collect();
            prop_assert_eq!(known.keys().cloned().collect::<BTreeSet<_>>(), listed);
            for server in ["one", "two"] {
                let ready = known.values().filter(|s| s.server == server && s.state == DeviceState::Ready).count();
                prop_assert!(ready <= 4);
            }
        }
        prop_assert!(settled <= 1);
    }

    #[test]
    fn no_environment_panics(socket: Option<String>, address: Option<String>, port: Option<String>) {
        let _ = servers_from_env(socket.as_deref(), address.as_deref(), port.as_deref());
    }
}
