//! What a comparison of two builds takes before it can end as a pass: said before anything is measured.
//!
//! Knows spreads, not how they were learnt; phones share what has to be measured of their model. Hitch time in ms/s,
//! motion in s.

use super::ab_schedule::AbRules;
use super::effect::{Effect, customary};
use crate::metric::Unit;
use farmjank_statistics::beyond::least_to_rule_out;
use farmjank_statistics::needed::{Moves, each, sd_to_pass, to_pass};
use farmjank_statistics::state::MINIMUM;
use std::collections::BTreeMap;

/// Chance that every cell of the run ends as a pass when nothing changed.
const ALL_PASS: f64 = 0.95;
/// Chance that a new iteration is terrible by mere chance, worse than the old build's worst by what matters: at most a
/// half, since the worst of both builds is as often the old one's.
const TERRIBLE: f64 = 0.5;
/// Hitches of a phone nobody calibrated, per second of motion: one in three seconds, as on a good 60 Hz phone.
const HITCHES: f64 = 1.0 / 3.0;
/// Mean square of a hitch in vsyncs of 60 Hz, of the tail of the noise model: P(length >= k) = k^-1.8 up to 42.
const SQUARE: f64 = 10.4;
/// What a faster panel makes of that square: it shows the end of a hitch sooner.
const FASTER: f64 = 0.58;
/// Refresh rate above which a panel is fast, Hz.
const FAST: f64 = 75.0;
/// Terrible iterations beyond which no more are planned for.
const MOST_TERRIBLE: usize = 12;
/// One vsync of 60 Hz, ms.
const VSYNC60: f64 = 1_000.0 / 60.0;
/// Iterations the assumed noise weighs as much as, beside what a calibration measured: a few quiet ones prove no
/// silence.
const PRIOR: f64 = 10.0;
/// Hitch time of a phone nobody measured, where a scenario says what matters as a share of it, ms/s.
const LEVEL: f64 = 9.0;

/// What is known of a cell that decides, before it is measured. Its key takes four fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Scenario.
    pub scenario: String,
    /// Window.
    pub window: String,
    /// Model of its phones.
    pub model: String,
    /// Fastest refresh rate of the panel, Hz.
    pub refresh: f64,
    /// Phones of that model that are measured.
    pub phones: u32,
    /// Time in motion of one iteration, s.
    pub motion: f64,
    /// The least change that matters, where the scenario says one.
    pub effect: Option<Effect>,
    /// What a calibration found.
    pub calibrated: Option<Calibrated>,
    /// Mean hitch time of its last sessions, ms/s.
    pub level: Option<f64>,
}

/// The noise of a cell, as calibrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated {
    /// Standard deviation between iterations, ms/s.
    pub sd: f64,
    /// Iterations it rests on.
    pub iterations: u64,
}

/// What it takes until a cell most likely ends as a pass, when nothing changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// What it is about.
    pub of: Expected,
    /// How much iterations are thought to differ, ms/s.
    pub sd: f64,
    /// The least change that matters, ms/s.
    pub mei: f64,
    /// Iterations of each build and phone that will be measured at most.
    pub planned: u32,
    /// Iterations of each build and phone it takes in all; none where ten thousand would not do.
    pub iterations: Option<u32>,
    /// The same for one look, which is what `--iterations` says.
    pub per_look: Option<u32>,
    /// With how many iterations of each build and phone a window of how much motion would do instead, s.
    pub window: Option<(u32, f64)>,
}

/// How much iterations differ on a phone nobody calibrated, ms/s: a hitch in three seconds of motion, with the tail of
/// the noise model.
pub(crate) fn assumed_sd(refresh: f64, motion: f64) -> f64 {
    let square = SQUARE * VSYNC60 * VSYNC60 * if refresh > FAST { FASTER } else { 1.0 };
    (HITCHES * square / motion).sqrt()
}

impl Expected {
    fn sd(&self) -> f64 {
        let assumed = assumed_sd(self.refresh, self.motion);
        let Some(known) = self.calibrated else { return assumed };
        let count = known.iterations as f64;
        ((count * known.sd * known.sd + PRIOR * assumed * assumed) / (count + PRIOR)).sqrt()
    }

