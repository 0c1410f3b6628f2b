//! Texts that stand where data should be: refusals of the phone, its shell, or adb, told apart and explained.
//!
//! Must not know: which source was asked. One line in, one explanation out.

use crate::text::shown;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// A known failure text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// What the phone says and what that means.
    pub what: String,
    /// Asking again may help.
    pub passing: bool,
}

/// What a failure line contains, what it means, and whether asking again may help. More telling lines come first.
const KNOWN: [(&str, &str, bool); 21] = [
    (
        "DUMP TIMEOUT",
        "the service did not finish its dump in time; the phone is overloaded or the service hangs",
        true,
    ),
    ("Permission Denial", "the shell may not ask for this dump on this build", false),
    ("Can't find service", "the service is not running; it may be restarting after a crash", true),
    ("Failure while dumping", "the app did not answer; its main thread or render thread is stuck", true),
    ("Got a RemoteException while dumping", "the app died while it was asked", true),
    ("Error dumping service info", "the service failed while it was asked", true),
    ("Error with service", "the service failed while it was asked", true),
    ("inaccessible or not found", "the phone does not have this command", false),
    (": not found", "the phone does not have this command", false),
    ("syntax error", "the phone's shell could not parse the command", false),
    ("error: device offline", "adb cannot talk to the phone", true),
    ("error: device unauthorized", "the phone has not accepted this computer's adb key", false),
    ("error: device still authorizing", "the phone has not accepted this computer's adb key yet", true),
    ("error: no devices", "no phone was connected when this was saved", true),
    ("error: more than one device", "adb did not know which phone was meant when this was saved", false),
    ("error: device ", "adb did not find the phone", true),
    ("error: closed", "adb lost the connection to the phone", true),
    ("Permission denied", "the phone's shell was not allowed to run this", false),
    ("can't execute", "the phone's shell could not run the command", false),
    ("No such file or directory", "the phone's shell could not run the command", false),
    (farmjank_seams::sampling_loop::NOTE, "the dump did not end as it should", true),
];

/// What lines of every gfxinfo dump begin with. They are many and long, and none of them refuses anything.
const HARMLESS: [&[u8]; 7] =
    [b"HISTOGRAM: ", b"GPU HISTOGRAM: ", b"Number ", b"Janky frames", b"Stats since: ", b"  ", b"Total "];

/// A searcher for each known failure text; making one costs more than using it.
static SEARCHERS: LazyLock<Vec<Finder<'static>>> =
    LazyLock::new(|| KNOWN.iter().map(|(needle, _, _)| Finder::new(needle)).collect());

/// Finds the command of a latency dump, which a terminal may have saved with its answer.
static COMMAND: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("dumpsys SurfaceFlinger --latency"));

/// Explains a line that is a known failure text. Looks at its first 512 bytes only.
pub(crate) fn refusal(line: &[u8]) -> Option<Refusal> {
    let head = &line[..line.len().min(512)];
    if head.is_empty() || HARMLESS.iter().any(|known| head.starts_with(known)) {
        return None;
    }
    let nth = SEARCHERS.iter().position(|searcher| searcher.find(head).is_some())?;
    let (_, meaning, passing) = KNOWN[nth];
    Some(Refusal { what: format!("the phone answered `{}`: {meaning}", shown(head)), passing })
}

/// Whether asking again may help after this failure text. Unknown text: no.
pub(crate) fn passing(text: &[u8]) -> bool {
    refusal(text).is_some_and(|refusal| refusal.passing)
}

/// A line that may stand anywhere in the output of the phone's shell, or of a terminal somebody copied, and says
/// nothing about the dump: warnings, adb starting its server, the command itself.
pub(crate) fn noise(line: &[u8]) -> bool {
    const PREFIXES: [&[u8]; 5] = [
        b"* daemon ",
        b"SurfaceFlinger appears to be unresponsive",
        b"Dumping without lock after timeout",
        b"WARNING: linker:",
        b"WARNING: ",
    ];
    let head = &line[..line.len().min(512)];
    PREFIXES.iter().any(|prefix| line.starts_with(prefix))
        || (COMMAND.find(head).is_some() && refusal(line).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_failures_are_explained_with_the_phones_own_words() {
        for (line, words, passing) in [
            ("*** SERVICE 'SurfaceFlinger' DUMP TIMEOUT (10000ms) EXPIRED ***", "in time", true),
            ("Permission Denial: can't dump SurfaceFlinger from pid=1, uid=2", "may not ask", false),
            ("Can't find service: SurfaceFlinger", "not running", true),
            ("/system/bin/sh: dumpsys: inaccessible or not found", "does not have", false),
            ("/system/bin/sh: dumpsys: not found", "does not have", false),
            ("error: device unauthorized.", "key", false),
            ("error: device 'emulator-5554' not found", "did not find", true),
            ("@fj: dump cut at 4096 bytes", "did not end as it should", true),
        ] {
            let refusal = refusal(line.as_bytes()).expect(line);
            assert!(refusal.what.contains(words) && refusal.what.contains(line), "{}", refusal.what);
            assert_eq!(refusal.passing, passing, "{line}");
        }
        let cut = b"16666666\n10\t20\t30\n@fj: dump cut at 4096 bytes\n";
        assert!(crate::surfaceflinger::read_latency(cut).is_err());
        assert_eq!(refusal(b"16666666"), None);
        assert!(noise(b"WARNING: linker: libfoo.so: unused DT entry"));
        assert!(noise(b"* daemon started successfully"));
        assert!(noise(b"$ adb shell \"dumpsys SurfaceFlinger --latency 'a/b#0'\""));
        assert!(!noise(b"sh: syntax error: dumpsys SurfaceFlinger --latency a(b: unexpected ("));
    }
}
