//! What flags and inputs of a run come to for the engine, wherever its phones are.

use super::inputs::RunInputs;
use super::place::{Asked, Place};
use super::{no_place, wall};
use crate::args::RunArgs;
use crate::host;
use farmjank_engine::conduct::Against;
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::pictures::Pictures;
use farmjank_scenarios::scenario::Scenario;

/// Which farmjank this is.
pub const TOOL: &str = concat!("farmjank ", env!("CARGO_PKG_VERSION"));

/// The virtual lab a run is on, if any, and its seed.
pub struct OfLab {
    /// Its name.
    pub lab: Option<String>,
    /// The seed.
    pub seed: u64,
}

/// What the engine is told by the flags, and what the run is held against.
pub fn options(args: &RunArgs, run: String, of: OfLab, inputs: RunInputs) -> (Option<Box<Against>>, Options) {
    let RunInputs {
        wanted,
        selection,
        quarantine,
        deadline,
        against,
        installs,
        ab_plan,
        forewarn,
        known_causes,
        ..
    } = inputs;
    let options = Options {
        run,
        tool: TOOL.to_owned(),
        wall: wall(of.lab.is_some()),
        seed: of.seed,
        lab: of.lab,
        wanted,
        selection,
        quarantine,
        most_running: args.jobs as usize,
        patience: args.recover.within(Patience { retries: args.retries, ..Patience::default() }),
        installs,
        ab_plan,
        forewarn,
        fail_fast: args.fail_fast,
        deadline,
        diagnose: args.diagnose(),
        known_causes,
        pictures: Pictures { warm_ups: args.screens, failures: !host::has_secrets() },
        priority: args.priority,
        // Phones of this computer that teams of a farm have, too, are taken in turns with them.
        team: String::new(),
    };
    (against, options)
}

/// The run's folder, or the exit code when there is none to be had.
pub fn placed(args: &RunArgs, scenarios: &[Scenario], inputs: &RunInputs, of: &OfLab) -> Result<Place, u8> {
    let RunInputs { selection, quarantine, wanted, .. } = inputs;
    let (ab_plan, lab, seed) = (inputs.ab_plan.as_ref(), of.lab.as_deref(), of.seed);
    let asked = Asked { scenarios, selection, quarantine, wanted, ab_plan, lab, seed };
    asked.place(args).map_err(|none| no_place(&none))
}
