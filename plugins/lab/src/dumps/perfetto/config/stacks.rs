//! What a config asks of call stacks (`perf_event_config`): what is looked at, and whose.

use super::super::fields::Kind;
use super::text::{ConfigError, Field};

/// What a source of stacks is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// The buffer it writes to.
    pub buffer: usize,
    /// What it looks at.
    pub at: Asked,
    /// The processes it looks into; all where none is named.
    pub processes: Vec<String>,
}

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// What runs, so many times a second on every CPU.
    Steps(u64),
    /// Threads of this name that leave their CPUs.
    Switches(String),
    /// Those that wake a thread of this name.
    Wakings(String),
}

impl Default for Asked {
    fn default() -> Asked {
        Asked::Steps(10)
    }
}

impl Stacks {
    pub(super) fn read(field: &Field<'_>, sdk: u32, text: &str) -> Result<Stacks, ConfigError> {
        let mut stacks = Stacks::default();
        for inner in field.block(Kind::Perf, sdk, text)? {
            match inner.name {
                "timebase" => stacks.at = timebase(inner, sdk, text)?,
                "callstack_sampling" => {
                    for deep in inner.block(Kind::Sampling, sdk, text)? {
                        if deep.name == "scope" {
                            for one in deep.block(Kind::Scope, sdk, text)? {
                                if one.name == "target_cmdline" {
                                    stacks.processes.push(one.plain(text)?);
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(stacks)
    }
}

fn timebase(field: &Field<'_>, sdk: u32, text: &str) -> Result<Asked, ConfigError> {
    let mut asked = Asked::default();
    for inner in field.block(Kind::Timebase, sdk, text)? {
        match inner.name {
            "frequency" => asked = Asked::Steps(inner.number(text)?),
            "tracepoint" => {
                let (mut name, mut comm) = (String::new(), String::new());
                for deep in inner.block(Kind::Tracepoint, sdk, text)? {
                    match deep.name {
                        "name" => name = deep.plain(text)?,
                        // The kernel wants the value of a text in quotes.
                        "filter" => {
                            comm = deep.plain(text)?.split('"').nth(1).unwrap_or_default().to_owned();
                        }
                        _ => {}
                    }
                }
                asked = match name.replace(':', "/").as_str() {
                    "sched/sched_switch" => Asked::Switches(comm),
                    _ => Asked::Wakings(comm),
                };
            }
            _ => {}
        }
    }
    Ok(asked)
}
