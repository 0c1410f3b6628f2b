//! Installing a build of the app, and what the phone says about it (`pm`, `cmd package`, `dumpsys package`).
//!
//! `pm install` answers `Success`, or `Failure [CODE: why]` with a status of 1 (of 0 below Android 8). Must not know
//! which build is which.

use super::{clip, refused};
use crate::patience::Patience;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_seams::device::{Device, Output};
use farmjank_seams::quote::quote;

/// What is installed of an app, as the phone says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// `versionName`.
    pub version: Option<String>,
    /// `versionCode`.
    pub version_code: Option<u64>,
    /// Where it lies and when it was put there: both change with every installation.
    mark: (Option<String>, Option<String>),
}

impl Installed {
    /// Where it lies on the phone.
    pub(crate) fn lies(&self) -> Option<&str> {
        self.mark.0.as_deref()
    }
}

/// A file to install.
#[derive(Clone, Copy, Debug)]
pub struct Package<'a> {
    /// The app it must be.
    pub app: &'a str,
    /// Name of the file, for people.
    pub file: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// How its code is compiled; none leaves it to the phone.
    pub compile: Option<&'a str>,
    /// Uninstall first where the phone refuses to replace what is there; the app's data are lost.
    pub reinstall: bool,
    /// Name on the phone while it is installed.
    pub place: &'a str,
}

/// Installs a build over what is there, stops the app and compiles it.
///
/// # Errors
/// `apk_refused` with what to do, `apk_other` when the file is another app, `compile_failed`, or what the phone's
/// connection says.
pub async fn install(
    device: &dyn Device,
    package: Package<'_>,
    patience: &Patience,
) -> Result<Installed, Fault> {
    let before = look(device, package.app, patience).await?;
    device.push(package.bytes, package.place, patience.install).await?;
    let put = put(device, package, patience).await;
    // The copy goes whatever became of it; a phone that is gone keeps it until its next boot.
    let removed = device.shell(&format!("rm -f {}", quote(package.place)), patience.call).await;
    put?;
    removed?;
    super::app::stop(device, package.app, patience).await?;
    let after = look(device, package.app, patience).await?;
    if after.mark == (None, None) || after.mark == before.mark {
        let what = format!("`{}` is another app than the scenario's `{}`", package.file, package.app);
        return Err(Fault::new(FaultCode::ApkOther, what)
            .advise("give the builds of that app, or correct appId; what was installed stays installed"));
    }
    if let Some(mode) = package.compile {
        compile(device, package.app, mode, patience).await?;
    }
    Ok(after)
}

async fn put(device: &dyn Device, package: Package<'_>, patience: &Patience) -> Result<(), Fault> {
    // -r replace, -d also an older one, -g grant its permissions, -t also a test build
    let line = format!("pm install -r -d -g -t {}", quote(package.place));
    let first = answer(&device.shell(&line, patience.install).await?);
    let Err(why) = first else { return Ok(()) };
    let replaceable = ["UPDATE_INCOMPATIBLE", "VERSION_DOWNGRADE"].iter().any(|code| why.contains(code));
    if !(package.reinstall && replaceable) {
        return Err(explain(package.file, &why, package.app));
    }
    super::say(device, &format!("pm uninstall {}", quote(package.app)), patience.install).await?;
    let again = answer(&device.shell(&line, patience.install).await?);
    again.map_err(|why| explain(package.file, &why, package.app))
}

/// What `pm install` answered; the error is the phone's reason.
fn answer(output: &Output) -> Result<(), String> {
    let said = format!("{}\n{}", output.text(), output.err_text());
    if output.status == 0 && said.lines().any(|line| line.trim() == "Success") {
        return Ok(());
    }
    let reason = said.lines().find_map(|line| {
        let inside = line.trim().strip_prefix("Failure [")?;
        Some(inside.strip_suffix(']').unwrap_or(inside).to_owned())
    });
    Err(reason.unwrap_or_else(|| format!("status {}: {}", output.status, clip(&said, 200))))
}

/// A refusal in words: what happened, whose it is, what to do.
fn explain(file: &str, why: &str, app: &str) -> Fault {
    let has = |code: &str| why.contains(code);
    let (blame, advice) = match () {
        () if has("VERSION_DOWNGRADE") => (
            Blame::Scenario,
            format!(
                "phones put an older version of a release build over a newer one only after uninstalling: build both with one \
                 versionCode, or give --reinstall, which loses the data of {app}"
            ),
        ),
        () if has("UPDATE_INCOMPATIBLE") || has("SHARED_USER_INCOMPATIBLE") => (
            Blame::Scenario,
            format!(
                "what is there was signed with another key: sign both alike, or give --reinstall, which loses the data of {app}"
            ),
        ),
        () if has("INSTALL_PARSE_FAILED") || has("INVALID_APK") => {
            (Blame::Scenario, "give an .apk as built; a bundle (.aab) must be made into one".to_owned())
        }
        () if has("NO_MATCHING_ABIS") => {
            (Blame::Scenario, "build it for the phone's processor, or leave the phone out".to_owned())
        }
        () if has("OLDER_SDK") => {
            (Blame::Scenario, "say which phones can run it: `devices: sdk >= …`".to_owned())
        }
        () if has("MISSING_SPLIT") => {
            (Blame::Scenario, "it is one of several splits; build a universal .apk".to_owned())
        }
        () if has("INSUFFICIENT_STORAGE") => (Blame::Lab, "make room on the phone".to_owned()),
        () if has("USER_RESTRICTED") || has("VERIFICATION_FAILURE") || has("ABORTED") => {
            (Blame::Lab, "allow installing over USB in the phone's developer options".to_owned())
        }
        () => (Blame::Lab, "try `adb install -r` by hand and read what the phone says".to_owned()),
    };
    Fault::new(FaultCode::ApkRefused, format!("the phone refuses `{file}`: {}", clip(why, 300)))
        .blamed_on(blame)
        .advise(advice)
}

