//! What counts of what is said: flag, then environment, then the profile and those it inherits from, then `default`,
//! then what is built in. Each value knows where it comes from. What does not go with a value of a higher level steps
//! back, and says why.

use crate::key::{KEYS, Key, Kind};
use crate::read::{Config, Section, near_profile};
use crate::value::Value;
use farmjank_scenarios::place::Place;
use farmjank_scenarios::scenario::PhoneSettings;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flag,
    /// This variable.
    Environment(String),
    /// This profile of the file.
    Profile(String, Place),
    /// The table `default` of the file, or its `overrides`.
    Default(Place),
    /// The program.
    BuiltIn,
}

impl Origin {
    /// In words; `file` is the name of the file.
    pub fn words(&self, file: &str) -> String {
        match self {
            Origin::Flag => "flag".to_owned(),
            Origin::Environment(variable) => format!("environment, {variable}"),
            Origin::Profile(name, place) => format!("profile {name}, {file}:{}", place.line),
            Origin::Default(place) => format!("default, {file}:{}", place.line),
            Origin::BuiltIn => "built in".to_owned(),
        }
    }

    /// Its place in the order of what counts, from 0.
    fn rank(&self) -> u8 {
        match self {
            Origin::Flag => 0,
            Origin::Environment(_) => 1,
            Origin::Profile(..) => 2,
            Origin::Default(_) => 3,
            Origin::BuiltIn => 4,
        }
    }

    /// Whether it is said for this one command.
    fn is_of_command(&self) -> bool {
        matches!(self, Origin::Flag | Origin::Environment(_))
    }
}

/// What counts for one key; of [`Kind::Pairs`], for one name of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static Key,
    /// Its value; none where nothing is built in.
    pub value: Option<Value>,
    /// Where it comes from.
    pub origin: Origin,
    /// Why it does not count though it is said; none where it counts.
    pub unused: Option<String>,
}

/// Everything that counts for a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// In the order of [`KEYS`].
    pub settings: Vec<Setting>,
    /// What stands for some phones, and where; later ones win.
    pub overrides: Vec<(PhoneSettings, Origin)>,
}

/// What a command is told beside the file.
pub struct Told<'a> {
    /// Values of the flags that were given.
    pub flags: &'a BTreeMap<&'static str, Vec<String>>,
    /// A variable of the environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Whether the command has a flag.
    pub takes: &'a dyn Fn(&Key) -> bool,
    /// Whether two of its flags do not go together.
    pub conflicts: &'a dyn Fn(&str, &str) -> bool,
    /// What is built in.
    pub built_in: &'a dyn Fn(&Key) -> Option<String>,
}

/// Why nothing counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotSettled {
    /// A profile that is not there.
    #[error("no profile is called `{name}`; {instead}")]
    NoProfile {
        /// It.
        name: String,
        /// What there is.
        instead: String,
    },
    /// A variable that cannot be read.
    #[error("{variable}=`{value}`: {why}")]
    Variable {
        /// Its name.
        variable: String,
        /// Its value.
        value: String,
        /// Why not.
        why: String,
    },
}

/// Says what counts.
///
/// # Errors
/// The profile is not there, or a variable of the environment cannot be read.
pub fn settle(
    config: Option<&Config>,
    profile: Option<&str>,
    told: &Told<'_>,
) -> Result<Settled, NotSettled> {
    let none = Config::default();
    let config = config.unwrap_or(&none);
    if let Some(name) = profile.filter(|name| !config.profiles.contains_key(*name)) {
        return Err(NotSettled::NoProfile { name: name.to_owned(), instead: near_profile(config, name) });
    }
    let lineage = profile.and_then(|name| config.lineage(name)).unwrap_or_default();
    let mut settled = Settled::default();
    for key in KEYS.iter().filter(|key| (told.takes)(key)) {
        settled.settings.extend(levels(key, config, &lineage, told)?);
    }
    settled.step_back(told);
    settled.overrides = overrides(config, &lineage, &settled);
    Ok(settled)
}

