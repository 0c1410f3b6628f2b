//! Claims on phones, as locked files: the kernel frees one when its process ends, however that ends.
//!
//! One file for each phone and server, in a folder all users of this computer share. Its words say who has it; whether
//! anybody has it, only the lock says.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::claim_file::open_shared;
use super::phone_log::HostPhoneLog;
use super::system::{FileLock, is_taken};
use super::{chance, env, wall};
use farmjank_leaf::hash::Fnv;
use farmjank_leaf::text::name as shown;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_seams::claim::{Claim, Claimant, Claimer, Claims, PhoneLog, PhoneNote, Priority, Unclaimed};
use farmjank_seams::names::PhoneNames;
use serde_json::{Value, json};
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Names the folder of claims, where it is not the usual one.
const VARIABLE: &str = "FARMJANK_CLAIMS";
/// Where systems keep locks, when there is such a place.
const LOCKS: &str = "/run/lock";
/// Most bytes read of who has a phone.
const MOST: u64 = 64 << 10;
/// Who looks holds the lock for a moment: so often in a row it is tried before it counts as held.
const TRIES: usize = 5;

/// Where systems keep what outlives a reboot though nobody owns it: a phone that was changed is still changed then, and
/// a day is not over.
const LASTING: &str = "/var/tmp";

/// The claims of this computer.
pub struct HostClaims {
    folder: PathBuf,
    /// Where what was done to phones is noted.
    notes: PathBuf,
    /// What phones are called in this run; another may call them otherwise.
    called: PhoneNames,
}

impl HostClaims {
    /// Those all users of this computer share.
    pub fn of_host(called: PhoneNames) -> Self {
        if let Some(named) = env(VARIABLE) {
            return HostClaims { called, ..HostClaims::within(PathBuf::from(named)) };
        }
        let usual = |place: &str| match Path::new(place).is_dir() {
            true => PathBuf::from(place).join("farmjank"),
            false => std::env::temp_dir().join("farmjank"),
        };
        HostClaims { folder: usual(LOCKS), notes: usual(LASTING), called }
    }

    fn within(folder: PathBuf) -> Self {
        HostClaims { notes: folder.clone(), folder, called: PhoneNames::default() }
    }

    /// A server by another name is another server: phones of one computer are claimed by all its users alike.
    fn name(&self, server: &str, phone: &DeviceId) -> String {
        let serial = self.called.serial(server, phone);
        let server = server.replace("localhost:", "127.0.0.1:");
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        let shown: String = serial.chars().take(40).map(plain).collect();
        let hash = Fnv::seeded(0).part(server.as_bytes()).part(serial.as_bytes()).hex();
        format!("{shown}-{hash}")
    }

    fn path(&self, server: &str, phone: &DeviceId) -> PathBuf {
        self.folder.join(format!("{}.claim", self.name(server, phone)))
    }
}

/// Ends the names of files of those who wait.
const WAITS: &str = ".wait";

/// Somebody waits, as long as this lives.
struct Waiting {
    _lock: FileLock,
    path: PathBuf,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Where it cannot be taken away, the lock that goes with it says that nobody waits.
        drop(fs::remove_file(&self.path));
    }
}

/// Who is known to have had a phone before, at most.
const REMEMBERED: usize = 20;

/// Writes who holds a file, and what that one knows of the phone; and who held it before.
fn sign(
    file: &mut File,
    by: &Claimer,
    facts: Option<&DeviceFacts>,
    before: &[String],
) -> std::io::Result<()> {
    let (who, priority) = (&by.who, by.priority.word());
    let mut words = json!({ "who": who, "priority": priority, "pid": std::process::id(), "since": wall(), "facts": facts });
    if !by.team.is_empty() {
        words["team"] = json!(by.team);
    }
    if !before.is_empty() {
        words["before"] = json!(before);
    }
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{words}\n").as_bytes())
}

