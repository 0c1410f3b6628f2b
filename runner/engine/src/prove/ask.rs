//! The conversation: what a phone is asked to prove our beliefs, about a minute of scrolling its own Settings.
//!
//! Every line is one a run sends as well, so what is proved is what is used. Writes down and judges nothing.

use super::{Answers, Counted, FORMAT, Proof, Stamps, Swipe, Traced, private};
use crate::android::recent::EVENTS;
use crate::android::{app, gesture, settle, together::Marks, together::nonce};
use crate::android::{clip, clip_bytes};
use crate::patience::Patience;
use farmjank_results::device::{App, DeviceFacts, Screen};
use farmjank_results::dump::Dump;
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::frame::SourceId;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::{DeviceTime, RunTime};
use farmjank_scenarios::gesture::{Coordinate, Gesture, Point};
use farmjank_seams::device::{Device, Next};
use farmjank_seams::probe::{Probe, ProbeOutput};
use farmjank_seams::sampling_loop::SamplingLoop;
use farmjank_seams::source::FrameSource;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// Swipes, up and down in turn.
const SWIPES: u32 = 20;
/// How long a finger is down.
const FINGER: Duration = Duration::from_millis(250);
/// From the lift to the question for its events: the fling may still run, and a dump of another service hurts it least
/// then.
const BEFORE_EVENTS: Duration = Duration::from_millis(900);
/// From there to the next finger: most flings have come to rest.
const REST: Duration = Duration::from_millis(1_300);
/// Framestats are read after so many swipes: their ring is short, and reading it holds the app up.
const FRAMESTATS_EVERY: u32 = 4;
/// Opens the list every phone has.
const SETTINGS: &str = "am start -W -a android.settings.SETTINGS 2>&1";
/// How long it takes to come to rest after it was opened.
const SETTLED: Duration = Duration::from_secs(3);

/// What it takes to ask a phone.
pub struct Asker<'a> {
    /// The phone.
    pub device: &'a dyn Device,
    /// What is known of it.
    pub facts: &'a DeviceFacts,
    /// Ways of seeing frames.
    pub sources: &'a [Rc<dyn FrameSource>],
    /// Who is asked at both ends.
    pub probes: &'a [Rc<dyn Probe>],
    /// Timeouts.
    pub patience: &'a Patience,
    /// Version of farmjank.
    pub tool: &'a str,
}

/// A probe that watches.
struct Begun<'a> {
    probe: &'a Rc<dyn Probe>,
    mark: Vec<u8>,
    began: Option<Stamps>,
}

/// Nonces of calls that need one.
const TRACE: u64 = 0x70_726f_7665;

