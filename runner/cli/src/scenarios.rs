//! Reads the scenario files named on the command line; every complaint of every file is printed at once.

use crate::args::{PhoneArgs, ScenarioArgs, SelectArgs, ShardByArg, SpreadArg};
use crate::command_error::{CommandError, usage};
use crate::files_read::FilesRead;
use crate::host::{self, Streams};
use crate::quarantine::is_of_lab;
use crate::settings::{Terminal, complain, given, serials};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::mask::Mask;
use farmjank_leaf::text::typed;
use farmjank_leaf::text::{line, name as shown};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::FileProblem;
use farmjank_results::iteration_time::UsualTimes;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::resources::Resource;
use farmjank_scenarios::complaint::Complaint;
use farmjank_scenarios::gallery;
use farmjank_scenarios::plan::{Selection, Shard, ShardBy, unknown_scenario};
use farmjank_scenarios::prepare::Wishes;
use farmjank_scenarios::read::{FILE_BYTES, ReadOptions, SourceFile, Sources, read, secrets};
use farmjank_scenarios::requirement::Requirement;
use farmjank_scenarios::scenario::{Scenario, Spread};
use farmjank_shifts::shift::{Asked, ForPhones, Texts};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where scenarios are when no path is named.
const FOLDER: &str = "scenarios";
const NO_SCENARIO: &str = "there is no scenarios/ here; `farmjank init` writes a first one, and `farmjank run --lab demo` shows \
                           what a run is on virtual phones";
const COMES_ALONG: &str = "there is no scenarios/ here: these are the gallery's, of a shop that virtual phones have; `farmjank init` writes one to change\n";

/// Why there are no scenarios. What is wrong has been printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Files were read, and there are complaints.
    Complaints,
    /// There is nothing to read, or what is given to it is wrong.
    Nothing,
}

/// The scenarios; none when there were complaints, which have been printed.
pub fn load(args: &ScenarioArgs, lab: Option<&str>, terminal: Terminal) -> Option<Vec<Scenario>> {
    load_noting(args, lab, terminal, &FilesRead::default()).ok()
}

/// The same; every file that is read for it, or would be, is noted.
///
/// # Errors
/// There are none.
pub fn load_noting(
    args: &ScenarioArgs,
    lab: Option<&str>,
    terminal: Terminal,
    noted: &FilesRead,
) -> Result<Vec<Scenario>, Unread> {
    match read_noting(args, lab, noted).ok_or(Unread::Nothing)? {
        Ok(scenarios) => {
            for notice in scenarios.iter().flat_map(|scenario| &scenario.notices) {
                Streams.err(&format!("{}\n", notice.render_notice(terminal.color_err)));
            }
            Ok(scenarios)
        }
        Err(complaints) => {
            for complaint in &complaints {
                Streams.err(&format!("{}\n", complaint.render(terminal.color_err)));
            }
            let problems = if complaints.len() == 1 { "problem" } else { "problems" };
            Streams.err(&format!("{} {problems}; no phone was touched\n", complaints.len()));
            Err(Unread::Complaints)
        }
    }
}

/// The scenarios, or what is wrong with them; none where there is nothing to read, which has been said.
///
/// On the virtual lab `lab`, where no path is named and there is no folder of scenarios, those are run that come with
/// the program.
pub fn read_all(args: &ScenarioArgs, lab: Option<&str>) -> Option<Result<Vec<Scenario>, Vec<Complaint>>> {
    read_noting(args, lab, &FilesRead::default())
}

fn read_noting(
    args: &ScenarioArgs,
    lab: Option<&str>,
    noted: &FilesRead,
) -> Option<Result<Vec<Scenario>, Vec<Complaint>>> {
    args.given.env_file.iter().for_each(|path| noted.note(path));
    let env = given(&args.given).map_err(complain).ok()?;
    let usual = args.paths == [PathBuf::from(FOLDER)] && !host::is_there(Path::new(FOLDER));
    let files = match (usual, lab) {
        (true, Some(_)) => {
            Streams.err(COMES_ALONG);
            gallery::scenarios().map(|(name, text)| SourceFile { name, text: text.into() }).collect()
        }
        (true, None) => {
            complain(NO_SCENARIO);
            return None;
        }
        (false, _) => {
            args.paths.iter().for_each(|path| noted.note(path));
            files(&args.paths, noted).map_err(complain).ok()?
        }
    };
    keep_secrets(&files, &env).map_err(complain).ok()?;
    noted.read(&files, &env);
    let homes = args.paths.iter().filter_map(|path| host::home_of(path)).collect();
    let flows = Flows { homes, allow_outside: args.given.allow_outside, noted };
    let scenarios = read(&files, &env, &ReadOptions { metrics: &known_metrics(), sources: &flows });
    Some(scenarios.map(|scenarios| without_parts(scenarios, &args.paths)))
}

