//! Files: what the kernel shows of the phone, and what commands left behind.

use super::{LabTime, Phone};

impl Phone {
    /// A file of /proc, /sys, or one that a command made; none when absent (or not readable by the shell).
    pub fn file(&self, now: LabTime, path: &str) -> Option<Vec<u8>> {
        let archetype = self.setup.archetype;
        match path {
            "/proc/uptime" => {
                let boot = self.boot_clock_ns(now) / 10_000_000;
                let idle = boot * i64::from(archetype.cores) * 4 / 5;
                // Read around every dump and gesture: made without formatting.
                let mut text = Vec::with_capacity(32);
                for (centis, end) in [(boot, b' '), (idle, b'\n')] {
                    let cents = centis % 100;
                    text.extend_from_slice(itoa::Buffer::new().format(centis / 100).as_bytes());
                    text.extend_from_slice(&[
                        b'.',
                        b'0' + (cents / 10) as u8,
                        b'0' + (cents % 10) as u8,
                        end,
                    ]);
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
            "/proc/loadavg" => Some(format!("{:.2} 2.31 2.18 2/3410 21874\n", 1.2 + self.setup.load).into()),
            "/proc/version" => {
                Some(b"Linux version 5.10.177-android13-4 (build-user@build-host) #1 SMP PREEMPT\n".to_vec())
            }
            _ => {
                let process = path.strip_prefix("/proc/").and_then(|rest| rest.strip_suffix("/cmdline"));
                let pid = process.and_then(|number| number.parse().ok());
                pid.and_then(|pid| self.tracing_line(pid)).or_else(|| self.files.get(&place(path)).cloned())
            }
        }
    }

    /// Puts a file on the phone.
    pub fn write_file(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(place(path), bytes);
    }

    /// Paths of the files that commands made, sorted.
    pub fn made_files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Takes over what was on the storage of the same phone before it booted again: files, and what was installed.
    pub fn keep_files(&mut self, before: &mut Phone) {
        self.files.append(&mut before.files);
        crate::phone_sim::install::keep_apps(&mut self.sim, &before.sim);
    }

    /// Takes a file away; says whether there was one.
    pub fn remove_file(&mut self, path: &str) -> bool {
        self.files.remove(&place(path)).is_some()
    }
}

/// The shared storage goes by several names.
fn place(path: &str) -> String {
    for alias in ["/storage/emulated/0/", "/mnt/sdcard/", "/storage/self/primary/"] {
        if let Some(rest) = path.strip_prefix(alias) {
            return format!("/sdcard/{rest}");
        }
    }
    path.to_owned()
}
