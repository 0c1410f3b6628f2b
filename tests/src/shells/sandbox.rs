//! A folder in which a real shell finds what the lab's phone had: its programs as stubs, its files, toybox.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs a real shell in a real folder")]

use super::Real;
use farmjank_lab::shell::TOOLBOX;
use farmjank_lab::transcript::{Call, Transcript};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where a phone keeps what a line may touch.
const PLACES: [&str; 5] = ["/proc/", "/sys/", "/data/", "/sdcard/", "/storage/"];
/// Where a phone lets its shell write.
const SCRATCH: &str = "/data/local/tmp/";
/// The clock in the sandbox: no number of the lab looks like it.
const UPTIME: &str = "4242424.42";
/// Longest a line may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the stubs run: it looks for an answer to exactly these arguments that was not given yet.
const STUB: &str = r#"#!/bin/sh
calls='@ROOT@/calls'
box='@TOYBOX@'
name=${0##*/}
if [ "$name" = kill ]; then
  case $1 in -0) set -- 0 "$2" ;; -INT | -2) set -- 2 "$2" ;; -KILL | -9) set -- 9 "$2" ;; -TERM | -15) set -- 15 "$2" ;; esac
fi
ask=$calls/asked.$$
for word in "$name" "$@"; do printf '%s\0' "$word"; done >"$ask"
for call in "$calls"/[0-9]*; do
  [ -e "$call/taken" ] && continue
  "$box" cmp -s "$ask" "$call/argv" || continue
  "$box" mkdir "$call/taken" 2>/dev/null || continue
  [ -e "$call/input" ] && "$box" cat >"$call/fed"
  if [ -e "$call/cut" ]; then kill -KILL 0; fi
  if [ -e "$call/stays" ]; then exit 0; fi
  "$box" cat "$call/out"
  "$box" cat "$call/err" >&2
  read -r status <"$call/status"
  exit "$status"
done
[ -e "$calls/open" ] && kill -KILL 0
echo "$name $*" >>"$calls/strange"
exit 99
"#;

/// What a real shell made of a line.
pub struct ShellRun {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status; none when it was killed.
    pub status: Option<i32>,
    /// Calls that are not those of the lab, in words.
    pub strange: Vec<String>,
    masks: Vec<String>,
    root: String,
}

impl ShellRun {
    /// Output without what may differ: clocks, and where the sandbox is.
    pub fn masked(&self, bytes: &[u8]) -> Vec<u8> {
        // A picture is no text: bytes stand for letters, one each.
        let mut text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        text = text.replace(&self.root, "");
        for mask in &self.masks {
            text = text.replace(mask.as_str(), "<clock>");
        }
        text.chars().map(|letter| letter as u8).collect()
    }
}

/// The folder, removed when dropped.
pub struct Sandbox<'a> {
    real: &'a Real,
    asked: &'a Transcript,
    root: PathBuf,
}

