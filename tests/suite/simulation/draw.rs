//! From a seed to a world: a lab with things that go wrong, and scenarios to run in it. Text in the tool's own
//! languages.

use farmjank_engine::diagnose::Diagnose;
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::chance::mix;
use farmjank_results::recovery::RecoveryStep;
use std::fmt::Write;
use std::time::Duration;

/// What is drawn for one seed.
pub struct World {
    /// The lab's file.
    pub lab: String,
    /// Scenario files.
    pub scenarios: Vec<String>,
    /// Phones that reboot: their truth begins anew, so it says nothing of what was before.
    pub rebooted: Vec<String>,
    /// Phones with nothing wrong, on servers that stay up.
    pub sound: Vec<String>,
    /// Simulated time in which the run must end.
    pub bound: Duration,
    /// When somebody presses Ctrl-C, if anybody does.
    pub interrupt: Option<Duration>,
    /// Share of the log that is written when the process dies, where one does.
    pub cut: f64,
    /// Where several runs want the phones: when each begins, and how long it waits for them.
    pub beside: Vec<(Duration, Duration)>,
    /// What is done at most for phones that do not answer.
    pub recover: Option<RecoveryStep>,
    /// Whose frames are asked about.
    pub diagnose: Diagnose,
}

struct Dice {
    seed: u64,
    drawn: u64,
}

impl Dice {
    fn word(&mut self) -> u64 {
        self.drawn += 1;
        mix(self.seed, 0x5eed, self.drawn)
    }

    /// Uniform in `from..=to`.
    fn whole(&mut self, from: u64, to: u64) -> u64 {
        from + self.word() % (to - from + 1)
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.word().is_multiple_of(many)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.whole(0, from.len() as u64 - 1) as usize]
    }
}

/// What phones of one class share out.
fn shared_out(seed: u64) -> &'static str {
    if mix(seed, 0x5e77, 3).is_multiple_of(2) { "spread: iterations\n" } else { "spread: true\n" }
}

/// Draws the world of a seed.
pub fn world(seed: u64) -> World {
    let mut dice = Dice { seed, drawn: 0 };
    let phones = dice.whole(1, 6);
    let mut lab = format!("name: swarm\nseed: {seed}\nlatency: {}\nphones:\n", latency(&mut dice));
    let mut sound = Vec::new();
    for phone in 0..phones {
        let line = one_phone(&mut dice, phone);
        if !["keyguard", "awake", "injection", "thermal", "saver", "faults"]
            .iter()
            .any(|bad| line.contains(bad))
        {
            sound.push(format!("P{phone}"));
        }
        lab += &line;
    }
    // Of a stream of their own: worlds are what they were otherwise.
    if mix(seed, 0x5e77, 0).is_multiple_of(2) {
        lab = whose_screens_go_off_soon(&lab);
    }
    let spread = mix(seed, 0x5e77, 2).is_multiple_of(3);
    if spread {
        lab = of_two_classes(&lab, seed);
    }
    let mut rebooted = Vec::new();
    let faults: String = (0..dice.whole(0, 2 * phones))
        .map(|_| {
            let phone = format!("P{}", dice.whole(0, phones - 1));
            let kind = fault(&mut dice);
            if kind.contains("reboot") {
                rebooted.push(phone.clone());
            }
            sound.retain(|serial| *serial != phone && !kind.contains("server"));
            let at = dice.whole(0, 90_000);
            format!("  - {{ at: {at}ms, phone: {phone}, kind: {kind} }}\n")
        })
        .collect();
    let more = later_faults(seed, phones);
    for (phone, _) in &more {
        sound.retain(|serial| serial != phone);
    }
    let faults: String = more.into_iter().fold(faults, |all, (_, line)| all + &line);
    if !faults.is_empty() {
        write!(lab, "faults:\n{faults}").expect("text grows");
    }
    let mut seconds = 120;
    let scenarios: Vec<String> = (0..if dice.one_in(3) { 2 } else { 1 })
        .map(|number| {
            let (text, most) = scenario(&mut dice, number);
            // A job may move twice, and begins anew each time.
            seconds += if spread { 3 * most } else { most };
            let prepare = "prepare: { animations: 1.5, refresh_rate: highest, battery_saver: false }\n";
            let prepare = if mix(seed, 0x5e77, 1).is_multiple_of(3) { prepare } else { "" };
            let spread = if spread { shared_out(seed) } else { "" };
            format!("{prepare}{spread}{text}")
        })
        .collect();
    let interrupt = dice.one_in(8).then(|| Duration::from_millis(dice.whole(0, 80_000)));
    let cut = dice.whole(0, 9_999) as f64 / 10_000.0;
    let beside = (0..dice.whole(2, 3))
        .map(|_| {
            let after = Duration::from_millis(dice.whole(0, 40_000));
            let wait =
                if dice.one_in(4) { Duration::ZERO } else { Duration::from_secs(dice.whole(10, 3_600)) };
            (after, wait)
        })
        .collect();
    let recover = [None, Some(RecoveryStep::Reconnect), Some(RecoveryStep::Reboot)];
    let recover = recover[(mix(seed, 0x5e77, 3) % 3) as usize];
    if recover == Some(RecoveryStep::Reboot) {
        // Whose truth begins anew is only known afterwards.
        rebooted = (0..phones).map(|phone| format!("P{phone}")).collect();
        seconds += 600 * phones;
    }
    let bound = Duration::from_secs(seconds);
    let diagnose = Diagnose::ALL[(mix(seed, 0x5e77, 4) % 3) as usize];
    World { lab, scenarios, rebooted, sound, bound, interrupt, cut, beside, recover, diagnose }
}

