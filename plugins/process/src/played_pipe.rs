//! A plugin for tests: says what it is told to, on a clock that moves only while somebody waits.

use crate::pipe::{Backlog, Exit, Heard, Parting, Pipe};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// What it does next.
#[derive(Clone, Copy)]
pub enum Say {
    Now(&'static str),
    /// After so many ms of waiting.
    After(u64, &'static str),
    Close,
}

#[derive(Default)]
struct State {
    says: VecDeque<Say>,
    now: Duration,
    told: Vec<u8>,
    parted: Vec<u64>,
    full: bool,
    /// What a look costs that waits for nothing.
    tick: Duration,
}

/// The plugin; a clone is the same one.
#[derive(Clone)]
pub struct Played(Rc<RefCell<State>>);

impl Played {
    pub fn new(says: Vec<Say>) -> Played {
        Played(Rc::new(RefCell::new(State { says: says.into(), ..State::default() })))
    }

    /// The same, on a clock that moves by so many ms with each look.
    pub fn ticking(self, ms: u64) -> Played {
        self.0.borrow_mut().tick = Duration::from_millis(ms);
        self
    }

    pub fn told(&self) -> String {
        String::from_utf8(self.0.borrow().told.clone()).unwrap()
    }

    pub fn elapsed_ms(&self) -> u128 {
        self.0.borrow().now.as_millis()
    }

    /// How many ms it was given to leave, each time.
    pub fn parted(&self) -> Vec<u64> {
        self.0.borrow().parted.clone()
    }

    /// It takes nothing more.
    pub fn fill(&self) {
        self.0.borrow_mut().full = true;
    }
}

impl Pipe for Played {
    fn send(&mut self, bytes: &[u8]) -> Result<(), Backlog> {
        let mut state = self.0.borrow_mut();
        state.told.extend_from_slice(bytes);
        if state.full { Err(Backlog) } else { Ok(()) }
    }

    fn hear(&mut self, within: Duration) -> Heard {
        let state = &mut *self.0.borrow_mut();
        let within = within.max(state.tick);
        match state.says.pop_front() {
            Some(Say::Now(line)) => Heard::Line(line.as_bytes().to_vec()),
            Some(Say::Close) => Heard::Closed,
            Some(Say::After(ms, line)) => {
                let due = Duration::from_millis(ms);
                if due <= within {
                    state.now += due;
                    return Heard::Line(line.as_bytes().to_vec());
                }
                let left = due - within;
                state.says.push_front(Say::After(u64::try_from(left.as_millis()).unwrap(), line));
                state.now += within;
                Heard::Nothing
            }
            None => {
                state.now += within;
                Heard::Nothing
            }
        }
    }

    fn elapsed(&self) -> Duration {
        self.0.borrow().now
    }

    fn part(&mut self, within: Duration) -> Parting {
        let ms = u64::try_from(within.as_millis()).unwrap();
        self.0.borrow_mut().parted.push(ms);
        Parting { exit: Exit::Code(1), left_behind: false, last_words: "oh\u{1b} no".to_owned() }
    }
}
