//! What ActivityManager keeps: processes, the windows of their tasks, and which is in front.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know what windows show, nor how anything is printed.

use super::hwui::JankCounts;
use super::producer::Producer;
use super::window::Window;
use crate::truth::TruthLaunch;

/// Who is in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// The home screen.
    Launcher,
    /// A window (index into [`Activities::windows`]).
    Window(usize),
}

/// The state of one app's process. One field for each thing that is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id; none when it does not run.
    pub pid: Option<u32>,
    /// Counters of all its windows.
    pub counts: JankCounts,
    /// Windows of its task, bottom to top.
    pub stack: Vec<usize>,
    /// CPU time of it since it began, ns.
    pub worked: i64,
    /// The same of all processes the app has had.
    pub worked_ever: i64,
    /// It hangs since then.
    pub frozen: Option<i64>,
    /// A dialog says it does not answer, from then on.
    pub anr: Option<i64>,
    /// A dialog says it crashed.
    pub crashed: bool,
    /// It asks for a permission whenever it starts, until that is granted.
    pub asks: bool,
    /// The system's dialog that asks for it lies over its windows.
    pub asking: bool,
    /// Threshold of slow messages for main loops that begin now, ms.
    pub watch: Option<u32>,
    /// The threshold its main loop read when it began, ms.
    pub slow_ms: Option<u32>,
}

impl Process {
    /// Its threads worked so long, ns.
    pub(super) fn works(&mut self, ns: i64) {
        self.worked += ns.max(0);
        self.worked_ever += ns.max(0);
    }
}

impl Default for Process {
    fn default() -> Process {
        Process {
            pid: None,
            counts: JankCounts::new(0),
            stack: Vec::new(),
            worked: 0,
            worked_ever: 0,
            frozen: None,
            anr: None,
            crashed: false,
            asks: false,
            asking: false,
            watch: None,
            slow_ms: None,
        }
    }
}

/// Processes, windows and tasks.
#[derive(Clone, Debug)]
pub struct Activities {
    /// Windows by index; closed ones are dropped.
    pub windows: Vec<Option<Box<Window>>>,
    /// Processes by app.
    pub processes: Vec<Process>,
    /// When which process of which app was born.
    pub births: Vec<(i64, u32, String)>,
    /// Who is in front.
    pub front: Front,
    /// Launches so far.
    pub launches: Vec<TruthLaunch>,
    /// The starting window, while there is one.
    pub(super) splash: Option<Producer>,
    /// Id of the newest process.
    pub(super) pids: u32,
    /// Number of the newest task.
    pub(super) tasks: u32,
}

impl Activities {
    /// Of a phone that has just booted: nothing runs.
    pub(super) fn new(apps: usize, seed: u64) -> Activities {
        Activities {
            windows: Vec::new(),
            processes: (0..apps).map(|_| Process::default()).collect(),
            births: Vec::new(),
            front: Front::Launcher,
            launches: Vec::new(),
            splash: None,
            pids: 4_000 + (seed % 2_000) as u32,
            tasks: 10 + (seed % 90) as u32,
        }
    }

    /// An open window.
    pub fn window(&self, index: usize) -> Option<&Window> {
        self.windows.get(index).and_then(Option::as_deref)
    }

    /// The app in front (index); none at home.
    pub(crate) fn front_app(&self) -> Option<usize> {
        match self.front {
            Front::Window(index) => self.window(index).map(|window| window.app),
            Front::Launcher => None,
        }
    }

    /// The app over whose window a dialog asks for a permission, if that window is in front (index).
    pub(crate) fn asked(&self) -> Option<usize> {
        self.front_app().filter(|app| self.processes[*app].asking)
    }

    /// A page of the app is in front already.
    pub(crate) fn front_shows(&self, app: usize, page: usize) -> bool {
        let Front::Window(index) = self.front else { return false };
        self.window(index).is_some_and(|window| window.app == app && window.page == page)
    }

    /// `gfxinfo PKG reset`: every window's ring and counters, and the process's counters.
    pub(crate) fn reset_stats(&mut self, app: usize, now: i64) {
        for index in self.processes[app].stack.clone() {
            if let Some(window) = self.windows[index].as_mut() {
                window.hwui.reset(now);
            }
        }
        self.processes[app].counts = JankCounts::new(now);
    }
}
