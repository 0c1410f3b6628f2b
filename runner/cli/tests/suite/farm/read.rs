//! Runs as others read them: fetched when they are over, watched while they go on, with keys that write nothing.

#[cfg(target_os = "linux")]
use super::made::{CA, made};
use super::{Agents, LAB, Rack, agent, local, over, same, spawned, tree, waited};
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn fetch(folder: &Path, url: &str, run: &str, more: &[&str]) -> Command {
    let mut command = farmjank(folder);
    command.args(["farm", "fetch", run, "--farm", url, "--out", "out"]).args(more);
    command
}

/// What the farm says of a run, as soon as it says that.
fn until(words: &str, mut asked: impl FnMut() -> Ended) -> Ended {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let told = asked();
        if told.err.contains(words) || told.out.contains(words) {
            return told;
        }
        assert!(Instant::now() < until, "never {words}: {}{}", told.out, told.err);
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_is_fetched_with_a_key_that_only_looks_and_has_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    made(folder);
    let Some(server) = NatsServer::configured(&folder.join("farm/server")) else { return };
    let expected = local(folder);
    let url = server.url();
    let of_host = |host: &str, part: &str| {
        let seed = format!("farm/hosts/{host}/agent.nk");
        agent(folder, &url, host, &[&LAB[..], &["--part", part, "--farm-secret", &seed], &CA].concat())
    };
    let agents = Agents(vec![of_host("left", "1/2"), of_host("right", "2/2")]);
    let key = |role: &'static str| [&CA[..], &["--farm-secret", role]].concat();
    let (run, viewer) = (key("farm/teams/main/run.nk"), key("farm/teams/main/viewer.nk"));
    let left = ended(&mut over(folder, &url, &[&LAB[..], &run, &["--detach", "-q"]].concat()));
    assert_eq!(left.code, 0, "{}{}", left.out, left.err);
    let name = left.out.trim();
    let watch = spawned({
        let mut watch = farmjank(folder);
        watch.args(["farm", "watch", name, "--farm", &url]).args(&viewer);
        watch
    });
    same(
        folder,
        &expected,
        &ended(&mut fetch(folder, &url, name, &[&viewer[..], &["--wait", "2m", "-q"]].concat())),
    );
    let phones = ended(farmjank(folder).args(["farm", "phones", "--farm", &url]).args(&viewer));
    assert_eq!((phones.code, phones.out.lines().count()), (0, 17), "{}{}", phones.out, phones.err);
    drop(agents);
    for (words, code, told) in [
        (&["queue"][..], 0, "no run is under way, and none waits\n"),
        (&["keep", "--history", "nights.sqlite", "--once"], 0, ""),
    ] {
        let looked = ended(farmjank(folder).arg("farm").args(words).args(["--farm", &url]).args(&viewer));
        assert_eq!((looked.code, looked.out.as_str()), (code, told), "{words:?} {}", looked.err);
    }
    // Its hosts are gone, nobody ever conducted it, and it can be had again.
    same(folder, &expected, &ended(&mut fetch(folder, &url, name, &[&viewer[..], &["-q"]].concat())));
    let watched = waited(watch);
    assert_eq!(watched.code, expected.0, "{}{}", watched.out, watched.err);
    let attached = ended(
        farmjank(folder)
            .args(["run", "--attach", name, "--farm", &url, "--out", "out", "--no-history"])
            .args(&run),
    );
    let table = attached.out.replace("out", "");
    assert!(table.contains("16 phones") || table.lines().count() > 16, "{table}");
    let lines = |text: &str| text.lines().filter(|line| line.contains("Smooth")).count();
    assert_eq!(lines(&watched.out), lines(&attached.out), "{}", watched.out);
    same(folder, &expected, &attached);
    let again = fetch(folder, &url, name, &[&viewer[..], &["-q"]].concat()).output().expect("it runs");
    assert_eq!(again.status.code(), Some(expected.0));
    let twice = ended(&mut fetch(folder, &url, name, &viewer));
    assert_eq!(twice.code, 2, "{}", twice.err);
    assert!(twice.err.contains("out holds a run already"), "{}", twice.err);
    same(
        folder,
        &expected,
        &ended(&mut fetch(folder, &url, name, &[&viewer[..], &["-q", "--overwrite"]].concat())),
    );
}