impl Claims for HostClaims {
    fn claim(&self, server: &str, phone: &DeviceFacts, by: &Claimer) -> Result<Claim, Unclaimed> {
        let path = self.path(server, &phone.id);
        let unknown = |error: std::io::Error| Unclaimed::Unknown(format!("{}: {error}", shown(&path)));
        let mut file = open_shared(&path).map_err(unknown)?;
        let mut tried = 1;
        let lock = loop {
            match FileLock::taken(&path, &file) {
                Ok(lock) => break lock,
                Err(TryLockError::WouldBlock) if tried < TRIES => std::thread::yield_now(),
                Err(TryLockError::WouldBlock) => return Err(Unclaimed::Held(claimant(&mut file, &phone.id))),
                Err(TryLockError::Error(error)) => return Err(unknown(error)),
            }
            tried += 1;
        };
        let earlier = words(&mut file);
        let last = earlier["who"].as_str().map(|who| farmjank_leaf::text::line(who, 100));
        let earlier = names(&earlier).into_iter().filter(|who| Some(who) != last.as_ref());
        let known: Vec<String> = last.clone().into_iter().chain(earlier).take(REMEMBERED).collect();
        sign(&mut file, by, Some(phone), &known).map_err(unknown)?;
        // Letting go of the lock ends the claim.
        Ok(Claim(Box::new(lock)))
    }

    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant> {
        let path = self.path(server, phone);
        let mut file = File::open(&path).ok()?;
        is_taken(&path, &file).then(|| claimant(&mut file, phone))
    }

    fn before(&self, server: &str, phone: &DeviceId) -> Vec<String> {
        let file = File::open(self.path(server, phone));
        file.map(|mut file| names(&words(&mut file))).unwrap_or_default()
    }

    fn wait(&self, server: &str, phone: &DeviceId, by: &Claimer) -> Option<Claim> {
        let name = format!("{}.{:016x}{WAITS}", self.name(server, phone), chance());
        let path = self.folder.join(name);
        let mut file = open_shared(&path).ok()?;
        let lock = FileLock::taken(&path, &file).ok()?;
        sign(&mut file, by, None, &[]).ok()?;
        Some(Claim(Box::new(Waiting { _lock: lock, path })))
    }

    fn waiting(&self, server: &str, phone: &DeviceId) -> Vec<Claimant> {
        let name = self.name(server, phone) + ".";
        let Ok(files) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut waiting = Vec::new();
        for path in files.flatten().map(|file| file.path()) {
            let own = path.file_name().and_then(|file| file.to_str());
            if !own.is_some_and(|own| own.starts_with(&name) && own.ends_with(WAITS)) {
                continue;
            }
            let Ok(mut file) = File::open(&path) else { continue };
            match is_taken(&path, &file) {
                true => waiting.push(claimant(&mut file, phone)),
                // Its process is gone. Of another user it may not be taken away, and stays without meaning anything.
                false => drop(fs::remove_file(&path)),
            }
        }
        let order = |one: &Claimant, other: &Claimant| {
            let by_time = (&one.since, &one.who).cmp(&(&other.since, &other.who));
            other.priority.cmp(&one.priority).then(by_time)
        };
        waiting.sort_by(order);
        waiting
    }

    fn log(&self, server: &str, phone: &DeviceId, of: PhoneNote) -> Rc<dyn PhoneLog> {
        let ending = match of {
            PhoneNote::Changes => "undo",
            PhoneNote::Reboots => "reboots",
        };
        Rc::new(HostPhoneLog { path: self.notes.join(format!("{}.{ending}", self.name(server, phone))) })
    }
}

