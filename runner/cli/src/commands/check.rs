//! `farmjank check` and `farmjank schema`

use crate::args::{CheckArgs, ListingFormat, SchemaOf};
use crate::host::Streams;
use crate::scenarios::{load, read_all};
use crate::settings::Terminal;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::line;
use farmjank_results::cause_selector::selected;
use farmjank_results::compare::{AbRules, Expected, MINIMUM, needs};
use farmjank_results::verdict::EXIT_USAGE;
use farmjank_scenarios::complaint::Complaint;
use farmjank_scenarios::plan::motion_times;
use farmjank_scenarios::scenario::Scenario;
use serde_json::json;
use std::time::Duration;

/// What the noise is assumed for without a phone, Hz.
const SLOWEST_HZ: f64 = 60.0;

/// Checks scenario files.
pub fn run(args: &CheckArgs, terminal: Terminal) -> u8 {
    if args.format == ListingFormat::Json {
        return for_programs(args);
    }
    let Some(scenarios) = load(&args.scenarios, None, terminal) else { return EXIT_USAGE };
    for scenario in &scenarios {
        let trials = scenario.iterations + scenario.warmup;
        let windows: Vec<&str> = scenario.windows().iter().map(|window| window.name).collect();
        let windows = if windows.is_empty() { "no window".to_owned() } else { windows.join(", ") };
        let (file, name) = (line(&scenario.file, 1_000), line(&scenario.name, 200));
        Streams.out(&format!("ok  {file}  {name} ({trials} trials: {})\n", line(&windows, 2_000)));
        for line in takes(scenario) {
            Streams.out(&line);
        }
        if limits_causes(scenario) {
            Streams.out(
                "    limits causes: iterations that count are traced for them, as with --causes=always\n",
            );
        }
    }
    0
}

/// Whether a limit is on some causes alone.
fn limits_causes(scenario: &Scenario) -> bool {
    scenario.metrics().into_iter().any(|key| selected(key).is_some())
}

/// The same for programs: field names are a promise (docs/listings.md).
fn for_programs(args: &CheckArgs) -> u8 {
    let Some(read) = read_all(&args.scenarios, None) else { return EXIT_USAGE };
    let code = if read.is_ok() { 0 } else { EXIT_USAGE };
    let (scenarios, complaints) = match read {
        Ok(scenarios) => (scenarios, Vec::new()),
        Err(complaints) => (Vec::new(), complaints),
    };
    let one = |scenario: &Scenario| {
        let windows = scenario.windows().into_iter().map(
            |window| json!({ "name": window.name, "line": window.place.line, "column": window.place.column }),
        );
        json!({
            "file": scenario.file, "name": scenario.name, "app": scenario.app, "tags": scenario.tags,
            "iterations": scenario.iterations, "warmup": scenario.warmup, "windows": windows.collect::<Vec<_>>(),
            "to_compare": takes(scenario).iter().map(|words| words.trim()).collect::<Vec<_>>(),
        })
    };
    let notices = scenarios.iter().flat_map(|scenario| &scenario.notices);
    let complaint = |one: &Complaint| {
        json!({
            "file": one.file, "line": one.place.line, "column": one.place.column, "length": one.length,
            "what": one.what, "instead": one.instead,
        })
    };
    let all = json!({
        "format": 1,
        "scenarios": scenarios.iter().map(one).collect::<Vec<_>>(),
        "complaints": complaints.iter().map(complaint).collect::<Vec<_>>(),
        "notices": notices.map(complaint).collect::<Vec<_>>(),
    });
    Streams.out(&(serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"));
    code
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
        SchemaOf::Owners => farmjank_scenarios::schema::owners(),
        SchemaOf::Config => farmjank_config::schema::schema(&crate::configured::about),
        SchemaOf::Lab => farmjank_lab::lab::Lab::schema(),
    });
    0
}
