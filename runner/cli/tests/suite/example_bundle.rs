//! The run in `results/tests/run/`, which documentation opens, is one that this farmjank makes.

use crate::world::{ended, farmjank};
use std::fs;
use std::path::Path;

const FILES: [&str; 2] = ["events.ndjson", "evidence/job-0/trial-0/0-fling-the-feed.strip"];

#[test]
fn the_run_that_examples_open_is_what_farmjank_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("run");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut run = farmjank(&repository);
    run.args(["run", "scenarios/gallery/home-feed.yaml", "--lab", "demo", "-s", "virtual-pixel-8"])
        .args(["--iterations", "1", "--no-history", "--quiet", "--out"])
        .arg(&made);
    let ended = ended(&mut run);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let example = repository.join("results/tests/run");
    for file in FILES {
        let now = fs::read(made.join(file)).expect("written");
        if std::env::var_os("FARMJANK_BLESS").is_some() {
            fs::write(example.join(file), &now).expect("written");
        }
        let same = fs::read(example.join(file)).expect("the example is there") == now;
        assert!(same, "{file} of the example is not what a run writes; FARMJANK_BLESS=1 writes it anew");
    }
}
