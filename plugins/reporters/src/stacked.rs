//! Call stacks of stalls and late frames, in the forms of programs that draw them: folded lines (flame graphs),
//! speedscope, the Firefox Profiler. Pure: stacks in, text out. Must not know: how stacks were read, or which of them
//! name a stall.

mod firefox;
mod folded;
mod speedscope;

pub use firefox::firefox;
pub use folded::folded;
pub use speedscope::speedscope;

use crate::clean::{NAME, line};
use farmjank_results::held_stacks::WeighedStack;

/// The innermost call of a thread that is off its CPU.
const OFF_CPU: &str = "[off CPU]";

/// The methods of a stack, harmless.
fn calls(stack: &WeighedStack) -> impl Iterator<Item = String> {
    let off = stack.off_cpu.then(|| OFF_CPU.to_owned());
    stack.calls.iter().map(|call| line(call, NAME)).chain(off)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::held_stacks::HeldStacks;
    use serde_json::Value;

    fn stalls() -> Vec<HeldStacks> {
        let stack = |at: i64, ns: i64, off_cpu: bool, calls: &[&str]| WeighedStack {
            at: at * 1_000_000,
            ns: ns * 1_000_000,
            off_cpu,
            calls: calls.iter().map(|call| (*call).to_owned()).collect(),
        };
        let stacks = vec![
            stack(10, 60, false, &["Looper.loop", "Feed.bind", "a;b\u{1b}[31m"]),
            stack(70, 40, true, &["Looper.loop", "Feed.bind"]),
            stack(110, 5, false, &["Looper.loop", "Feed.bind", "a;b\u{1b}[31m"]),
        ];
        vec![HeldStacks { from: 10_000_000, to: 115_000_000, stacks }]
    }

    #[test]
    fn folded_lines_hold_each_stack_once_with_its_time_in_microseconds() {
        let lines = folded(&stalls());
        let (bind, off) = ("main;Looper.loop;Feed.bind", "[off CPU]");
        let rows: Vec<_> = lines.lines().collect();
        assert_eq!(rows[0], format!("{bind};{off} 40000"));
        assert!(rows[1].starts_with(&format!("{bind};a:b")) && rows[1].ends_with(" 65000"), "{}", rows[1]);
        assert!(rows.len() == 2 && !lines.contains('\u{1b}'));
    }

    #[test]
    fn a_speedscope_file_holds_a_profile_of_each_stall_whose_weights_are_its_length() {
        let file: Value = serde_json::from_str(&speedscope("com.shop", &stalls())).expect("JSON");
        let profile = &file["profiles"][0];
        let weights = profile["weights"].as_array().expect("weights").iter();
        assert_eq!(weights.filter_map(Value::as_i64).sum::<i64>(), 105_000);
        assert_eq!(
            (profile["type"].as_str(), profile["endValue"].as_i64()),
            (Some("sampled"), Some(105_000))
        );
        let names = file["shared"]["frames"].as_array().expect("frames").len();
        let inside = |nth: &Value| nth.as_u64().is_some_and(|nth| (nth as usize) < names);
        let samples = profile["samples"].as_array().expect("samples");
        assert!(samples.iter().flat_map(|one| one.as_array().expect("a stack")).all(inside));
        assert_eq!(names, 4);
    }

    #[test]
    fn a_firefox_profile_holds_the_main_thread_with_a_look_every_millisecond_and_a_mark_for_each_stall() {
        let file: Value = serde_json::from_str(&firefox("com.shop", 700, &stalls())).expect("JSON");
        let thread = &file["threads"][0];
        assert_eq!(thread["isMainThread"].as_bool(), Some(true));
        assert_eq!(thread["processName"].as_str(), Some("com.shop"));
        assert_eq!(thread["samples"]["length"].as_u64(), Some(105));
        assert_eq!(thread["markers"]["length"].as_u64(), Some(1));
    }
}
