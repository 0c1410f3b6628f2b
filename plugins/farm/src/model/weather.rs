//! What happens on the way to a model's server, by seed.

use farmjank_leaf::hash::Fnv;

/// Numbers by seed.
#[derive(Clone, Debug)]
pub struct Seeded(u64, u64);

impl Seeded {
    /// From a seed.
    pub fn new(seed: u64) -> Seeded {
        Seeded(seed, 0)
    }

    /// The next number below this; 0 where that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.1 += 1;
        Fnv::seeded(self.0).and(self.1.to_le_bytes()).scattered() % bound.max(1)
    }

    /// True so many times of a thousand.
    pub fn often(&mut self, permille: u64) -> bool {
        self.below(1000) < permille
    }
}

/// How often of a thousand calls go wrong.
#[derive(Clone, Debug)]
pub struct Weather {
    seeded: Seeded,
    /// The call never arrives.
    pub lost: u64,
    /// It arrives, and its answer does not.
    pub unanswered: u64,
    /// It arrives twice.
    pub twice: u64,
    /// It arrives some time later, up to so many ns, when nobody waits for an answer any more.
    pub late: (u64, u64),
    /// Nothing arrives.
    pub cut_off: bool,
}

/// What becomes of one call.
pub(super) enum Fate {
    Arrives,
    Twice,
    Lost,
    Unanswered,
    Late(u64),
}

impl Weather {
    /// In which everything arrives.
    pub fn calm() -> Weather {
        Weather { seeded: Seeded::new(0), lost: 0, unanswered: 0, twice: 0, late: (0, 0), cut_off: false }
    }

    /// In which little is to be relied on.
    pub fn rough(seed: u64) -> Weather {
        let mut seeded = Seeded::new(seed);
        let mut up_to = |most| seeded.below(most);
        let (lost, unanswered, twice, late) = (up_to(120), up_to(120), up_to(60), up_to(40));
        Weather { lost, unanswered, twice, late: (late, 60_000_000_000), seeded, cut_off: false }
    }

    /// The same, cut off.
    #[must_use]
    pub fn cut(mut self) -> Weather {
        self.cut_off = true;
        self
    }

    pub(super) fn flip(&mut self) -> bool {
        self.seeded.often(500)
    }

    pub(super) fn next(&mut self) -> Fate {
        if self.cut_off {
            return Fate::Lost;
        }
        let mut drawn = self.seeded.below(1000);
        let mut falls = |share: u64| {
            let hit = drawn < share;
            drawn = drawn.wrapping_sub(share);
            hit
        };
        if falls(self.lost) {
            Fate::Lost
        } else if falls(self.unanswered) {
            Fate::Unanswered
        } else if falls(self.twice) {
            Fate::Twice
        } else if falls(self.late.0) {
            Fate::Late(self.seeded.below(self.late.1))
        } else {
            Fate::Arrives
        }
    }
}
