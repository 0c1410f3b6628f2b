//! Files that lie: no length in them is believed.

use super::shop;
use farmjank_causes::stacks::{Rules, of_issues, stalls, weighed};
use farmjank_frames::stacks::{matrix, read};
use proptest::prelude::*;

/// Reads it, and tells of what is in it.
pub fn told(file: &[u8]) {
    let Ok(recording) = read(file) else { return };
    for process in recording.mains.keys() {
        for rules in [Rules::Time, Rules::KeyStack] {
            let found = stalls(&recording, *process, rules);
            assert_eq!(found.stalls.us, found.stalls.explained_us + found.stalls.unexplained_us);
        }
        let _ = weighed(&recording, *process);
    }
}

#[test]
fn a_file_cut_off_anywhere_is_read_or_refused() {
    let whole = shop(true).written();
    for end in 0..whole.len() {
        told(&whole[..end]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn a_file_with_other_bytes_in_it_is_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        long in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..3),
    ) {
        let mut file = shop(true).written();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        // Lengths and places as large as can be said.
        for (at, half) in long {
            let at = at.index(file.len() / 8) * 8;
            let number = if half { u64::MAX / 2 } else { u64::MAX };
            file[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        told(&file);
    }

    #[test]
    fn messages_of_any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut file = [b"SIMPLEPERF".as_slice(), &[1, 0]].concat();
        for message in bytes.chunks(50) {
            file.extend(u32::try_from(message.len()).expect("short").to_le_bytes());
            // A record of each kind in turn.
            file.extend([message[0] % 7 * 8 + 2, (message.len() - 1).min(127) as u8]);
            file.extend(message.iter().skip(2));
        }
        file.extend([0; 4]);
        told(&file);
    }

    #[test]
    fn issues_of_any_times_are_told(
        (cost, ended) in (any::<i64>(), any::<i64>()),
        methods in prop::collection::vec((0_usize..4, any::<i64>()), 0..8),
    ) {
        let stack: String = methods.iter().map(|(depth, ms)| format!("{depth},7,1,{ms}\\n")).collect();
        let issue = format!(r#"{{"tag":"Trace_EvilMethod","cost":{cost},"time":{ended},"stack":"{stack}"}}"#);
        for issues in matrix::read(&issue, None).issues.values() {
            let _ = of_issues(issues);
        }
    }
}
