//! Phones that are connected and not measured: never green, and in every report.

use crate::world::{SMOOTH, run, write};
use serde_json::Value;
use std::path::Path;

const RACK: &str = "
name: rack
phones:
  - { archetype: pixel-6, serial: S1 }
  - { archetype: redmi-note-7, serial: S2 }
  - { archetype: pixel-8, serial: UNTRUSTED }
  - { archetype: pixel-8, serial: NORULES }
  - { archetype: pixel-8, serial: RECOVERY }
  - { archetype: pixel-8, serial: AWAY }
  - { archetype: pixel-8, serial: HUNG }
faults:
  - { at: 0s, phone: UNTRUSTED, kind: unauthorized }
  - { at: 0s, phone: NORULES, kind: no_permissions }
  - { at: 0s, phone: RECOVERY, kind: recovery }
  - { at: 0s, phone: AWAY, kind: offline }
  - { at: 0s, phone: HUNG, kind: wedge }
";
const ABSENT: [(&str, &str); 5] = [
    ("AWAY", "device_offline"),
    ("HUNG", "timeout"),
    ("NORULES", "device_no_permissions"),
    ("RECOVERY", "device_not_ready"),
    ("UNTRUSTED", "device_unauthorized"),
];

fn rack() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", RACK);
    write(folder.path(), "s.yaml", SMOOTH);
    folder
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a report")
}

const RUN: [&str; 9] = ["run", "s.yaml", "--lab", "lab.yaml", "--iterations", "1", "--out", "out", "-q"];

#[test]
fn connected_phones_that_cannot_be_measured_are_broken_rows_of_every_report() {
    let folder = rack();
    let ended = run(folder.path(), &RUN);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("5 broken, 2 passed · exit 3 (lab fault)"), "{}", ended.out);
    assert!(ended.out.contains("--allow-missing"), "{}", ended.out);
    let results: Value = serde_json::from_str(&read(folder.path(), "out/results.json")).expect("JSON");
    let junit = read(folder.path(), "out/junit.xml");
    let metrics = read(folder.path(), "out/metrics.txt");
    let page = run(folder.path(), &["report", "out", "--reporter", "markdown"]).out;
    let lines = run(folder.path(), &["report", "out", "--reporter", "github"]).out;
    for (serial, code) in ABSENT {
        let cells = results["cells"].as_array().expect("cells");
        let cell = cells.iter().find(|cell| cell["device"] == serial).expect("a cell");
        assert_eq!((&cell["verdict"], &cell["fault"]["code"]), (&"broken".into(), &code.into()), "{serial}");
        assert!(junit.contains(&format!("classname=\"smooth.{serial}\"")), "{serial} in {junit}");
        assert!(junit.contains(&format!("type=\"infra.{code}\"")), "{code} in {junit}");
        assert!(metrics.contains(&format!("farmjank_phone_absent{{serial=\"{serial}\",code=\"{code}\"")));
        assert!(page.contains(&format!("| {serial} |")) && lines.contains(serial), "{serial}");
        assert!(ended.out.contains(serial), "{serial} in {}", ended.out);
    }
}

