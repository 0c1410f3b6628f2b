//! Many lines at once: what changed in the newest nights, the worst first; what could not be judged, and why.
//!
//! Must not know: how it is printed, what an exit code is.

use super::change_point::{ENOUGH, least_change};
use super::succession::{Over, Place, places};
use super::{ChangePoint, Line, Way, change_points};
use crate::compare::Effect;

/// What is to be said of a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It became worse in the newest nights, by what matters.
    Worse,
    /// It became better.
    Better,
    /// Nothing that matters changed in the newest nights.
    Quiet,
    /// Too few nights to tell: how many there are, of [`ENOUGH`].
    TooFew(usize),
    /// Nothing is measured there any more.
    Ended(Over),
}

impl Standing {
    /// In a word, as JSON has it.
    pub fn word(&self) -> &'static str {
        match self {
            Standing::Worse => "worse",
            Standing::Better => "better",
            Standing::Quiet => "quiet",
            Standing::TooFew(_) => "too_few",
            Standing::Ended(_) => "ended",
        }
    }
}

/// A line, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// The line.
    pub line: Line,
    /// Every change point, the oldest first, those that do not matter too.
    pub change_points: Vec<ChangePoint>,
    /// What is to be said of it.
    pub standing: Standing,
    /// What it took the place of, in words.
    pub follows: Option<String>,
}

impl Trend {
    /// The newest change point that matters.
    pub fn newest(&self) -> Option<&ChangePoint> {
        self.change_points.iter().rev().find(|change_point| change_point.matters())
    }

    /// How many times the least change that matters its newest change point is.
    fn weight(&self) -> f64 {
        self.newest()
            .map_or(0.0, |change_point| change_point.size().abs() / change_point.mei.max(f64::MIN_POSITIVE))
    }
}

/// Every line, judged: the worst first, then by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The lines.
    pub trends: Vec<Trend>,
    /// Nights that count as the newest.
    pub newest: usize,
    /// The least change that matters, where it was asked for.
    pub effect: Option<Effect>,
}

impl Sweep {
    /// Lines of which something was to be said.
    pub fn current(&self) -> impl Iterator<Item = &Trend> {
        self.trends.iter().filter(|trend| !matches!(trend.standing, Standing::Ended(_)))
    }

    /// The least change from a level of a line that matters here, in the metric's unit.
    pub fn least(&self, line: &Line, level: f64) -> f64 {
        least_change(line, self.effect, level)
    }

    /// Lines that became worse, became better, are quiet, have too few nights, are over.
    pub fn counts(&self) -> [usize; 5] {
        let count = |word: &str| self.trends.iter().filter(|trend| trend.standing.word() == word).count();
        ["worse", "better", "quiet", "too_few", "ended"].map(count)
    }
}

/// Judges lines. Changes count that begin in the `newest` nights of their line; a line counts that is in one of the
/// `newest` runs of all.
pub fn sweep(lines: Vec<Line>, newest: usize, effect: Option<Effect>) -> Sweep {
    let places = places(&lines, newest);
    let mut trends: Vec<Trend> =
        lines.into_iter().zip(places).map(|(line, place)| judged(line, place, newest, effect)).collect();
    let name = |trend: &Trend| (trend.line.key.clone(), trend.line.device.clone());
    trends.sort_by(|one, other| {
        let rank = |trend: &Trend| trend.standing.clone();
        let kinds = std::mem::discriminant(&one.standing) == std::mem::discriminant(&other.standing);
        let kind = if kinds { std::cmp::Ordering::Equal } else { rank(one).cmp(&rank(other)) };
        kind.then(other.weight().total_cmp(&one.weight())).then_with(|| name(one).cmp(&name(other)))
    });
    Sweep { trends, newest, effect }
}

fn judged(line: Line, place: Place, newest: usize, effect: Option<Effect>) -> Trend {
    let change_points = change_points(&line, effect);
    let count = line.levels().0.len();
    let is_new =
        |change_point: &&ChangePoint| change_point.matters() && line.nights.len() - change_point.at <= newest;
    let standing = match (place.ended, change_points.iter().rev().find(is_new)) {
        (Some(why), _) => Standing::Ended(why),
        (None, Some(change_point)) if change_point.way == Way::Worse => Standing::Worse,
        (None, Some(_)) => Standing::Better,
        (None, None) if count < ENOUGH => Standing::TooFew(count),
        (None, None) => Standing::Quiet,
    };
    Trend { line, change_points, standing, follows: place.follows }
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::super::samples::{nights, order};
    use super::*;
    use crate::cell::CellSession;

    fn windowed(window: &str, mut sessions: Vec<CellSession>) -> Vec<CellSession> {
        sessions.iter_mut().for_each(|session| session.key.window = window.to_owned());
        sessions
    }

    fn told(sweep: &Sweep) -> Vec<(&str, &str)> {
        let one = |trend: &Trend| trend.standing.word();
        sweep.trends.iter().map(|trend| (trend.line.key.window.as_str(), one(trend))).collect()
    }

    #[test]
    fn the_worst_is_first_and_what_cannot_be_told_is_said() {
        let step = |from: f64, to: f64| [vec![from; 30], vec![to; 6]].concat();
        let sessions = [
            windowed("quiet", nights("A", 0, &[20.0; 36], 1)),
            windowed("slower", nights("A", 0, &step(14.0, 45.0), 2)),
            windowed("much slower", nights("A", 0, &step(14.0, 90.0), 3)),
            windowed("faster", nights("A", 0, &step(60.0, 10.0), 4)),
            windowed("young", nights("A", 30, &[20.0; 6], 5)),
            windowed("slower long ago", nights("A", 0, &[vec![14.0; 12], vec![60.0; 24]].concat(), 6)),
            windowed("gone", nights("A", 0, &[20.0; 10], 7)),
        ]
        .concat();
        let found = sweep(lines(&sessions, order), 10, None);
        let wanted = [
            ("much slower", "worse"),
            ("slower", "worse"),
            ("faster", "better"),
            ("slower long ago", "quiet"),
            ("quiet", "quiet"),
            ("young", "too_few"),
            ("gone", "ended"),
        ];
        assert_eq!(told(&found), wanted);
        assert_eq!((found.counts(), found.current().count()), ([2, 1, 2, 1, 1], 6));
        // Looked at over forty nights, the old change is one.
        assert_eq!(
            told(&sweep(lines(&sessions, order), 40, None)).iter().filter(|one| one.1 == "worse").count(),
            3
        );
    }
}
