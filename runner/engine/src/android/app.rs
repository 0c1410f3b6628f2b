//! Starting, stopping and clearing the app, and opening links in it (docs/design/phones.md#starting-apps).

use super::state::{Front, front, is_activity};
use super::together::{Answer, together};
use super::{clip, refused};
use crate::patience::Patience;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::time::Span;
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;

/// What `am start -W` reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Process start to first drawn frame of the last activity; none when the phone gave none.
    pub total: Option<Span>,
    /// `COLD`, `WARM`, `HOT`; empty below Android 10.
    pub state: String,
    /// The phone stopped waiting after its own 10 s.
    pub timed_out: bool,
}

/// Which window has the focus, for [`front`].
const FOCUS: &str = "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'";

/// Starts the app by its launcher activity and waits until it has drawn; `cold` stops it first. `extras` are words of
/// the line, with a space before each.
pub async fn launch(
    device: &dyn Device,
    app: &str,
    cold: bool,
    extras: &str,
    patience: &Patience,
) -> Result<Launch, Fault> {
    let component = launcher(device, app, cold, patience).await?;
    let line = format!(
        "am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n {}{extras}",
        quote(&component)
    );
    let output = device.shell(&line, patience.launch).await?;
    read_start(app, &format!("{}\n{}", output.text(), output.err_text()))
}

/// Opens a link in the app; what is in front then.
pub(crate) async fn open_link(
    device: &dyn Device,
    app: &str,
    link: &str,
    patience: &Patience,
) -> Result<Front, Fault> {
    let line = format!("am start -W -a android.intent.action.VIEW -d {} {} 2>&1", quote(link), quote(app));
    let [started, focus] = together(device, [&line, FOCUS], patience.launch).await?;
    read_start(app, &started.text())
        .map_err(|fault| Fault { what: format!("{} (link `{}`)", fault.what, clip(link, 120)), ..fault })?;
    Ok(front(&focus.text()))
}

/// The launcher activity as `package/activity`; where wanted, the app is stopped in the same call.
async fn launcher(device: &dyn Device, app: &str, stop: bool, patience: &Patience) -> Result<String, Fault> {
    let line = format!(
        "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER {}",
        quote(app)
    );
    let text = if stop {
        let stop = format!("am force-stop {} 2>&1", quote(app));
        let [stopped, resolved] = together(device, [&stop, &line], patience.call).await?;
        if stopped.status != 0 {
            return Err(refused(&stop, &stopped.into()));
        }
        resolved.text()
    } else {
        device.shell(&line, patience.call).await?.text()
    };
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("");
    if last.contains("ResolverActivity") {
        let what = format!("several activities of `{app}` want to be its launcher");
        return Err(Fault::new(FaultCode::LauncherAmbiguous, what));
    }
    if last.starts_with(&format!("{app}/")) {
        return Ok(last.to_owned());
    }
    let found = device.shell(&format!("pm path {}", quote(app)), patience.call).await?;
    if found.status == 0 && !found.out.is_empty() {
        let what = format!("`{app}` is installed but has no launcher activity");
        return Err(Fault::new(FaultCode::LauncherMissing, what).advise("open it by a link instead"));
    }
    Err(app_missing(app))
}

/// The app is not installed.
pub fn app_missing(app: &str) -> Fault {
    let what = format!("`{app}` is not installed on this phone");
    Fault::new(FaultCode::AppMissing, what).blamed_on(Blame::Lab).advise("install it, or correct appId")
}

/// Reads what `am start -W` printed. Its exit status says nothing; the text does.
fn read_start(app: &str, text: &str) -> Result<Launch, Fault> {
    if text.contains("unable to resolve Intent") || text.contains("No activity found") {
        let what = format!("`{app}` does not handle it: {}", clip(error_line(text), 200));
        return Err(Fault::new(FaultCode::LinkUnresolved, what).advise("correct the link or the app id"));
    }
    if text.contains("does not exist") {
        return Err(Fault::new(FaultCode::ActivityMissing, clip(error_line(text), 200)));
    }
    if text.contains("SecurityException") || text.contains("do not have permission") {
        let what = format!("the phone may not start it: {}", clip(error_line(text), 200));
        return Err(Fault::new(FaultCode::NotExported, what).advise("export the activity in a test build"));
    }
    let field = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
    let timed_out = field("Status:") == Some("timeout");
    if field("Status:").is_none() {
        let what = format!("`am start` of `{app}` answered: {}", clip(text, 200));
        return Err(Fault::new(FaultCode::LaunchFailed, what).passing());
    }
    let total =
        field("TotalTime:").and_then(|ms| ms.parse().ok()).filter(|ms: &i64| *ms >= 0).map(Span::from_ms);
    let state =
        field("LaunchState:").and_then(|rest| rest.split_whitespace().next()).unwrap_or("").to_owned();
    Ok(Launch { total, state, timed_out })
}

fn error_line(text: &str) -> &str {
    text.lines().find(|line| line.contains("rror") || line.contains("xception")).unwrap_or(text)
}

