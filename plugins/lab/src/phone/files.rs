//! Files: what the kernel shows of the phone, and what commands left behind.

use super::lab_time::LabTime;
use super::state::Phone;
use super::usage;

/// A file of /proc, /sys, or one that a command made; none when absent (or not readable by the shell).
pub fn file(phone: &Phone, now: LabTime, path: &str) -> Option<Vec<u8>> {
    let archetype = phone.sim.setup.archetype;
    match path {
        "/proc/uptime" => {
            let boot = phone.boot_clock_ns(now) / 10_000_000;
            let idle = boot * i64::from(archetype.cores) * 4 / 5;
            // Read around every dump and gesture: made without formatting.
            let mut text = Vec::with_capacity(32);
            for (centis, end) in [(boot, b' '), (idle, b'\n')] {
                let cents = centis % 100;
                text.extend_from_slice(itoa::Buffer::new().format(centis / 100).as_bytes());
                text.extend_from_slice(&[b'.', b'0' + (cents / 10) as u8, b'0' + (cents % 10) as u8, end]);
            }
            Some(text)
        }
        "/proc/meminfo" => {
            let total = i64::from(archetype.ram_mb) * 1_024;
            Some(
                format!(
                    "MemTotal:       {total:>8} kB\nMemFree:        {:>8} kB\nMemAvailable:   {:>8} kB\n\
                     Buffers:            9120 kB\nCached:         {:>8} kB\nSwapTotal:       2097148 kB\n",
                    total / 22,
                    total * 2 / 5,
                    total / 3
                )
                .into(),
            )
        }
        "/proc/loadavg" => Some(format!("{:.2} 2.31 2.18 2/3410 21874\n", 1.2 + phone.sim.setup.load).into()),
        "/proc/version" => {
            Some(b"Linux version 5.10.177-android13-4 (build-user@build-host) #1 SMP PREEMPT\n".to_vec())
        }
        _ => {
            if let Some(told) = usage::file(phone, now, path) {
                return Some(told);
            }
            let process = path.strip_prefix("/proc/").and_then(|rest| rest.strip_suffix("/cmdline"));
            let pid = process.and_then(|number| number.parse().ok());
            pid.and_then(|pid| phone.tracing.line(pid))
                .or_else(|| phone.storage.read(path).map(<[u8]>::to_vec))
        }
    }
}
