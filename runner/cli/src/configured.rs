//! The command line with what `farmjank.toml` and the environment add to it. What is added is read as flags are, by the
//! same parser, so that it cannot mean anything else.

use crate::args::{self, CONFIGURED, Cli, Command, FARM, OF_FARM};
use crate::command_error::{CommandError, usage};
use crate::farm::{has_secret, is_key, told_by_mistake};
use crate::host::{self, Streams};
use crate::settings::refuse;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};
use farmjank_config::key::{KEYS, Key, Kind, SCENARIOS};
use farmjank_config::{Config, FILE_BYTES, Setting, Settled, Told, Value, settle};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_results::verdict::EXIT_USAGE;
use farmjank_scenarios::scenario::PhoneSettings;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file's usual name.
const FILE: &str = "farmjank.toml";
/// Which file, and which profile of it, in the environment.
const CONFIG: &str = "FARMJANK_CONFIG";
const PROFILE: &str = "FARMJANK_PROFILE";
/// Flags of one command that mean something else there than the key of their name.
const OTHERWISE: [(&str, &str); 6] = [
    ("doctor", "out"),
    ("fetch", "out"),
    // What takes something away, or bounds it, is told of whom and by how much where it is typed.
    ("doctor", "farm-storage"),
    ("gc", "team"),
    // It keeps runs of everybody, not those of this folder.
    ("keep", "history"),
    ("keep", "label"),
];

/// What goes together on one level alone: a lab is played here though a file names a farm, and a farm is asked though a
/// file names a lab.
const APART: [&str; 2] = ["lab", "farm"];

/// Why there is no command.
pub enum NotParsed {
    /// Help was asked for, or the words make no sense.
    Words(clap::Error),
    /// It was said why; the exit code.
    Refused(u8),
}

/// What counts for a command.
pub struct Configured {
    /// The file's name; none where there is none.
    pub file: Option<String>,
    /// The profile that was asked for.
    pub profile: Option<String>,
    /// Every value.
    pub settled: Settled,
}

/// Reads the command line, the program's name first.
///
/// # Errors
/// It makes no sense, by itself or with what is added.
pub fn cli(words: Vec<OsString>) -> Result<Cli, NotParsed> {
    let command = args::command();
    let typed = args::command_to_add_to().try_get_matches_from(&words).map_err(|why| {
        // Help says what a command needs.
        let asked = |why: &clap::Error| !why.use_stderr();
        let told =
            command.clone().try_get_matches_from(&words).err().filter(|told| asked(&why) && asked(told));
        NotParsed::Words(told.unwrap_or(why))
    })?;
    let Some((path, own)) = reads(&typed) else {
        let matches = command.try_get_matches_from(&words);
        return matches.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(NotParsed::Words);
    };
    let configured =
        of_command(&command, &path, own).map_err(|why| NotParsed::Refused(refuse_config(&why)))?;
    let (added, paths) = flags(&configured.settled);
    let command = match paths {
        Some(paths) => {
            command.mut_subcommand(path[0], |one| one.mut_arg("paths", |arg| arg.default_values(paths)))
        }
        None => command,
    };
    let at = place_of(&path, &words);
    let words = [&words[..at], &added[..], &words[at..]].concat();
    let read = command.try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let mut cli = read.map_err(|why| {
        let shown: Vec<String> = added.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        if !shown.is_empty() {
            let (path, shown) = (path.join(" "), shown.join(" "));
            Streams
                .err(&format!("note: `farmjank config show {path}` says where these come from: {shown}\n"));
        }
        NotParsed::Words(why)
    })?;
    give(&mut cli, configured.settled.overrides.into_iter().map(|(own, _)| own).collect());
    Ok(cli)
}

/// The command that was typed, by its names from the outermost on, if it reads a file.
fn reads(matches: &ArgMatches) -> Option<(Vec<&str>, &ArgMatches)> {
    let (name, own) = matches.subcommand()?;
    if name == FARM {
        let (inner, own) = own.subcommand().filter(|(inner, _)| OF_FARM.contains(inner))?;
        return Some((vec![name, inner], own));
    }
    CONFIGURED.contains(&name).then(|| (vec![name], own))
}

/// Where flags of a command can be put in: behind its names.
fn place_of(path: &[&str], words: &[OsString]) -> usize {
    path.iter().fold(0, |from, name| {
        words.iter().skip(from).position(|word| word == name).map_or(words.len(), |at| from + at + 1)
    })
}

