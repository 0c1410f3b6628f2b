//! A plugin of farmjank: busy.csv, how long jobs held each phone and how often, in seconds of the run. A program of its
//! own that knows nothing of farmjank's code: copy it to begin another (docs/plugins.md).
//!
//! `farmjank run --plugin busy=target/release/busy scenarios/`

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

/// One phone.
#[derive(Default)]
struct Held {
    /// Since when, ns of the run, while a job holds it.
    since: Option<u64>,
    /// In all, ns.
    ns: u64,
    jobs: u32,
}

fn main() -> io::Result<()> {
    let mut phones: BTreeMap<String, Held> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        match message["farmjank"].as_str() {
            Some("hello") if offers(&message["protocols"]) => {
                say(&json!({ "plugin": "hello", "protocol": 1, "offers": ["reporter"] }))?;
            }
            Some("hello") => {
                return say(&json!({ "plugin": "refuse", "why": "busy speaks protocol 1 alone" }));
            }
            Some("conclude") => {
                say(&json!({ "plugin": "file", "path": "busy.csv", "text": table(&phones) }))?;
                say(&json!({ "plugin": "done" }))?;
            }
            Some("bye") => return Ok(()),
            // What a newer farmjank says beside.
            Some(_) => {}
            None => hear(&mut phones, &message),
        }
    }
    Ok(())
}

fn offers(protocols: &Value) -> bool {
    protocols.as_array().is_some_and(|versions| versions.contains(&json!(1)))
}

fn hear(phones: &mut BTreeMap<String, Held>, event: &Value) {
    let (Some(at), Some(device)) = (event["at"].as_u64(), event["device"].as_str()) else { return };
    match event["kind"].as_str() {
        Some("lease_granted") => phones.entry(device.to_owned()).or_default().since = Some(at),
        Some("lease_returned") => {
            let held = phones.entry(device.to_owned()).or_default();
            if let Some(since) = held.since.take() {
                held.ns += at.saturating_sub(since);
                held.jobs += 1;
            }
        }
        _ => {}
    }
}

fn table(phones: &BTreeMap<String, Held>) -> String {
    let rows = phones.iter().map(|(device, held)| {
        let seconds = held.ns as f64 / 1e9;
        format!("{device},{seconds:.1},{}\n", held.jobs)
    });
    std::iter::once("device,seconds,jobs\n".to_owned()).chain(rows).collect()
}

/// A line, on its way before the next is read.
fn say(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")?;
    out.flush()
}