impl Asker<'_> {
    /// Asks everything. `say` hears what is being done.
    ///
    /// # Errors
    /// When the phone cannot be woken, has no Settings to scroll, or is lost.
    pub async fn ask(&self, say: &dyn Fn(&str)) -> Result<Proof, Fault> {
        let (device, patience) = (self.device, self.patience);
        settle::wake(device, patience).await?;
        let app = self.open_settings().await?;
        let mut clocks = vec![settle::clock(device, &app.0, patience).await?];
        let screen = self.facts.screen.ok_or_else(|| {
            Fault::new(FaultCode::ScreenUnknown, "the phone does not say how large its screen is")
        })?;
        say("what `input` takes");
        let mut keyevent_ms = Vec::new();
        for _ in 0..5 {
            let took = gesture::stamped(device, "input keyevent 0 2>&1", patience.launch).await?;
            keyevent_ms.push((took.ended - took.began).ms());
        }
        say("who watches beside: trace, counts");
        let mut trace = Traced::default();
        let mut counts = Counted::default();
        let tracing = self.begin(SourceId::FrameTimeline, &app, &mut trace.refused).await?;
        let counting = self.begin(SourceId::TimeStats, &app, &mut counts.refused).await?;
        say("scrolling its Settings up and down");
        let scrolled = self.scroll(&app, screen).await;
        // Whatever happened, what was begun is ended.
        if let Some(begun) = counting {
            self.end_counting(begun, &app, &mut counts).await?;
        }
        if let Some(begun) = tracing {
            self.end_tracing(begun, &app, &mut trace).await?;
        }
        let scrolled = scrolled?;
        clocks.push(settle::clock(device, &app.0, patience).await?);
        device.shell("input keyevent KEYCODE_HOME", patience.launch).await?;
        let answers = Answers {
            format: FORMAT,
            tool: self.tool.to_owned(),
            phone: private::phone(self.facts),
            app: app.0,
            clocks,
            keyevent_ms,
            swipes: scrolled.swipes,
            layers: scrolled.layers,
            passed_over: scrolled.passed_over,
            longest_ms: scrolled.longest_ms,
            trace,
            counts,
        };
        Ok(Proof { answers, dumps: scrolled.dumps })
    }

    async fn open_settings(&self) -> Result<App, Fault> {
        let output = self.device.shell(SETTINGS, self.patience.launch).await?;
        sleep(SETTLED).await;
        match app::in_front(self.device, self.patience).await? {
            crate::android::state::Front::App { package, .. } => Ok(App(package)),
            front => {
                let said = clip(&output.text(), 120);
                let what =
                    format!("its Settings did not come to the front ({front:?}); `am start` said {said}");
                Err(Fault::new(FaultCode::SettingsMissing, what)
                    .advise("open its Settings by hand and try again"))
            }
        }
    }

    fn source(&self, id: SourceId) -> Option<&Rc<dyn FrameSource>> {
        self.sources.iter().find(|source| source.id() == id)
    }

    /// Asks a probe to begin; none, with the reason, where it cannot.
    async fn begin(
        &self,
        id: SourceId,
        app: &App,
        refused: &mut Option<String>,
    ) -> Result<Option<Begun<'_>>, Fault> {
        let Some(probe) = self.probes.iter().find(|probe| probe.id() == id) else { return Ok(None) };
        if let Err(unfit) = probe.offer(self.facts) {
            *refused = Some(unfit.0);
            return Ok(None);
        }
        let marks = Marks(nonce(id.to_string().bytes()));
        let line = probe.begin(self.facts, app, TRACE);
        let script = marks.script([line.as_str()].into_iter(), true, true);
        let output = self.device.shell(&script, self.patience.launch).await?;
        let told = marks.cut(&output.out, 1);
        let (mark, status) = told.pieces.into_iter().next().flatten().unwrap_or_default();
        if status != 0 {
            *refused = Some(format!("it ended with status {status}: {}", clip_bytes(&mark, 200)));
            return Ok(None);
        }
        let began = told.first.zip(told.last).map(|(asked, answered)| Stamps { asked, answered });
        Ok(Some(Begun { probe, mark, began }))
    }

    async fn end_counting(&self, begun: Begun<'_>, app: &App, counts: &mut Counted) -> Result<(), Fault> {
        let marks = Marks(nonce(b"counts".iter().copied()));
        let line = begun.probe.end(self.facts, app, TRACE, &begun.mark);
        let script = marks.script([line.as_str()].into_iter(), false, true);
        let output = self.device.shell(&script, self.patience.launch).await?;
        let told = marks.cut(&output.out, 1);
        let (bytes, _) = told.pieces.into_iter().next().flatten().unwrap_or_default();
        let ended = told.first.zip(told.last).map(|(asked, answered)| Stamps { asked, answered });
        counts.edges = begun.began.zip(ended);
        let began = begun.began.map(|stamps| stamps.asked);
        let output = ProbeOutput { bytes, mark: begun.mark, began, ended: told.last };
        match begun.probe.read(&output, app, None) {
            Ok(SideReading::Timestats(layers)) => {
                counts.layers = layers.into_iter().filter(|layer| layer.layer.contains(&app.0)).collect();
            }
            Ok(_) => {}
            Err(why) => counts.refused = Some(why.words().to_owned()),
        }
        Ok(())
    }

    async fn end_tracing(&self, begun: Begun<'_>, app: &App, trace: &mut Traced) -> Result<(), Fault> {
        let line = begun.probe.end(self.facts, app, TRACE, &begun.mark);
        let bytes = self.device.shell(&line, self.patience.launch).await?.out;
        let began = begun.began.map(|stamps| stamps.asked);
        let output = ProbeOutput { bytes, mark: begun.mark, began, ended: None };
        match begun.probe.read(&output, app, None) {
            Ok(SideReading::Timeline(of_the_app)) => {
                let spans = || of_the_app.values().filter_map(|frame_timeline| frame_timeline.span);
                trace.span = spans().map(|span| span.0).min().zip(spans().map(|span| span.1).max());
                let frames = of_the_app.values().flat_map(|frame_timeline| &frame_timeline.frames);
                let mut presents: Vec<DeviceTime> = frames.filter_map(|frame| frame.present).collect();
                presents.sort_unstable();
                presents.dedup();
                trace.presents = presents;
                trace.doubts =
                    of_the_app.values().flat_map(|frame_timeline| frame_timeline.doubts.clone()).collect();
            }
            Ok(_) => {}
            Err(why) => trace.refused = Some(why.words().to_owned()),
        }
        Ok(())
    }

    /// Swipes while the ring is read beside it.
    async fn scroll(&self, app: &App, screen: Screen) -> Result<Scrolled, Fault> {
        let ring = self.source(SourceId::SurfaceFlinger).ok_or_else(|| {
            Fault::new(FaultCode::NoSource, "no source reads SurfaceFlinger's rings").blamed_on(Blame::Tool)
        })?;
        let opened = ring.open(self.device, self.facts, app).await?;
        let mut ring_loop = opened.sampling;
        let mut scrolled = Scrolled {
            layers: ring_loop.targets().to_vec(),
            passed_over: opened.passed_over,
            longest_ms: ring_loop.rhythm().longest.ms(),
            ..Scrolled::default()
        };
        let mut stream = self.device.stream(&ring_loop.endless(), self.patience.open).await?;
        let mut seen = Vec::new();
        let sampling = async {
            loop {
                match stream.next(self.patience.silence).await {
                    Ok(Next::Line(line)) => seen.extend(ring_loop.feed(&line, RunTime::default())),
                    Ok(Next::Ended(status)) => {
                        let what = format!("the sampling loop on the phone ended with status {status}");
                        return Fault::new(FaultCode::LoopEnded, what);
                    }
                    Err(fault) => return fault,
                }
            }
        };
        let walking = self.walk(app, screen);
        let (swipes, framestats) = tokio::select! {
            biased;
            walked = walking => walked?,
            failed = sampling => return Err(failed),
        };
        drop(stream);
        // What was pending comes back, and frames after the last cycle are seen.
        seen.extend(self.once(&mut ring_loop).await?);
        scrolled.swipes = swipes;
        scrolled.dumps = seen;
        scrolled.dumps.extend(framestats);
        Ok(scrolled)
    }

    async fn walk(&self, app: &App, screen: Screen) -> Result<(Vec<Swipe>, Vec<Dump>), Fault> {
        let stats = self.source(SourceId::Gfxinfo);
        let mut swipes = Vec::new();
        let mut dumps = Vec::new();
        let mut sampling: Option<SamplingLoop> = None;
        for number in 0..SWIPES {
            let (from, to) = if number % 2 == 0 { (70.0, 30.0) } else { (30.0, 70.0) };
            let at = |y: f64| Point { x: Coordinate::Percent(50.0), y: Coordinate::Percent(y) };
            let finger = Gesture { start: at(from), end: at(to), duration: FINGER };
            let (done, _) = gesture::swipe(self.device, &finger, screen, self.patience.launch, false).await?;
            sleep(BEFORE_EVENTS).await;
            let around = Stamps { asked: done.began, answered: done.ended };
            let events = self.events().await?;
            swipes.push(Swipe { around, asked_ms: FINGER.as_millis() as i64, events });
            sleep(REST).await;
            if (number + 1) % FRAMESTATS_EVERY == 0
                && let Some(stats) = stats
            {
                if sampling.is_none() {
                    // An app that draws by itself has none: that is no fault.
                    sampling =
                        stats.open(self.device, self.facts, app).await.ok().map(|opened| opened.sampling);
                }
                if let Some(sampling) = &mut sampling {
                    dumps.extend(self.once(sampling).await?);
                }
            }
        }
        Ok((swipes, dumps))
    }

    /// One cycle of a sampling loop.
    async fn once(&self, sampling: &mut SamplingLoop) -> Result<Vec<Dump>, Fault> {
        let output = self.device.shell(&sampling.once(), self.patience.dump).await?;
        let lines = output.out.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| sampling.feed(line, RunTime::default())).collect())
    }

    /// The dispatcher's last events; none where the phone does not tell them.
    async fn events(&self) -> Result<Option<(Stamps, Vec<String>)>, Fault> {
        let marks = Marks(nonce(EVENTS.bytes()));
        let script = marks.script([EVENTS].into_iter(), false, true);
        let output = self.device.shell(&script, self.patience.dump).await?;
        let told = marks.cut(&output.out, 1);
        let stamps = told.first.zip(told.last).map(|(asked, answered)| Stamps { asked, answered });
        let text = told.pieces.into_iter().next().flatten().unwrap_or_default().0;
        let events = private::events(&String::from_utf8_lossy(&text));
        Ok(stamps.filter(|_| !events.is_empty()).map(|stamps| (stamps, events)))
    }
}

/// What scrolling left.
#[derive(Default)]
struct Scrolled {
    swipes: Vec<Swipe>,
    dumps: Vec<Dump>,
    layers: Vec<String>,
    passed_over: Vec<farmjank_results::event::SkippedSource>,
    longest_ms: f64,
}
