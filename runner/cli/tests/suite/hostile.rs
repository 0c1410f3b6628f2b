//! Files of strangers: every verb answers soon and in bounded memory, and opens nothing it was not given.

use crate::world::{Ended, SMOOTH, farmjank, run, write};
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest any of these may take, also in a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(90);

/// Runs it; one that does not end by itself is ended, and fails the test.
fn soon(folder: &Path, args: &[&str]) -> Ended {
    let mut command = farmjank(folder);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let began = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status.code().unwrap_or(-1);
        }
        if began.elapsed() > SOON {
            let _ = child.kill();
            panic!("{args:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = |from: &mut dyn Read| {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("its output");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let out = text(&mut child.stdout.take().expect("piped"));
    Ended { code, out, err: text(&mut child.stderr.take().expect("piped")) }
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

/// A folder with a scenario and a run of it.
fn with_run() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let ended = run(folder.path(), &["run", "s.yaml", "--lab", "demo", "--quiet", "--out", "b"]);
    assert!([0, 1, 4].contains(&ended.code), "{}", ended.err);
    folder
}

/// The first file of the run's evidence of this kind, packed as it is.
fn evidence(folder: &Path, ending: &str) -> PathBuf {
    let mut folders = vec![folder.join("b/evidence")];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.to_string_lossy().contains(&format!(".{ending}")) {
                return entry;
            }
        }
    }
    panic!("no .{ending}")
}

/// A few kilobytes that would unfold to gigabytes.
fn bomb() -> String {
    let head = |lines: usize| {
        format!(
            "@dump {{\"source\":\"surfaceflinger\",\"target\":\"a\",\"asked\":1,\"answered\":2,\"arrived\":3,\"lines\":{lines},\"tail\":true}}\n"
        )
    };
    let mut text = format!("# farmjank evidence 1\n{}+100\n{}", head(100), "1\t2\t3\n".repeat(100));
    let mut lines = 100;
    for _ in 0..13 {
        text += &format!("{}=0 {lines}\n=0 {lines}\n", head(2 * lines));
        lines *= 2;
    }
    let again = format!("{}=0 {lines}\n", head(lines));
    text + &again.repeat(500)
}

#[test]
fn evidence_that_would_unfold_to_gigabytes_is_refused() {
    let folder = with_run();
    fs::write(evidence(folder.path(), "dumps"), bomb()).expect("written");
    let ended = soon(folder.path(), &["report", "b", "--rejudge", "s.yaml"]);
    assert!(ended.code == 2 && ended.err.contains("unfolds to more than"), "{}", ended.err);
    let packed = zstd::bulk::compress(bomb().as_bytes(), 3).expect("packed");
    fs::write(evidence(folder.path(), "dumps"), packed).expect("written");
    let ended = soon(folder.path(), &["report", "b", "--rejudge", "s.yaml"]);
    assert!(ended.code == 2 && ended.err.contains("unfolds to more than"), "{}", ended.err);
    write(folder.path(), "w.dumps", &bomb());
    let ended = soon(folder.path(), &["analyze", "w.dumps"]);
    assert!(ended.code == 2 && ended.err.contains("unfolds to more than"), "{}", ended.err);
}

#[test]
fn evidence_that_is_no_file_of_the_bundle_is_not_opened() {
    let folder = with_run();
    let place = evidence(folder.path(), "dumps");
    let bytes = fs::read(&place).expect("evidence");
    let outside = folder.path().join("outside.dumps");
    fs::write(&outside, &bytes).expect("written");
    let refused = |make: &dyn Fn(), words: &str| {
        fs::remove_file(&place).expect("there");
        make();
        let ended = soon(folder.path(), &["report", "b", "--rejudge", "s.yaml"]);
        assert!(ended.code == 2 && ended.err.contains(words), "{words}: {}", ended.err);
        let merged = soon(folder.path(), &["merge", "b", "--out", "m", "--overwrite"]);
        assert!(merged.code == 2 || merged.code == 3, "{}", merged.err);
    };
    refused(&|| pipe(&place), "a pipe, a socket or a device");
    refused(&|| symlink("/dev/zero", &place).expect("linked"), "not inside the bundle");
    refused(&|| symlink(&outside, &place).expect("linked"), "not inside the bundle");
    fs::remove_file(&place).expect("there");
    // A link that stays inside is a file as any.
    fs::write(folder.path().join("b/kept"), &bytes).expect("written");
    symlink(folder.path().join("b/kept"), &place).expect("linked");
    let ended = soon(folder.path(), &["report", "b", "--rejudge", "s.yaml"]);
    assert!([0, 1, 4].contains(&ended.code), "{}", ended.err);
}

