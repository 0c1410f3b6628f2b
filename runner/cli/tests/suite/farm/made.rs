//! A farm as `farmjank farm init` writes it: the server takes its configuration as it stands, a run leaves what a run
//! here leaves, nobody can do what is another's, and no secret is anywhere but where it belongs.

use super::{Agents, LAB, agent, local, over, same, spawned, waited};
use crate::world::{Ended, SMOOTH, ended, farmjank, files_below, write};
use farmjank_farm::nats::{Address, Allowed, Nats, Terms};
use farmjank_farm::roles::Role;
use farmjank_farm::roster::Roster;
use farmjank_seams::exchange::Exchange;
use farmjank_witnesses::nats::NatsServer;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

pub const CA: [&str; 2] = ["--farm-ca", "farm/authority.pem"];

fn init(folder: &Path, args: &[&str]) -> Ended {
    ended(farmjank(folder).args(["farm", "init", "farm"]).args(args))
}

/// Two hosts of a team, and another team with one.
pub fn made(folder: &Path) {
    for args in
        [&["--name", "farm.example", "--hosts", "left,right"][..], &["--team", "web", "--hosts", "other"]]
    {
        let wrote = init(folder, args);
        assert_eq!(wrote.code, 0, "{}", wrote.err);
    }
}

fn text(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// What must be nowhere else: every seed, and the middle of the server's key.
fn secrets(folder: &Path) -> Vec<(String, String)> {
    let files = files_below(&folder.join("farm"));
    let secret = |path: &Path| path.extension().is_some_and(|end| end == "nk" || end == "key");
    let all = files.into_iter().filter(|path| secret(path)).map(|path| {
        let text = std::fs::read_to_string(&path).expect("text");
        let wanted = usize::from(path.extension().is_some_and(|end| end == "key"));
        (path.to_string_lossy().into_owned(), text.lines().nth(wanted).expect("a line").to_owned())
    });
    all.collect()
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

async fn connected(folder: &Path, url: &str, seed: &str, team: &str) -> Nats {
    let (secret, authorities) = (Some(text(folder, seed)), Some(folder.join("farm/authority.pem")));
    let address = Address { urls: url.to_owned(), name: "test".to_owned(), secret, authorities };
    Nats::connect(&address, team, Terms::FARM, Duration::from_secs(10), false).await.expect("let in")
}

/// Looks at every process while something goes on.
fn seen_in_argv(secrets: &[(String, String)]) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let lines: Vec<String> = lines.map(|line| String::from_utf8_lossy(&line).into_owned()).collect();
    lines
        .into_iter()
        .filter(|line| secrets.iter().any(|(_, secret)| line.contains(secret.as_str())))
        .collect()
}

/// The bytes of a file, unpacked.
fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a file");
    match path.extension().is_some_and(|end| end == "zst") {
        true => zstd::decode_all(bytes.as_slice()).expect("packed"),
        false => bytes,
    }
}

