//! `farmjank lab health`: the phones of a lab over some days, told. For a terminal, and as JSON ([`json`]).
//!
//! Pure: counts in, text out. Must not know: logs, how a phone comes to stand out. Every line fits.

mod shape;

pub use shape::json;

use crate::clean::{NAME, SENTENCE};
use crate::paint::{self, TextStyle, Tint, left, right, wrap};
use crate::words::{grouped, several};
use farmjank_results::fault::FaultCode;
use farmjank_results::lab_health::{LEAST_DAYS, LabHealth, Period, PhoneDay, PhoneHealth, Standing};
use farmjank_results::recovery::RecoveryStep;

/// Logs that are named as not read.
const MOST: usize = 20;
/// Least room for the name of a phone.
const NAMED: usize = 14;
/// The columns beside the phone and their widths; the last ones give way on a narrow terminal.
const COLUMNS: [(&str, usize); 9] = [
    ("trouble", 9),
    ("jobs", 6),
    ("iter.", 7),
    ("left", 6),
    ("helped", 7),
    ("moved", 6),
    ("faults", 7),
    ("void", 6),
    ("temp", 6),
];

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct HealthView<'a> {
    /// The counts.
    pub health: &'a LabHealth,
    /// Of when.
    pub period: Period,
    /// Where the logs are kept, in words.
    pub place: &'a str,
    /// What could not be read: name and why.
    pub skipped: &'a [(String, String)],
    /// Runs of virtual labs, which are left out.
    pub virtual_runs: usize,
}

/// The table: a row for each phone, below it its days of trouble; then what follows.
pub fn table(view: &HealthView<'_>, style: TextStyle) -> String {
    let mut lines = heading(view, style);
    if !view.health.phones.is_empty() {
        lines.push(String::new());
        lines.push(titles(style));
    }
    for phone in &view.health.phones {
        lines.push(row(phone, style));
        lines.extend(days(phone, style));
    }
    lines.push(String::new());
    let out = view.health.out().next().is_some();
    for said in sentences(view.health) {
        let text = wrap(&style.text(&said, SENTENCE), style.columns(), 2);
        let tint = if out { Tint::Bad } else { Tint::Strong };
        lines.extend(text.iter().map(|line| style.paint(tint, line)));
    }
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

fn heading(view: &HealthView<'_>, style: TextStyle) -> Vec<String> {
    let day = |at: jiff::Timestamp| at.strftime("%Y-%m-%d %H:%M").to_string();
    let place = style.text(view.place, NAME);
    let runs = several(view.health.runs, "run", "runs");
    let title = format!("{runs} of {place}, {} to {} UTC", day(view.period.from), day(view.period.to));
    let mut lines = wrap(&title, style.columns(), 2);
    let mut say = |words: String| lines.extend(wrap(&words, style.columns(), 2));
    if view.health.counted_elsewhere > 0 {
        let logs = several(view.health.counted_elsewhere, "log is", "logs are");
        say(format!("{logs} of runs that another log tells, as a copy or merged: each run counts once"));
    }
    if view.virtual_runs > 0 {
        let runs = several(view.virtual_runs, "run", "runs");
        say(format!("{runs} of virtual labs left out; --virtual counts them"));
    }
    for (name, why) in view.skipped.iter().take(MOST) {
        say(format!("not counted: {}: {}", style.text(name, NAME), style.text(why, SENTENCE)));
    }
    if view.skipped.len() > MOST {
        say(format!("not counted: {} more; --format json names them", view.skipped.len() - MOST));
    }
    lines
}

/// How many columns fit whole, and the room beside them.
fn fits(style: TextStyle) -> (usize, usize) {
    let (mut shown, mut room) = (0, style.columns());
    while shown < COLUMNS.len() && room >= NAMED + COLUMNS[shown].1 {
        room -= COLUMNS[shown].1;
        shown += 1;
    }
    (shown, room.min(48))
}

fn titles(style: TextStyle) -> String {
    let (shown, room) = fits(style);
    let columns: String = COLUMNS[..shown].iter().map(|(title, wide)| right(title, *wide)).collect();
    style.paint(Tint::Quiet, &(left("phone", room) + &columns))
}

/// `Pixel 7 (2A171FDH20)   5 of 7    56   560     3 …`.
fn row(phone: &PhoneHealth, style: TextStyle) -> String {
    let all = phone.total();
    let sum = |counts: &mut dyn Iterator<Item = &u32>| {
        counts.fold(0u32, |sum, count| sum.saturating_add(*count)).to_string()
    };
    let values = [
        format!("{} of {}", phone.troubled(), phone.days.len()),
        all.jobs.to_string(),
        all.iterations.to_string(),
        all.left.to_string(),
        sum(&mut all.recovered.values()),
        all.moved.to_string(),
        sum(&mut all.faults.values()),
        all.void.to_string(),
        all.heat.hottest.map_or_else(|| "–".to_owned(), |celsius| format!("{celsius:.1}")),
    ];
    let (shown, room) = fits(style);
    let columns: String =
        values.iter().zip(COLUMNS).take(shown).map(|(value, (_, wide))| right(value, wide)).collect();
    let row = paint::phone(&style.text(&named(phone), NAME), false, room) + &columns;
    match phone.standing {
        Standing::Out { .. } => style.paint(Tint::Bad, &row),
        Standing::Among => row,
        Standing::Untold => style.paint(Tint::Quiet, &row),
    }
}

/// `Pixel 7 (2A171FDH20)`; the serial alone where the model is not known.
fn named(phone: &PhoneHealth) -> String {
    match &phone.model {
        Some(model) => format!("{model} ({})", phone.device),
        None => phone.device.0.clone(),
    }
}

fn days(phone: &PhoneHealth, style: TextStyle) -> Vec<String> {
    let troubled = phone.days.iter().filter(|(_, day)| day.is_troubled() || day.heat.throttled > 0);
    let one = |(date, day): (&jiff::civil::Date, &PhoneDay)| {
        let words = style.text(&happened(day).join(", "), SENTENCE);
        let lines = wrap(&words, style.columns(), 14);
        let first = format!("  {date}  {}", lines.first().map_or("", String::as_str));
        std::iter::once(first).chain(lines.into_iter().skip(1)).collect::<Vec<String>>()
    };
    troubled.flat_map(one).collect()
}

/// What happened on a day, in words: `left 3 ×`, `booted`, `the phone is too hot … 2 ×`.
fn happened(day: &PhoneDay) -> Vec<String> {
    let times = |what: &str, count: u32| match count {
        0 => None,
        1 => Some(what.to_owned()),
        count => Some(format!("{what} {count} ×")),
    };
    let mut all = vec![times("left its adb server or went offline", day.left)];
    all.extend(day.recovered.iter().map(|(step, count)| times(done(*step), *count)));
    all.push(times("lost a job to another phone", day.moved));
    all.extend(day.faults.iter().map(|(code, count)| times(&meant(code), *count)));
    all.push(match day.heat.throttled {
        0 => None,
        1 => Some("slowed itself down in a window".to_owned()),
        windows => Some(format!("slowed itself down in {windows} windows")),
    });
    all.into_iter().flatten().collect()
}

fn done(step: RecoveryStep) -> &'static str {
    match step {
        RecoveryStep::Reopen => "its connection was opened anew",
        RecoveryStep::Reconnect => "connected anew by the server",
        RecoveryStep::Reboot => "booted",
    }
}