/// The same lab with phones whose screens go off within half a minute.
fn whose_screens_go_off_soon(lab: &str) -> String {
    let short = ", settings: { system/screen_off_timeout: '30000' } }\n";
    let phone = |line: &str| match line.starts_with("  - {") {
        true => line.trim_end_matches(" }\n").to_owned() + short,
        false => line.to_owned(),
    };
    lab.split_inclusive('\n').map(phone).collect()
}

/// The same lab with phones of two kinds only: some may step in for others.
fn of_two_classes(lab: &str, seed: u64) -> String {
    let kinds = [mix(seed, 0x5e77, 4), mix(seed, 0x5e77, 5)]
        .map(|word| ARCHETYPES[word as usize % ARCHETYPES.len()].name);
    let mut number = 0;
    let phone = |line: &str| {
        let Some(rest) = line.strip_prefix("  - { archetype: ") else { return line.to_owned() };
        let rest = rest.split_once(',').map_or("", |(_, rest)| rest);
        number += 1;
        format!(
            "  - {{ archetype: {},{rest}",
            kinds[usize::from(mix(seed, 0x5e77, 5 + number).is_multiple_of(3))]
        )
    };
    lab.split_inclusive('\n').map(phone).collect()
}

/// Faults the lab learnt later, each with its phone: of a stream of their own, so that worlds stay what they were.
fn later_faults(seed: u64, phones: u64) -> Vec<(String, String)> {
    let mut dice = Dice { seed: mix(seed, 0x5e77, 99), drawn: 0 };
    let one = |dice: &mut Dice| {
        let phone = format!("P{}", dice.whole(0, phones - 1));
        let kind = match dice.whole(0, 9) {
            0 => "permission_dialog".to_owned(),
            1 => format!("no_scroll, for: {}ms", dice.whole(500, 30_000)),
            2 => format!("disk_full, for: {}ms", dice.whole(500, 60_000)),
            3 => format!("clock_jump, ms: {}", dice.whole(50, 400_000)),
            4 => "crash_app".to_owned(),
            5 => "layer_reborn".to_owned(),
            6 => "rings_cleared".to_owned(),
            7 => "wedge, until: reconnect".to_owned(),
            8 => "offline, until: reconnect".to_owned(),
            _ => format!("dump_timeout, for: {}ms", dice.whole(500, 20_000)),
        };
        let at = dice.whole(0, 90_000);
        (phone.clone(), format!("  - {{ at: {at}ms, phone: {phone}, kind: {kind} }}\n"))
    };
    let mut all: Vec<(String, String)> = match dice.one_in(2) {
        true => (0..dice.whole(1, 3)).map(|_| one(&mut dice)).collect(),
        false => Vec::new(),
    };
    all.extend(foreign_loop(seed, phones));
    all
}

