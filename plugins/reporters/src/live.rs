//! Lanes on a terminal while the run goes on, lines above them for results and troubles; then the table.
//!
//! Draws on a target it is handed and on nothing else. When the target is hidden, lines become deliveries to standard
//! error instead. Frames are paced by the drawing library's own clock; what is drawn never enters a report.

use crate::console::{Calm, stamped};
use crate::lanes::Lanes;
use crate::paint::{TextStyle, wrap};
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
const MOST_ROWS: usize = 100;
/// Cells of a line's time.
const STAMP: usize = 11;

/// Lanes, then the table. One field for each part of the screen.
pub struct Live {
    style: TextStyle,
    rows: usize,
    /// Columns and rows as they are now.
    size: Option<Size>,
    bundle: Option<String>,
    screen: MultiProgress,
    /// Keeps the time since the display began.
    ticker: ProgressBar,
    /// All lanes at once: a frame is drawn whole or not at all. None before the first.
    frame: Option<ProgressBar>,
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
            rows: room(rows),
            size: None,
            bundle,
            screen: MultiProgress::with_draw_target(target),
            ticker: ProgressBar::hidden(),
            frame: None,
            lanes: Lanes::default(),
            story: Story::new(style),
            calm: Calm::default(),
            drawn: None,
        }
    }

    /// Asks `size` for columns and rows before each frame, so that the lanes follow the terminal.
    pub fn following(self, size: Option<Size>) -> Self {
        Live { size, ..self }
    }

    /// Takes the terminal's size as it is now.
    fn follow(&mut self) {
        let Some((columns, rows)) = self.size.as_ref().and_then(|size| size()) else { return };
        let now = (columns, room(rows));
        if (self.style.width, self.rows) != now {
            // What was drawn for another width is not to be drawn over.
            drop(self.screen.clear());
            (self.style.width, self.rows) = now;
        }
    }

    fn draw(&mut self, record: &Record) {
        let text = self.lanes.lines(record, self.style, self.rows).join("\n");
        let frame = self.frame.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg}").expect("a template of one known key is valid");
            self.screen.add(ProgressBar::new(1).with_style(style))
        });
        if frame.message() != text {
            frame.set_message(text);
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

/// Rows for lanes and sum: the last ones stay free, so that the line above the lanes is seen.
fn room(rows: usize) -> usize {
    rows.saturating_sub(2).clamp(2, MOST_ROWS)
}

/// Columns and rows of a terminal; none where they cannot be told.
pub type Size = Box<dyn Fn() -> Option<(usize, usize)>>;

impl Reporter for Live {
    fn name(&self) -> &str {
        "live"
    }

    fn observe(&mut self, event: &Event, record: &Record) -> Vec<Delivery> {
        self.lanes.observe(event, record);
        let lines = self.story.tell(event, record);
        // The lanes show progress already.
        let worth = lines.into_iter().filter(|line| line.weight != Weight::Progress);
        let worth = worth.filter_map(|line| Some((self.calm.pass(&line, event.at)?, line.weight)));
        if self.screen.is_hidden() {
            let told = worth.map(|(text, weight)| stamped(&text, weight, event.at, self.style));
            return told.map(Delivery::Err).collect();
        }
        let told: Vec<String> = worth
            .map(|(text, weight)| {
                // Between words, and below each other: a terminal breaks lines anywhere.
                let lines = wrap(&text, self.style.width, STAMP);
                stamped(&lines.join("\n"), weight, event.at, self.style)
            })
            .collect();
        for line in told.iter().flat_map(|text| text.lines()) {
            // A terminal that cannot be written to is no reason to stop measuring.
            drop(self.screen.println(line));
        }
        if self.due() || matches!(event.fact, Fact::PlanMade { .. }) {
            self.follow();
            self.draw(record);
        }
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        if let Some(frame) = self.frame.take() {
            frame.finish_and_clear();
        }
        drop(self.screen.clear());
        vec![Delivery::Out(table(record, frame_logs, self.style, self.bundle.as_deref()))]
    }
}
