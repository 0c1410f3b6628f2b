//! The text form of a trace config: read as far as a phone's behaviour depends on it, refused as its release refuses
//! it.
//!
//! Must not know how a trace is written.

use super::fields::Kind;

/// Deepest nesting of blocks.
const DEEPEST: usize = 40;

/// What a trace is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Buffers in order: bytes, and whether they discard what comes when they are full.
    pub buffers: Vec<(usize, bool)>,
    /// Data sources by name, with the buffer they write to.
    pub sources: Vec<(String, usize)>,
    /// How long it runs, ms; for ever when absent.
    pub duration_ms: Option<u64>,
    /// Packets are deflated.
    pub deflate: bool,
    /// What of the kernel's events, where they are traced.
    pub kernel: Option<Kernel>,
}

/// What of the kernel's events is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Events by their full names.
    pub events: Vec<String>,
    /// Switches and wakings as columns.
    pub compact: bool,
    /// Categories of marks.
    pub categories: Vec<String>,
}

impl Kernel {
    /// Whether an event was asked for.
    pub fn wants(&self, event: &str) -> bool {
        self.events.iter().any(|asked| asked == event)
    }

    /// Whether marks of apps and services are written: asking for a category turns them on.
    pub fn marks(&self) -> bool {
        !self.categories.is_empty()
    }

    fn read(fields: &[Field<'_>], text: &str) -> Result<Kernel, ConfigError> {
        let mut kernel = Kernel::default();
        for field in fields {
            match field.name {
                "ftrace_events" => kernel.events.push(field.word(text)?.to_owned()),
                "atrace_categories" => kernel.categories.push(field.word(text)?.to_owned()),
                "compact_sched" => {
                    let Value::Block(inner) = &field.value else { return Err(field.wrong(text)) };
                    let enabled = inner.iter().find(|inner| inner.name == "enabled");
                    kernel.compact = enabled.map(|inner| inner.word(text)).transpose()? == Some("true");
                }
                _ => {}
            }
        }
        Ok(kernel)
    }
}

/// What a phone prints of a configuration it cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("config:{line}:{column} error: {what}\n{shown}\n{}^\n", " ".repeat(.column - 1))]
pub struct ConfigError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// The line itself.
    pub shown: String,
}

impl Config {
    /// Reads the text form as a release does.
    ///
    /// # Errors
    /// What a phone prints: the place, what is wrong, the line.
    pub fn read(text: &str, sdk: u32) -> Result<Config, ConfigError> {
        let mut reader = Reader { text, at: 0 };
        let fields = reader.block(0)?;
        let mut config = Config::default();
        for field in &fields {
            field.known(Kind::Trace, sdk, text)?;
            match field.name {
                "buffers" => config.buffers.push(buffer(field, sdk, text)?),
                "data_sources" => {
                    let (named, kernel) = source(field, sdk, text)?;
                    config.sources.extend(named);
                    config.kernel = kernel.or(config.kernel);
                }
                "duration_ms" => config.duration_ms = Some(field.number(text)?),
                "compression_type" => config.deflate = field.word(text)? == "COMPRESSION_TYPE_DEFLATE",
                _ => {}
            }
        }
        Ok(config)
    }

    /// The buffer a data source writes to. None when the source is not asked for.
    pub(crate) fn buffer_of(&self, source: &str) -> Option<usize> {
        let (_, target) = self.sources.iter().find(|(name, _)| name == source)?;
        (*target < self.buffers.len()).then_some(*target)
    }
}

fn buffer(field: &Field<'_>, sdk: u32, text: &str) -> Result<(usize, bool), ConfigError> {
    let mut kb = 0;
    let mut discard = false;
    for inner in field.block(Kind::Buffer, sdk, text)? {
        match inner.name {
            "size_kb" => kb = inner.number(text)?,
            "fill_policy" => discard = inner.word(text)? == "DISCARD",
            _ => {}
        }
    }
    // A buffer is whole pages.
    Ok((usize::try_from(kb).unwrap_or(usize::MAX).clamp(4, 1 << 21) * 1_024, discard))
}

/// A source's name and buffer, and what it asks of the kernel.
type Asked = (Option<(String, usize)>, Option<Kernel>);

fn source(field: &Field<'_>, sdk: u32, text: &str) -> Result<Asked, ConfigError> {
    let mut name = None;
    let mut kernel = None;
    let mut target = 0;
    for inner in field.block(Kind::Source, sdk, text)? {
        if inner.name == "config" {
            for deep in inner.block(Kind::Config, sdk, text)? {
                if let Some(kind) = Kind::behind(deep.name) {
                    deep.block(kind, sdk, text)?;
                }
                match deep.name {
                    "name" => name = Some(deep.word(text)?.to_owned()),
                    "ftrace_config" => {
                        kernel = Some(Kernel::read(deep.block(Kind::Kernel, sdk, text)?, text)?)
                    }
                    "target_buffer" => target = usize::try_from(deep.number(text)?).unwrap_or(usize::MAX),
                    _ => {}
                }
            }
        }
    }
    Ok((name.map(|name| (name, target)), kernel))
}

enum Value<'a> {
    Word(&'a str),
    Block(Vec<Field<'a>>),
}

struct Field<'a> {
    name: &'a str,
    at: usize,
    value: Value<'a>,
}

impl<'a> Field<'a> {
    fn known(&self, kind: Kind, sdk: u32, text: &str) -> Result<(), ConfigError> {
        if kind.knows(self.name, sdk) {
            return Ok(());
        }
        let what = format!("No field named \"{}\" in proto {}", self.name, kind.name());
        Err(complaint(text, self.at, &what))
    }

    fn wrong(&self, text: &str) -> ConfigError {
        complaint(text, self.at, &format!("Expected a different value for field {}", self.name))
    }

