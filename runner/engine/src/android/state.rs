//! What state a phone is in: battery, heat, focus, keyguard, wakefulness (docs/design/phones.md#state).

use farmjank_results::device::{AnimationScales, Battery};
use farmjank_seams::thermal::celsius;
use std::fmt;

/// Reads `dumpsys battery`. `saver` comes from the settings and is filled by the caller.
pub fn battery(text: &str) -> Option<Battery> {
    let field = |name: &str| {
        text.lines()
            .filter_map(|line| line.trim().strip_prefix(name))
            .find_map(|rest| rest.strip_prefix(':'))
            .map(str::trim)
    };
    let level: i64 = field("level")?.parse().ok()?;
    let scale: i64 =
        field("scale").and_then(|text| text.parse().ok()).filter(|scale| *scale > 0).unwrap_or(100);
    let powered = ["AC powered", "USB powered", "Wireless powered", "Dock powered"];
    Some(Battery {
        percent: u8::try_from((level * 100 / scale).clamp(0, 100)).unwrap_or(100),
        decidegrees: field("temperature").and_then(|text| text.parse().ok()).unwrap_or(0),
        plugged: powered.iter().any(|name| field(name) == Some("true")),
        faked: text.contains("UPDATES STOPPED"),
        saver: false,
    })
}

/// Reads `dumpsys thermalservice`: the status 0..=6. None where the service or the line is missing (Android 9 and
/// older).
pub fn thermal_status(text: &str) -> Option<u8> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Thermal Status:"))?;
    line.trim().parse().ok().filter(|status| *status <= 6)
}

/// The battery among the kinds of sensors.
const BATTERY: u8 = 2;

/// Reads the battery's temperature from `dumpsys thermalservice` (its newest reading stands last) or `dumpsys battery`,
/// °C. None where the phone does not say, or says what no battery has.
pub fn battery_celsius(text: &str) -> Option<f64> {
    let of_battery = || {
        let tenths = text.lines().find_map(|line| line.trim().strip_prefix("temperature:"))?;
        tenths.trim().parse::<i32>().ok().map(|tenths| f64::from(tenths) / 10.0)
    };
    celsius(text, BATTERY).or_else(of_battery).filter(|celsius| (-40.0..=120.0).contains(celsius))
}

/// A thermal status in words.
pub fn thermal_word(status: u8) -> &'static str {
    match status {
        0 => "none",
        1 => "light",
        2 => "moderate",
        3 => "severe",
        4 => "critical",
        5 => "emergency",
        _ => "shutdown",
    }
}

/// Reads the three `settings get global …_scale` lines; `null` is 1.
pub(crate) fn animation_scales(lines: &[&str]) -> Option<AnimationScales> {
    let scale = |line: &str| match line.trim() {
        "null" | "" => Some(1.0),
        text => text.parse().ok(),
    };
    match lines {
        [window, transition, animator, ..] => Some(AnimationScales {
            window: scale(window)?,
            transition: scale(transition)?,
            animator: scale(animator)?,
        }),
        _ => None,
    }
}

/// What is in front of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Front {
    /// A window of `package/activity`; the activity is the full class name or starts with a dot.
    App {
        /// Package.
        package: String,
        /// Activity.
        activity: String,
    },
    /// The platform says this app crashed or hangs.
    Dialog {
        /// `Application Error` or `Application Not Responding`.
        kind: String,
        /// Package it names.
        package: String,
    },
    /// The system asks for a permission of an app.
    Permission,
    /// Something else: the shade, the lock screen, a system window.
    Other(String),
    /// Nothing has the focus.
    Nothing,
}

impl fmt::Display for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Front::App { package, activity } => write!(f, "`{package}/{activity}`"),
            Front::Dialog { kind, package } => write!(f, "the dialog `{kind}: {package}`"),
            Front::Permission => f.write_str("a dialog that asks for a permission"),
            Front::Other(title) => write!(f, "`{}`", super::clip(title, 120)),
            Front::Nothing => f.write_str("nothing"),
        }
    }
}

/// Reads the focus lines of `dumpsys window`: the last that is not null; `mFocusedApp` when no window has the focus.
pub fn front(text: &str) -> Front {
    let titles = |label: &'static str| {
        text.lines()
            .filter_map(move |line| line.trim().strip_prefix(label))
            .filter(|rest| !rest.starts_with("null"))
    };
    if let Some(rest) = titles("mCurrentFocus=").next_back() {
        return window_title(rest);
    }
    match titles("mFocusedApp=").next_back() {
        // `AppWindowToken{.. token=Token{.. ActivityRecord{h u0 pkg/.Act t9}}}` or `ActivityRecord{h u0 pkg/.Act t9}`
        Some(rest) => rest.rsplit("ActivityRecord{").next().map_or(Front::Nothing, window_title),
        None => Front::Nothing,
    }
}

