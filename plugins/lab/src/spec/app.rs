//! What a lab file says of apps and their pages.

use super::cause::CauseSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One installed app.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AppSpec {
    /// Package name.
    pub id: String,
    /// Pages by name.
    pub pages: BTreeMap<String, PageSpec>,
    /// Time to the first frame of a cold start on the reference phone, ms.
    pub cold_ms: f64,
    /// The same with the process alive, ms.
    pub warm_ms: f64,
    /// The app listens to frame metrics, so `DisplayPresentTime` is filled.
    pub metrics_listener: bool,
    /// The build is debuggable.
    pub debuggable: bool,
    /// Its manifest says `<profileable android:shell="true"/>`: its stacks of calls may be taken.
    pub profileable: bool,
    /// `versionName`.
    pub version: String,
    /// `versionCode`; else the digits of the version.
    pub version_code: Option<u32>,
    /// Memory of its process in RAM as it starts, MB of 1024 kB …
    pub memory_mb: f64,
    /// … and what it leaks, MB per second.
    pub leaks_mb_per_s: f64,
    /// What it receives while the phone is on, kB per second from its first start on.
    pub rx_kb_per_s: f64,
    /// What it sends, kB per second.
    pub tx_kb_per_s: f64,
    /// Who signed it: a build of another signer cannot take its place.
    pub signer: String,
}

impl AppSpec {
    /// `versionCode`.
    pub fn version_code(&self) -> u32 {
        let digits: String = self.version.chars().filter(char::is_ascii_digit).take(9).collect();
        self.version_code.or_else(|| digits.parse().ok()).unwrap_or(1)
    }
}

impl Default for AppSpec {
    fn default() -> Self {
        AppSpec {
            id: "com.example.shop".into(),
            pages: BTreeMap::new(),
            cold_ms: 420.0,
            warm_ms: 140.0,
            metrics_listener: false,
            debuggable: false,
            profileable: false,
            version: "7.4.1".into(),
            version_code: None,
            memory_mb: 180.0,
            leaks_mb_per_s: 0.0,
            rx_kb_per_s: 24.0,
            tx_kb_per_s: 3.0,
            signer: "release".into(),
        }
    }
}

/// How a page draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// A scrolling list drawn by the window itself (Views, Compose): moves with the finger and in flings.
    #[default]
    List,
    /// The same motion drawn into a SurfaceView; the window is idle.
    SurfaceView,
    /// Flutter: as `surface_view`.
    Flutter,
    /// A video in a SurfaceView at its own rate, gestures or not.
    Video,
    /// A game loop in a SurfaceView at its own rate, gestures or not.
    Game,
    /// Nothing moves.
    Still,
}

/// One page: an activity and how smooth it is.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PageSpec {
    /// Activity class, `.FeedActivity` or full.
    pub activity: String,
    /// Link that opens the page, such as `shop://feed`; everything below it matches as well.
    pub link: Option<String>,
    /// The launcher starts here.
    pub launcher: bool,
    /// Other apps and the shell may start it by name.
    pub exported: bool,
    /// How it draws.
    pub kind: PageKind,
    /// Frames per second of a video or game.
    pub fps: f64,
    /// Rows of the list.
    pub items: u32,
    /// Title of a row; `{}` is its number from 1.
    pub item_text: String,
    /// Page that a tap on a row opens.
    pub opens: Option<String>,
    /// Mean cost of a frame on the reference phone, UI thread + RenderThread + GPU, ms.
    pub cost_ms: f64,
    /// Spread of that cost, as a share of it.
    pub spread: f64,
    /// The first frame after a rest wakes clocks and caches: a refresh late on fast panels.
    pub wakes: bool,
    /// Chance that a frame hitches (mean over good and bad stretches).
    pub hitch_rate: f64,
    /// Tail of the hitch length in vsyncs of 60 Hz: P(K >= k) = k^-tail.
    pub hitch_tail: f64,
    /// Longest hitch, vsyncs of 60 Hz.
    pub hitch_cap: u32,
    /// Chance that a frame freezes for 0.75 to 2.5 s.
    pub frozen_rate: f64,
    /// Periodic work that holds the main thread, whether anything is drawn or not.
    pub stall: Option<StallSpec>,
    /// The same at a set time of a touch.
    pub touch_stall: Option<TouchStallSpec>,
    /// Why its frames are late, each by one of these at random, whatever a trace then tells of it; none: its work is
    /// slower, everywhere.
    pub causes: Vec<CauseSpec>,
    /// A pace of its own, slower than the panel's; none draws on every refresh. Of pages that scroll: videos and games
    /// have `fps`.
    pub pace: Option<PaceSpec>,
    /// Flings move it by whole pixels, as LazyList and RecyclerView do: a refresh in which it passed none draws
    /// nothing.
    pub whole_pixels: bool,
    /// What it shows comes so long after it was opened, ms; until then it says that it loads.
    pub loads_ms: u32,
    /// Its first taps do nothing, so many of them.
    pub misses_taps: u32,
    /// A switch at its top, by its words.
    pub switch: Option<String>,
}

