//! The kit's containers, as far as they can be held to their word without a container: what they are built from is
//! here, and a sweep in one ends as a sweep does. The forms of Dockerfile and compose.yaml are asked in `.ci/run`.

use super::{kit, text};
use crate::world::write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn the_image_is_built_with_the_compiler_this_repository_asks_for_and_from_what_is_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("the manifest");
    let wanted = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("a version");
    let dockerfile = text("container/Dockerfile");
    assert!(dockerfile.contains(&format!("FROM rust:{}-slim-bookworm AS build", wanted.trim_matches('"'))));
    assert!(dockerfile.contains("cargo install --locked "), "the versions of the lock file");
    let copied = dockerfile.lines().filter_map(|line| line.strip_prefix("COPY "));
    for line in copied.filter(|line| !line.starts_with("--from")) {
        let words: Vec<&str> = line.split(' ').collect();
        for file in &words[..words.len() - 1] {
            assert!(root.join(file).exists(), "COPY {file}");
        }
    }
    let user = dockerfile.rfind("USER farmjank").expect("no root");
    assert!(user < dockerfile.find("ENTRYPOINT").expect("a program"));
}

#[test]
fn what_compose_mounts_from_the_repository_is_here() {
    let compose = text("container/compose.yaml");
    let words =
        compose.split([' ', '"', '$', '{', '}', ',', ':', '\n']).map(|word| word.trim_start_matches('-'));
    let mounts: Vec<&str> = words.filter(|word| word.starts_with("./") || word.starts_with("../")).collect();
    assert!(mounts.len() >= 5, "{mounts:?}");
    for path in mounts {
        assert!(kit("container").join(path).exists(), "{path}");
    }
}

/// `night` with another farmjank: its exit, and what was handed on.
fn night(farmjank: &str, terminate: bool) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let file = write(place, "bin/farmjank", farmjank);
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    std::fs::create_dir(place.join("metrics")).expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", place.join("bin").display(), kit("host").display());
    let mut command = Command::new(kit("container/night"));
    command
        .args(["--quiet", "scenarios"])
        .current_dir(place)
        .env("PATH", path)
        .env("FARMJANK_TEXTFILES", "metrics");
    let mut child = command.stdin(Stdio::null()).spawn().expect("night");
    if terminate {
        let begun = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            place.join("begun").exists()
        });
        assert!(begun, "the sweep begins");
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    }
    let ended = child.wait().expect("it ends").code();
    let handed = |name: &str| std::fs::read_to_string(place.join("metrics").join(name)).unwrap_or_default();
    (ended, handed("farmjank.prom") + &handed("farmjank_night.prom"))
}

#[test]
fn a_sweep_in_a_container_ends_with_its_own_exit_and_hands_its_numbers_on() {
    let farmjank = "#!/bin/sh\n[ \"$1 $2 $4 $5\" = 'run --reporter --quiet scenarios' ] || exit 2\n\
                    echo 'farmjank_cells 1' > \"${3#openmetrics=}\"\nexit 4\n";
    let (ended, handed) = night(farmjank, false);
    assert_eq!(ended, Some(4));
    assert!(handed.contains("farmjank_cells 1") && handed.contains("status=\"4\""), "{handed}");
}

#[test]
fn a_sweep_in_a_container_that_is_told_to_stop_comes_to_its_end() {
    let farmjank = "#!/bin/sh\ntrap 'echo \"farmjank_cells 2\" > \"${3#openmetrics=}\"; exit 143' TERM\n: > begun\n\
                    while :; do sleep 0.05; done\n";
    let (ended, handed) = night(farmjank, true);
    assert_eq!(ended, Some(143));
    assert!(handed.contains("farmjank_cells 2") && handed.contains("status=\"143\""), "{handed}");
}
