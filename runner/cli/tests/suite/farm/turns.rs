//! Two builds in turn over a farm, phones held against themselves, and a search for the build that became slower.

use super::{Agents, LAB, same, tree};
use crate::world::{FEED, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;

const WAITS: [&str; 3] = ["--wait-for-devices", "60s", "--no-history"];
const SLOW: &str = "pages: { feed: { hitch_rate: 0.09 } }";

fn builds(here: &Path) {
    for (name, rest) in [("old.apk", ""), ("new.apk", SLOW), ("newest.apk", SLOW)] {
        let text = format!(
            "#!farmjank-lab-apk\nid: com.example.shop\nversion: of-{name}\nversion_code: 741\n{rest}\n"
        );
        write(here, name, &text);
    }
}

#[test]
fn builds_take_turns_on_hosts_as_they_do_here_however_many_hosts_there_are() {
    let Some(server) = NatsServer::start("") else { return };
    let (folder, url) = (tempfile::tempdir().expect("a folder"), server.url());
    let folder = folder.path();
    write(folder, "s.yaml", FEED);
    builds(folder);
    let two = ["ab", "old.apk", "new.apk", "s.yaml"];
    // Phones of one model share their cells wherever they are; three looks, and a budget that ends them.
    let told = [&two[..], &LAB, &["--out", "out", "-q", "--iterations", "6", "--budget", "9m"]].concat();
    let itself = [&["calibrate", "s.yaml"], &LAB[..], &["--iterations", "5", "--out", "out", "-q"]].concat();
    for (args, code) in [(&told, 1), (&itself, 0)] {
        let here = ended(farmjank(folder).args(args).arg("--no-history"));
        assert_eq!(here.code, code, "{}{}", here.out, here.err);
        let expected = (here.code, tree(&folder.join("out")));
        std::fs::remove_dir_all(folder.join("out")).expect("a folder");
        for many in [1, 3] {
            let agents = Agents::of_lab(folder, &url, many);
            let run = ended(farmjank(folder).args(args).args(WAITS).args(["--farm", &url]));
            assert_eq!(run.out, here.out, "{}", run.err);
            same(folder, &expected, &run);
            agents.leave();
        }
    }
}

/// Who takes it up has neither the builds nor the words of who began it.
#[test]
fn whoever_takes_up_reads_or_fetches_builds_in_turn_gets_their_comparison() {
    let Some(server) = NatsServer::start("") else { return };
    let (folder, url) = (tempfile::tempdir().expect("a folder"), server.url());
    let folder = folder.path();
    write(folder, "s.yaml", FEED);
    builds(folder);
    let _agents = Agents::of_lab(folder, &url, 2);
    let two =
        [&["ab", "old.apk", "new.apk", "s.yaml", "--looks", "1", "--iterations", "5"], &LAB[..]].concat();
    let here = ended(farmjank(folder).args(&two).args(["--out", "out", "-q", "--no-history"]));
    let expected = (here.code, tree(&folder.join("out")));
    assert_eq!(here.code, 1, "{}{}", here.out, here.err);
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let begun = ended(farmjank(folder).args(&two).args(WAITS).args(["--detach", "-q", "--farm", &url]));
    assert_eq!(begun.code, 0, "{}", begun.err);
    let run = begun.out.trim().to_owned();
    for name in ["old.apk", "new.apk"] {
        std::fs::remove_file(folder.join(name)).expect("it was there");
    }
    let watched = ended(farmjank(folder).args(["farm", "watch", &run, "--farm", &url]));
    assert!(watched.code == 1 && watched.out.contains("regression"), "{}{}", watched.out, watched.err);
    let attach = ["run", "--attach", &run, "--out", "out", "-q", "--no-history", "--farm", &url];
    same(folder, &expected, &ended(farmjank(folder).args(attach)));
    let fetch = ["farm", "fetch", &run, "--out", "out", "-q", "--farm", &url];
    same(folder, &expected, &ended(farmjank(folder).args(fetch)));
    builds(folder);
    let named = ["ab", "old.apk", "new.apk", "--attach", &run, "--farm", &url];
    let refused = ended(farmjank(folder).args(named));
    assert!(refused.code == 2 && refused.err.contains("farmjank run --farm URL --attach"), "{}", refused.err);
    let held = ["run", "--attach", &run, "--baseline", "out", "--farm", &url, "--no-history"];
    let refused = ended(farmjank(folder).args(held));
    assert!(refused.code == 2 && refused.err.contains("--baseline"), "{}", refused.err);
}

#[test]
fn a_search_over_a_farm_finds_the_build_and_judges_no_limit() {
    let Some(server) = NatsServer::start("") else { return };
    let (folder, url) = (tempfile::tempdir().expect("a folder"), server.url());
    let folder = folder.path();
    let _agents = Agents::of_lab(folder, &url, 2);
    write(folder, "s.yaml", &format!("{FEED}thresholds: {{ fps: 'min >= 500' }}\n"));
    builds(folder);
    let search = ["bisect", "old.apk", "new.apk", "newest.apk", "s.yaml", "--looks", "1", "--format", "json"];
    let search = [&search[..], &LAB, &["-s", "virtual-pixel-6-1", "--iterations", "5"]].concat();
    let found = ended(farmjank(folder).args(&search).args(["--farm", &url]).args(WAITS));
    let told: serde_json::Value =
        serde_json::from_str(&found.out).unwrap_or_else(|why| panic!("{why}: {}{}", found.out, found.err));
    assert_eq!((found.code, told["first"].as_str()), (1, Some("new.apk")), "{told}{}", found.err);
    let refused = ended(farmjank(folder).args(&search).args(["--detach", "--farm", &url]));
    assert!(refused.code == 2 && refused.err.contains("stays until the end"), "{}", refused.err);
}
