//! The cheapest path of refresh rates through a sequence of presents: where a rate switch is, and where there is none.
//!
//! Each length between two presents costs more the farther it is off a rate's lattice, a little when it is more than
//! one vsync, a little where headers say another rate, and every switch costs something: little where two headers say
//! the rate changed between them, much where nobody says so. A rate that is a whole multiple of a reported one is not
//! believed without a report: presents at every second vsync are an app at half rate until the phone says otherwise
//! (docs/periods.md#how-it-is-found, 3). Must not know dumps.

use crate::lattice::{GLUED, LONG, far, multiple, place, same};
use crate::period::Report;
use crate::time::DeviceTime;

/// Costs, in quarters of one length of two vsyncs.
const SLOW: i64 = 4;
/// A length off the lattice of a rate.
const OFF: i64 = 40;
/// A length at a rate that no header around reports, while one reports another: where both explain it, what is said
/// holds.
const UNHEARD: i64 = 3;
/// A length that no rate explains.
const NOTHING: i64 = 20;
/// A switch nobody reports: as much as a quarter of a second of slow frames.
const SWITCH: i64 = 48;
/// A switch to a faster rate that headers report: touch boost comes with the first frames.
const FASTER: i64 = 1;
/// A switch to a slower rate that headers report: it mostly comes after the motion, so a few slow frames are slow
/// frames.
const SLOWER: i64 = 24;
/// A switch over a pause that headers report.
const PAUSED: i64 = 1;
/// A header this near to a frame may have been read on either side of it, ns.
pub(crate) const NEAR: i64 = 50_000_000;
/// The scheduler divides a mode by no more than this.
const DIVIDED: i64 = 8;
const NEVER: i64 = i64::MAX / 4;

/// A refresh rate in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Best known period.
    pub period: i64,
    /// The period as headers report it or modes offer it.
    pub told: Option<i64>,
    reported: bool,
    sharp: bool,
}

impl Rate {
    /// From a header.
    pub fn reported(period: i64) -> Self {
        Rate { period, told: Some(period), reported: true, sharp: false }
    }

    /// From the display modes.
    pub fn offered(period: i64) -> Self {
        Rate { period, told: Some(period), reported: false, sharp: false }
    }

    /// From presents alone.
    pub fn found(period: i64) -> Self {
        Rate { period, told: None, reported: false, sharp: true }
    }

    /// A window of presents knows the period better than header and mode; the first one is enough to follow the
    /// lattice.
    pub(crate) fn sharpen(&mut self, period: i64) {
        if !self.sharp {
            (self.period, self.sharp) = (period, true);
        }
    }

    /// A header reports it.
    pub(crate) fn is_reported(&self) -> bool {
        self.reported
    }
}

/// Everything the path is laid through.
pub(crate) struct FitInput<'a> {
    /// Sorted presents.
    pub presents: &'a [DeviceTime],
    /// Their differences.
    pub lengths: &'a [i64],
    /// Rates in play.
    pub rates: &'a [Rate],
    /// Periods of the display modes.
    pub modes: &'a [i64],
    /// Credible headers: when, and which rate.
    pub heard: Vec<(DeviceTime, usize)>,
}

impl<'a> FitInput<'a> {
    /// `lengths` are the differences of `presents`; `reports` are sorted by time.
    pub fn new(
        presents: &'a [DeviceTime],
        lengths: &'a [i64],
        rates: &'a [Rate],
        modes: &'a [i64],
        reports: &[Report],
    ) -> Self {
        let mut input = FitInput { presents, lengths, rates, modes, heard: Vec::new() };
        let credible = reports.iter().filter(|report| input.credible(report.period.ns()));
        let rate_of = |report: &Report| {
            let told =
                |rate: &Rate| rate.reported && rate.told.is_some_and(|told| same(told, report.period.ns()));
            Some((report.at, rates.iter().position(told)?))
        };
        let heard = credible.filter_map(rate_of).collect();
        input.heard = heard;
        input
    }

    /// A header is credible when the panel has such a mode, or one the scheduler can divide to it; or modes are
    /// unknown.
    pub(crate) fn credible(&self, period: i64) -> bool {
        let near = |mode: &i64| same(*mode, period) || multiple(period, *mode).is_some_and(|k| k <= DIVIDED);
        self.modes.is_empty() || self.modes.iter().any(near)
    }

    /// Headers around a length, as a range of `heard`: the last well before it to the first well after it. Lengths are
    /// taken in order: `hint` remembers where to go on.
    fn around(&self, index: usize, hint: &mut (usize, usize)) -> (usize, usize) {
        let from = self.presents[index].ns().saturating_sub(NEAR);
        let to = self.presents[index + 1].ns().saturating_add(NEAR);
        while self.heard.get(hint.0).is_some_and(|(at, _)| at.ns() <= from) {
            hint.0 += 1;
        }
        while self.heard.get(hint.1).is_some_and(|(at, _)| at.ns() < to) {
            hint.1 += 1;
        }
        (hint.0.saturating_sub(1), (hint.1 + 1).min(self.heard.len()))
    }
}

/// What headers around a length allow.
struct Support {
    /// First and last place of each rate among the headers around.
    places: Vec<Option<(usize, usize)>>,
    /// A multiple of a rate that is reported, without being reported itself.
    forbidden: Vec<bool>,
    /// Others are reported here.
    unheard: Vec<bool>,
}

