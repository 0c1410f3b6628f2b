//! `farmjank farm init`: what a farm is made of, as files to copy. A folder it wrote is added to: hosts, teams, new
//! keys. Seeds go into files of their holders' alone and nowhere else.

use crate::args::FarmInitArgs;
use crate::command_error::{CommandError, usage};
use crate::host::{self, Streams, write_secret};
use crate::settings::refuse;
use farmjank_engine::scribe::Voice;
use farmjank_farm::keys;
use farmjank_farm::roster::Roster;
use farmjank_leaf::text::{line, name as shown};
use std::path::Path;

const SERVER_UNIT: &str = include_str!("init/farmjank-farm.service");
const AGENT_UNIT: &str = include_str!("init/farmjank-agent.service");
const COMPOSE: &str = include_str!("init/compose.yaml");
const README: &str = include_str!("init/README.md");
/// Who is let in, by public keys: from this all other files are written.
const ROSTER: &str = "farm.json";
/// What whoever runs the server adds to its configuration.
const OWN: &str = "server/local.conf";
const OWN_TEXT: &str = "# Yours: what this says counts beside nats.conf, and no command writes here again.\n";
const IGNORED: &str = "*.nk\n*.key\n";
/// What the certificates are called where keys are made anew.
const SERVER: &str = "server";
/// Largest roster.
const MOST: u64 = 8 << 20;

/// Writes; nothing of it is a secret that is said.
pub fn run(args: &FarmInitArgs) -> u8 {
    match written(args) {
        Ok(told) => {
            Streams.out(&told);
            0
        }
        Err(why) => refuse(&why),
    }
}

fn written(args: &FarmInitArgs) -> Result<String, CommandError> {
    let (mut roster, known) = roster(args)?;
    roster.add(args.team.as_deref().unwrap_or("main"), &args.hosts)?;
    let credentials = roster.credentials()?;
    let called = |name: &String| name == SERVER || credentials.iter().any(|(called, _)| called == name);
    if let Some(other) = args.rotate.iter().find(|name| !called(name)) {
        let all: Vec<&str> = credentials.iter().map(|(called, _)| called.as_str()).collect();
        return Err(usage!(
            "--rotate: there is no key `{}`; there are {SERVER}, {}",
            line(other, 60),
            all.join(", ")
        ));
    }
    let mut told = String::new();
    for (called, _) in &credentials {
        if roster.keys.contains_key(called) && !args.rotate.contains(called) {
            continue;
        }
        let made = keys::credential()?;
        let path = args.folder.join(place_of(called));
        write_secret(&path, format!("{}\n", made.seed).as_bytes())?;
        told.push_str(&format!("wrote  {}\n", shown(&path)));
        roster.keys.insert(called.clone(), made.key);
    }
    let renamed = known.as_ref().is_none_or(|known| known.name != roster.name);
    if renamed || args.rotate.iter().any(|name| name == SERVER) {
        told.push_str(&certified(&args.folder, &roster.name)?);
    }
    let authority = host::read_file(&args.folder.join("authority.pem"), MOST)?;
    let own = args.folder.join(OWN);
    if !host::is_there(&own) {
        host::write_file(&own, OWN_TEXT.as_bytes())?;
        told.push_str(&format!("wrote  {}\n", shown(&own)));
    }
    for (path, text) in files(&roster, &authority)? {
        let path = args.folder.join(path);
        host::write_file(&path, &text)?;
        told.push_str(&format!("wrote  {}\n", shown(&path)));
    }
    let readme = shown(&args.folder.join("README.md"));
    let next = match &known {
        None => format!("{readme} says what goes where; keep the folder where few can read it"),
        Some(_) => {
            let conf = shown(&args.folder.join("server/nats.conf"));
            format!(
                "{conf} goes to the server again (`systemctl reload farmjank-farm`), new keys to their holders, whose agents begin again; {readme} says where"
            )
        }
    };
    Ok(format!("{told}\nnext: {next}\n"))
}

