//! How the action comes to its binary: by checksum or not at all.

use super::pulls::Pulls;
use super::{kit, program, runner};
use crate::act::{Acted, Runner};
use crate::server::Server;
use crate::world::run;
use std::path::Path;
use std::process::Command;

const NO: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The checksum of a file.
pub fn sum(file: &Path) -> String {
    let output = Command::new("sha256sum").arg(file).output().expect("sha256sum");
    String::from_utf8_lossy(&output.stdout).split(' ').next().expect("a sum").to_owned()
}

fn installed(runner: &mut Runner, with: &[(&str, &str)]) -> Acted {
    let own = [("args", "--lab demo"), ("comment", ""), ("artifact", "")];
    let rest = own.into_iter().filter(|(name, _)| with.iter().all(|(own, _)| own != name));
    let with: Vec<(&str, &str)> = rest.chain(with.iter().copied()).collect();
    runner.action(&kit(), &with)
}

#[test]
fn an_archive_is_installed_by_its_checksum_kept_and_looked_at_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    let release = folder.path().join("release");
    let own = env!("CARGO_BIN_EXE_farmjank");
    program(&release, "farmjank-0.1.0-x/farmjank", &format!("#!/bin/sh\nexec {own} \"$@\"\n"));
    let archive = release.join("farmjank.tar.gz");
    let packed = Command::new("tar")
        .args(["-czf"])
        .arg(&archive)
        .arg("-C")
        .arg(&release)
        .arg("farmjank-0.1.0-x")
        .status();
    assert!(packed.expect("tar").success());
    let (sum, url) = (sum(&archive), format!("file://{}", archive.display()));
    let done = installed(&mut runner, &[("url", &url), ("sha256", &sum)]);
    assert!(done.succeeded, "{}{}", runner.step("install").out, runner.step("install").err);
    assert_eq!(runner.step("install").out, run(folder.path(), &["--version"]).out);
    // The second time what was kept is used; what somebody changed is not.
    std::fs::remove_file(&archive).expect("it");
    assert!(installed(&mut runner, &[("url", &url), ("sha256", &sum)]).succeeded);
    let kept = folder.path().join(format!("temp/farmjank-{sum}/download"));
    std::fs::write(kept, "something else").expect("it");
    let done = installed(&mut runner, &[("url", &url), ("sha256", &sum)]);
    assert!(
        !done.succeeded && runner.step("install").out.contains("cannot be downloaded"),
        "{}",
        runner.step("install").out
    );
}

#[test]
fn what_has_another_checksum_or_none_is_never_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    program(folder.path(), "farmjank", "#!/bin/sh\ntouch ran\n");
    let url = format!("file://{}", folder.path().join("farmjank").display());
    for (sha256, words) in [
        (NO, "has another checksum"),
        ("", "has to be the checksum"),
        ("../../../etc", "has to be the checksum"),
    ] {
        let done = installed(&mut runner, &[("url", &url), ("sha256", sha256)]);
        assert!(
            !done.succeeded && runner.step("install").out.contains(words),
            "{}",
            runner.step("install").out
        );
    }
    assert!(!runner.work().join("ran").exists());
    let sum = sum(&folder.path().join("farmjank"));
    assert!(
        installed(&mut runner, &[("url", &url), ("sha256", &sum)]).succeeded,
        "a bare binary is taken too"
    );
    assert!(runner.work().join("ran").exists());
}

#[test]
fn without_a_binary_anywhere_it_says_what_to_give() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    runner.env.insert("PATH".to_owned(), "/usr/bin:/bin".to_owned());
    let done = installed(&mut runner, &[("comment", "gate")]);
    assert!(
        !done.succeeded
            && runner
                .step("install")
                .out
                .contains("::error title=farmjank::there is no farmjank on the path")
    );
    assert!(runner.step("comment").out.contains("there was no run, and so there is no comment"));
    assert!(!installed(&mut runner, &[("binary", "nowhere/farmjank")]).succeeded);
}