    fn mei(&self) -> f64 {
        let level =
            self.level.unwrap_or(if matches!(self.effect, Some(Effect::Percent(_))) { LEVEL } else { 0.0 });
        self.effect.map_or_else(|| customary(Some(Unit::MsPerS)), Effect::mei).of(level)
    }
}

/// Iterations that let a cell pass although some are terrible by mere chance: noise makes one in `TERRIBLE` of the
/// cells that are as noisy as what matters, each further one half as often, and every one of them takes more iterations
/// to rule a rare stutter out.
fn rare(sd: f64, mei: f64, chance: f64) -> u32 {
    let one = TERRIBLE * sd / (sd + mei);
    let by_chance =
        |count: &usize| one * 0.5f64.powi(i32::try_from(*count).unwrap_or(i32::MAX)) <= 1.0 - chance;
    let count = (0..MOST_TERRIBLE).find(by_chance).unwrap_or(MOST_TERRIBLE);
    u32::try_from(least_to_rule_out(count)).unwrap_or(u32::MAX)
}

/// What every cell of a run takes; `ab_rules` has the iterations that are planned. Cells without motion are left out:
/// launches have a noise of their own.
pub fn needs(cells: Vec<Expected>, ab_rules: impl Fn(&Expected) -> AbRules) -> Vec<Need> {
    let moving: Vec<Expected> = cells.into_iter().filter(|cell| cell.motion > 0.0).collect();
    let chance = each(ALL_PASS, moving.len());
    // Most cells of a plan are alike, and the answer takes a while.
    let mut known: BTreeMap<[u64; 3], (Option<u32>, Option<f64>, u32)> = BTreeMap::new();
    let need = |of: Expected| {
        let ab_rules = AbRules { phones: of.phones, ..ab_rules(&of) };
        let sd = of.sd();
        let mei = of.mei();
        let phones = of.phones.max(1);
        let fewest = u32::try_from(MINIMUM).unwrap_or(u32::MAX);
        let shared = |all: u32| all.div_ceil(phones).max(fewest);
        // What screening clears it clears alone; looks add up.
        let sections = ab_rules.sections();
        let looks = if ab_rules.screens() { 1 } else { sections.len() as u32 };
        let planned: u32 = sections.iter().take(looks as usize).map(|(_, count)| count).sum();
        let place = [sd.to_bits(), mei.to_bits(), u64::from(planned) << 32 | u64::from(phones)];
        let (all, quiet, least) = *known.entry(place).or_insert_with(|| {
            let least = rare(sd, mei, chance);
            let all = to_pass(Moves::of(sd), mei, chance).and_then(|all| u32::try_from(all).ok());
            let enough = shared(least).max(planned).saturating_mul(phones) as usize;
            (all, sd_to_pass(mei, enough, chance).filter(|quiet| *quiet > 0.0), least)
        });
        let iterations = all.map(|all| shared(all.max(least)));
        let window = quiet.map(|quiet| (shared(least).max(planned), of.motion * (sd / quiet).powi(2)));
        let per_look = iterations.map(|all| all.div_ceil(looks).max(fewest));
        Need { sd, mei, planned, iterations, per_look, window, of }
    };
    moving.into_iter().map(need).collect()
}

impl Need {
    /// Whether what is planned will most likely do.
    pub fn is_met(&self) -> bool {
        self.iterations.is_some_and(|all| all <= self.planned)
    }

