//! `farmjank init`: a first scenario, defaults and profiles, what keeps results out of the repository, and a CI file.
//! Nothing that is there is changed, but for a line added to `.gitignore`.

use crate::args::{Ci, InitArgs};
use crate::command_error::CommandError;
use crate::host::{self, Streams};
use crate::settings::refuse;
use clap::ValueEnum;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use std::path::{Path, PathBuf};

const CONFIG: &str = include_str!("init/farmjank.toml");
const SCENARIO: &str = include_str!("init/home-feed.yaml");
/// Whose CI reads which files. Actions, components and plugins come along: they are of this version, and nobody else's
/// to change.
const CI: [(Ci, &str, &str); 14] = [
    (Ci::Github, ".github/workflows/smooth.yml", include_str!("init/github.yaml")),
    (Ci::Github, ".github/actions/farmjank/action.yml", include_str!("../../../../ci/github/action.yml")),
    (Ci::Github, ".github/actions/farmjank/install.sh", include_str!("../../../../ci/github/install.sh")),
    (Ci::Github, ".github/actions/farmjank/run.sh", include_str!("../../../../ci/github/run.sh")),
    (Ci::Github, ".github/actions/farmjank/tell.sh", include_str!("../../../../ci/github/tell.sh")),
    (Ci::Gitlab, ".gitlab-ci.yml", include_str!("init/gitlab.yaml")),
    (Ci::Gitlab, ".gitlab/farmjank.yml", include_str!("../../../../ci/gitlab/templates/gate.yml")),
    (Ci::Jenkins, "Jenkinsfile", include_str!("init/Jenkinsfile")),
    (Ci::JenkinsLibrary, "vars/farmjank.groovy", include_str!("../../../../ci/jenkins/vars/farmjank.groovy")),
    (Ci::Buildkite, ".buildkite/pipeline.yml", include_str!("init/buildkite.yaml")),
    (Ci::Buildkite, BUILDKITE, include_str!("../../../../ci/buildkite/plugin.yml")),
    (Ci::Buildkite, HOOK, include_str!("../../../../ci/buildkite/hooks/command")),
    (Ci::Azure, "azure-pipelines.yml", include_str!("init/azure.yaml")),
    (Ci::Bitrise, "bitrise.yml", include_str!("init/bitrise.yaml")),
];
const BUILDKITE: &str = ".buildkite/plugins/farmjank/plugin.yml";
/// A program: an agent runs it.
const HOOK: &str = ".buildkite/plugins/farmjank/hooks/command";
/// Most lines that are shown of what a file needs.
const SHORT: usize = 14;
/// Where runs are kept.
const IGNORED: &str = "results/";
/// Most bytes of a `.gitignore` that are read.
const MOST: u64 = 1 << 20;

const NEXT: &str = "\nnext:
  farmjank run --lab demo      the scenario on four virtual phones, in seconds
  farmjank devices             the phones here, and whether they can be measured
  farmjank config show         what farmjank.toml says of every run, and where each value comes from
  farmjank check               after every change of a scenario: each mistake with its place and its mend
The lines of scenarios/home-feed.yaml marked YOURS say what your app needs.
";

const LIBRARY: &str = "\nnext:
  push it as a repository of its own, and name that in Jenkins as a global library (Manage Jenkins, System)
  @Library('NAME') _           in a Jenkinsfile; then the step: farmjank(paths: 'scenarios', args: '--profile gate')
";

/// Writes what is not there yet.
pub fn run(args: &InitArgs) -> u8 {
    match written(args) {
        Ok(lines) => {
            Streams.out(&lines.concat());
            Streams.out(if is_library(args.ci) { LIBRARY } else { NEXT });
            0
        }
        Err(why) => refuse(&why),
    }
}

/// Whether it is for a repository that has no app.
fn is_library(ci: Ci) -> bool {
    ci == Ci::JenkinsLibrary
}

/// What was done of each file, in a line.
fn written(args: &InitArgs) -> Result<Vec<String>, CommandError> {
    let folder = &args.folder;
    let mut lines = Vec::new();
    if !is_library(args.ci) {
        lines.push(put(folder, "scenarios/home-feed.yaml", SCENARIO, "")?);
        lines.push(put(folder, "farmjank.toml", CONFIG, "")?);
    }
    for (nth, (_, path, text)) in CI.iter().filter(|(ci, ..)| *ci == args.ci).enumerate() {
        // The first is the file that CI begins with, in which others have their own.
        let needs = if nth == 0 { part(args.ci, path, text) } else { String::new() };
        lines.push(put(folder, path, text, &needs)?);
    }
    if !is_library(args.ci) {
        lines.push(ignore(folder)?);
    }
    Ok(lines)
}

/// What a file that is there needs for farmjank.
fn part(ci: Ci, path: &str, text: &str) -> String {
    let own: Vec<&str> = text.lines().skip_while(|line| line.starts_with('#')).collect();
    if own.len() > SHORT {
        let name = ci.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        return format!(
            "       what it would be: farmjank init --ci {name} FOLDER, and then FOLDER/{path}\n"
        );
    }
    let lines: String = own.iter().map(|line| format!("         {line}\n")).collect();
    format!("       add this to it:\n{lines}")
}

/// A file, unless there is one; of another that is there, what it `needs`.
fn put(folder: &Path, path: &str, text: &str, needs: &str) -> Result<String, CommandError> {
    let place = under(folder, path);
    if host::is_there(&place) {
        let same = host::read_file(&place, MOST).is_ok_and(|there| there == text.as_bytes());
        let kept = format!("kept   {}, as it was there", shown(&place));
        return Ok(match same {
            true => format!("{kept}\n"),
            false => format!("{kept}; this farmjank would write it otherwise\n{needs}"),
        });
    }
    host::write_file(&place, text.as_bytes())?;
    if path == HOOK {
        host::let_run(&place)?;
    }
    Ok(format!("wrote  {}\n", shown(&place)))
}

/// The line that keeps results out of the repository.
fn ignore(folder: &Path) -> Result<String, CommandError> {
    let place = under(folder, ".gitignore");
    if !host::is_there(&place) {
        return put(folder, ".gitignore", &format!("{IGNORED}\n"), "");
    }
    let known = String::from_utf8_lossy(&host::read_file(&place, MOST)?).into_owned();
    if known.lines().any(|line| line.trim().trim_matches('/') == IGNORED.trim_end_matches('/')) {
        return Ok(format!("kept   {}, as it was there\n", shown(&place)));
    }
    let end = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    host::append_file(&place, format!("{end}{IGNORED}\n").as_bytes())?;
    Ok(format!("added  {IGNORED} to {}\n", shown(&place)))
}

/// A path as a person would write it: without `./`.
fn under(folder: &Path, path: &str) -> PathBuf {
    if folder == Path::new(".") { PathBuf::from(path) } else { folder.join(path) }
}
