//! What a scenario, or a user, wants changed on phones while it runs there (docs/prepare.md). Must not know how a phone
//! is changed, nor what it is set to.

use std::fmt;

/// Charge below which nothing is measured, percent: from 20 down phones begin to save power by themselves.
const LEAST_CHARGE: u32 = 20;

/// The refresh rate a panel is pinned to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RefreshRate {
    /// The fastest it has.
    Highest,
    /// This one, Hz.
    Hz(f64),
}

impl RefreshRate {
    /// Reads `highest`, `60`, `119.88`; none of 1 to 480 Hz: nothing.
    pub fn parse(text: &str) -> Option<RefreshRate> {
        let text = text.trim();
        if text == "highest" {
            return Some(RefreshRate::Highest);
        }
        text.parse().ok().filter(|hz| (1.0..=480.0).contains(hz)).map(RefreshRate::Hz)
    }
}

/// What is wanted. One field for each thing that can be; none: nobody says anything about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prepare {
    /// The three animation scales, 0 to 10.
    pub animations: Option<f64>,
    /// The rate the panel is pinned to.
    pub refresh_rate: Option<RefreshRate>,
    /// Battery saver on or off.
    pub battery_saver: Option<bool>,
    /// Keep the screen on.
    pub stay_awake: Option<bool>,
    /// Charge below which nothing is measured, percent.
    pub min_battery: Option<u32>,
}

/// Why a text is no wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoWish(String);

impl fmt::Display for NoWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoWish {}

impl Prepare {
    /// Charge below which nothing is measured, percent.
    pub fn least_charge(&self) -> u32 {
        self.min_battery.unwrap_or(LEAST_CHARGE)
    }

    /// Whether the screen may be kept on.
    pub fn keeps_awake(&self) -> bool {
        self.stay_awake.unwrap_or(true)
    }

    /// These wishes, and `other`'s where these say nothing.
    #[must_use]
    pub fn or(self, other: Prepare) -> Prepare {
        Prepare {
            animations: self.animations.or(other.animations),
            refresh_rate: self.refresh_rate.or(other.refresh_rate),
            battery_saver: self.battery_saver.or(other.battery_saver),
            stay_awake: self.stay_awake.or(other.stay_awake),
            min_battery: self.min_battery.or(other.min_battery),
        }
    }

    /// The same without any change to a phone.
    #[must_use]
    pub fn untouched(self) -> Prepare {
        Prepare { stay_awake: Some(false), min_battery: self.min_battery, ..Prepare::default() }
    }

    /// Reads one wish of a command line into it: `animations=1`, `refresh_rate=highest`, `battery_saver=off`,
    /// `stay_awake=no`, `min_battery=10`.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub fn take(&mut self, wish: &str) -> Result<(), NoWish> {
        const KEYS: &str = "animations=1, refresh_rate=60 (or highest), battery_saver=off, stay_awake=off, min_battery=10 and none";
        let (key, value) = wish.split_once('=').unwrap_or((wish, ""));
        let (key, value) = (key.trim(), value.trim());
        let takes = |what: &str| NoWish(format!("{key} takes {what}, not `{value}`"));
        let flag = || match value {
            "on" | "yes" | "true" => Ok(Some(true)),
            "off" | "no" | "false" => Ok(Some(false)),
            _ => Err(takes("on or off")),
        };
        match key {
            "animations" => {
                let scale = value.parse().ok().filter(|scale| (0.0..=10.0).contains(scale));
                self.animations = Some(scale.ok_or_else(|| takes("a scale from 0 to 10"))?);
            }
            "refresh_rate" => {
                let rate = RefreshRate::parse(value);
                self.refresh_rate = Some(rate.ok_or_else(|| takes("a rate in Hz, or `highest`"))?);
            }
            "battery_saver" => self.battery_saver = flag()?,
            "stay_awake" => self.stay_awake = flag()?,
            "min_battery" => {
                let percent = value.parse().ok().filter(|percent| *percent <= 100);
                self.min_battery = Some(percent.ok_or_else(|| takes("percent from 0 to 100"))?);
            }
            _ => return Err(NoWish(format!("`{wish}` is nothing that can be prepared; there are {KEYS}"))),
        }
        Ok(())
    }
}

/// Wishes of a command line or of a file: they stand above what a scenario says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// `none` is among them: what the scenario says does not count.
    none: bool,
    own: Prepare,
    /// As they were written.
    said: Vec<String>,
}

impl fmt::Display for Wishes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said.join(", "))
    }
}

impl Wishes {
    /// Reads them, `none` or as [`Prepare::take`] does.
    ///
    /// # Errors
    /// The first that is none.
    pub fn read<'t>(texts: impl IntoIterator<Item = &'t str>) -> Result<Wishes, NoWish> {
        let mut wishes = Wishes::default();
        for text in texts {
            wishes.said.push(text.to_owned());
            match text {
                "none" => wishes.none = true,
                text => wishes.own.take(text)?,
            }
        }
        Ok(wishes)
    }

    /// What is wanted where a scenario, or somebody else, wants this.
    pub fn over(&self, other: Prepare) -> Prepare {
        self.own.or(if self.none { other.untouched() } else { other })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// As they were written: reading them gives the same.
    pub fn said(&self) -> &[String] {
        &self.said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_and_those_given_first_count() {
        let mut own = Prepare::default();
        for wish in ["animations=0.5", "refresh_rate=highest", "battery_saver=off", "min_battery=5"] {
            own.take(wish).expect("a wish");
        }
        let scenario = Prepare { animations: Some(1.0), stay_awake: Some(false), ..Prepare::default() };
        let both = own.or(scenario);
        assert_eq!((both.animations, both.stay_awake), (Some(0.5), Some(false)));
        assert_eq!((both.refresh_rate, both.least_charge()), (Some(RefreshRate::Highest), 5));
        let left = both.untouched();
        assert_eq!((left.animations, left.refresh_rate, left.battery_saver), (None, None, None));
        assert_eq!((left.keeps_awake(), left.least_charge()), (false, 5));
    }

    #[test]
    fn a_wish_that_is_none_says_what_to_write() {
        let refused = |wish: &str| Prepare::default().take(wish).expect_err("no wish").to_string();
        assert_eq!(refused("animations=fast"), "animations takes a scale from 0 to 10, not `fast`");
        assert_eq!(refused("refresh_rate=0"), "refresh_rate takes a rate in Hz, or `highest`, not `0`");
        assert_eq!(refused("battery_saver"), "battery_saver takes on or off, not ``");
        assert!(refused("brightness=5").contains("there are animations=1"), "{}", refused("brightness=5"));
    }
}
