//! The live display, drawn on a terminal made of memory.

use crate::believable::{Words, events, facts};
use farmjank_reporters::lanes::Lanes;
use farmjank_reporters::live::Live;
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_results::device::{DeviceId, Readiness};
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_seams::reporter::{Delivery, NoFrameLogs, Reporter};
use indicatif::{ProgressDrawTarget, TermLike};
use std::io;
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug, Default)]
struct Paper(Arc<Mutex<String>>);

impl Paper {
    fn put(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }
}

impl TermLike for Paper {
    fn width(&self) -> u16 {
        100
    }
    fn height(&self) -> u16 {
        24
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.put(text).and_then(|()| self.put("\n"))
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text)
    }
    fn clear_line(&self) -> io::Result<()> {
        self.put("\r")
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

fn play(live: &mut Live) -> Vec<Delivery> {
    let mut so_far = Record::default();
    let mut deliveries = Vec::new();
    for event in events(&Words::default()).events {
        so_far.apply(&event).unwrap();
        deliveries.extend(live.observe(&event, &so_far));
        if matches!(event.fact, Fact::RunJudged { .. }) {
            deliveries.extend(live.conclude(&so_far, &NoFrameLogs));
        }
    }
    deliveries
}

#[test]
fn lanes_are_drawn_and_troubles_told_above() {
    let paper = Paper::default();
    let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
    let style = TextStyle { width: 100, color: false, ascii: false };
    let deliveries = play(&mut Live::new(target, style, 24, None));
    let drawn = paper.0.lock().unwrap().clone();
    assert!(drawn.contains("Pixel 8 Pro (39081FDJH00123)"), "{drawn}");
    assert!(drawn.contains("is gone, the adb server no longer lists it"), "{drawn}");
    assert!(drawn.contains("jobs done"), "{drawn}");
    assert!(matches!(&deliveries[..], [Delivery::Out(table)] if table.contains("exit 1 (gate failed)")));
}

#[test]
fn a_hidden_display_still_tells() {
    let deliveries = play(&mut Live::new(ProgressDrawTarget::hidden(), TextStyle::default(), 24, None));
    let told =
        |text: &str| deliveries.iter().any(|d| matches!(d, Delivery::Err(line) if line.contains(text)));
    assert!(told("is gone, the adb server no longer lists it"));
    assert!(told("FAIL, fps 71.2"));
    assert!(matches!(deliveries.last(), Some(Delivery::Out(_))));
}

#[test]
fn a_lane_says_what_its_phone_does() {
    let mut lanes = Lanes::default();
    let mut so_far = Record::default();
    let all = events(&Words::default()).events;
    let second_sample = all.iter().filter(|e| matches!(e.fact, Fact::SampleTaken { .. })).nth(4).unwrap().seq;
    for event in &all[..=second_sample as usize] {
        so_far.apply(event).unwrap();
        lanes.observe(event, &so_far);
    }
    for columns in [80, 120] {
        let text =
            lanes.lines(&so_far, TextStyle { width: columns, color: false, ascii: false }, 20).join("\n")
                + "\n";
        crate::golden::check(&format!("lanes-{columns}.txt"), &text);
    }
    let lines = lanes.lines(&so_far, TextStyle { width: 120, color: false, ascii: false }, 20);
    assert_eq!(lines.len(), 5, "{lines:#?}");
    let lane = lines.iter().find(|line| line.trim_start().starts_with("Pixel 8 Pro")).unwrap();
    for text in ["trial 1/3", "119.4 fps", "Home feed", "  measure fling the feed ", "left"] {
        assert!(lane.contains(text), "{text} in {lane}");
    }
    assert!(lines.iter().any(|line| line.starts_with("! moto g54") && line.contains("gone")), "{lines:#?}");
    assert!(lines[4].contains("1 of 4 jobs done · 1 broken"), "{}", lines[4]);
    for width_now in [40, 80, 160] {
        for line in lanes.lines(&so_far, TextStyle { width: width_now, color: false, ascii: false }, 20) {
            assert!(width(&line) <= width_now, "{line}");
        }
    }
}

#[test]
fn more_phones_than_rows_share_the_rows() {
    let words = Words::default();
    let mut lanes = Lanes::default();
    let record = Record::default();
    for at in 0..64_u64 {
        let device = DeviceId(format!("SERIAL{at:02}"));
        let facts = Some(Box::new(facts(&words, 0)));
        let fact = Fact::DeviceSeen { device, state: Readiness::Ready, facts };
        lanes.observe(&Event { seq: at, at: RunTime::from_ns(at as i64), shard: None, fact }, &record);
    }
    let busy = DeviceId("SERIAL07".to_owned());
    let fact = Fact::LeaseGranted { job: 0, device: busy };
    lanes.observe(&Event { seq: 64, at: RunTime::from_ns(99), shard: None, fact }, &record);
    let lines = lanes.lines(&record, TextStyle::default(), 10);
    assert_eq!(lines.len(), 10);
    assert!(
        lines.iter().any(|line| line.trim_start().starts_with("SERIAL07")),
        "the busy one is shown: {lines:#?}"
    );
    assert!(lines[9].contains("55 not shown"), "{}", lines[9]);
    assert_eq!(lanes.lines(&record, TextStyle::default(), 10), lines, "lanes stay where they are");
}

#[test]
fn phones_in_trouble_take_a_row_and_the_others_keep_theirs() {
    let record = crate::sweep::sweep();
    let mut so_far = record.clone();
    so_far.jobs.values_mut().for_each(|job| (job.verdict, job.windows) = (None, Vec::new()));
    let mut lanes = Lanes::default();
    for (at, (device, facts)) in record.devices.iter().enumerate() {
        let seen = Fact::DeviceSeen {
            device: device.clone(),
            state: Readiness::Ready,
            facts: Some(Box::new(facts.clone())),
        };
        let job = at as u32 * 8;
        for fact in [seen, Fact::LeaseGranted { job, device: device.clone() }] {
            lanes.observe(&Event { seq: 0, at: RunTime::from_ns(at as i64), shard: None, fact }, &so_far);
        }
    }
    let style = TextStyle::default();
    let before = lanes.lines(&so_far, style, 10);
    assert!(!before.iter().any(|line| line.contains("SERIAL63") || line.contains("L63)")), "{before:#?}");
    // The last phone fails its first job.
    so_far.jobs.get_mut(&(63 * 8)).expect("its job").verdict = Some(farmjank_results::verdict::Verdict::Fail);
    let after = lanes.lines(&so_far, style, 10);
    let moved = before.iter().zip(&after).filter(|(old, new)| old[..30] != new[..30]).count();
    assert!(after.iter().any(|line| line.starts_with('✗') && line.contains("63)")), "{after:#?}");
    assert_eq!(moved, 2, "one lane and the sum: {before:#?} {after:#?}");
    assert!(after[9].starts_with("1 of 512 jobs done · 1 failed"), "{}", after[9]);
    // Smaller: what matters stays, and so does the sum; larger: the others come below.
    let small = lanes.lines(&so_far, style, 4);
    assert!(small.len() == 4 && small[3].contains("61 not shown"), "{small:#?}");
    assert!(small.iter().any(|line| line.starts_with('✗')), "{small:#?}");
    let large = lanes.lines(&so_far, style, 40);
    assert_eq!((large.len(), &large[..3]), (40, &small[..3]));
}

#[test]
fn lanes_and_lines_follow_the_size_of_the_terminal() {
    let paper = Paper::default();
    let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
    let style = TextStyle { width: 100, color: false, ascii: false };
    let live = Live::new(target, style, 24, None).following(Some(Box::new(|| Some((60, 10)))));
    play(&mut { live });
    let drawn = paper.0.lock().unwrap().clone();
    // At 100 columns the lane has the whole name, and the line stands in one piece.
    assert!(!drawn.contains("Pixel 8 Pro (39081FDJH00123)  "), "{drawn}");
    assert!(drawn.contains("Pixel 8 Pro") && drawn.contains("longer"), "{drawn}");
    assert!(
        !drawn.contains("is gone, the adb server no longer lists it"),
        "a line breaks between words: {drawn}"
    );
}
