//! `pm install`, `pm uninstall` and `cmd package compile`: what becomes of a build that was pushed
//! (PackageManagerService's own words; a refusal is `Failure [CODE: why]` with a status of 1, of 0 on Android 7).

use super::command::{Answer, Running};
use super::lab_time::LabTime;
use super::state::{MS, Phone};
use super::{activity, files};
use crate::apk::Apk;
use crate::app::App;
use crate::chance::{Draw, Stream};
use crate::phone_sim::acts::Act;
use farmjank_results::time::Span;

/// `pm install [-r] [-d] [-g] [-t] PATH`
pub(super) fn install(phone: &mut Phone, now: LabTime, arguments: &[String]) -> Running {
    let has = |flag: &str| arguments.iter().any(|word| word == flag);
    let path = arguments.iter().rfind(|word| !word.starts_with('-')).cloned().unwrap_or_default();
    let Some(bytes) = files::file(phone, now, &path) else {
        let said = format!(
            "Error: Unable to open file: {path}\nConsider using a file under /data/local/tmp/\nError: Can't open file: {path}\n"
        );
        return phone.native(Answer::failed(said, 255));
    };
    phone.commands.dumps += 1;
    // Copying, verifying, scanning: seconds on a slow phone.
    let draw = Draw::of(phone.body.seed, Stream::Start, 0x7_0000 + phone.commands.dumps);
    let takes =
        (draw.between(1_800.0, 2_600.0) * phone.sim.setup.archetype.slowness.clamp(0.5, 4.0) * 1e6) as i64;
    let answer = match accepted(phone, &bytes, &path, has("-r"), has("-d")) {
        Ok(app) => {
            phone.act(now, takes - 20 * MS, Act::Install(Box::new(app)));
            Answer::said("Success\n")
        }
        Err(why) => {
            let status = i32::from(phone.sim.setup.archetype.sdk >= 26);
            Answer { out: format!("Failure [{why}]\n").into(), status, ..Answer::default() }
        }
    };
    Running { takes: Span::from_ns(takes), work: super::command::Work::Say(answer) }
}

/// Somebody else installs the app in front again, or the first where none is.
pub(super) fn again(phone: &mut Phone, now: i64) {
    let place = phone.sim.activities.front_app().unwrap_or(0);
    let Some(mut app) = phone.sim.setup.apps.get(place).cloned() else { return };
    app.put = Some((app.put.map_or(0, |(times, _)| times) + 1, now));
    phone.sim.act(now, Act::Install(Box::new(app)));
}

/// The app a build becomes, or the code and words of the refusal.
fn accepted(phone: &Phone, bytes: &[u8], path: &str, replace: bool, downgrade: bool) -> Result<App, String> {
    let sdk = phone.sim.setup.archetype.sdk;
    let unreadable =
        || format!("INSTALL_PARSE_FAILED_NOT_APK: Failed to parse {path}: Failed to load asset path {path}");
    let apk = Apk::read(bytes).map_err(|_| unreadable())?;
    let mut app = apk.app(crate::phone_sim::install::factory(&phone.sim, &apk.id)).map_err(|why| {
        format!(
            "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: Failed parse during installPackageLI: {path}: {why}"
        )
    })?;
    app.put = Some((1, phone.sim.clock()));
    let Some(place) = activity::app(phone, &apk.id) else { return Ok(app) };
    let there = &phone.sim.setup.apps[place];
    let id = &apk.id;
    if !replace {
        return Err(format!(
            "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {id} without first uninstalling."
        ));
    }
    if there.spec.signer != app.spec.signer {
        let words = match sdk >= 33 {
            true => format!("Existing package {id} signatures do not match newer version; ignoring!"),
            false => {
                format!("Package {id} signatures do not match previously installed version; ignoring!")
            }
        };
        return Err(format!("INSTALL_FAILED_UPDATE_INCOMPATIBLE: {words}"));
    }
    let (new, current) = (app.spec.version_code(), there.spec.version_code());
    // Asked for, an older build may take the place of a debuggable one only.
    if new < current && !(downgrade && there.spec.debuggable) {
        let words =
            format!(": Downgrade detected: Update version code {new} is older than current {current}");
        return Err(format!("INSTALL_FAILED_VERSION_DOWNGRADE{}", if sdk >= 28 { &words } else { "" }));
    }
    app.put = Some((there.put.map_or(0, |(times, _)| times) + 1, phone.sim.clock()));
    Ok(app)
}

/// `pm uninstall PKG`
pub(super) fn uninstall(phone: &mut Phone, now: LabTime, name: &str) -> Running {
    match activity::app(phone, name) {
        Some(app) => {
            let mut running = phone.served(27, Answer::said("Success\n"));
            running.takes = Span::from_ns(running.takes.ns() + 400 * MS);
            phone.act(now, running.takes.ns() - 3 * MS, Act::Uninstall(app));
            running
        }
        None => {
            let status = i32::from(phone.sim.setup.archetype.sdk >= 26);
            let out = b"Failure [DELETE_FAILED_INTERNAL_ERROR]\n".to_vec();
            phone.served(27, Answer { out, status, ..Answer::default() })
        }
    }
}

/// `cmd package compile -m MODE -f PKG`
pub(super) fn compile(phone: &mut Phone, arguments: &[String]) -> Running {
    let name = arguments.last().cloned().unwrap_or_default();
    let answer = match activity::app(phone, &name) {
        Some(_) => Answer::said("Success\n"),
        None => {
            let out = format!("Failure: package {name} could not be compiled\n").into();
            Answer { out, status: 1, ..Answer::default() }
        }
    };
    let mut running = phone.native(answer);
    running.takes = Span::from_ms(900);
    running
}
