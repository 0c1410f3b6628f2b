//! The shell lines that look: what is read between the ends of a window starts no program but `pidof` and `sleep`.
//!
//! Every look begins with [`LOOK`], the phone's clock and the app's process, ends with [`OVER`], and has a word before
//! each thing it found: half a look tells nothing.

use farmjank_results::device::App;
use farmjank_results::resources::Resource;
use farmjank_seams::quote::quote;
use std::collections::BTreeSet;

/// Begins a look.
pub(super) const LOOK: &str = "farmjank-look";
/// Ends it.
pub(super) const OVER: &str = "farmjank-over";
/// Before what is asked for, and the API level, at the beginning of a window.
pub(super) const ASKED: &str = "farmjank-asked";
/// Before the texts of services.
pub(super) const SERVICES: [&str; 2] = ["farmjank-thermal", "farmjank-battery"];

/// Where the kernel tells the battery's current.
const CURRENT: &str = "/sys/class/power_supply/battery/current_now";

/// First release whose thermal service can be asked (Android 10).
const THERMAL_SDK: u32 = 29;
/// First release that prints the counters of every app (Android 13).
const COUNTERS_SDK: u32 = 33;
/// Last release whose kernel shows them as a file (Android 9).
const FILE_SDK: u32 = 28;

/// Whether nobody tells a shell what apps send and receive: neither a file nor a service.
pub(super) fn hides_network(sdk: u32) -> bool {
    (FILE_SDK + 1..COUNTERS_SDK).contains(&sdk)
}

/// What the app's process is.
fn process(app: &App) -> String {
    // The oldest of that name, where there are several.
    format!("P=$(pidof {}); P=${{P%% *}}", quote(&app.0))
}

/// What a shell reads by itself; standard error says in which words a file is refused, and nobody needs them.
fn cheap(asked: &BTreeSet<Resource>) -> String {
    let mut line = format!("read u x </proc/uptime; echo \"{LOOK} $u $P\"");
    if asked.contains(&Resource::Cpu) {
        line += "; { read -r s </proc/stat && echo \"cores $s\"; [ -n \"$P\" ] && read -r s </proc/$P/stat && echo \"stat $s\"; } 2>/dev/null";
    }
    if asked.contains(&Resource::Memory) || asked.contains(&Resource::Network) {
        line += "; U=; [ -n \"$P\" ] && { while read -r k s x; do case $k in Uid:|VmRSS:) echo \"$k $s\";; esac; \
                 [ \"$k\" = Uid: ] && U=$s; done </proc/$P/status; } 2>/dev/null";
    }
    if asked.contains(&Resource::Battery) {
        line += &format!("; {{ read -r s <{CURRENT} && echo \"current $s\"; }} 2>/dev/null");
    }
    line
}

/// What services are asked, at the ends of a window.
fn dear(asked: &BTreeSet<Resource>, sdk: u32) -> String {
    let mut line = String::new();
    let [thermal, battery] = SERVICES;
    if asked.contains(&Resource::Temperature) && (sdk == 0 || sdk >= THERMAL_SDK) {
        line += &format!("; echo {thermal}; dumpsys thermalservice");
    }
    if asked.contains(&Resource::Temperature) || asked.contains(&Resource::Battery) {
        line += &format!("; echo {battery}; dumpsys battery");
    }
    if asked.contains(&Resource::Network) && !hides_network(sdk) {
        let ask = match sdk {
            1..=FILE_SDK => "grep \" $U \" /proc/net/xt_qtaguid/stats 2>/dev/null | sed 's/^/qtaguid /'",
            // Of all its tables only `mAppUidStatsMap` has five numbers in a row, the user id first.
            _ => "dumpsys netstats | grep \"^ *$U [0-9]* [0-9]* [0-9]* [0-9]*\\$\" | sed 's/^/netstats /'",
        };
        line += &format!("; [ -n \"$U\" ] && {ask}");
    }
    line
}

fn look(asked: &BTreeSet<Resource>, sdk: u32, app: &App) -> String {
    format!("{}; {}{}; echo {OVER}", process(app), cheap(asked), dear(asked, sdk))
}

/// The look at the beginning.
pub(super) fn begin(asked: &BTreeSet<Resource>, sdk: u32, app: &App) -> String {
    let names: Vec<&str> = asked.iter().map(|one| one.name()).collect();
    format!("echo '{ASKED} {sdk} {}'; {}", names.join(" "), look(asked, sdk, app))
}

/// The look at the end.
pub(super) fn end(asked: &BTreeSet<Resource>, sdk: u32, app: &App) -> String {
    look(asked, sdk, app)
}

/// Looks for ever, a second apart; none where all that is asked for takes a service.
pub(super) fn during(asked: &BTreeSet<Resource>, app: &App) -> Option<String> {
    let of_process = [Resource::Cpu, Resource::Memory].into_iter().filter(|one| asked.contains(one));
    let own: BTreeSet<Resource> = of_process.chain(asked.get(&Resource::Battery).copied()).collect();
    (!own.is_empty())
        .then(|| format!("while :; do {}; {}; echo {OVER}; sleep 1; done", process(app), cheap(&own)))
}
