//! Claims on phones, as locked files: the kernel frees one when its process ends, however that ends.
//!
//! One file for each phone and server, in a folder all users of this computer share. Its words say who has it; whether
//! anybody has it, only the lock says.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::{env, wall};
use farmjank_leaf::hash::Fnv;
use farmjank_leaf::text::name as shown;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_seams::claim::{Claim, Claimant, Claims, Unclaimed};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Names the folder of claims, where it is not the usual one.
const VARIABLE: &str = "FARMJANK_CLAIMS";
/// Where systems keep locks, when there is such a place.
const LOCKS: &str = "/run/lock";
/// Most bytes read of who has a phone.
const MOST: u64 = 64 << 10;
/// Who looks holds the lock for a moment: so often in a row it is tried before it counts as held.
const TRIES: usize = 5;

/// The claims of this computer.
pub struct HostClaims {
    folder: PathBuf,
}

impl HostClaims {
    /// Those all users of this computer share.
    pub fn of_host() -> Self {
        let usual = || match Path::new(LOCKS).is_dir() {
            true => PathBuf::from(LOCKS),
            false => std::env::temp_dir(),
        };
        HostClaims { folder: env(VARIABLE).map_or_else(|| usual().join("farmjank"), PathBuf::from) }
    }

    /// A server by another name is another server: phones of one computer are claimed by all its users alike.
    fn path(&self, server: &str, phone: &DeviceId) -> PathBuf {
        let server = server.replace("localhost:", "127.0.0.1:");
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        let shown: String = phone.0.chars().take(40).map(plain).collect();
        let hash = Fnv::seeded(0).part(server.as_bytes()).part(phone.0.as_bytes()).hex();
        self.folder.join(format!("{shown}-{hash}.claim"))
    }

    fn open(&self, path: &Path) -> std::io::Result<File> {
        // A link laid there by somebody else would name a file of ours.
        if fs::symlink_metadata(path).is_ok_and(|about| !about.is_file()) {
            return Err(std::io::Error::other("something that is no file is in the place of a claim"));
        }
        // Without creating first: in a shared folder the kernel lets nobody create over another user's file.
        match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        make_shared(&self.folder)?;
        shared(OpenOptions::new().read(true).write(true).create(true)).open(path)
    }
}

/// Makes the folder, for every user of this computer; only who made a file may take it away.
fn make_shared(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o1777))?;
    }
    Ok(())
}

fn shared(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o666);
    options
}

impl Claims for HostClaims {
    fn claim(&self, server: &str, phone: &DeviceFacts, who: &str) -> Result<Claim, Unclaimed> {
        let path = self.path(server, &phone.id);
        let unknown = |error: std::io::Error| Unclaimed::Unknown(format!("{}: {error}", shown(&path)));
        let mut file = self.open(&path).map_err(unknown)?;
        for tried in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if tried < TRIES => std::thread::yield_now(),
                Err(TryLockError::WouldBlock) => return Err(Unclaimed::Held(claimant(&mut file, &phone.id))),
                Err(TryLockError::Error(error)) => return Err(unknown(error)),
            }
        }
        let words = json!({ "who": who, "pid": std::process::id(), "since": wall(), "facts": phone });
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(format!("{words}\n").as_bytes()))
            .map_err(unknown)?;
        // Closing the file ends the claim.
        Ok(Claim(Box::new(file)))
    }

    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant> {
        let mut file = File::open(self.path(server, phone)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(claimant(&mut file, phone)),
            _ => None,
        }
    }
}

/// Who has a phone, by the words of its claim. They are another process's: bounded, and shown as any stranger's.
fn claimant(file: &mut File, phone: &DeviceId) -> Claimant {
    let mut text = String::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MOST).read_to_string(&mut text));
    let words: Value = read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default();
    let word = |key: &str| {
        let word = words[key].as_str().unwrap_or("?");
        farmjank_leaf::text::line(word, 100)
    };
    let pid = words["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).unwrap_or_default();
    let facts = serde_json::from_value::<DeviceFacts>(words["facts"].clone()).ok();
    let facts = facts.filter(|facts| facts.id == *phone).map(Box::new);
    Claimant { who: word("who"), pid, since: word("since"), facts }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(serial: &str) -> DeviceFacts {
        let facts =
            json!({ "id": serial, "model": "Pixel 8", "manufacturer": "Google", "sdk": 34, "release": "14" });
        let defaults =
            json!({ "fingerprint": "", "screen": null, "modes": [], "active_hz": null, "ram_mb": null });
        let more = json!({ "battery": null, "thermal_status": null, "animations": null, "keyguard": null, "awake": null });
        let last = json!({ "emulator": false, "is_virtual": true, "tags": [] });
        let mut all = serde_json::Map::new();
        for part in [facts, defaults, more, last] {
            all.extend(part.as_object().cloned().unwrap_or_default());
        }
        serde_json::from_value(Value::Object(all)).unwrap()
    }

    #[test]
    fn a_phone_is_claimed_once_until_the_claim_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let claims = HostClaims { folder: folder.path().join("claims") };
        let phone = DeviceId("R58M/../x".to_owned());
        assert_eq!(claims.claimant("127.0.0.1:5037", &phone), None);
        let facts = facts(&phone.0);
        let claim = claims.claim("127.0.0.1:5037", &facts, "one").ok().unwrap();
        let Err(Unclaimed::Held(by)) = claims.claim("localhost:5037", &facts, "two") else {
            panic!("claimed twice")
        };
        assert_eq!((by.who.as_str(), by.pid), ("one", std::process::id()));
        assert_eq!(by.facts.as_deref(), Some(&facts), "who waits asks nothing of the phone");
        assert_eq!(claims.claimant("127.0.0.1:5037", &phone), Some(by));
        // The same serial at another server is another phone.
        assert!(claims.claim("rack7:5037", &facts, "two").is_ok());
        drop(claim);
        assert_eq!(claims.claimant("127.0.0.1:5037", &phone), None);
        assert!(claims.claim("127.0.0.1:5037", &facts, "two").is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_claim_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let claims = HostClaims { folder: folder.path().to_owned() };
        let phone = DeviceId("R58M".to_owned());
        let precious = folder.path().join("precious");
        fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, claims.path("s", &phone)).unwrap();
        assert!(matches!(claims.claim("s", &facts(&phone.0), "one"), Err(Unclaimed::Unknown(_))));
        assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
    }
}
