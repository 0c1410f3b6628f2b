//! The shelf of phone models: what hardware and Android version decides about pulse and dialect.
//!
//! Rates in Hz, lengths of time in ns unless a field says otherwise. Must not know apps, gestures or text formats.

/// One rate the app can be scheduled at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Display mode id it belongs to, as `dumpsys display` numbers them.
    pub mode: u32,
    /// Rate of the app, Hz, as printed.
    pub hz: f32,
    /// Period as `--latency` prints it, ns.
    pub printed: i64,
}

/// A display mode as listed by `dumpsys display`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Id.
    pub id: u32,
    /// `fps=`.
    pub fps: f32,
    /// `vsync=`, which differs from `fps` on panels that divide a fast tick.
    pub vsync: f32,
}

/// How the refresh rate follows touch and content. Rates are indices into [`Archetype::rates`], slowest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// While touched, and for `boost_ms` after.
    pub touch: usize,
    /// Boost after the finger left, ms.
    pub boost_ms: i64,
    /// While content moves without boost.
    pub motion: usize,
    /// While only a video plays.
    pub video: usize,
    /// Without new frames: after so many ms, this rate.
    pub idle: &'static [(i64, usize)],
    /// In the slow end of a fling: from this share of its time, this rate.
    pub tail: &'static [(f64, usize)],
    /// Capped by the battery saver and by `peak_refresh_rate 60`.
    pub capped: usize,
}

/// A phone model with one Android version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Archetype {
    /// Name on the shelf.
    pub name: &'static str,
    /// `ro.product.model`.
    pub model: &'static str,
    /// `ro.product.manufacturer`.
    pub manufacturer: &'static str,
    /// `ro.product.device`.
    pub device: &'static str,
    /// `ro.build.version.release`.
    pub release: &'static str,
    /// `ro.build.version.sdk`.
    pub sdk: u32,
    /// Build id.
    pub build: &'static str,
    /// Screen, px, natural orientation.
    pub width: u32,
    /// Screen, px, natural orientation.
    pub height: u32,
    /// Density, dpi.
    pub density: u32,
    /// Memory, MiB.
    pub ram_mb: u32,
    /// CPU cores.
    pub cores: u32,
    /// Modes as `dumpsys display` lists them.
    pub modes: &'static [Mode],
    /// Rates the app can run at, slowest first.
    pub rates: &'static [Rate],
    /// Choice among them.
    pub policy: Policy,
    /// The true panel is this much faster than its nominal rate, parts per million (negative: slower).
    pub skew_ppm: i64,
    /// Time of everything the CPU does, against the reference phone.
    pub slowness: f64,
    /// From latching to display, in refresh periods.
    pub lead: f64,
    /// `--latency` is served from the 64-frame display history (16 QPR builds).
    pub history_engine: bool,
    /// Median time of a small dump, ms.
    pub dump_ms: f64,
    /// `Pipeline=` of gfxinfo.
    pub pipeline: &'static str,
}

impl Archetype {
    /// From the shelf by name; `Err` lists what there is.
    pub fn find(name: &str) -> Result<&'static Archetype, String> {
        SHELF.iter().find(|archetype| archetype.name == name).ok_or_else(|| {
            let names: Vec<&str> = SHELF.iter().map(|archetype| archetype.name).collect();
            format!("no archetype `{name}`; there is {}", names.join(", "))
        })
    }

    /// Fastest rate, Hz.
    pub fn fastest_hz(&self) -> f32 {
        self.rates.iter().map(|rate| rate.hz).fold(0.0, f32::max)
    }

    /// Build fingerprint.
    pub fn fingerprint(&self) -> String {
        let brand = self.brand();
        format!(
            "{brand}/{0}/{0}:{1}/{2}/farmjank.virtual:user/release-keys",
            self.device, self.release, self.build
        )
    }

    /// `ro.product.brand`.
    pub fn brand(&self) -> String {
        self.manufacturer.to_lowercase()
    }
}

const fn rate(mode: u32, hz: f32, printed: i64) -> Rate {
    Rate { mode, hz, printed }
}

const fn mode(id: u32, fps: f32) -> Mode {
    Mode { id, fps, vsync: fps }
}

const FIXED: Policy = Policy { touch: 0, boost_ms: 0, motion: 0, video: 0, idle: &[], tail: &[], capped: 0 };

/// Two rates: fast while touched and moving, slow when idle.
const fn boost(boost_ms: i64, idle: &'static [(i64, usize)]) -> Policy {
    Policy { touch: 1, boost_ms, motion: 1, video: 0, idle, tail: &[], capped: 0 }
}

