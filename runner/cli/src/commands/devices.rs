//! `farmjank devices`

use super::phones_json;
use super::run::no_phones;
use super::survey::look as survey;
use crate::args::{DevicesArgs, ListingFormat, PhoneArgs};
use crate::host::Streams;
use crate::plugin_targets;
use crate::settings::serials;
use crate::wiring::phones;
use farmjank_engine::scribe::Voice;
use farmjank_engine::survey::{Listed, Surveyed, Wanted, listed};
use farmjank_reporters::clean;
use farmjank_results::device::DeviceFacts;
use farmjank_results::fault::Fault;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::inventory::Inventory;
use farmjank_seams::claim::Claims;
use farmjank_seams::device::{DeviceState, Sighting};
use std::time::Duration;

/// Lists phones.
pub async fn run(args: &DevicesArgs) -> u8 {
    let phones = &args.phones();
    if args.format == ListingFormat::Json {
        return for_programs(phones).await;
    }
    let found = if args.who { who(phones).await } else { known(phones).await };
    found.unwrap_or_else(|fault| no_phones(&fault))
}

/// Who uses which phone. None is asked anything: a question costs the run that measures there.
async fn who(args: &PhoneArgs) -> Result<u8, Fault> {
    let phones = phones(args, &plugin_targets::lenders(args)?).await?;
    let mut arrivals = phones.provider.watch().await?;
    let wanted = Wanted { serials: serials(args), phones: 0, wait: Duration::ZERO, ..Wanted::default() };
    let Listed { seen, lost } = listed(&mut *arrivals, &wanted).await?;
    for fault in lost.values() {
        Streams.err(&format!("{}; who uses its phones is not known\n", clean::line(&fault.what, 300)));
    }
    let meant: Vec<Sighting> = seen.into_values().filter(|phone| wanted.includes(&phone.id)).collect();
    if meant.is_empty() {
        return Ok(none_connected());
    }
    let width = meant.iter().map(|phone| phone.id.0.chars().count()).max().unwrap_or(0);
    for phone in &meant {
        let user = phones.claims.claimant(&phone.server, &phone.id);
        let unclaimed = || match &phone.state {
            DeviceState::Booked(by) => format!("booked by {by}"),
            _ => "free".to_owned(),
        };
        let mut user = user.map_or_else(unclaimed, |user| user.to_string());
        for by in phones.claims.waiting(&phone.server, &phone.id) {
            user += &format!("; waited for by {by}");
        }
        Streams.out(&format!("{}\n", clean::line(&format!("{:width$}  {user}", phone.id.0), 600)));
    }
    Ok(0)
}

fn none_connected() -> u8 {
    Streams.err("no phone is connected; to try farmjank without one: farmjank run --lab demo\n");
    Verdict::Broken.exit_code()
}

/// The same as [`known`] for programs, and with the same exit code.
async fn for_programs(args: &PhoneArgs) -> u8 {
    match survey(args, 0).await {
        Ok((phones, surveyed)) => {
            phones.give_back().await;
            Streams.out(&phones_json::phones(&phones, &surveyed, None));
            exit_code(args, &surveyed)
        }
        Err(fault) => {
            Streams.out(&phones_json::none(&fault));
            no_phones(&fault)
        }
    }
}

/// No phone is a fault of the lab, and so is one that was named and cannot be measured.
fn exit_code(args: &PhoneArgs, surveyed: &[Surveyed]) -> u8 {
    let silent = surveyed.iter().any(|phone| phone.facts.is_err());
    match surveyed.is_empty() || silent && !serials(args).is_empty() {
        true => Verdict::Broken.exit_code(),
        false => 0,
    }
}

