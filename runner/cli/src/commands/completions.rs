//! `farmjank completions` and `farmjank man`: what shells and `man` want to know of the commands.

use crate::args::{self, CompletionsArgs, ManArgs};
use crate::host::Streams;
use crate::settings::complain;
use farmjank_engine::scribe::Voice;
use farmjank_results::verdict::EXIT_USAGE;

/// Prints the completions of a shell.
pub fn run(args: &CompletionsArgs) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "farmjank", &mut text);
    Streams.out(&String::from_utf8_lossy(&text));
    0
}

/// Prints a manual page: of the program, or of one command.
pub fn man(args: &ManArgs) -> u8 {
    let whole = args::command();
    let page = match &args.command {
        None => whole,
        Some(name) => {
            let Some(found) = whole.find_subcommand(name) else {
                let known: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
                let near = farmjank_leaf::nearest::meant(name, &known, 3);
                let near = if near.is_empty() { known } else { near };
                complain(format!("no command is called `{name}`; there are {}", near.join(", ")));
                return EXIT_USAGE;
            };
            found.clone().display_name(format!("farmjank-{name}")).bin_name(format!("farmjank {name}"))
        }
    };
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let _ = clap_mangen::Man::new(page).render(&mut text);
    Streams.out(&String::from_utf8_lossy(&text));
    0
}
