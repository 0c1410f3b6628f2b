//! `farmjank farm status` for programs.

use super::listing::pretty;
use super::phones::of_phone;
use farmjank_shifts::note::Host;
use serde_json::{Value, json};

/// Version of the list for programs.
const FORMAT: u32 = 1;

/// The hosts that are there, for programs.
pub fn hosts(team: &str, hosts: &[Host]) -> String {
    let one = |host: &Host| {
        let lab = host.note.lab.as_ref();
        let runs = host.note.works.iter();
        let runs =
            runs.map(|work| json!({ "run": work.run, "priority": work.priority, "begun": work.begun }));
        let drained = host.note.drained.as_ref();
        json!({
            "host": host.name,
            "tool": host.note.tool,
            "protocol": host.note.v,
            "lab": lab.map(|lab| json!({ "name": lab.name, "seed": lab.seed, "part": lab.part, "of": lab.of })),
            "team_phones": host.note.most.team,
            "run_phones": host.note.most.run,
            "drained": drained.map(|drained| json!({ "since": drained.since, "why": drained.why })),
            "runs": runs.collect::<Vec<Value>>(),
            "full": host.note.full,
            "phones": host.phones.iter().map(|phone| of_phone(host, phone)).collect::<Vec<Value>>(),
        })
    };
    let all: Vec<Value> = hosts.iter().map(one).collect();
    pretty(&json!({ "format": FORMAT, "team": team, "hosts": all }))
}