#[test]
fn a_log_that_is_no_file_of_its_bundle_is_read_by_no_verb() {
    let folder = with_run();
    let here = folder.path();
    fs::copy(here.join("b/events.ndjson"), here.join("log")).expect("copied");
    let verbs: [&[&str]; 9] = [
        &["report", "b"],
        &["show", "b"],
        &["view", "b"],
        &["merge", "b", "--out", "m"],
        &["history", "--add", "b"],
        &["run", "s.yaml", "--lab", "demo", "--resume", "b"],
        &["compare", "b", "b"],
        &["baseline", "save", "x", "b"],
        &["runs", "--runs", "."],
    ];
    type Make<'m> = &'m dyn Fn(&Path);
    let ways: [(&str, Make<'_>); 3] = [
        ("a pipe", &|at| pipe(at)),
        ("a device", &|at| symlink("/dev/zero", at).expect("linked")),
        ("outside", &|at| symlink("../log", at).expect("linked")),
    ];
    for (what, make) in ways {
        fs::remove_file(here.join("b/events.ndjson")).expect("there");
        make(&here.join("b/events.ndjson"));
        for verb in verbs {
            let ended = soon(here, verb);
            assert!(ended.code == 2 || verb[0] == "runs", "{verb:?}, {what}: {} {}", ended.out, ended.err);
        }
    }
    assert!(!here.join("m").exists(), "nothing was merged");
}

#[test]
fn a_run_that_goes_on_writes_nothing_outside_its_folder() {
    let folder = with_run();
    let here = folder.path();
    let log = fs::read_to_string(here.join("b/events.ndjson")).expect("a log");
    let planned = log.lines().position(|line| line.contains("\"plan_made\"")).expect("a plan");
    let kept: String = log.lines().take(planned + 1).map(|line| format!("{line}\n")).collect();
    fs::write(here.join("b/events.ndjson"), kept).expect("cut");
    fs::remove_dir_all(here.join("b/evidence")).expect("there");
    fs::create_dir(here.join("elsewhere")).expect("made");
    symlink("../elsewhere", here.join("b/evidence")).expect("linked");
    let ended = soon(here, &["run", "s.yaml", "--lab", "demo", "--quiet", "--resume", "b"]);
    assert_eq!(fs::read_dir(here.join("elsewhere")).expect("there").count(), 0, "{}", ended.err);
    let log = fs::read_to_string(here.join("b/events.ndjson")).expect("a log");
    assert!(log.contains("not inside the bundle"), "what could not be kept is told: {}", ended.err);
}

#[test]
fn among_scenarios_only_files_are_read_each_once_and_not_before_their_size_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "scenarios/deep/s.yaml", SMOOTH);
    for n in 0..30 {
        symlink("..", here.join(format!("scenarios/deep/up{n}"))).expect("linked");
        symlink("deep", here.join(format!("scenarios/down{n}"))).expect("linked");
    }
    symlink("deep/s.yaml", here.join("scenarios/again.yaml")).expect("linked");
    let ended = soon(here, &["check"]);
    assert_eq!((ended.code, ended.out.matches("ok  ").count()), (0, 1), "{}{}", ended.out, ended.err);

    let refused = |words: &str| {
        for args in [&["check"][..], &["check", "scenarios/x.yaml"]] {
            let ended = soon(here, args);
            assert!(ended.code == 2 && ended.err.contains(words), "{words}: {}", ended.err);
        }
        fs::remove_file(here.join("scenarios/x.yaml")).expect("there");
    };
    pipe(&here.join("scenarios/x.yaml"));
    refused("a pipe, a socket or a device");
    symlink("/dev/zero", here.join("scenarios/x.yaml")).expect("linked");
    refused("a pipe, a socket or a device");
    fs::File::create(here.join("scenarios/x.yaml")).and_then(|file| file.set_len(1 << 40)).expect("made");
    refused("larger than 1 MiB");
}