#[test]
fn a_run_with_roles_leaves_what_a_run_here_leaves_and_no_secret_anywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    made(folder);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let url = server.url();
    assert!(url.starts_with("tls://"), "{url}");
    let secrets = secrets(folder);
    // Each team's run and viewer, three hosts, the keeper, the operator, the server's key.
    assert_eq!(secrets.len(), 10);
    let expected = local(folder);
    let of_host = |host: &str, part: &str| {
        let seed = format!("farm/hosts/{host}/agent.nk");
        let more = [&LAB[..], &["--part", part, "--farm-secret", &seed], &CA].concat();
        agent(folder, &url, host, &more)
    };
    let agents = Agents(vec![of_host("left", "1/2"), of_host("right", "2/2")]);
    // They begin before there is a store, which is not theirs to make.
    let until = Instant::now() + Duration::from_secs(60);
    while !["left.log", "right.log"].iter().all(|log| text(folder, log).contains("the next run makes it")) {
        assert!(Instant::now() < until, "{}{}", text(folder, "left.log"), text(folder, "right.log"));
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut run = over(folder, &url, &[&LAB[..], &CA, &["--out", "out"]].concat());
    let seed = text(folder, "farm/teams/main/run.nk");
    let mut run = spawned({
        run.env("FARMJANK_FARM_SECRET", seed.trim());
        run
    });
    let mut looks = 0;
    while run.try_wait().expect("ours").is_none() {
        assert_eq!(seen_in_argv(&secrets), [""; 0], "a secret is in somebody's argv");
        looks += 1;
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(looks > 10, "the run was looked at");
    let run = waited(run);
    for told in [&run.out, &run.err] {
        assert!(!secrets.iter().any(|(_, secret)| told.contains(secret.as_str())), "{told}");
    }
    told_by_status_and_doctor(folder, &url, &secrets);
    drop(agents);
    nowhere_else(folder, &secrets);
    same(folder, &expected, &run);
}

fn told_by_status_and_doctor(folder: &Path, url: &str, secrets: &[(String, String)]) {
    let looked = |args: &[&str]| {
        let told = ended(farmjank(folder).args(["farm"]).args(args).args(["--farm", url]).args(CA));
        assert!(!secrets.iter().any(|(_, secret)| (told.out.clone() + &told.err).contains(secret.as_str())));
        told
    };
    let status = looked(&["status", "--farm-secret", "farm/teams/main/viewer.nk"]);
    assert_eq!(status.code, 0, "{}", status.err);
    assert!(
        status.out.contains("left: 8 phones") && status.out.contains("right: 8 phones"),
        "{}",
        status.out
    );
    for (seed, more) in [
        ("farm/teams/main/run.nk", &["--role", "run"][..]),
        ("farm/hosts/left/agent.nk", &["--role", "agent", "--host", "left"]),
        ("farm/teams/main/viewer.nk", &["--role", "viewer"]),
        ("farm/keeper.nk", &["--role", "keeper"]),
        ("farm/operator.nk", &["--role", "operator", "--farm-storage", "200MB"]),
        ("farm/teams/web/run.nk", &["--role", "run", "--team", "web"]),
    ] {
        let told = looked(&[&["doctor", "--farm-secret", seed], more].concat());
        assert_eq!(told.code, 0, "{seed}: {}{}", told.out, told.err);
        assert!(
            told.out.contains("what is theirs") && told.out.contains("nothing else"),
            "{seed}: {}",
            told.out
        );
        assert!(told.out.contains("TLS") && !told.out.contains('✗'), "{seed}: {}", told.out);
    }
    for (seed, more, words) in [
        ("farm/teams/main/viewer.nk", &["--role", "run"][..], "these credentials may not do that"),
        (
            "farm/hosts/right/agent.nk",
            &["--role", "agent", "--host", "left"],
            "may not $KV.FJ_LEASES.agent.left",
        ),
        ("farm/teams/main/run.nk", &["--role", "viewer"], "which is not theirs"),
    ] {
        let told = looked(&[&["doctor", "--farm-secret", seed], more].concat());
        assert_eq!(told.code, 3, "{seed}: {}{}", told.out, told.err);
        assert!(told.out.contains(words), "{seed}: {}", told.out);
    }
}

/// Bundle, agents' state and logs, the server's log and store, configuration, units: all but the secrets' own files.
fn nowhere_else(folder: &Path, secrets: &[(String, String)]) {
    let (mut files, mut packed) = (0, 0);
    for path in files_below(folder) {
        if secrets.iter().any(|(own, _)| Path::new(own) == path) {
            continue;
        }
        files += 1;
        packed += usize::from(path.extension().is_some_and(|end| end == "zst"));
        let bytes = unpacked(&path);
        for (own, secret) in secrets {
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{} holds what {own} holds", path.display());
        }
    }
    assert!(files > 100 && packed > 20, "{files} files, {packed} packed");
}

#[test]
fn each_of_the_credentials_tries_everything_that_is_not_its_own_and_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    made(folder);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let roster: Roster = serde_json::from_str(&text(folder, "farm/farm.json")).expect("a roster");
    let credentials = roster.credentials().expect("words");
    let roles: Vec<Role> = credentials.iter().map(|(_, role)| role.clone()).collect();
    let seeds: BTreeMap<&str, &str> = BTreeMap::from([
        ("agent-left", "farm/hosts/left/agent.nk"),
        ("agent-other", "farm/hosts/other/agent.nk"),
        ("agent-right", "farm/hosts/right/agent.nk"),
        ("keeper", "farm/keeper.nk"),
        ("operator", "farm/operator.nk"),
        ("run-main", "farm/teams/main/run.nk"),
        ("run-web", "farm/teams/web/run.nk"),
        ("viewer-main", "farm/teams/main/viewer.nk"),
        ("viewer-web", "farm/teams/web/viewer.nk"),
    ]);
    assert_eq!(credentials.len(), seeds.len());
    runtime().block_on(async {
        for (seed, team) in [("farm/teams/main/run.nk", "main"), ("farm/teams/web/run.nk", "web")] {
            let run = connected(folder, &server.url(), seed, team).await;
            run.prepare().await.expect("a run makes what is missing");
        }
        let (mut allowed, mut refused) = (0, 0);
        for (called, role) in &credentials {
            let nats = connected(folder, &server.url(), seeds[called.as_str()], "main").await;
            for subject in role.may() {
                assert_eq!(
                    nats.examined().may(&subject).await.expect("answers"),
                    Allowed::Yes,
                    "{called} {subject}"
                );
                allowed += 1;
            }
            for subject in role.must_not(&roles) {
                assert_eq!(
                    nats.examined().may(&subject).await.expect("answers"),
                    Allowed::No,
                    "{called} {subject}"
                );
                refused += 1;
            }
        }
        println!("{allowed} allowed, {refused} refused");
        assert!(allowed > 90 && refused > 900, "{allowed} allowed, {refused} refused");
    });
}

