//! What a run is told, by its flags: values, never what is injected ([`crate::conduct::Setup`]).

use crate::builds::{AbPlan, Install};
use crate::deadline::Deadline;
use crate::diagnose::Diagnose;
use crate::patience::Patience;
use crate::pictures::Pictures;
use crate::survey::Wanted;
use farmjank_results::cause_life::WindowDiagnosis;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::PlannedJob;
use farmjank_scenarios::plan::Selection;
use farmjank_scenarios::quarantine::Entry;
use farmjank_seams::claim::Priority;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a run is told. One field for each flag that reaches the engine.
#[derive(Default)]
pub struct Options {
    /// Run id; names the bundle.
    pub run: String,
    /// Version of the tool.
    pub tool: String,
    /// Wall time of the start, RFC 3339.
    pub wall: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Name of the virtual lab; none for real phones.
    pub lab: Option<String>,
    /// Which phones are asked at all.
    pub wanted: Wanted,
    /// Which scenarios.
    pub selection: Selection,
    /// Phones that may work at the same time.
    pub most_running: usize,
    /// What is measured and reported without gating.
    pub quarantine: Vec<Entry>,
    /// Timeouts and budgets.
    pub patience: Patience,
    /// Builds that are put on phones before they are measured.
    pub installs: Arc<[Install]>,
    /// Two builds that take turns, where the run is about that.
    pub ab_plan: Option<AbPlan>,
    /// What to say of the plan before anything is measured.
    pub forewarn: Option<Rc<Forewarn>>,
    /// Failed cells after which nothing more is started; none: all is run.
    pub fail_fast: Option<u32>,
    /// How long it goes on at most; none: until all is run.
    pub deadline: Option<Deadline>,
    /// Whether one more trial tells why frames were late.
    pub diagnose: Diagnose,
    /// Why frames were late in the run that new causes are held against; none where it is held against none.
    pub known_causes: Option<Rc<Vec<WindowDiagnosis>>>,
    /// When the screen is photographed.
    pub pictures: Pictures,
    /// How urgent it is beside other runs of this computer.
    pub priority: Priority,
    /// The team it is of, on a farm; empty for a run of this computer.
    pub team: String,
}

/// What a plan on these phones will not be able to tell, in words.
pub type Forewarn = dyn Fn(&[PlannedJob], &BTreeMap<DeviceId, DeviceFacts>) -> Vec<String>;
