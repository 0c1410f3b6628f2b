//! The kits of GitLab, Buildkite and Jenkins: their shell as an agent would run it, before a stand-in for the agent.
//! What vendors say of the form of GitLab's is asked in `.ci/run`; what is Groovy runs in Groovy, on stand-ins for
//! Jenkins' steps.

use crate::act::yaml;
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn kit(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci").join(path)
}

/// Bash in a folder with farmjank on its path, whose phones are virtual, and these variables.
fn bash(place: &Path, words: &[&str], variables: &[(&str, &str)]) -> Ended {
    let own = env!("CARGO_BIN_EXE_farmjank");
    program(
        place,
        "farmjank",
        &format!("#!/bin/sh\n[ $1 = run ] || exec {own} \"$@\"\nshift\nexec {own} run --lab demo \"$@\"\n"),
    );
    let mut command = Command::new("bash");
    command.args(words).current_dir(place);
    for (name, value) in farmjank(place).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", place.join("bin").display()));
    ended(command.envs(variables.iter().copied()))
}

fn program(place: &Path, name: &str, text: &str) {
    let path = write(place, &format!("bin/{name}"), text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
}

fn failing() -> String {
    SMOOTH.replace("fps: 'mean >= 30%refresh'", "p95_ms: 'mean < 0.1ms'")
}

/// What `farmjank init` writes for GitLab: its component with these inputs, those that the including file gives, or as
/// they are.
fn component(place: &Path, own: &Value) -> Value {
    assert_eq!(crate::world::run(place, &["init", "--ci", "gitlab"]).code, 0);
    let including = yaml(&place.join(".gitlab-ci.yml"))["include"][0].clone();
    let local = including["local"].as_str().and_then(|path| path.strip_prefix('/')).expect("of the project");
    let text = std::fs::read_to_string(place.join(local)).expect("the component");
    std::fs::remove_dir_all(place.join("scenarios")).expect("the first one");
    let (head, mut body) =
        text.split_once("\n---\n").map(|(head, body)| (head, body.to_owned())).expect("two documents");
    let inputs = yaml(&write(place, "head.yml", head))["spec"]["inputs"].clone();
    let inputs = inputs.as_object().expect("inputs");
    let mut given = including["inputs"].as_object().expect("inputs").clone();
    given.extend(own.as_object().expect("inputs").clone());
    assert!(given.keys().all(|name| inputs.contains_key(name)), "it has no such input: {given:?}");
    for (name, input) in inputs {
        // Texts as they are, whatever YAML makes of them there; lists as JSON.
        let value = given.get(name).unwrap_or(&input["default"]);
        let given = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        body = body.replace(&format!("$[[ inputs.{name} ]]"), &given);
    }
    assert!(!body.contains("$[["), "an input that is not declared: {body}");
    yaml(&write(place, "body.yml", &body))
}

fn script(job: &Value) -> String {
    let lines = job["script"].as_array().expect("a script").iter();
    lines.map(|line| line.as_str().expect("a line").to_owned() + "\n").collect()
}

#[test]
fn gitlabs_component_leaves_every_report_it_names_and_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let jobs = component(place, &json!({}));
    let job = &jobs["farmjank"];
    assert_eq!(
        (&job["tags"][0], &job["allow_failure"]["exit_codes"][0]),
        (&"android-phones".into(), &4.into())
    );
    let variables: Vec<(&str, &str)> = job["variables"]
        .as_object()
        .expect("variables")
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().expect("a text")))
        .collect();
    for (scenario, code, issues) in [(SMOOTH.to_owned(), 0, 1), (failing(), 1, 5)] {
        write(place, "scenarios/s.yaml", &scenario);
        let ran = bash(place, &["-e", "-c", &script(job)], &variables);
        assert_eq!(ran.code, code, "{}{}", ran.out, ran.err);
        for report in job["artifacts"]["reports"].as_object().expect("reports").values() {
            assert!(place.join(report.as_str().expect("a path")).is_file(), "no {report}");
        }
        let quality = yaml(&place.join("codequality.json"));
        let quality = quality.as_array().expect("a list");
        assert_eq!(quality.len(), issues, "one says that all is virtual: {quality:?}");
        assert!(quality.iter().filter(|issue| issue["severity"] == "major").count() == issues - 1);
        for issue in quality {
            assert!(issue["fingerprint"].as_str().is_some_and(|print| print.len() == 16), "{issue}");
        }
        let path = &quality[0]["location"]["path"];
        assert!(code == 0 || path == "scenarios/s.yaml", "as the repository has it: {path}");
    }
    let published = bash(place, &["-e", "-c", &script(&jobs["pages"])], &[]);
    assert!(published.code == 0 && place.join("public/index.html").is_file(), "{}", published.err);
    let hostile = bash(
        place,
        &["-e", "-c", &script(job)],
        &[("FARMJANK_PATHS", "scenarios"), ("FARMJANK_ARGS", "--label note=$(touch${IFS}pwned)")],
    );
    assert!(hostile.code == 1 && !place.join("pwned").exists(), "{}", hostile.err);
}

