//! `farmjank calibrate`: holds every phone against itself, so that one knows how much numbers move when nothing
//! changed.

use super::run::{About, about};
use crate::args::CalibrateArgs;
use crate::settings::{Terminal, complain};
use farmjank_results::compare::AbRules;
use farmjank_results::verdict::EXIT_USAGE;

/// Holds phones against themselves.
pub fn run(args: &CalibrateArgs, terminal: Terminal) -> u8 {
    if args.run.baseline.is_some() {
        complain("--baseline: calibrating holds each phone against itself; use `farmjank run`");
        return EXIT_USAGE;
    }
    let ab_rules =
        AbRules { per_install: args.block, looks: 1, screen: Some(false), installs: false, ..AbRules::of(0) };
    about(&args.run, terminal, About::Itself(ab_rules))
}