/// `am force-stop`
pub async fn stop(device: &dyn Device, app: &str, patience: &Patience) -> Result<(), Fault> {
    super::say(device, &format!("am force-stop {}", quote(app)), patience.call).await.map(drop)
}

/// `pm clear`; answers `Success` or `Failed`.
pub async fn clear(device: &dyn Device, app: &str, patience: &Patience) -> Result<(), Fault> {
    let line = format!("pm clear {}", quote(app));
    let output = device.shell(&line, patience.launch).await?;
    match output.text().contains("Success") {
        true => Ok(()),
        false if output.status == 0 => Err(app_missing(app)),
        false => Err(refused(&line, &output)),
    }
}

/// What is in front now.
pub(crate) async fn in_front(device: &dyn Device, patience: &Patience) -> Result<Front, Fault> {
    Ok(front(&device.shell(FOCUS, patience.dump).await?.text()))
}

/// The two lines [`read_trouble`] reads the answers of.
pub(crate) fn trouble_lines(app: &str) -> [String; 2] {
    [FOCUS.to_owned(), format!("pidof {}", quote(app))]
}

/// Which window has the focus, for [`dialog`].
pub(crate) const IN_FRONT: &str = FOCUS;

/// A dialog of the system that lies over this app: it crashed, hangs, or asks for a permission.
pub(crate) fn dialog(app: &str, front: &Front) -> Option<Fault> {
    match front {
        Front::Permission => Some(asks(app)),
        Front::Dialog { kind, package } if package.split(':').next() == Some(app) => {
            let what = format!("the phone says `{kind}: {app}`");
            let fault = match kind.contains("Responding") {
                true => Fault::new(FaultCode::AppNotResponding, what).advise(
                    "its main thread hung for seconds: see `adb shell ls /data/anr` and the phone's logcat",
                ),
                false => Fault::new(FaultCode::AppCrashed, what)
                    .advise("see the stack trace: `adb logcat -b crash -d`"),
            };
            Some(fault)
        }
        _ => None,
    }
}

/// The system asks for a permission of this app, and touches reach nothing else.
fn asks(app: &str) -> Fault {
    let what = format!("a dialog that asks for a permission is in front of `{app}`: touches reach only that");
    Fault::new(FaultCode::PermissionDialog, what).advise(format!(
        "grant what the app asks for before it starts, in `setup`: `- shell: pm grant {app} android.permission.…`; \
         `adb shell dumpsys package {app}` lists what it requests"
    ))
}

/// A crash or hang of this app, if the phone shows its dialog or its process is gone; or a dialog over it.
pub(crate) fn read_trouble(app: &str, focus: &Answer, alive: &Answer) -> Option<Fault> {
    if let Some(fault) = dialog(app, &front(&focus.text())) {
        return Some(fault);
    }
    // Status 127: a phone without pidof cannot say.
    if alive.status == 1 && alive.out.is_empty() {
        let what = format!("the process of `{app}` is gone");
        return Some(
            Fault::new(FaultCode::AppCrashed, what).advise("see the phone's log: `adb logcat -b crash -d`"),
        );
    }
    None
}

/// Asks the phone for a crash or hang of this app.
pub async fn trouble(device: &dyn Device, app: &str, patience: &Patience) -> Result<Option<Fault>, Fault> {
    let [focus, alive] = trouble_lines(app);
    let [focus, alive] = together(device, [&focus, &alive], patience.dump).await?;
    Ok(read_trouble(app, &focus, &alive))
}

/// Whether this app shows the wanted activity (any, when none is named).
pub fn shows(front: &Front, app: &str, wanted: Option<&str>) -> bool {
    match front {
        Front::App { package, activity } if package == app => {
            wanted.is_none_or(|wanted| is_activity(package, activity, wanted))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_reads_its_total_time() {
        let text = "Starting: Intent { cmp=com.a/.Main }\nStatus: ok\nLaunchState: COLD\nActivity: com.a/.Main\n\
                    TotalTime: 412\nWaitTime: 420\nComplete\n";
        let launch = read_start("com.a", text).unwrap();
        assert_eq!(
            launch,
            Launch { total: Some(Span::from_ms(412)), state: "COLD".into(), timed_out: false }
        );
    }

    #[test]
    fn a_slow_launch_is_not_a_failed_one() {
        let launch = read_start("com.a", "Status: timeout\nLaunchState: UNKNOWN (-1)\nComplete\n").unwrap();
        assert_eq!((launch.total, launch.timed_out), (None, true));
    }

    #[test]
    fn failures_name_whose_they_are() {
        let unresolved = "Starting: Intent { dat=shop://x }\nError: Activity not started, unable to resolve Intent { dat=shop://x }";
        assert_eq!(read_start("com.a", unresolved).unwrap_err().code.word(), "link_unresolved");
        let missing = "Error type 3\nError: Activity class {com.a/.X} does not exist.";
        assert_eq!(read_start("com.a", missing).unwrap_err().code.word(), "activity_missing");
        assert_eq!(read_start("com.a", "").unwrap_err().blame, Blame::App);
    }
}
