//! A farm whose large objects lie in a bucket of an S3-compatible store, and not on its server.

use super::{Agents, LAB, same, tree};
use crate::installed::build;
use crate::world::{SMOOTH, ended, farmjank, files_below, held, write};
use farmjank_witnesses::nats::NatsServer;
use farmjank_witnesses::s3::S3Server;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PLACE: [&str; 2] = ["--farm-objects", "s3://farm/objects"];

/// Starts an agent whose words go into a file.
pub fn logged(folder: &Path, host: &str, mut command: Command) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join(format!("{host}.log")));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.expect("a file"));
    command.spawn().expect("an agent starts")
}

fn told(store: &S3Server, mut command: Command) -> Command {
    command.envs(store.variables());
    command
}

/// Bytes of all that the server keeps.
fn kept(server: &NatsServer) -> u64 {
    files_below(&server.store()).iter().map(|file| std::fs::metadata(file).map_or(0, |told| told.len())).sum()
}

fn build_of(folder: &Path, megabytes: usize) {
    // Of many parts, none like another: a store may pack them.
    let lines = (0..megabytes * 16_384).map(|number| format!("# {:062}\n", number * 7_919));
    build(folder, "new.apk", &lines.collect::<String>());
}

#[test]
fn builds_and_evidence_lie_in_the_bucket_and_a_run_leaves_what_a_run_here_leaves() {
    let (Some(server), Some(store)) = (NatsServer::start(""), S3Server::start()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    write(folder, "s.yaml", SMOOTH);
    build_of(folder, 4);
    let words = [&["run", "s.yaml"], &LAB[..], &["--install", "new.apk", "--no-history", "-q"]].concat();
    let here = ended(farmjank(folder).args(&words).args(["--out", "out"]));
    let expected = (here.code, tree(&folder.join("out")));
    assert_eq!(here.code, 0, "{}", here.err);
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let played = [&LAB[..], &PLACE].concat();
    let mut own = Vec::new();
    for part in ["1/2", "2/2"] {
        let host = format!("host-{}", part.replace('/', "-of-"));
        let mut command = farmjank(folder);
        command.args(["agent", "--farm", &url, "--host", &host, "--state", &format!("state-{host}")]);
        command.args(&played).args(["--part", part]);
        own.push(logged(folder, &host, told(&store, command)));
    }
    let agents = Agents(own);
    let before = kept(&server);
    let over = |more: &[&str]| {
        let mut command = farmjank(folder);
        command.args(&words).args(["--farm", &url, "--wait-for-devices", "60s"]).args(more);
        command
    };
    let run = ended(&mut told(&store, over(&[&PLACE[..], &["--out", "out"]].concat())));
    same(folder, &expected, &run);
    let grown = kept(&server) - before;
    assert!(grown < 3 << 20, "4 MB of a build are in the bucket, and {grown} bytes on the server");
    // Begun here, and read by others: they need to know where.
    let begun = ended(&mut told(&store, over(&[&PLACE[..], &["--detach"]].concat())));
    assert_eq!(begun.code, 0, "{}", begun.err);
    let name = begun.out.trim().to_owned();
    let mut fetch = farmjank(folder);
    fetch.args(["farm", "fetch", &name, "--wait", "90s", "--out", "out", "-q", "--farm", &url]).args(PLACE);
    same(folder, &expected, &ended(&mut told(&store, fetch)));
    // The ends have to agree, and are told where they do not.
    let refused = ended(&mut over(&["--out", "none"]));
    assert_eq!(refused.code, 2, "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("leaves large objects s3://farm/objects") && !folder.join("none").exists());
    wrong_keys_and_places(folder, &url, &store, &over);
    agents.leave();
    secret_is_nowhere(folder, &store);
}

fn wrong_keys_and_places(folder: &Path, url: &str, store: &S3Server, over: &dyn Fn(&[&str]) -> Command) {
    let mut thief = told(store, over(&[&PLACE[..], &["--out", "none"]].concat()));
    thief.env("AWS_SECRET_ACCESS_KEY", "guessed");
    let refused = ended(&mut thief);
    assert_eq!(refused.code, 3, "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("AWS_ACCESS_KEY_ID and the rights of its user"), "{}", refused.err);
    let doctor = |place: &str| {
        let mut command = farmjank(folder);
        command.args(["farm", "doctor", "--farm", url, "--role", "run", "--farm-objects", place]);
        ended(&mut told(store, command))
    };
    let well = doctor(PLACE[1]);
    assert!(well.code == 0 && well.out.contains("s3://farm/objects"), "{}{}", well.out, well.err);
    let none = doctor("s3://nowhere/x");
    assert!(none.code == 3 && none.out.contains("make the bucket"), "{}{}", none.out, none.err);
    let typo = doctor("farm/objects");
    assert!(typo.code == 2 && typo.err.contains("is not s3://BUCKET/FOLDER"), "{}{}", typo.out, typo.err);
}

fn secret_is_nowhere(folder: &Path, store: &S3Server) {
    let [.., (_, secret)] = store.variables();
    for file in files_below(folder) {
        let bytes = held(&file);
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "the secret is in {}", file.display());
    }
}
