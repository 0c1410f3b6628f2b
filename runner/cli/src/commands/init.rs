//! `farmjank init`: a first scenario, defaults and profiles, what keeps results out of the repository, and a CI file.
//! Nothing that is there is changed, but for a line added to `.gitignore`.

use crate::args::{Ci, InitArgs};
use crate::command_error::CommandError;
use crate::host::{self, Streams};
use crate::settings::refuse;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use std::path::{Path, PathBuf};

const CONFIG: &str = include_str!("init/farmjank.toml");
const SCENARIO: &str = include_str!("init/home-feed.yaml");
/// Whose CI reads which files. GitHub's action comes along: it is of this version, and nobody else's to change.
const CI: [(Ci, &str, &str); 10] = [
    (Ci::Github, ".github/workflows/smooth.yml", include_str!("init/github.yaml")),
    (Ci::Github, ".github/actions/farmjank/action.yml", include_str!("../../../../ci/github/action.yml")),
    (Ci::Github, ".github/actions/farmjank/install.sh", include_str!("../../../../ci/github/install.sh")),
    (Ci::Github, ".github/actions/farmjank/run.sh", include_str!("../../../../ci/github/run.sh")),
    (Ci::Github, ".github/actions/farmjank/tell.sh", include_str!("../../../../ci/github/tell.sh")),
    (Ci::Gitlab, ".gitlab-ci.yml", include_str!("init/gitlab.yaml")),
    (Ci::Jenkins, "Jenkinsfile", include_str!("init/Jenkinsfile")),
    (Ci::Buildkite, ".buildkite/pipeline.yml", include_str!("init/buildkite.yaml")),
    (Ci::Azure, "azure-pipelines.yml", include_str!("init/azure.yaml")),
    (Ci::Bitrise, "bitrise.yml", include_str!("init/bitrise.yaml")),
];
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

/// Writes what is not there yet.
pub fn run(args: &InitArgs) -> u8 {
    let of_ci = CI.iter().filter(|(ci, ..)| *ci == args.ci).map(|(_, path, text)| (*path, *text));
    let files = [("scenarios/home-feed.yaml", SCENARIO), ("farmjank.toml", CONFIG)].into_iter().chain(of_ci);
    let done = files.map(|(path, text)| put(&args.folder, path, text)).chain([ignore(&args.folder)]);
    match done.collect::<Result<Vec<String>, CommandError>>() {
        Ok(lines) => {
            Streams.out(&lines.concat());
            Streams.out(NEXT);
            0
        }
        Err(why) => refuse(&why),
    }
}

/// A file, unless there is one.
fn put(folder: &Path, path: &str, text: &str) -> Result<String, CommandError> {
    let place = under(folder, path);
    if host::is_there(&place) {
        let same = host::read_file(&place, MOST).is_ok_and(|there| there == text.as_bytes());
        let other = if same { "" } else { "; this farmjank would write it otherwise" };
        return Ok(format!("kept   {}, as it was there{other}\n", shown(&place)));
    }
    host::write_file(&place, text.as_bytes())?;
    Ok(format!("wrote  {}\n", shown(&place)))
}

/// The line that keeps results out of the repository.
fn ignore(folder: &Path) -> Result<String, CommandError> {
    let place = under(folder, ".gitignore");
    if !host::is_there(&place) {
        return put(folder, ".gitignore", &format!("{IGNORED}\n"));
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
