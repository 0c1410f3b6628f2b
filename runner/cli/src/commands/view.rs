//! `farmjank view`: the report of a run, finished or still going on, in a browser.

use crate::args::ViewArgs;
use crate::host::Streams;
use crate::settings::refuse;
use crate::ui::Ui;
use farmjank_engine::scribe::Voice;
use farmjank_results::verdict::Verdict;

/// Serves a bundle until interrupted.
pub fn run(args: &ViewArgs) -> u8 {
    match Ui::open(&args.run, &args.ui(), true) {
        Ok(ui) => {
            Streams.err("it is open until you press Ctrl-C\n");
            ui.stay();
            Verdict::Pass.exit_code()
        }
        Err(why) => refuse(&why),
    }
}
