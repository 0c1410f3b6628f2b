//! Evidence is kept packed: any `zstdcat` reads it, every verb does, and bundles of before are what they were.
//!
//! The tests unpack with the library of zstd's makers, the program with code of others: two witnesses.

use crate::world::{FEED, SMOOTH, ended, farmjank, files_below, held, run, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LAB: &str =
    "name: farm\nphones: [ { archetype: pixel-8, serial: P8 }, { archetype: redmi-note-7, serial: R7 } ]\n";

/// A folder with a lab, a scenario, and runs of it.
fn with_runs(scenario: &str, runs: &[&[&str]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", scenario);
    for more in runs {
        let base = ["run", "s.yaml", "--lab", "lab.yaml", "--quiet", "--no-history", "--out"];
        let ended = run(folder.path(), &[&base[..], more].concat());
        assert_eq!(ended.code, 0, "{}", ended.err);
    }
    folder
}

/// Files of a bundle's evidence whose names hold this.
fn evidence(bundle: &Path, part: &str) -> Vec<PathBuf> {
    let mut found = files_below(&bundle.join("evidence"));
    found.retain(|file| file.to_string_lossy().contains(part));
    found.sort();
    assert!(!found.is_empty(), "no {part}");
    found
}

/// Makes of a bundle what an older farmjank left: the same files, plain, and a log that names them.
fn as_before(bundle: &Path) {
    for file in evidence(bundle, ".zst") {
        let plain = held(&file);
        fs::remove_file(&file).expect("there");
        fs::write(file.with_extension(""), plain).expect("written");
    }
    for name in ["events.ndjson", "results.json"] {
        let text = fs::read_to_string(bundle.join(name)).expect("text");
        fs::write(bundle.join(name), text.replace(".zst\"", "\"")).expect("written");
    }
}

fn copied(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-r").args([from, to]).status().expect("cp starts");
    assert!(done.success());
}

/// What a run measures when its dumps are measured again.
fn rejudged(folder: &Path, bundle: &str) -> String {
    let ended = run(folder, &["report", bundle, "--rejudge", "s.yaml", "--format", "json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended.out.replace(".zst", "")
}

#[test]
fn evidence_is_a_fraction_of_what_it_holds_and_any_zstdcat_reads_it() {
    let folder = with_runs(SMOOTH, &[&["b"]]);
    let bundle = folder.path().join("b");
    let (mut packed, mut plain) = (0, 0);
    for (part, head) in
        [(".dumps.zst", &b"# farmjank evidence 1\n@dump {"[..]), (".perfetto-trace.zst", b"\n")]
    {
        for file in evidence(&bundle, part) {
            let held = held(&file);
            assert!(held.starts_with(head), "{}", file.display());
            (packed, plain) = (packed + fs::read(&file).expect("a file").len(), plain + held.len());
        }
    }
    assert!(packed * 3 < plain, "{packed} of {plain}");
    let first = &evidence(&bundle, ".dumps.zst")[0];
    match Command::new("zstdcat").arg(first).output() {
        Ok(output) => assert!(output.status.success() && output.stdout == held(first)),
        Err(why) => println!("skipped: no zstdcat here ({why})"),
    }
}

#[test]
fn a_plain_bundle_of_before_says_the_same_in_every_verb_and_merges_with_a_new_one() {
    let folder = with_runs(SMOOTH, &[&["b"], &["1", "--shard", "1/2"], &["2", "--shard", "2/2"]]);
    let here = folder.path();
    copied(&here.join("b"), &here.join("old"));
    as_before(&here.join("old"));
    assert!(
        evidence(&here.join("old"), ".dumps")
            .iter()
            .all(|file| file.extension().is_some_and(|end| end == "dumps"))
    );
    assert_eq!(rejudged(here, "old"), rejudged(here, "b"));
    for words in [&["report"][..], &["report", "--format", "json"], &["show"]] {
        let said = |bundle: &str| {
            let ended = run(here, &[words, &[bundle]].concat());
            assert_eq!(ended.code, 0, "{}", ended.err);
            ended.out.replace(".zst", "").replace("old", "b")
        };
        assert_eq!(said("old"), said("b"), "{words:?}");
    }
    assert_eq!(run(here, &["merge", "1", "2", "--out", "new"]).code, 0);
    as_before(&here.join("1"));
    assert_eq!(run(here, &["merge", "1", "2", "--out", "both"]).code, 0);
    assert_eq!(evidence(&here.join("both"), ".dumps").len(), 4);
    assert_eq!(evidence(&here.join("both"), ".dumps.zst").len(), 2, "each as it was");
    assert_eq!(rejudged(here, "both"), rejudged(here, "new"));
}

#[test]
fn what_somebody_unpacked_or_packed_by_hand_is_found() {
    let folder = with_runs(SMOOTH, &[&["b"]]);
    let here = folder.path();
    let before = rejudged(here, "b");
    let all = evidence(&here.join("b"), ".zst");
    for file in &all {
        let plain = held(file);
        fs::remove_file(file).expect("there");
        fs::write(file.with_extension(""), plain).expect("written");
    }
    assert_eq!(rejudged(here, "b"), before);
    for file in &all {
        let plain = fs::read(file.with_extension("")).expect("plain");
        // As `zstd -19` does, under the name it had.
        fs::write(file.with_extension(""), zstd::bulk::compress(&plain, 19).expect("packed"))
            .expect("written");
    }
    assert_eq!(rejudged(here, "b"), before);
}

#[test]
fn a_packed_file_is_analyzed_as_the_plain_one_from_a_folder_and_from_a_pipe() {
    let folder = with_runs(FEED, &[&["b"]]);
    let here = folder.path();
    for part in [".dumps.zst", ".perfetto-trace.zst"] {
        let file = &evidence(&here.join("b"), part)[0];
        fs::write(here.join("plain"), held(file)).expect("written");
        let said = |name: &str| {
            let ended = run(here, &["analyze", "--format", "json", name]);
            assert_eq!(ended.code, 0, "{part}: {}", ended.err);
            ended.out.replace(name, "plain")
        };
        let plain = said("plain");
        assert_eq!(said(&file.display().to_string()), plain, "{part}");
        let piped = farmjank(here)
            .args(["analyze", "--format", "json", "-"])
            .stdin(Stdio::from(fs::File::open(file).expect("there")))
            .output()
            .expect("it starts");
        assert_eq!(piped.status.code(), Some(0), "{part}: {}", String::from_utf8_lossy(&piped.stderr));
    }
}

#[test]
fn a_torn_file_gives_what_was_whole_and_a_damaged_one_is_named() {
    let folder = with_runs(SMOOTH, &[&["b"]]);
    let here = folder.path();
    let file = &evidence(&here.join("b"), ".dumps.zst")[0];
    let bytes = fs::read(file).expect("a file");
    let again = || run(here, &["report", "b", "--rejudge", "s.yaml"]);
    for part in [0.97, 0.6, 0.3] {
        fs::write(file, &bytes[..(bytes.len() as f64 * part) as usize]).expect("written");
        let ended = again();
        assert!([0, 1, 4].contains(&ended.code) && ended.err.is_empty(), "{part}: {}", ended.err);
    }
    let mut damaged = bytes;
    damaged[40] ^= 0xff;
    fs::write(file, &damaged).expect("written");
    let ended = again();
    assert!(
        ended.code == 2 && ended.err.contains(".dumps.zst: its compressed bytes are damaged"),
        "{}",
        ended.err
    );
}

#[test]
fn no_packed_bomb_goes_off() {
    let folder = with_runs(SMOOTH, &[&["b"]]);
    let here = folder.path();
    let zeros = zstd::bulk::compress(&vec![b'0'; 256 << 20], 3).expect("packed");
    assert!(zeros.len() < 100_000);
    write(here, "alone.zst", "");
    fs::write(here.join("alone.zst"), &zeros).expect("written");
    let file = &evidence(&here.join("b"), ".dumps.zst")[0];
    fs::write(file, &zeros).expect("written");
    for words in [
        &["report", "b", "--rejudge", "s.yaml"][..],
        &["analyze", "alone.zst"],
        &["analyze", "--source", "frametimeline", "alone.zst"],
    ] {
        // A third of what it holds, beside the program itself.
        let line = format!("ulimit -v 400000; exec \"$0\" {}", words.join(" "));
        let mut command = farmjank(here);
        let program = command.get_program().to_owned();
        let mut bounded = Command::new("sh");
        bounded.current_dir(here).arg("-c").arg(line).arg(program);
        bounded.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ended = ended(if cfg!(target_os = "linux") { &mut bounded } else { command.args(words) });
        assert!([2, 3].contains(&ended.code), "{words:?}: {}", ended.err);
        assert!(ended.err.contains("it unpacks to more than 32 times its size"), "{words:?}: {}", ended.err);
    }
}
