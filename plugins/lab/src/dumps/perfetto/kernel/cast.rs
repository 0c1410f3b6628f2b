//! Threads that appear: of an app, of the compositor, of the system, and what the kernel calls them.

use super::super::SURFACEFLINGER_PID;
use super::super::capture::Capture;
use std::collections::BTreeMap;

/// A thread's number.
pub type Tid = u32;

/// Process of the system's services.
pub const SYSTEM_SERVER: u32 = 1_412;
/// Process of media files: somebody else's work.
pub const MEDIA: u32 = 2_242;
/// Its thread that works for long.
pub const MEDIA_SCAN: Tid = MEDIA + 1;
/// What tells apps of the next refresh.
pub const APP_VSYNC: Tid = SURFACEFLINGER_PID + 2;
/// Threads of the system's services that answer apps' main threads, other threads, and each other.
pub const SERVICE: Tid = SYSTEM_SERVER + 18;
/// See [`SERVICE`].
pub const SERVICE_BESIDE: Tid = SYSTEM_SERVER + 19;
/// A thread of the system's services that has their lock.
pub const SERVICE_OWNER: Tid = SYSTEM_SERVER + 20;
/// A thread of the media process that answers.
pub const MEDIA_SERVICE: Tid = MEDIA + 2;

/// Threads of an app, by what they are added to its process id.
pub mod of_app {
    /// Compiles.
    pub const JIT: u32 = 2;
    /// Collects garbage.
    pub const COLLECTOR: u32 = 3;
    /// Answers other processes.
    pub const BINDER: u32 = 4;
    /// Draws.
    pub const RENDER: u32 = 6;
    /// Waits for the GPU.
    pub const GPU: u32 = 7;
    /// Writes the database.
    pub const WRITER: u32 = 8;
    /// Work beside.
    pub const POOL: u32 = 9;
    /// More of it.
    pub const POOL_TOO: u32 = 10;
    /// Loads pictures.
    pub const LOADER: u32 = 11;
}

/// Whether threads of this process appear beside its first.
pub fn appears(capture: &Capture<'_>, pid: u32) -> bool {
    [SURFACEFLINGER_PID, SYSTEM_SERVER, MEDIA].contains(&pid)
        || capture.births.iter().any(|(_, born, _)| *born == pid)
}

/// The threads of a process that are traced by name, beside its first.
pub fn named(pid: u32) -> Vec<(Tid, String)> {
    let own = |rest: &[(u32, &str)]| rest.iter().map(|(tid, name)| (*tid, (*name).to_owned())).collect();
    match pid {
        SURFACEFLINGER_PID => own(&[(APP_VSYNC, "app"), (SURFACEFLINGER_PID + 3, "RenderEngine")]),
        SYSTEM_SERVER => own(&[
            (SERVICE, "binder:1412_3"),
            (SERVICE_BESIDE, "binder:1412_4"),
            (SERVICE_OWNER, "android.display"),
        ]),
        MEDIA => own(&[(MEDIA_SCAN, "MediaScan"), (MEDIA_SERVICE, "binder:2242_1")]),
        _ => {
            use of_app::{BINDER, COLLECTOR, GPU, JIT, LOADER, POOL, POOL_TOO, RENDER, WRITER};
            let all = [
                (JIT, "Jit thread pool".to_owned()),
                (COLLECTOR, "HeapTaskDaemon".to_owned()),
                (BINDER, format!("binder:{pid}_1")),
                (RENDER, "RenderThread".to_owned()),
                (GPU, "GPU completion".to_owned()),
                (WRITER, "db-writer".to_owned()),
                (POOL, "pool-2-thread-1".to_owned()),
                (POOL_TOO, "pool-2-thread-2".to_owned()),
                (LOADER, "image-loader".to_owned()),
            ];
            all.map(|(more, name)| (pid + more, name)).into()
        }
    }
}

/// What the kernel calls every thread that appears: fifteen bytes, of a process's first thread the end of its name.
pub fn comms(capture: &Capture<'_>) -> BTreeMap<Tid, String> {
    let system = [
        (SURFACEFLINGER_PID, "surfaceflinger"),
        (SYSTEM_SERVER, "system_server"),
        (MEDIA, "com.android.providers.media.module"),
    ];
    let apps = capture.births.iter().map(|(_, pid, name)| (*pid, name.as_str()));
    let mut all = BTreeMap::from([(0, "swapper".to_owned())]);
    for (pid, name) in system.into_iter().chain(apps) {
        all.insert(pid, name[name.len().saturating_sub(15)..].to_owned());
        all.extend(named(pid).into_iter().map(|(tid, name)| (tid, name.chars().take(15).collect())));
    }
    all
}