/// Whether a job of GitLab is in a pipeline that has these variables: the first of its rules that holds says so. A rule
/// is terms with `&&`: a variable that is set, or two values that are equal.
fn in_pipeline(job: &Value, variables: &[(&str, &str)]) -> bool {
    let value = |word: &str| match word.strip_prefix('$') {
        Some(name) => variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned()),
        None => Some(word.strip_prefix('"').and_then(|w| w.strip_suffix('"')).expect("quotes").to_owned()),
    };
    let holds = |term: &str| match term.split_once(" == ") {
        Some((one, other)) => value(one) == value(other),
        None => value(term).is_some_and(|value| !value.is_empty()),
    };
    let mut rules = job["rules"].as_array().expect("rules").iter();
    let first = rules.find(|rule| rule["if"].as_str().expect("a condition").split(" && ").all(holds));
    first.is_some_and(|rule| rule["when"] != "never")
}

#[test]
fn gitlabs_job_is_once_in_what_a_push_begins_and_the_page_has_what_it_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = component(folder.path(), &json!({ "job": "smooth: list" }));
    let (job, pages) = (&jobs["smooth: list"], &jobs["pages"]);
    assert_eq!(pages["needs"], json!(["smooth: list"]));
    let main = ("CI_DEFAULT_BRANCH", "main");
    let on = |name: &'static str| ("CI_COMMIT_BRANCH", name);
    let by = |source: &'static str| ("CI_PIPELINE_SOURCE", source);
    let open = ("CI_OPEN_MERGE_REQUESTS", "acme/shop!12");
    for (variables, measured, published) in [
        (vec![by("push"), on("feature")], true, false),
        // Two pipelines of one push: one of them measures.
        (vec![by("push"), on("feature"), open], false, false),
        (vec![by("merge_request_event"), open], true, false),
        (vec![by("schedule"), on("feature"), open], true, false),
        (vec![by("push"), on("main")], true, true),
        (vec![by("push"), on("main"), open], true, true),
        (vec![by("schedule"), on("main")], true, true),
        (vec![by("push"), ("CI_COMMIT_TAG", "v1")], false, false),
    ] {
        let variables: Vec<(&str, &str)> = variables.into_iter().chain([main]).collect();
        let is = (in_pipeline(job, &variables), in_pipeline(pages, &variables));
        assert_eq!(is, (measured, published), "{variables:?}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let without = component(folder.path(), &json!({ "pages": false }));
    let variables = [by("push"), on("main"), main];
    assert!(in_pipeline(&without["farmjank"], &variables) && !in_pipeline(&without["pages"], &variables));
}

#[test]
fn buildkites_plugin_shows_keeps_and_ends_as_the_run_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let hook = kit("buildkite/hooks/command").display().to_string();
    let agent =
        "#!/bin/sh\necho \"$@\" >> asked\n[ $1 = annotate ] && cat > annotation.md\nexit ${AGENT_FAILS:-0}\n";
    program(place, "buildkite-agent", agent);
    write(place, "my scenarios/s.yaml", &failing());
    let set = [
        ("BUILDKITE_PLUGIN_FARMJANK_PATHS_0", "my scenarios"),
        ("BUILDKITE_PLUGIN_FARMJANK_ARGS", "--device-filter 'sdk >= 29' --label note=$(touch\\ pwned)"),
        ("BUILDKITE_STEP_KEY", "smooth"),
    ];
    let ran = bash(place, &[&hook], &set);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let asked = std::fs::read_to_string(place.join("asked")).expect("the agent is asked");
    assert_eq!(
        asked,
        "annotate --context farmjank-smooth-0 --style error\nartifact upload farmjank-out/**/*\n"
    );
    let annotation = std::fs::read_to_string(place.join("annotation.md")).expect("an annotation");
    assert!(annotation.contains("## ❌ fail") && !place.join("pwned").exists(), "{annotation}");
    write(place, "my scenarios/s.yaml", SMOOTH);
    let failing_agent = bash(place, &[&hook], &[set[0], ("AGENT_FAILS", "1")]);
    assert!(failing_agent.code == 0 && failing_agent.err.contains("no annotation"), "{}", failing_agent.err);
    std::fs::remove_dir_all(place.join("farmjank-out")).expect("it");
    std::fs::remove_file(place.join("asked")).expect("it");
    let refused = bash(place, &[&hook], &[("BUILDKITE_PLUGIN_FARMJANK_PATHS", "nowhere")]);
    assert!(refused.code == 2 && !place.join("asked").exists(), "nothing is shown of no run");
    // Every key that the plugin declares is one that its hook reads.
    let text = std::fs::read_to_string(kit("buildkite/hooks/command")).expect("the hook");
    for key in
        yaml(&kit("buildkite/plugin.yml"))["configuration"]["properties"].as_object().expect("keys").keys()
    {
        assert!(text.contains(&format!("BUILDKITE_PLUGIN_FARMJANK_{}", key.to_uppercase())), "{key}");
    }
}

