//! The lab's shell held against real ones: what the lab's phones were asked in a run is asked again of Debian's `mksh`
//! with `toybox`, and must come out the same.
//!
//! Every story of this suite ends here, so a line that is new to the product is proved by the story that first sends
//! it. Programs of a phone (`dumpsys`, `input`, `perfetto`…) are stubs that answer, argument for argument, what the
//! lab's phone answered; pipes, quoting, loops, filters and tests are the real shell's and the real toybox's. Compared
//! are standard output and exit status. Skipped with a printed reason where `mksh` or `toybox` is missing, except in
//! CI.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs a real shell in a real folder")]

mod sandbox;

use farmjank_lab::transcript::{Call, Scribe, Transcript};
use sandbox::Sandbox;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, OnceLock};

/// Most transcripts held against the real shell of one line's shape: answers take a line down different ways.
const EACH: u32 = 3;
/// Most calls replayed of a line that goes on for ever.
const ROUNDS: usize = 9;

/// Shapes of lines already proved in this process, and how often each.
static PROVED: LazyLock<Mutex<BTreeMap<String, u32>>> = LazyLock::new(Mutex::default);

/// The programs it takes, where they are.
pub struct Real {
    mksh: PathBuf,
    toybox: PathBuf,
}

/// The real shell of this computer; none, with a printed reason, where there is none.
pub fn real() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let found = REAL.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let find = |name: &str| std::env::split_paths(&path).map(|at| at.join(name)).find(|at| at.is_file());
        match (find("mksh"), find("toybox")) {
            (Some(mksh), Some(toybox)) => Some(Real { mksh, toybox }),
            _ => {
                assert!(std::env::var_os("CI").is_none(), "CI must have mksh and toybox");
                println!("skipped: no mksh or no toybox here to hold the lab's shell against");
                None
            }
        }
    });
    found.as_ref()
}

/// What the shells of one run were asked, as far as it is new.
#[derive(Default)]
pub struct Shells(Rc<RefCell<BTreeMap<(String, String), Transcript>>>);

impl Shells {
    /// Takes transcripts down.
    pub fn scribe(&self) -> Scribe {
        let kept = self.0.clone();
        Rc::new(move |transcript| {
            let shape = shape(&transcript.line);
            let known = PROVED.lock().expect("no test died in here").get(&shape).is_some_and(|n| *n >= EACH);
            // A line that was cut off before it did anything says nothing.
            let idle = transcript.status.is_none() && transcript.out.is_empty();
            if !known && !idle {
                kept.borrow_mut().entry((shape, way(&transcript))).or_insert(transcript);
            }
        })
    }

    /// Asks the real shell the same, once for every shape of line and the way it went.
    ///
    /// # Panics
    /// Where the two differ, with both answers.
    pub fn hold_against_real_ones(&self) {
        let Some(real) = real() else { return };
        let mut differences = Vec::new();
        for ((shape, _), transcript) in self.0.take() {
            {
                let mut proved = PROVED.lock().expect("no test died in here");
                let times = proved.entry(shape).or_default();
                if *times >= EACH {
                    continue;
                }
                *times += 1;
            }
            differences.extend(difference(real, &transcript));
        }
        assert!(
            differences.is_empty(),
            "the lab's shell and mksh disagree {} times:\n{}",
            differences.len(),
            differences.join("\n")
        );
    }
}

/// Shapes of lines proved so far in this process.
pub fn proved() -> Vec<String> {
    PROVED.lock().expect("no test died in here").keys().cloned().collect()
}

/// A line without what changes from call to call: nonces, clocks, process ids, coordinates.
fn shape(line: &str) -> String {
    let mut shape = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        // A nonce is hexadecimal: its letters go with its digits.
        let before = rest[..at].trim_end_matches(|letter: char| letter.is_ascii_hexdigit());
        let nonce =
            rest[before.len()..].split(|letter: char| !letter.is_ascii_hexdigit()).next().unwrap_or("");
        let (kept, taken) = match nonce.len() == 16 {
            true => (before.len(), before.len() + 16),
            false => {
                let digits =
                    rest[at..].find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len() - at);
                (at, at + digits)
            }
        };
        shape.push_str(&rest[..kept]);
        shape.push('0');
        rest = &rest[taken..];
    }
    shape + rest
}

/// The way a line went: which programs it called with which end, runs of the same left out.
fn way(transcript: &Transcript) -> String {
    let mut steps: Vec<String> = Vec::new();
    let step = |call: &Call| {
        let status = call.said.as_ref().map(|said| said.status);
        format!("{} {status:?}", call.argv.first().map_or("", String::as_str))
    };
    for step in transcript.calls.iter().map(step) {
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }
    steps.truncate(ROUNDS);
    format!("{:?} {}", transcript.status, steps.join(", "))
}

/// What differs between the lab's answer and the real shell's; nothing where they agree.
pub fn difference(real: &Real, transcript: &Transcript) -> Option<String> {
    let mut asked = transcript.clone();
    if asked.status.is_none() {
        // In the sandbox a file stays what it was: where it did not, only the first round can be the same.
        asked.calls.truncate(if rewritten(&asked) { 1 } else { ROUNDS });
    }
    let sandbox = Sandbox::new(real, &asked);
    let told = sandbox.run();
    let (lab, mksh) = (told.masked(&asked.out), told.masked(&told.out));
    let same = match asked.status {
        Some(_) => lab == mksh,
        // Whoever asked went away, in the lab at another moment than here.
        None => !mksh.is_empty() && (lab.starts_with(&mksh) || mksh.starts_with(&lab)),
    };
    let mut wrong = told.strange.clone();
    if !same {
        wrong.push(format!("standard output\n--- lab\n{}\n--- mksh\n{}\n---", shown(&lab), shown(&mksh)));
    }
    if asked.status.is_some() && asked.status != told.status {
        wrong.push(format!("status: lab {:?}, mksh {:?}", asked.status, told.status));
    }
    if wrong.is_empty() {
        return None;
    }
    let complaints = format!("lab said {:?}, mksh said {:?}", shown(&asked.err), shown(&told.err));
    Some(format!("`{}`: {}; {complaints}", asked.line, wrong.join("; ")))
}

/// Whether a file, the clock apart, was read with different contents.
fn rewritten(asked: &Transcript) -> bool {
    let mut first = BTreeMap::new();
    let files = asked.files.iter().filter(|(path, _)| path != "/proc/uptime");
    files.into_iter().any(|(path, bytes)| first.entry(path).or_insert(bytes) != &bytes)
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(3_000) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], bytes.len()),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn shapes_leave_out_numbers_and_nonces() {
        assert_eq!(shape("input tap 10 20"), "input tap 0 0");
        assert_eq!(shape("echo \"@fj:00ab34cd00ab34cd s $?\""), "echo \"@fj:0 s $?\"");
        assert_eq!(shape("sleep 0.410; add1"), "sleep 0.0; add0");
        assert_eq!(shape("dumpsys x"), "dumpsys x");
    }
}
