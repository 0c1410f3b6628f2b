//! `farmjank devices`

use super::run::no_phones;
use super::survey::look as survey;
use crate::args::PhoneArgs;
use crate::host::Streams;
use crate::settings::Terminal;
use farmjank_engine::scribe::Voice;
use farmjank_engine::survey::Surveyed;
use farmjank_reporters::clean;
use farmjank_results::device::DeviceFacts;
use farmjank_results::verdict::Verdict;

/// Lists phones.
pub async fn run(args: &PhoneArgs, _look: Terminal) -> u8 {
    let (phones, surveyed) = match survey(args).await {
        Ok(found) => found,
        Err(fault) => return no_phones(&fault),
    };
    if let Some(lab) = &phones.lab {
        Streams.out(&format!("virtual lab `{}` (seed {}): simulated phones\n", lab.name(), phones.seed));
    }
    if surveyed.is_empty() {
        Streams.err("no phone is connected; to try farmjank without one: farmjank run --lab demo\n");
        return Verdict::Broken.exit_code();
    }
    Streams.out(&table(&surveyed));
    0
}

/// Phones as a table, one line each; phones that are not ready say what to do.
pub fn table(surveyed: &[Surveyed]) -> String {
    let header =
        ["SERIAL", "MODEL", "ANDROID", "SCREEN", "REFRESH", "BATTERY", "HEAT", "STATE"].map(str::to_owned);
    let mut rows = vec![header];
    let mut advice = Vec::new();
    for phone in surveyed {
        match &phone.facts {
            Ok(facts) => rows.push(row(facts)),
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

fn row(facts: &DeviceFacts) -> [String; 8] {
    let unknown = || "?".to_owned();
    let mut kinds = vec![if facts.awake == Some(false) { "asleep" } else { "ready" }];
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
