//! Lanes on a terminal while the run goes on, lines above them for results and troubles; then the table.
//!
//! Draws on a target it is handed and on nothing else. When the target is hidden, lines become deliveries to standard
//! error instead. Frames are paced by the drawing library's own clock; what is drawn never enters a report.

use crate::console::{Calm, stamped};
use crate::lanes::Lanes;
use crate::paint::TextStyle;
use crate::story::{Story, Weight};
use crate::table::table;
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Shortest time between two frames.
const PACE: Duration = Duration::from_millis(80);
/// Most lanes drawn, however tall the terminal.
const MOST_ROWS: usize = 40;

/// Lanes, then the table. One field for each part of the screen.
pub struct Live {
    style: TextStyle,
    rows: usize,
    bundle: Option<String>,
    screen: MultiProgress,
    /// Keeps the time since the display began.
    ticker: ProgressBar,
    bars: Vec<ProgressBar>,
    lanes: Lanes,
    story: Story,
    calm: Calm,
    drawn: Option<Duration>,
}

impl Live {
    /// Lanes on `target`, a terminal of `rows` rows that looks like this; `bundle` is named in the last line of the
    /// table.
    pub fn new(target: ProgressDrawTarget, style: TextStyle, rows: usize, bundle: Option<String>) -> Self {
        Live {
            style,
            // The last rows stay free, so that the line above the lanes is seen.
            rows: rows.saturating_sub(2).clamp(2, MOST_ROWS),
            bundle,
            screen: MultiProgress::with_draw_target(target),
            ticker: ProgressBar::hidden(),
            bars: Vec::new(),
            lanes: Lanes::default(),
            story: Story::new(style),
            calm: Calm::default(),
            drawn: None,
        }
    }

    fn draw(&mut self, record: &Record) {
        let lines = self.lanes.lines(record, self.style, self.rows);
        while self.bars.len() < lines.len() {
            let bar = self.screen.add(ProgressBar::new(1));
            bar.set_style(
                ProgressStyle::with_template("{wide_msg}").expect("a template of one known key is valid"),
            );
            self.bars.push(bar);
        }
        for bar in self.bars.drain(lines.len()..) {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
        for (bar, line) in self.bars.iter().zip(lines) {
            if bar.message() != line {
                bar.set_message(line);
            }
        }
    }

    fn due(&mut self) -> bool {
        let now = self.ticker.elapsed();
        let due = self.drawn.is_none_or(|last| now.saturating_sub(last) >= PACE);
        if due {
            self.drawn = Some(now);
        }
        due
    }
}

impl Reporter for Live {
    fn name(&self) -> &str {
        "live"
    }

    fn observe(&mut self, event: &Event, record: &Record) -> Vec<Delivery> {
        self.lanes.observe(event, record);
        let lines = self.story.tell(event, record);
        // The lanes show progress already.
        let worth = lines.into_iter().filter(|line| line.weight != Weight::Progress);
        let told: Vec<String> = worth
            .filter_map(|line| {
                Some(stamped(&self.calm.pass(&line, event.at)?, line.weight, event.at, self.style))
            })
            .collect();
        if self.screen.is_hidden() {
            return told.into_iter().map(Delivery::Err).collect();
        }
        for line in &told {
            // A terminal that cannot be written to is no reason to stop measuring.
            drop(self.screen.println(line.trim_end_matches('\n')));
        }
        if self.due() || matches!(event.fact, Fact::PlanMade { .. }) {
            self.draw(record);
        }
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        for bar in self.bars.drain(..) {
            bar.finish_and_clear();
        }
        drop(self.screen.clear());
        vec![Delivery::Out(table(record, frame_logs, self.style, self.bundle.as_deref()))]
    }
}
