//! `farmjank check` and `farmjank schema`

use crate::USAGE;
use crate::args::ScenarioArgs;
use crate::host::Streams;
use crate::scenarios::load;
use crate::settings::Look;
use farmjank_engine::announce::Voice;

/// Checks scenario files.
pub fn run(args: &ScenarioArgs, look: Look) -> u8 {
    let Some(scenarios) = load(args, look) else { return USAGE };
    for scenario in &scenarios {
        let trials = scenario.iterations + scenario.warmup;
        let windows: Vec<&str> = scenario.windows().iter().map(|window| window.name).collect();
        let windows = if windows.is_empty() { "no window".to_owned() } else { windows.join(", ") };
        Streams.out(&format!("ok  {}  {} ({trials} trials: {windows})\n", scenario.file, scenario.name));
    }
    0
}

/// Prints the JSON Schema of scenario files.
pub fn schema() -> u8 {
    Streams.out(&farmjank_scenarios::schema::schema());
    0
}
