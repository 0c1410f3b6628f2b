//! `farmjank config`: what counts for a command, and where each value comes from.

use crate::args::{self, CONFIGURED, ConfigArgs, ConfigCommand, ConfigFormat, FARM, OF_FARM, ShowConfigArgs};
use crate::command_error::{CommandError, usage};
use crate::configured::{Configured, of_command, refuse_config};
use crate::host::Streams;
use farmjank_config::key::Kind;
use farmjank_config::{Origin, Setting, Value};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::nearest::nearest;
use farmjank_leaf::text::line;
use farmjank_scenarios::scenario::PhoneSettings;
use serde_json::json;

/// Version of the JSON form: fields are only added.
const FORMAT: u32 = 1;
/// Most characters of a value that are shown.
const SHOWN: usize = 200;

/// Does what is asked of `farmjank.toml`.
pub fn run(args: &ConfigArgs) -> u8 {
    let ConfigCommand::Show(args) = &args.command;
    match shown(args) {
        Ok(text) => {
            Streams.out(&text);
            0
        }
        Err(why) => refuse_config(&why),
    }
}

fn shown(args: &ShowConfigArgs) -> Result<String, CommandError> {
    let mut words = args.words.clone();
    if words.first().is_none_or(|word| word.starts_with('-')) {
        words.insert(0, "run".to_owned());
    }
    let path: Vec<String> = match &words[..] {
        [farm, own, ..] if farm == FARM => vec![farm.clone(), own.clone()],
        [name, ..] => vec![name.clone()],
        [] => Vec::new(),
    };
    let (name, at) = (path.join(" "), path.len());
    let reads = match &path[..] {
        [name] => CONFIGURED.contains(&name.as_str()),
        [_, own] => OF_FARM.contains(&own.as_str()),
        _ => false,
    };
    if !reads {
        let near = match &path[..] {
            [farm, own] => nearest(own, OF_FARM).map(|near| format!("{farm} {near}")),
            _ => nearest(&name, CONFIGURED).map(str::to_owned),
        };
        let near = near.unwrap_or_else(|| CONFIGURED.join(", "));
        return Err(usage!("`{}` reads no farmjank.toml; did you mean {near}?", line(&name, SHOWN)));
    }
    let profile = args.file.profile.iter().flat_map(|name| ["--profile".to_owned(), name.clone()]);
    let file = args.file.config.iter().flat_map(|file| ["--config".to_owned(), file.display().to_string()]);
    words.splice(at..at, profile.chain(file));
    // A build, a path: what a command needs beside its flags is not asked for here.
    let all = args::command_to_add_to().mut_subcommands(|one| one.mut_args(|arg| arg.required(false)));
    let typed = ["farmjank".to_owned()].into_iter().chain(words);
    let matches = all.clone().try_get_matches_from(typed).map_err(|why| usage!("{}", plain(&why)))?;
    let own = path.iter().try_fold(&matches, |matches, name| matches.subcommand_matches(name));
    let own = own.ok_or_else(|| usage!("no command is called `{name}`"))?;
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let configured = of_command(&all, &path, own)?;
    Ok(match args.format {
        ConfigFormat::Table => table(&name, &configured),
        ConfigFormat::Json => json_of(&name, &configured),
    })
}

/// What clap says, without its own `error:`.
fn plain(why: &clap::Error) -> String {
    why.to_string().trim_start_matches("error: ").trim_end().to_owned()
}

/// What is shown of a value: variables that were given for one command may be secrets.
fn value(setting: &Setting) -> String {
    let given = matches!(setting.origin, Origin::Flag | Origin::Environment(_));
    match &setting.value {
        None if setting.key.kind == Kind::Flag => "false".to_owned(),
        None => String::new(),
        Some(Value::Many(texts)) if setting.key.name == "env" && given => {
            let names = texts.iter().map(|text| match text.split_once('=') {
                Some((name, _)) => format!("{name}=…"),
                None => text.clone(),
            });
            names.collect::<Vec<_>>().join(", ")
        }
        Some(value) => value.shown(),
    }
}