/// What `farmjank init` writes: a step with the plugin, whose hook an agent runs with what the step says.
#[test]
fn buildkites_files_are_a_step_and_its_plugin_and_the_agent_can_run_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    assert_eq!(crate::world::run(place, &["init", "--ci", "buildkite"]).code, 0);
    let step = yaml(&place.join(".buildkite/pipeline.yml"))["steps"][0].clone();
    let (name, set) = step["plugins"][0].as_object().and_then(|one| one.iter().next()).expect("a plugin");
    let plugin = place.join(name);
    let declared = yaml(&plugin.join("plugin.yml"))["configuration"]["properties"].clone();
    let set: Vec<(String, String)> = set
        .as_object()
        .expect("a configuration")
        .iter()
        .map(|(key, value)| {
            assert!(!declared[key].is_null(), "it has no {key}");
            let variable = format!("BUILDKITE_PLUGIN_FARMJANK_{}", key.to_uppercase());
            (variable, value.as_str().expect("a text").to_owned())
        })
        .collect();
    let set: Vec<(&str, &str)> = set.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    program(place, "buildkite-agent", "#!/bin/sh\necho \"$@\" >> asked\ncat > /dev/null\n");
    let hook = plugin.join("hooks/command").display().to_string();
    let ran = bash(place, &["-c", "exec \"$0\"", &hook], &set);
    assert_eq!(ran.code, 1, "one of the four virtual phones stutters: {}{}", ran.out, ran.err);
    assert!(place.join("asked").is_file() && place.join("farmjank-out/report.html").is_file());
    assert_eq!(
        (&step["soft_fail"][0]["exit_status"], &step["retry"]["automatic"][0]["exit_status"]),
        (&4.into(), &3.into())
    );
}

#[test]
fn a_library_for_jenkins_is_one_step_and_nothing_of_an_app() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let wrote = crate::world::run(place, &["init", "--ci", "jenkins-library"]);
    assert!(wrote.code == 0 && wrote.out.contains("@Library('NAME') _"), "{}{}", wrote.out, wrote.err);
    assert_eq!(crate::world::files_below(place), [place.join("vars/farmjank.groovy")]);
    let same = std::fs::read(kit("jenkins/vars/farmjank.groovy")).expect("the step");
    assert!(std::fs::read(place.join("vars/farmjank.groovy")).expect("it was written") == same);
}

#[test]
fn jobs_of_a_parallel_step_of_buildkite_share_the_phones() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let hook = kit("buildkite/hooks/command").display().to_string();
    program(place, "buildkite-agent", "#!/bin/sh\ncat > /dev/null\n");
    write(place, "scenarios/s.yaml", SMOOTH);
    for job in ["0", "1", "2"] {
        let set = [("BUILDKITE_PARALLEL_JOB", job), ("BUILDKITE_PARALLEL_JOB_COUNT", "3")];
        let ran = bash(place, &[&hook], &set);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
    // The step that the page shows, whose last command needs no agent.
    let page = std::fs::read_to_string(kit("../docs/ci.md")).expect("the page");
    let line = page.lines().find_map(|line| line.trim().strip_prefix("- farmjank merge ")).expect("a merge");
    let words: Vec<&str> = ["merge"].into_iter().chain(line.split(' ')).collect();
    let merged = crate::world::run(place, &words);
    assert!(merged.code == 0 && merged.out.contains("4 passed"), "{}{}", merged.out, merged.err);
}

