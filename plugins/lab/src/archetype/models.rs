//! The models themselves. Numbers are those of the real phones where they are known, plausible elsewhere. Both kinds of
//! `dumpsys input` are among them: the newest hide the fields of events, some of other makers print them.

use super::{Archetype, Mode, Policy, Rate};

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
    hides_events: false,
    pipeline: "Skia (OpenGL)",
};

/// Every model.
pub const ARCHETYPES: &[Archetype] = &[
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
        hides_events: true,
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
        hides_events: true,
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
        hides_events: true,
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
        hides_events: true,
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
