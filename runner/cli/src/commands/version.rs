//! `farmjank --version`; with `--verbose` everything a report of a fault needs to say of the program itself.

use crate::host::{self, Streams};
use crate::plugin_targets::TOOL;
use farmjank_engine::scribe::Voice;

/// Which commit this was built of; only who hands binaries out tells the compiler (`cargo ci dist`).
const COMMIT: Option<&str> = option_env!("FARMJANK_COMMIT");
/// What the C library or the tools of the machine are called, where there is a choice of them.
const LIBRARY: &str = if cfg!(target_env = "gnu") {
    " gnu"
} else if cfg!(target_env = "musl") {
    " musl"
} else if cfg!(target_env = "msvc") {
    " msvc"
} else {
    ""
};

/// Prints which farmjank this is.
pub fn run(verbose: bool) -> u8 {
    Streams.out(&format!("{TOOL}\n{}", if verbose { account() } else { String::new() }));
    0
}

fn account() -> String {
    let commit = COMMIT.unwrap_or("not known: FARMJANK_COMMIT was not set when it was built");
    let build = if cfg!(debug_assertions) { "debug" } else { "optimised" };
    let (arch, system) = host::machine();
    format!(
        "commit    {commit}\n\
         target    {arch} {system}{LIBRARY}, {build}\n\
         features  all: a build has none to choose\n\
         log       format {}\n\
         plugins   protocol {}\n\
         farm      version {}\n\
         SQLite    {}\n",
        farmjank_results::event::FORMAT,
        farmjank_process::limits::PROTOCOL,
        farmjank_farm::frames::VERSION,
        farmjank_history::sqlite::version(),
    )
}
