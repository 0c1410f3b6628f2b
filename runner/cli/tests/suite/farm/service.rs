//! Phones that are taken out of service over the farm, and put back.

use super::{Rack, over};
use crate::world::{Ended, ended, farmjank};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;

fn farm(folder: &Path, url: &str, words: &[&str]) -> Ended {
    ended(farmjank(folder).arg("farm").args(words).args(["--farm", url]))
}

#[test]
fn a_phone_out_of_service_is_given_to_no_run_of_the_farm_or_its_computer_until_it_is_back() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let first = ended(&mut over(folder, &url, &["--iterations", "1", "--out", "first"]));
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    let status = farm(folder, &url, &["status"]).out;
    let serial = status.lines().nth(1).and_then(|line| line.split_whitespace().next()).expect("a phone");
    let out = farm(folder, &url, &["drain", "rack", serial, "--why", "the battery swells"]);
    // Its agent may look at it in this moment, and is waited for then, in words.
    let told = format!("{serial}: no run is given it from now on\n{serial}: nobody has it any more\n");
    assert_eq!((out.code, out.out.as_str()), (0, told.as_str()), "{}", out.err);
    let status = farm(folder, &url, &["status"]).out;
    let told = format!("\n  {serial}  out of service since 20");
    assert!(status.contains(&told) && status.contains(": the battery swells\n"), "{status}");

    let refused = ended(&mut over(folder, &url, &["--iterations", "1", "--out", "second"]));
    assert_eq!(refused.code, 3, "{}{}", refused.out, refused.err);
    let words = format!("`farmjank farm undrain rack {serial}` puts it back");
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = flat(&refused.out);
    assert!(said.contains(": the battery swells") && said.contains(&words), "{}", refused.out);
    let here = ["run", "s.yaml", "--adb", &rack.adb, "--no-history", "--out", "here"];
    let here = ended(farmjank(folder).args(here));
    assert_eq!(here.code, 3, "{}{}", here.out, here.err);
    let said = flat(&here.out);
    assert!(said.contains("is used by `farmjank farm drain` (the battery swells)"), "{}", here.out);

    let back = farm(folder, &url, &["undrain", "rack", serial]);
    assert_eq!((back.code, back.out.as_str()), (0, &*format!("{serial}: back in service\n")), "{}", back.err);
    let last = ended(&mut over(folder, &url, &["--iterations", "1", "--out", "last"]));
    assert_eq!(last.code, 0, "{}{}", last.out, last.err);
    let log = std::fs::read_to_string(folder.join("rack.log")).expect("a log");
    assert!(
        log.contains("goes out of service: the battery swells") && log.contains("is back in service"),
        "{log}"
    );
}

#[test]
fn a_host_goes_out_of_service_whole_and_words_that_mean_nothing_are_refused() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let _rack = Rack::of_one(folder, &url);
    ended(&mut over(folder, &url, &["--iterations", "1", "--out", "first"]));
    let out = farm(folder, &url, &["drain", "rack", "--why", "moves"]);
    assert_eq!(out.code, 0, "{}{}", out.out, out.err);
    let status = farm(folder, &url, &["status"]).out;
    assert!(status.lines().next().is_some_and(|line| line.ends_with("Z: moves")), "{status}");
    let serial = status.lines().nth(1).and_then(|line| line.split_whitespace().next()).expect("a phone");
    for (words, told) in [
        (&["undrain", "rack", serial][..], "all of rack is out of service"),
        (&["drain", "rack", "nobody", "--why", "x"], "host rack has no phone `nobody`"),
        (&["drain", "rakc", "--why", "x"], "no host rakc is there; did you mean rack?"),
        (&["drain", "rack", "--why", " "], "--why: a reason of 1 to 120 characters"),
        (&["drain", "rack", "--why", "a\nb"], "--why: a reason"),
        (&["drain", "rack", "--why", "x", "--wait", "soon"], "--wait: "),
    ] {
        let refused = farm(folder, &url, words);
        assert!(
            refused.code == 2 && refused.err.contains(told),
            "{words:?}: {} {}",
            refused.code,
            refused.err
        );
    }
    let back = farm(folder, &url, &["undrain", "rack"]);
    assert_eq!((back.code, back.out.as_str()), (0, "host rack: back in service\n"), "{}", back.err);
    let last = ended(&mut over(folder, &url, &["--iterations", "1", "--out", "last"]));
    assert_eq!(last.code, 0, "{}{}", last.out, last.err);
}
