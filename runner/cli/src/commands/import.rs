//! `farmjank import`: flows of Maestro become scenarios, with windows around what scrolls. What is there stays.

use crate::args::ImportFlowsArgs;
use crate::command_error::{CommandError, usage};
use crate::files_read::FilesRead;
use crate::host::{self, Streams};
use crate::scenarios::{Flows, files, known_metrics};
use crate::settings::{Terminal, given, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::{line, name as shown};
use farmjank_results::verdict::EXIT_USAGE;
use farmjank_scenarios::import::{Import, Imported, LeftOut, import};
use farmjank_scenarios::read::{ReadOptions, SourceFile};
use std::path::{Component, Path, PathBuf};

/// Longest reason shown.
const WHY: usize = 400;

/// Reads flows, writes scenarios, says what was left out.
pub fn run(args: &ImportFlowsArgs, terminal: Terminal) -> u8 {
    match imported(args) {
        Ok(import) => told(args, &import, terminal),
        Err(why) => refuse(&why),
    }
}

fn imported(args: &ImportFlowsArgs) -> Result<Import, CommandError> {
    let env = given(&args.given)?;
    let noted = FilesRead::default();
    let flows =
        files(&args.flows, &noted)?.into_iter().map(|file| SourceFile { name: plain(&file.name), ..file });
    let flows: Vec<SourceFile> = flows.collect();
    if flows.is_empty() {
        return Err(usage!(
            "no flow in {}: a list of steps without a header is part of one",
            listed(&args.flows)
        ));
    }
    let homes = args.flows.iter().filter_map(|path| host::home_of(path)).collect();
    let sources = Flows { homes, allow_outside: args.given.allow_outside, noted: &noted };
    Ok(import(&flows, &env, &ReadOptions { metrics: &known_metrics(), sources: &sources }))
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ")
}

/// Without `./`, so that a file has one name whoever names it.
fn plain(name: &str) -> String {
    let parts = Path::new(name).components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().to_string_lossy().into_owned()
}

fn told(args: &ImportFlowsArgs, import: &Import, terminal: Terminal) -> u8 {
    let scripts = import.scripts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let flows = import.imported.iter().map(|one| (one.file.as_str(), one.text.as_bytes()));
    let root = root(flows.clone().chain(scripts.clone()).map(|(name, _)| host::whole_path(Path::new(name))));
    let mut failed = false;
    for (name, bytes) in flows.chain(scripts) {
        let whole = host::whole_path(Path::new(name));
        let place = args.to.join(whole.strip_prefix(&root).unwrap_or(&whole));
        match put(&place, bytes, args.overwrite) {
            Ok(done) => Streams.out(&done),
            Err(why) => {
                failed = true;
                refuse(&why);
            }
        }
        if let Some(one) = import.imported.iter().find(|one| one.file == name) {
            Streams.out(&account(one));
        }
    }
    for complaint in &import.refused {
        Streams.err(&format!("{}\n", complaint.render(terminal.color_err)));
    }
    Streams.out(&next(args, import));
    if failed || !import.refused.is_empty() { EXIT_USAGE } else { 0 }
}

/// A file, unless there is one.
fn put(place: &Path, bytes: &[u8], overwrite: bool) -> Result<String, CommandError> {
    if host::is_there(place) && !overwrite {
        return Ok(format!("kept   {}, as it was there (--overwrite writes it anew)\n", shown(place)));
    }
    host::write_file(place, bytes)?;
    Ok(format!("wrote  {}\n", shown(place)))
}

/// What became of a flow.
fn account(one: &Imported) -> String {
    let mut lines = match (one.windows.as_slice(), one.is_part) {
        (_, true) => vec!["part of other flows".to_owned()],
        ([], false) => vec![
            "no window: nothing in it scrolls; put `- measure: NAME` and `steps:` around what to measure"
                .to_owned(),
        ],
        (windows, false) => vec![format!(
            "measures {}",
            windows.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )],
    };
    let each =
        |how: &str, part: &LeftOut| format!("{how}: {} on line {}: {}", part.what, part.line, part.why);
    lines.extend(one.left_out.iter().map(|part| each("left out", part)));
    lines.extend(one.unmeasured.iter().map(|part| each("not measured", part)));
    lines.iter().map(|words| format!("       {}\n", line(words, WHY))).collect()
}

fn next(args: &ImportFlowsArgs, import: &Import) -> String {
    let whole = import.imported.iter().filter(|one| !one.is_part);
    let (flows, windows) = (whole.clone().count(), whole.map(|one| one.windows.len()).sum::<usize>());
    let left_out: usize = import.imported.iter().map(|one| one.left_out.len()).sum();
    let refused = match import.refused.len() {
        0 => String::new(),
        1 => "; 1 flow could not be imported".to_owned(),
        many => format!("; {many} flows could not be imported"),
    };
    let count =
        |many: usize, one: &str| if many == 1 { format!("1 {one}") } else { format!("{many} {one}s") };
    let mut text = format!(
        "\n{}, {}, {} left out{refused}\n",
        count(flows, "scenario"),
        count(windows, "window"),
        count(left_out, "step")
    );
    if windows == 0 {
        return text;
    }
    let given: String = import.variables.iter().map(|name| format!(" -e {name}=VALUE")).collect();
    let folder = shown(&args.to);
    text += &format!("\nnext:\n  farmjank check {folder}{given}\n  farmjank run {folder}{given}\n");
    text +=
        "Windows have no limits yet: `thresholds:` says what must hold, `farmjank metrics` what there is.\n";
    text
}

/// The folder that all files have above them: what runs each other lies as it lay, and nothing beside where to write.
fn root(files: impl Iterator<Item = PathBuf>) -> PathBuf {
    let mut folders = files.map(|file| file.parent().unwrap_or(Path::new("")).to_owned());
    let first = folders.next().unwrap_or_default();
    folders.fold(first, |root, folder| {
        let both = root.components().zip(folder.components());
        both.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    })
}
