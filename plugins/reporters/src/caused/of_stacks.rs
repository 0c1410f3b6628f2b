//! The same of a recording of call stacks: stalls of main alone, as stacks know no frames.

use super::shape::stalls as stalls_json;
use super::{ms, stalls, wrapped};
use crate::clean::{NAME, SENTENCE, json_text, line};
use crate::words::several;
use farmjank_results::hitch_causes::StallCauses;
use serde_json::json;

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct StacksView<'a> {
    /// The app's process.
    pub app: &'a str,
    /// Looks at its main thread.
    pub samples: usize,
    /// From the first to the last of them, µs.
    pub recorded_us: i64,
    /// Looks that the kernel lost, of all threads.
    pub lost: u64,
    /// The recording tells when main left its CPU.
    pub off_cpu: bool,
    /// What was found.
    pub stalls: &'a StallCauses,
    /// What keeps the answer from being whole, in sentences.
    pub doubts: &'a [String],
}

/// The text for people.
pub fn stacks_table(view: &StacksView<'_>) -> String {
    let app = line(view.app, NAME);
    let mut out = match view.stalls.count {
        0 => format!("{app}: main was never held up for 80 ms\n"),
        count => format!(
            "{app}: main was held up {} for 80 ms or longer, {} in all\n",
            several(count, "time", "times"),
            ms(view.stalls.us)
        ),
    };
    let looks = several(view.samples, "stack", "stacks");
    out += &format!("{looks} of it in {}\n", ms(view.recorded_us));
    if !view.stalls.is_none() {
        out += "\nWhy\n";
        out += &stalls::told(view.stalls, &stalls::on_clock);
    }
    if !view.doubts.is_empty() {
        out += "\nTo be known\n";
        view.doubts.iter().for_each(|doubt| wrapped(&mut out, "  ", &line(doubt, SENTENCE)));
    }
    out
}

/// The JSON form.
pub fn stacks_json(view: &StacksView<'_>) -> String {
    let whole = json!({
        "format": FORMAT,
        "app": json_text(view.app),
        "samples": view.samples,
        "samples_lost": view.lost,
        "recorded_ms": view.recorded_us as f64 / 1e3,
        "off_cpu": view.off_cpu,
        "stalls": stalls_json(view.stalls),
        "doubts": view.doubts.iter().map(|doubt| json_text(doubt)).collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}
