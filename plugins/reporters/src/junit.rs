//! `junit.xml` in the dialect that the readers of GitLab, GitHub actions, Jenkins, Azure, CircleCI and Buildkite share.
//!
//! One suite per phone, one case per window; a missed limit is a `failure`, what could not be measured is an `error`. A
//! pure function of the record. Must not know: files, the wall clock (time stamps are the record's). Times are in
//! seconds.

mod absent;
mod case;
pub(crate) mod naming;

use crate::cells::{Cell, cells, duration};
use crate::clean::{NAME, xml_attribute};
use crate::html::index::key;
use crate::plots;
use crate::sentence;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::Event;
use farmjank_results::record::{Header, Record};
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use quick_junit::{Property, Report, TestSuite};
use std::collections::BTreeMap;

/// How cases are grouped into suites. The cases, and their names, are the same in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One suite per phone.
    #[default]
    Device,
    /// One suite per scenario.
    Scenario,
    /// One suite.
    Flat,
}

/// What the writer may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Grouping.
    pub layout: Layout,
    /// Properties on every case (Jenkins keeps them; others ignore them).
    pub case_properties: bool,
    /// Only what the schema of Jenkins' xunit plugin allows: no `file`, `line`, time stamp or properties on cases, no
    /// `skipped` on the root.
    pub strict: bool,
    /// Folder of the run bundle as attachments name it, relative to the project or absolute; without it the paths
    /// inside the bundle are written.
    pub bundle: Option<String>,
}

/// Writes `junit.xml` when the run is complete.
pub struct Junit {
    options: Options,
}

impl Junit {
    /// A reporter with these options.
    pub fn new(options: Options) -> Self {
        Junit { options }
    }
}

impl Reporter for Junit {
    fn name(&self) -> &str {
        "junit"
    }

    fn observe(&mut self, _event: &Event, _record: &Record) -> Vec<Delivery> {
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, _: &dyn FrameLogs) -> Vec<Delivery> {
        let bytes = junit(record, &self.options).into_bytes();
        vec![Delivery::File { path: "junit.xml".to_owned(), bytes }]
    }
}

/// Text of outputs and failures in one file; GitLab refuses files beyond 30 MB.
const FILE_TEXT: usize = 20_000_000;

/// The document.
pub fn junit(record: &Record, options: &Options) -> String {
    let all = cells(record);
    let names = naming::names(&all);
    let mut groups: BTreeMap<(u8, String), Vec<usize>> = BTreeMap::new();
    for (at, cell) in all.iter().enumerate() {
        groups.entry(group(cell, options.layout)).or_default().push(at);
    }
    let suite_names = naming::unique(groups.iter().map(|((_, raw), members)| {
        let cell = &all[members[0]];
        let title = match options.layout {
            Layout::Device => sentence::phone(cell),
            Layout::Scenario => cell.job.planned.scenario.clone(),
            Layout::Flat => "farmjank".to_owned(),
        };
        (xml_attribute(&title, NAME), raw.clone())
    }));
    let mut report = if options.strict { Report::unnamed() } else { Report::new("farmjank") };
    report.set_time(duration(record).to_duration());
    let mut room = FILE_TEXT;
    let plots: BTreeMap<String, String> =
        plots::drawn(record).into_iter().map(|(path, cell)| (key(&cell), path)).collect();
    for (members, name) in groups.values().zip(suite_names) {
        let cells: Vec<&Cell> = members.iter().map(|at| &all[*at]).collect();
        let mut suite = TestSuite::new(name);
        dress(&mut suite, record, &cells, options);
        for (cell, at) in cells.iter().zip(members) {
            suite.add_test_case(case::case(cell, &names[*at], plots.get(&key(cell)), options, &mut room));
        }
        report.add_test_suite(suite);
    }
    if let Some(suite) = absent::suite(record) {
        report.add_test_suite(suite);
    }
    let text = report
        .to_string()
        .expect("writing XML into memory fails only for text the cleaner never lets through");
    if options.strict { without_root_skipped(&text) } else { text }
}

/// Sort key and identity of the suite a cell belongs to; jobs without a phone come last.
fn group(cell: &Cell, layout: Layout) -> (u8, String) {
    match (layout, cell.device()) {
        (Layout::Device, Some(id)) => (0, id.0.clone()),
        (Layout::Device, None) => (1, String::new()),
        (Layout::Scenario, _) => (0, format!("{}\n{}", cell.job.planned.scenario, cell.job.planned.file)),
        (Layout::Flat, _) => (0, String::new()),
    }
}