/// The words of a claim; nothing where they are none.
fn words(file: &mut File) -> Value {
    let mut text = String::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MOST).read_to_string(&mut text));
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Who had the phone before, by the words of its claim.
fn names(words: &Value) -> Vec<String> {
    let names = words["before"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names.take(REMEMBERED).map(|name| farmjank_leaf::text::line(name, 100)).collect()
}

/// Who has a phone, by the words of its claim. They are another process's: bounded, and shown as any stranger's.
fn claimant(file: &mut File, phone: &DeviceId) -> Claimant {
    let words = words(file);
    let word = |key: &str| {
        let word = words[key].as_str().unwrap_or("?");
        farmjank_leaf::text::line(word, 100)
    };
    let pid = words["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).unwrap_or_default();
    let facts = serde_json::from_value::<DeviceFacts>(words["facts"].clone()).ok();
    let facts = facts.filter(|facts| facts.id == *phone).map(Box::new);
    let priority = words["priority"].as_str().and_then(Priority::named).unwrap_or_default();
    let team = words["team"].as_str().map(|team| farmjank_leaf::text::line(team, 60)).unwrap_or_default();
    Claimant { who: word("who"), pid, since: word("since"), priority, team, facts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn by(who: &str) -> Claimer {
        Claimer { who: who.to_owned(), ..Claimer::default() }
    }

    #[test]
    fn who_waits_is_known_to_others_until_it_waits_no_more_the_most_urgent_first() {
        let folder = tempfile::tempdir().unwrap();
        let claims = HostClaims::within(folder.path().join("claims"));
        let phone = DeviceId("R58M".to_owned());
        assert_eq!(claims.waiting("s", &phone), []);
        let _branch = claims.wait("s", &phone, &by("a branch")).unwrap();
        let gate = Claimer { priority: Priority::Gate, ..by("a gate") };
        let gate = claims.wait("s", &phone, &gate).unwrap();
        let names = || claims.waiting("s", &phone).into_iter().map(|by| by.who).collect::<Vec<_>>();
        assert_eq!(names(), ["a gate", "a branch"]);
        assert_eq!(claims.waiting("s", &DeviceId("R58".to_owned())), [], "another phone's name begins alike");
        assert_eq!(claims.waiting("s", &phone)[0].to_string().split(", ").last(), Some("gate"));
        drop(gate);
        assert_eq!(names(), ["a branch"]);
        // Of a process that was killed the file stays, and its lock does not.
        fs::write(folder.path().join("claims").join(claims.name("s", &phone) + ".00.wait"), "{}").unwrap();
        assert_eq!(names(), ["a branch"]);
        assert_eq!(fs::read_dir(folder.path().join("claims")).unwrap().count(), 1);
    }

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
        let claims = HostClaims::within(folder.path().join("claims"));
        let phone = DeviceId("R58M/../x".to_owned());
        assert_eq!(claims.claimant("127.0.0.1:5037", &phone), None);
        let facts = facts(&phone.0);
        let claim = claims.claim("127.0.0.1:5037", &facts, &by("one")).ok().unwrap();
        let Err(Unclaimed::Held(holder)) = claims.claim("localhost:5037", &facts, &by("two")) else {
            panic!("claimed twice")
        };
        assert_eq!((holder.who.as_str(), holder.pid), ("one", std::process::id()));
        assert_eq!(holder.facts.as_deref(), Some(&facts), "who waits asks nothing of the phone");
        assert_eq!(claims.claimant("127.0.0.1:5037", &phone), Some(holder));
        let again = |who: &str| drop(claims.claim("127.0.0.1:5037", &facts, &by(who)).ok());
        assert_eq!(claims.before("127.0.0.1:5037", &phone), [] as [&str; 0], "one has it, nobody had it");
        // The same serial at another server is another phone.
        assert!(claims.claim("rack7:5037", &facts, &by("two")).is_ok());
        drop(claim);
        assert_eq!(claims.claimant("127.0.0.1:5037", &phone), None);
        assert!(claims.claim("127.0.0.1:5037", &facts, &by("two")).is_ok());
        again("one");
        again("three");
        assert_eq!(claims.before("127.0.0.1:5037", &phone), ["one", "two"], "each once, the last first");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_claim_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let claims = HostClaims::within(folder.path().to_owned());
        let phone = DeviceId("R58M".to_owned());
        let precious = folder.path().join("precious");
        fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, claims.path("s", &phone)).unwrap();
        assert!(matches!(claims.claim("s", &facts(&phone.0), &by("one")), Err(Unclaimed::Unknown(_))));
        assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
    }
}
