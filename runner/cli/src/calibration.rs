//! What a calibrating run found: how much numbers move when nothing changed, and which phones differ from themselves.
//! Kept where there is a store, told in words, judged as an exit code.

use crate::command_error::{CommandError, usage};
use farmjank_history::History;
use farmjank_reporters::{clean, paint};
use farmjank_results::compare::{
    AbRules, CUSTOMARY, Itself, Noise, Role, Source, interleaved, noise, selves,
};
use farmjank_results::metric::Unit;
use farmjank_results::metrics;
use farmjank_results::record::Record;
use farmjank_results::verdict::{Verdict, exit_word};
use farmjank_seams::history::{Calibration, SelfTest};

/// Sessions of a cell that tell how sessions differ.
const SESSIONS: usize = 20;

/// What a calibrating run found.
pub struct Found {
    noise: Vec<Noise>,
    phones: Vec<(Itself, bool)>,
    /// What could not be told of a window, in words.
    untold: Vec<String>,
    /// Why it was not kept, or only in part.
    trouble: Option<CommandError>,
}

/// What a run found of its phones, and keeps it where there is a store.
pub fn found(record: &Record, ab_rules: &AbRules, mut store: Option<&mut History>) -> Found {
    let compared = interleaved(Source::default(), record, ab_rules, 0);
    let noise = noise(&compared, |key| {
        let known = store.as_deref_mut().and_then(|store| store.cell(key, SESSIONS).ok()).unwrap_or_default();
        known.into_iter().filter(|session| session.run != record.header.run).collect()
    });
    let mut trouble = None;
    let failed_before = |itself: &Itself, store: &mut Option<&mut History>| {
        let known = store.as_deref_mut()?.self_tests(Some(&itself.device)).ok()?;
        known.into_iter().find(|test| test.run != record.header.run).map(|test| test.failed)
    };
    let mut phones = Vec::new();
    for itself in selves(&compared) {
        let again = !itself.differing.is_empty() && failed_before(&itself, &mut store) == Some(true);
        phones.push((itself, again));
    }
    match store {
        Some(store) => trouble = keep(record, &noise, &phones, store).err(),
        None => {
            trouble.get_or_insert_with(|| "nothing of it is kept: --history says where".into());
        }
    }
    let decisive = compared.cells.iter().filter(|cell| cell.role == Role::Primary);
    let untold = decisive.filter(|cell| cell.estimate.is_none()).map(|cell| cell.sentence.clone()).collect();
    Found { noise, phones, untold, trouble }
}

fn keep(
    record: &Record,
    noise: &[Noise],
    phones: &[(Itself, bool)],
    store: &mut History,
) -> Result<(), CommandError> {
    let (run, wall) = (&record.header.run, &record.header.wall);
    let cells = noise.iter().map(|noise| Calibration {
        key: noise.key.clone(),
        run: run.clone(),
        wall: wall.clone(),
        iterations: noise.iterations as u64,
        sd: noise.sd,
        session_sd: noise.session_sd,
        mde: noise.detectable(CUSTOMARY, CUSTOMARY).unwrap_or_default(),
    });
    let tests = phones.iter().map(|(itself, _)| SelfTest {
        device: itself.device.clone(),
        run: run.clone(),
        wall: wall.clone(),
        cells: itself.cells,
        differing: u32::try_from(itself.differing.len()).unwrap_or(u32::MAX),
        failed: !itself.differing.is_empty(),
    });
    let (cells, tests): (Vec<_>, Vec<_>) = (cells.collect(), tests.collect());
    store.calibrate(&cells, &tests).map_err(|fault| usage!("it is not kept: {fault}"))
}

impl Found {
    /// The exit code: phones that failed twice are not to be measured with, and what cannot be told is never green.
    pub fn code(&self, record: &Record) -> u8 {
        let own = record.verdict.unwrap_or(Verdict::Broken);
        let quarantined = self.phones.iter().any(|(_, again)| *again);
        match record.exit_code {
            Some(code) if record.interrupted.is_some() || own == Verdict::Broken => code,
            Some(code) if self.noise.is_empty() => code.max(Verdict::Undecided.exit_code()),
            _ if quarantined => Verdict::Undecided.exit_code(),
            code => code.unwrap_or(Verdict::Broken.exit_code()),
        }
    }

    /// Why the exit code is not the one the run ended with, in words.
    fn why_other(&self) -> &'static str {
        if self.noise.is_empty() { "nothing could be compared" } else { "a phone differed from itself twice" }
    }

    /// For people: a line per cell, then the phones that differ from themselves, and the exit code where the run's own
    /// is not the last word.
    pub fn text(&self, record: &Record) -> String {
        let mut rows = vec![
            ["PHONE", "WINDOW", "METRIC", "NOISE", "BETWEEN RUNS", "CATCHES AT 15 + 15"].map(str::to_owned),
        ];
        rows.extend(self.noise.iter().map(row));
        let mut text = "\nwhat moves when nothing changed:\n".to_owned();
        text +=
            &if self.noise.is_empty() { "no window could be compared\n".to_owned() } else { table(&rows) };
        for sentence in &self.untold {
            text += &format!("? {}\n", clean::line(sentence, 400));
        }
        for (itself, again) in &self.phones {
            let device = clean::line(&itself.device.0, 80);
            for sentence in &itself.differing {
                text += &format!("\n{device} differs from itself: {}\n", clean::line(sentence, 400));
            }
            if *again {
                text += &format!(
                    "✗ {device} differed from itself twice: do not judge builds with it; see what runs on it, how warm it gets, its cable\n"
                );
            } else if !itself.differing.is_empty() {
                text += "once may be chance; calibrate it again\n";
            }
        }
        if let Some(trouble) = &self.trouble {
            text += &format!("\n{}\n", clean::line(&trouble.to_string(), 400));
        }
        let code = self.code(record);
        if record.exit_code != Some(code) {
            text += &format!("\nexit {code} ({}): {}\n", exit_word(code), self.why_other());
        }
        text
    }
}

fn row(noise: &Noise) -> [String; 6] {
    let unit = metrics::find(&noise.key.metric).map(|metric| metric.unit);
    let symbol = unit.filter(|unit| *unit != Unit::Count).map_or("", |unit| unit.symbol());
    let amount = |value: f64| format!("{value:.1} {symbol}").trim_end().to_owned();
    let key = &noise.key;
    // Launches alone show no refresh rate.
    let phone = match key.refresh {
        0 => key.model.clone(),
        hz => format!("{} ({hz} Hz)", key.model),
    };
    [
        clean::line(&phone, 60),
        clean::line(&format!("{} › {}", key.scenario, key.window), 80),
        clean::line(&key.metric, 40),
        amount(noise.sd),
        noise.session_sd.map_or_else(|| "?".to_owned(), |sd| format!("{:.0} %", 100.0 * sd)),
        noise
            .detectable(CUSTOMARY, CUSTOMARY)
            .map_or_else(|| "?".to_owned(), |mde| format!("±{}", amount(mde))),
    ]
}

fn table(rows: &[[String; 6]]) -> String {
    let width = |column: usize| rows.iter().map(|row| paint::width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| paint::left(cell, *width)).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
