//! What a phone does beside the app and which build of it there is, asked in one call before each trial; what it does
//! beside it and whether the app still lives, asked in one call after each window
//! (docs/compare.md#what-voids-an-iteration, docs/design/phones.md#state).
//!
//! Must not know: windows, verdicts. A phone that does not say leaves it unknown.

use super::foreign::{self, Signature};
use super::settle::{AWAKE, fell_asleep};
use super::together::together;
use super::{app, clip, state};
use crate::patience::Patience;
use farmjank_results::event::Around;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Programs that compile apps: one until Android 11, one per word size since.
const COMPILERS: &str = "pidof dex2oat dex2oat32 dex2oat64";
/// Longest version kept, characters.
const VERSION: usize = 80;
/// Longest place of it that is kept, characters.
const PLACE: usize = 200;
/// Highest thermal status at which numbers still count: `light` (docs/design/verdicts.md#causes-come-before-numbers).
pub const HOTTEST: u8 = 1;
/// From one look to the next while the phone is hot or compiles.
const PAUSE: Duration = Duration::from_secs(5);

/// What was seen at one look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Thermal status; none below Android 10.
    pub thermal: Option<u8>,
    /// Temperature of the battery, °C.
    pub battery: Option<f64>,
    /// Apps are being compiled.
    pub compiling: bool,
    /// Loops of others that read or clear frames, and whose.
    pub foreign: Option<Fault>,
}

impl Conditions {
    /// Why nothing can be measured as long as it is so; none where something can.
    pub(crate) fn unfit(&self) -> Option<Fault> {
        let Some(status) = self.thermal.filter(|status| *status > HOTTEST) else {
            return self.foreign.clone();
        };
        let word = state::thermal_word(status);
        let what = format!("the phone stays too hot to measure (thermal status {status}, {word})");
        let fault = Fault::new(FaultCode::Hot, what);
        Some(fault.advise("let it cool: no charging, no sun, more air between phones"))
    }

    /// Why numbers taken between an earlier look and this one do not count; none when they do.
    pub(crate) fn voids_since(&self, before: &Conditions) -> Option<String> {
        let word = state::thermal_word;
        match (before.thermal, self.thermal) {
            (_, Some(status)) if status > HOTTEST => {
                return Some(format!("the phone got too hot (thermal status {status}, {})", word(status)));
            }
            (Some(before), Some(now)) if before != now => {
                let (was, is) = (word(before), word(now));
                return Some(format!("the phone's thermal status changed from {was} to {is} meanwhile"));
            }
            _ => {}
        }
        if before.compiling || self.compiling {
            return Some("the phone was compiling apps meanwhile (dex2oat)".to_owned());
        }
        let foreign = self.foreign.as_ref().or(before.foreign.as_ref())?;
        Some(format!("{}: what was seen meanwhile may be its doing; {}", foreign.what, foreign.advice))
    }
}

/// The line a look reads the answer of.
fn look_line(sdk: u32) -> String {
    let heat = match sdk {
        ..29 => "dumpsys battery | grep temperature:",
        // Type 2 is the battery.
        _ => "dumpsys thermalservice | grep -E 'Thermal Status:|mType=2,'",
    };
    format!("{heat}; {COMPILERS}")
}

/// Waits within bounds until the phone is cool enough, compiles nothing, and nobody else reads its frames: the last
/// look, and the build of the app. A hot phone is not waited for where somebody else can work meanwhile.
pub async fn settle(
    device: &dyn Device,
    sdk: u32,
    app: &str,
    patience: &Patience,
    own: &Signature,
    give_way: &dyn Fn() -> bool,
) -> Result<(Conditions, Around), Fault> {
    let deadline = Instant::now() + patience.cooling;
    let (look, loops) = (look_line(sdk), foreign::line(sdk));
    let build = format!(
        "dumpsys package {} | grep -E '^ *(codePath|versionCode|versionName|flags|pkgFlags)='",
        quote(app)
    );
    loop {
        let [conditions, build, loops] = together(device, [&look, &build, &loops], patience.dump).await?;
        let foreign = foreign::fault(&foreign::read(&loops.text(), own));
        let conditions = Conditions { foreign, ..read(&conditions.text()) };
        let hot = conditions.thermal.is_some_and(|status| status > HOTTEST);
        let quiet = !hot && !conditions.compiling && conditions.foreign.is_none();
        if quiet || Instant::now() >= deadline || (hot && give_way()) {
            let (thermal_status, battery_celsius) = (conditions.thermal, conditions.battery);
            return Ok((conditions, Around { thermal_status, battery_celsius, ..read_build(&build.text()) }));
        }
        sleep(PAUSE).await;
    }
}

