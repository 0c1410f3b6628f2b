//! `farmjank.toml` to values, with every complaint at its place: TOML first, then keys, then what they take.

use crate::key::{FOR_PHONES, KEYS, Key, Kind};
use crate::value::{Value, Wrong, filter};
use farmjank_leaf::nearest::nearest;
use farmjank_scenarios::complaint::{Complaint, choice, quoted};
use farmjank_scenarios::complaint_in;
use farmjank_scenarios::place::Place;
use farmjank_scenarios::prepare::Wishes;
use farmjank_scenarios::scenario::PhoneSettings;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Largest file that is read, bytes.
pub const FILE_BYTES: usize = 1 << 20;
/// The sections a file has.
const SECTIONS: [&str; 3] = ["default", "profile", "overrides"];
/// Which profile a profile adds to.
const INHERITS: &str = "inherits";
/// What stands only for some phones.
const OVERRIDES: &str = "overrides";
/// Which phones.
const DEVICES: &str = "devices";

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Its name, for people.
    pub file: String,
    pub(crate) default: Section,
    pub(crate) profiles: BTreeMap<String, Section>,
}

/// One table of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Section {
    pub(crate) inherits: Option<String>,
    pub(crate) values: BTreeMap<&'static str, (Value, Place)>,
    pub(crate) overrides: Vec<(PhoneSettings, Place)>,
}

impl Config {
    /// Reads a file that lies in `root`, from where the command is run; `root` is empty where that is the same folder.
    ///
    /// # Errors
    /// Every complaint, in order of lines.
    pub fn read(file: &str, bytes: &[u8], root: &str) -> Result<Config, Vec<Complaint>> {
        if bytes.len() > FILE_BYTES {
            let what = format!("the file has {} bytes; at most {FILE_BYTES} are read", bytes.len());
            return Err(vec![complaint_in((file, ""), 0..0, what, "")]);
        }
        let text = String::from_utf8_lossy(bytes);
        if let std::borrow::Cow::Owned(lossy) = &text {
            let at = bytes.iter().zip(lossy.bytes()).position(|(a, b)| *a != b).unwrap_or_default();
            let what = format!("byte {} of the file is not UTF-8", at + 1);
            return Err(vec![complaint_in((file, lossy), at..at + 1, what, "save the file as UTF-8")]);
        }
        let (table, errors) = DeTable::parse_recoverable(&text);
        let mut reader = Reader { file, text: &text, root, complaints: Vec::new() };
        for error in errors {
            let at = error.span().unwrap_or(0..0);
            reader.complain(at, error.message().to_owned(), "");
        }
        let mut config = reader.document(table.get_ref());
        config.file = file.to_owned();
        reader.inheritance(table.get_ref(), &config);
        let mut complaints = reader.complaints;
        complaints.sort();
        complaints.dedup();
        if complaints.is_empty() { Ok(config) } else { Err(complaints) }
    }

    /// Names of its profiles.
    pub fn profiles(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    root: &'t str,
    complaints: Vec<Complaint>,
}

impl Reader<'_> {
    fn complain(&mut self, at: Range<usize>, what: impl Into<String>, instead: impl Into<String>) {
        self.complaints.push(complaint_in((self.file, self.text), at, what, instead));
    }

    fn place(&self, at: Range<usize>) -> Place {
        complaint_in((self.file, self.text), at, "", "").place
    }

    fn unknown(&mut self, at: Range<usize>, name: &str, of: &str, known: &[&str]) {
        let instead = match nearest(name, known.iter().copied()) {
            Some(near) => format!("write `{near}`"),
            None if Key::named(name).is_some() => "it stands under `[default]` or a profile".to_owned(),
            None if known.len() < 8 => format!("there are {}", choice(known.iter().copied())),
            None => "`farmjank schema config` lists them".to_owned(),
        };
        self.complain(at, format!("unknown key {} in {of}", quoted(name)), instead);
    }

