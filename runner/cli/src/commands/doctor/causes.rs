//! Whether it can be told of a phone why frames are late, and of which apps.

use farmjank_frames::registry;
use farmjank_reporters::clean::line;
use farmjank_results::device::DeviceFacts;
use serde_json::{Value, json};

/// The first release whose profiler follows apps that say they may be profiled: Android 10.
const PROFILEABLE: u32 = 29;
/// The first release whose frames a trace tells of: simpleperf takes stacks beside it there, and from Android 13 on the
/// tracer itself.
const BESIDE: u32 = 31;
/// Phones that are named where they are not all.
const NAMES: usize = 6;

/// Whose methods a phone tells, by call stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StacksOf {
    Every,
    Profileable,
    Debuggable,
}

/// What a phone can tell of why frames are late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Causes {
    /// Why it cannot; none where it can, of every app.
    refused: Option<String>,
    stacks: StacksOf,
    /// They are taken beside other events of a trace, too, by the tracer or by simpleperf.
    in_runs: bool,
}

impl Causes {
    /// Of a phone with these facts.
    pub fn of(facts: &DeviceFacts) -> Causes {
        let probes = registry::probes();
        let trace = probes.iter().find(|probe| probe.for_causes().is_some());
        let refused = trace.and_then(|probe| probe.offer(facts).err()).map(|unfit| unfit.0);
        // `google/panther/panther:14/AP1A.240305/1:user/release-keys`
        let kind = facts.fingerprint.rsplit('/').nth(1).and_then(|part| part.rsplit(':').next());
        let stacks = match (kind, facts.sdk) {
            (Some("userdebug" | "eng"), _) => StacksOf::Every,
            (_, PROFILEABLE..) => StacksOf::Profileable,
            _ => StacksOf::Debuggable,
        };
        Causes { refused, stacks, in_runs: facts.sdk >= BESIDE }
    }

    /// Why frames are late, in words.
    fn why(&self) -> String {
        match &self.refused {
            None => "with `run --causes`, of every app".to_owned(),
            Some(why) => format!("cannot be told: {why}"),
        }
    }

    /// Whose methods, in words.
    fn whose(&self) -> String {
        let whose = match self.stacks {
            StacksOf::Every => "of every app (no user build)",
            StacksOf::Profileable => "of apps that are debuggable or <profileable android:shell=\"true\"/>",
            StacksOf::Debuggable => "of debuggable apps",
        };
        match self.in_runs {
            true => format!("{whose}, also with `run --stacks`"),
            false => format!("{whose}, with simpleperf alone"),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let whose = match self.stacks {
            StacksOf::Every => "every",
            StacksOf::Profileable => "profileable",
            StacksOf::Debuggable => "debuggable",
        };
        json!({ "told": self.refused.is_none(), "reason": self.refused, "stacks_of": whose, "stacks_in_runs": self.in_runs })
    }
}

/// What phones, each with its name, can tell: those together that tell the same. Empty without any.
pub fn told(phones: &[(String, Causes)]) -> String {
    if phones.is_empty() {
        return String::new();
    }
    let together = |words: &dyn Fn(&Causes) -> String| {
        let mut all: Vec<(String, Vec<&str>)> = Vec::new();
        for (name, causes) in phones {
            let words = words(causes);
            match all.iter_mut().find(|(known, _)| *known == words) {
                Some((_, names)) => names.push(name),
                None => all.push((words, vec![name])),
            }
        }
        let row = |(words, names): (String, Vec<&str>)| {
            let more = names.len().saturating_sub(NAMES);
            let whose = match names.len() {
                all if all == phones.len() => "every phone".to_owned(),
                _ if more > 0 => format!("{} and {more} more", names[..NAMES].join(", ")),
                _ => names.join(", "),
            };
            format!("    {whose}: {}\n", line(&words, 300))
        };
        all.into_iter().map(row).collect::<String>()
    };
    let why = together(&Causes::why);
    let methods = together(&Causes::whose);
    format!("\nwhy frames are late (docs/causes.md)\n{why}in which methods, by call stacks\n{methods}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sdk: u32, fingerprint: &str) -> Causes {
        let facts = serde_json::json!({
            "id": "S1", "model": "Phone", "manufacturer": "", "sdk": sdk, "release": "9", "fingerprint": fingerprint,
            "modes": [], "tags": [], "emulator": false, "is_virtual": false,
        });
        Causes::of(&serde_json::from_value(facts).expect("facts"))
    }

    #[test]
    fn a_phone_tells_why_from_android_12_on_and_whose_methods_by_its_build() {
        let new = of(34, "google/panther/panther:14/AP1A.240305/1:user/release-keys");
        let open = of(33, "google/bluejay/bluejay:13/TQ1A.220812/1:userdebug/dev-keys");
        let older = of(31, "google/oriole/oriole:12/SD1A.210817/1:user/release-keys");
        let old = of(28, "oem/phone/phone:9/PQ3A/1:user/release-keys");
        let phones = [
            ("new".to_owned(), new),
            ("older".to_owned(), older),
            ("open".to_owned(), open),
            ("old".to_owned(), old.clone()),
        ];
        let page = "
why frames are late (docs/causes.md)
    new, older, open: with `run --causes`, of every app
    old: cannot be told: the phone has no frame timeline: it runs Android 9, and Android 12 is the first with one
in which methods, by call stacks
    new, older: of apps that are debuggable or <profileable android:shell=\"true\"/>, also with `run --stacks`
    open: of every app (no user build), also with `run --stacks`
    old: of debuggable apps, with simpleperf alone
";
        assert_eq!(told(&phones), page);
        let rack: Vec<_> = (0..100).map(|nth| (format!("S{nth}"), old.clone())).collect();
        assert!(
            told(&rack).contains("    every phone: of debuggable apps, with simpleperf alone\n"),
            "{}",
            told(&rack)
        );
    }
}