#[test]
fn a_farm_is_added_to_and_a_key_that_is_made_anew_ends_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    made(folder);
    for (_, path) in
        [("", "farm/keeper.nk"), ("", "farm/server/server.key"), ("", "farm/hosts/left/agent.nk")]
    {
        let mode = std::fs::metadata(folder.join(path)).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{path}");
    }
    let files = || -> BTreeMap<String, Vec<u8>> { super::tree(&folder.join("farm")) };
    let before = files();
    let again = init(folder, &[]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(files() == before, "nothing new, and nothing changes");
    let more = init(folder, &["--hosts", "third"]);
    assert!(more.out.contains("farm/hosts/third/agent.nk"), "{}", more.out);
    let after = files();
    let changed: Vec<&String> = before.keys().filter(|path| after[*path] != before[*path]).collect();
    assert_eq!(changed, ["farm.json", "server/nats.conf"], "{}", more.out);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    std::fs::copy(folder.join("farm/teams/main/run.nk"), folder.join("old.nk")).expect("a copy");
    let status = |seed: &str| {
        let mut command = farmjank(folder);
        command.args(["farm", "status", "--farm", &server.url(), "--farm-secret", seed]).args(CA);
        ended(&mut command)
    };
    let runtime = runtime();
    let held = runtime.block_on(async {
        let held = connected(folder, &server.url(), "old.nk", "main").await;
        held.prepare().await.expect("let in");
        held
    });
    let rotated = init(folder, &["--rotate", "run-main"]);
    assert_eq!(rotated.code, 0, "{}", rotated.err);
    server.reload();
    let until = std::time::Instant::now() + Duration::from_secs(20);
    loop {
        let old = status("old.nk");
        if old.code == 3 && old.err.contains("does not let this end in") {
            break;
        }
        assert!(std::time::Instant::now() < until, "{}{}", old.out, old.err);
    }
    assert!(runtime.block_on(held.holder("run.r")).is_err(), "who came with the old key is sent away");
    let new = status("farm/teams/main/run.nk");
    assert!(new.out.contains("no host is there"), "{}{}", new.out, new.err);
}