fn meant(code: &FaultCode) -> String {
    match code {
        FaultCode::Unlisted(_) => format!("{code} (a newer farmjank knows what it means)"),
        code => code.meaning().to_owned(),
    }
}

/// What follows for the lab: which phones to replace, or why none is named.
pub(super) fn sentences(health: &LabHealth) -> Vec<String> {
    let named: Vec<String> = health.out().map(|(phone, chance)| replace(health, phone, chance)).collect();
    let untold = health.phones.iter().filter(|phone| phone.standing == Standing::Untold).count();
    let all = health.phones.len();
    let more = "look at more days, such as --since 30d";
    match (named.is_empty(), all, untold) {
        (false, ..) => named,
        (_, 0, _) => vec!["no run needed a phone in this time: nothing is known of any".to_owned()],
        (_, 1, _) => {
            vec!["nothing can be told of one phone: there is no other to hold it against".to_owned()]
        }
        (_, _, 0) => vec![format!("none of {all} phones stands out of the others")],
        (_, _, untold) if untold == all => vec![format!(
            "nothing can be told of any phone: a phone is named after {LEAST_DAYS} days of trouble or more, and far more \
             than the others; {more}"
        )],
        (_, _, untold) => {
            vec![format!("none stands out; nothing can be told of {untold} of {all} phones: {more}")]
        }
    }
}

fn replace(health: &LabHealth, phone: &PhoneHealth, chance: f64) -> String {
    let (troubled, days) = health.others(&phone.device);
    let once = grouped((1.0 / chance.max(1e-9)) as u64);
    format!(
        "replace {}, or first its cable and port: trouble on {} of its {} days, on {troubled} of {days} of the others (by \
         chance once in {once} such labs); until then `farmjank quarantine add -s` keeps it out of the gate",
        named(phone),
        phone.troubled(),
        phone.days.len(),
    )
}
