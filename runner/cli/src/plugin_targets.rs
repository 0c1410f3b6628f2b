//! Who is told of a run beside our own reporters: `--plugin NAME=COMMAND`. Must not know: what plugins say.

use crate::args::PhoneArgs;
use crate::command_error::{CommandError, usage};
use crate::host::{Bundle, PluginProcess, Streams};
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_leaf::text::name as shown;
use farmjank_process::hooks::{Meanwhile, PluginHooks};
use farmjank_process::limits::Patience;
use farmjank_process::reporter::{Started, Words};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::FileError;
use farmjank_results::record::Record;
use farmjank_seams::host::Files;
use farmjank_seams::reporter::{Delivery, NoFrameLogs, Reporter};
use std::path::Path;

/// Who tells a plugin.
pub const TOOL: &str = concat!("farmjank ", env!("CARGO_PKG_VERSION"));
/// Longest name, bytes.
const LONGEST: usize = 40;

/// A plugin somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    name: String,
    program: String,
    args: Vec<String>,
}

/// Reads `--plugin NAME=COMMAND`.
fn request(text: &str) -> Result<Request, CommandError> {
    let (name, command) = text.split_once('=').ok_or_else(|| {
        usage!("`--plugin {text}` has no name; write `NAME=COMMAND`, such as `slowest='python3 slowest.py'`")
    })?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || name.len() > LONGEST || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        return Err(usage!(
            "`--plugin {text}`: a name becomes a folder, and so has letters, digits, `.`, `_` and `-`, at most \
             {LONGEST}, and begins with a letter or digit"
        ));
    }
    let words = shlex::split(command).ok_or_else(|| {
        usage!("`--plugin {text}`: a quote is not closed; no shell reads it, quotes keep words together")
    })?;
    let mut words = words.into_iter();
    let program = words.next().ok_or_else(|| usage!("`--plugin {text}` names no program"))?;
    Ok(Request { name: name.to_owned(), program, args: words.collect() })
}

fn requests(given: &[String]) -> Result<Vec<Request>, CommandError> {
    let requests = given.iter().map(|text| request(text)).collect::<Result<Vec<Request>, CommandError>>()?;
    for (nth, one) in requests.iter().enumerate() {
        if requests[..nth].iter().any(|before| before.name == one.name) {
            return Err(usage!("two plugins are called {}, and would write into one folder", one.name));
        }
    }
    Ok(requests)
}

/// Starts and greets plugins, before anything is measured, and waits for none.
///
/// # Errors
/// The first that is not written as a plugin, or cannot be started.
pub fn start(given: &[String]) -> Result<Vec<Started>, CommandError> {
    let greet = |Request { name, program, args }: Request| {
        Ok(Started::greet(name, PluginProcess::start(&program, &args)?, TOOL))
    };
    requests(given)?.into_iter().map(greet).collect()
}

/// Starts those a command names that only looks at phones.
///
/// # Errors
/// As [`start`], as a fault.
pub fn lenders(args: &PhoneArgs) -> Result<Vec<Started>, Fault> {
    start(&args.lenders).map_err(|why| Fault::new(FaultCode::Usage, why.to_string()))
}

/// Whether any of them lends phones; waits for their hellos.
pub fn lend(plugins: &[Started]) -> bool {
    plugins.iter().any(|one| one.lends(&Patience::default()))
}

/// Plugins as who is asked before and after jobs and trials.
pub fn hooks(plugins: &[Started], simulated: bool) -> PluginHooks {
    let meanwhile = if simulated { Meanwhile::NothingMoves } else { Meanwhile::OthersWork };
    PluginHooks::of(plugins, meanwhile)
}

/// Plugins as reporters of a run; their words stand aside where standard output belongs to a document.
pub fn reporters(plugins: Vec<Started>, bundle: &Path, taken: bool) -> Vec<Box<dyn Reporter>> {
    let words = if taken { Words::Err } else { Words::Out };
    let reporter = |one: Started| Box::new(one.reporter(&shown(bundle), words)) as Box<dyn Reporter>;
    plugins.into_iter().map(reporter).collect()
}

/// Tells plugins of a run that is over, and writes what they answer into its bundle. What one does not deliver is said.
///
/// # Errors
/// A plugin that cannot be started, or a log that cannot be read.
pub fn tell_again(given: &[String], run: &Path, taken: bool) -> Result<(), CommandError> {
    let bundle = Bundle::open(run);
    let read = Record::read_ndjson(&bundle.log()?);
    let (record, events) = read.map_err(|bad| FileError::content(&run.join(LOG), bad))?;
    for mut plugin in reporters(start(given)?, run, taken) {
        for event in &events {
            carry_out(plugin.observe(event, &record), &bundle);
        }
        carry_out(plugin.conclude(&record, &NoFrameLogs), &bundle);
    }
    Ok(())
}

fn carry_out(deliveries: Vec<Delivery>, bundle: &Bundle) {
    for delivery in deliveries {
        match delivery {
            Delivery::Out(text) | Delivery::Commands(text) => Streams.out(&text),
            Delivery::Err(text) => Streams.err(&text),
            Delivery::File { path, bytes } => {
                if let Err(why) = bundle.write(&path, &bytes) {
                    Streams.err(&format!("warning: {why}\n"));
                }
            }
            Delivery::Failed { what, why } | Delivery::Missed { what, why } => {
                Streams.err(&format!("warning: {what} is missing: {why}\n"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_at_spaces_and_quotes_keep_words_together() {
        let read = request("slow-1=python3 'my plugin.py' --to a=b").unwrap();
        assert_eq!((read.name.as_str(), read.program.as_str()), ("slow-1", "python3"));
        assert_eq!(read.args, ["my plugin.py", "--to", "a=b"]);
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let refused = |text: &str| request(text).unwrap_err().to_string();
        assert!(refused("slowest.py").contains("write `NAME=COMMAND`"));
        assert!(refused("../x=cat").contains("a name becomes a folder"));
        assert!(refused("x='cat").contains("a quote is not closed"));
        assert!(refused("x= ").contains("names no program"));
        let twice = requests(&["a=cat".to_owned(), "a=tee".to_owned()]).unwrap_err().to_string();
        assert!(twice.contains("two plugins are called a"), "{twice}");
    }
}
