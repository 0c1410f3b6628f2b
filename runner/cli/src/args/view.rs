//! Flags of `farmjank view`, and of the live view of `farmjank run --ui`.

use clap::Args;
use farmjank_reporters::html::Pages;
use std::net::IpAddr;
use std::path::PathBuf;

/// Where Perfetto's page is for everybody; its server is told nothing of a trace.
const PERFETTO: &str = "https://ui.perfetto.dev";
/// The same of the Firefox Profiler.
const FIREFOX: &str = "https://profiler.firefox.com";

/// Where the live view of a run is, and what it hands traces to.
#[derive(Args, Debug, Clone)]
pub struct UiArgs {
    /// Port of the live view; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, requires = "ui")]
    pub ui_port: u16,
    /// Address the live view listens on, instead of this machine alone.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", hide_default_value = true, requires = "ui")]
    pub ui_address: IpAddr,
    /// Where its traces are opened, instead of ui.perfetto.dev: a Perfetto page of your own.
    #[arg(long, value_name = "URL", default_value = PERFETTO, hide_default_value = true, requires = "ui",
        value_parser = page_address)]
    pub perfetto_ui: String,
    /// Where its call stacks are opened, instead of profiler.firefox.com: a Firefox Profiler of your own.
    #[arg(long, value_name = "URL", default_value = FIREFOX, hide_default_value = true, requires = "ui",
        value_parser = page_address)]
    pub firefox_ui: String,
}

impl UiArgs {
    /// Pages of others that what is shown can be handed to.
    pub fn pages(&self) -> Pages {
        Pages { perfetto: self.perfetto_ui.clone(), firefox: self.firefox_ui.clone() }
    }
}

/// `farmjank view`
#[derive(Args, Debug, Clone)]
pub struct ViewArgs {
    /// The run bundle's folder.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Port to listen on; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub ui_port: u16,
    /// Address to listen on, instead of this machine alone.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", hide_default_value = true)]
    pub ui_address: IpAddr,
    /// Where traces are opened, instead of ui.perfetto.dev: a Perfetto page of your own, for computers that do not
    /// reach that one.
    #[arg(long, value_name = "URL", default_value = PERFETTO, hide_default_value = true, value_parser = page_address)]
    pub perfetto_ui: String,
    /// Where call stacks are opened, instead of profiler.firefox.com: a Firefox Profiler of your own.
    #[arg(long, value_name = "URL", default_value = FIREFOX, hide_default_value = true, value_parser = page_address)]
    pub firefox_ui: String,
}

impl ViewArgs {
    /// The same as those of a run.
    pub fn ui(&self) -> UiArgs {
        let ViewArgs { ui_port, ui_address, ref perfetto_ui, ref firefox_ui, .. } = *self;
        UiArgs { ui_port, ui_address, perfetto_ui: perfetto_ui.clone(), firefox_ui: firefox_ui.clone() }
    }
}

/// The address of a page, without a slash at its end.
fn page_address(given: &str) -> Result<String, String> {
    let rest = given.strip_prefix("https://").or_else(|| given.strip_prefix("http://"));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/[]%".contains(&byte);
    match rest.map(|rest| rest.trim_end_matches('/')) {
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') && rest.bytes().all(plain) => {
            Ok(given.trim_end_matches('/').to_owned())
        }
        _ => Err("it has to be an address such as https://perfetto.example.com or http://10.0.0.7:10000"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::page_address;

    #[test]
    fn an_address_of_a_page_is_one_and_ends_without_a_slash() {
        for (given, meant) in [
            ("https://ui.perfetto.dev/", "https://ui.perfetto.dev"),
            ("http://10.0.0.7:10000", "http://10.0.0.7:10000"),
            ("http://[::1]:9/perfetto//", "http://[::1]:9/perfetto"),
        ] {
            assert_eq!(page_address(given), Ok(meant.to_owned()));
        }
        for wrong in [
            "",
            "ui.perfetto.dev",
            "https://",
            "https:///x",
            "javascript:alert(1)",
            "http://a b",
            "http://a\"b",
        ] {
            assert!(page_address(wrong).is_err(), "{wrong}");
        }
    }
}
