//! Recording a trace around a trial: the shell lines that start and end it, and what they leave (nothing).
//!
//! The configuration goes in by a pipe inside the phone's shell: reading a configuration file is forbidden on some
//! builds, and adb's own input may close early. Android 12 can only be told to go to the background; from 13 on the
//! line waits until every data source has started. Durations in ms.
//!
//! A recorder whose end nobody asked for (a cable pulled, a run killed) goes on by itself. Its name and process are
//! noted on the phone while it runs; the next beginning ends what is noted, if it still is that recorder, and takes its
//! file away.

use farmjank_results::device::DeviceFacts;
use farmjank_seams::probe::Left;
use farmjank_seams::quote::quote;
use farmjank_seams::source::Unfit;

/// First release with a frame timeline.
const SDK: u32 = 31;
/// First release whose `perfetto` can wait for its data sources.
const WAITS: u32 = 33;
/// The one folder `perfetto` may write to.
const FOLDER: &str = "/data/misc/perfetto-traces";
/// Longest trace, so that none runs on for long where its end was never asked for and nobody comes back.
pub(crate) const LONGEST_MS: u32 = 10 * 60 * 1000;
/// Where the recorder that runs is noted: its name, then what it printed when it began.
const NOTED: &str = "/data/local/tmp/farmjank-recorder";
/// Most digits of a process number.
const DIGITS: usize = 10;

/// Records what `config` says, with no backslash in it, and tells its process. `more`: shell lines that print the rest
/// of what is to be recorded, without standard input.
pub(crate) fn begin(facts: &DeviceFacts, config: &str, more: Option<&str>, nonce: u64) -> String {
    let config = match more {
        None => format!("echo {}", quote(config)),
        Some(more) => format!("{{ echo {}; {more}; }}", quote(config)),
    };
    let path = quote(&path(nonce));
    let name = name(nonce);
    let (how, then) = if facts.sdk >= WAITS {
        ("--background-wait", "")
    } else {
        // Nothing tells when the data sources have started; on a slow phone it takes half a second.
        ("--background", "; sleep 1")
    };
    // The pipe's status is that of its last command.
    format!(
        "{}{{ echo {name}; {config} | perfetto -c - --txt {how} -o {path}; }} > {NOTED}; s=$?; \
         if [ $s = 0 ]; then cat {NOTED}{then}; else rm -f {NOTED}; fi; exit $s",
        sweep()
    )
}

/// Ends the recorder that told its process so, and waits for its file.
pub(crate) fn stop(mark: &[u8]) -> String {
    // Writing out takes as long as it takes, ten seconds at most; after that it is ended the hard way. By now the
    // number may be another process's: that is left alone.
    recorder(mark).map_or_else(String::new, |pid| {
        format!(
            "if [ ! -e /proc/{pid}/cmdline ] || grep -q perfetto /proc/{pid}/cmdline; then \
             kill -INT {pid} 2>/dev/null; n=0; \
             while kill -0 {pid} 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done; \
             [ $n -lt 100 ] || kill -KILL {pid} 2>/dev/null; fi; "
        )
    })
}

/// What a recorder leaves, and how it is taken away.
pub(crate) fn left(nonce: u64) -> Left {
    let path = path(nonce);
    let discard = format!("rm -f {} {NOTED}", quote(&path));
    Left { path, discard }
}

/// Why a phone records no frame timeline.
///
/// # Errors
/// [`Unfit`], in words.
pub(crate) fn offer(facts: &DeviceFacts) -> Result<(), Unfit> {
    if facts.sdk >= SDK {
        return Ok(());
    }
    let release = &facts.release;
    Err(Unfit(format!(
        "the phone has no frame timeline: it runs Android {release}, and Android 12 is the first with one"
    )))
}

/// Name of a recorder: no other process has it on its command line.
fn name(nonce: u64) -> String {
    format!("farmjank-{nonce:016x}")
}

/// Where the trace lies on the phone while it is recorded.
fn path(nonce: u64) -> String {
    format!("{FOLDER}/{}.perfetto-trace", name(nonce))
}

/// Ends the recorder that is noted, if the process of its number still is that one, and removes what it left. The note
/// is text of the phone: only names and numbers of ours are used of it.
fn sweep() -> String {
    format!(
        "if [ -e {NOTED} ]; then read -r f < {NOTED}; \
         case \"${{f#farmjank-}}\" in ''|*[!0-9a-f]*) f=none;; esac; \
         while read -r p; do case \"$p\" in ''|*[!0-9]*) ;; \
         *) case \"$(cat /proc/$p/cmdline 2>/dev/null)\" in *\"$f\"*) kill -KILL $p;; esac;; esac; done < {NOTED}; \
         rm -f {FOLDER}/$f.perfetto-trace {NOTED}; fi; "
    )
}

/// The process the beginning printed: the first line that is a number, as nothing else may become part of a shell line.
fn recorder(mark: &[u8]) -> Option<&str> {
    let lines = mark.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut numbers = lines.filter(|line| {
        !line.is_empty() && line.len() <= DIGITS && line.iter().all(u8::is_ascii_digit) && line[0] != b'0'
    });
    numbers.next().and_then(|line| std::str::from_utf8(line).ok())
}
