//! Room is made on a farm with roles: a run that is over goes, one that was left yesterday stays, and nobody but who
//! runs the server can do it.

use super::kept::{RUN, agents};
use super::made::{CA, made};
use super::{LAB, over};
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;

fn gc(folder: &Path, url: &str, key: &str, args: &[&str]) -> Ended {
    let key = format!("farm/{key}");
    ended(farmjank(folder).args(["farm", "gc", "--farm", url, "--farm-secret", &key]).args(CA).args(args))
}

fn fetched(folder: &Path, url: &str, run: &str, out: &str) -> Ended {
    let words = ["farm", "fetch", run, "--out", out, "--farm", url, "-q"];
    ended(farmjank(folder).args(words).args(["--farm-secret", "farm/teams/main/viewer.nk"]).args(CA))
}

#[test]
fn who_runs_the_server_makes_room_and_what_somebody_may_still_want_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    made(folder);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let url = server.url();
    let there = agents(folder, &url);
    let detached = || {
        let begun = ended(&mut over(folder, &url, &[&LAB[..], &CA, &RUN, &["--detach"]].concat()));
        assert_eq!(begun.code, 0, "{}{}", begun.out, begun.err);
        begun.out.trim().to_owned()
    };
    let done = detached();
    let attach = ["run", "--attach", &done, "--farm", &url, "--out", "out", "-q", "--no-history"];
    let attached = ended(farmjank(folder).args(attach).args(CA).args(RUN));
    assert_eq!(attached.code, 0, "{}{}", attached.out, attached.err);
    drop(there);
    let left = detached();

    for (older, code) in [(&["--older-than", "0h"][..], 3), (&[], 3), (&["--dry-run"], 0)] {
        let asked = gc(folder, &url, "teams/main/run.nk", older);
        assert_eq!(asked.code, code, "{}{}", asked.out, asked.err);
        assert_eq!(asked.err.contains("may take nothing away; the key"), code == 3, "{}", asked.err);
    }
    let young = gc(folder, &url, "operator.nk", &[]);
    assert_eq!(young.code, 0, "{}{}", young.out, young.err);
    assert!(
        young.out.starts_with("team main: 0 kB are free again; 2 runs stay, and objects that"),
        "{}",
        young.out
    );
    let wrong = gc(folder, &url, "operator.nk", &["--older-than", "soon"]);
    assert_eq!(wrong.code, 2, "{}{}", wrong.out, wrong.err);
    let would = gc(folder, &url, "operator.nk", &["--older-than", "0h", "--dry-run"]);
    assert_eq!(would.code, 0, "{}{}", would.out, would.err);
    let words = format!("run {done}, over since ");
    assert!(
        would.out.starts_with(&words)
            && would.out.contains(", would go\nteam main: nothing was taken away; 1 run stays, and "),
        "{}",
        would.out
    );
    assert_eq!(fetched(folder, &url, &done, "one").code, 0, "it is there");

    let gone = gc(folder, &url, "operator.nk", &["--older-than", "0h"]);
    assert_eq!(gone.code, 0, "{}{}", gone.out, gone.err);
    assert!(gone.out.starts_with(&words) && gone.out.contains(", is gone\n"), "{}", gone.out);
    assert!(!gone.out.contains(": 0 kB are free") && !gone.out.contains(&left), "{}", gone.out);
    let unknown = fetched(folder, &url, &done, "two");
    assert_eq!(unknown.code, 3, "{}{}", unknown.out, unknown.err);
    assert!(unknown.err.contains(&format!("the farm knows no run {done}")), "{}", unknown.err);
    // The other goes on once its hosts are back, with what the first left.
    let there = agents(folder, &url);
    let attach = ["run", "--attach", &left, "--farm", &url, "--out", "later", "-q", "--no-history"];
    let attached = ended(farmjank(folder).args(attach).args(CA).args(RUN));
    assert_eq!(attached.code, 0, "{}{}", attached.out, attached.err);
    drop(there);
}