fn dress(suite: &mut TestSuite, record: &Record, cells: &[&Cell], options: &Options) {
    let starts = cells.iter().filter_map(|cell| cell.job.started).min();
    let ends = cells.iter().filter_map(|cell| cell.job.ended).max();
    let spent = starts.zip(ends).map_or(Span::ZERO, |(from, to)| to - from);
    suite.set_time(spent.to_duration());
    if let Some(stamp) = wall(&record.header, starts.unwrap_or_default()) {
        suite.extra.insert("timestamp".into(), stamp.as_str().into());
    }
    let mut properties = Vec::new();
    let mut property = |name: &str, value: &str| {
        properties.push(Property::new(name, xml_attribute(value, NAME).as_str()));
    };
    if options.layout == Layout::Device {
        if let Some(DeviceId(serial)) = cells.first().and_then(|cell| cell.device()) {
            suite.extra.insert("hostname".into(), xml_attribute(serial, NAME).as_str().into());
        }
        if let Some(facts) = cells.first().and_then(|cell| cell.facts()) {
            device_properties(facts, &mut property);
        }
    }
    let shares = cells.iter().filter_map(|cell| cell.lowest_share());
    if let Some(share) = shares.reduce(f64::min) {
        // Rounded down: only what is whole reads as whole.
        property("coverage", &format!("{:.4}", (share * 10_000.0).floor() / 10_000.0));
    }
    let labelled = cells.iter().any(|cell| cell.is_virtual());
    property("virtual", if labelled { "true" } else { "false" });
    if let Some(lab) = &record.header.lab {
        property("lab", lab);
    }
    property("run", &record.header.run);
    property("tool", &record.header.tool);
    property("seed", &record.header.seed.to_string());
    suite.add_properties(properties);
}

fn device_properties(facts: &DeviceFacts, property: &mut impl FnMut(&str, &str)) {
    property("model", &facts.model);
    property("manufacturer", &facts.manufacturer);
    property("android", &facts.release);
    property("sdk", &facts.sdk.to_string());
    property("build", &facts.fingerprint);
    if let Some(hz) = facts.active_hz {
        property("refresh", &format!("{hz:.2}"));
    }
    if !facts.modes.is_empty() {
        let rates: Vec<String> = facts.modes.iter().map(|mode| format!("{:.2}", mode.hz)).collect();
        property("refresh_modes", &rates.join(" "));
    }
    if let Some(status) = facts.thermal_status {
        property("thermal", &status.to_string());
    }
    if let Some(battery) = facts.battery {
        property("battery_percent", &battery.percent.to_string());
    }
}

/// Wall time of an instant of the run, RFC 3339 in UTC with milliseconds; none when the log's own wall time is
/// unreadable.
fn wall(header: &Header, at: RunTime) -> Option<String> {
    let start: jiff::Timestamp = header.wall.parse().ok()?;
    let instant = start.checked_add(jiff::SignedDuration::from_nanos(at.ns())).ok()?;
    Some(format!("{instant:.3}"))
}

/// The root element without its `skipped` attribute, which the writer always gives and the strict schema refuses.
fn without_root_skipped(text: &str) -> String {
    let Some(from) = text.find("<testsuites") else { return text.to_owned() };
    let end = text[from..].find('>').map_or(text.len(), |at| from + at);
    match text[from..end].find(" skipped=\"") {
        Some(at) => {
            let cut = from + at;
            let close = text[cut + 10..].find('"').map_or(cut, |close| cut + 10 + close + 1);
            format!("{}{}", &text[..cut], &text[close..])
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_times_come_from_the_record() {
        let header = |wall: &str| Header { wall: wall.to_owned(), ..Header::default() };
        let at = RunTime::from_ns(61_500_000_000);
        assert_eq!(wall(&header("2026-03-01T23:59:00Z"), at).as_deref(), Some("2026-03-02T00:00:01.500Z"));
        assert_eq!(
            wall(&header("2026-03-01T12:00:00.25+02:00"), at).as_deref(),
            Some("2026-03-01T10:01:01.750Z")
        );
        assert_eq!(wall(&header("yesterday"), at), None);
    }

    #[test]
    fn only_the_roots_attribute_is_cut() {
        let text = r#"<?xml?><testsuites tests="1" skipped="0" failures="0"><testsuite name="a" skipped="0"/></testsuites>"#;
        let cut = without_root_skipped(text);
        assert!(
            cut.contains(r#"<testsuites tests="1" failures="0"><testsuite name="a" skipped="0"/>"#),
            "{cut}"
        );
    }
}