/// `Window{hash u0 TITLE}`: the title is what follows the user, up to the closing braces or the task.
fn window_title(text: &str) -> Front {
    let inside = text.split_once('{').map_or(text, |(_, inside)| inside);
    let title = inside.trim_end().trim_end_matches("paused=false").trim_end().trim_end_matches('}');
    let mut words = title.splitn(3, ' ');
    let title = match (words.next(), words.next(), words.next()) {
        (Some(_), Some(user), Some(rest)) if user.starts_with('u') => rest,
        _ => title,
    };
    for kind in ["Application Not Responding", "Application Error"] {
        if let Some(package) = title.strip_prefix(kind) {
            let package = package.trim_start_matches(':').trim().to_owned();
            return Front::Dialog { kind: kind.to_owned(), package };
        }
    }
    match title.split_whitespace().next().and_then(|word| word.split_once('/')) {
        // Whoever the phone's maker lets ask, the class is called so since Android 6.
        Some((_, activity)) if activity.trim_end_matches('}').ends_with(".GrantPermissionsActivity") => {
            Front::Permission
        }
        Some((package, activity)) if package.contains('.') => {
            Front::App { package: package.to_owned(), activity: activity.trim_end_matches('}').to_owned() }
        }
        _ => Front::Other(title.to_owned()),
    }
}

/// Whether an activity in front is the one asked for: `.Feed`, `Feed` in the package, or the full class.
pub(crate) fn is_activity(package: &str, in_front: &str, wanted: &str) -> bool {
    let full = |name: &str| if name.starts_with('.') { format!("{package}{name}") } else { name.to_owned() };
    full(in_front) == full(wanted) || full(in_front).rsplit('.').next() == Some(wanted)
}

/// Reads `dumpsys window policy` (or `dumpsys window`): whether the keyguard shows; None when it does not say.
pub fn keyguard(text: &str) -> Option<bool> {
    for label in ["isStatusBarKeyguard=", "showing=", "mShowing=", "isKeyguardShowing=", "mIsShowing="] {
        if let Some(at) = text.find(label) {
            let rest = &text[at + label.len()..];
            return if rest.starts_with("true") {
                Some(true)
            } else {
                rest.starts_with("false").then_some(false)
            };
        }
    }
    None
}

/// Reads `dumpsys power`: whether the screen is on.
pub fn awake(text: &str) -> Option<bool> {
    let word = text.lines().find_map(|line| line.trim().strip_prefix("mWakefulness="))?;
    Some(word.trim().starts_with("Awake"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn battery_reads_with_and_without_indent() {
        let text = "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  level: 67\n  scale: 100\n  temperature: 330\n";
        let battery = battery(text).unwrap();
        assert_eq!(
            (battery.percent, battery.decidegrees, battery.plugged, battery.faked),
            (67, 330, true, false)
        );
        assert!(super::battery("Can't find service: battery").is_none());
    }

    #[test]
    fn focus_is_the_last_window_that_is_not_null() {
        let app =
            |package: &str, activity: &str| Front::App { package: package.into(), activity: activity.into() };
        let two = "  mCurrentFocus=Window{5e9b13b u0 com.a/com.a.Main}}\n  mCurrentFocus=null\n";
        assert_eq!(front(two), app("com.a", "com.a.Main"));
        let token = "mCurrentFocus=null\n mFocusedApp=AppWindowToken{8f token=Token{98 ActivityRecord{6b u0 com.b/.Main t10}}}";
        assert_eq!(front(token), app("com.b", ".Main"));
        let anr = "mCurrentFocus=Window{3b u0 Application Not Responding: com.c}";
        let dialog = Front::Dialog { kind: "Application Not Responding".into(), package: "com.c".into() };
        assert_eq!(front(anr), dialog);
        assert_eq!(
            front("mCurrentFocus=Window{1 u0 NotificationShade}"),
            Front::Other("NotificationShade".into())
        );
        let asks = "mCurrentFocus=Window{1 u0 com.lbe.security.miui/com.android.packageinstaller.permission.ui.GrantPermissionsActivity}";
        assert_eq!(front(asks), Front::Permission);
        assert_eq!(front(""), Front::Nothing);
    }

    #[test]
    fn activities_compare_by_full_class() {
        assert!(is_activity("com.a", "com.a.Feed", ".Feed"));
        assert!(is_activity("com.a", ".Feed", "com.a.Feed"));
        assert!(is_activity("com.a", ".Feed", "Feed"));
        assert!(!is_activity("com.a", ".FeedDetail", ".Feed"));
    }

    #[test]
    fn thermal_status_is_bounded_and_optional() {
        assert_eq!(thermal_status("IsStatusOverride: false\nThermal Status: 2\n"), Some(2));
        assert_eq!(thermal_status("Can't find service: thermalservice"), None);
    }

    #[test]
    fn the_battery_is_as_warm_as_its_last_reading() {
        let line = |value: &str, kind: u8| {
            format!("\tTemperature{{mValue={value}, mType={kind}, mName=x, mStatus=0}}\n")
        };
        let text = [line("30.5", 2), line("61.0", 0), line("31.2", 2), line("38.0", 3)].concat();
        assert_eq!(battery_celsius(&text), Some(31.2));
        assert_eq!(battery_celsius("  temperature: 287\n"), Some(28.7));
        for wrong in [line("NaN", 2), line("-273.1", 2), "  temperature: 9000".into(), String::new()] {
            assert_eq!(battery_celsius(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn keyguard_and_power_say_so_or_nothing() {
        assert_eq!(keyguard("  KeyguardServiceDelegate\n    showing=true\n"), Some(true));
        assert_eq!(keyguard("nothing"), None);
        assert_eq!(awake("  mWakefulness=Asleep\n"), Some(false));
    }
}
