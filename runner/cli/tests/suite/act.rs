//! A runner of GitHub's steps, as far as ours go: reads an action or the job of a workflow, evaluates its conditions
//! and expressions, runs each `run` with bash and the files a runner hands it, and each action of ours in turn. Of the
//! actions of others it does what they are for: artifacts are folders beside the workspace. What it does not know it
//! refuses, so that nothing passes for want of a look.

mod others;

use crate::world::{Ended, ended, farmjank};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A job's world.
pub struct Runner {
    /// What is set for each step beside what a runner sets.
    pub env: BTreeMap<String, String>,
    /// The context `github`.
    pub github: Value,
    /// Other contexts of a job: `matrix`, `needs`, `secrets`, `vars`.
    pub contexts: Value,
    /// The job is cancelled while the step with this id runs: once this file of the workspace is there its shell, and
    /// nobody below it, is told so by SIGINT. Without a file it hears nothing of it.
    pub cancelled_in: Option<(&'static str, Option<&'static str>)>,
    cancelled: bool,
    /// Every step that ran or did not, in order.
    pub steps: Vec<Step>,
    folder: PathBuf,
}

/// A step.
pub struct Step {
    /// Its id, or what it uses.
    pub name: String,
    /// None: its condition did not hold.
    pub ended: Option<Ended>,
}

/// What came of steps.
pub struct Acted {
    pub succeeded: bool,
    pub outputs: BTreeMap<String, String>,
}

/// Where the steps of one action or job stand.
struct Scope {
    inputs: Map<String, Value>,
    steps: Map<String, Value>,
    /// Of an action.
    path: Option<PathBuf>,
    failed: bool,
}

