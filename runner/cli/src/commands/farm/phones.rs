//! `farmjank farm phones`: every phone of the farm, whichever computer it is plugged into, and who has it.

use super::{WIDE, of_drained};
use crate::args::{FarmPhonesArgs, ListingFormat};
use crate::farm::reading;
use crate::host::Streams;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::line;
use farmjank_results::fault::Fault;
use farmjank_shifts::note::{Host, PhoneNote, listed};
use serde_json::{Value, json};

/// Version of the list for programs.
const FORMAT: u32 = 1;

/// Lists them; whether there is one.
pub async fn run(args: &FarmPhonesArgs) -> Result<bool, Fault> {
    let exchange = reading(&args.farm, &args.of, "phones").await?;
    let hosts = listed(&*exchange, &args.of.team).await?;
    let many: usize = hosts.iter().map(|host| host.phones.len()).sum();
    match args.format {
        ListingFormat::Json => Streams.out(&for_programs(&args.of.team, &hosts)),
        ListingFormat::Table => Streams.out(&table(&hosts, args.who)),
    }
    if many == 0 {
        Streams.err(match hosts.is_empty() {
            true => "no host is there; `farmjank agent` on a computer with phones makes one\n",
            false => "no host has a phone; look at its cable and at `farmjank devices` there\n",
        });
    }
    Ok(many > 0)
}

fn table(hosts: &[Host], who: bool) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for host in hosts {
        rows.extend(host.phones.iter().map(|phone| row(host, phone, who)));
    }
    if rows.is_empty() {
        return String::new();
    }
    let head = ["SERIAL", "MODEL", "ANDROID", "REFRESH", "HOST", "STATE"].map(str::to_owned);
    let head = if who { vec![head[0].clone(), head[4].clone(), head[5].clone()] } else { head.to_vec() };
    rows.insert(0, head);
    super::listing::table(&rows)
}

fn row(host: &Host, phone: &PhoneNote, who: bool) -> Vec<String> {
    let (id, name, state) = (line(&phone.id.0, WIDE), line(&host.name, WIDE), state(host, phone).1);
    if who {
        return vec![id, name, state];
    }
    let facts = phone.facts.as_ref();
    let told = |of: Option<String>| of.unwrap_or_else(|| "?".to_owned());
    vec![
        id,
        told(facts.map(|facts| line(&facts.model, WIDE))),
        told(facts.map(|facts| line(&facts.release, 40))),
        told(facts.and_then(|facts| facts.fastest_hz()).map(|hz| format!("{hz:.0} Hz"))),
        name,
        state,
    ]
}

/// Whether runs are given a phone, as a word and in words.
fn state(host: &Host, phone: &PhoneNote) -> (&'static str, String) {
    if let Some(own) = &phone.drained {
        let still = own.by.as_ref().map(|by| format!(" (still used by {})", line(by, WIDE)));
        return ("drained", format!("{}{}", of_drained(&own.drained), still.unwrap_or_default()));
    }
    if phone.facts.is_none() {
        let why = phone.fault.as_ref().map_or_else(
            || "tells nothing of itself".to_owned(),
            |fault| format!("not ready: {}", line(&fault.to_string(), WIDE)),
        );
        return ("not_ready", why);
    }
    match user(host, phone) {
        Some(by) => ("used", format!("used by {by}")),
        None => ("free", "free".to_owned()),
    }
}

/// Who has a phone, as its host said within the last quarter of a minute. A lab is played whole.
fn user(host: &Host, phone: &PhoneNote) -> Option<String> {
    let played = || {
        let work = host.note.works.iter().find(|work| work.begun && host.note.lab.is_some())?;
        Some(format!("run {}", line(&work.run, WIDE)))
    };
    host.note.used.get(&phone.id).map(|by| line(by, WIDE)).or_else(played)
}

fn for_programs(team: &str, hosts: &[Host]) -> String {
    let phones = hosts.iter().flat_map(|host| host.phones.iter().map(move |phone| (host, phone)));
    let all: Vec<Value> = phones.map(|(host, phone)| of_phone(host, phone)).collect();
    super::listing::pretty(&json!({ "format": FORMAT, "team": team, "phones": all }))
}

/// A phone for programs; `farmjank farm status` has the same.
pub fn of_phone(host: &Host, phone: &PhoneNote) -> Value {
    json!({
        "serial": phone.id.0,
        "host": host.name,
        "server": phone.server,
        "state": state(host, phone).0,
        "used_by": user(host, phone),
        "drained": phone.drained.as_ref().map(|own| json!({
            "since": own.drained.since,
            "why": own.drained.why,
            "still_used_by": own.by,
        })),
        "facts": phone.facts,
        "fault": phone.fault,
    })
}
