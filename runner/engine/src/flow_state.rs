//! What the steps of one trial leave each other: values of scripts, the copied text, when the screen was last touched.

use crate::android::find::Wanted;
use crate::device_session::DeviceSession;
use farmjank_results::event::JobId;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_scenarios::selector::Selector;
use farmjank_scenarios::step::Random;
use farmjank_scenarios::template::{Expression, Template};
use farmjank_script::{ScriptError, Scripts, World};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Longest text that is typed from what was copied, characters.
const COPIED: usize = 4_096;

/// What one trial remembers from step to step.
pub struct FlowState {
    seed: u32,
    scripts: OnceCell<Scripts>,
    /// What the phone's clock said when the first script was asked for, ms since 1970.
    began: Cell<Option<(f64, Instant)>>,
    copied: RefCell<Option<String>>,
    touched: Cell<Instant>,
    drawn: Cell<u32>,
    shots: Cell<u32>,
}

impl FlowState {
    /// Of a trial that begins: what it draws differs from run to run, job to job and trial to trial.
    pub fn new(nonce: u64, (job, trial): (JobId, u32)) -> FlowState {
        let seed = [u64::from(job), u64::from(trial)]
            .iter()
            .fold(nonce, |seed, one| (seed ^ one).wrapping_mul(0x0100_0000_01b3));
        FlowState {
            seed: (seed ^ (seed >> 32)) as u32,
            scripts: OnceCell::new(),
            began: Cell::new(None),
            copied: RefCell::default(),
            touched: Cell::new(Instant::now()),
            drawn: Cell::new(0),
            shots: Cell::new(0),
        }
    }

    /// The screen was touched now: what is waited for is waited for from here.
    pub fn touched(&self) {
        self.touched.set(Instant::now());
    }

    /// Until when something is waited for that long after the last touch.
    pub fn until(&self, most: Duration) -> Instant {
        self.touched.get() + most
    }

    /// A number for the next picture.
    pub fn next_shot(&self) -> u32 {
        self.shots.replace(self.shots.get() + 1)
    }

    /// A template's text now.
    pub async fn text(&self, session: &DeviceSession<'_>, template: &Template) -> Result<String, Fault> {
        match template.fixed() {
            Some(text) => Ok(text.to_owned()),
            None => {
                self.know_time(session).await?;
                template.fill(&mut |source, variables| self.evaluate(source, variables))
            }
        }
    }

    /// A selector with its texts filled in and compiled.
    pub async fn wanted(&self, session: &DeviceSession<'_>, selector: &Selector) -> Result<Wanted, Fault> {
        // Only where a script is asked is the phone asked for its time.
        let mut late = false;
        let mut look = |template: &Template| {
            late |= template.fixed().is_none();
            Ok::<_, Fault>(String::new())
        };
        Wanted::new(selector, &mut look)?;
        if late {
            self.know_time(session).await?;
        }
        let mut fill =
            |template: &Template| template.fill(&mut |source, variables| self.evaluate(source, variables));
        Wanted::new(selector, &mut fill)
    }

    /// Runs a script file; what it said to `console`.
    pub async fn run(&self, session: &DeviceSession<'_>, script: &Expression) -> Result<Vec<String>, Fault> {
        self.know_time(session).await?;
        let variables = script.variables(&mut |source, variables| self.evaluate(source, variables))?;
        self.engine()?.run(&script.source, &variables).map_err(threw)
    }

    /// Takes note of a text.
    pub fn copy(&self, text: &str) -> Result<(), Fault> {
        let text: String = text.chars().take(COPIED).collect();
        if let Some(scripts) = self.scripts.get() {
            scripts.copied(&text).map_err(threw)?;
        }
        self.copied.replace(Some(text));
        Ok(())
    }

    /// What was noted last.
    pub fn copied(&self) -> Option<String> {
        self.copied.borrow().clone()
    }

