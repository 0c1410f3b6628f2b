//! What the phone tells a shell of CPU, memory, the battery's current and network
//! (docs/design/phones.md#what-an-app-uses).
//!
//! Each is a function of what happened and of time: CPU time is that of the frames the app drew, memory and network
//! grow as the lab file says.

use super::lab_time::LabTime;
use super::state::Phone;
use crate::chance::{Draw, Stream};
use crate::dumps::line;
use crate::dumps::package::uid;
use crate::spec::Refused;

/// Ticks of CPU time per second.
const HZ: i64 = 100;
/// Share of all cores that everything but the lab's apps takes.
const OTHERS: f64 = 0.08;
/// How far the current strays from its mean, mA.
const STRAY_MA: f64 = 20.0;

/// Whether a file tells of frames up to the instant it is read.
pub(super) fn is_live(path: &str) -> bool {
    path == "/proc/stat" || path.strip_prefix("/proc/").is_some_and(|rest| rest.ends_with("/stat"))
}

/// A file about what is used; none of others, and where this phone keeps it from a shell.
pub(super) fn file(phone: &Phone, now: LabTime, path: &str) -> Option<Vec<u8>> {
    match path {
        "/proc/stat" => (!refuses(phone, Refused::Cpu)).then(|| cores(phone, now)),
        "/sys/class/power_supply/battery/current_now" => {
            (!refuses(phone, Refused::Battery)).then(|| format!("{}\n", current(phone, now)).into())
        }
        "/proc/net/xt_qtaguid/stats" if phone.archetype().sdk <= 28 => {
            (!refuses(phone, Refused::Network)).then(|| qtaguid(phone, now))
        }
        _ => {
            let (pid, file) = path.strip_prefix("/proc/")?.split_once('/')?;
            let pid: u32 = pid.parse().ok()?;
            let app = phone.sim.activities.processes.iter().position(|process| process.pid == Some(pid))?;
            match file {
                "stat" if !refuses(phone, Refused::Cpu) => Some(stat(phone, app, pid)),
                "status" => Some(status(phone, now, app, pid)),
                _ => None,
            }
        }
    }
}

fn refuses(phone: &Phone, what: Refused) -> bool {
    phone.body.refuses.contains(&what)
}

/// `dumpsys netstats`, as far as its tables go.
pub(super) fn netstats(phone: &Phone, now: LabTime, out: &mut Vec<u8>) {
    line!(out, "Configs:");
    line!(out, "  mAppUidStatsMap: OK");
    line!(out, "BPF map content:");
    line!(out, "  mAppUidStatsMap:");
    line!(out, "    uid rxBytes rxPackets txBytes txPackets");
    line!(out, "    1000 5120044 4410 900210 3907");
    if !refuses(phone, Refused::Network) {
        for app in 0..phone.sim.setup.apps.len() {
            let [received, sent] = bytes(phone, now, app);
            if received + sent > 0 {
                line!(out, "    {} {received} {} {sent} {}", uid(app), received / 1_200 + 1, sent / 400 + 1);
            }
        }
    }
    line!(out, "  mStatsMapA:");
    line!(out, "    ifaceIndex ifaceName tag_hex uid_int cnt_set rxBytes rxPackets txBytes txPackets");
}

fn qtaguid(phone: &Phone, now: LabTime) -> Vec<u8> {
    let mut out =
        b"idx iface acct_tag_hex uid_tag_int cnt_set rx_bytes rx_packets tx_bytes tx_packets\n".to_vec();
    let mut index = 2;
    for app in 0..phone.sim.setup.apps.len() {
        let [received, sent] = bytes(phone, now, app);
        // In the foreground and behind it, and a part of it once more under its tag.
        for (tag, set, [received, sent]) in [
            ("0x0", 0, [received / 4, sent / 4]),
            ("0x0", 1, [received - received / 4, sent - sent / 4]),
            ("0x1", 1, [received / 2, 0]),
        ] {
            line!(
                &mut out,
                "{index} wlan0 {tag} {} {set} {received} {} {sent} {} 0 0 0",
                uid(app),
                received / 1_200,
                sent / 400
            );
            index += 1;
        }
    }
    out
}