/// What limits may be set on.
pub fn known_metrics() -> Vec<(&'static str, Unit, Better)> {
    let known = farmjank_results::metrics::registry().iter();
    known.map(|metric| (metric.key, metric.unit, metric.better)).collect()
}

/// A file of a folder that measures nothing and that another one runs is a part of that one.
fn without_parts(scenarios: Vec<Scenario>, named: &[PathBuf]) -> Vec<Scenario> {
    let run: BTreeSet<String> =
        scenarios.iter().flat_map(|scenario| scenario.flows().into_iter().map(str::to_owned)).collect();
    let is_part = |scenario: &Scenario| {
        scenario.windows().is_empty()
            && run.contains(&scenario.file)
            && !named.iter().any(|path| path == Path::new(&scenario.file))
    };
    scenarios.into_iter().filter(|scenario| !is_part(scenario)).collect()
}

/// From here on nothing that is printed or written holds what these files call secret.
fn keep_secrets(files: &[SourceFile], env: &BTreeMap<String, String>) -> Result<(), CommandError> {
    let mut mask = Mask::default();
    for name in secrets(files) {
        if let Some(value) = env.get(&name) {
            let name = typed(&name, 100);
            mask = mask.and(value).map_err(|why| usage!("the secret `{name}` cannot be kept: {why}"))?;
        }
    }
    host::keep_secret(&mask);
    Ok(())
}

/// The scenarios of a shift of a run over a farm, as who conducts it reads them.
///
/// # Errors
/// `farm_skew`: they cannot be read here.
pub fn of_shift(texts: &Texts, asked: &Asked) -> Result<Vec<Scenario>, Fault> {
    struct Given<'t>(&'t Texts);
    impl Sources for Given<'_> {
        fn fetch(&self, path: &str) -> Result<Vec<u8>, FileProblem> {
            let text = self.0.flows.get(path).ok_or(FileProblem::Missing)?;
            Ok(text.clone().into_bytes())
        }

        fn is_outside(&self, _: &str) -> bool {
            false
        }
    }
    let skew = |why: String| {
        let what = format!("the scenarios of the run cannot be read on this host: {why}");
        Fault::new(FaultCode::FarmSkew, what).advise("update the older farmjank of both")
    };
    let file = |(name, text): &(String, String)| SourceFile { name: name.clone(), text: text.clone().into() };
    let files: Vec<SourceFile> = texts.files.iter().map(file).collect();
    let read = read(&files, &texts.given, &ReadOptions { metrics: &known_metrics(), sources: &Given(texts) });
    let mut scenarios = read.map_err(|complaints| {
        skew(complaints.first().map_or_else(String::new, |complaint| line(&complaint.render(false), 300)))
    })?;
    let for_phones = asked.for_phones.iter().map(ForPhones::settings).collect::<Result<_, _>>();
    let select = SelectArgs {
        for_phones: for_phones?,
        iterations: asked.iterations,
        warmup: asked.warmup,
        prepare: asked.prepare.clone(),
        beside: asked.beside.clone(),
        ..SelectArgs::default()
    };
    adjust(&mut scenarios, &select).map_err(|why| skew(why.to_string()))?;
    scenarios.iter_mut().for_each(|scenario| scenario.debuggable_meant = asked.debuggable_meant);
    if asked.without_limits {
        scenarios.iter_mut().for_each(Scenario::forget_limits);
    }
    Ok(scenarios)
}

/// The files that scenarios run.
pub struct Flows<'n> {
    /// Folders they may lie in.
    pub homes: Vec<PathBuf>,
    /// They may lie anywhere.
    pub allow_outside: bool,
    /// Where they are noted.
    pub noted: &'n FilesRead,
}

impl Sources for Flows<'_> {
    fn fetch(&self, path: &str) -> Result<Vec<u8>, FileProblem> {
        if let Some(text) = gallery::text_of(path) {
            self.noted.ran(path, text.as_bytes());
            return Ok(text.into());
        }
        self.noted.note(Path::new(path));
        if host::is_there(Path::new(path)) && self.is_outside(path) && !self.allow_outside {
            return Err(FileProblem::NoScenario);
        }
        // The complaint names the file itself.
        let bytes = host::read_file(Path::new(path), FILE_BYTES as u64).map_err(|error| error.why)?;
        self.noted.ran(path, &bytes);
        Ok(bytes)
    }

    fn is_outside(&self, path: &str) -> bool {
        gallery::text_of(path).is_none() && !host::is_below(Path::new(path), &self.homes)
    }
}