#[test]
fn phones_that_may_be_missing_are_named_and_never_passed() {
    let folder = rack();
    let ended = run(folder.path(), &[&RUN[..], &["--allow-missing"]].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("PASS  2 passed · 5 phones not measured (--allow-missing)"), "{}", ended.out);
    let results: Value = serde_json::from_str(&read(folder.path(), "out/results.json")).expect("JSON");
    assert_eq!(results["cells"].as_array().map(Vec::len), Some(2));
    let junit = read(folder.path(), "out/junit.xml");
    assert!(junit.contains("<testsuite name=\"not measured\" tests=\"5\" skipped=\"5\""), "{junit}");
    for (at, (serial, code)) in ABSENT.into_iter().enumerate() {
        let absent = &results["absent"][at];
        assert_eq!((&absent["device"], &absent["code"]), (&serial.into(), &code.into()));
        assert_eq!(absent["allowed"], true);
        assert!(
            junit.contains(&format!("<testcase name=\"{serial}\" classname=\"not measured\"")),
            "{junit}"
        );
    }
    // One that is named must be there all the same.
    let named = run(
        folder.path(),
        &[&RUN[..], &["--overwrite", "--allow-missing", "-s", "S1", "-s", "UNTRUSTED"]].concat(),
    );
    assert_eq!(named.code, 3, "{}{}", named.out, named.err);
    let nobody = run(folder.path(), &[&RUN[..], &["--overwrite", "-s", "S1", "-s", "NOBODY"]].concat());
    assert_eq!(nobody.code, 3, "{}{}", nobody.out, nobody.err);
    assert!(nobody.out.contains("no phone with serial `NOBODY` is connected"), "{}", nobody.out);
}

#[test]
fn a_device_filter_leaves_out_only_what_it_can_tell() {
    let folder = rack();
    let one =
        |filter: &str| run(folder.path(), &[&RUN[..], &["--overwrite", "--device-filter", filter]].concat());
    let by_serial = one("serial = S1");
    assert!(by_serial.code == 0 && by_serial.out.contains("PASS  1 passed"), "{}", by_serial.out);
    // A silent phone may be a Pixel 6.
    let by_model = one("model = 'Pixel 6'");
    assert!(by_model.code == 3 && by_model.out.contains("5 broken, 1 passed"), "{}", by_model.out);
}

#[test]
fn a_fleet_of_fewer_phones_than_declared_is_a_fault_of_the_lab() {
    let folder = rack();
    let flag = run(folder.path(), &[&RUN[..], &["--phones", "9"]].concat());
    assert_eq!(flag.code, 3, "{}{}", flag.out, flag.err);
    let words = flag.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "2 of 9 phones came; absent are AWAY, HUNG, NORULES, RECOVERY, UNTRUSTED, \
               2 that are not connected or do not qualify";
    assert!(words.contains(why), "{words}");
    let junit = read(folder.path(), "out/junit.xml");
    assert!(junit.contains("type=\"infra.phones_missing\""), "{junit}");
    write(folder.path(), "s.yaml", &SMOOTH.replacen("name: Smooth", "name: Smooth\nphones: 3", 1));
    let two = "serial = S1 | serial = S2";
    let planned = run(folder.path(), &["plan", "s.yaml", "--lab", "lab.yaml", "--device-filter", two]);
    assert_eq!(planned.code, 3, "{}{}", planned.out, planned.err);
    let why = "2 of 3 phones came; absent is 1 that is not connected or does not qualify";
    assert!(planned.out.contains(why), "{}", planned.out);
    let allowed =
        run(folder.path(), &[&RUN[..], &["--overwrite", "--allow-missing", "--device-filter", two]].concat());
    assert_eq!(allowed.code, 0, "{}{}", allowed.out, allowed.err);
    assert!(allowed.out.contains("Smooth: 2 of 3 phones came"), "{}", allowed.out);
}

#[test]
fn a_part_without_a_phone_says_so_and_is_exit_5() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let part = |verb: &str, index: u32| {
        let (lab, shard) = (["--lab", "demo"], format!("{index}/40"));
        run(folder.path(), &[&[verb, "s.yaml", "--shard", &shard][..], &lab].concat())
    };
    let empty = (1..=40).find(|index| part("plan", *index).code == 5).expect("40 parts of four phones");
    let words = format!(
        "no phone is in part {empty} of 40; make fewer parts, or share out with `--shard-by duration`"
    );
    let planned = part("plan", empty);
    assert!(planned.err.contains(&words), "{}{}", planned.out, planned.err);
    let ended = part("run", empty);
    assert!(ended.code == 5 && ended.out.contains("no phone is in part"), "{}{}", ended.out, ended.err);
}
