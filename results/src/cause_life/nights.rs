//! One cause over many nights of a history: in each window and class of phones where it ever was, night by night.
//!
//! What it was is the level of all nights since it last changed, together. Only a night whose diagnosis would show it
//! says that it is gone; a night that did not look says nothing, and changes nothing.

use super::diagnosis::{Spot, WindowDiagnosis};
use super::side::{PhonesAsked, Side};
use super::{Amount, State};
use crate::device::DeviceId;
use std::collections::{BTreeMap, BTreeSet};

/// A run of a history, with what it tells of windows in which the cause ever was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Night {
    /// Id of the run.
    pub run: String,
    /// Wall time of its start, RFC 3339 in UTC.
    pub wall: String,
    /// What tells runs apart: branch, commit.
    pub labels: BTreeMap<String, String>,
    /// Its windows, phone by phone.
    pub windows: Vec<WindowDiagnosis>,
}

/// A cause in one night. One field for each thing that is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseNight {
    /// Id of the run.
    pub run: String,
    /// Wall time of its start.
    pub wall: String,
    /// What tells runs apart.
    pub labels: BTreeMap<String, String>,
    /// Version of the app, where a phone knows it.
    pub app_version: Option<String>,
    /// The phones of the class.
    pub phones: PhonesAsked,
    /// Those that have it.
    pub devices: Vec<DeviceId>,
    /// How much of it there is, which may be nothing; none where that is not known.
    pub amount: Option<Amount>,
    /// What became of it, or why that cannot be told.
    pub state: Result<State, String>,
    /// Where it is gone: how probable it is that the night missed it by chance, 0..=1.
    pub chance: Option<f64>,
}

/// A cause in one window on phones of one class, over the nights of one content of the scenario at one refresh rate.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseLine {
    /// The window and the class.
    pub spot: Spot,
    /// Hash of the scenario's content (hex): another content is another line.
    pub hash: String,
    /// Refresh rate, whole Hz; none where no night knows one.
    pub refresh: Option<u32>,
    /// Call stacks named methods: the same code and waits are called otherwise without, in a line of their own.
    pub methods: bool,
    /// The nights, oldest first.
    pub nights: Vec<CauseNight>,
}

/// The life of a cause: a line for each window and class in which it ever was, in order; nights are given oldest first.
pub fn lines(fingerprint: &str, nights: &[Night]) -> Vec<CauseLine> {
    let has = |one: &&WindowDiagnosis| {
        one.seen.as_ref().is_ok_and(|seen| seen.causes.iter().any(|cause| cause.fingerprint == fingerprint))
    };
    let all = nights.iter().flat_map(|night| &night.windows).filter(has);
    let methods = |one: &WindowDiagnosis| one.seen.as_ref().is_ok_and(|seen| seen.methods);
    let keys: BTreeSet<Asked<'_>> =
        all.map(|one| (&one.spot, one.under.hash.as_str(), one.under.refresh, methods(one))).collect();
    let ever = |line: &CauseLine| line.nights.iter().any(|night| !night.devices.is_empty());
    keys.into_iter().map(|key| line(fingerprint, key, nights)).filter(ever).collect()
}

/// What nights of a line have in common: the window and class, the content of the scenario, the rate, and whether call
/// stacks named methods.
type Asked<'a> = (&'a Spot, &'a str, Option<u32>, bool);

fn line(print: &str, (spot, hash, refresh, methods): Asked<'_>, nights: &[Night]) -> CauseLine {
    // Of a phone of which nothing is known, its rate says nothing either.
    let same = |one: &WindowDiagnosis| {
        let Ok(seen) = &one.seen else { return true };
        one.under.refresh == refresh && seen.methods == methods
    };
    let of_line = |one: &&WindowDiagnosis| one.spot == *spot && one.under.hash == hash && same(one);
    let mut life = Life::new();
    let mut told = Vec::new();
    for night in nights {
        let rows: Vec<&WindowDiagnosis> = night.windows.iter().filter(of_line).collect();
        if !rows.is_empty() {
            let app_version = rows.iter().find_map(|one| one.app_version.clone());
            let (run, wall, labels) = (night.run.clone(), night.wall.clone(), night.labels.clone());
            told.push(CauseNight { run, wall, labels, app_version, ..life.night(print, Side::of(&rows)) });
        }
    }
    CauseLine { spot: spot.clone(), hash: hash.to_owned(), refresh, methods, nights: told }
}