/// A stranger, or a farmjank of another computer, on one of the phones for a while.
fn foreign_loop(seed: u64, phones: u64) -> Option<(String, String)> {
    let mut dice = Dice { seed: mix(seed, 0x5e77, 100), drawn: 0 };
    if !dice.one_in(4) {
        return None;
    }
    let phone = format!("P{}", dice.whole(0, phones - 1));
    let signed = dice.pick(&["", ": farmjank 00000000000000aa ''run far away''; "]);
    let asked = dice.pick(&[
        "SurfaceFlinger --latency-clear",
        "gfxinfo com.example.shop reset",
        "SurfaceFlinger --list",
    ]);
    let (at, length) = (dice.whole(0, 90_000), dice.whole(500, 60_000));
    let line = format!("{signed}while :; do dumpsys {asked}; sleep 1; done");
    Some((
        phone.clone(),
        format!(
            "  - {{ at: {at}ms, phone: {phone}, kind: foreign_loop, for: {length}ms, line: '{line}' }}\n"
        ),
    ))
}

fn latency(dice: &mut Dice) -> String {
    match dice.whole(0, 4) {
        0 => "none".to_owned(),
        1 => "usb".to_owned(),
        2 => "remote".to_owned(),
        3 => "hub".to_owned(),
        _ => {
            let median = dice.whole(1, 150);
            let spike = median + dice.whole(0, 900);
            format!("{{ median: {median}ms, spike: {spike}ms, chance: 0.{:02} }}", dice.whole(0, 30))
        }
    }
}

fn one_phone(dice: &mut Dice, number: u64) -> String {
    let archetype = ARCHETYPES[dice.whole(0, ARCHETYPES.len() as u64 - 1) as usize].name;
    let mut line = format!("  - {{ archetype: {archetype}, serial: P{number}");
    if dice.one_in(4) {
        write!(line, ", load: 0.{}", dice.whole(1, 9)).expect("text grows");
    }
    if dice.one_in(8) {
        line += dice.pick(&[
            ", keyguard: true",
            ", keyguard: true, secure: true",
            ", awake: false",
            ", injection_blocked: true",
            ", thermal: { status: 2 }",
            ", thermal: { status: 5 }",
            ", thermal: { drift_per_minute: 0.8, ceiling: 3 }",
            ", battery: { level: 3, plugged: false, celsius: 48.5, saver: true }",
        ]);
    }
    if dice.one_in(3) {
        let kind = dice.pick(&["list", "surface_view", "flutter", "game", "still", "list"]);
        let rate = dice.pick(&["0", "0.01", "0.1"]);
        let frozen = dice.pick(&["0", "0", "0.004"]);
        let fps = dice.pick(&["24", "30", "60"]);
        write!(
            line,
            ", apps: [ {{ pages: {{ main: {{ activity: .MainActivity, launcher: true }}, feed: {{ activity: .FeedActivity, \
             link: 'shop://feed', kind: {kind}, fps: {fps}, hitch_rate: {rate}, frozen_rate: {frozen} }}, product: {{ \
             activity: .ProductActivity, link: 'shop://product', cost_ms: 14 }} }} }} ]"
        )
        .expect("text grows");
    }
    if dice.one_in(4) {
        let at = dice.whole(1_000, 70_000) * 1_000_000;
        let fault = match dice.whole(0, 6) {
            0 => format!("{{ crash_app: {{ at: {at} }} }}"),
            1 | 2 => format!("{{ layer_reborn: {{ at: {at} }} }}"),
            3 | 4 => format!("{{ cleared_by_other: {{ at: {at} }} }}"),
            5 => format!("{{ ring_rows: {{ n: {} }} }}", dice.whole(1, 127)),
            _ => dice.pick(&["period_only", "no_injection", "keyguard"]).to_owned(),
        };
        write!(line, ", faults: [ {fault} ]").expect("text grows");
    }
    line + " }\n"
}

fn fault(dice: &mut Dice) -> String {
    let kind = match dice.whole(0, 17) {
        0 | 1 => "unplug".to_owned(),
        2 => "wedge".to_owned(),
        3 => "offline".to_owned(),
        4 => "unauthorized".to_owned(),
        5 => format!("slow, factor: {}", dice.whole(2, 60)),
        6 => "garble".to_owned(),
        7 => "server_restart".to_owned(),
        8 => "reboot".to_owned(),
        9 => format!("heat, status: {}", dice.whole(1, 6)),
        10 => "ring_overflow".to_owned(),
        11 => format!("clock_drift, ppm: {}", dice.pick(&["-4000", "-50", "50", "900", "20000"])),
        12 => format!("slow_dumpsys, factor: {}", dice.whole(2, 80)),
        13 => format!("ring_rows, rows: {}", dice.whole(1, 127)),
        14 => "frozen_app".to_owned(),
        15 => "keyguard".to_owned(),
        16 => "no_injection".to_owned(),
        _ => "period_only".to_owned(),
    };
    // Most troubles pass; some last.
    if dice.one_in(5) { kind } else { format!("{kind}, for: {}ms", dice.whole(50, 40_000)) }
}