/// Bytes an app received and sent: at the pace the lab file gives, since it first ran.
fn bytes(phone: &Phone, now: LabTime, app: usize) -> [u64; 2] {
    let app = &phone.sim.setup.apps[app];
    let first = phone.sim.activities.births.iter().find(|(_, _, name)| name == app.id());
    let age = first.map_or(0, |(at, ..)| (phone.monotonic_ns(now) - at).max(0)) as f64 / 1e9;
    [app.spec.rx_kb_per_s, app.spec.tx_kb_per_s].map(|pace| (pace * age * 1_024.0) as u64)
}

fn ticks(ns: i64) -> i64 {
    ns / (1_000_000_000 / HZ)
}

fn cores(phone: &Phone, now: LabTime) -> Vec<u8> {
    let cores = i64::from(phone.archetype().cores);
    let all = ticks(phone.boot_clock_ns(now)) * cores;
    let apps: i64 = phone.sim.activities.processes.iter().map(|process| ticks(process.worked_ever)).sum();
    let others = (all as f64 * (OTHERS * phone.sim.setup.load).min(1.0)) as i64;
    let busy = (apps + others).min(all);
    let (system, user) = (busy / 3, busy - busy / 3);
    let (waits, idle) = ((all - busy) / 50, all - busy - (all - busy) / 50);
    format!(
        "cpu  {user} 0 {system} {idle} {waits} 0 0 0 0 0\ncpu0 {} 0 0 {} 0 0 0 0 0 0\n",
        busy / cores,
        all / cores
    )
    .into()
}

fn stat(phone: &Phone, app: usize, pid: u32) -> Vec<u8> {
    let worked = ticks(phone.sim.activities.processes[app].worked);
    let (system, user) = (worked / 4, worked - worked / 4);
    // The kernel keeps the last 15 characters of a long name.
    let id = phone.sim.setup.apps[app].id();
    let name = &id[id.len().saturating_sub(15)..];
    format!("{pid} ({name}) S 612 612 0 0 -1 1077952832 41210 0 31 0 {user} {system} 0 0 10 -10 42 0 90210 15032385536 45120 18446744073709551615 0 0 0\n")
        .into()
}

fn status(phone: &Phone, now: LabTime, app: usize, pid: u32) -> Vec<u8> {
    let (id, uid) = (phone.sim.setup.apps[app].id(), uid(app));
    let mut out = Vec::new();
    line!(&mut out, "Name:\t{}", &id[id.len().saturating_sub(15)..]);
    line!(&mut out, "State:\tS (sleeping)");
    line!(&mut out, "Tgid:\t{pid}");
    line!(&mut out, "Uid:\t{uid}\t{uid}\t{uid}\t{uid}");
    if !refuses(phone, Refused::Memory) {
        line!(&mut out, "VmHWM:\t  {} kB", memory_kb(phone, now, app));
        line!(&mut out, "VmRSS:\t  {} kB", memory_kb(phone, now, app));
    }
    line!(&mut out, "Threads:\t42");
    out
}

/// Memory of an app, kB: what it starts with and what it has leaked since.
pub(super) fn memory_kb(phone: &Phone, now: LabTime, app: usize) -> i64 {
    let pid = phone.sim.activities.processes[app].pid;
    let born = phone.sim.activities.births.iter().rev().find(|(_, own, _)| Some(*own) == pid);
    let age = born.map_or(0, |(at, ..)| (phone.monotonic_ns(now) - at).max(0)) as f64 / 1e9;
    let spec = &phone.sim.setup.apps[app].spec;
    ((spec.memory_mb + spec.leaks_mb_per_s * age) * 1_024.0) as i64
}

/// The battery's current, µA: negative where it drains.
fn current(phone: &Phone, now: LabTime) -> i64 {
    let second = phone.boot_clock_ns(now) / 1_000_000_000;
    let stray =
        Draw::of(phone.body.seed, Stream::Sensor, 0xc0_0000 ^ second as u64).between(-STRAY_MA, STRAY_MA);
    let mean = if phone.body.plugged { 350.0 } else { -phone.body.drain_ma };
    ((mean + stray) * 1_000.0) as i64
}
