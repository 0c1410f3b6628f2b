//! What Android's commands are and what their answers mean. Pure text in and out, plus thin calls on a [`Device`];
//! knows nothing of adb.
//!
//! [`Device`]: farmjank_seams::device::Device

pub mod app;
pub mod display;
pub mod facts;
pub mod find;
pub(crate) mod foreign;
pub mod gesture;
pub mod install;
pub(crate) mod keyboard;
pub(crate) mod permissions;
pub(crate) mod pieces;
pub mod preflight;
pub mod quiet;
pub mod recent;
pub(crate) mod room;
pub mod screen;
pub mod settings;
pub mod settle;
pub mod state;
pub mod together;

pub use farmjank_leaf::text::first_line as clip;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::BootTime;
use farmjank_seams::device::{Device, Output};
use std::time::Duration;

/// Runs a line and gives its standard output as text; a status other than 0 is a fault that quotes the phone.
pub async fn say(device: &dyn Device, line: &str, patience: Duration) -> Result<String, Fault> {
    let output = device.shell(line, patience).await?;
    if output.status == 0 {
        return Ok(output.text());
    }
    Err(refused(line, &output))
}

/// A command the phone refused: what was asked, the status, and the phone's own first words.
pub fn refused(line: &str, output: &Output) -> Fault {
    let said = if output.err.is_empty() { output.text() } else { output.err_text() };
    let asked = clip(line, 80);
    let what = format!("`{asked}` ended with status {}: {}", output.status, clip(&said, 200));
    Fault::new(FaultCode::CommandFailed, what)
}

/// The same of bytes.
pub(crate) fn clip_bytes(bytes: &[u8], most: usize) -> String {
    clip(&String::from_utf8_lossy(&bytes[..bytes.len().min(8 * most)]), most)
}

/// Reads the first number of `/proc/uptime`: seconds with two decimals, CLOCK_BOOTTIME.
pub fn uptime(text: &str) -> Option<BootTime> {
    farmjank_seams::sampling_loop::uptime(text.split_whitespace().next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uptime_is_read_to_the_nanosecond_it_prints() {
        assert_eq!(uptime("12345.67 999.00\n"), Some(BootTime::from_ns(12_345_670_000_000)));
        assert_eq!(uptime("7"), Some(BootTime::from_ns(7_000_000_000)));
        assert_eq!(uptime(""), None);
        assert_eq!(uptime("12.x"), None);
    }

    #[test]
    fn a_refusal_quotes_the_phone_and_is_bounded() {
        let output = Output { status: 1, out: vec![], err: "x".repeat(5000).into_bytes() };
        let fault = refused("pm clear a", &output);
        assert!(fault.what.starts_with("`pm clear a` ended with status 1: xxx"));
        assert!(fault.what.chars().count() < 300);
    }
}
