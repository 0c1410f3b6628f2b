//! The action of `ci/github/`, step by step as a runner would run it, before a model of GitHub with faults.

mod check_run;
mod checks;
mod comment;
#[cfg(target_os = "linux")]
mod farmed;
mod installed;
mod pulls;
mod workflows;

use crate::act::{Acted, Runner};
use crate::server::Server;
use crate::world::{SMOOTH, write};
use pulls::{Pulls, TOKEN};
use std::path::{Path, PathBuf};

/// The action's folder.
pub fn kit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/github")
}

/// A runner with a scenario, before a GitHub.
pub fn runner(folder: &Path, server: &Server<Pulls>) -> Runner {
    let mut runner = Runner::new(folder);
    write(&runner.work(), "scenarios/feed.yaml", SMOOTH);
    runner.github["token"] = TOKEN.into();
    runner.env.insert("GITHUB_API_URL".to_owned(), server.url.clone());
    runner.env.insert("GITHUB_RUN_ID".to_owned(), "812".to_owned());
    runner.env.insert("GITHUB_RUN_ATTEMPT".to_owned(), "1".to_owned());
    runner
}

/// The action with the binary under test on a virtual lab, and these inputs.
pub fn acted(runner: &mut Runner, with: &[(&str, &str)]) -> Acted {
    let own = [("binary", env!("CARGO_BIN_EXE_farmjank")), ("args", "--lab demo")];
    let rest = own.into_iter().filter(|(name, _)| with.iter().all(|(own, _)| own != name));
    let with: Vec<(&str, &str)> = rest.chain(with.iter().copied()).collect();
    let acted = runner.action(&kit(), &with);
    for step in runner.steps.iter().filter_map(|step| step.ended.as_ref()) {
        assert!(
            !step.out.contains(TOKEN) && !step.err.contains(TOKEN),
            "the token is in {}{}",
            step.out,
            step.err
        );
    }
    acted
}

#[test]
fn a_run_that_passes_leaves_summary_annotations_artifact_and_one_comment() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    let done = acted(&mut runner, &[]);
    let log = &runner.step("run").out;
    assert!(done.succeeded, "{log}{}", runner.step("run").err);
    assert_eq!((done.outputs["exit-code"].as_str(), done.outputs["verdict"].as_str()), ("0", "pass"));
    assert!(log.contains("::notice title=farmjank::pass: 4 passed"), "{log}");
    assert!(runner.summary().contains("## ✅ pass: 4 passed"), "{}", runner.summary());
    for file in ["report.html", "junit.xml", "events.ndjson"] {
        assert!(runner.artifact("farmjank").join(file).is_file(), "no {file}");
    }
    let comments = server.inside().model.bodies();
    assert_eq!(comments.len(), 1, "{comments:?}");
    assert!(
        comments[0].starts_with("<!-- farmjank:gate -->\n<!-- farmjank:told 812.1 -->\n## ✅ pass: 4 passed"),
        "{}",
        comments[0]
    );
    assert!(
        comments[0]
            .contains("commit 1a2b3c4d · [log and files](https://github.com/acme/shop/actions/runs/812)"),
        "{}",
        comments[0]
    );
    assert_eq!(done.outputs["comment"], "https://github.com/acme/shop/pull/12#issuecomment-1");
}

#[test]
fn a_run_that_fails_ends_the_step_with_its_exit_code_and_is_told_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    let never =
        SMOOTH.replace("fps: 'mean >= 30%refresh'", "fps: 'mean >= 100%refresh', p95_ms: 'mean < 0.1ms'");
    write(&runner.work(), "scenarios/feed.yaml", &never);
    let done = acted(&mut runner, &[]);
    assert_eq!((runner.step("run").code, done.succeeded), (1, false));
    assert_eq!((done.outputs["exit-code"].as_str(), done.outputs["verdict"].as_str()), ("1", "fail"));
    assert!(
        runner.step("run").out.contains("::error file=scenarios/feed.yaml,line="),
        "{}",
        runner.step("run").out
    );
    assert!(runner.summary().contains("## ❌ fail: 4 failed"), "{}", runner.summary());
    assert!(runner.artifact("farmjank").join("report.html").is_file());
    assert!(server.inside().model.bodies()[0].contains("## ❌ fail: 4 failed"));
}

