//! A phone in hand: what its shell and its file service may do with it.
//!
//! Must not know how bytes travel (server, daemon), nor what any program prints.

use crate::live_phone::{FILE_MOST, LivePhone, WALL_START_S};
use crate::phone::{CONFIGS, TRACES};
use crate::shell::{Job, Programs, Said, absolute};
use std::rc::Rc;
use std::time::Duration;

/// A phone as its shell and its file service hold it.
pub struct Hand(pub Rc<LivePhone>);

/// `/storage/emulated/0` is `/sdcard`.
fn canonical(path: &str) -> String {
    let path = absolute("/", path);
    for alias in ["/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"] {
        if let Some(rest) = path.strip_prefix(alias)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("/sdcard{rest}");
        }
    }
    path
}

fn below(path: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder) && path.len() > folder.len())
}

/// `dumpsys` waits ten seconds for a service, says that it gives up, and ends well.
async fn given_up() -> Said {
    tokio::time::sleep(Duration::from_secs(10)).await;
    let out = b"\n*** SERVICE 'SurfaceFlinger' DUMP TIMEOUT (10000ms) EXPIRED ***\n\n".to_vec();
    Said { out, ..Said::default() }
}

impl Programs for Hand {
    fn start(&self, argv: &[String]) -> Option<Job> {
        let phone = self.0.clone();
        let asks_rings = argv[0] == "dumpsys" && argv.iter().any(|word| word == "SurfaceFlinger");
        if asks_rings && phone.held_back() {
            return Some(Box::pin(phone.execute(argv.to_vec())));
        }
        if asks_rings && phone.hangs() {
            return Some(Box::pin(given_up()));
        }
        let now = phone.now();
        let running = phone.model_mut().begin(now, argv)?;
        Some(Box::pin(async move { phone.complete(running).await }))
    }

    fn reads_input(&self, argv: &[String]) -> bool {
        let from_input = |pair: &[String]| matches!(pair[0].as_str(), "-c" | "--config") && pair[1] == "-";
        argv[0] == "perfetto"
            && (argv.windows(2).any(from_input) || argv.iter().any(|word| word == "--config=-"))
    }

    fn start_fed(&self, argv: &[String], input: Vec<u8>, job: Option<u32>) -> Option<Job> {
        if !["perfetto", "simpleperf"].contains(&argv[0].as_str()) {
            return self.start(argv);
        }
        let phone = self.0.clone();
        let pid = job.unwrap_or_else(|| phone.next_pid());
        let now = phone.now();
        let running = phone.model_mut().begin_fed(now, argv, &input, pid)?;
        Some(Box::pin(async move { phone.complete(running).await }))
    }

    fn signal(&self, pid: u32, signal: i32) -> bool {
        self.0.signal(pid, signal)
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let now = self.0.now();
        let path = canonical(path);
        self.0.model_mut().settle_for(now, &path);
        self.0.model().file(now, &path)
    }

    fn writable(&self, path: &str) -> bool {
        let path = canonical(path);
        let configs = self.0.model().archetype().sdk >= 31 && below(&path, &[CONFIGS]);
        configs || below(&path, &["/data/local/tmp/", "/sdcard/"])
    }

    fn write(&self, path: &str, mut bytes: Vec<u8>) {
        bytes.truncate(FILE_MOST);
        self.0.model_mut().storage.write(&canonical(path), bytes);
    }

    fn is_full(&self) -> bool {
        self.0.model().storage.is_full()
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        let mut whole = self.file(path).unwrap_or_default();
        whole.extend_from_slice(bytes);
        self.write(path, whole);
    }

    fn remove(&self, path: &str) -> bool {
        let path = canonical(path);
        let now = self.0.now();
        let mut model = self.0.model_mut();
        model.settle(now);
        (below(&path, &["/data/local/tmp/", "/sdcard/", TRACES, CONFIGS])) && model.storage.remove(&path)
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", canonical(folder).trim_end_matches('/'));
        let now = self.0.now();
        let mut model = self.0.model_mut();
        model.settle(now);
        model.storage.paths().filter(|path| path.starts_with(&prefix)).map(str::to_owned).collect()
    }

    fn wall_ns(&self) -> i64 {
        WALL_START_S * 1_000_000_000 + self.0.now().ns()
    }

    fn next_pid(&self) -> u32 {
        self.0.next_pid()
    }
}
