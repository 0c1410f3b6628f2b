//! Nights as blocks: a spark of one row, a plot of several. A night without a number is a `?`.
//!
//! Must not know: metrics. Blocks are Unicode; [`TextStyle::glyphs`](crate::paint::TextStyle::glyphs) turns them one
//! for one.

use crate::paint::width;

/// Eighths of a cell, from the lowest.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Rows of a plot above its axis.
const ROWS: usize = 8;

/// What the lowest and the highest block stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// From the smallest to the largest level, but never so near that a difference smaller than `least` looks large.
    /// `from_zero` begins at zero, whatever the levels are.
    pub(super) fn of(levels: &[Option<f64>], least: f64, from_zero: bool) -> Scale {
        let known = || levels.iter().flatten().copied();
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0f64, f64::max));
        if from_zero || !low.is_finite() {
            return Scale { low: 0.0, high: high.max(least) };
        }
        let missing = (2.0 * least - (high - low)).max(0.0);
        let low = (low - missing / 2.0).max(0.0);
        Scale { low, high: high + missing / 2.0 }
    }

    /// Where a level lies, in `steps`: 1..=steps.
    fn step(self, level: f64, steps: usize) -> usize {
        let range = self.high - self.low;
        let share = if range > 0.0 { ((level - self.low) / range).clamp(0.0, 1.0) } else { 0.0 };
        ((share * steps as f64).ceil() as usize).clamp(1, steps)
    }
}

/// The newest `most` nights, one block each.
pub(super) fn spark(levels: &[Option<f64>], most: usize, scale: Scale) -> String {
    let newest = &levels[levels.len().saturating_sub(most)..];
    let block = |level: &Option<f64>| level.map_or('?', |level| BLOCKS[scale.step(level, BLOCKS.len()) - 1]);
    newest.iter().map(block).collect()
}

/// The newest nights as bars over an axis, at most `columns` wide. `marks` are nights to point at; `label` writes a
/// level. Returns the lines, and how many nights they show.
pub(super) fn plot(
    levels: &[Option<f64>],
    marks: &[usize],
    columns: usize,
    scale: Scale,
    label: &dyn Fn(f64) -> String,
) -> (Vec<String>, usize) {
    let top = label(scale.high);
    let middle = label((scale.high + scale.low) / 2.0);
    let bottom = label(scale.low);
    let margin = [&top, &middle, &bottom].map(|text| width(text)).into_iter().max().unwrap_or(0);
    let room = columns.saturating_sub(margin + 2).max(10);
    let shown = levels.len().min(room);
    let from = levels.len() - shown;
    let wide = (room / shown.max(1)).clamp(1, 3);
    let bar = |block: char| match wide {
        1 => block.to_string(),
        wide => block.to_string().repeat(wide - 1) + " ",
    };
    let mut lines = Vec::new();
    for row in (0..ROWS).rev() {
        let cell = |level: &Option<f64>| match level {
            None => bar(if row == 0 { '?' } else { ' ' }),
            Some(level) => {
                let filled = scale.step(*level, ROWS * 8).saturating_sub(row * 8);
                bar(if filled == 0 { ' ' } else { BLOCKS[filled.min(8) - 1] })
            }
        };
        let axis = match row {
            row if row == ROWS - 1 => &top,
            row if row == ROWS / 2 - 1 => &middle,
            _ => "",
        };
        let bars: String = levels[from..].iter().map(cell).collect();
        lines.push(format!("{axis:>margin$} │{bars}").trim_end().to_owned());
    }
    let foot = |at: usize| if marks.contains(&at) { '▲' } else { '─' };
    let axis: String = (from..levels.len()).map(|at| foot(at).to_string() + &"─".repeat(wide - 1)).collect();
    lines.push(format!("{bottom:>margin$} └{axis}"));
    (lines, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(levels: &[f64]) -> Vec<Option<f64>> {
        levels.iter().copied().map(Some).collect()
    }

    #[test]
    fn what_matters_looks_large_and_noise_does_not() {
        let step = known(&[14.0, 15.0, 14.0, 41.0, 42.0]);
        assert_eq!(spark(&step, 9, Scale::of(&step, 15.0, false)), "▁▁▁██");
        let noise = known(&[14.0, 15.0, 13.5]);
        assert_eq!(spark(&noise, 9, Scale::of(&noise, 15.0, false)), "▄▅▄");
        let lost = [Some(0.0), None, Some(9.0)];
        assert_eq!(spark(&lost, 2, Scale::of(&lost, 1.0, false)), "?█");
        assert_eq!(spark(&[], 5, Scale::of(&[], 1.0, false)), "");
    }

    #[test]
    fn a_plot_is_as_wide_as_it_may_and_points_at_the_night() {
        let levels = known(&[10.0, 10.0, 40.0]);
        let scale = Scale::of(&levels, 1.0, true);
        let (lines, shown) = plot(&levels, &[2], 14, scale, &|level| format!("{level:.0}"));
        assert_eq!(shown, 3);
        assert_eq!(lines.first().map(String::as_str), Some("40 │      ██"));
        assert_eq!(lines[7], "   │██ ██ ██");
        assert_eq!(lines[8], " 0 └──────▲──");
        let many = known(&[1.0; 100]);
        let (lines, shown) =
            plot(&many, &[], 40, Scale::of(&many, 1.0, true), &|level| format!("{level:.0}"));
        assert!(shown < 100 && lines.iter().all(|line| width(line) <= 40), "{lines:?}");
    }
}