/// What is said of a key, of all levels that count.
fn levels(
    key: &'static Key,
    config: &Config,
    lineage: &[(&str, &Section)],
    told: &Told<'_>,
) -> Result<Vec<Setting>, NotSettled> {
    let mut said: Vec<(Value, Origin)> = Vec::new();
    if let Some(texts) = told.flags.get(key.name) {
        let value = match key.kind {
            Kind::Flag => Value::Flag(true),
            kind if kind.is_list() => Value::Many(texts.clone()),
            _ => Value::One(texts.concat()),
        };
        said.push((value, Origin::Flag));
    }
    let variable = key.variable();
    if let Some(text) = (told.env)(&variable).filter(|text| !text.is_empty()) {
        match Value::of_text(key.name, key.kind, &text, "") {
            Ok(value) => said.push((value, Origin::Environment(variable))),
            Err(wrong) if said.is_empty() || key.kind == Kind::Pairs => {
                let why = [wrong.what, wrong.instead].join(" ").trim_end().to_owned();
                return Err(NotSettled::Variable { variable, value: text, why });
            }
            Err(_) => {}
        }
    }
    for (name, section) in lineage {
        if let Some((value, place)) = section.values.get(key.name) {
            said.push((value.clone(), Origin::Profile((*name).to_owned(), *place)));
        }
    }
    if let Some((value, place)) = config.default.values.get(key.name) {
        said.push((value.clone(), Origin::Default(*place)));
    }
    let setting = |(value, origin)| Setting { key, value: Some(value), origin, unused: None };
    if key.kind == Kind::Pairs {
        return Ok(pairs(said).into_iter().map(setting).collect());
    }
    let built_in = || Setting {
        key,
        value: (told.built_in)(key).map(Value::One),
        origin: Origin::BuiltIn,
        unused: None,
    };
    Ok(vec![said.into_iter().next().map_or_else(built_in, setting)])
}

/// Pairs of all levels, each name by its highest.
fn pairs(said: Vec<(Value, Origin)>) -> Vec<(Value, Origin)> {
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    for (value, origin) in said {
        let mut own = BTreeMap::new();
        for text in value.texts() {
            // The last of a name counts, as of flags.
            own.insert(text.split('=').next().unwrap_or_default().to_owned(), text.to_owned());
        }
        for (name, text) in own {
            if names.insert(name) {
                found.push((Value::Many(vec![text]), origin.clone()));
            }
        }
    }
    found
}

impl Settled {
    /// Sets aside what does not go with what is said for this one command, and what means nothing by itself.
    fn step_back(&mut self, told: &Told<'_>) {
        let in_force = |setting: &&Setting| {
            setting.origin != Origin::BuiltIn && setting.value != Some(Value::Flag(false))
        };
        let said: Vec<(&'static str, u8)> =
            self.settings.iter().filter(in_force).map(|one| (one.key.name, one.origin.rank())).collect();
        for setting in &mut self.settings {
            if in_force(&&*setting) {
                let rank = setting.origin.rank();
                let above = |(other, its): &&(&'static str, u8)| {
                    *its < rank && (told.conflicts)(setting.key.name, other)
                };
                setting.unused = said.iter().find(above).map(|(other, _)| format!("`{other}` is given"));
            }
        }
        let counts = |setting: &&Setting| in_force(setting) && setting.unused.is_none();
        let there: BTreeSet<&str> = self.settings.iter().filter(counts).map(|one| one.key.name).collect();
        let flags = told.flags;
        for setting in &mut self.settings {
            let lone = setting.key.needs.filter(|needs| !there.contains(needs) && !flags.contains_key(needs));
            if let Some(needs) = lone.filter(|_| in_force(&&*setting) && setting.origin != Origin::Flag) {
                setting.unused = Some(format!("it needs `{needs}`"));
            }
        }
    }

    /// What flags would say the same: names and values of everything that counts and was not given as a flag.
    pub fn beyond_flags(&self) -> impl Iterator<Item = (&'static Key, &Value)> {
        let counts =
            |one: &&Setting| one.unused.is_none() && !matches!(one.origin, Origin::Flag | Origin::BuiltIn);
        self.settings.iter().filter(counts).filter_map(|one| Some((one.key, one.value.as_ref()?)))
    }
}

/// What stands for some phones, but for what is said for this one command.
fn overrides(
    config: &Config,
    lineage: &[(&str, &Section)],
    settled: &Settled,
) -> Vec<(PhoneSettings, Origin)> {
    let of_command = |name: &str| {
        let said = |one: &&Setting| one.key.name == name && one.origin.is_of_command();
        settled.settings.iter().any(|one| said(&one))
    };
    let default = config.default.overrides.iter().map(|(own, place)| (own, Origin::Default(*place)));
    let profiles = lineage.iter().rev().flat_map(|(name, section)| {
        section.overrides.iter().map(|(own, place)| (own, Origin::Profile((*name).to_owned(), *place)))
    });
    let left = default.chain(profiles).map(|(own, origin)| {
        let mut own = own.clone();
        own.iterations = own.iterations.filter(|_| !of_command("iterations"));
        own.warmup = own.warmup.filter(|_| !of_command("warmup"));
        if of_command("prepare") {
            own.wishes = Default::default();
        }
        (own, origin)
    });
    left.filter(|(own, _)| !own.is_empty()).collect()
}