    /// `0.7 s of motion an iteration, which differ by 31 ms/s … takes 340 iterations of each build, or windows of 8.1 s
    /// of motion at 30`.
    pub fn words(&self) -> String {
        let noise = match self.of.calibrated {
            Some(known) => format!("calibrated on {} iterations", known.iterations),
            None => "assumed; `farmjank calibrate` measures it".to_owned(),
        };
        let each = if self.of.phones > 1 { " and phone" } else { "" };
        let takes = match self.iterations {
            Some(all) => format!("{all} iterations of each build{each}"),
            None => "more iterations than anybody measures".to_owned(),
        };
        let window = match self.window {
            Some((at, seconds)) if !self.is_met() => {
                format!(", or windows of {seconds:.1} s of motion at {at}")
            }
            _ => String::new(),
        };
        format!(
            "{:.1} s of motion an iteration, which differ by {:.0} ms/s when nothing changed ({noise}): to rule out {:.0} ms/s takes {takes}{window}",
            self.of.motion, self.sd, self.mei
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(refresh: f64, motion: f64, phones: u32) -> Expected {
        Expected {
            scenario: "Search".to_owned(),
            window: "fling".to_owned(),
            model: "Pixel 8".to_owned(),
            refresh,
            phones,
            motion,
            effect: None,
            calibrated: None,
            level: None,
        }
    }

    fn need(of: Expected, iterations: u32) -> Need {
        needs(vec![of], |_| AbRules::of(iterations)).remove(0)
    }

    #[test]
    fn a_short_window_is_told_what_it_takes_before_it_is_measured() {
        let short = need(cell(60.0, 0.7, 1), 15);
        assert!(!short.is_met() && short.planned == 45, "{short:?}");
        let all = short.iterations.expect("a number");
        assert!(all > 300, "{short:?}");
        // What it advises is enough, and so is the other way out.
        assert!(need(cell(60.0, 0.7, 1), short.per_look.expect("a number")).is_met());
        let (at, seconds) = short.window.expect("a window");
        assert!(at >= 45 && need(cell(60.0, seconds * 1.02, 1), at.div_ceil(3)).is_met(), "{at} {seconds}");
        assert!(
            short.words().contains("0.7 s of motion") && short.words().contains("assumed"),
            "{}",
            short.words()
        );
    }

    #[test]
    fn phones_of_a_model_share_what_it_takes() {
        let (one, ten) = (need(cell(120.0, 2.0, 1), 5), need(cell(120.0, 2.0, 10), 5));
        let (one, ten) = (one.iterations.expect("one"), ten.iterations.expect("ten"));
        assert!(ten <= one.div_ceil(10).max(5) && ten >= 5, "{one} {ten}");
    }

    #[test]
    fn a_calibration_counts_by_its_iterations_and_silence_proves_little() {
        let with = |sd, iterations| Expected {
            calibrated: Some(Calibrated { sd, iterations }),
            ..cell(60.0, 2.0, 1)
        };
        let sd = |of: Expected| need(of, 15).sd;
        let assumed = assumed_sd(60.0, 2.0);
        assert!((sd(cell(60.0, 2.0, 1)) - assumed).abs() < 1e-9);
        // Ten iterations without spread against the assumed noise of ten: half the variance.
        assert!((sd(with(0.0, 10)) - assumed / 2.0f64.sqrt()).abs() < 1e-9);
        assert!((sd(with(5.0, 100_000)) - 5.0).abs() < 0.1);
        assert!(need(with(5.0, 100_000), 15).words().contains("calibrated on 100000"));
    }

    #[test]
    fn many_cells_that_should_all_pass_take_more_and_windows_without_motion_are_not_told() {
        let many: Vec<Expected> = (0..20).map(|_| cell(60.0, 6.0, 1)).collect();
        let all = needs(many, |_| AbRules { screen: Some(false), ..AbRules::of(15) });
        assert!(all[0].iterations > need(cell(60.0, 6.0, 1), 15).iterations);
        assert_eq!(needs(vec![cell(60.0, 0.0, 1)], |_| AbRules::of(15)), []);
    }

    #[test]
    fn what_looks_like_a_rare_stutter_by_chance_is_planned_for() {
        // Twenty-nine without one, and more for every one that chance may bring.
        let all: Vec<u32> = [0.0, 1.0, 3.0, 10.0, 100.0].map(|sd| rare(sd, 10.0, 0.95)).to_vec();
        assert!(all[0] == 29 && all.windows(2).all(|pair| pair[0] <= pair[1]) && all[4] > 60, "{all:?}");
        assert!(rare(3.0, 10.0, 0.999) > rare(3.0, 10.0, 0.95));
    }

    #[test]
    fn a_scenarios_own_effect_and_the_level_it_is_a_share_of_count() {
        let mei = |effect, level| need(Expected { effect, level, ..cell(60.0, 6.0, 1) }, 15).mei;
        assert_eq!(mei(None, None), 10.0);
        assert_eq!(mei(None, Some(100.0)), 40.0);
        assert_eq!(mei(Some(Effect::Plain(20.0)), None), 20.0);
        assert_eq!(mei(Some(Effect::Percent(50.0)), Some(30.0)), 15.0);
    }
}