/// The same state of code for every build that is compared.
async fn compile(device: &dyn Device, app: &str, mode: &str, patience: &Patience) -> Result<(), Fault> {
    let line = format!("cmd package compile -m {} -f {}", quote(mode), quote(app));
    let output = device.shell(&line, patience.install).await?;
    let done = output.status == 0 && !output.text().contains("Failure");
    let fault = || Fault { code: FaultCode::CompileFailed, ..refused(&line, &output) };
    if done {
        return Ok(());
    }
    Err(fault().advise("give another --compile mode, or `none` to leave it to the phone"))
}

/// What is installed of an app; empty where nothing is.
///
/// # Errors
/// The phone does not answer.
pub(crate) async fn look(device: &dyn Device, app: &str, patience: &Patience) -> Result<Installed, Fault> {
    Ok(read(&device.shell(&format!("dumpsys package {}", quote(app)), patience.dump).await?.text(), app))
}

/// Reads the part of `dumpsys package` that is about the package itself.
fn read(text: &str, app: &str) -> Installed {
    let head = format!("Package [{app}]");
    let own = || text.lines().map(str::trim).skip_while(|line| !line.starts_with(&head)).skip(1);
    let field = |name: &str| {
        let lines = own().take_while(|line| !line.starts_with("Package ["));
        let word = |line: &str| {
            line.split_whitespace()
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
        };
        lines.filter(|line| line.starts_with(name)).find_map(word)
    };
    let updated = own().find_map(|line| line.strip_prefix("lastUpdateTime=")).map(str::to_owned);
    Installed {
        version: field("versionName").map(|text| clip(&text, 80)),
        version_code: field("versionCode").and_then(|digits| digits.parse().ok()),
        mark: (field("codePath").map(|text| clip(&text, 200)), updated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: i32, text: &str) -> Output {
        Output { status, out: text.as_bytes().to_vec(), err: Vec::new() }
    }

    #[test]
    fn success_is_a_word_and_a_status() {
        assert_eq!(answer(&said(0, "Success\n")), Ok(()));
        assert_eq!(answer(&said(0, "\tpkg: /data/local/tmp/a.apk\nSuccess\n")), Ok(()));
        let refusal = "Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than current 2]\n";
        // Android 7 ends with 0 whatever happened.
        for status in [0, 1] {
            let why = answer(&said(status, refusal)).unwrap_err();
            assert!(why.starts_with("INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade"), "{why}");
        }
        assert_eq!(answer(&said(1, "Success\n")).unwrap_err(), "status 1: Success");
        assert!(answer(&said(255, "")).unwrap_err().starts_with("status 255"));
    }

    #[test]
    fn a_refusal_says_whose_it_is_and_what_to_do() {
        let words = |why: &str| explain("old.apk", why, "com.a");
        let older = words("INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected");
        assert_eq!((older.blame, older.code.word()), (Blame::Scenario, "apk_refused"));
        assert!(
            older.to_string().contains("--reinstall") && older.to_string().contains("versionCode"),
            "{older}"
        );
        let key = words(
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package com.a signatures do not match newer version; ignoring!",
        );
        assert!(key.to_string().contains("another key"), "{key}");
        assert_eq!(words("INSTALL_FAILED_INSUFFICIENT_STORAGE").blame, Blame::Lab);
        assert!(words("INSTALL_PARSE_FAILED_NOT_APK: Failed to parse").to_string().contains(".apk as built"));
    }

    #[test]
    fn what_is_installed_is_read_from_its_own_part() {
        let text = "Activity Resolver Table:\n  versionName=9\nPackages:\n  Package [com.a] (5e1c0d0):\n    codePath=/data/app/x\n\
                    \x20   versionCode=751 minSdk=24 targetSdk=34\n    versionName=7.5.1 (beta)\n    lastUpdateTime=2026-01-01 00:00:09\n\
                    \x20 Package [com.b] (1):\n    versionName=1\n";
        let found = read(text, "com.a");
        assert_eq!((found.version.as_deref(), found.version_code), (Some("7.5.1"), Some(751)));
        assert_eq!(found.mark, (Some("/data/app/x".into()), Some("2026-01-01 00:00:09".into())));
        assert_eq!(read("Unable to find package: com.a\n", "com.a"), Installed::default());
    }
}
