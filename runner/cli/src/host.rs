//! The only place that touches sockets, files, processes, signals and the wall clock.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "this file is the outside world")]

pub mod agent_state;
mod bundle;
mod claim_file;
pub mod claims;
mod durable;
mod output;
mod packed;
mod phone_log;
mod plugin;
mod poured;
mod reading;
mod secrets;
pub mod signals;
mod spilled;
mod system;

pub use bundle::Bundle;
pub use farmjank_bundle::reading::{read_file, read_from, size_below};
pub use output::{append_file, let_run, make_way, write_file};
pub use plugin::PluginProcess;
pub use poured::pour;
pub use reading::{home_of, is_below, is_handed, read_pieces, whole_path, yaml_files};
pub use secrets::{for_owner, has_secrets, keep_secret, others_may_read, write_secret};
pub use spilled::Spilled;
pub use system::{EndRequests, command_line, take_small_pages};

use farmjank_engine::scribe::Voice;
use farmjank_lab_shards::{Join, ThreadWork};
use farmjank_leaf::mask::Mask;
use farmjank_leaf::text::printed;
use farmjank_reporters::github::uncommanded;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::verdict::Verdict;
use farmjank_seams::Work;
use farmjank_seams::host::{Address, Dial, Spawn, Wire};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// Real sockets.
pub struct TcpDial;

impl Dial for TcpDial {
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>> {
        Box::pin(async move {
            let Address::Tcp(host, port) = to else {
                return Err(Fault::new(FaultCode::NoLab, format!("{to} is no network address")));
            };
            let stream = tokio::net::TcpStream::connect((host.as_str(), *port)).await.map_err(|error| {
                Fault::new(FaultCode::Refused, format!("{to} cannot be reached: {error}")).passing()
            })?;
            // Requests are small and each waits for its answer: delaying them only adds latency.
            let _ = stream.set_nodelay(true);
            Ok(Box::new(stream) as Box<dyn Wire>)
        })
    }
}

/// Real programs.
pub struct Programs;

impl Spawn for Programs {
    fn run<'a>(
        &'a self,
        program: &'a str,
        args: &'a [&'a str],
        patience: Duration,
    ) -> Work<'a, (i32, String)> {
        Box::pin(async move {
            let mut command = tokio::process::Command::new(program);
            command.args(args).kill_on_drop(true).stdin(std::process::Stdio::null());
            let missing = |error| {
                Fault::new(FaultCode::ProgramMissing, format!("`{program}` cannot be started: {error}"))
            };
            match tokio::time::timeout(patience, command.output()).await {
                Ok(Ok(output)) => {
                    let said = [output.stdout, output.stderr].concat();
                    Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned()))
                }
                Ok(Err(error)) => Err(missing(error)),
                Err(_) => {
                    Err(Fault::new(FaultCode::Timeout, format!("`{program}` did not end in time")).passing())
                }
            }
        })
    }
}

/// What this was built for: the processor, the system.
pub fn machine() -> (&'static str, &'static str) {
    (std::env::consts::ARCH, std::env::consts::OS)
}

/// How many threads can work at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// Starts a thread that drives work on a simulated clock of its own.
pub fn simulated_thread(work: ThreadWork) -> Join {
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        match runtime {
            Ok(runtime) => tokio::task::LocalSet::new().block_on(&runtime, work()),
            Err(error) => Streams.err(&format!("a shard of the lab cannot start: {error}\n")),
        }
    });
    Box::new(|| thread.join())
}

/// Whether there is a file or folder.
pub fn is_there(path: &Path) -> bool {
    path.exists()
}

/// Whether there is a folder.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Whether two names are of one file or folder that is there.
pub fn same_place(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Bytes of a file; 0 when there is none.
pub fn length(path: &Path) -> usize {
    fs::metadata(path).map_or(0, |about| usize::try_from(about.len()).unwrap_or(usize::MAX))
}

/// Files of a folder, not of folders in it, in order of name; none when it cannot be read.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    found.sort();
    found
}