/// A scenario, and the longest it may take on one phone, in seconds of the phones' patience.
fn scenario(dice: &mut Dice, number: u64) -> (String, u64) {
    let (iterations, warmup) = (dice.whole(1, 3), dice.whole(0, 1));
    let mut text = format!(
        "name: Swarm {number}\nappId: com.example.shop\niterations: {iterations}\nwarmup: {warmup}\npages:\n  feed: {{ link: \
         'shop://feed', ready: {{ activity: .FeedActivity }} }}\n  product: {{ link: 'shop://product/42', ready: {{ activity: \
         .ProductActivity, timeout: 5s }} }}\n"
    );
    if dice.one_in(4) {
        text += dice.pick(&["source: gfxinfo\n", "source: surfaceflinger\n", "devices: 'refresh >= 90'\n"]);
    }
    if dice.one_in(3) {
        text += "setup: [ stopApp ]\n";
    }
    let cold = dice.pick(&["true", "false"]);
    write!(text, "steps:\n  - launchApp: {{ cold: {cold} }}\n").expect("text grows");
    let mut leaves = 4;
    let windows = dice.whole(1, 2);
    for window in 0..windows {
        let page = dice.pick(&["feed", "feed", "feed", "product"]);
        write!(text, "  - openPage: {page}\n  - measure: window {window}\n    steps:\n").expect("text grows");
        for _ in 0..dice.whole(1, 3) {
            let (step, cost) = step(dice);
            writeln!(text, "      - {step}").expect("text grows");
            leaves += cost;
        }
        if dice.one_in(4) {
            text += "    thresholds: { hitch_ms_per_s: 'max < 900', max_ms: 'median < 5s' }\n";
        }
    }
    if dice.one_in(3) {
        text += "teardown: [ pressKey: HOME ]\n";
    }
    if !dice.one_in(3) {
        let limit = dice.pick(&[
            "fps: 'mean >= 30%refresh'",
            "fps: 'mean >= 99%refresh'",
            "frozen_frames: 'max == 0'",
            "p95_ms: { limit: 'mean < 60', confidence: 90 }",
            "launch_total_ms: 'max < 20s'",
        ]);
        writeln!(text, "thresholds: {{ {limit} }}").expect("text grows");
    }
    // Three tries; each settles, cools (2 min), walks its steps (none longer than a launch and a page) and drains.
    let trial = 130 + 45 * leaves + 90 * windows;
    (text, 3 * (120 + 125 + (iterations + warmup) * trial))
}

/// A step of a window and how many waits it holds at most.
fn step(dice: &mut Dice) -> (String, u64) {
    let direction = dice.pick(&["UP", "UP", "DOWN"]);
    let (press, rest) = (dice.whole(60, 900), dice.whole(1, 2_500));
    let times = dice.whole(1, 5);
    match dice.whole(0, 9) {
        0..=3 => (
            format!(
                "repeat: {{ times: {times}, steps: [ {{ swipe: {{ direction: {direction}, duration: {press}ms }} }}, {{ wait: \
                 {rest}ms }} ] }}"
            ),
            2 * times,
        ),
        4 => (format!("scroll: {{ direction: DOWN, duration: {}ms }}", dice.whole(200, 4_000)), 1),
        5 => (format!("swipe: {{ direction: {direction}, duration: {press}ms }}"), 1),
        6 => (format!("wait: {}ms", dice.whole(1, 9_000)), 1),
        7 => ("tapOn: { point: '50%, 30%' }".to_owned(), 1),
        8 => {
            ("scrollUntilVisible: { element: { text: '(Item|Offer|Review) 9' }, timeout: 8s }".to_owned(), 3)
        }
        _ => (dice.pick(&["waitForAnimationToEnd", "back", "launchApp"]).to_owned(), 2),
    }
}
