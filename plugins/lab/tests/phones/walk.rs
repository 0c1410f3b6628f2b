//! Walks one phone through commands on lab time.

use farmjank_lab::phone::{Answer, LabTime, Phone};
use farmjank_lab::spec::PhoneSpec;

/// A phone and the time.
pub struct Walk {
    /// The phone.
    pub phone: Phone,
    /// Now.
    pub now: LabTime,
}

/// A phone of an archetype as it comes.
pub fn phone(archetype: &str, seed: u64) -> Walk {
    with(PhoneSpec { archetype: archetype.into(), ..PhoneSpec::default() }, seed)
}

/// A described phone.
pub fn with(spec: PhoneSpec, seed: u64) -> Walk {
    Walk { phone: Phone::new(&spec, "TEST0001".into(), seed).unwrap(), now: LabTime(0) }
}

impl Walk {
    /// Runs a command to its end; words are separated by spaces, single quotes hold words together.
    pub fn answer(&mut self, line: &str) -> Answer {
        let running =
            self.phone.begin(self.now, &words(line)).unwrap_or_else(|| panic!("no program: {line}"));
        self.now = self.now + running.takes;
        while let Some(longer) = self.phone.longer(self.now, &running) {
            self.now = self.now + longer;
        }
        self.phone.finish(self.now, running)
    }

    /// Its standard output.
    pub fn run(&mut self, line: &str) -> String {
        String::from_utf8(self.answer(line).out).unwrap()
    }

    /// Lets time pass.
    pub fn wait(&mut self, ms: i64) -> &mut Self {
        self.now = LabTime(self.now.ns() + ms * 1_000_000);
        self
    }

    /// CLOCK_MONOTONIC now.
    pub fn mono(&self) -> i64 {
        self.phone.monotonic_ns(self.now)
    }

    /// Starts the shop's page by link and waits until it is at rest.
    pub fn open(&mut self, link: &str) {
        let text = self.run(&format!("am start -W -a android.intent.action.VIEW -d {link} com.example.shop"));
        assert!(text.contains("Status: ok"), "{text}");
        self.wait(900);
    }

    /// One fling upwards in the middle of the screen, and the time it needs to come to rest.
    pub fn fling(&mut self) {
        let text = self.answer("input swipe 540 1500 540 500 200");
        assert_eq!(text.status, 0);
        self.wait(1_500);
    }

    /// Names of layers with this text, unwrapped.
    pub fn layers(&mut self, part: &str) -> Vec<String> {
        let text = self.run("dumpsys SurfaceFlinger --list");
        text.lines().map(crate::readers::unwrapped).filter(|name| name.contains(part)).collect()
    }

    /// The layer that shows the activity's own content.
    pub fn main_layer(&mut self, activity: &str) -> String {
        let starts = format!("com.example.shop/com.example.shop{activity}");
        self.layers(&starts).into_iter().find(|name| name.starts_with(&starts)).unwrap()
    }
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut quoted, mut any) = (false, false);
    for letter in line.chars() {
        match letter {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            other => word.push(other),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}
