//! `farmjank doctor --prove`, as people and pipelines call it.

use crate::world::{Ended, ended, farmjank, write};

/// Runs it in a folder.
fn prove(folder: &std::path::Path, args: &[&str]) -> Ended {
    ended(farmjank(folder).args(["doctor", "--prove"]).args(args))
}

/// The table, without how it was come by.
fn table(out: &str) -> Vec<&str> {
    out.lines().skip_while(|line| !line.contains("Android")).collect()
}

#[test]
fn a_phone_is_proved_and_its_archive_tells_the_same_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = prove(folder.path(), &["virtual-pixel-8", "--lab", "demo", "--out", "proof.tar.gz"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(
        done.out.contains("virtual lab `demo`") && done.out.contains("beliefs held, 0 did not"),
        "{}",
        done.out
    );
    assert!(done.out.contains("ring.columns") && done.out.contains("archive: proof.tar.gz"), "{}", done.out);
    let again = prove(folder.path(), &["--from", "proof.tar.gz"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert_eq!(table(&again.out), table(&done.out));
}

#[test]
fn a_belief_that_does_not_hold_is_named_and_ends_with_three() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = "name: liar\nphones: [ { archetype: pixel-6, serial: L, faults: [ swapped_columns ] } ]\n";
    write(folder.path(), "lab.yaml", lab);
    let done = prove(folder.path(), &["--lab", "lab.yaml"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    let wrong: Vec<&str> = done.out.lines().filter(|line| line.contains("NOT HELD")).collect();
    assert!(wrong.iter().any(|line| line.contains("ring.columns")), "{}", done.out);
    assert!(folder.path().join("farmjank-prove-pixel-6-android-12.tar.gz").is_file(), "{}", done.out);
}

#[test]
fn several_phones_or_a_file_that_is_no_archive_are_usage_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let many = prove(folder.path(), &["--lab", "demo"]);
    assert_eq!(many.code, 2, "{}{}", many.out, many.err);
    assert!(many.err.contains("say which"), "{}", many.err);
    write(folder.path(), "x.tar.gz", "no archive");
    let none = prove(folder.path(), &["--from", "x.tar.gz"]);
    assert_eq!(none.code, 2, "{}{}", none.out, none.err);
    assert!(none.err.contains("gzip") && none.err.contains("doctor --prove"), "{}", none.err);
    let both = ended(farmjank(folder.path()).args(["doctor", "--from", "x.tar.gz"]));
    assert_eq!(both.code, 2, "{}{}", both.out, both.err);
}