    fn word(&self, text: &str) -> Result<&'a str, ConfigError> {
        match &self.value {
            Value::Word(word) => Ok(word),
            Value::Block(_) => Err(self.wrong(text)),
        }
    }

    fn number(&self, text: &str) -> Result<u64, ConfigError> {
        self.word(text)?.parse().map_err(|_| self.wrong(text))
    }

    fn block(&self, kind: Kind, sdk: u32, text: &str) -> Result<&[Field<'a>], ConfigError> {
        let Value::Block(fields) = &self.value else { return Err(self.wrong(text)) };
        fields.iter().try_for_each(|field| field.known(kind, sdk, text))?;
        Ok(fields)
    }
}

/// Where and what, as the phone words it.
fn complaint(text: &str, at: usize, what: &str) -> ConfigError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    let shown = text.lines().nth(line - 1).unwrap_or("");
    let what = what.to_owned();
    ConfigError { line, column, what, shown: shown.to_owned() }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Fields up to the closing brace, or to the end on level 0.
    fn block(&mut self, depth: usize) -> Result<Vec<Field<'a>>, ConfigError> {
        let mut fields = Vec::new();
        loop {
            self.blank();
            let at = self.at;
            match self.text.as_bytes().get(at) {
                None if depth == 0 => return Ok(fields),
                None => return Err(complaint(self.text, at, "Nested message not closed")),
                Some(b'}' | b'>') if depth > 0 => {
                    self.at += 1;
                    return Ok(fields);
                }
                Some(_) => {}
            }
            let name = self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if name.is_empty() || depth > DEEPEST {
                return Err(complaint(self.text, at, "Expected a field name"));
            }
            self.blank();
            let colon = self.text.as_bytes().get(self.at) == Some(&b':');
            self.at += usize::from(colon);
            self.blank();
            let value = match self.text.as_bytes().get(self.at) {
                Some(b'{' | b'<') => {
                    self.at += 1;
                    Value::Block(self.block(depth + 1)?)
                }
                Some(quote @ (b'"' | b'\'')) if colon => Value::Word(self.quoted(*quote)?),
                _ if colon => {
                    Value::Word(self.run(|byte| byte.is_ascii_alphanumeric() || b"_-+.".contains(&byte)))
                }
                _ => return Err(complaint(self.text, self.at, "Expected ':' or '{'")),
            };
            if matches!(value, Value::Word("")) && !self.text[..self.at].ends_with(['"', '\'']) {
                return Err(complaint(self.text, self.at, "Expected a value"));
            }
            fields.push(Field { name, at, value });
        }
    }

    fn run(&mut self, takes: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| takes(*byte)).count();
        self.at += length;
        &rest[..length]
    }

    fn quoted(&mut self, quote: u8) -> Result<&'a str, ConfigError> {
        let rest = &self.text[self.at + 1..];
        match rest.bytes().position(|byte| byte == quote) {
            Some(end) => {
                self.at += end + 2;
                Ok(&rest[..end])
            }
            None => Err(complaint(self.text, self.at, "Unterminated string literal")),
        }
    }

    /// Blanks, comments and the separators that mean nothing.
    fn blank(&mut self) {
        loop {
            self.run(|byte| byte.is_ascii_whitespace() || b",;".contains(&byte));
            if self.text.as_bytes().get(self.at) != Some(&b'#') {
                return;
            }
            self.run(|byte| byte != b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_usual_config_is_read() {
        let text = "buffers: { size_kb: 65536 fill_policy: RING_BUFFER } # main\nbuffers { size_kb: 64; fill_policy: DISCARD }\n\
            data_sources { config { name: \"android.surfaceflinger.frametimeline\" target_buffer: 1 } }\n\
            data_sources < config < name: 'linux.process_stats', process_stats_config { scan_all_processes_on_start: true } > >\n\
            duration_ms: 15000";
        let config = Config::read(text, 31).unwrap();
        assert_eq!(config.buffers, [(65_536 * 1_024, false), (64 * 1_024, true)]);
        assert_eq!(config.buffer_of(super::super::FRAMETIMELINE), Some(1));
        assert_eq!(config.buffer_of(super::super::PROCESS_STATS), Some(0));
        assert_eq!((config.duration_ms, config.deflate, config.buffer_of("x")), (Some(15_000), false, None));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let said = |text: &str| Config::read(text, 34).unwrap_err().to_string();
        assert_eq!(
            said("duration_ms: 1\nbufers { size_kb: 1 }"),
            "config:2:1 error: No field named \"bufers\" in proto TraceConfig\nbufers { size_kb: 1 }\n^\n"
        );
        assert!(said("buffers { size: 1 }").contains("in proto BufferConfig"));
        let source = |inside: &str| format!("data_sources {{ config {{ name: 'x' {inside} }} }}");
        assert!(said(&source("target_bufer: 1")).contains("in proto DataSourceConfig"));
        assert!(said(&source("process_stats_config { scan: true }")).contains("in proto ProcessStatsConfig"));
        assert!(said(&source("ftrace_config { events: 'x' }")).contains("in proto FtraceConfig"));
        // Newer fields are refused by older releases.
        let newer = source("android_input_event_config { mode: 1 }");
        assert!(said(&newer).contains("android_input_event_config") && Config::read(&newer, 35).is_ok());
        assert!(said("buffers {").contains("not closed"));
        assert!(said("duration_ms: soon").contains("duration_ms"));
        assert!(said("duration_ms:").contains("Expected a value"));
        assert!(said("\u{1}").contains("field name"));
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in "\\PC{0,80}|([a-z_]{1,8}[:{}<>\"'# \n;]{0,3}){0,30}") {
            let _ = Config::read(&text, 36);
        }
    }
}
