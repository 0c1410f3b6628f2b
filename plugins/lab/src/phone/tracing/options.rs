//! The command line of `perfetto`, per release.
//!
//! Must not know sessions or configs.

use super::super::command::Answer;

/// How it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Until the trace is over.
    Foreground,
    /// Prints the id of the process that goes on tracing.
    Background,
    /// The same, once every data source has started.
    BackgroundWait,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Path of the config, `-` is standard input.
    pub config: String,
    /// Path of the trace; none is standard output.
    pub out: Option<String>,
    /// The config is text.
    pub text: bool,
    /// How it runs.
    pub mode: Mode,
    /// Only the version was asked for.
    pub version: bool,
}

impl Options {
    /// Reads the arguments. `Err` is the answer of a phone that does not understand them.
    pub fn read(arguments: &[String], sdk: u32) -> Result<Options, Answer> {
        let mut config = None;
        let mut out = None;
        let mut text = false;
        let mut mode = Mode::Foreground;
        let mut version = false;
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            let mut value =
                || attached.or_else(|| words.next()).map(str::to_owned).ok_or_else(|| missing(name));
            match name {
                "-c" | "--config" => config = Some(value()?),
                "-o" | "--out" => out = Some(value()?),
                "--txt" if sdk >= 29 => text = true,
                "-d" | "--background" => mode = Mode::Background,
                "-D" | "--background-wait" if sdk >= 31 => mode = Mode::BackgroundWait,
                "--version" if sdk >= 31 => version = true,
                unknown => return Err(usage(&format!("perfetto: unrecognized option {unknown}\n"))),
            }
        }
        let to_output = out.as_deref() == Some("-");
        match (config, out) {
            _ if version => {
                Ok(Options { config: String::new(), out: None, text, mode: Mode::Foreground, version })
            }
            (None, _) => Err(usage("perfetto: either a config or categories have to be given\n")),
            (_, None) => Err(usage("perfetto: --out is missing\n")),
            _ if to_output && mode != Mode::Foreground => {
                Err(usage("perfetto: a trace to standard output cannot be taken in the background\n"))
            }
            (Some(config), Some(out)) => {
                Ok(Options { config, out: (!to_output).then_some(out), text, mode, version })
            }
        }
    }
}

fn missing(name: &str) -> Answer {
    usage(&format!("perfetto: option {name} requires an argument\n"))
}

fn usage(complaint: &str) -> Answer {
    Answer::failed(
        format!(
            "{complaint}Usage: perfetto\n  --background     -d      : Exits immediately and continues in the background.\n  \
             --config         -c      : /path/to/trace/config/file or - for stdin\n  \
             --out            -o      : /path/to/out/trace/file or - for stdout\n  \
             --txt                    : Parse config as pbtxt. Not for production use.\n"
        ),
        1,
    )
}
