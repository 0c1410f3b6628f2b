//! The reporters by name, built with the same options. The command line chooses; this knows how to build.

use crate::console::Console;
use crate::ending::Ending;
use crate::github::annotations;
use crate::gitlab::issues;
use crate::html::Html;
use crate::json::Json;
use crate::junit::{Junit, Layout, Options as JunitOptions};
use crate::live::{self, Live};
use crate::markdown;
use crate::openmetrics::openmetrics;
use crate::paint::TextStyle;
use crate::plots::Plots;
use crate::table::table;
use farmjank_seams::reporter::Reporter;
use indicatif::ProgressDrawTarget;

/// One reporter.
struct Row {
    /// As written on the command line; the reporter gives it as its own.
    name: &'static str,
    /// It writes one document at the end, which people may ask for with `--reporter`.
    asked: bool,
    /// Every run bundle has its files.
    kept: bool,
    /// Makes it, under its name.
    make: fn(&'static str, &mut Options) -> Box<dyn Reporter>,
}

/// Every reporter, in the order bundles are written and names are listed. A row is all that makes one known.
const REPORTERS: &[Row] = &[
    Row {
        name: "console",
        asked: false,
        kept: false,
        make: |_, options| Box::new(Console::new(options.style, options.bundle.clone()).brief(options.brief)),
    },
    Row {
        name: "live",
        asked: false,
        kept: false,
        make: |_, options| {
            // A target is drawn on by one alone.
            let target = options.target.take().unwrap_or_else(ProgressDrawTarget::hidden);
            let live = Live::new(target, options.style, options.rows, options.bundle.clone());
            Box::new(live.following(options.size.take()))
        },
    },
    Row {
        name: "table",
        asked: true,
        kept: false,
        make: |name, options| {
            let style = options.style;
            let bundle = options.bundle.clone();
            Ending::out(name, move |record, frame_logs| table(record, frame_logs, style, bundle.as_deref()))
        },
    },
    Row {
        name: "junit",
        asked: true,
        kept: true,
        make: |_, options| {
            Box::new(Junit::new(JunitOptions {
                layout: options.junit_layout,
                case_properties: options.junit_case_properties,
                strict: options.junit_strict,
                bundle: options.bundle.clone(),
            }))
        },
    },
    Row { name: "json", asked: true, kept: true, make: |_, _| Box::new(Json) },
    Row {
        name: "markdown",
        asked: true,
        kept: false,
        make: |name, options| {
            let most = options.markdown_most.unwrap_or(markdown::MOST);
            Ending::out(name, move |record, frame_logs| markdown::markdown(record, frame_logs, most))
        },
    },
    Row {
        name: "github",
        asked: true,
        kept: false,
        make: |name, _| Ending::commands(name, |record, _| annotations(record)),
    },
    Row {
        name: "gitlab",
        asked: true,
        kept: false,
        make: |name, _| Ending::out(name, |record, _| issues(record)),
    },
    Row {
        name: "openmetrics",
        asked: true,
        kept: true,
        make: |name, _| Ending::file(name, "metrics.txt", |record, _| openmetrics(record)),
    },
    Row { name: "html", asked: true, kept: true, make: |_, _| Box::new(Html) },
    Row { name: "plots", asked: false, kept: true, make: |_, _| Box::new(Plots) },
];

/// Names of all reporters, as written on the command line.
pub fn names() -> impl Iterator<Item = &'static str> {
    REPORTERS.iter().map(|row| row.name)
}

/// Names of the reporters that write one document at the end: those people may ask for.
pub fn documents() -> Vec<&'static str> {
    REPORTERS.iter().filter(|row| row.asked).map(|row| row.name).collect()
}

/// Names of the reporters whose files every run bundle has.
pub fn bundled() -> impl Iterator<Item = &'static str> {
    REPORTERS.iter().filter(|row| row.kept).map(|row| row.name)
}

/// What reporters may choose, all of it decided by the caller. One field for each choice.
#[derive(Default)]
pub struct Options {
    /// What the terminal of standard output can show (the table).
    pub style: TextStyle,
    /// The console's table has what needs a person alone.
    pub brief: bool,
    /// Rows of the terminal the lanes are drawn on.
    pub rows: usize,
    /// Columns and rows of that terminal as they are at the time; without it they never change.
    pub size: Option<live::Size>,
    /// Where lanes are drawn; hidden when none is given, and then lines go to standard error instead.
    pub target: Option<ProgressDrawTarget>,
    /// Folder of the run bundle as the user may type it.
    pub bundle: Option<String>,
    /// Grouping of JUnit suites.
    pub junit_layout: Layout,
    /// Properties on JUnit cases.
    pub junit_case_properties: bool,
    /// Longest Markdown page in bytes; [`markdown::MOST`] when none is given.
    pub markdown_most: Option<usize>,
    /// JUnit by the schema of Jenkins' xunit plugin.
    pub junit_strict: bool,
}

/// The reporter of that name; none when there is no such reporter. `live` takes the draw target out of the options.
pub fn by_name(name: &str, options: &mut Options) -> Option<Box<dyn Reporter>> {
    let row = REPORTERS.iter().find(|row| row.name == name)?;
    Some((row.make)(row.name, options))
}

/// What every run has: lanes when there is a target to draw them on, else lines; `junit.xml`, `results.json`,
/// `metrics.txt`, `report.html`, and pictures of the frames of what did not pass.
pub fn registry(mut options: Options) -> Vec<Box<dyn Reporter>> {
    let progress = if options.target.is_some() { "live" } else { "console" };
    [progress].into_iter().chain(bundled()).filter_map(|name| by_name(name, &mut options)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds_a_reporter_of_that_name_and_no_two_rows_share_one() {
        for (nth, name) in names().enumerate() {
            let reporter = by_name(name, &mut Options::default()).unwrap();
            assert_eq!(reporter.name(), name);
            assert!(!names().take(nth).any(|other| other == name), "two rows are called {name}");
        }
        assert!(by_name("yodel", &mut Options::default()).is_none());
    }

    #[test]
    fn a_run_without_a_terminal_has_lines_and_the_files_of_every_bundle() {
        let made = registry(Options::default());
        let made: Vec<&str> = made.iter().map(|one| one.name()).collect();
        assert_eq!(made, ["console", "junit", "json", "openmetrics", "html", "plots"]);
    }
}
