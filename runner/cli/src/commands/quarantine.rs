//! `farmjank quarantine`: what is measured and reported without gating; its file is edited line by line, so that
//! everything else in it stays.

use crate::args::{
    AddArgs, ListFormat, QuarantineArgs, QuarantineCommand, QuarantinedArgs, RemoveQuarantineArgs,
};
use crate::baselines::age;
use crate::command_error::{CommandError, usage};
use crate::host::{self, Streams};
use crate::quarantine::{files, read_all, text_of, usual};
use crate::scenarios::requirement;
use crate::settings::{Terminal, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_reporters::clean;
use farmjank_results::verdict::{EXIT_USAGE, Verdict};
use farmjank_scenarios::quarantine::edit::{added, removed};
use farmjank_scenarios::quarantine::{Entry, day_of};
use jiff::civil::Date;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Version of the JSON.
const FORMAT: u32 = 1;
/// Days before the end in which an entry is said to lapse.
const SOON: i32 = 7;
/// Longest line of foreign text.
const SHOWN: usize = 300;

/// Lists, checks or edits.
pub fn run(args: &QuarantineArgs, terminal: Terminal) -> u8 {
    let Some(today) = day_of(&host::wall()) else { return Verdict::Broken.exit_code() };
    let file = args.quarantine.clone().unwrap_or_else(usual);
    let edited = match &args.command {
        None | Some(QuarantineCommand::List) => return list(args, today, terminal),
        Some(QuarantineCommand::Check) => return check(args, today, terminal),
        Some(QuarantineCommand::Add(add)) => {
            entries(&file, terminal).map(|all| add_to(&file, &all, add, today))
        }
        Some(QuarantineCommand::Remove(gone)) => {
            entries(&file, terminal).map(|all| remove_from(&file, &all, gone, today))
        }
    };
    match edited {
        None => EXIT_USAGE,
        Some(Ok(told)) => {
            Streams.out(&told);
            0
        }
        Some(Err(why)) => refuse(&why),
    }
}

/// The entries of one file, which may not be there yet; none after complaints.
fn entries(file: &PathBuf, terminal: Terminal) -> Option<Vec<Entry>> {
    let there = if host::is_there(file) { std::slice::from_ref(file) } else { &[] };
    read_all(there, terminal)
}

/// Those of the file that is named, else of all that a run of `scenarios/` would find.
fn found(args: &QuarantineArgs, terminal: Terminal) -> Result<(Vec<PathBuf>, Vec<Entry>), u8> {
    let named: Vec<PathBuf> = args.quarantine.iter().cloned().collect();
    let files = files(&[PathBuf::from("scenarios")], &named).map_err(|why| refuse(&why))?;
    let entries = read_all(&files, terminal).ok_or(EXIT_USAGE)?;
    Ok((files, entries))
}

fn list(args: &QuarantineArgs, today: Date, terminal: Terminal) -> u8 {
    let (files, entries) = match found(args, terminal) {
        Ok(found) => found,
        Err(code) => return code,
    };
    Streams.out(&match args.format {
        ListFormat::Json => listed_json(&entries, today),
        ListFormat::Table if entries.is_empty() => "nothing is in quarantine\n".to_owned(),
        ListFormat::Table => files.iter().map(|file| listed(file, &entries, today)).collect(),
    });
    0
}

fn listed(file: &Path, entries: &[Entry], today: Date) -> String {
    let name = file.display().to_string();
    let mut out = format!("{}\n", clean::line(&name, SHOWN));
    for entry in entries.iter().filter(|entry| entry.file == name) {
        let [what, reason, owner] =
            [entry.what(), entry.reason.clone(), entry.owner.clone()].map(|text| clean::line(&text, SHOWN));
        out += &format!("  {what}\n      {}: {reason} ({owner})\n", ends(entry, today));
    }
    out
}

/// `until 2026-12-01, 7 more days`, `LAPSES TOMORROW, 2026-12-01`, `LAPSED with 2026-12-01, it gates again`.
fn ends(entry: &Entry, today: Date) -> String {
    let until = entry.until;
    match days_left(until, today) {
        left if left < 0 => format!("LAPSED with {until}, it gates again"),
        0 => format!("LAPSES TODAY, {until}"),
        1 => format!("LAPSES TOMORROW, {until}"),
        left if left <= SOON => format!("LAPSES IN {left} DAYS, with {until}"),
        left => format!("until {until}, {left} more days"),
    }
}

/// Whole days from today to the last day; negative once it is past.
fn days_left(until: Date, today: Date) -> i32 {
    (until - today).get_days()
}

fn listed_json(entries: &[Entry], today: Date) -> String {
    let one = |entry: &Entry| -> Value {
        json!({
            "file": entry.file, "line": entry.place.line,
            "serial": entry.serial, "devices": entry.devices.as_ref().map(|devices| &devices.text),
            "scenario": entry.scenario, "window": entry.window,
            "reason": entry.reason, "owner": entry.owner, "until": entry.until.to_string(),
            "days_left": days_left(entry.until, today), "lapsed": entry.is_lapsed(today),
        })
    };
    let all = json!({
        "format": FORMAT, "today": today.to_string(), "entries": entries.iter().map(one).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

fn check(args: &QuarantineArgs, today: Date, terminal: Terminal) -> u8 {
    let (files, entries) = match found(args, terminal) {
        Ok(found) => found,
        Err(code) => return code,
    };
    for file in &files {
        let name = file.display().to_string();
        let own: Vec<&Entry> = entries.iter().filter(|entry| entry.file == name).collect();
        let count = if own.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", own.len()) };
        Streams.out(&format!("ok  {}  {count}\n", clean::line(&name, SHOWN)));
        for entry in own.into_iter().filter(|entry| entry.is_lapsed(today)) {
            let what = clean::line(&entry.what(), SHOWN);
            let words = format!("lapsed with {}, {what} gates again; remove it", entry.until);
            Streams.out(&format!("    line {}: {words}\n", entry.place.line));
        }
    }
    if files.is_empty() {
        Streams.out("nothing is in quarantine: there is no quarantine.yaml\n");
    }
    0
}

fn add_to(file: &Path, before: &[Entry], args: &AddArgs, today: Date) -> Result<String, CommandError> {
    let new = new_entry(file, args, today)?;
    let text = text_of(file)?;
    let name = file.display().to_string();
    let same: BTreeSet<usize> = numbers(before, |entry| is_of_same(entry, &new));
    let (text, kept) = if same.is_empty() {
        (text, before.to_vec())
    } else {
        let text = removed(&name, &text, before, &same).map_err(|why| why.to_string())?;
        let kept = farmjank_scenarios::read::quarantine(&source(&name, &text)).unwrap_or_default();
        (text, kept)
    };
    let text = added(&name, &text, &kept, &new).map_err(|why| why.to_string())?;
    host::write_file(file, text.as_bytes())?;
    let word = if same.is_empty() { "in quarantine" } else { "still in quarantine" };
    let what = clean::line(&new.what(), SHOWN);
    let left = days_left(new.until, today);
    let days = if left == 1 { "1 more day".to_owned() } else { format!("{left} more days") };
    Ok(format!("{}: {what} is {word} until {} ({days})\n", clean::line(&name, SHOWN), new.until))
}

fn source(name: &str, text: &str) -> farmjank_scenarios::read::SourceFile {
    farmjank_scenarios::read::SourceFile { name: name.to_owned(), text: text.as_bytes().to_vec() }
}

fn new_entry(file: &Path, args: &AddArgs, today: Date) -> Result<Entry, CommandError> {
    let QuarantinedArgs { serial, devices, scenario, window } = &args.of;
    if serial.is_none() && devices.is_none() && scenario.is_none() {
        return Err("say of what: -s SERIAL or --devices EXPR, --scenario NAME, or both".into());
    }
    let day = |text: &str| {
        let date = Date::strptime("%Y-%m-%d", text.trim());
        date.map_err(|_| usage!("--until: `{text}` is not a day; write it as 2026-12-31"))
    };
    let until = match (&args.until, &args.for_days) {
        (Some(text), _) => day(text)?,
        (None, Some(text)) => {
            let days = (age(text).map_err(|why| usage!("--for: {why}"))?.as_hours() + 23) / 24;
            let ahead = jiff::Span::new().try_days(days);
            ahead
                .and_then(|span| today.checked_add(span))
                .map_err(|_| usage!("--for: `{text}` is too long"))?
        }
        (None, None) => return Err("say until when: --until DATE or --for 7d".into()),
    };
    if until < today {
        return Err(usage!("--until: {until} is past"));
    }
    let given = |flag: &str, text: &str| match text.trim() {
        "" => Err(usage!("{flag} is empty")),
        text => Ok(text.to_owned()),
    };
    Ok(Entry {
        file: file.display().to_string(),
        place: Default::default(),
        serial: serial.clone(),
        devices: devices.as_deref().map(|text| requirement("--devices", text)).transpose()?,
        scenario: scenario.clone(),
        window: window.clone(),
        reason: given("--reason", &args.reason)?,
        owner: given("--owner", &args.owner)?,
        until,
    })
}

fn numbers(entries: &[Entry], wanted: impl Fn(&Entry) -> bool) -> BTreeSet<usize> {
    entries.iter().enumerate().filter(|(_, entry)| wanted(entry)).map(|(number, _)| number).collect()
}

fn is_of_same(a: &Entry, b: &Entry) -> bool {
    let of = |entry: &Entry| {
        let devices = entry.devices.as_ref().map(|devices| devices.text.clone());
        (entry.serial.clone(), devices, entry.scenario.clone(), entry.window.clone())
    };
    of(a) == of(b)
}

fn remove_from(
    file: &Path,
    before: &[Entry],
    args: &RemoveQuarantineArgs,
    today: Date,
) -> Result<String, CommandError> {
    let QuarantinedArgs { serial, devices, scenario, window } = &args.of;
    if !args.lapsed && serial.is_none() && devices.is_none() && scenario.is_none() {
        return Err("say which: -s SERIAL, --devices EXPR, --scenario NAME, or --lapsed".into());
    }
    fn says<T: PartialEq + ?Sized>(asked: Option<&T>, own: Option<&T>) -> bool {
        asked.is_none() || asked == own
    }
    let gone = numbers(before, |entry| {
        says(serial.as_deref(), entry.serial.as_deref())
            && says(devices.as_deref().map(str::trim), entry.devices.as_ref().map(|own| own.text.as_str()))
            && says(scenario.as_deref(), entry.scenario.as_deref())
            && says(window.as_deref(), entry.window.as_deref())
            && (!args.lapsed || entry.is_lapsed(today))
    });
    let name = file.display().to_string();
    if gone.is_empty() {
        return Err(usage!("{name}: no entry is of that; `farmjank quarantine` lists them"));
    }
    let text = removed(&name, &text_of(file)?, before, &gone).map_err(|why| why.to_string())?;
    host::write_file(file, text.as_bytes())?;
    let told = |number: &usize| {
        let what = before.get(*number).map(Entry::what).unwrap_or_default();
        format!("{}: {} gates again\n", clean::line(&name, SHOWN), clean::line(&what, SHOWN))
    };
    Ok(gone.iter().map(told).collect())
}