/// What stands for some phones.
fn give(cli: &mut Cli, for_phones: Vec<PhoneSettings>) {
    let select = match &mut cli.command {
        Some(Command::Run(args)) => &mut args.select,
        Some(Command::Ab(args)) => &mut args.run.select,
        Some(Command::Calibrate(args)) => &mut args.run.select,
        Some(Command::Plan(args)) => &mut args.select,
        _ => return,
    };
    select.for_phones = for_phones;
}

/// The flags that say what is added, and the paths of scenarios, which are none.
fn flags(settled: &Settled) -> (Vec<OsString>, Option<Vec<String>>) {
    let (mut flags, mut paths) = (Vec::new(), None);
    for (key, value) in settled.beyond_flags() {
        match key.kind {
            _ if key.name == SCENARIOS => {
                paths = Some(value.texts().into_iter().map(str::to_owned).collect())
            }
            Kind::Flag if *value == farmjank_config::Value::Flag(true) => {
                flags.push(format!("--{}", key.name).into())
            }
            _ => flags
                .extend(value.texts().iter().map(|text| OsString::from(format!("--{}={text}", key.name)))),
        }
    }
    (flags, paths)
}

/// The argument of a command that a key is; none where it has none.
fn argument<'c>(command: &'c clap::Command, key: &Key) -> Option<&'c clap::Arg> {
    if OTHERWISE.contains(&(command.get_name(), key.name)) {
        return None;
    }
    let named = |arg: &&clap::Arg| match key.name {
        SCENARIOS => arg.get_id() == "paths" && arg.is_positional(),
        name => arg.get_long() == Some(name) && !arg.is_hide_set(),
    };
    command.get_arguments().find(named)
}

/// What a key is for: the help of its flag.
pub fn about(key: &Key) -> String {
    let all = args::command();
    let help = all.get_subcommands().filter(|one| CONFIGURED.contains(&one.get_name())).find_map(|one| {
        let arg = argument(one, key)?;
        arg.get_help().map(ToString::to_string)
    });
    help.unwrap_or_default()
}

/// Whether a command says that one of its arguments does not go with another.
fn goes_against(command: &clap::Command, one: &clap::Arg, other: &clap::Arg) -> bool {
    command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
}

/// What counts for a command whose words were read.
///
/// # Errors
/// A file, a profile or a variable that cannot be used.
pub fn of_command(all: &clap::Command, path: &[&str], own: &ArgMatches) -> Result<Configured, CommandError> {
    let found = path.iter().try_fold(all, |all, name| all.find_subcommand(name));
    let command = found.ok_or_else(|| usage!("no command is called `{}`", path.join(" ")))?;
    let named = own.get_one::<PathBuf>("config").cloned();
    let profile = own.get_one::<String>("profile").cloned();
    let profile = profile.or_else(|| host::env(PROFILE).filter(|name| !name.is_empty()));
    let found = place(named);
    let config = found.as_deref().map(read).transpose()?;
    if let (None, Some(profile)) = (&config, &profile) {
        return Err(usage!(
            "there is no {FILE} here, and so no profile `{profile}`; `farmjank init` writes one"
        ));
    }
    let mut given = BTreeMap::new();
    for key in KEYS {
        let Some(arg) = argument(command, key) else { continue };
        let id = arg.get_id().as_str();
        if own.value_source(id) == Some(ValueSource::CommandLine) {
            let texts = own.get_raw(id).into_iter().flatten();
            given.insert(key.name, texts.map(|text| text.to_string_lossy().into_owned()).collect());
        }
    }
    let against = |one: &clap::Arg, other: &clap::Arg| goes_against(command, one, other);
    let apart = |a: &str, b: &str| {
        if a != b && APART.contains(&a) && APART.contains(&b) {
            return true;
        }
        let named = |name: &str| Key::named(name).and_then(|key| argument(command, key));
        let (Some(a), Some(b)) = (named(a), named(b)) else { return false };
        against(a, b) || against(b, a)
    };
    // A flag that no file knows leaves no place for what does not go with it, such as `--attach`.
    let said = |arg: &&clap::Arg| own.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let is_barred = |key: &Key, own: &clap::Arg| {
        let others = command.get_arguments().filter(said);
        !given.contains_key(key.name) && others.into_iter().any(|one| against(one, own) || against(own, one))
    };
    let told = Told {
        flags: &given,
        env: &host::env,
        takes: &|key| {
            // The secret itself, in the environment, is of whoever runs this; a file is everybody's.
            let given = key.name == "farm-secret" && !given.contains_key(key.name) && has_secret();
            !given && argument(command, key).is_some_and(|own| !is_barred(key, own))
        },
        conflicts: &apart,
        built_in: &|key| {
            let values = argument(command, key)?.get_default_values();
            let texts: Vec<_> = values.iter().map(|value| value.to_string_lossy().into_owned()).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        },
    };
    let file = found.as_deref().map(shown);
    let settled = settle(config.as_ref(), profile.as_deref(), &told).map_err(|why| match &file {
        Some(file) => usage!("{file}: {why}"),
        None => usage!("{why}"),
    })?;
    let named = |setting: &&Setting| setting.key.name == "farm-secret";
    let secrets = settled.settings.iter().filter(named).filter_map(|setting| setting.value.as_ref());
    if secrets.flat_map(Value::texts).any(|text| is_key(Path::new(text))) {
        return Err(told_by_mistake("farm-secret").into());
    }
    Ok(Configured { file, profile, settled })
}

