//! Settings of a phone: which are read, which are changed, and the lines that do it (docs/design/phones.md#state).
//!
//! Must not know why anything is changed.

use super::clip;
use super::together::Answer;
use farmjank_results::prepared::SettingChange;
use farmjank_seams::quote::quote;
use std::collections::BTreeMap;

/// Settings that bear on what is measured, by namespace.
pub(crate) const READ: [(&str, &[&str]); 3] = [
    (
        "global",
        &[
            "animator_duration_scale",
            "low_power",
            "stay_on_while_plugged_in",
            "transition_animation_scale",
            "user_preferred_refresh_rate",
            "window_animation_scale",
        ],
    ),
    (
        "system",
        &[
            "min_refresh_rate",
            "peak_refresh_rate",
            "screen_brightness_mode",
            "screen_off_timeout",
            "user_refresh_rate",
        ],
    ),
    ("secure", &["refresh_rate_mode", "user_refresh_rate"]),
];

/// The scales of animations.
pub(crate) const ANIMATIONS: [&str; 3] =
    ["global/window_animation_scale", "global/transition_animation_scale", "global/animator_duration_scale"];
/// Battery saver.
pub(crate) const SAVER: &str = "global/low_power";
/// On which kinds of power the screen stays on, as bits.
pub(crate) const STAY_ON: &str = "global/stay_on_while_plugged_in";
/// When the screen goes off, ms.
pub(crate) const TIMEOUT: &str = "system/screen_off_timeout";
/// The range of refresh rates.
pub(crate) const RATES: [&str; 2] = ["system/peak_refresh_rate", "system/min_refresh_rate"];

/// Longest value of a setting kept, characters.
const VALUE: usize = 80;

/// Whether farmjank ever changes this setting: nothing else is done because a file says so.
pub(crate) fn is_changed(setting: &str) -> bool {
    let all = ANIMATIONS.iter().chain(&RATES).chain(&[SAVER, STAY_ON, TIMEOUT]);
    all.into_iter().any(|known| *known == setting)
}

/// Two values of a setting that mean the same: `1` and `1.0`.
pub(crate) fn is_same(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let number = |text: &str| text.parse::<f64>().ok();
            one == other || number(one).is_some_and(|value| number(other) == Some(value))
        }
        (None, None) => true,
        _ => false,
    }
}

/// The line whose answer [`read`] takes: how long the list is, so that an empty answer is told from no answer, and
/// what of it counts.
pub(crate) fn list_line(namespace: &str, keys: &[&str]) -> String {
    let keys = keys.join("|");
    format!("l=$(settings list {namespace}); echo ${{#l}}; echo \"$l\" | grep -E '^({keys})='")
}

/// Takes in what a namespace says; false where it did not answer.
pub(crate) fn read(namespace: &str, answer: &Answer, into: &mut BTreeMap<String, String>) -> bool {
    let text = answer.text();
    let mut lines = text.lines();
    if lines.next().and_then(|length| length.trim().parse::<u64>().ok()).is_none_or(|length| length == 0) {
        return false;
    }
    let pairs = lines.filter_map(|line| line.trim_end().split_once('='));
    into.extend(pairs.map(|(key, value)| (format!("{namespace}/{key}"), clip(value, VALUE))));
    true
}

/// `NAMESPACE KEY` of a setting, for the phone's shell.
fn words(setting: &str) -> String {
    let (namespace, key) = setting.split_once('/').unwrap_or(("", setting));
    format!("{namespace} {}", quote(key))
}

/// Sets it: what stands there afterwards is the last line of the answer.
pub(crate) fn set_line(change: &SettingChange) -> String {
    let words = words(&change.setting);
    format!("{}; settings get {words}", put(&words, change.now.as_deref()))
}

fn put(words: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("settings put {words} {} 2>&1", quote(value)),
        None => format!("settings delete {words} >/dev/null 2>&1"),
    }
}

/// Sets it back where it still is what it was set to: the first line of the answer is what stood there before, the last
/// what stands there afterwards.
pub(crate) fn back_line(change: &SettingChange) -> String {
    let words = words(&change.setting);
    // What is not set reads `null`.
    let now = quote(change.now.as_deref().unwrap_or("null"));
    format!(
        "v=$(settings get {words}); echo \"$v\"; if [ \"$v\" = {now} ]; then {}; fi; settings get {words}",
        put(&words, change.was.as_deref())
    )
}

/// First and last line of an answer, as values; nothing where there is none.
pub(crate) fn ends(answer: &Answer) -> Option<(Option<String>, Option<String>)> {
    let text = answer.text();
    let value =
        |line: &str| Some(line.trim_end()).filter(|line| *line != "null").map(|line| clip(line, VALUE));
    let first = text.lines().next()?;
    Some((value(first), value(text.lines().next_back().unwrap_or(first))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        Answer { out: text.as_bytes().to_vec(), status: 0 }
    }

    #[test]
    fn a_namespace_that_does_not_answer_is_told_from_one_without_such_settings() {
        let mut all = BTreeMap::new();
        assert!(read("global", &answer("812\nlow_power=0\nanimator_duration_scale=0.5\n"), &mut all));
        assert!(read("secure", &answer("90\n"), &mut all));
        assert!(!read("system", &answer("0\n"), &mut all));
        assert!(!read("system", &answer(""), &mut all));
        let found: Vec<&str> = all.keys().map(String::as_str).collect();
        assert_eq!(found, ["global/animator_duration_scale", "global/low_power"]);
    }

    #[test]
    fn values_go_quoted_and_what_was_not_set_is_deleted() {
        let change = |was: Option<&str>| SettingChange {
            setting: SAVER.to_owned(),
            was: was.map(str::to_owned),
            now: Some("0".to_owned()),
        };
        let line = set_line(&change(None));
        assert_eq!(line, "settings put global 'low_power' '0' 2>&1; settings get global 'low_power'");
        assert!(
            back_line(&change(Some("$(reboot)")))
                .contains("settings put global 'low_power' '$(reboot)' 2>&1;")
        );
        assert!(
            back_line(&change(None)).contains("then settings delete global 'low_power' >/dev/null 2>&1; fi")
        );
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(is_same(Some("1"), Some("1.0")) && is_same(None, None) && is_same(Some("a"), Some("a")));
        assert!(!is_same(Some("1"), None) && !is_same(Some("0.5"), Some("1.0")));
        assert_eq!(ends(&answer("null\n7\n")), Some((None, Some("7".to_owned()))));
        assert_eq!(ends(&answer("")), None);
    }
}
