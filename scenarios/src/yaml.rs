//! YAML text to trees of [`Node`]s. The only file that knows the YAML crate: its event parser, so that every value
//! keeps its place, aliases cost nothing, and budgets hold while the text is read.
//!
//! Refused here, with places: broken syntax, duplicate keys, keys that are not text, tags, too deep or too large
//! documents, aliases that expand to too much. Merge keys (`<<`) are resolved.

use crate::complaint::{Complaint, quoted};
use crate::node::{Entry, Kind, Node, Scalar};
use crate::place::{Mark, Place};
use crate::source::Source;
use serde_saphyr::granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, options};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Lists and maps inside each other, at most.
const DEPTH: usize = 48;

/// Values in a file once every alias is expanded, at most; long scalars count several times.
const VALUES: u64 = 100_000;

/// Bytes of a scalar that count as one value.
const SCALAR_BYTES: u64 = 256;

/// Documents in a file that are read; farmjank's files have one or two.
const DOCUMENTS: usize = 8;

/// What a file's text says.
pub(crate) struct Parsed {
    /// Its documents in order; empty when the text cannot be read to its end.
    pub(crate) documents: Vec<Node>,
    /// What is wrong with the text as YAML.
    pub(crate) complaints: Vec<Complaint>,
}

/// Reads a file's text.
pub(crate) fn parse(source: &Source) -> Parsed {
    let mut builder = Builder {
        source,
        frames: Vec::new(),
        done: Vec::new(),
        anchors: BTreeMap::new(),
        values: 0,
        complaints: Vec::new(),
    };
    match builder.run() {
        Ok(()) => Parsed { documents: builder.done, complaints: builder.complaints },
        Err(complaint) => {
            builder.complaints.push(complaint);
            Parsed { documents: Vec::new(), complaints: builder.complaints }
        }
    }
}

/// A list or map that is still open.
enum Open {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, key: Option<(String, Mark)>, seen: BTreeMap<String, Mark>, merged: Vec<Node> },
}

struct Frame {
    mark: Mark,
    anchor: usize,
    before: u64,
    open: Open,
}

struct Builder<'a> {
    source: &'a Source,
    frames: Vec<Frame>,
    done: Vec<Node>,
    /// Anchored nodes and how many values each expands to.
    anchors: BTreeMap<usize, (Node, u64)>,
    values: u64,
    complaints: Vec<Complaint>,
}

