//! Puts builds on a phone and says so: the one a run brought, where it is not there any more, and those that take
//! turns.

use crate::android::install::{Package, install, look};
use crate::builds::BuildFile;
use crate::device_session::DeviceSession;
use crate::installing::replaced;
use farmjank_results::event::Fact;
use farmjank_results::fault::{Blame, Fault};
use farmjank_results::turn::Build;

/// What is behind a fault of the app, whose process ends when somebody installs it; `before` is which installation it
/// was.
pub(crate) async fn behind(session: &DeviceSession<'_>, fault: Fault, before: Option<String>) -> Fault {
    let (app, phone) = (&session.app.0, &session.facts.id);
    let Some(before) = before.filter(|_| fault.blame == Blame::App) else { return fault };
    let Ok(now) = look(&*session.device, app, session.patience()).await else { return fault };
    let is = session.env.installing.told(phone, app, now.lies().map(str::to_owned));
    if is.is_none() || is.as_ref() == Some(&before) {
        return fault;
    }
    replaced(format!("somebody installed {app} in the middle of an iteration (seen as: {})", fault.what))
}

/// Sees to it that the build the run brought is on the phone; whether it had to be put there.
///
/// # Errors
/// As [`install`].
pub(crate) async fn ensure(session: &DeviceSession<'_>) -> Result<bool, Fault> {
    let (installing, app) = (&session.env.installing, &session.app.0);
    let Some(wanted) = installing.wanted(app) else { return Ok(false) };
    let now = look(&*session.device, app, session.patience()).await?;
    if installing.is_there(&session.facts.id, app, &wanted.build.sha256, &now) {
        return Ok(false);
    }
    put(session, &wanted.build, (wanted.compile.as_deref(), wanted.reinstall), None).await?;
    Ok(true)
}

/// Puts a build on the phone, and says so: whose turn it is, where two take turns.
///
/// # Errors
/// As [`install`].
pub(crate) async fn put(
    session: &DeviceSession<'_>,
    file: &BuildFile,
    (compile, reinstall): (Option<&str>, bool),
    build: Option<Build>,
) -> Result<(), Fault> {
    let app = &session.app.0;
    let place = format!("/data/local/tmp/farmjank-{:016x}.apk", session.nonce);
    let BuildFile { file, bytes, sha256 } = file;
    let package = Package { app, file, bytes, compile, reinstall, place: &place };
    let is = install(&*session.device, package, session.patience()).await?;
    session.env.announcer.announce(Fact::AppInstalled {
        job: session.job,
        build,
        file: file.clone(),
        app: app.clone(),
        version: is.version.clone(),
        version_code: is.version_code,
        compiled: compile.map(str::to_owned),
        sha256: Some(sha256.clone()),
    });
    session.env.installing.note(&session.facts.id, app, sha256, is);
    Ok(())
}