/// How a cause stands after the nights so far.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    /// It was never there.
    Unseen,
    There,
    Gone,
}

/// What is known of a cause so far.
struct Life<'a> {
    standing: Standing,
    /// How much there was in all nights since the last change, and the last of them; none before a night told.
    level: Option<(Amount, Side<'a>)>,
    /// The phones that had it last; empty before it was there.
    on: Vec<&'a DeviceId>,
}

/// What a night tells, in words of its own.
type Told = (Result<State, String>, Option<f64>);

impl<'a> Life<'a> {
    fn new() -> Life<'a> {
        Life { standing: Standing::Unseen, level: None, on: Vec::new() }
    }

    fn night(&mut self, print: &str, side: Side<'a>) -> CauseNight {
        let mut night = CauseNight {
            run: String::new(),
            wall: String::new(),
            labels: BTreeMap::new(),
            app_version: None,
            phones: side.asked(),
            devices: side.on(print).into_iter().cloned().collect(),
            amount: None,
            state: Err("no phone was looked at".to_owned()),
            chance: None,
        };
        if side.told.is_empty() {
            night.state =
                night.state.map_err(|no| side.blind.first().map_or(no, |(_, why)| (*why).to_owned()));
            return night;
        }
        // A night in which it may be there and does not show says nothing, and changes nothing.
        let amount = side.amount(print);
        if let (false, Some(why)) = (amount.is_there(), side.may_have(print, &self.on, "this night")) {
            night.state = Err(why);
            return night;
        }
        night.amount = Some(amount);
        (night.state, night.chance) = self.take(print, side, amount);
        night
    }

    fn take(&mut self, print: &str, side: Side<'a>, now: Amount) -> Told {
        let on = side.on(print);
        let not_yet = || Err("it was not there yet".to_owned());
        let Some((level, last)) = self.level.take() else {
            self.level = Some((now, side));
            if !now.is_there() {
                return (not_yet(), None);
            }
            (self.standing, self.on) = (Standing::There, on);
            return (Err("it is the first night that looked".to_owned()), None);
        };
        let mut chance = None;
        let state = if self.standing == Standing::There {
            if now.is_absent(&level) {
                self.standing = Standing::Gone;
                chance = Some(level.missed_by_chance(&now));
                Ok(State::Gone)
            } else {
                Ok(now.since(&level))
            }
        } else if now.is_there() && (level.is_absent(&now) || now.since(&level) == State::Grown) {
            let state = match self.standing {
                Standing::Gone => Ok(State::Back),
                _ => last.may_have(print, &on, "the night before").map_or(Ok(State::New), Err),
            };
            self.standing = Standing::There;
            self.level = Some((now, side));
            self.on = on;
            return (state, None);
        } else {
            let same = if self.standing == Standing::Gone { Ok(State::Gone) } else { not_yet() };
            self.level = Some((level.plus(now), side));
            return (same, None);
        };
        if self.standing == Standing::There && !on.is_empty() {
            self.on = on;
        }
        let level = if state == Ok(State::Known) { level.plus(now) } else { now };
        self.level = Some((level, side));
        (state, chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause_life::samples::{blind, told};

    fn night(number: usize, windows: Vec<WindowDiagnosis>) -> Night {
        let (run, wall) = (format!("run-{number}"), format!("2026-03-0{}T02:00:00Z", number + 1));
        Night { run, wall, windows, ..Night::default() }
    }

    /// The states of the only line of the lock, night by night.
    fn states(nights: Vec<Vec<WindowDiagnosis>>) -> Vec<Result<State, String>> {
        let nights: Vec<Night> = nights.into_iter().enumerate().map(|(at, all)| night(at, all)).collect();
        let mut lines = lines("lock", &nights);
        assert_eq!(lines.len(), 1);
        lines.remove(0).nights.into_iter().map(|night| night.state).collect()
    }

    #[test]
    fn a_cause_is_new_known_grown_gone_and_back() {
        let phone = |frames: u32| vec![told("A", &[("lock", frames)])];
        let clean = || vec![told("A", &[("other", 3)])];
        let all = states(vec![clean(), phone(10), phone(12), phone(40), clean(), clean(), phone(11)]);
        let not_yet = Err("it was not there yet".to_owned());
        let told = [State::New, State::Known, State::Grown, State::Gone, State::Gone, State::Back].map(Ok);
        assert_eq!(all, [vec![not_yet], told.to_vec()].concat());
    }

    #[test]
    fn a_level_is_of_all_nights_since_the_last_change() {
        let phone = |frames: u32| vec![told("A", &[("lock", frames)])];
        // Against the night before alone, this is what chance gives; against five like it, it is not.
        let alone = states(vec![phone(10), phone(24)]);
        let many = states(vec![phone(10), phone(10), phone(10), phone(10), phone(10), phone(24)]);
        assert_eq!((alone.last(), many.last()), (Some(&Ok(State::Known)), Some(&Ok(State::Known))));
        let more = states(vec![phone(10), phone(10), phone(10), phone(10), phone(10), phone(29)]);
        assert_eq!(
            (states(vec![phone(10), phone(28)]).last(), more.last()),
            (Some(&Ok(State::Known)), Some(&Ok(State::Grown)))
        );
    }

    #[test]
    fn a_night_that_did_not_look_says_nothing_and_changes_nothing() {
        let phone = || vec![told("A", &[("lock", 10)])];
        let unseen = || vec![blind("A", "it passed")];
        let all = states(vec![unseen(), phone(), unseen(), phone(), vec![told("A", &[])], unseen(), phone()]);
        let passed = Err("it passed".to_owned());
        let first = Err("it is the first night that looked".to_owned());
        let expected = [
            passed.clone(),
            first,
            passed.clone(),
            Ok(State::Known),
            Ok(State::Gone),
            passed,
            Ok(State::Back),
        ];
        assert_eq!(all, expected);
        // One of two phones ran and was not seen: that it is gone from the other one says nothing of it.
        let two = |one: WindowDiagnosis| vec![one, told("B", &[])];
        let all = states(vec![two(told("A", &[("lock", 10)])), two(blind("A", "it passed"))]);
        assert!(all[1].as_ref().is_err_and(|why| why.contains("A has it")), "{all:?}");
    }

    #[test]
    fn nights_with_call_stacks_and_without_are_lines_of_their_own() {
        let with = |mut one: WindowDiagnosis| {
            one.seen.iter_mut().for_each(|seen| seen.methods = true);
            one
        };
        let nights = [
            night(1, vec![told("A", &[("lock", 6)])]),
            night(2, vec![with(told("A", &[("lock", 6)]))]),
            night(3, vec![with(told("A", &[]))]),
        ];
        let lines = lines("lock", &nights);
        let seen: Vec<(bool, usize)> = lines.iter().map(|line| (line.methods, line.nights.len())).collect();
        assert_eq!(seen, [(false, 1), (true, 2)]);
    }

    #[test]
    fn another_content_of_the_scenario_is_another_line() {
        let mut edited = told("A", &[("lock", 10)]);
        edited.under.hash = "other".to_owned();
        let nights = [night(0, vec![told("A", &[("lock", 10)])]), night(1, vec![edited])];
        let lines = lines("lock", &nights);
        assert_eq!(lines.iter().map(|line| line.nights.len()).collect::<Vec<_>>(), [1, 1]);
        assert!(super::lines("never seen", &nights).is_empty());
        let mut crumbs = told("A", &[("lock", 1)]);
        crumbs.seen.as_mut().expect("told").causes[0].amount.us = 9;
        assert!(super::lines("lock", &[night(0, vec![crumbs])]).is_empty());
    }
}