/// The scenarios of files and folders.
///
/// # Errors
/// One cannot be read, or a folder has none.
pub fn files(paths: &[PathBuf], noted: &FilesRead) -> Result<Vec<SourceFile>, CommandError> {
    let mut found = Vec::new();
    for path in paths {
        let files = host::yaml_files(path)?;
        if files.is_empty() {
            return Err(usage!("{}: no .yaml or .yml file in this folder", shown(path)));
        }
        let named = files == [path.clone()];
        for file in files.into_iter().filter(|file| named || !is_of_lab(file)) {
            noted.note(&file);
            let text = host::read_file(&file, FILE_BYTES as u64)?;
            if named || !is_fragment(&text) {
                found.push(SourceFile { name: file.to_string_lossy().into_owned(), text });
            }
        }
    }
    Ok(found)
}

/// A bare list of steps: a piece for `runFlow`, not a scenario of its own. Skipped in folders, refused when named.
fn is_fragment(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&text[..text.len().min(64 << 10)]);
    let first =
        text.lines().map(str::trim_end).find(|line| !line.is_empty() && !line.trim_start().starts_with('#'));
    first.is_some_and(|line| line == "-" || line.starts_with("- "))
}

/// Applies `--iterations`, `--warmup` and `--prepare`, and what `farmjank.toml` says for some phones.
pub fn adjust(scenarios: &mut [Scenario], select: &SelectArgs) -> Result<(), CommandError> {
    if select.iterations == Some(0) {
        return Err("--iterations must be at least 1".into());
    }
    let wishes = Wishes::read(select.prepare.iter().map(String::as_str));
    let wishes = wishes.map_err(|why| format!("--prepare: {why}"))?;
    let beside = select.beside.iter().map(|text| {
        Resource::read(text)
            .map_err(|instead| format!("--beside: `{}` cannot be looked at; {instead}", line(text, 60)))
    });
    let beside: BTreeSet<Resource> = beside.collect::<Result<_, _>>()?;
    for scenario in scenarios {
        scenario.prepare = wishes.over(scenario.prepare);
        scenario.for_phones.clone_from(&select.for_phones);
        if !beside.is_empty() {
            scenario.beside.clone_from(&beside);
        }
        scenario.iterations = select.iterations.unwrap_or(scenario.iterations);
        scenario.warmup = select.warmup.unwrap_or(scenario.warmup);
    }
    Ok(())
}

/// What the selection flags mean.
///
/// # Errors
/// A shard or a device filter that cannot be read, or a scenario that is named and not there.
pub fn selection(
    scenarios: &[Scenario],
    select: &SelectArgs,
    phones: &PhoneArgs,
) -> Result<Selection, CommandError> {
    let devices = match &phones.device_filter {
        Some(text) => requirement("--device-filter", text)?,
        None => Requirement::default(),
    };
    let by = match select.shard_by {
        ShardByArg::Phone => ShardBy::Phone,
        ShardByArg::Duration => ShardBy::Duration,
    };
    let shard = select.shard.as_deref().map(|text| Shard::parse(text, by)).transpose();
    let shard = shard.map_err(|why| why.to_string())?;
    let selection = Selection {
        names: select.scenario.clone(),
        include_tags: select.include_tags.clone(),
        exclude_tags: select.exclude_tags.clone(),
        devices,
        shard,
        phones: select.phones,
        // Who names a phone means that one.
        allow_missing: select.allow_missing && serials(phones).is_empty(),
        spread: select.spread.map(|what| match what {
            SpreadArg::Off => Spread::Off,
            SpreadArg::Scenarios => Spread::Scenarios,
            SpreadArg::Iterations => Spread::Iterations,
        }),
        alone: false,
        usual: UsualTimes::default(),
    };
    match unknown_scenario(scenarios, &selection) {
        Some(why) => Err(CommandError::NothingSelected(why)),
        None => Ok(selection),
    }
}

/// Reads a requirement that was given with a flag.
///
/// # Errors
/// It cannot be read: where, and what to write instead.
pub fn requirement(flag: &str, text: &str) -> Result<Requirement, CommandError> {
    Requirement::parse(text).map_err(|complaint| {
        let under = " ".repeat(text[..complaint.at.start.min(text.len())].chars().count());
        usage!("{flag}: {}\n  {text}\n  {under}^ {}", complaint.what, complaint.instead)
    })
}

/// Most phones any scenario should have; 0 where none says.
pub fn expected(scenarios: &[Scenario], selection: &Selection) -> usize {
    let own = scenarios.iter().filter_map(|scenario| scenario.phones).max();
    selection.phones.or(own).and_then(|phones| usize::try_from(phones).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_steps_is_a_fragment_and_a_document_marker_is_not() {
        assert!(is_fragment(b"# shared steps\n\n- stopApp\n"));
        assert!(!is_fragment(b"appId: com.a\n---\n- stopApp\n"));
        assert!(!is_fragment(b"---\nname: x\n") && !is_fragment(b""));
    }
}
