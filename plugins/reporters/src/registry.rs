//! The reporters by name, built with the same options. The command line chooses; this knows how to build.

use crate::console::Console;
use crate::ending::Ending;
use crate::github::annotations;
use crate::html::Html;
use crate::json::Json;
use crate::junit::{Junit, Layout, Options as JunitOptions};
use crate::live::Live;
use crate::markdown;
use crate::openmetrics::openmetrics;
use crate::paint::TextStyle;
use crate::plots::Plots;
use crate::table::table;
use farmjank_seams::reporter::Reporter;
use indicatif::ProgressDrawTarget;

/// Names of all reporters, as written on the command line.
pub const NAMES: [&str; 10] =
    ["console", "live", "junit", "json", "table", "markdown", "github", "openmetrics", "html", "plots"];

/// Names of the reporters that write one document at the end: those people may ask for.
pub const DOCUMENTS: [&str; 7] = ["table", "json", "junit", "markdown", "github", "openmetrics", "html"];

/// Names of the reporters whose files every run bundle has.
pub const BUNDLED: [&str; 5] = ["junit", "json", "openmetrics", "html", "plots"];

/// What reporters may choose, all of it decided by the caller.
#[derive(Default)]
pub struct Options {
    /// What the terminal of standard output can show (the table).
    pub style: TextStyle,
    /// Rows of the terminal the lanes are drawn on.
    pub rows: usize,
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
    let bundle = options.bundle.clone();
    Some(match name {
        "console" => Box::new(Console::new(options.style, bundle)),
        "live" => {
            let target = options.target.take().unwrap_or_else(ProgressDrawTarget::hidden);
            Box::new(Live::new(target, options.style, options.rows, bundle))
        }
        "junit" => Box::new(Junit::new(JunitOptions {
            layout: options.junit_layout,
            case_properties: options.junit_case_properties,
            strict: options.junit_strict,
            bundle,
        })),
        "json" => Box::new(Json),
        "table" => {
            let style = options.style;
            Ending::out("table", move |record, frame_logs| {
                table(record, frame_logs, style, bundle.as_deref())
            })
        }
        "markdown" => {
            let most = options.markdown_most.unwrap_or(markdown::MOST);
            Ending::out("markdown", move |record, frame_logs| markdown::markdown(record, frame_logs, most))
        }
        "github" => Ending::out("github", |record, _| annotations(record)),
        "openmetrics" => Ending::file("openmetrics", "metrics.txt", |record, _| openmetrics(record)),
        "html" => Box::new(Html),
        "plots" => Box::new(Plots),
        _ => return None,
    })
}

/// What every run has: lanes when there is a target to draw them on, else lines; `junit.xml`, `results.json`,
/// `metrics.txt`, `report.html`, and pictures of the frames of what did not pass.
pub fn registry(mut options: Options) -> Vec<Box<dyn Reporter>> {
    let progress = if options.target.is_some() { "live" } else { "console" };
    [progress].iter().chain(&BUNDLED).filter_map(|name| by_name(name, &mut options)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds_a_reporter_of_that_name() {
        for name in NAMES {
            let reporter = by_name(name, &mut Options::default()).unwrap();
            assert_eq!(reporter.name(), name);
        }
        assert!(by_name("yodel", &mut Options::default()).is_none());
        let names: Vec<String> =
            registry(Options::default()).iter().map(|one| one.name().to_owned()).collect();
        assert_eq!(names, ["console", "junit", "json", "openmetrics", "html", "plots"]);
        assert!(DOCUMENTS.iter().all(|name| NAMES.contains(name)));
    }
}