    /// Something nobody asked for in particular, the same with the same seed.
    pub fn random(&self, what: Random) -> String {
        let letters = |from: &str, count: u32| -> String {
            let from: Vec<char> = from.chars().collect();
            (0..count).filter_map(|_| from.get(self.draw() as usize % from.len()).copied()).collect()
        };
        let word = |count: u32| {
            (0..count).map(|_| letters("bdfgklmnprstv", 1) + &letters("aeiou", 1)).collect::<String>()
        };
        let name = |count: u32| {
            let word = word(count);
            word[..1].to_uppercase() + &word[1..]
        };
        match what {
            Random::Text(count) => letters("abcdefghijklmnopqrstuvwxyz", count),
            Random::Number(count) => letters("0123456789", count),
            Random::Email => format!("{}{}@example.com", word(3), letters("0123456789", 3)),
            Random::PersonName => format!("{} {}", name(2), name(3)),
        }
    }

    /// SplitMix, 32 bit.
    fn draw(&self) -> u32 {
        let count = self.drawn.replace(self.drawn.get().wrapping_add(1)).wrapping_add(1);
        let mut mixed = self.seed.wrapping_add(count.wrapping_mul(0x9e37_79b9));
        mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x21f0_aaad);
        mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x735a_2d97);
        mixed ^ (mixed >> 15)
    }

    /// Asks the phone for its time, once: scripts have no clock of their own.
    async fn know_time(&self, session: &DeviceSession<'_>) -> Result<(), Fault> {
        if self.began.get().is_none() {
            let said = crate::android::say(&*session.device, "date +%s", session.patience().call).await?;
            let seconds = said.trim().parse::<f64>().unwrap_or(0.0);
            self.began.set(Some((seconds * 1e3, Instant::now())));
        }
        Ok(())
    }

    fn engine(&self) -> Result<&Scripts, Fault> {
        let (began, then) = self.began.get().unwrap_or((0.0, Instant::now()));
        let now_ms = began + then.elapsed().as_secs_f64() * 1e3;
        if let Some(scripts) = self.scripts.get() {
            return scripts.tick(now_ms).map(|()| scripts).map_err(threw);
        }
        let scripts = Scripts::new(World { seed: self.seed, now_ms }).map_err(threw)?;
        if let Some(text) = self.copied.borrow().as_deref() {
            scripts.copied(text).map_err(threw)?;
        }
        Ok(self.scripts.get_or_init(|| scripts))
    }

    fn evaluate(&self, source: &str, variables: &BTreeMap<String, String>) -> Result<String, Fault> {
        self.engine()?.evaluate(source, variables).map_err(threw)
    }
}

fn threw(error: ScriptError) -> Fault {
    let fault = Fault::new(FaultCode::ScriptFailed, format!("a script failed: {error}"));
    Fault { blame: Blame::Scenario, ..fault }
}

/// Whether a value counts as true, as in Maestro: not when it is empty, `false`, `null`, `undefined` or 0.
pub fn holds(value: &str) -> bool {
    let value = value.trim();
    let no =
        value.is_empty() || value.eq_ignore_ascii_case("false") || value == "null" || value == "undefined";
    !no && value.parse::<f64>() != Ok(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_true_is_maestros() {
        let no = ["", " ", "false", "False", "null", "undefined", "0", "0.0", "-0"];
        assert!(no.iter().all(|value| !holds(value)), "{no:?}");
        let yes = ["true", "1", "no", "NaN", "[object Object]"];
        assert!(yes.iter().all(|value| holds(value)), "{yes:?}");
    }

    #[tokio::test]
    async fn random_words_repeat_with_their_seed_and_differ_from_each_other() {
        let words = |seed| {
            let flow = FlowState::new(seed, (0, 0));
            [Random::Text(8), Random::Text(8), Random::Number(4), Random::Email, Random::PersonName]
                .map(|what| flow.random(what))
        };
        let first = words(7);
        assert_eq!(first, words(7));
        assert_ne!(first, words(8));
        assert_ne!(first[0], first[1]);
        assert!(
            first[0].len() == 8 && first[2].parse::<u32>().is_ok() && first[3].ends_with("@example.com"),
            "{first:?}"
        );
    }
}