#[test]
fn a_flow_outside_the_project_runs_only_when_allowed_and_no_line_of_it_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let text = |file: &str| format!("name: A\nappId: com.a\nsteps:\n  - runFlow: {file}\n");
    write(here, "passwords", "root:x:hunter2\n\u{1}\n");
    write(here, "p/scenarios/own.yaml", "- back\n");
    write(here, "p/shared/flow.yaml", "- back\n");
    let check = |file: &str, more: &[&str]| {
        write(here, "p/scenarios/s.yaml", &text(file));
        soon(here, &[&["check", "p/scenarios/s.yaml"], more].concat())
    };
    assert_eq!(check("own.yaml", &[]).code, 0);
    for file in ["../../passwords", "../shared/flow.yaml"] {
        let ended = check(file, &[]);
        assert!(ended.code == 2 && ended.err.contains("--allow-outside"), "{}", ended.err);
    }
    assert_eq!(check("../shared/flow.yaml", &["--allow-outside"]).code, 0);
    let ended = check("../../passwords", &["--allow-outside"]);
    assert!(
        ended.code == 2 && !ended.err.contains("hunter2") && !ended.err.contains("root"),
        "{}",
        ended.err
    );
    symlink("../../passwords", here.join("p/scenarios/link.yaml")).expect("linked");
    let ended = check("link.yaml", &[]);
    assert!(ended.code == 2 && ended.err.contains("--allow-outside"), "a link leads out: {}", ended.err);
    pipe(&here.join("p/scenarios/pipe.yaml"));
    let ended = check("pipe.yaml", &[]);
    assert!(ended.code == 2 && ended.err.contains("a pipe"), "{}", ended.err);
    // A repository is one project.
    fs::create_dir(here.join("p/.git")).expect("made");
    assert_eq!(check("../shared/flow.yaml", &[]).code, 0);
}

#[test]
fn what_a_shell_hands_over_is_analysed_and_a_pipe_by_name_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let rows: String = (0..60_i64)
        .map(|n| 1_000_000_000 + n * 16_666_667)
        .fold(String::new(), |all, at| all + &format!("{}\t{at}\t{}\n", at - 33_000_000, at - 16_000_000));
    write(here, "d.txt", &format!("16666667\n{rows}"));
    let own = run(here, &["analyze", "d.txt"]);
    for words in ["analyze <(cat d.txt)", "analyze - < d.txt", "analyze /dev/stdin < d.txt"] {
        let mut bash = Command::new("bash");
        let line = format!("{} {words}", env!("CARGO_BIN_EXE_farmjank"));
        let ended = crate::world::ended(bash.current_dir(here).args(["-c", &line]).env("NO_COLOR", "1"));
        assert_eq!((ended.code, &ended.out), (0, &own.out), "{words}: {}", ended.err);
    }
    pipe(&here.join("p"));
    for name in ["p", "/dev/zero"] {
        let ended = soon(here, &["analyze", name]);
        assert!(ended.code == 2 && ended.err.contains("a pipe, a socket or a device"), "{}", ended.err);
    }
}

#[test]
fn other_files_that_are_named_are_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", SMOOTH);
    pipe(&here.join("p"));
    let verbs: [&[&str]; 6] = [
        &["compare", "p", "p", "--metric", "fps"],
        &["baseline", "import", "p"],
        &["run", "s.yaml", "--lab", "p"],
        &["run", "s.yaml", "--lab", "demo", "--baseline", "p"],
        &["doctor", "--prove", "--from", "p"],
        &["history", "--history", "p"],
    ];
    for verb in verbs {
        let ended = soon(here, verb);
        assert!(ended.code == 2 || ended.code == 3, "{verb:?}: {} {}", ended.out, ended.err);
    }
}

#[test]
fn memory_that_runs_out_is_told_in_words() {
    let folder = with_run();
    let here = folder.path();
    let log = fs::read_to_string(here.join("b/events.ndjson")).expect("a log");
    let first: Vec<&str> = log.lines().take(1).collect();
    let line = |n: usize| {
        format!("{{\"seq\":{n},\"at\":9000000000,\"kind\":\"noticed\",\"what\":\"{}\"}}\n", "x".repeat(2_000))
    };
    let more: String = (1..30_000).map(line).collect();
    write(here, "large/events.ndjson", &format!("{}\n{more}", first[0]));
    let mut bash = Command::new("bash");
    let words = format!("ulimit -v 150000; exec {} report large", env!("CARGO_BIN_EXE_farmjank"));
    let ended = crate::world::ended(bash.current_dir(here).args(["-c", &words]).env("NO_COLOR", "1"));
    assert!(ended.code == 3 && ended.err.contains("out of memory"), "{}: {}", ended.code, ended.err);
}
