//! The shell lines of the log probe: enabling the platform's watch, undoing it, and asking for the log.
//!
//! What the watch was and whom it can see is kept in a property of its own on the phone ([`KEEP`]), so that a run that
//! was cut off can be cleaned up by the next one. Must not know: what the answers mean.

use crate::text::{lines, whole_integer};
use farmjank_seams::quote::quote;

/// Property that keeps `uid previous pids`: the app's user id, the threshold found (`-` for none), and the processes
/// that were alive when the watch was enabled, which it cannot see. The shell may set `debug.` properties on every
/// build.
pub(super) const KEEP: &str = "debug.farmjank.looper";
/// Begins the lines these scripts print beside the log: lines of the log never begin with it.
pub(super) const MARK: &str = "farmjank-log";
/// Tag of the marks in the log itself.
pub(super) const TAG: &str = "farmjank";
/// Lines taken at most, the newest; some tags are chatty on some phones.
pub(super) const MOST_LINES: usize = 5_000;

/// Everything asked for; what else carries these tags is left out by the reader.
const TAGS: &str = "Looper:W Choreographer:I OpenGLRenderer:I HWUI:I ActivityManager:E AndroidRuntime:E am_anr:I \
                    am_crash:I am_proc_start:I chatty:I farmjank:I '*:S'";

/// Finds the app's user id into `$u`, on any release.
fn find_uid(app: &str) -> String {
    format!(
        "p={}; u=$(cmd package list packages -U \"$p\" 2>/dev/null | grep -F \"package:$p uid:\" | head -n 1 | \
         sed 's/.* uid://' | cut -d , -f 1); \
         if [ -z \"$u\" ]; then u=$(dumpsys package \"$p\" 2>/dev/null | grep -E '^ *(userId|appId)=[0-9]' | head -n 1 | \
         sed 's/^[^=]*=//' | cut -d ' ' -f 1); fi",
        quote(app)
    )
}

/// Enables the watch, and prints what there was and who was alive then.
pub(super) fn enable(app: &str, slow_ms: u32) -> String {
    format!(
        "{}; if [ -z \"$u\" ]; then echo \"{MARK} unknown $p\"; else k=log.looper.$u.main.slow; v=$(getprop $k); \
         m=$(getprop {KEEP}); case \"$m\" in \"$u \"*) v=${{m#* }}; v=${{v%% *}};; esac; v=${{v:--}}; \
         setprop $k {slow_ms}; a=$(pidof \"$p\" | sed 's/ /,/g'); setprop {KEEP} \"$u $v ${{a:--}}\"; \
         echo \"{MARK} armed $u $v $(getprop $k) ${{a:--}}\"; fi",
        find_uid(app)
    )
}

/// Restores what [`enable`] found, by what it printed, else by what it kept on the phone.
pub(super) fn disable(enabled: &[u8]) -> String {
    let restore = |uid: &str, previous: &str| {
        format!("setprop log.looper.{uid}.main.slow {previous}; setprop {KEEP} ''")
    };
    match found(enabled) {
        Some((uid, previous)) => restore(&uid.to_string(), &quote(&previous)),
        None => format!(
            "m=$(getprop {KEEP}); case \"$m\" in *' '*' '*) u=${{m%% *}}; v=${{m#* }}; v=${{v%% *}}; \
             if [ \"$v\" = - ]; then v=''; fi; {};; esac",
            restore("$u", "\"$v\"")
        ),
    }
}

/// User id and previous threshold out of what [`enable`] printed.
fn found(enabled: &[u8]) -> Option<(i64, String)> {
    let prefix = format!("{MARK} armed ").into_bytes();
    let line = lines(enabled).find_map(|line| line.strip_prefix(prefix.as_slice()))?;
    let mut words = line.split(|&byte| byte == b' ');
    let uid = words.next().and_then(whole_integer).filter(|uid| *uid >= 0)?;
    let previous = words.next()?;
    let previous = if previous == b"-" { &b""[..] } else { previous };
    Some((uid, String::from_utf8_lossy(previous).into_owned()))
}

/// Marks the beginning in the log, and prints the state of the watch.
pub(super) fn begin(app: &str, nonce: u64) -> String {
    format!(
        "m=$(getprop {KEEP}); u=${{m%% *}}; echo \"{MARK} kept $m\"; echo \"{MARK} slow $(getprop log.looper.$u.main.slow)\"; \
         echo \"{MARK} pids $(pidof {})\"; echo '{MARK} nonce {nonce}'; log -p i -t {TAG} 'begin {nonce}'; true",
        quote(app)
    )
}

/// Marks the end in the log, and prints its lines, with the oldest line of each ring that may have overflowed.
pub(super) fn end(app: &str, nonce: u64) -> String {
    format!(
        "log -p i -t {TAG} 'end {nonce}'; echo \"{MARK} pids $(pidof {})\"; \
         for b in main system; do echo \"{MARK} oldest $b\"; logcat -b $b -d -v monotonic 2>/dev/null | head -n 3; done; \
         echo '{MARK} lines'; logcat -b main -b system -b crash -b events -d -v monotonic {TAGS} 2>/dev/null | \
         tail -n {MOST_LINES}; echo '{MARK} end'",
        quote(app)
    )
}