    fn table<'v, 'i>(&mut self, value: &'v Spanned<DeValue<'i>>, what: &str) -> Option<&'v DeTable<'i>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        self.complain(value.span(), format!("{what} is a table"), String::new());
        None
    }

    fn document(&mut self, table: &DeTable<'_>) -> Config {
        let mut config = Config::default();
        for (name, value) in table {
            match name.get_ref().as_ref() {
                "default" => {
                    let read =
                        self.table(value, "`default`").map(|table| self.section(table, "`default`", false));
                    config.default.values.extend(read.unwrap_or_default().values);
                }
                "profile" => {
                    for (name, value) in self.table(value, "`profile`").into_iter().flatten() {
                        let own = format!("profile {}", quoted(name.get_ref()));
                        let Some(table) = self.table(value, &own) else { continue };
                        let section = self.section(table, &own, true);
                        config.profiles.insert(name.get_ref().to_string(), section);
                    }
                }
                OVERRIDES => config.default.overrides = self.overrides(value),
                other => self.unknown(name.span(), other, "the file", &SECTIONS),
            }
        }
        config
    }

    fn section(&mut self, table: &DeTable<'_>, of: &str, is_profile: bool) -> Section {
        let mut section = Section::default();
        for (name, value) in table {
            match (name.get_ref().as_ref(), is_profile) {
                (INHERITS, true) => match value.get_ref() {
                    DeValue::String(parent) => section.inherits = Some(parent.to_string()),
                    _ => self.complain(value.span(), "`inherits` takes the name of a profile", ""),
                },
                (OVERRIDES, true) => section.overrides = self.overrides(value),
                (name_, _) => {
                    let Some(key) = Key::named(name_) else {
                        let own = if is_profile { &[INHERITS, OVERRIDES][..] } else { &[] };
                        let known: Vec<&str> =
                            KEYS.iter().map(|key| key.name).chain(own.iter().copied()).collect();
                        self.unknown(name.span(), name_, of, &known);
                        continue;
                    };
                    if let Some(read) = self.value(key, value) {
                        section.values.insert(key.name, (read, self.place(name.span())));
                    }
                }
            }
        }
        section
    }

    fn value(&mut self, key: &'static Key, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        match Value::of_toml(key.name, key.kind, value.get_ref(), self.root) {
            Ok(read) => Some(read),
            Err(wrong) => {
                self.wrong(value, wrong);
                None
            }
        }
    }

    /// A place inside a text is one inside the file where the text stands there as it is, between its quotes.
    fn wrong(&mut self, value: &Spanned<DeValue<'_>>, wrong: Wrong) {
        let (span, mut at) = (value.span(), value.span());
        if let (Some(inside), DeValue::String(text)) = (wrong.at, value.get_ref())
            && self.text.get(span.start + 1..span.end.saturating_sub(1)) == Some(text)
        {
            at = span.start + 1 + inside.start..span.start + 1 + inside.end.max(inside.start + 1);
        }
        self.complain(at, wrong.what, wrong.instead);
    }

    fn overrides(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<(PhoneSettings, Place)> {
        let DeValue::Array(items) = value.get_ref() else {
            self.complain(value.span(), "`overrides` is a list of tables", "write `[[overrides]]`");
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items.iter() {
            if let Some(table) = self.table(item, "an override")
                && let Some(settings) = self.for_phones(table, item.span())
            {
                found.push((settings, self.place(item.span())));
            }
        }
        found
    }

    fn for_phones(&mut self, table: &DeTable<'_>, whole: Range<usize>) -> Option<PhoneSettings> {
        let (mut devices, mut settings) = (None, PhoneSettings::default());
        for (name, value) in table {
            let key = name.get_ref().as_ref();
            if key == DEVICES {
                devices = Some(match value.get_ref() {
                    DeValue::String(text) => filter(text),
                    _ => Err(Wrong {
                        at: None,
                        what: "`devices` takes a device filter".to_owned(),
                        instead: String::new(),
                    }),
                });
                if let Some(Err(wrong)) = devices.clone() {
                    self.wrong(value, wrong);
                }
                continue;
            }
            let Some(key) = Key::named(key).filter(|key| FOR_PHONES.contains(&key.name)) else {
                let known: Vec<&str> = [DEVICES].iter().chain(FOR_PHONES).copied().collect();
                let near = nearest(key, known.iter().copied()).is_some();
                match Key::named(key) {
                    Some(_) if !near => {
                        let instead = format!("for some phones there are {}", choice(known));
                        self.complain(
                            name.span(),
                            format!("{} is the same on every phone", quoted(key)),
                            instead,
                        );
                    }
                    _ => self.unknown(name.span(), key, "an override", &known),
                }
                continue;
            };
            let number = |read: &Value| read.texts().first().and_then(|text| text.parse().ok());
            match (key.name, self.value(key, value)) {
                ("iterations", Some(read)) => settings.iterations = number(&read),
                ("warmup", Some(read)) => settings.warmup = number(&read),
                (_, Some(read)) if key.kind == Kind::Wishes => {
                    settings.wishes = Wishes::read(read.texts()).unwrap_or_default();
                }
                _ => {}
            }
        }
        match devices {
            Some(devices) => settings.devices = devices.ok()?,
            None => {
                let at = whole.start..whole.start + 1;
                self.complain(
                    at,
                    "an override without `devices` is for no phone",
                    "add for example `devices = \"refresh >= 120\"`",
                );
                return None;
            }
        }
        Some(settings)
    }

    /// Parents that are not there, and circles of them.
    fn inheritance(&mut self, table: &DeTable<'_>, config: &Config) {
        let profiles = table.iter().find(|(name, _)| name.get_ref() == "profile");
        let Some((_, DeValue::Table(profiles))) = profiles.map(|(name, value)| (name, value.get_ref()))
        else {
            return;
        };
        for (name, value) in profiles {
            let DeValue::Table(own) = value.get_ref() else { continue };
            let Some((_, parent)) = own.iter().find(|(key, _)| key.get_ref() == INHERITS) else { continue };
            let DeValue::String(wanted) = parent.get_ref() else { continue };
            if !config.profiles.contains_key(wanted.as_ref()) {
                let instead = near_profile(config, wanted);
                self.complain(parent.span(), format!("no profile is called {}", quoted(wanted)), instead);
            } else if config.lineage(name.get_ref()).is_none() {
                let what = format!("profile {} inherits from itself", quoted(name.get_ref()));
                self.complain(parent.span(), what, "inherit from another");
            }
        }
    }
}

/// What to write where a profile is not there.
pub(crate) fn near_profile(config: &Config, wanted: &str) -> String {
    let known: Vec<&str> = config.profiles().collect();
    match nearest(wanted, known.iter().copied()) {
        Some(near) => format!("write `{near}`"),
        None if known.is_empty() => "the file has none".to_owned(),
        None => format!("there are {}", choice(known)),
    }
}

impl Config {
    /// A profile and those it inherits from, itself first; none in a circle.
    pub(crate) fn lineage<'c>(&'c self, profile: &'c str) -> Option<Vec<(&'c str, &'c Section)>> {
        let mut line: Vec<(&str, &Section)> = Vec::new();
        let mut next = Some(profile);
        while let Some(name) = next {
            if line.iter().any(|(before, _)| *before == name) {
                return None;
            }
            let Some(section) = self.profiles.get(name) else { break };
            line.push((name, section));
            next = section.inherits.as_deref();
        }
        Some(line)
    }
}
