//! The summary of `dumpsys gfxinfo`: every line of a release, and counters that are the truth's.

use crate::walk::{Walk, phone};
use farmjank_lab::archetype::ARCHETYPES;

/// Lines of the block in order, with the API level they came with; a number follows each.
const LINES: &[(&str, u32)] = &[
    ("Stats since: ", 24),
    ("Total frames rendered: ", 24),
    ("Janky frames: ", 24),
    ("Janky frames (legacy): ", 31),
    ("50th percentile: ", 24),
    ("90th percentile: ", 24),
    ("95th percentile: ", 24),
    ("99th percentile: ", 24),
    ("Number Missed Vsync: ", 24),
    ("Number High input latency: ", 24),
    ("Number Slow UI thread: ", 24),
    ("Number Slow bitmap uploads: ", 24),
    ("Number Slow issue draw commands: ", 24),
    ("Number Frame deadline missed: ", 28),
    ("Number Frame deadline missed (legacy): ", 31),
    ("HISTOGRAM: ", 24),
    ("50th gpu percentile: ", 30),
    ("90th gpu percentile: ", 30),
    ("95th gpu percentile: ", 30),
    ("99th gpu percentile: ", 30),
    ("GPU HISTOGRAM: ", 30),
];

/// The app's first block, and the number behind a line's name.
struct Block(Vec<String>);

impl Block {
    fn of(walk: &mut Walk) -> Block {
        let text = walk.run("dumpsys gfxinfo com.example.shop");
        let lines = text.lines().skip_while(|line| !line.starts_with("Stats since"));
        Block(lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    fn number(&self, name: &str) -> i64 {
        let line = self.0.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}"));
        let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    }

    fn histogram(&self, name: &str) -> Vec<(i64, i64)> {
        let line = self.0.iter().find_map(|line| line.strip_prefix(name)).unwrap();
        let pair = |word: &str| {
            word.split_once("ms=").map(|(ms, count)| (ms.parse().unwrap(), count.parse().unwrap()))
        };
        line.split(' ').filter_map(pair).collect()
    }
}

#[test]
fn the_summary_has_every_line_of_its_release_and_the_truth_s_counts() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 12);
        walk.open("shop://search");
        (0..8).for_each(|_| walk.fling());
        let block = Block::of(&mut walk);
        let wanted: Vec<&str> =
            LINES.iter().filter(|(_, since)| *since <= archetype.sdk).map(|(name, _)| *name).collect();
        assert_eq!(block.0.len(), wanted.len(), "{}: {:#?}", archetype.name, block.0);
        for (line, name) in block.0.iter().zip(wanted) {
            assert!(line.starts_with(name), "{}: {line:?} is not {name:?}", archetype.name);
        }
        let truth = walk.phone.truth();
        let frames: Vec<_> = truth
            .layers
            .iter()
            .filter(|layer| !layer.package.is_empty())
            .flat_map(|layer| &layer.frames)
            .collect();
        let total = block.number("Total frames rendered: ");
        assert_eq!(total, frames.len() as i64, "{}", archetype.name);
        let histogram = block.histogram("HISTOGRAM: ");
        assert_eq!(histogram.iter().map(|(_, count)| count).sum::<i64>(), total);
        let done = |frame: &&farmjank_lab::truth::TruthFrame| {
            if archetype.sdk >= 31 { frame.ready.max(frame.desired) } else { frame.desired }
        };
        let spent: Vec<i64> = frames.iter().map(|frame| done(frame) - frame.intended).collect();
        for (ms, count) in histogram.iter().filter(|(ms, _)| (6..=32).contains(ms)) {
            let true_count = spent.iter().filter(|spent| **spent / 1_000_000 == *ms).count();
            assert_eq!(*count, true_count as i64, "{}: {ms} ms", archetype.name);
        }
        let legacy = if archetype.sdk >= 31 { "Janky frames (legacy): " } else { "Janky frames: " };
        let long = frames.iter().zip(&spent).filter(|(frame, spent)| **spent > frame.period).count() as i64;
        if archetype.rates.len() == 1 {
            // Elsewhere a frame may be made at one rate and shown at another.
            assert_eq!(block.number(legacy), long, "{}", archetype.name);
        }
        if archetype.sdk >= 31 {
            let missed = block.number("Number Frame deadline missed: ");
            assert_eq!(missed, block.number("Janky frames: "));
            let drew = truth.hwui_frames.iter().filter(|drawn| drawn.flags & 8 == 0);
            let late = drew.filter(|drawn| drawn.gpu >= drawn.deadline).count() as i64;
            assert_eq!(missed, late, "{}", archetype.name);
            let judged = frames.iter().filter(|frame| frame.jank & (64 | 256) != 0).count() as i64;
            // A stuffed queue gives its frames one interval more; SurfaceFlinger forgives queues of three buffers, too.
            if archetype.rates.len() == 1 {
                let off = (missed - judged).abs() * 20;
                assert!(off <= total, "{}: {missed} and {judged} of {total}", archetype.name);
            }
        }
        if archetype.sdk >= 30 {
            let gpu: i64 = block.histogram("GPU HISTOGRAM: ").iter().map(|(_, count)| count).sum();
            assert_eq!(gpu, total);
        }
    }
}