#[test]
fn the_shell_of_the_step_for_jenkins_runs_what_it_is_given_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    write(place, "scenarios/s.yaml", &failing());
    let step = std::fs::read_to_string(kit("jenkins/vars/farmjank.groovy")).expect("the step");
    let script = step.split("script: '").nth(1).and_then(|rest| rest.split('\'').next()).expect("its shell");
    let set = [
        ("FARMJANK_PATHS", "scenarios"),
        ("FARMJANK_ARGS", "--label note=$(touch${IFS}pwned)"),
        ("FARMJANK_TO", "out"),
    ];
    let ran = bash(place, &["-c", script], &set);
    assert!(
        ran.code == 1 && place.join("out/junit.xml").is_file() && !place.join("pwned").exists(),
        "{}",
        ran.err
    );
    // Nothing of an older build is shown as this one's.
    write(place, "scenarios/s.yaml", "name: [\n");
    let refused = bash(place, &["-c", script], &set);
    assert!(refused.code == 2 && !place.join("out/junit.xml").exists(), "{}", refused.err);
    for (name, _) in set {
        assert!(step.contains(&format!("\"{name}=")), "{name} is what the step sets");
    }
}

/// Groovy, and the Java it needs; where there is none it is said, and CI fails.
fn groovy() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let find = |name: &str| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
    };
    let java = find("groovy").and(find("java")).and_then(|java| std::fs::canonicalize(java).ok());
    let home = java.and_then(|java| Some(java.parent()?.parent()?.to_owned()));
    assert!(home.is_some() || std::env::var_os("CI").is_none(), "groovy is missing: Debian package groovy");
    home
}

/// What becomes of a build of Jenkins, by the exit of the run: of the step, and of the file that `init` writes.
const BUILDS: &str = "\
step 0 SUCCESS published
step 1 FAILURE farmjank: exit 1, a limit was breached published
step 2 FAILURE farmjank: exit 2, a mistake in flags or scenarios published
step 3 FAILURE farmjank: exit 3, a fault of the lab published
step 4 UNSTABLE farmjank: undecided published
step 5 FAILURE farmjank: exit 5, nothing was selected published
step 130 FAILURE farmjank: exit 130, interrupted published
file 0 SUCCESS published
file 1 FAILURE farmjank: exit 1, see the test results published
file 2 FAILURE farmjank: exit 2, see the test results published
file 3 FAILURE farmjank: a fault of the lab, nothing was judged published
file 4 UNSTABLE farmjank: undecided published
file 5 FAILURE farmjank: exit 5, see the test results published
file 130 FAILURE farmjank: exit 130, see the test results published
told run|--label|note=$(touch|pwned)|*|--out|o u't|--overwrite|--|a;b|$HOME|
untold run|--out|farmjank-out|--overwrite|--|scenarios|
lab step FAILURE farmjank: exit 1, a limit was breached published
lab file FAILURE farmjank: exit 1, see the test results published
";

#[test]
fn builds_of_jenkins_end_in_its_groovy_as_the_run_did_and_publish_whatever_it_was() {
    let Some(java) = groovy() else {
        println!("skipped: no groovy here (Debian package groovy)");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    crate::world::run(place, &["init", "--ci", "jenkins"]);
    std::fs::remove_file(place.join("scenarios/home-feed.yaml")).expect("it");
    write(place, "scenarios/s.yaml", &failing());
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/other_kits/jenkins.groovy");
    let (harness, step) =
        (harness.display().to_string(), kit("jenkins/vars/farmjank.groovy").display().to_string());
    let words = ["-c", "exec groovy \"$@\"", "groovy", &harness, &step, "Jenkinsfile"];
    let ran = bash(place, &words, &[("JAVA_HOME", &java.display().to_string())]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let said: String =
        ran.out.lines().filter(|l| !l.starts_with("| ")).map(|l| l.to_owned() + "\n").collect();
    assert_eq!(said, BUILDS, "{}", ran.err);
    assert!(!place.join("pwned").exists());
}
