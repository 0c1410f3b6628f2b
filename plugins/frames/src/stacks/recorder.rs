//! Recording call stacks beside a trace on phones whose tracer takes none: the shell lines that start and end
//! simpleperf, and what they leave (nothing).
//!
//! It runs in the background of the phone; its name and process are noted there while it does, so that its end finds
//! it, and the next beginning one whose end nobody asked for. It ends by itself after as long as a trace. What it says
//! is kept: it alone knows why it records nothing. Of apps that may not be looked into it is one sentence.

use crate::frametimeline::recorder::LONGEST_MS;
use farmjank_results::device::App;
use farmjank_seams::probe::{Companion, Left};
use farmjank_seams::quote::quote;

/// Name of its file among the evidence.
pub(crate) const FILE: &str = "perf.data";
/// Looks a second at a running thread: simpleperf copies the stack of each, and follows it on the phone.
const HERTZ: u32 = 500;
/// What it records at most: a minute and more of a busy app. It stops there.
const MOST: &str = "64M";
/// Where it may write, and where the one that runs is noted: its name, then its process.
const NOTED: &str = "/data/local/tmp/farmjank-simpleperf";
/// What it says.
const SAID: &str = "/data/local/tmp/farmjank-simpleperf.txt";
/// How much of that is read, bytes.
const WORDS: u32 = 600;
/// How long it may take to follow and name the last stacks once it was told to end, tenths of a second.
const PATIENCE: u32 = 150;

/// Records stacks of this app's threads: while they run in steps of time, and where they leave their CPUs. A kernel
/// that does not tell of leaving has it begun without.
pub(crate) fn companion(app: &App, nonce: u64) -> Companion {
    let name = format!("farmjank-{nonce:016x}");
    let path = format!("/data/local/tmp/{name}.perf");
    let seconds = LONGEST_MS / 1_000;
    // By CLOCK_MONOTONIC it also knows from when on code was there that ART compiled meanwhile.
    let record = format!(
        "simpleperf record --app {} -e cpu-clock -f {HERTZ} -g --clockid monotonic --no-dump-kernel-symbols \
         --duration {seconds} --size-limit {MOST} $o -o {path}",
        quote(&app.0)
    );
    let begin = format!(
        "{}{{ for o in --trace-offcpu \"\"; do {record} & p=$!; {{ echo {name}; echo $p; }} > {NOTED}; sleep 1; \
         grep -qE \"E .*(offcpu|sched_switch)\" {SAID} || break; kill -KILL $p 2>/dev/null; done; }} \
         > {SAID} 2>&1 < /dev/null; true",
        sweep()
    );
    let end = format!(
        "{}if [ -e {SAID} ]; then tail -c {WORDS} {SAID}; fi; rm -f {NOTED} {SAID}",
        end("INT", "true")
    );
    let discard = format!("rm -f {path} {NOTED} {SAID}");
    Companion { file: FILE, begin, end, left: Left { path, discard } }
}

/// Ends one that an earlier run left behind, and takes away what it wrote.
pub(crate) fn sweep() -> String {
    end("KILL", &format!("rm -f /data/local/tmp/$f.perf {NOTED} {SAID}"))
}

/// Ends what is noted, if the process of its number still is that one, and waits for it. The note is text of the
/// phone: only names and numbers of ours are used of it.
fn end(signal: &str, then: &str) -> String {
    format!(
        "if [ -e {NOTED} ]; then {{ read -r f; read -r p; }} < {NOTED}; \
         case \"${{f#farmjank-}}\" in \"\"|*[!0-9a-f]*) f=none;; esac; case \"$p\" in \"\"|*[!0-9]*) p=none;; esac; \
         case \"$(cat /proc/$p/cmdline 2>/dev/null)\" in *\"$f\"*) kill -{signal} $p 2>/dev/null; n=0; \
         while kill -0 $p 2>/dev/null && [ $n -lt {PATIENCE} ]; do sleep 0.1; n=$((n+1)); done; \
         [ $n -lt {PATIENCE} ] || kill -KILL $p 2>/dev/null;; esac; {then}; fi; "
    )
}