#[test]
fn what_init_cannot_write_is_refused_in_words_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (args, words) in [
        (&["--hosts", "a.b"][..], "cannot be the name of a host"),
        (&["--team", "*"], "cannot be the name of a team"),
        (&["--name", "farm example"], "no name or address"),
        (&["--listen", "4222"], "is not HOST:PORT"),
        (&["--rotate", "nobody"], "there is no key `nobody`; there are server, "),
    ] {
        let refused = init(folder, args);
        assert_eq!(refused.code, 2, "{args:?} {}", refused.err);
        assert!(refused.err.contains(words), "{args:?} {}", refused.err);
        assert!(!folder.join("farm").exists(), "{args:?}");
    }
    write(folder, "farm/mine", "mine");
    let refused = init(folder, &[]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("is not empty") && !folder.join("farm/farm.json").exists(),
        "{}",
        refused.err
    );
    std::fs::remove_dir_all(folder.join("farm")).expect("a folder");
    made(folder);
    let refused = init(folder, &["--hosts", "other"]);
    assert!(refused.code == 2 && refused.err.contains("host other is of team web"), "{}", refused.err);
}

#[test]
fn systemd_has_no_complaint_about_the_units_and_shuts_them_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    made(folder);
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI must have systemd-analyze");
        println!("skipped: no systemd-analyze");
        return;
    }
    let root = folder.join("root");
    std::fs::create_dir_all(root.join("usr/lib/systemd")).expect("a folder");
    let units = root.join("usr/lib/systemd/system");
    assert!(
        Command::new("cp").arg("-r").arg("/lib/systemd/system").arg(&units).status().expect("cp").success()
    );
    for program in ["usr/local/bin/farmjank", "usr/local/bin/nats-server", "bin/kill"] {
        let file = write(&root, program, "#!/bin/sh\n");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    }
    let units = ["server/farmjank-farm.service", "hosts/left/farmjank-agent.service"].map(|path| {
        let (name, text) = (path.rsplit('/').next().expect("a name"), text(folder, &format!("farm/{path}")));
        write(&root, &format!("etc/systemd/system/{name}"), &text);
        name.to_owned()
    });
    let below = format!("--root={}", root.display());
    let said = |args: &[&str]| {
        let said = Command::new("systemd-analyze").arg(&below).args(args).output().expect("it runs");
        String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr)
    };
    for unit in &units {
        assert_eq!(said(&["verify", unit]), "");
        let told = said(&["security", "--offline=true", unit]);
        let figure = told.split("Overall exposure level for").nth(1).and_then(|rest| rest.split(": ").nth(1));
        let figure = figure.and_then(|rest| rest.split(' ').next()).expect("a figure");
        assert!(figure.parse::<f64>().expect("a number") < 2.0, "{unit}: {figure}");
    }
    // The agent of another team on the same computer, as the page of the folder says.
    let readme = text(folder, "farm/README.md");
    let command = readme.split("sed '").nth(1).and_then(|rest| rest.split('\'').next()).expect("a sed");
    let (name, first) =
        ("farmjank-agent-rack-1-web.service", folder.join("farm/hosts/left/farmjank-agent.service"));
    let made = Command::new("sed").arg(command).arg(first).output().expect("sed runs");
    let second = String::from_utf8(made.stdout).expect("a unit");
    write(&root, &format!("etc/systemd/system/{name}"), &second);
    assert_eq!(said(&["verify", name]), "");
    assert!(second.contains("\nStateDirectory=farmjank-agent-rack-1-web\n"), "{second}");
    assert!(second.contains("/etc/farmjank/rack-1-web/agent.nk\n"), "{second}");
    assert!(second.contains(" --state /var/lib/farmjank-agent-rack-1-web/state "), "{second}");
    let agent = text(folder, "farm/hosts/left/farmjank-agent.service");
    assert!(agent.contains("--farm tls://farm.example:4222 --team main --host left "), "{agent}");
    assert!(!agent.contains("{{"), "{agent}");
    let compose: serde_json::Value =
        serde_saphyr::from_str(&text(folder, "farm/server/compose.yaml")).expect("YAML");
    let volumes = compose["services"]["server"]["volumes"].as_array().expect("volumes");
    let files = volumes.iter().filter_map(|one| one.as_str()?.strip_prefix("./")?.split(':').next());
    let files: Vec<&str> = files.collect();
    assert_eq!(files, ["nats.conf", "local.conf", "server.pem", "server.key"]);
    assert!(files.iter().all(|file| folder.join("farm/server").join(file).exists()));
}
