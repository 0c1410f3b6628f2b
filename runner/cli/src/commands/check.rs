//! `farmjank check` and `farmjank schema`

use crate::args::{ScenarioArgs, SchemaOf};
use crate::host::Streams;
use crate::scenarios::load;
use crate::settings::Terminal;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::line;
use farmjank_results::compare::{AbRules, Expected, MINIMUM, needs};
use farmjank_results::verdict::EXIT_USAGE;
use farmjank_scenarios::plan::motion_times;
use farmjank_scenarios::scenario::Scenario;
use std::time::Duration;

/// What the noise is assumed for without a phone, Hz.
const SLOWEST_HZ: f64 = 60.0;

/// Checks scenario files.
pub fn run(args: &ScenarioArgs, terminal: Terminal) -> u8 {
    let Some(scenarios) = load(args, None, terminal) else { return EXIT_USAGE };
    for scenario in &scenarios {
        let trials = scenario.iterations + scenario.warmup;
        let windows: Vec<&str> = scenario.windows().iter().map(|window| window.name).collect();
        let windows = if windows.is_empty() { "no window".to_owned() } else { windows.join(", ") };
        let (file, name) = (line(&scenario.file, 1_000), line(&scenario.name, 200));
        Streams.out(&format!("ok  {file}  {name} ({trials} trials: {})\n", line(&windows, 2_000)));
        for line in takes(scenario) {
            Streams.out(&line);
        }
    }
    0
}

/// Windows whose builds cannot be told apart with what the scenario asks for: said without a phone, so by the assumed
/// noise of a phone of 60 Hz. Nothing of windows that most likely do.
fn takes(scenario: &Scenario) -> Vec<String> {
    let expected = |(window, motion): (&str, Duration)| Expected {
        scenario: scenario.name.clone(),
        window: window.to_owned(),
        model: String::new(),
        refresh: SLOWEST_HZ,
        phones: 1,
        motion: motion.as_secs_f64(),
        effect: scenario.effect,
        calibrated: None,
        level: None,
    };
    let cells = motion_times(scenario).into_iter().map(expected).collect();
    let least = u32::try_from(MINIMUM).unwrap_or(u32::MAX);
    let ab_rules = AbRules { screen: Some(false), ..AbRules::of(scenario.iterations.max(least)) };
    let open = needs(cells, |_| ab_rules).into_iter().filter(|need| !need.is_met());
    open.map(|need| format!("    to compare builds, {}: {}\n", line(&need.of.window, 200), need.words()))
        .collect()
}

/// Prints a JSON Schema.
pub fn schema(of: SchemaOf) -> u8 {
    Streams.out(&match of {
        SchemaOf::Scenario => farmjank_scenarios::schema::schema(),
        SchemaOf::Quarantine => farmjank_scenarios::schema::quarantine(),
        SchemaOf::Inventory => farmjank_scenarios::schema::inventory(),
        SchemaOf::Config => farmjank_config::schema::schema(&crate::configured::about),
    });
    0
}