impl Support {
    fn of(input: &FitInput, around: (usize, usize)) -> Support {
        let mut places: Vec<Option<(usize, usize)>> = vec![None; input.rates.len()];
        for (place, (_, rate)) in input.heard[around.0..around.1].iter().enumerate() {
            places[*rate] = Some((places[*rate].map_or(place, |(first, _)| first), place));
        }
        let heard: Vec<i64> = match places.iter().flatten().next() {
            Some(_) => (0..places.len())
                .filter(|rate| places[*rate].is_some())
                .map(|rate| input.rates[rate].period)
                .collect(),
            None => input.modes.to_vec(),
        };
        let forbidden = |rate: usize| {
            let period = input.rates[rate].period;
            places[rate].is_none()
                && !heard.iter().any(|base| same(*base, period))
                && heard.iter().any(|base| multiple(period, *base).is_some())
        };
        let said = places.iter().any(Option::is_some);
        let unheard = |rate: usize| {
            let period = input.rates[rate].period;
            said && places[rate].is_none() && !heard.iter().any(|base| same(*base, period))
        };
        Support {
            forbidden: (0..input.rates.len()).map(forbidden).collect(),
            unheard: (0..input.rates.len()).map(unheard).collect(),
            places,
        }
    }

    /// Into every state: every rate, and none.
    fn switches(&self, input: &FitInput, paused: bool) -> Vec<Switches> {
        let states = 0..=input.rates.len();
        let into = |to: usize| {
            let from = |from| if from == to { NEVER } else { self.switch(input, from, to, paused) };
            let from: Vec<i64> = states.clone().map(from).collect();
            Switches { least: from.iter().copied().min().unwrap_or(NEVER), from }
        };
        states.clone().map(into).collect()
    }

    fn switch(&self, input: &FitInput, from: usize, to: usize, paused: bool) -> i64 {
        let place = |rate: usize| self.places.get(rate).copied().flatten();
        match (place(from), place(to)) {
            (_, Some(_)) if paused => PAUSED,
            (Some((first, _)), Some((_, last))) if first < last => {
                if input.rates[to].period < input.rates[from].period { FASTER } else { SLOWER }
            }
            _ => SWITCH,
        }
    }
}

/// What switching into one state costs.
struct Switches {
    /// From each state; out of the question from itself: staying is no switch.
    from: Vec<i64>,
    /// The least of it.
    least: i64,
}

/// Cost of one length at one rate.
fn cost(length: i64, period: i64) -> i64 {
    if length >= LONG || length <= GLUED {
        return 0;
    }
    // At `far` a length is as far off as rule 3 lets any be.
    let (long, off) = place(length, period);
    let far = (off * 100 / far(period).max(1)).min(100);
    let slow = if long > 1 { SLOW } else { 0 };
    OFF * far * far / 10_000 + slow
}

/// The rate of every length; none where nothing fits.
pub(crate) fn cheapest(input: &FitInput) -> Vec<Option<usize>> {
    let count = input.rates.len();
    if count == 0 || input.lengths.is_empty() {
        return vec![None; input.lengths.len()];
    }
    let states = count + 1;
    let mut costs = vec![0_i64; states];
    let mut next = vec![0_i64; states];
    let mut back = vec![0_u8; states * input.lengths.len()];
    let mut around = (usize::MAX, usize::MAX);
    let mut support = Support { places: Vec::new(), forbidden: Vec::new(), unheard: Vec::new() };
    // By whether there is a pause.
    let mut switches: [Vec<Switches>; 2] = Default::default();
    let mut was_paused = true;
    let mut hint = (0, 0);
    for (index, length) in input.lengths.iter().enumerate() {
        let here = input.around(index, &mut hint);
        if here != around {
            (around, support) = (here, Support::of(input, here));
            switches = [false, true].map(|paused| support.switches(input, paused));
        }
        let idle = *length >= LONG;
        let switches = &switches[usize::from(idle || was_paused)];
        was_paused = idle;
        let least = costs.iter().copied().min().unwrap_or(0);
        for to in 0..states {
            let own = match input.rates.get(to) {
                Some(_) if support.forbidden[to] => NEVER,
                Some(rate) if !idle && support.unheard[to] => cost(*length, rate.period) + UNHEARD,
                Some(rate) => cost(*length, rate.period),
                None if idle || *length <= GLUED => 0,
                None => NOTHING,
            };
            let mut best = costs[to];
            let mut from_best = to;
            let into = &switches[to];
            if least + into.least < best {
                for (from, (cost, switch)) in costs.iter().zip(&into.from).enumerate() {
                    if cost + switch < best {
                        (best, from_best) = (cost + switch, from);
                    }
                }
            }
            next[to] = (best + own).min(NEVER);
            back[index * states + to] = from_best as u8;
        }
        std::mem::swap(&mut costs, &mut next);
    }
    let mut at = (0..states).min_by_key(|state| costs[*state]).unwrap_or(0);
    let mut path = vec![None; input.lengths.len()];
    for index in (0..path.len()).rev() {
        path[index] = (at < count).then_some(at);
        at = usize::from(back[index * states + at]);
    }
    path
}
