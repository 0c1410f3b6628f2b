//! What the history tells of a cause, as far as its ticket needs it: what became of it in this run, and for how many
//! nights it is gone.

use farmjank_results::cause_life::{CauseLine, Night, State, lines};
use farmjank_results::device::DeviceId;
use std::collections::BTreeSet;

/// A cause up to a run, by the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Life {
    /// What became of it in the run, in windows whose diagnosis tells.
    pub states: BTreeSet<State>,
    /// Phones on which the run has it as new.
    pub new_on: BTreeSet<DeviceId>,
    /// For how many nights it is gone.
    pub gone: Gone,
}

/// For how many nights a cause is gone from every line that ever had it.
#[derive(Clone, Debug, PartialEq)]
pub enum Gone {
    /// Of the line with the fewest: nights since it was last there whose diagnosis looked and did not find it.
    Nights(u32),
    /// None, or that cannot be told; why.
    No(String),
}

impl Default for Gone {
    fn default() -> Gone {
        Gone::No("the history has no night of it".to_owned())
    }
}

/// What all nights up to a run tell of a cause; nights of after it do not count.
pub fn life(fingerprint: &str, nights: &[Night], run: &str) -> Life {
    let Some(last) = nights.iter().rposition(|night| night.run == run) else {
        let why = "this run looked at no window in which it ever was, or is not in the history".to_owned();
        return Life { gone: Gone::No(why), ..Life::default() };
    };
    let lines = lines(fingerprint, &nights[..=last]);
    let mut life = Life { gone: gone(&lines), ..Life::default() };
    for night in lines.iter().flat_map(|line| &line.nights).filter(|night| night.run == run) {
        if let Ok(state) = night.state {
            life.states.insert(state);
            if state == State::New {
                life.new_on.extend(night.devices.iter().cloned());
            }
        }
    }
    life
}

/// A night that did not look neither counts nor starts the count again. Each line has nights of its own: scenarios that
/// run in turn are never all in one run.
fn gone(lines: &[CauseLine]) -> Gone {
    let mut fewest: Option<u32> = None;
    for line in lines {
        let told = line.nights.iter().rev().filter_map(|night| night.state.as_ref().ok());
        let count = told.take_while(|state| **state == State::Gone).count();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if count == 0 {
            return Gone::No(not_gone(line));
        }
        fewest = Some(fewest.map_or(count, |fewest| fewest.min(count)));
    }
    fewest.map_or_else(Gone::default, Gone::Nights)
}

/// Why a line says nothing of its being gone.
fn not_gone(line: &CauseLine) -> String {
    let place = format!("{} › {} on {}", line.spot.scenario, line.spot.window, line.spot.class);
    let last = line.nights.last().map(|night| &night.state);
    match last {
        Some(Err(why)) if line.nights.iter().any(|night| !night.devices.is_empty()) => {
            format!("since it was last there, no night looked again at {place}: {why}")
        }
        _ => format!("no night has found it gone from {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::cause_life::{Amount, SeenCause, SeenCauses, Spot, Under, WindowDiagnosis};
    use farmjank_results::hitch_causes::{Group, NamedCause};
    use farmjank_results::time::Span;

    /// A phone in a window: late frames of the lock, or that nobody looked.
    fn phone(window: &str, device: &str, frames: Option<u32>) -> WindowDiagnosis {
        let named = NamedCause {
            kind: "lock.monitor".to_owned(),
            group: Group::Waiting,
            title: String::new(),
            thread: "main".to_owned(),
            object: String::new(),
        };
        let motion = Span::from_ms(10_000);
        let cause = |frames: u32| SeenCause {
            fingerprint: "lock".to_owned(),
            named: named.clone(),
            amount: Amount {
                us: i64::from(frames) * 20_000,
                frames,
                squares: f64::from(frames) * 4e8,
                motion,
            },
        };
        let seen = frames.map(|frames| SeenCauses {
            motion,
            late_frames: frames,
            hitch_us: i64::from(frames) * 20_000,
            causes: (frames > 0).then(|| cause(frames)).into_iter().collect(),
            left_out_us: 0,
            methods: false,
        });
        WindowDiagnosis {
            spot: Spot {
                scenario: "Shop".to_owned(),
                window: window.to_owned(),
                class: "Pixel 8".to_owned(),
            },
            under: Under {
                hash: "h".to_owned(),
                app: "com.shop".to_owned(),
                build: "b".to_owned(),
                refresh: Some(120),
                simulated: false,
            },
            device: DeviceId(device.to_owned()),
            app_version: None,
            asked: frames.is_some(),
            seen: seen.ok_or_else(|| "it passed".to_owned()),
        }
    }

    fn nights(all: Vec<Vec<WindowDiagnosis>>) -> Vec<Night> {
        let night = |(at, windows): (usize, Vec<WindowDiagnosis>)| Night {
            run: format!("n{at}"),
            wall: format!("2026-03-0{}T02:00:00Z", at + 1),
            windows,
            ..Night::default()
        };
        all.into_iter().enumerate().map(night).collect()
    }

    #[test]
    fn nights_that_looked_and_did_not_find_it_count_and_nights_that_did_not_look_do_not() {
        let feed = |frames| vec![phone("feed", "A", frames)];
        let all = nights(vec![
            feed(Some(0)),
            feed(Some(20)),
            feed(Some(0)),
            feed(None),
            feed(Some(0)),
            feed(Some(0)),
            feed(Some(22)),
        ]);
        let gone = |run: &str| life("lock", &all, run).gone;
        assert!(matches!(gone("n1"), Gone::No(_)));
        assert_eq!((gone("n2"), gone("n3"), gone("n5")), (Gone::Nights(1), Gone::Nights(1), Gone::Nights(3)));
        assert!(matches!(gone("n6"), Gone::No(_)) && matches!(gone("n7"), Gone::No(_)));
        assert_eq!(life("lock", &all, "n1").new_on.len(), 1);
        assert_eq!(life("lock", &all, "n6").states, [State::Back].into());
    }

    #[test]
    fn every_window_that_ever_had_it_must_have_been_looked_at() {
        let both = |feed, calm| vec![phone("feed", "A", feed), phone("calm", "A", calm)];
        let mut all = nights(vec![
            both(Some(20), Some(20)),
            both(Some(0), None),
            both(Some(0), None),
            both(Some(0), Some(0)),
        ]);
        let of = |all: &[Night]| life("lock", all, &all[all.len() - 1].run).gone;
        let Gone::No(why) = of(&all[..3]) else { panic!("calm was not looked at") };
        assert!(why.contains("calm") && why.ends_with("it passed"), "{why}");
        assert_eq!(of(&all), Gone::Nights(1));
        // What a night cannot tell because the phone that had it did not run is not gone either.
        all[3].windows =
            vec![phone("feed", "A", Some(0)), phone("calm", "B", Some(0)), phone("calm", "A", None)];
        assert!(matches!(of(&all), Gone::No(_)));
    }
}