impl Drop for Sandbox<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl<'a> Sandbox<'a> {
    /// For one line.
    pub fn new(real: &'a Real, asked: &'a Transcript) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("farmjank-shell-{}-{number}", std::process::id()));
        let sandbox = Sandbox { real, asked, root };
        sandbox.furnish().expect("a folder for a real shell");
        sandbox
    }

    fn furnish(&self) -> std::io::Result<()> {
        let bin = self.root.join("bin");
        for folder in [&bin, &self.root.join("calls")] {
            fs::create_dir_all(folder)?;
        }
        for place in PLACES.into_iter().chain([SCRATCH]) {
            fs::create_dir_all(self.root.join(&place[1..]))?;
        }
        for name in TOOLBOX.iter().copied().filter(|name| *name != "sh").chain(["sleep", "printf"]) {
            symlink(&self.real.toybox, bin.join(name))?;
        }
        symlink(&self.real.mksh, bin.join("sh"))?;
        let stub = self.root.join("stub");
        let text = STUB.replace("@ROOT@", &self.root.to_string_lossy());
        fs::write(&stub, text.replace("@TOYBOX@", &self.real.toybox.to_string_lossy()))?;
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o755))?;
        let known = self.asked.calls.iter().filter(|call| call.known);
        let names: BTreeSet<&str> = known.map(|call| call.argv[0].as_str()).chain(["kill"]).collect();
        for name in names {
            symlink(&stub, bin.join(name))?;
        }
        for (number, call) in self.asked.calls.iter().filter(|call| call.known).enumerate() {
            self.furnish_call(number, call)?;
        }
        if self.asked.status.is_none() {
            fs::write(self.root.join("calls/open"), "")?;
        }
        // A file is what it was when it was first looked at.
        let mut files = BTreeMap::new();
        for (path, bytes) in &self.asked.files {
            files.entry(path).or_insert(bytes);
        }
        for (path, bytes) in files {
            let (true, Some(bytes)) = (PLACES.iter().any(|place| path.starts_with(place)), bytes) else {
                continue;
            };
            let at = self.root.join(&path[1..]);
            at.parent().map_or(Ok(()), fs::create_dir_all)?;
            let uptime = format!("{UPTIME} 9999999.99\n");
            fs::write(at, if path == "/proc/uptime" { uptime.as_bytes() } else { bytes.as_slice() })?;
        }
        Ok(())
    }

    fn furnish_call(&self, number: usize, call: &Call) -> std::io::Result<()> {
        let folder = self.root.join(format!("calls/{number:04}"));
        fs::create_dir(&folder)?;
        let argv: String = call.argv.iter().map(|word| self.moved(word) + "\0").collect();
        fs::write(folder.join("argv"), argv)?;
        if let Some(input) = &call.input {
            fs::write(folder.join("input"), input)?;
        }
        // What had not ended when the line had lives on in the background.
        let lives = if self.asked.status.is_some() { "stays" } else { "cut" };
        let Some(said) = &call.said else { return fs::write(folder.join(lives), "") };
        fs::write(folder.join("out"), &said.out)?;
        fs::write(folder.join("err"), &said.err)?;
        fs::write(folder.join("status"), format!("{}\n", said.status))
    }

    /// The same text with the phone's folders inside the sandbox.
    fn moved(&self, text: &str) -> String {
        let root = self.root.to_string_lossy();
        let mut moved = String::with_capacity(text.len());
        for (at, letter) in text.char_indices() {
            let before = text[..at].chars().next_back();
            let starts = before.is_none_or(|before| !before.is_alphanumeric() && !"/._-}".contains(before));
            if letter == '/' && starts && PLACES.iter().any(|place| text[at..].starts_with(place)) {
                moved.push_str(&root);
            }
            moved.push(letter);
        }
        moved
    }

    /// Runs the line.
    pub fn run(&self) -> ShellRun {
        let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let began = seconds();
        let (out, err) = (self.root.join("out"), self.root.join("err"));
        let file = |path: &Path| Stdio::from(fs::File::create(path).expect("a file for a real shell"));
        // Signals are for processes of the phone: nobody of this computer gets one.
        let line = format!(
            "kill() {{ command \"{}\" \"$@\"; }}; {}",
            self.root.join("bin/kill").display(),
            self.moved(&self.asked.line)
        );
        let mut shell = Command::new(&self.real.mksh);
        shell.arg("-c").arg(line).arg("/system/bin/sh").current_dir("/").process_group(0);
        shell.env_clear().env("PATH", self.root.join("bin")).env("HOME", "/").env("USER", "shell");
        shell.stdin(Stdio::null()).stdout(file(&out)).stderr(file(&err));
        let mut child = shell.spawn().expect("mksh starts");
        let until = Instant::now() + PATIENCE;
        let (status, late) = loop {
            match child.try_wait().expect("a child of ours") {
                Some(status) => break (status, false),
                None if Instant::now() >= until => {
                    let _ = child.kill();
                    break (child.wait().expect("a child of ours"), true);
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let read = |path: &Path| fs::read(path).unwrap_or_default();
        let mut strange = self.strange();
        if late {
            strange.push(format!("mksh did not end in {PATIENCE:?}"));
        }
        ShellRun {
            out: read(&out),
            err: read(&err),
            status: status.code().filter(|_| status.signal().is_none()),
            strange,
            masks: self.masks(began..=seconds()),
            root: self.root.to_string_lossy().into_owned(),
        }
    }

    /// Calls the lab did not see, and those only the lab saw.
    fn strange(&self) -> Vec<String> {
        let asked = fs::read(self.root.join("calls/strange")).unwrap_or_default();
        let asked = String::from_utf8_lossy(&asked);
        let mut strange: Vec<String> =
            asked.lines().map(|line| format!("only mksh calls `{line}`")).collect();
        for (number, call) in self.asked.calls.iter().filter(|call| call.known).enumerate() {
            let folder = self.root.join(format!("calls/{number:04}"));
            if self.asked.status.is_some() && !folder.join("taken").exists() {
                strange.push(format!("only the lab calls `{}`", call.argv.join(" ")));
            }
            let fed =
                call.input.as_ref().map(|input| (input, fs::read(folder.join("fed")).unwrap_or_default()));
            if let Some((input, fed)) =
                fed.filter(|(input, fed)| *input != fed && folder.join("taken").exists())
            {
                let text = String::from_utf8_lossy;
                strange.push(format!(
                    "`{}` was fed {:?} here, {:?} in the lab",
                    call.argv[0],
                    text(&fed),
                    text(input)
                ));
            }
        }
        strange
    }

    /// What clocks said in the lab and say here.
    fn masks(&self, here: std::ops::RangeInclusive<u64>) -> Vec<String> {
        let uptimes = self.asked.files.iter().filter(|(path, _)| path == "/proc/uptime");
        let uptimes = uptimes.filter_map(|(_, bytes)| {
            let text = String::from_utf8_lossy(bytes.as_ref()?).into_owned();
            text.split_whitespace().next().map(str::to_owned)
        });
        let wall = self.asked.clock.iter().map(|ns| (ns / 1_000_000_000).to_string());
        let mut masks: BTreeSet<String> = uptimes.chain(wall).collect();
        masks.extend(here.map(|second| second.to_string()));
        masks.insert(UPTIME.to_owned());
        masks.into_iter().collect()
    }
}
