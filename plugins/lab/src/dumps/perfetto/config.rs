//! The text form of a trace config: read as far as a phone's behaviour depends on it, refused as its release refuses
//! it.
//!
//! Must not know how a trace is written.

mod stacks;
mod text;

use super::fields::Kind;
pub use stacks::{Asked, Stacks};
pub use text::ConfigError;
use text::{Field, Reader, Value};

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
    /// What of call stacks, source by source.
    pub stacks: Vec<Stacks>,
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
                    let source = source(field, sdk, text)?;
                    config
                        .stacks
                        .extend(source.stacks.map(|asked| Stacks { buffer: source.target, ..asked }));
                    config.sources.extend(source.name.map(|name| (name, source.target)));
                    config.kernel = source.kernel.or(config.kernel);
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

/// A source: its name and buffer, what it asks of the kernel, and of stacks.
#[derive(Default)]
struct Source {
    name: Option<String>,
    target: usize,
    kernel: Option<Kernel>,
    stacks: Option<Stacks>,
}

fn source(field: &Field<'_>, sdk: u32, text: &str) -> Result<Source, ConfigError> {
    let mut source = Source::default();
    for inner in field.block(Kind::Source, sdk, text)? {
        if inner.name == "config" {
            for deep in inner.block(Kind::Config, sdk, text)? {
                if let Some(kind) = Kind::behind(deep.name) {
                    deep.block(kind, sdk, text)?;
                }
                match deep.name {
                    "name" => source.name = Some(deep.word(text)?.to_owned()),
                    "ftrace_config" => {
                        source.kernel = Some(Kernel::read(deep.block(Kind::Kernel, sdk, text)?, text)?)
                    }
                    "perf_event_config" => source.stacks = Some(Stacks::read(deep, sdk, text)?),
                    "target_buffer" => {
                        source.target = usize::try_from(deep.number(text)?).unwrap_or(usize::MAX)
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(source)
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
    fn stacks_are_asked_for_by_what_is_looked_at() {
        let source = |inside: &str| {
            format!(
                "data_sources {{ config {{ name: 'linux.perf' target_buffer: 1 perf_event_config {{ {inside} }} }} }}"
            )
        };
        let scope = "callstack_sampling { scope { target_cmdline: \"com.shop\" } }";
        let text = [
            source(&format!("timebase {{ counter: SW_CPU_CLOCK frequency: 200 }} {scope}")),
            source(&format!(
                "timebase {{ period: 1 tracepoint {{ name: \"sched/sched_switch\" filter: \"prev_comm == \\\"om.shop\\\"\" }} }} {scope}"
            )),
            source(
                "timebase { period: 1 tracepoint { name: \"sched/sched_waking\" filter: \"comm == \\\"om.shop\\\"\" } } callstack_sampling { }",
            ),
        ];
        let config = Config::read(&text.concat(), 34).unwrap();
        let of = |at, processes: &[&str]| Stacks {
            buffer: 1,
            at,
            processes: processes.iter().map(|one| (*one).to_owned()).collect(),
        };
        let comm = || "om.shop".to_owned();
        let all = [
            of(Asked::Steps(200), &["com.shop"]),
            of(Asked::Switches(comm()), &["com.shop"]),
            of(Asked::Wakings(comm()), &[]),
        ];
        assert_eq!(config.stacks, all);
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
        let perf = |inside: &str| source(&format!("perf_event_config {{ {inside} }}"));
        let clock = perf("timebase { frequency: 200 timestamp_clock: PERF_CLOCK_BOOTTIME }");
        assert!(Config::read(&clock, 33).is_ok());
        let older = Config::read(&clock, 32).unwrap_err().to_string();
        assert!(older.contains("No field named \"timestamp_clock\" in proto Timebase"), "{older}");
        assert!(said(&perf("timebase { tracepoint { filter: \"a \\q\" } }")).contains("escape"));
        assert!(said(&perf("callstack_sampling { scope { cmdline: \"a\" } }")).contains("in proto Scope"));
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
