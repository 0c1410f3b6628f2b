//! `farmjank run --install`: the build that is judged is the one that was brought.

use crate::world::{SMOOTH, ended, farmjank, run, write};
use std::path::Path;

const LAB: [&str; 6] = ["--lab", "demo", "--seed", "3", "--out", "out"];

/// A build of the shop for the virtual lab; `pages` says what hitches.
pub fn build(folder: &Path, name: &str, pages: &str) {
    let text =
        format!("#!farmjank-lab-apk\nid: com.example.shop\nversion: 7.9.0\nversion_code: 790\n{pages}");
    write(folder, name, &text);
}

const SLOW: &str = "pages: { feed: { hitch_rate: 0.5 } }\n";
const STRICT: &str = "thresholds: { hitch_ms_per_s: 'max <= 60' }\n";

fn strict() -> String {
    let (above, _) = SMOOTH.split_once("thresholds:").expect("limits");
    above.to_owned() + STRICT
}

#[test]
fn the_build_that_is_brought_is_installed_everywhere_and_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", &strict());
    build(folder, "good.apk", "");
    build(folder, "slow.apk", SLOW);
    let brought = |args: &[&str]| run(folder, &[&["run", "s.yaml", "--overwrite"][..], &LAB, args].concat());
    let good = brought(&["--install", "good.apk", "-s", "virtual-pixel-8"]);
    assert_eq!(good.code, 0, "{}{}", good.out, good.err);
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    let installed: Vec<&str> = log.lines().filter(|line| line.contains("\"app_installed\"")).collect();
    assert_eq!(installed.len(), 1, "{installed:?}");
    let [one] = installed[..] else { unreachable!() };
    assert!(one.contains("\"good.apk\"") && one.contains("\"compiled\":\"speed\""), "{one}");
    let sha256 = one.split("\"sha256\":\"").nth(1).and_then(|rest| rest.get(..64)).expect("a digest");
    assert!(log.contains(&format!("\"installation\":\"sha256:{sha256}\"")), "windows say of which build");
    let slow =
        brought(&["--install", "com.example.shop=slow.apk", "--compile", "none", "-s", "virtual-pixel-8"]);
    assert_eq!(slow.code, 1, "{}{}", slow.out, slow.err);
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    let not_compiled = |line: &str| line.contains("\"app_installed\"") && !line.contains("\"compiled\"");
    assert!(log.lines().any(not_compiled), "it was left to the phone");
}

#[test]
fn a_build_that_cannot_be_meant_is_refused_before_a_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    write(
        folder,
        "other.yaml",
        &SMOOTH.replace("com.example.shop", "com.example.mail").replace("Smooth", "Mail"),
    );
    write(folder, "page.html", "<html>");
    build(folder, "good.apk", "");
    for (args, words) in [
        (&["s.yaml", "--install", "none.apk"][..], "none.apk"),
        (&["s.yaml", "--install", "page.html"], "page.html: this is no Android package"),
        (
            &["s.yaml", "--install", "com.example.mail=good.apk"],
            "no scenario is of com.example.mail; there is com.example.shop",
        ),
        (
            &["s.yaml", "other.yaml", "--install", "good.apk"],
            "scenarios are of several apps (com.example.mail, com.example.shop): write `APP=good.apk`",
        ),
        (
            &["s.yaml", "--install", "good.apk", "--install", "good.apk"],
            "of one app one build is measured; `farmjank ab` compares two",
        ),
        (&["s.yaml", "--install", "good.apk", "--compile", "Fast!"], "`Fast!` is no mode"),
        (&["s.yaml", "--compile", "speed"], "say what is installed with --install"),
        (&["s.yaml", "--reinstall"], "say what is installed with --install"),
    ] {
        let wrong = run(folder, &[&["run"][..], args, &LAB].concat());
        assert_eq!(wrong.code, 2, "{args:?}: {}", wrong.err);
        assert!(wrong.err.contains(words), "{args:?}: {}", wrong.err);
        assert!(!folder.join("out").exists(), "{args:?}");
    }
    // Not for a lab.
    let real = ended(farmjank(folder).args(["run", "s.yaml", "--install", "good.apk"]));
    assert_eq!(real.code, 2, "{}", real.err);
    assert!(real.err.contains("this is a build for the virtual lab; add --lab"), "{}", real.err);
    let itself = run(folder, &[&["calibrate", "s.yaml", "--install", "good.apk"][..], &LAB].concat());
    assert!(itself.code == 2 && itself.err.contains("held against itself"), "{}", itself.err);
    let itself = run(folder, &[&["calibrate", "s.yaml", "--compile", "speed"][..], &LAB].concat());
    assert!(itself.code == 2 && itself.err.contains("calibrating installs nothing"), "{}", itself.err);
    let two =
        run(folder, &[&["ab", "good.apk", "good.apk", "s.yaml", "--install", "good.apk"][..], &LAB].concat());
    assert!(two.code == 2 && two.err.contains("name both builds"), "{}", two.err);
}