const SIXTY: &[Rate] = &[rate(1, 60.0, 16_666_666)];
const SIXTY_MODE: &[Mode] = &[mode(1, 60.0)];

const BASE: Archetype = Archetype {
    name: "",
    model: "",
    manufacturer: "",
    device: "",
    release: "",
    sdk: 0,
    build: "",
    width: 1080,
    height: 2400,
    density: 420,
    ram_mb: 7_700,
    cores: 8,
    modes: SIXTY_MODE,
    rates: SIXTY,
    policy: FIXED,
    skew_ppm: 0,
    slowness: 1.0,
    lead: 0.9,
    history_engine: false,
    dump_ms: 28.0,
    pipeline: "Skia (OpenGL)",
};

/// Every model.
pub const SHELF: &[Archetype] = &[
    Archetype {
        name: "galaxy-s7",
        model: "SM-G930F",
        manufacturer: "samsung",
        device: "herolte",
        release: "7.0",
        sdk: 24,
        build: "NRD90M",
        height: 1920,
        ram_mb: 3_600,
        skew_ppm: 380,
        slowness: 2.1,
        dump_ms: 45.0,
        pipeline: "FrameBuilder",
        density: 480,
        ..BASE
    },
    Archetype {
        name: "redmi-note-7",
        model: "Redmi Note 7",
        manufacturer: "Xiaomi",
        device: "lavender",
        release: "10",
        sdk: 29,
        build: "QKQ1.190910.002",
        height: 2340,
        density: 440,
        ram_mb: 3_700,
        // Line 1 says 60.00 Hz, the panel runs at 60.94.
        skew_ppm: 15_700,
        slowness: 1.7,
        dump_ms: 38.0,
        pipeline: "Skia (OpenGL)",
        ..BASE
    },
    Archetype {
        name: "galaxy-tab-a7",
        model: "SM-T500",
        manufacturer: "samsung",
        device: "gta4lwifi",
        release: "11",
        sdk: 30,
        build: "RP1A.200720.012",
        width: 1200,
        height: 2000,
        density: 240,
        ram_mb: 2_800,
        skew_ppm: -240,
        slowness: 1.9,
        dump_ms: 42.0,
        ..BASE
    },
    Archetype {
        name: "pixel-6",
        model: "Pixel 6",
        manufacturer: "Google",
        device: "oriole",
        release: "12",
        sdk: 31,
        build: "SD1A.210817.036",
        modes: &[mode(1, 60.0), mode(2, 90.0)],
        rates: &[rate(1, 60.0, 16_666_666), rate(2, 90.0, 11_111_111)],
        policy: boost(1_000, &[(80, 0)]),
        skew_ppm: 120,
        lead: 0.95,
        ..BASE
    },
    Archetype {
        name: "oneplus-9",
        model: "LE2113",
        manufacturer: "OnePlus",
        device: "OnePlus9",
        release: "13",
        sdk: 33,
        build: "RKQ1.211119.001",
        modes: &[mode(1, 60.000004), mode(2, 120.00001)],
        rates: &[rate(1, 60.000004, 16_666_665), rate(2, 120.00001, 8_333_332)],
        policy: boost(3_000, &[(1_200, 0)]),
        // Presents every 8.3126 ms, as a real one did.
        skew_ppm: 2_490,
        slowness: 0.9,
        lead: 1.2,
        dump_ms: 25.0,
        ..BASE
    },
    Archetype {
        name: "galaxy-a14",
        model: "SM-A145F",
        manufacturer: "samsung",
        device: "a14",
        release: "14",
        sdk: 34,
        build: "UP1A.231005.007",
        height: 2408,
        density: 450,
        ram_mb: 3_600,
        modes: &[mode(1, 60.0), mode(2, 90.0)],
        rates: &[rate(1, 60.0, 16_666_667), rate(2, 90.0, 11_111_111)],
        // No content detection: the boost ends inside the fling, and the rate with it.
        policy: Policy { motion: 0, ..boost(450, &[(450, 0)]) },
        skew_ppm: -310,
        slowness: 1.5,
        lead: 0.95,
        dump_ms: 44.0,
        ..BASE
    },
    Archetype {
        name: "moto-edge-30",
        model: "motorola edge 30 fusion",
        manufacturer: "motorola",
        device: "tundra",
        release: "14",
        sdk: 34,
        build: "U1SJS34.2-92-6",
        density: 400,
        ram_mb: 11_300,
        modes: &[mode(1, 60.0), mode(2, 120.0), mode(3, 144.0)],
        rates: &[rate(1, 60.0, 16_666_667), rate(2, 120.0, 8_333_333), rate(3, 144.0, 6_944_444)],
        policy: Policy { touch: 2, motion: 2, ..boost(2_000, &[(600, 1), (1_500, 0)]) },
        skew_ppm: 90,
        slowness: 0.85,
        lead: 1.15,
        dump_ms: 26.0,
        pipeline: "Skia (Vulkan)",
        ..BASE
    },
    Archetype {
        name: "rog-phone-7",
        model: "ASUS_AI2205",
        manufacturer: "asus",
        device: "ASUS_AI2205",
        release: "13",
        sdk: 33,
        build: "TKQ1.221220.001",
        height: 2448,
        ram_mb: 15_200,
        modes: &[mode(1, 60.0), mode(2, 120.0), mode(3, 165.0)],
        rates: &[rate(1, 60.0, 16_666_667), rate(2, 120.0, 8_333_333), rate(3, 165.0, 6_060_606)],
        policy: Policy { touch: 2, motion: 2, ..boost(2_000, &[(900, 0)]) },
        skew_ppm: 60,
        slowness: 0.75,
        lead: 1.15,
        dump_ms: 25.0,
        ..BASE
    },
    Archetype {
        name: "pixel-8",
        model: "Pixel 8",
        manufacturer: "Google",
        device: "shiba",
        release: "15",
        sdk: 35,
        build: "AP3A.241005.015",
        density: 428,
        modes: &[mode(1, 60.0), mode(2, 120.00001)],
        rates: &[rate(1, 60.0, 16_666_666), rate(2, 120.00001, 8_333_333)],
        policy: boost(700, &[(250, 0)]),
        skew_ppm: -45,
        slowness: 0.85,
        lead: 1.2,
        dump_ms: 27.0,
        pipeline: "Skia (Vulkan)",
        ..BASE
    },
    Archetype {
        name: "pixel-9-pro",
        model: "Pixel 9 Pro",
        manufacturer: "Google",
        device: "caiman",
        release: "16",
        sdk: 36,
        build: "BP3A.250905.014",
        width: 1280,
        height: 2856,
        density: 495,
        ram_mb: 15_100,
        modes: &[Mode { id: 1, fps: 120.00001, vsync: 240.00002 }],
        rates: LTPO_RATES,
        policy: Policy {
            touch: 4,
            boost_ms: 120,
            motion: 4,
            video: 2,
            idle: &[(150, 2), (500, 1), (1_500, 0)],
            tail: &[(0.72, 3), (0.88, 2)],
            capped: 2,
        },
        skew_ppm: -130,
        slowness: 0.75,
        lead: 1.2,
        history_engine: true,
        dump_ms: 26.0,
        pipeline: "Skia (Vulkan)",
        ..BASE
    },
];

