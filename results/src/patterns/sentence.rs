//! A pattern in one sentence.

use super::Pattern;
use crate::device::DeviceId;
use crate::verdict::Verdict;

/// `2 windows broke on 60 of 64 phones (both on 52); all are 120 Hz`. `name` says how a phone is called.
pub fn sentence(pattern: &Pattern, name: impl Fn(&DeviceId) -> String) -> String {
    let mut said = format!("{} {} on {}", windows(pattern), verb(pattern.verdict), phones(pattern, name));
    if pattern.windows.len() > 1 && pattern.phones.len() > 1 && pattern.everywhere < pattern.phones.len() {
        let all = match pattern.windows.len() {
            2 => "both".to_owned(),
            several => format!("all {several}"),
        };
        said += &match pattern.everywhere {
            0 => format!(" ({all} on none)"),
            some => format!(" ({all} on {some})"),
        };
    }
    if let Some(likeness) = &pattern.likeness {
        let share = match pattern.phones.len() {
            all if likeness.has == all => "all".to_owned(),
            all => format!("{} of the {all}", likeness.has),
        };
        said += &format!("; {share} are {}", likeness.what);
        if likeness.others == 0 {
            said += ", and none of that kind was spared";
        }
    }
    said
}

/// `2 windows`, `Product › fling the product`; on one phone `5 of 8 windows`.
fn windows(pattern: &Pattern) -> String {
    match &*pattern.windows {
        [one] => format!("{} › {}", one.scenario, one.window),
        several if pattern.phones.len() == 1 && several.len() < pattern.windows_of => {
            format!("{} of {} windows", several.len(), pattern.windows_of)
        }
        several => format!("{} windows", several.len()),
    }
}

fn phones(pattern: &Pattern, name: impl Fn(&DeviceId) -> String) -> String {
    match (&*pattern.phones, pattern.of) {
        ([one], _) => name(one),
        (all, of) if all.len() == of => format!("all {of} phones"),
        (some, of) => format!("{} of {of} phones", some.len()),
    }
}

fn verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "broke",
        Verdict::Broken => "could not be measured",
        Verdict::Undecided => "could not be told",
        Verdict::Pass => "passed",
    }
}