/// Looks after a window. The inner fault: the app crashed, hangs or is gone, or the phone fell asleep.
pub async fn after(
    device: &dyn Device,
    sdk: u32,
    app: &str,
    patience: &Patience,
    own: &Signature,
) -> Result<Result<Conditions, Fault>, Fault> {
    let [focus, alive] = app::trouble_lines(app);
    let lines = [focus.as_str(), &alive, &look_line(sdk), AWAKE[0], AWAKE[1], &foreign::line(sdk)];
    let [focus, alive, conditions, power, policy, loops] = together(device, lines, patience.dump).await?;
    let trouble = app::read_trouble(app, &focus, &alive);
    let trouble = trouble.or_else(|| fell_asleep(&power.text(), &policy.text()));
    let foreign = foreign::fault(&foreign::read(&loops.text(), own));
    let trouble = trouble.map(|fault| foreign::behind(foreign.clone(), fault));
    Ok(trouble.map_or_else(|| Ok(Conditions { foreign, ..read(&conditions.text()) }), Err))
}

fn read(text: &str) -> Conditions {
    let pids = |line: &str| {
        !line.trim().is_empty() && line.split_whitespace().all(|word| word.parse::<u32>().is_ok())
    };
    let (thermal, battery) = (state::thermal_status(text), state::battery_celsius(text));
    Conditions { thermal, battery, compiling: text.lines().any(pids), foreign: None }
}

/// The first package printed is the one installed; one that an update of a system app hides comes after it.
fn read_build(text: &str) -> Around {
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        value.map(str::trim).filter(|value| !value.is_empty())
    };
    let code = field("versionCode").and_then(|rest| rest.split_whitespace().next());
    let version = match (field("versionName"), code) {
        (Some(name), Some(code)) => Some(format!("{} ({})", clip(name, VERSION), clip(code, VERSION))),
        (name, code) => name.or(code).map(|one| clip(one, VERSION)),
    };
    let flags = field("flags").or_else(|| field("pkgFlags")).filter(|flags| flags.starts_with('['));
    let debuggable = flags.map(|flags| flags.split_whitespace().any(|flag| flag == "DEBUGGABLE"));
    let installation = field("codePath").map(|place| clip(place, PLACE));
    Around { app_version: version, installation, debuggable, ..Around::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_and_compilers_are_told_apart() {
        let conditions = |thermal, battery, compiling| Conditions {
            thermal: Some(thermal),
            battery,
            compiling,
            foreign: None,
        };
        assert_eq!(read("Thermal Status: 1\n7421 7422\n"), conditions(1, None, true));
        assert_eq!(read("Thermal Status: 0\n"), conditions(0, None, false));
        let warm = "Thermal Status: 0\n\tTemperature{mValue=31.5, mType=2, mName=battery, mStatus=0}\n";
        assert_eq!(read(warm), conditions(0, Some(31.5), false));
        assert_eq!(
            read("  temperature: 287\n812\n"),
            Conditions { thermal: None, ..conditions(0, Some(28.7), true) }
        );
        assert_eq!(read("/system/bin/sh: pidof: not found\n\n"), Conditions::default());
    }

    #[test]
    fn heat_its_change_and_compilers_void_what_was_measured() {
        let conditions = |thermal, compiling| Conditions { thermal, compiling, ..Conditions::default() };
        let (cool, light, hot) =
            (conditions(Some(0), false), conditions(Some(1), false), conditions(Some(2), false));
        assert_eq!(cool.voids_since(&cool), None);
        assert_eq!(conditions(None, false).voids_since(&cool), None);
        assert!(hot.voids_since(&hot).unwrap().contains("too hot (thermal status 2"));
        assert!(light.voids_since(&cool).unwrap().contains("from none to light"));
        assert!(cool.voids_since(&conditions(Some(0), true)).unwrap().contains("dex2oat"));
        assert!(conditions(None, true).voids_since(&cool).unwrap().contains("dex2oat"));
        let other = Fault::new(FaultCode::ForeignLoop, "another program").advise("let one of them wait");
        let read_by_others = Conditions { foreign: Some(other), ..cool.clone() };
        for void in [read_by_others.voids_since(&cool), cool.voids_since(&read_by_others)] {
            let void = void.expect("until when it did, nobody knows");
            assert!(
                void.contains("another program: what was seen") && void.contains("let one of them"),
                "{void}"
            );
        }
    }

    #[test]
    fn the_build_that_is_installed_comes_first() {
        let text = "    versionCode=7410 minSdk=24 targetSdk=34\n    versionName=7.4.1\n    \
                    flags=[ DEBUGGABLE HAS_CODE ALLOW_CLEAR_USER_DATA ]\n    \
                    pkgFlags=[ DEBUGGABLE HAS_CODE ]\n    versionCode=1 minSdk=21\n    versionName=1.0\n";
        let build = read_build(text);
        assert_eq!((build.app_version.as_deref(), build.debuggable), (Some("7.4.1 (7410)"), Some(true)));
        let release = read_build("    versionName=\n    versionCode=9 minSdk=1\n    flags=[ HAS_CODE ]\n");
        assert_eq!((release.app_version.as_deref(), release.debuggable), (Some("9"), Some(false)));
        assert_eq!(read_build("Unable to find package: com.a"), Around::default());
    }
}