pub fn yaml(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Runner {
    /// In a folder: the workspace is `work` in it.
    pub fn new(folder: &Path) -> Runner {
        for name in ["work", "temp", "artifacts"] {
            std::fs::create_dir_all(folder.join(name)).expect("a folder");
        }
        let github = json!({ "repository": "acme/shop", "repository_id": 1296269, "sha": "5ha0000", "token": "", "job": "smooth",
            "event_name": "pull_request", "ref": "refs/pull/12/merge", "ref_name": "12/merge",
            "event": { "pull_request": { "number": 12, "head": { "sha": "1a2b3c4d", "repo": { "full_name": "acme/shop" } } } } });
        let (env, steps) = (BTreeMap::new(), Vec::new());
        Runner {
            env,
            github,
            contexts: json!({}),
            cancelled_in: None,
            cancelled: false,
            steps,
            folder: folder.to_owned(),
        }
    }

    pub fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// The job's summary so far.
    pub fn summary(&self) -> String {
        std::fs::read_to_string(self.folder.join("temp/summary")).unwrap_or_default()
    }

    pub fn artifact(&self, name: &str) -> PathBuf {
        self.folder.join("artifacts").join(name)
    }

    pub fn caches(&self) -> PathBuf {
        self.folder.join("caches")
    }

    /// A step that ran.
    pub fn step(&self, name: &str) -> &Ended {
        let step =
            self.steps.iter().rfind(|step| step.name == name).unwrap_or_else(|| panic!("no step {name}"));
        step.ended.as_ref().unwrap_or_else(|| panic!("the step {name} did not run"))
    }

    /// Runs an action.
    pub fn action(&mut self, folder: &Path, with: &[(&str, &str)]) -> Acted {
        let action = yaml(&folder.join("action.yml"));
        assert_eq!(action["runs"]["using"], "composite");
        let mut scope =
            Scope { inputs: Map::new(), steps: Map::new(), path: Some(folder.to_owned()), failed: false };
        let declared = action["inputs"].as_object().expect("inputs").clone();
        for (name, _) in with {
            assert!(declared.contains_key(*name), "the action has no input {name}");
        }
        for (name, input) in &declared {
            let given = with.iter().find(|(own, _)| own == name).map(|(_, value)| (*value).to_owned());
            let value = given.unwrap_or_else(|| self.filled(&text(&input["default"]), &scope));
            scope.inputs.insert(name.clone(), json!(value));
        }
        for step in action["runs"]["steps"].as_array().expect("steps") {
            self.one(step, &mut scope);
        }
        let outputs = action["outputs"].as_object().into_iter().flatten();
        let outputs =
            outputs.map(|(name, output)| (name.clone(), self.filled(&text(&output["value"]), &scope)));
        Acted { succeeded: !scope.failed, outputs: outputs.collect() }
    }

    /// Runs a job of a workflow; none where its condition does not hold.
    pub fn job(&mut self, job: &Value, inputs: &Value) -> Option<Acted> {
        let inputs = inputs.as_object().cloned().unwrap_or_default();
        let mut scope = Scope { inputs, steps: Map::new(), path: None, failed: false };
        if !self.holds(&text(&job["if"]), &scope) {
            return None;
        }
        for (name, value) in job["env"].as_object().into_iter().flatten() {
            let value = self.filled(&text(value), &scope);
            self.env.insert(name.clone(), value);
        }
        for step in job["steps"].as_array().expect("steps") {
            self.one(step, &mut scope);
        }
        Some(Acted { succeeded: !scope.failed, outputs: BTreeMap::new() })
    }

    fn one(&mut self, step: &Value, scope: &mut Scope) {
        let uses = text(&step["uses"]);
        let id = text(&step["id"]);
        let name = if id.is_empty() { uses.clone() } else { id.clone() };
        let condition = text(&step["if"]);
        let (mut outputs, mut ended) = (Map::new(), None);
        if self.holds(&condition, scope) {
            let with: Vec<(String, String)> = step["with"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), self.filled(&text(value), scope)))
                .collect();
            let done = if uses.is_empty() {
                self.run(step, scope, &mut outputs)
            } else {
                self.used(&uses, &with, &mut outputs)
            };
            scope.failed |= done.code != 0 && step["continue-on-error"] != true;
            self.cancelled |= self.cancelled_in.is_some_and(|(step, _)| step == id);
            ended = Some(done);
        }
        if !id.is_empty() {
            scope.steps.insert(id, json!({ "outputs": outputs }));
        }
        self.steps.push(Step { name, ended });
    }

    /// A step of a shell.
    fn run(&self, step: &Value, scope: &Scope, outputs: &mut Map<String, Value>) -> Ended {
        let script = step["run"].as_str().expect("a step runs or uses something");
        assert!(!script.contains("${{"), "what others write would be code here: {script}");
        assert!(
            scope.path.is_none() || step["shell"] == "bash",
            "an action's step names its shell: {script}"
        );
        let temp = self.folder.join("temp");
        let (file, output) = (temp.join("script.sh"), temp.join("output"));
        std::fs::write(&file, script).expect("a script");
        std::fs::write(&output, "").expect("an output file");
        let own = farmjank(&self.work());
        // It hears SIGINT whatever the tests ignore: a script's background is deaf, and hands that on.
        let mut bash = Command::new("env");
        bash.args(["--default-signal=INT", "bash", "--noprofile", "--norc", "-eo", "pipefail"]);
        bash.arg(&file).current_dir(self.work());
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => bash.env(name, value),
                None => bash.env_remove(name),
            };
        }
        bash.env("GITHUB_ACTIONS", "true")
            .env("GITHUB_OUTPUT", &output)
            .env("GITHUB_STEP_SUMMARY", temp.join("summary"))
            .env("GITHUB_REPOSITORY", text(&self.github["repository"]))
            .env("GITHUB_REPOSITORY_ID", text(&self.github["repository_id"]))
            .env("GITHUB_REF_NAME", text(&self.github["ref_name"]))
            .env("GITHUB_SERVER_URL", "https://github.com")
            .env("RUNNER_TEMP", &temp)
            .envs(&self.env);
        if let Some(path) = &scope.path {
            bash.env("GITHUB_ACTION_PATH", path);
        }
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            bash.env(name, self.filled(&text(value), scope));
        }
        let told_by = self.cancelled_in.filter(|(own, _)| step["id"] == *own).and_then(|(_, file)| file);
        let ended = match told_by {
            Some(file) => interrupted(&mut bash, &temp, &self.work().join(file)),
            None => ended(&mut bash),
        };
        for line in std::fs::read_to_string(&output).expect("an output file").lines() {
            let (name, value) = line.split_once('=').unwrap_or_else(|| panic!("no output: {line}"));
            outputs.insert(name.to_owned(), json!(value));
        }
        ended
    }

    /// A text with its expressions filled in.
    fn filled(&self, text: &str, scope: &Scope) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${{") {
            let (expression, behind) = after.split_once("}}").expect("the end of an expression");
            out += before;
            out += &self.value(expression, scope);
            rest = behind;
        }
        out + rest
    }

    /// The first of several values that is not empty.
    fn value(&self, expression: &str, scope: &Scope) -> String {
        let values = expression.split("||").map(|one| self.single(one.trim(), scope));
        values.into_iter().find(|value| !value.is_empty()).unwrap_or_default()
    }

    fn single(&self, name: &str, scope: &Scope) -> String {
        if let Some(literal) = name.strip_prefix('\'') {
            return literal.trim_end_matches('\'').to_owned();
        }
        let parts: Vec<&str> = name.split('.').collect();
        match parts.as_slice() {
            // What runs by itself, called by nobody, has no inputs.
            ["inputs", _] if scope.path.is_none() && scope.inputs.is_empty() => String::new(),
            ["inputs", input] => text(scope.inputs.get(*input).unwrap_or_else(|| panic!("no input {input}"))),
            ["steps", step, "outputs", output] => text(
                &scope.steps.get(*step).unwrap_or_else(|| panic!("no step {step} before"))["outputs"]
                    [*output],
            ),
            ["runner", "temp"] => self.folder.join("temp").display().to_string(),
            ["github", rest @ ..] => text(rest.iter().fold(&self.github, |at, part| &at[*part])),
            [root @ ("matrix" | "needs" | "secrets" | "vars"), rest @ ..] => {
                text(rest.iter().fold(&self.contexts[*root], |at, part| &at[*part]))
            }
            _ => panic!("what {name} is is not known here"),
        }
    }

    /// A condition: terms with `&&` between them; in each, alternatives with `||`.
    fn holds(&self, condition: &str, scope: &Scope) -> bool {
        let condition = condition.trim().trim_start_matches("${{").trim_end_matches("}}").trim();
        let says = ["always()", "cancelled()", "failure()"].iter().any(|word| condition.contains(word));
        if !says && (scope.failed || self.cancelled) {
            return false;
        }
        let term = |term: &str| match term.trim() {
            "" | "always()" => true,
            "!cancelled()" => !self.cancelled,
            term => {
                let (op, equal) = if term.contains("!=") { ("!=", false) } else { ("==", true) };
                let (one, other) =
                    term.split_once(op).unwrap_or_else(|| panic!("what {term} is is not known here"));
                (self.value(one.trim(), scope) == self.value(other.trim(), scope)) == equal
            }
        };
        condition.split("&&").all(|all| all.split("||").any(term))
    }
}

/// A shell that is told to end once a file is there.
fn interrupted(bash: &mut Command, temp: &Path, file: &Path) -> Ended {
    let said = ["said.out", "said.err"].map(|name| temp.join(name));
    let to = |path: &PathBuf| std::fs::File::create(path).expect("a file");
    let mut child = bash.stdout(to(&said[0])).stderr(to(&said[1])).spawn().expect("bash");
    let until = Instant::now() + Duration::from_secs(60);
    let waits = |holds: &mut dyn FnMut() -> bool, what: &str| {
        while !holds() {
            assert!(Instant::now() < until, "not within a minute: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    waits(&mut || file.exists(), "its program begins");
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(told.success(), "nobody is there");
    let mut status = None;
    waits(
        &mut || {
            status = child.try_wait().expect("it is ours");
            status.is_some()
        },
        "it ends",
    );
    let [out, err] = said.map(|path| std::fs::read_to_string(path).unwrap_or_default());
    Ended { code: status.and_then(|status| status.code()).unwrap_or(-1), out, err }
}