/// Says why what is configured cannot be used; the exit code.
pub fn refuse_config(why: &CommandError) -> u8 {
    match why {
        // Complaints are whole messages of their own.
        CommandError::Usage(text) if text.starts_with("error: ") => {
            Streams.err(text);
            EXIT_USAGE
        }
        why => refuse(why),
    }
}

/// The file that is named, or that of this folder, or of a folder above it in the same repository.
fn place(named: Option<PathBuf>) -> Option<PathBuf> {
    let named = named.or_else(|| host::env(CONFIG).filter(|file| !file.is_empty()).map(PathBuf::from));
    if named.is_some() {
        return named;
    }
    let mut folder = PathBuf::new();
    for _ in 0..64 {
        if host::is_there(&folder.join(FILE)) {
            return Some(folder.join(FILE));
        }
        // Above a repository, and outside of one, a file is somebody else's.
        if host::is_there(&folder.join(".git")) || !in_repository() {
            return None;
        }
        folder.push("..");
    }
    None
}

fn in_repository() -> bool {
    let mut folder = PathBuf::new();
    (0..64).any(|_| {
        let found = host::is_there(&folder.join(".git"));
        folder.push("..");
        found
    })
}

fn read(file: &Path) -> Result<Config, CommandError> {
    let bytes = host::read_file(file, FILE_BYTES as u64)?;
    let root = file.parent().map(|root| root.to_string_lossy().into_owned()).unwrap_or_default();
    Config::read(&shown(file), &bytes, &root).map_err(|complaints| {
        let all: Vec<String> = complaints.iter().map(|one| one.render(false)).collect();
        let problems = if all.len() == 1 { "problem" } else { "problems" };
        usage!("{}\n{} {problems}; no phone was touched\n", all.join("\n"), all.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_a_flag_of_a_command_that_reads_the_file_and_takes_what_the_flag_takes() {
        let all = args::command();
        for key in KEYS {
            let arg = CONFIGURED.iter().find_map(|name| argument(all.find_subcommand(name)?, key).cloned());
            let arg = arg.unwrap_or_else(|| panic!("no command has --{}", key.name));
            assert_eq!(arg.get_action().takes_values(), key.kind != Kind::Flag, "{}", key.name);
            let many = matches!(arg.get_action(), clap::ArgAction::Append);
            assert_eq!(many, key.kind.is_list(), "{}", key.name);
            assert!(!about(key).is_empty(), "{}", key.name);
            if let Kind::Choice(words) = key.kind {
                let values = arg.get_possible_values();
                let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
                assert!(names.is_empty() || names == words, "{}: {names:?}", key.name);
            }
        }
    }

    #[test]
    fn what_is_added_stands_behind_the_name_of_the_command() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(place_of(&["run"], &words("farmjank run a.yaml")), 2);
        assert_eq!(place_of(&["run"], &words("farmjank --color never run")), 4);
        assert_eq!(place_of(&["farm", "queue"], &words("farmjank farm queue --team queue")), 3);
    }
}