/// Who was let in before, with what the flags say of the server; and as it was.
fn roster(args: &FarmInitArgs) -> Result<(Roster, Option<Roster>), CommandError> {
    let path = args.folder.join(ROSTER);
    let known: Option<Roster> = match host::is_there(&path) {
        true => {
            let read = serde_json::from_slice(&host::read_file(&path, MOST)?);
            Some(read.map_err(|why| usage!("{}: {}", shown(&path), line(&why.to_string(), 200)))?)
        }
        false => None,
    };
    let there = host::is_there(&args.folder);
    let empty = host::is_folder(&args.folder)
        && host::files_in(&args.folder).is_empty()
        && host::folders_in(&args.folder).is_empty();
    if known.is_none() && there && !empty {
        return Err(usage!("{} is not empty, and no folder of a farm; name another", shown(&args.folder)));
    }
    if known.as_ref().is_some_and(|known| known.v != 1) {
        return Err(usage!("{} is of another farmjank; use a newer one", shown(&path)));
    }
    let mut roster = known.clone().unwrap_or_else(|| Roster::new("localhost", "0.0.0.0:4222"));
    if let Some(name) = &args.name {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':');
        if name.is_empty() || name.len() > 253 || !name.chars().all(plain) {
            return Err(usage!("--name: `{}` is no name or address of a computer", line(name, 60)));
        }
        roster.name.clone_from(name);
    }
    if let Some(listen) = &args.listen {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '[' | ']');
        let port = port(listen).filter(|_| listen.chars().all(plain));
        port.ok_or_else(|| {
            usage!("--listen: `{}` is not HOST:PORT, such as 0.0.0.0:4222", line(listen, 60))
        })?;
        roster.listen.clone_from(listen);
    }
    Ok((roster, known))
}

fn port(listen: &str) -> Option<u16> {
    let (host, port) = listen.rsplit_once(':')?;
    port.parse().ok().filter(|port| *port > 0 && !host.is_empty())
}

/// New certificates of the server.
fn certified(folder: &Path, name: &str) -> Result<String, CommandError> {
    let year = host::wall().get(..4).and_then(|year| year.parse().ok()).unwrap_or(2026);
    let made = keys::certificates(name, year)?;
    let (authority, server, key) =
        (folder.join("authority.pem"), folder.join("server/server.pem"), folder.join("server/server.key"));
    write_secret(&key, made.key.as_bytes())?;
    host::write_file(&server, made.server.as_bytes())?;
    host::write_file(&authority, made.authority.as_bytes())?;
    Ok([authority, server, key].iter().map(|path| format!("wrote  {}\n", shown(path))).collect())
}

/// Where a seed lies.
fn place_of(called: &str) -> String {
    match called.split_once('-') {
        Some(("agent", host)) => format!("hosts/{host}/agent.nk"),
        Some((role, team)) => format!("teams/{team}/{role}.nk"),
        None => format!("{called}.nk"),
    }
}

/// Everything that is no secret.
fn files(roster: &Roster, authority: &[u8]) -> Result<Vec<(String, Vec<u8>)>, CommandError> {
    let port = port(&roster.listen).unwrap_or(4222).to_string();
    let name = if roster.name.contains(':') { format!("[{}]", roster.name) } else { roster.name.clone() };
    let url = format!("tls://{name}:{port}");
    let team = roster.teams.keys().next().map_or("main", String::as_str);
    let filled = |text: &str, team: &str, host: &str| {
        let filled = text.replace("{{name}}", &roster.name).replace("{{url}}", &url);
        filled.replace("{{port}}", &port).replace("{{team}}", team).replace("{{host}}", host).into_bytes()
    };
    let known = serde_json::to_string_pretty(roster).map_err(|why| usage!("{ROSTER}: {why}"))?;
    let mut all = vec![
        (".gitignore".to_owned(), IGNORED.as_bytes().to_vec()),
        ("README.md".to_owned(), filled(README, team, "")),
        ("server/nats.conf".to_owned(), roster.config()?.into_bytes()),
        ("server/farmjank-farm.service".to_owned(), SERVER_UNIT.as_bytes().to_vec()),
        ("server/compose.yaml".to_owned(), filled(COMPOSE, team, "")),
    ];
    for (team, hosts) in &roster.teams {
        all.push((format!("teams/{team}/authority.pem"), authority.to_vec()));
        for host in hosts {
            all.push((format!("hosts/{host}/authority.pem"), authority.to_vec()));
            all.push((format!("hosts/{host}/farmjank-agent.service"), filled(AGENT_UNIT, team, host)));
        }
    }
    // Last: a folder with it is whole.
    all.push((ROSTER.to_owned(), format!("{known}\n").into_bytes()));
    Ok(all)
}
