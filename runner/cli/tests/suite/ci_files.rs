//! What `farmjank init --ci NAME` writes does in a shell what it promises: a run, its files, the exit its CI acts on,
//! and once more in the same workspace. GitHub's, which is steps, stands in `github_action`; those of GitLab and
//! Buildkite, which include kits, in `other_kits`. What vendors say of the form is asked in `.ci/run`, by their
//! schemas.

use crate::world::{Ended, ended, farmjank, run, write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Whose CI, its file, and what stands before the commands in it.
const FILES: [(&str, &str, &str); 3] = [
    ("jenkins", "Jenkinsfile", "script: '"),
    ("azure", "azure-pipelines.yml", "bash: |"),
    ("bitrise", "bitrise.yml", "content: |"),
];

/// The commands of a file: the block below the mark, or what stands behind it up to its quote, bracket or comment.
fn commands(text: &str, mark: &str) -> String {
    let (before, after) = text.split_once(mark).expect("the commands");
    if !mark.ends_with('|') {
        let line = after.lines().next().expect("a line");
        return line.split(['\'', ']', '#']).next().expect("a command").trim().to_owned();
    }
    let deep = before.rsplit('\n').next().expect("a line").len()
        - before.rsplit('\n').next().expect("a line").trim_start().len();
    let block = after.lines().skip(1).take_while(|line| line.len() - line.trim_start().len() > deep);
    block.map(|line| line.trim_start().to_owned() + "\n").collect()
}

fn program(place: &Path, name: &str, text: &str) {
    write(place, &format!("bin/{name}"), text);
    let path = place.join("bin").join(name);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
}

/// Runs commands as an agent would, with farmjank on its path.
fn agent(place: &Path, commands: &str) -> Ended {
    let own = farmjank(place);
    let mut shell = Command::new("bash");
    shell.args(["-e", "-c", commands]).current_dir(place);
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env("PATH", format!("{}:{path}", place.join("bin").display()));
    let deployed = place.join("deployed");
    std::fs::create_dir_all(&deployed).expect("a folder");
    ended(shell.env("BITRISE_DEPLOY_DIR", deployed))
}

#[test]
fn every_ci_file_runs_leaves_what_it_publishes_and_works_again_in_the_same_workspace() {
    for (ci, file, mark) in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path();
        assert_eq!(run(place, &["init", "--ci", ci]).code, 0, "{ci}");
        let text = std::fs::read_to_string(place.join(file)).expect(file);
        let commands = commands(&text, mark);
        assert!(commands.contains("farmjank run --out out --overwrite"), "{ci}: {commands}");
        let real = env!("CARGO_BIN_EXE_farmjank");
        program(
            place,
            "farmjank",
            &format!(
                "#!/bin/sh\n[ \"$1\" = run ] && set -- \"$@\" --lab demo --iterations 3\nexec {real} \"$@\"\n"
            ),
        );
        for build in 1..=2 {
            let ended = agent(place, &commands);
            assert!([0, 1].contains(&ended.code), "{ci}, build {build}: {}{}", ended.out, ended.err);
            for published in ["out/junit.xml", "out/metrics.txt", "out/report.html"] {
                assert!(place.join(published).is_file(), "{ci}, build {build}: no {published}");
            }
        }
        // Agents of these clean no workspace unless told to: what an older build left is not shown as this one's.
        write(place, "scenarios/home-feed.yaml", "name: [\n");
        let refused = agent(place, &commands);
        assert_eq!(refused.code, 2, "{ci}: {}{}", refused.out, refused.err);
        assert!(!place.join("out/junit.xml").exists(), "{ci} shows another build's tests");
        if ci == "bitrise" {
            for deployed in ["report.html", "junit.xml", "farmjank.tar.gz"] {
                assert!(place.join("deployed").join(deployed).is_file(), "no {deployed}");
            }
        }
    }
}

#[test]
fn every_ci_file_hands_on_the_exit_that_its_ci_acts_on() {
    for (ci, file, mark) in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path();
        run(place, &["init", "--ci", ci]);
        let text = std::fs::read_to_string(place.join(file)).expect(file);
        for code in [0, 1, 3, 4] {
            program(place, "farmjank", &format!("#!/bin/sh\nexit {code}\n"));
            let ended = agent(place, &commands(&text, mark));
            // Azure knows no exit that is neither good nor bad; it has a word for it.
            let due = if ci == "azure" && code == 4 { 0 } else { code };
            assert_eq!(ended.code, due, "{ci}");
            assert_eq!(
                ended.out.contains("SucceededWithIssues"),
                ci == "azure" && code == 4,
                "{ci}: {}",
                ended.out
            );
            // Bitrise knows no more than that a step failed; why, its log says.
            let told = match code {
                1 => "farmjank: a limit was breached\n",
                3 => "farmjank: a fault of the lab, nothing was judged\n",
                4 => "farmjank: undecided, neither good nor bad\n",
                _ => "",
            };
            assert!(ci != "bitrise" || ended.out == told, "{code}: {}", ended.out);
        }
        let undecided = [
            "rc == 4) { unstable(",
            "SucceededWithIssues",
            // No such state: it fails, never passes, and the file says so where that is changed.
            "Bitrise has no word for what is neither good nor bad: it fails the build. YOURS:",
        ];
        assert!(
            undecided.iter().any(|words| text.contains(words)),
            "{ci} takes undecided for a failure without a word"
        );
    }
}