#[test]
fn a_run_of_phones_is_fetched_with_the_bytes_of_who_attaches() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let begun = ended(&mut over(folder, &url, &["--iterations", "2", "--detach", "-q"]));
    let run = begun.out.trim().to_owned();
    let fetched = ended(&mut fetch(folder, &url, &run, &["--wait", "2m"]));
    assert_eq!(fetched.code, 0, "{}{}", fetched.out, fetched.err);
    assert!(fetched.out.contains("1 passed"), "{}", fetched.out);
    let first = tree(&folder.join("out"));
    assert!(first.len() > 8, "events, reports and evidence: {:?}", first.keys());
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let attach = ["run", "--farm", &url, "--attach", &run, "--out", "out", "--no-history"];
    let attached = ended(farmjank(folder).args(attach));
    assert_eq!((attached.code, attached.out), (0, fetched.out), "{}", attached.err);
    assert!(first == tree(&folder.join("out")), "byte for byte");
    drop(rack);
}

#[test]
fn a_run_that_is_not_over_says_how_far_it_is_and_what_to_do() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let begun = ended(&mut over(folder, &url, &["--iterations", "100", "--detach", "-q"]));
    let run = begun.out.trim().to_owned();
    let nobody = ended(&mut fetch(folder, &url, "nobody-knows", &[]));
    assert_eq!(nobody.code, 3, "{}", nobody.err);
    assert!(nobody.err.contains("the farm knows no run nobody-knows"), "{}", nobody.err);
    let under_way = ended(&mut fetch(folder, &url, &run, &[]));
    assert_eq!(under_way.code, 3, "{}{}", under_way.out, under_way.err);
    let words = format!(
        "error: run {run} is under way: 0 of 1 jobs are judged; its hosts measure by themselves; `--wait 40m` waits for it\n"
    );
    assert_eq!(under_way.err, words);
    let still = ended(&mut fetch(folder, &url, &run, &["--wait", "1s"]));
    assert!(
        still.code == 3 && still.err.contains(" is still under way: 0 of 1"),
        "{} {}",
        still.code,
        still.err
    );
    assert!(!folder.join("out").exists(), "nothing is made of half a run");
    // Who follows it leaves it, and it goes on.
    let watch = spawned({
        let mut watch = farmjank(folder);
        watch.args(["farm", "watch", &run, "--farm", &url]);
        watch
    });
    std::thread::sleep(Duration::from_secs(3));
    Command::new("kill").args(["-INT", &watch.id().to_string()]).status().expect("kill runs");
    let left = waited(watch);
    assert_eq!(left.code, 130, "{}{}", left.out, left.err);
    assert!(left.err.contains("Smooth"), "it shows what happens: {}", left.err);
    // Its host dies, and nobody conducts it.
    drop(rack);
    let stuck = until("nobody conducts it", || ended(&mut fetch(folder, &url, &run, &[])));
    assert_eq!(stuck.code, 3, "{}", stuck.err);
    let words = format!("are away: rack; `farmjank run --farm {url} --attach {run}` conducts it to its end");
    assert!(stuck.err.contains(&words), "{}", stuck.err);
    let queue = ended(farmjank(folder).args(["farm", "queue", "--farm", &url])).out;
    assert!(queue.contains("  left, detached  rack ") && queue.contains("/1 (away)\n"), "{queue}");
    let watch = ["farm", "watch", &run, "--farm", &url, "--farm-patience", "soon"];
    assert_eq!(ended(farmjank(folder).args(watch)).code, 2);
}