/// Divisions of a 240 Hz tick.
const LTPO_RATES: &[Rate] = &[
    rate(1, 10.0, 100_000_000),
    rate(1, 30.0, 33_333_333),
    rate(1, 60.0, 16_666_666),
    rate(1, 80.0, 12_500_000),
    rate(1, 120.0, 8_333_333),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shelf_is_wide_and_sound() {
        assert!(SHELF.len() >= 8);
        for archetype in SHELF {
            let rates = archetype.rates;
            assert!(
                rates.windows(2).all(|pair| pair[0].hz < pair[1].hz),
                "{}: slowest first",
                archetype.name
            );
            let policy = archetype.policy;
            let used = [policy.touch, policy.motion, policy.video, policy.capped];
            let ladder = policy.idle.iter().map(|step| step.1).chain(policy.tail.iter().map(|step| step.1));
            assert!(used.into_iter().chain(ladder).all(|index| index < rates.len()), "{}", archetype.name);
            for rate in rates {
                assert!((1e9 / f64::from(rate.hz) - rate.printed as f64).abs() < 2.0, "{}", archetype.name);
                assert!(archetype.modes.iter().any(|mode| mode.id == rate.mode), "{}", archetype.name);
            }
        }
        assert!(Archetype::find("nokia-3310").is_err_and(|text| text.contains("pixel-6")));
    }

    #[test]
    fn every_dialect_and_speed_is_there() {
        let has = |sdk: u32| SHELF.iter().any(|archetype| archetype.sdk == sdk);
        assert!([24, 29, 31, 33, 34, 35, 36].into_iter().all(has));
        let fast = |hz: f32| SHELF.iter().any(|archetype| (archetype.fastest_hz() - hz).abs() < 0.5);
        assert!([60.0, 90.0, 120.0, 144.0].into_iter().all(fast));
    }
}