async fn known(args: &PhoneArgs) -> Result<u8, Fault> {
    let (phones, surveyed) = survey(args, 0).await?;
    phones.give_back().await;
    if let Some(lab) = &phones.lab {
        Streams.out(&format!("virtual lab `{}` (seed {}): simulated phones\n", lab.name(), phones.seed));
    }
    if surveyed.is_empty() {
        return Ok(none_connected());
    }
    Streams.out(&table(&surveyed, &*phones.claims));
    Streams.out(&named(&surveyed, &phones.inventory));
    let silent = surveyed.iter().filter(|phone| phone.facts.is_err()).count();
    if silent > 0 {
        let of = surveyed.len();
        Streams.err(&format!("{silent} of {of} phones cannot be measured: a run on them ends with exit 3\n"));
    }
    Ok(exit_code(args, &surveyed))
}

/// What the inventory calls each phone, and its tags.
fn named(surveyed: &[Surveyed], inventory: &Inventory) -> String {
    let line = |phone: &Surveyed| {
        let own = inventory.phone(&phone.sighting.id.0)?;
        let name = match (&own.server, &own.name) {
            (Some(server), _) => format!(" is {} on the adb server at {server}", own.serial),
            (None, Some(name)) => format!(" is {name}"),
            (None, None) => String::new(),
        };
        let tags =
            if own.tags.is_empty() { String::new() } else { format!(", tags {}", own.tags.join(", ")) };
        Some(clean::line(&format!("{}{name}{tags}", own.id()), 300) + "\n")
    };
    let lines: String = surveyed.iter().filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Phones as a table, one line each; phones that are not ready say what to do, and those in use by whom.
pub fn table(surveyed: &[Surveyed], claims: &dyn Claims) -> String {
    let header =
        ["SERIAL", "MODEL", "ANDROID", "SCREEN", "REFRESH", "BATTERY", "HEAT", "STATE"].map(str::to_owned);
    let mut rows = vec![header];
    let mut advice = Vec::new();
    for phone in surveyed {
        let user = claims.claimant(&phone.sighting.server, &phone.sighting.id);
        if let Some(user) = &user {
            let who = format!("{} is used by {user}", phone.sighting.id);
            advice.push(clean::line(&who, 300));
        }
        match &phone.facts {
            Ok(facts) => rows.push(row(facts, user.is_some())),
            Err(fault) => {
                let mut row = [const { String::new() }; 8];
                row[0] = clean::line(&phone.sighting.id.0, 300);
                row[7] = fault.code.word().trim_start_matches("device_").replace('_', " ");
                rows.push(row);
                advice.push(clean::line(&fault.to_string(), 300));
            }
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    for line in advice {
        out.push_str(&format!("\n{line}\n"));
    }
    out
}

fn row(facts: &DeviceFacts, used: bool) -> [String; 8] {
    let unknown = || "?".to_owned();
    let mut kinds = vec![if facts.awake == Some(false) { "asleep" } else { "ready" }];
    kinds.extend(used.then_some("in use"));
    kinds.extend((facts.keyguard == Some(true)).then_some("locked"));
    kinds.extend(facts.is_virtual.then_some("virtual"));
    kinds.extend((facts.emulator && !facts.is_virtual).then_some("emulator"));
    [
        clean::line(&facts.id.0, 300),
        clean::line(&facts.model, 300),
        clean::line(&format!("{} (sdk {})", facts.release, facts.sdk), 40),
        facts.screen.map_or_else(unknown, |screen| format!("{}x{}", screen.width, screen.height)),
        refresh(facts),
        facts.battery.map_or_else(unknown, |battery| format!("{} %", battery.percent)),
        facts
            .thermal_status
            .map_or_else(unknown, |status| farmjank_engine::android::state::thermal_word(status).to_owned()),
        kinds.join(", "),
    ]
}

/// Every refresh rate once, the one in force marked.
fn refresh(facts: &DeviceFacts) -> String {
    let mut rates: Vec<i64> = facts.modes.iter().map(|mode| mode.hz.round() as i64).collect();
    let active = facts.active_hz.map(|hz| hz.round() as i64);
    rates.extend(active);
    rates.sort_unstable();
    rates.dedup();
    if rates.is_empty() {
        return "?".to_owned();
    }
    let mark = |rate: &i64| if Some(*rate) == active { format!("{rate}*") } else { rate.to_string() };
    format!("{} Hz", rates.iter().map(mark).collect::<Vec<_>>().join("/"))
}
