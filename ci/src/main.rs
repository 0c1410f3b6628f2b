//! Chores of those who live here: `cargo ci <chore>`. Each is a few programs in a row; only the site needs more than
//! cargo.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "chores run programs and write files"
)]

mod chore;
mod dist;
mod goldens;
mod program;
mod site;
mod stats;

use chore::Chore;
use program::Failed;
use std::process::ExitCode;

/// Exit code for a chore nobody knows.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(name) = args.next() else {
        println!("{}", chore::usage());
        return ExitCode::from(USAGE);
    };
    let Some(chore) = Chore::named(&name) else {
        let asked_for_help = matches!(name.as_str(), "help" | "-h" | "--help");
        if asked_for_help {
            println!("{}", chore::usage());
            return ExitCode::SUCCESS;
        }
        eprintln!("no chore is called `{name}`\n\n{}", chore::usage());
        return ExitCode::from(USAGE);
    };
    let rest: Vec<String> = args.collect();
    if !rest.is_empty() && !chore.takes_arguments() {
        eprintln!("`{name}` takes no arguments; leave out `{}`", rest.join(" "));
        return ExitCode::from(USAGE);
    }
    match chore.run(&rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(why)) => {
            eprintln!("{name}: {why}");
            ExitCode::FAILURE
        }
    }
}
