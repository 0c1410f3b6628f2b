//! Running the binary, and what it left behind.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A finished command.
pub struct Ended {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The binary in a folder of its own, with no environment that could reach real phones.
pub fn farmjank(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_farmjank"));
    command.current_dir(folder);
    for name in [
        "ANDROID_SERIAL",
        "ADB_SERVER_SOCKET",
        "ANDROID_ADB_SERVER_ADDRESS",
        "ANDROID_HOME",
        "ANDROID_SDK_ROOT",
        "CI",
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "FARMJANK_CONFIG",
        "FARMJANK_PROFILE",
        "BUILDKITE_BUILD_URL",
        "BUILD_URL",
        "CI_JOB_URL",
        "GITHUB_TOKEN",
        "GITHUB_API_URL",
        "GITHUB_REPOSITORY",
        "GITHUB_RUN_ATTEMPT",
        "GITHUB_RUN_ID",
        "GITHUB_SERVER_URL",
        "GITLAB_TOKEN",
        "JIRA_TOKEN",
        "JIRA_USER",
    ] {
        command.env_remove(name);
    }
    // Nobody listens there, and nobody is to be started.
    command
        .env("ANDROID_ADB_SERVER_PORT", "1")
        .env("ANDROID_ADB_USER_MANAGED_MODE", "true")
        .env("FARMJANK_CLAIMS", folder.join("claims"))
        .env("NO_COLOR", "1");
    command
}

/// Runs it to the end.
pub fn run(folder: &Path, args: &[&str]) -> Ended {
    ended(farmjank(folder).args(args))
}

/// Runs a command to the end.
pub fn ended(command: &mut Command) -> Ended {
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    Ended {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A scenario that is quick and passes.
pub const SMOOTH: &str = "
name: Smooth
appId: com.example.shop
iterations: 2
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] } } ]
thresholds: { fps: 'mean >= 30%refresh', frozen_frames: 'max <= 50' }
";

/// Six quick iterations of one window, without limits.
pub const FEED: &str = "
name: Feed
appId: com.example.shop
iterations: 6
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

/// Writes a file and gives its path.
pub fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).expect("a folder in the test's folder");
    }
    std::fs::write(&path, text).expect("a file in the test's folder");
    path
}

/// Every file below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() { folders.push(entry) } else { found.push(entry) }
        }
    }
    found
}

/// What a file holds, packed or not; of a torn one, as much as is whole.
pub fn held(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("a file");
    if file.extension().is_none_or(|end| end != "zst") {
        return bytes;
    }
    let mut all = Vec::new();
    let mut from = zstd::stream::read::Decoder::new(&bytes[..]).expect("memory");
    match std::io::copy(&mut from, &mut all) {
        Err(why) if why.kind() != std::io::ErrorKind::UnexpectedEof => panic!("{}: {why}", file.display()),
        _ => all,
    }
}

/// The folder of real dumps beside the repository, when it is there.
pub fn real_dumps() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real-dumps");
    if !folder.is_dir() {
        println!("skipped: no real dumps beside the repository");
        return None;
    }
    Some(folder)
}

/// A served lab; ends with the test.
pub struct Lab {
    child: Child,
    /// Value for `ADB_SERVER_SOCKET`.
    pub socket: String,
    /// `host:port` of every phone's daemon.
    pub daemons: Vec<String>,
}

impl Lab {
    /// Serves a lab file, with daemons; the truth goes to `truth` when it is interrupted.
    pub fn serve(folder: &Path, lab: &Path, phones: usize, truth: &Path) -> Lab {
        Lab::serve_at(folder, lab, phones, truth, "0")
    }

    /// The same, on this port.
    pub fn serve_at(folder: &Path, lab: &Path, phones: usize, truth: &Path, port: &str) -> Lab {
        let mut command = farmjank(folder);
        command.args(["lab", "serve", "--daemons", "--port", port, "--truth"]);
        command.arg(truth).arg(lab).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the lab is served");
        let mut lines =
            BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let socket =
            lines.find_map(|line| line.split_once("ADB_SERVER_SOCKET=").map(|(_, socket)| socket.to_owned()));
        let daemon =
            |line: String| Some(line.split_once("adb connect ")?.1.split_whitespace().next()?.to_owned());
        let daemons = lines.take(phones).filter_map(daemon).collect();
        Lab { child, socket: socket.expect("the lab says where it is"), daemons }
    }

    /// Interrupts it and waits: its truth is on disk afterwards.
    pub fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
        self.child.wait().expect("the lab ends");
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
