//! `farmjank` alone: what it finds, and the next command to type.

use super::devices::table;
use super::runs;
use super::survey::look as survey;
use crate::args::PhoneArgs;
use crate::host::{self, Streams};
use crate::settings::Terminal;
use farmjank_engine::scribe::Voice;
use std::path::Path;

/// Says what is here.
pub async fn run(_look: Terminal) -> u8 {
    Streams.out(&format!("farmjank {}: is the app smooth, on every phone?\n\n", env!("CARGO_PKG_VERSION")));
    let args = PhoneArgs { wait_for_devices: "0s".to_owned(), ..PhoneArgs::default() };
    let ready = match survey(&args, 0).await {
        Ok((_, surveyed)) if surveyed.is_empty() => {
            Streams.out("phones: none connected\n");
            false
        }
        Ok((phones, surveyed)) => {
            Streams.out(&table(&surveyed, &*phones.claims));
            surveyed.iter().any(|phone| phone.facts.is_ok())
        }
        Err(fault) => {
            Streams.out(&format!("phones: {fault}\n"));
            false
        }
    };
    let scenarios = host::yaml_files(Path::new("scenarios")).map_or(0, |files| files.len());
    Streams.out(&format!(
        "scenarios: {scenarios} file{} in scenarios/\n\n",
        if scenarios == 1 { "" } else { "s" }
    ));
    let next = match (ready, scenarios > 0) {
        (true, true) => "farmjank run scenarios/",
        (true, false) => "farmjank init   (writes a first scenario, to be made yours)",
        (false, _) => "farmjank run --lab demo   (a virtual lab, no phone needed)",
    };
    let kept = runs::newest(Path::new(runs::FOLDER)).is_some();
    let shown =
        if kept { "      farmjank runs show   (what the last run came to, and what follows)\n" } else { "" };
    Streams.out(&format!("next: {next}\n{shown}all commands: farmjank --help\n"));
    0
}