fn is_shown(setting: &Setting) -> bool {
    setting.origin != Origin::BuiltIn || setting.value.is_some() && setting.key.kind != Kind::Flag
}

fn table(name: &str, configured: &Configured) -> String {
    let file = configured.file.as_deref().unwrap_or("farmjank.toml");
    let from = match (&configured.file, &configured.profile) {
        (None, _) => "no farmjank.toml here".to_owned(),
        (Some(file), None) => format!("{file}, no profile"),
        (Some(file), Some(profile)) => format!("{file}, profile {profile}"),
    };
    let mut rows: Vec<[String; 3]> = Vec::new();
    for setting in configured.settled.settings.iter().filter(|one| is_shown(one)) {
        let origin = setting.origin.words(file);
        let origin = match &setting.unused {
            None => origin,
            Some(why) => format!("not used, {why} ({origin})"),
        };
        rows.push([
            setting.key.name.to_owned(),
            line(&value(setting), SHOWN).to_string(),
            line(&origin, SHOWN).to_string(),
        ]);
    }
    for (own, origin) in &configured.settled.overrides {
        let which = format!("where {}", own.devices.text);
        rows.extend(for_phones(own).into_iter().map(|(key, text)| {
            let origin = format!("{}; {}", line(&which, SHOWN), origin.words(file));
            [key.to_owned(), text, origin]
        }));
    }
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (key, text) = (widest(0), widest(1).min(40));
    let lines = rows.iter().map(|[a, b, c]| format!("{a:<key$}  {b:<text$}  {c}\n"));
    format!("farmjank {name}: {from}\n{}", lines.collect::<String>())
}

/// What stands for some phones, by key.
fn for_phones(own: &PhoneSettings) -> Vec<(&'static str, String)> {
    let number = |key, number: Option<u32>| number.map(|number| (key, number.to_string()));
    let wishes = (!own.wishes.is_empty()).then(|| ("prepare", own.wishes.to_string()));
    [number("iterations", own.iterations), number("warmup", own.warmup), wishes]
        .into_iter()
        .flatten()
        .collect()
}

fn json_of(name: &str, configured: &Configured) -> String {
    let origin = |origin: &Origin| match origin {
        Origin::Flag => json!({ "from": "flag" }),
        Origin::Environment(variable) => json!({ "from": "environment", "variable": variable }),
        Origin::Profile(name, place) => json!({ "from": "profile", "profile": name, "line": place.line }),
        Origin::Default(place) => json!({ "from": "default", "line": place.line }),
        Origin::BuiltIn => json!({ "from": "built_in" }),
    };
    let settings = configured.settled.settings.iter().map(|setting| {
        let hidden = setting.key.name == "env";
        let value = match &setting.value {
            _ if hidden => json!(value(setting)),
            Some(Value::Flag(given)) => json!(given),
            Some(Value::One(text)) if matches!(setting.key.kind, Kind::Whole(..)) => {
                text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number))
            }
            Some(Value::One(text)) => json!(text),
            Some(Value::Many(texts)) => json!(texts),
            None if setting.key.kind == Kind::Flag => json!(false),
            None => serde_json::Value::Null,
        };
        json!({ "key": setting.key.name, "value": value, "origin": origin(&setting.origin), "unused": setting.unused })
    });
    let overrides = configured.settled.overrides.iter().map(|(own, from)| {
        let said: serde_json::Map<String, serde_json::Value> =
            for_phones(own).into_iter().map(|(key, text)| (key.to_owned(), json!(text))).collect();
        json!({ "devices": own.devices.text, "values": said, "origin": origin(from) })
    });
    let all = json!({
        "format": FORMAT,
        "command": name,
        "file": configured.file,
        "profile": configured.profile,
        "settings": settings.collect::<Vec<_>>(),
        "overrides": overrides.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}