impl Builder<'_> {
    fn run(&mut self) -> Result<(), Complaint> {
        let options =
            options! { emit_comments: false, flow_nesting_limit: DEPTH, block_nesting_limit: DEPTH };
        for next in Parser::new_from_str_with_options(&self.source.text, options) {
            let (event, span) = next.map_err(|error| syntax(self.source, &error))?;
            self.event(event, span)?;
        }
        Ok(())
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Complaint> {
        let mark = self.mark(&span);
        if let Some(tag) = event.tag()
            && !tag.is_yaml_core_schema()
        {
            let what = format!("the tag {} means nothing here", quoted(&tag.original()));
            self.complain(mark, what, "remove it; quote the text if it begins with `!`");
        }
        match event {
            Event::DocumentStart(..) => {
                self.anchors.clear();
                if self.done.len() == DOCUMENTS {
                    return Err(self.source.complaint(
                        mark,
                        format!("more than {DOCUMENTS} documents in one file"),
                        "",
                    ));
                }
            }
            Event::Scalar(text, style, anchor, _) => {
                let weight = 1 + text.len() as u64 / SCALAR_BYTES;
                let node = self.scalar(&text, style, mark, &span);
                self.count(weight, mark)?;
                self.place(node, anchor, weight)?;
            }
            Event::SequenceStart(_, anchor, _) => self.open(mark, anchor, Open::List(Vec::new()))?,
            Event::MappingStart(_, anchor, _) => {
                let open =
                    Open::Map { entries: Vec::new(), key: None, seen: BTreeMap::new(), merged: Vec::new() };
                self.open(mark, anchor, open)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Alias(id) => {
                let Some((node, weight)) = self.anchors.get(&id).cloned() else {
                    return Err(self.source.complaint(
                        mark,
                        "this alias stands inside its own anchor",
                        "write the value out",
                    ));
                };
                self.count(weight, mark)?;
                self.place(node, 0, weight)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, weight: u64, mark: Mark) -> Result<(), Complaint> {
        self.values = self.values.saturating_add(weight);
        if self.values <= VALUES {
            return Ok(());
        }
        let what = format!("the file holds more than {VALUES} values once its aliases are expanded");
        Err(self.source.complaint(
            mark,
            what,
            "use `repeat` for repeated steps and `runFlow` for shared ones",
        ))
    }

    fn open(&mut self, mark: Mark, anchor: usize, open: Open) -> Result<(), Complaint> {
        if self.frames.len() == DEPTH {
            return Err(too_deep(self.source, mark));
        }
        self.count(1, mark)?;
        self.frames.push(Frame { mark, anchor, before: self.values - 1, open });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Complaint> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let kind = match frame.open {
            Open::List(items) => Kind::List(Rc::new(items)),
            Open::Map { mut entries, mut seen, merged, .. } => {
                for node in &merged {
                    self.merge(node, &mut entries, &mut seen);
                }
                Kind::Map(Rc::new(entries))
            }
        };
        let weight = self.values - frame.before;
        self.place(Node { mark: frame.mark, kind }, frame.anchor, weight)
    }

    /// Entries of a merged map (or of each map of a list) fill in what the map itself does not say.
    fn merge(&mut self, node: &Node, entries: &mut Vec<Entry>, seen: &mut BTreeMap<String, Mark>) {
        match &node.kind {
            Kind::Map(from) => {
                for entry in
                    from.iter().filter(|entry| !seen.contains_key(&entry.key)).cloned().collect::<Vec<_>>()
                {
                    seen.insert(entry.key.clone(), entry.mark);
                    entries.push(entry);
                }
            }
            Kind::List(maps) if maps.iter().all(|map| matches!(map.kind, Kind::Map(_))) => {
                maps.iter().for_each(|map| self.merge(map, entries, seen));
            }
            _ => {
                let what = format!("`<<` merges maps, and this is {}", node.kind_name());
                self.complain(node.mark, what, "write `<<: *anchor` with the anchor on a map");
            }
        }
    }

    /// Puts a finished node where it belongs: as key or value of the open map, into the open list, or as the document.
    fn place(&mut self, node: Node, anchor: usize, weight: u64) -> Result<(), Complaint> {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        let source = self.source;
        let mut wrong = None;
        match self.frames.last_mut().map(|frame| &mut frame.open) {
            None => self.done.push(node),
            Some(Open::List(items)) => items.push(node),
            Some(Open::Map { entries, key, seen, merged }) => match (key.take(), node.kind) {
                (None, Kind::Scalar(text)) => *key = Some((text.text.clone(), node.mark)),
                (None, _) => {
                    let what = "a key must be text";
                    return Err(source.complaint(
                        node.mark,
                        what,
                        "write `key: value`; quote `${…}` that begins a value",
                    ));
                }
                (Some((name, _)), kind) if name == "<<" => merged.push(Node { mark: node.mark, kind }),
                (Some((name, mark)), kind) => match seen.get(&name) {
                    Some(first) => wrong = Some((name, mark, *first)),
                    None => {
                        seen.insert(name.clone(), mark);
                        entries.push(Entry { key: name, mark, value: Node { mark: node.mark, kind } });
                    }
                },
            },
        }
        if let Some((name, mark, first)) = wrong {
            let what = format!("the key {} is given twice in one map", quoted(&name));
            let instead =
                format!("it already stands at {}:{}; keep one", first.place.line, first.place.column);
            self.complain(mark, what, instead);
        }
        Ok(())
    }

    fn scalar(&self, text: &str, style: ScalarStyle, mark: Mark, span: &Span) -> Node {
        let plain = matches!(style, ScalarStyle::Plain);
        if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") {
            return Node { mark, kind: Kind::Null };
        }
        let length = text.chars().count();
        let offset = match span.end.index().saturating_sub(span.start.index()) {
            same if same == length && plain => Some(0),
            quoted if quoted == length + 2 && !plain => Some(1),
            _ => None,
        };
        Node { mark, kind: Kind::Scalar(Rc::new(Scalar { text: text.to_owned(), offset })) }
    }

    fn mark(&self, span: &Span) -> Mark {
        let place = place(&span.start);
        let length = if span.end.line() == span.start.line() {
            span.end.col().saturating_sub(span.start.col())
        } else {
            self.source.line(place.line).chars().skip(span.start.col()).count()
        };
        Mark { place, length: u32::try_from(length).unwrap_or(u32::MAX).max(1) }
    }

    fn complain(&mut self, mark: Mark, what: impl Into<String>, instead: impl Into<String>) {
        if self.complaints.len() < crate::complaint::MOST {
            self.complaints.push(self.source.complaint(mark, what, instead));
        }
    }
}

fn place(marker: &Marker) -> Place {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place { line: number(marker.line()), column: number(marker.col()).saturating_add(1) }
}

fn too_deep(source: &Source, mark: Mark) -> Complaint {
    source.complaint(
        mark,
        format!("lists and maps stand more than {DEPTH} deep inside each other"),
        "use `runFlow` for inner steps",
    )
}

/// What a syntax error means, for somebody who writes scenarios.
fn syntax(source: &Source, error: &ScanError) -> Complaint {
    let mark = Mark { place: place(error.marker()), length: 1 };
    if let Some(tab) = tab_near(source, mark.place.line) {
        return source.complaint(
            tab,
            "a tab indents this line; YAML allows only spaces",
            "indent with spaces",
        );
    }
    let unclosed = "close it on the line it belongs to; quote text that contains `[`, `{`, `:` or `#`";
    let (what, instead): (String, &str) = match error.kind() {
        ErrorKind::RecursionLimitExceeded => return too_deep(source, mark),
        ErrorKind::UnknownAnchor => (
            "no anchor of this name stands above".to_owned(),
            "define it first with `&name`, or quote text that begins with `*`",
        ),
        ErrorKind::UnclosedQuotedScalar => {
            ("a quote is opened and never closed".to_owned(), "close it with the same quote")
        }
        ErrorKind::InvalidQuotedScalarIndent | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "a quote opened above is still open on this line".to_owned(),
            "close it on the line where it opens",
        ),
        ErrorKind::UnclosedFlowCollection { open } => {
            (format!("`{open}` is opened and never closed"), unclosed)
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            (format!("`{open}` is closed by `{close}`"), "use the bracket that fits")
        }
        ErrorKind::UnexpectedEofFlowSequence | ErrorKind::UnexpectedEofFlowMapping => {
            ("the file ends inside `[…]` or `{…}`".to_owned(), unclosed)
        }
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockSequenceEntry => (
            format!("broken YAML: {}", error.kind()),
            "check the indentation of this line against the lines above",
        ),
        kind => (
            format!("broken YAML: {kind}"),
            "quote text that contains `: `, ` #`, `{`, `[`, `%`, `@` or a backquote",
        ),
    };
    source.complaint(mark, what, instead)
}

/// The parser may notice a tab only some tokens later or blame the value before it: looks at the line, its neighbours.
fn tab_near(source: &Source, line: u32) -> Option<Mark> {
    [line, line.saturating_add(1), line.saturating_sub(1)].into_iter().filter(|line| *line > 0).find_map(
        |line| {
            let text = source.line(line);
            let indent: Vec<char> = text.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
            let column = indent.iter().position(|c| *c == '\t')?;
            let only_space = indent.len() == text.chars().count();
            let length = (indent.len() - column) as u32;
            (!only_space).then_some(Mark { place: Place { line, column: column as u32 + 1 }, length })
        },
    )
}
