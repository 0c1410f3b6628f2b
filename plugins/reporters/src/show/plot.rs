//! Frame intervals of one trial over time, in characters: a column is a stretch of time, as high as its longest frame.
//!
//! Must not know: records. Heights are in vsyncs and double where they would not fit.

use farmjank_results::frame_log::{Bar, FrameLog, What};
use farmjank_results::motion::Phase;
use farmjank_results::window::Why;

/// Rows above the axis.
const ROWS: usize = 8;
/// Cells left of the plot.
const MARGIN: usize = 6;

/// What one column holds.
#[derive(Clone, Copy, Default)]
struct Column {
    vsyncs: u32,
    lost: bool,
    phase: Option<Phase>,
}

/// The plot, at most `columns` cells wide; every line with its own margin, none ends with blanks.
pub(super) fn plot(frame_log: &FrameLog, columns: usize) -> Vec<String> {
    let ends_us = frame_log.bars.last().map_or(0, Bar::to_us);
    let cells = columns.saturating_sub(MARGIN).max(10);
    let data = data(frame_log, ends_us, cells);
    let highest = data.iter().map(|column| column.vsyncs).max().unwrap_or(0);
    let mut lines = Vec::new();
    for mark in marks(highest).into_iter().rev() {
        let block = |column: &Column| match column {
            column if column.vsyncs >= mark => '█',
            column if mark == 1 && column.lost => '?',
            _ => ' ',
        };
        let row: String = data.iter().map(block).collect();
        lines.push(format!("{mark:>4} │{row}").trim_end().to_owned());
    }
    let axis: String = data
        .iter()
        .map(|column| match column.phase {
            Some(Phase::Finger) => '━',
            Some(_) => '─',
            None => ' ',
        })
        .collect();
    lines.push(format!("     └{axis}").trim_end().to_owned());
    let end = format!("{:.1} s", ends_us as f64 / 1e6);
    lines.push(format!("      0 s{end:>width$}", width = cells.saturating_sub(3)));
    lines
}

fn data(frame_log: &FrameLog, ends_us: u64, cells: usize) -> Vec<Column> {
    let mut data = vec![Column::default(); cells];
    let place =
        |us: u64| ((u128::from(us) * cells as u128 / u128::from(ends_us.max(1))) as usize).min(cells - 1);
    for bar in &frame_log.bars {
        for column in &mut data[place(bar.from_us)..=place(bar.to_us().saturating_sub(1).max(bar.from_us))] {
            // Where both are, the finger is what people look for.
            if column.phase != Some(Phase::Finger) {
                column.phase = Some(bar.phase);
            }
            match bar.what {
                What::Frame => column.vsyncs = column.vsyncs.max(bar.vsyncs),
                What::Uncounted(Why::Idle) => {}
                What::Uncounted(Why::Ambiguous | Why::Gap) => column.lost = true,
            }
        }
    }
    data
}

/// Heights of the rows, from the axis up: every vsync while they fit, then doubling.
fn marks(highest: u32) -> Vec<u32> {
    if highest as usize <= ROWS {
        return (1..=highest.max(1)).collect();
    }
    let mut marks = vec![1, 2, 3, 4];
    while marks.len() < ROWS && marks.last().is_some_and(|last| *last * 2 <= highest) {
        let last = marks.last().copied().unwrap_or(1);
        marks.push(last * 2);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::time::DeviceTime;

    #[test]
    fn heights_double_where_they_would_not_fit() {
        assert_eq!(marks(0), [1]);
        assert_eq!(marks(3), [1, 2, 3]);
        assert_eq!(marks(20), [1, 2, 3, 4, 8, 16]);
        assert_eq!(marks(100_000), [1, 2, 3, 4, 8, 16, 32, 64]);
    }

    #[test]
    fn a_long_frame_stands_where_and_as_high_as_it_was() {
        let bar = |from_us, length_us, vsyncs, phase| Bar {
            from_us,
            length_us,
            what: What::Frame,
            phase,
            period_ns: 10_000_000,
            vsyncs,
            cadence: 1,
            owner: None,
            stage: None,
        };
        let mut bars: Vec<Bar> = (0..5).map(|at| bar(at * 10_000, 10_000, 1, Phase::Finger)).collect();
        bars.push(bar(50_000, 30_000, 3, Phase::Fling));
        bars.extend((8..10).map(|at| bar(at * 10_000, 10_000, 1, Phase::Fling)));
        let frame_log = FrameLog { origin: DeviceTime::from_ns(0), bars };
        let lines = plot(&frame_log, 16);
        let wanted =
            ["   3 │     ███", "   2 │     ███", "   1 │██████████", "     └━━━━━─────", "      0 s  0.1 s"];
        assert_eq!(lines, wanted);
    }
}