impl Default for PageSpec {
    fn default() -> Self {
        PageSpec {
            activity: ".MainActivity".into(),
            link: None,
            launcher: false,
            exported: true,
            kind: PageKind::List,
            fps: 30.0,
            items: 5000,
            item_text: "Item {}".into(),
            opens: None,
            cost_ms: 4.2,
            spread: 0.12,
            wakes: true,
            hitch_rate: 0.0010,
            hitch_tail: 1.8,
            hitch_cap: 42,
            frozen_rate: 0.0,
            stall: None,
            touch_stall: None,
            causes: Vec::new(),
            pace: None,
            whole_pixels: true,
            loads_ms: 0,
            misses_taps: 0,
            switch: None,
        }
    }
}

/// The pace an app keeps of its own while something moves: one of the three ways, always or for a while.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PaceSpec {
    /// Frames per second by its own clock: each is drawn at the first refresh at or after its time (25 on 60 Hz is a
    /// pull-down of 3, 2, 3, 2, 2 refreshes). 1 to 240.
    pub fps: Option<f64>,
    /// Refreshes from frame to frame, one after the other: `[2]` is every second one, `[3, 2]` in turn.
    pub refreshes: Vec<u32>,
    /// The same, one of them at random: `[5, 6]`.
    pub random: Vec<u32>,
    /// It begins so long after the first frame of the page, ms …
    pub after_ms: u32,
    /// … and lasts so long, ms; none for ever.
    pub for_ms: Option<u32>,
    /// It begins anew so long after each beginning, ms; none once.
    pub every_ms: Option<u32>,
}

impl PaceSpec {
    /// What is wrong with it, in words; none when it can be kept.
    pub fn complaint(&self) -> Option<&'static str> {
        let ways = [self.fps.is_some(), !self.refreshes.is_empty(), !self.random.is_empty()];
        let counts = self.refreshes.iter().chain(&self.random);
        let again = self.every_ms.is_some_and(|every| self.for_ms.is_none_or(|lasts| lasts >= every));
        match () {
            () if ways.iter().filter(|way| **way).count() != 1 => {
                Some("one of `fps`, `refreshes` and `random`")
            }
            () if self.fps.is_some_and(|fps| !(1.0..=240.0).contains(&fps)) => Some("an `fps` of 1 to 240"),
            () if counts.into_iter().any(|count| !(1..=60).contains(count)) => {
                Some("counts of 1 to 60 refreshes")
            }
            () if again => Some("a `for_ms` below its `every_ms`"),
            () => None,
        }
    }
}

/// Periodic work on the main thread while the page is in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StallSpec {
    /// From one beginning to the next, ms; the first comes so long after the first frame.
    pub every_ms: u32,
    /// How long it takes, ms.
    pub ms: u32,
    /// What holds main up in it; none: it works.
    #[serde(default)]
    pub cause: Option<CauseSpec>,
    /// The app does not mark the message in a trace, as most apps do not; what is inside it shows all the same.
    #[serde(default)]
    pub unmarked: bool,
}

/// Work on the main thread at a set time of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TouchStallSpec {
    /// Every so many-th touch of the phone has one: 1 is each, 0 none.
    pub every: u32,
    /// What its time counts from.
    pub from: Moment,
    /// So much later, ms.
    pub after_ms: u32,
    /// How long it takes, ms.
    pub ms: u32,
    /// What holds main up in it; none: it works.
    #[serde(default)]
    pub cause: Option<CauseSpec>,
}

/// An instant of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// The finger comes down.
    Down,
    /// It leaves.
    Lift,
}