#[test]
fn what_is_no_verdict_is_told_as_none_and_ends_as_the_inputs_say() {
    for (code, inputs, ends, verdict) in [
        (3, vec![], 3, "broken"),
        (3, vec![("lab-fault", "pass")], 0, "broken"),
        (4, vec![("lab-fault", "pass")], 4, "undecided"),
        (4, vec![("undecided", "pass")], 0, "undecided"),
        (2, vec![("lab-fault", "pass"), ("undecided", "pass")], 2, "refused"),
        (5, vec![], 5, "nothing"),
        (130, vec![], 130, "interrupted"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Server::of(Pulls::new());
        let mut runner = runner(folder.path(), &server);
        // Only how it ends is made up; who tells of it is the real one.
        let own = env!("CARGO_BIN_EXE_farmjank");
        let script = format!("#!/bin/sh\ncase $1 in run) exit {code};; esac\nexec {own} \"$@\"\n");
        program(&runner.work(), "bin/farmjank", &script);
        let with: Vec<(&str, &str)> = [("binary", "bin/farmjank")].into_iter().chain(inputs).collect();
        let done = acted(&mut runner, &with);
        assert_eq!(runner.step("run").code, ends, "{code}: {}", runner.step("run").out);
        assert_eq!(
            (done.outputs["exit-code"].as_str(), done.outputs["verdict"].as_str()),
            (code.to_string().as_str(), verdict)
        );
        assert_eq!(runner.step("run").out.contains("::warning"), ends == 0, "{code}");
        let comments = server.inside().model.bodies();
        assert!(
            comments[0].contains("## ❔ no verdict") && comments[0].contains(&format!("exit {code} ")),
            "{code}: {comments:?}"
        );
    }
}

#[test]
fn two_builds_in_turn_are_one_comment_with_a_verdict_per_window_and_phone() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    builds(&runner.work());
    let with = [
        ("mode", "ab"),
        ("old", "ab/shop-7.4.apk"),
        ("new", "ab/shop-7.5.apk"),
        ("paths", "gallery/search.yaml"),
        ("comment", "builds"),
    ];
    let done = acted(&mut runner, &with);
    assert_eq!(
        (done.outputs["verdict"].as_str(), done.succeeded),
        ("fail", false),
        "{}",
        runner.step("run").err
    );
    let comments = server.inside().model.bodies();
    assert_eq!(comments.len(), 1);
    let comment = &comments[0];
    assert!(comment.starts_with("<!-- farmjank:builds -->\n"), "{comment}");
    assert!(comment.contains("> **Against** shop-7.4.apk: 4 regression"), "{comment}");
    for phone in ["Redmi Note 7", "LE2113", "Pixel 8", "SM-A145F"] {
        let row =
            |line: &str| line.contains("fling the results") && line.contains(phone) && line.contains("worse");
        assert!(comment.lines().any(row), "{phone}: {comment}");
    }
}

#[test]
fn flags_keep_their_quotes_and_nothing_in_an_input_is_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    program(&runner.work(), "seen", "#!/bin/sh\n[ \"$1\" = --version ] || printf '<%s>' \"$@\" > words\n");
    let hostile = "$(touch pwned) `touch pwned`; touch pwned";
    let with = [
        ("binary", "seen"),
        ("args", "--device-filter 'sdk >= 29' \"a  b\" *\n--label note=$(touch pwned)\\;"),
        ("paths", "scenarios\n\nmore files"),
        ("out", hostile),
        ("artifact", ""),
        ("comment", ""),
    ];
    assert!(acted(&mut runner, &with).succeeded);
    let words = std::fs::read_to_string(runner.work().join("words")).expect("its words");
    let due = format!(
        "<run><--device-filter><sdk >= 29><a  b><*><--label><note=$(touch><pwned);><--out><{hostile}><--overwrite><--><scenarios><more files>"
    );
    assert_eq!(words, due);
    assert!(!runner.work().join("pwned").exists());
    for (input, words) in
        [("args", "a quote"), ("mode", "mode is run, ab or merge"), ("mode", "mode ab needs")]
    {
        let value = if words.contains("needs") { "ab" } else { "it's" };
        let done = acted(&mut runner, &[("binary", "seen"), (input, value), ("comment", "")]);
        assert!(!done.succeeded && runner.step("run").out.contains(words), "{}", runner.step("run").out);
        assert_eq!(done.outputs["verdict"], "refused");
    }
}

#[test]
fn a_run_that_was_cancelled_keeps_its_files_and_says_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    runner.cancelled_in = Some(("run", None));
    acted(&mut runner, &[]);
    assert!(runner.artifact("farmjank").join("events.ndjson").is_file());
    assert_eq!(server.counted(), (0, 0));
}

/// GitHub tells the shell of the step alone, and kills all of it ten seconds later: phones have to be set back by then.
#[test]
fn a_run_is_told_that_its_job_is_cancelled_and_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    // It takes a second to set its phones back, as it may.
    let stand_in = "#!/bin/sh\n[ \"$1\" = run ] || exit 0\ntrap 'sleep 1; echo set back > back; exit 143' TERM\n\
                    touch began\nwhile :; do sleep 0.1; done\n";
    program(&runner.work(), "stand-in", stand_in);
    let binary = runner.work().join("stand-in").display().to_string();
    runner.cancelled_in = Some(("run", Some("began")));
    let done = acted(&mut runner, &[("binary", &binary)]);
    assert!(runner.work().join("back").is_file(), "{}", runner.step("run").err);
    assert_eq!(
        (done.outputs["exit-code"].as_str(), done.outputs["verdict"].as_str()),
        ("143", "interrupted")
    );
    assert_eq!(server.counted(), (0, 0));
}

/// Two builds of the shop, of which the second is slower, and the scenario that shows it.
pub fn builds(place: &Path) {
    for file in ["ab/shop-7.4.apk", "ab/shop-7.5.apk", "gallery/search.yaml", "gallery/shared/leave.yaml"] {
        let to = place.join(file);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("it");
        std::fs::copy(kit().join("../../scenarios").join(file), to).expect("a copy");
    }
}

/// A program of the workspace.
pub fn program(place: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = write(place, name, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
}
