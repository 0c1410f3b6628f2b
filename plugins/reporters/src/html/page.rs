//! The page: head, a paper version for readers without scripts, data, scripts, and every cell's bytes, in one file.
//!
//! Scripts and styles are those compiled in, named by their hashes in the policy, so that a browser runs nothing else
//! and asks nobody for anything. The order matters: what the first screen needs stands before the bytes of the cells.

use super::frames::{Seen, seen};
use super::{index, packing, paper};
use crate::cells::{Cell, worst_first};
use crate::clean::{NAME, line};
use crate::words;
use base64::Engine as _;
use farmjank_results::record::Record;
use farmjank_seams::reporter::FrameLogs;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Pages of others that a browser can hand things of a run to: addresses without a slash at their ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Perfetto's, for traces.
    pub perfetto: String,
    /// The Firefox Profiler's, for call stacks.
    pub firefox: String,
}

/// Whether the page may ask its own server for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connect<'a> {
    /// A file: it asks nobody.
    Never,
    /// Served live: it shows the run up to a version, and hears the rest from where it came from.
    Home {
        /// The version of the run it shows.
        version: u64,
        /// What it can hand things to.
        pages: &'a Pages,
    },
}

const STYLES: [&str; 3] =
    [include_str!("uplot/uPlot.min.css"), include_str!("page/page.css"), include_str!("page/lanes.css")];

/// In this order, inside one function: later files know earlier ones.
const SCRIPTS: [&str; 18] = [
    include_str!("page/dom.js"),
    include_str!("page/strip.js"),
    include_str!("page/words.js"),
    include_str!("page/store.js"),
    include_str!("page/small.js"),
    include_str!("page/charts.js"),
    include_str!("page/beside.js"),
    include_str!("page/frames.js"),
    include_str!("page/filters.js"),
    include_str!("page/matrix.js"),
    include_str!("page/overview.js"),
    include_str!("page/iterations.js"),
    include_str!("page/provenance.js"),
    include_str!("page/icicle.js"),
    include_str!("page/lanes.js"),
    include_str!("page/handed.js"),
    include_str!("page/causes.js"),
    include_str!("page/cell.js"),
];
const MAIN: &str = include_str!("page/main.js");

/// What a served page has beside that.
const LIVE_SCRIPT: &str = include_str!("page/live.js");
const LIVE_STYLE: &str = include_str!("page/live.css");

/// What the page of several runs has beside that; known before the main script, which asks for it.
pub(crate) const SIDE_SCRIPT: &str =
    concat!(include_str!("page/side_frames.js"), "\n", include_str!("page/side.js"));
pub(crate) const SIDE_STYLE: &str = include_str!("page/side.css");

/// What a page is made of.
pub(crate) struct Parts<'a> {
    pub(crate) title: &'a str,
    /// The `main` element for readers without scripts.
    pub(crate) paper: &'a str,
    /// The first screen as JSON.
    pub(crate) index: &'a str,
    /// Styles beside those every page has.
    pub(crate) style: &'a str,
    /// A script that the main one asks for, and one that comes after it.
    pub(crate) scripts: (&'a str, &'a str),
    pub(crate) connect: Connect<'a>,
}

/// The whole page.
pub fn page(record: &Record, frame_logs: &dyn FrameLogs, connect: Connect<'_>) -> String {
    let cells: Vec<Cell<'_>> = worst_first(record);
    let all: Vec<Seen<'_>> = cells.iter().map(|cell| seen(cell, frame_logs)).collect();
    let index = serde_json::to_string(&index::index(record, &cells, &all))
        .expect("strings and numbers always serialise");
    let (style, after) = match connect {
        Connect::Never => ("", ""),
        Connect::Home { .. } => (LIVE_STYLE, LIVE_SCRIPT),
    };
    let title = format!("{} · {} · farmjank", words::verdict(record.verdict), line(&record.header.run, NAME));
    let paper = paper::paper(record, &cells);
    let parts = Parts { title: &title, paper: &paper, index: &index, style, scripts: ("", after), connect };
    let mut out = begin(&parts);
    packing::each(&cells, &all, |cell, packed| bytes(&mut out, &index::key(cell), packed));
    out.push_str(END);
    out
}

/// Everything before the bytes of the cells.
pub(crate) fn begin(parts: &Parts<'_>) -> String {
    let version = match parts.connect {
        Connect::Never => String::new(),
        Connect::Home { version, pages } => format!(
            "<meta name=\"farmjank-version\" content=\"{version}\">\n\
             <meta name=\"farmjank-perfetto\" content=\"{}\">\n\
             <meta name=\"farmjank-firefox\" content=\"{}\">\n",
            paper::text(&pages.perfetto),
            paper::text(&pages.firefox)
        ),
    };
    let style = STYLES.concat() + parts.style;
    let plot = include_str!("uplot/uPlot.iife.min.js");
    let (before, after) = parts.scripts;
    let script = format!("(() => {{\n\"use strict\";\n{}{before}{MAIN}{after}}})();\n", SCRIPTS.concat());
    let mut out = String::with_capacity(parts.index.len() + script.len() + (64 << 10));
    let policy = policy(&[&style], &[plot, &script], parts.connect);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n{version}\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n{paper}\n\
         <script type=\"application/json\" id=\"index\">{index}</script>\n<script>{plot}</script>\n\
         <script>{script}</script>\n",
        title = paper::text(parts.title),
        paper = parts.paper,
        index = parts.index.replace('<', "\\u003c").replace('>', "\\u003e"),
    );
    out
}

/// The bytes of one cell.
pub(crate) fn bytes(out: &mut String, key: &str, packed: &str) {
    let _ = writeln!(out, "<script type=\"text/plain\" id=\"cell-{key}\">{packed}</script>");
}

pub(crate) const END: &str = "</body>\n</html>\n";

/// What the page may do: run its own scripts, wear its own styles, show pictures it draws itself.
fn policy(styles: &[&str], scripts: &[&str], connect: Connect<'_>) -> String {
    let hashes = |texts: &[&str]| {
        let one = |text: &&str| {
            let digest = Sha256::digest(text.as_bytes());
            format!(" 'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(digest))
        };
        texts.iter().map(one).collect::<String>()
    };
    let home = if matches!(connect, Connect::Home { .. }) { "; connect-src 'self'" } else { "" };
    format!(
        "default-src 'none'; script-src{}; style-src{}; img-src data:; base-uri 'none'; form-action 'none'{home}",
        hashes(scripts),
        hashes(styles)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_styles_never_close_their_own_element() {
        for script in SCRIPTS.iter().chain([
            &MAIN,
            &LIVE_SCRIPT,
            &SIDE_SCRIPT,
            &include_str!("uplot/uPlot.iife.min.js"),
        ]) {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
        assert!(STYLES.iter().chain([&LIVE_STYLE, &SIDE_STYLE]).all(|style| !style.contains("</style")));
    }

    #[test]
    fn the_policy_names_hashes_and_nothing_open() {
        let policy = policy(&["a"], &["b", "c"], Connect::Never);
        assert_eq!(policy.matches("sha256-").count(), 3);
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("connect"));
        // echo -n a | openssl dgst -sha256 -binary | base64
        assert!(
            policy.contains("style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=';"),
            "{policy}"
        );
    }
}
