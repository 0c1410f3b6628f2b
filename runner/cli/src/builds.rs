//! Builds of apps that flags name: read, and how they are installed.

use crate::args::InstallArgs;
use crate::command_error::{CommandError, usage};
use crate::host;
use farmjank_engine::builds::{BuildFile, Install};
use farmjank_farm::digest;
use farmjank_lab::apk::{Apk, MAGIC};
use farmjank_leaf::text::{line, name as shown};
use farmjank_scenarios::scenario::Scenario;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Largest build read.
const MOST: u64 = 2 << 30;
/// What an Android package begins with: that of a ZIP file.
const ZIP: &[u8] = b"PK\x03\x04";
/// How builds are compiled unless it is said.
const MODE: &str = "speed";

/// What is put on phones before they are measured.
///
/// # Errors
/// A build cannot be read or is of no scenario, or it is not said of which.
pub fn installs(
    args: &InstallArgs,
    scenarios: &[Scenario],
    lab: bool,
) -> Result<Arc<[Install]>, CommandError> {
    let compile = mode(args)?;
    if args.install.is_empty() && (args.compile.is_some() || args.reinstall) {
        return Err("--compile, --reinstall: say what is installed with --install".into());
    }
    let apps: BTreeSet<&str> = scenarios.iter().map(|scenario| scenario.app.as_str()).collect();
    let mut all: Vec<Install> = Vec::new();
    for flag in &args.install {
        let (app, file) = named(flag);
        match app {
            Some(app) if !apps.contains(app) => {
                let there = line(&Vec::from_iter(apps).join(", "), 300);
                return Err(usage!("--install: no scenario is of {}; there is {there}", line(app, 80)));
            }
            None if apps.len() > 1 => {
                let there = line(&Vec::from_iter(apps).join(", "), 300);
                return Err(usage!(
                    "--install: scenarios are of several apps ({there}): write `APP={}`",
                    shown(Path::new(file))
                ));
            }
            _ => {}
        }
        let again = |one: &Install| one.app.as_deref() == app || one.app.is_none() || app.is_none();
        if all.iter().any(again) {
            return Err("--install: of one app one build is measured; `farmjank ab` compares two".into());
        }
        let build = build(Path::new(file), lab)?;
        let app = app.map(str::to_owned);
        all.push(Install { app, build, compile: compile.clone(), reinstall: args.reinstall });
    }
    Ok(all.into())
}

/// The app a flag names, and the file.
fn named(flag: &str) -> (Option<&str>, &str) {
    let is_app = |app: &str| {
        let plain = app.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'));
        plain && app.contains('.') && !app.starts_with('.')
    };
    match flag.split_once('=') {
        Some((app, file)) if is_app(app) => (Some(app), file),
        _ => (None, flag),
    }
}

/// How a build is compiled; none leaves it to the phone.
///
/// # Errors
/// `--compile` is no mode.
pub fn mode(args: &InstallArgs) -> Result<Option<String>, CommandError> {
    match args.compile.as_deref().unwrap_or(MODE) {
        "none" => Ok(None),
        mode if !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') => {
            Ok(Some(mode.to_owned()))
        }
        other => Err(usage!("--compile: `{other}` is no mode; write speed, speed-profile, verify or none")),
    }
}

/// Reads a build; what cannot be one is refused before a phone is touched.
///
/// # Errors
/// It cannot be read, or is no build for these phones.
pub fn build(path: &Path, lab: bool) -> Result<BuildFile, CommandError> {
    let named = shown(path);
    let bytes = host::read_file(path, MOST)?;
    let virtual_one = bytes.starts_with(MAGIC.as_bytes());
    if !virtual_one && !bytes.starts_with(ZIP) {
        return Err(usage!("{named}: this is no Android package; give the .apk as it was built"));
    }
    if virtual_one && !lab {
        return Err(usage!("{named}: this is a build for the virtual lab; add --lab, or give an .apk"));
    }
    if virtual_one {
        Apk::read(&bytes).map_err(|why| format!("{named}: {why}"))?;
    }
    let file = path.file_name().map_or_else(|| named.to_string(), |name| name.to_string_lossy().into_owned());
    Ok(BuildFile { file, sha256: digest::of(&bytes), bytes: bytes.into() })
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_flag_names_an_app_only_where_that_can_be_one() {
        assert_eq!(named("com.example.shop=out/shop.apk"), (Some("com.example.shop"), "out/shop.apk"));
        for file in ["shop.apk", "out/a=b.apk", "./com.example=b.apk", "a=b.apk", "=x", ".a=b"] {
            assert_eq!(named(file), (None, file));
        }
    }
}