/// Folders of a folder, in order of name; none when it cannot be read.
pub fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// When a file was written last; none when that is not known.
pub fn modified(path: &Path) -> Option<String> {
    let at = jiff::Timestamp::try_from(fs::metadata(path).ok()?.modified().ok()?).ok()?;
    Some(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// When a file was written last, for telling which of two was later; none when that is not known.
pub fn last_written(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// The same in ns since 1970.
pub fn written_ns(path: &Path) -> Option<u128> {
    last_written(path)?.duration_since(std::time::UNIX_EPOCH).ok().map(|since| since.as_nanos())
}

/// Removes a folder that is empty; another stays.
pub fn remove_empty(folder: &Path) {
    let _ = fs::remove_dir(folder);
}

/// Removes a file.
///
/// # Errors
/// The file, and why it cannot be removed.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(|error| FileError::io(path, &error))
}

/// Why standard output could not be written, the first time.
static OUT_BROKEN: OnceLock<String> = OnceLock::new();

/// Why something is missing from standard output, if anything is.
pub fn out_broken() -> Option<&'static str> {
    OUT_BROKEN.get().map(String::as_str)
}

/// The process's own output streams.
pub struct Streams;

/// Whether a text may hold colours: on standard output, on standard error.
static COLOURS: OnceLock<(bool, bool)> = OnceLock::new();

/// Says once whether what is printed may hold colours.
pub fn allow_colours(out: bool, err: bool) {
    let _ = COLOURS.set((out, err));
}

/// Whether somebody obeys what is printed, line by line: the runner of a CI job.
fn is_obeyed() -> bool {
    ["GITHUB_ACTIONS", "TF_BUILD", "CI"]
        .into_iter()
        .filter_map(env)
        .any(|value| value != "false" && value != "0")
}

/// The one way to both streams: nothing in it moves a cursor or hides, whatever a file or a phone is called, and only
/// `commands` are commands.
fn printable(text: &str, colours: bool, commands: bool) -> Cow<'_, str> {
    let text = match secrets::secrets() {
        Some(mask) => Cow::Owned(printed(&mask.text(text), colours).into_owned()),
        None => printed(text, colours),
    };
    if commands || !is_obeyed() { text } else { Cow::Owned(uncommanded(&text)) }
}

impl Streams {
    fn write_out(text: &str) {
        let mut out = std::io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
            // A closed pipe (`| head`) ends what is printed, not the run.
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            let _ = OUT_BROKEN.set(FileProblem::from(&error).to_string());
        }
    }
}

impl Voice for Streams {
    fn out(&self, text: &str) {
        Streams::write_out(&printable(text, COLOURS.get().is_some_and(|both| both.0), false));
    }

    fn err(&self, text: &str) {
        let text = printable(text, COLOURS.get().is_some_and(|both| both.1), false);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    fn mask(&self) -> Option<&Mask> {
        secrets::secrets()
    }

    fn commands(&self, text: &str) {
        Streams::write_out(&printable(text, false, true));
    }
}

/// Ends the process where so many bytes more cannot be had. Makes nothing that needs memory.
pub fn out_of_memory(bytes: usize) -> ! {
    // Whoever reads it has nothing else to go by, and nothing can be done where it cannot be written.
    let _ = writeln!(
        std::io::stderr(),
        "error: out of memory: {} KiB more cannot be had (ulimit -v, the limit of a container, or all of the computer's); \
         what was measured is on disk. Give it more, or do less at once",
        bytes.div_ceil(1024)
    );
    std::process::exit(i32::from(Verdict::Broken.exit_code()))
}

/// The words this program was started with, its own name first.
pub fn words() -> Vec<std::ffi::OsString> {
    std::env::args_os().collect()
}

/// An environment variable, when set and not empty.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Environment variables whose names begin so, but for those that are not text.
pub fn env_beginning(prefix: &str) -> BTreeMap<String, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).filter(|(name, _)| name.starts_with(prefix)).collect()
}

/// Whether standard error is a terminal people watch.
pub fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Whether standard output is a terminal.
pub fn out_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Width of the terminal in columns, from `COLUMNS` or the terminal itself.
pub fn columns() -> usize {
    let asked = env("COLUMNS").and_then(|text| text.parse().ok());
    asked.or_else(|| console_width().map(usize::from)).unwrap_or(80).clamp(40, 400)
}

fn console_width() -> Option<u16> {
    out_is_terminal().then(|| terminal_size::terminal_size().map(|(width, _)| width.0)).flatten()
}

/// Columns and rows of the terminal behind standard error as it is now; `COLUMNS` has a say in the columns. None where
/// they cannot be told.
pub fn screen_size() -> Option<(usize, usize)> {
    let (width, height) = terminal_size::terminal_size_of(std::io::stderr())?;
    let asked = env("COLUMNS").and_then(|text| text.parse().ok());
    Some((asked.unwrap_or_else(|| usize::from(width.0)).clamp(40, 400), usize::from(height.0)))
}

/// Wall time now, RFC 3339 in UTC.
pub fn wall() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Wall time now, ms since 1970.
pub fn wall_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// A number nobody can foretell, other at every call.
pub fn chance() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // Seeded by the system for each process, and stepped for each of its states.
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Finds a program: by path, or in `PATH` and the Android SDK's folder.
pub fn find_adb() -> Option<PathBuf> {
    let sdk = ["ANDROID_HOME", "ANDROID_SDK_ROOT"].into_iter().filter_map(env).map(PathBuf::from);
    let name = format!("adb{}", std::env::consts::EXE_SUFFIX);
    let in_sdk = sdk.map(|root| root.join("platform-tools").join(&name));
    let path = env("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&path).map(|folder| folder.join(&name)).collect();
    in_path.into_iter().chain(in_sdk).find(|candidate| candidate.is_file())
}
