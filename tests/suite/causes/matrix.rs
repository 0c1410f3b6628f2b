//! Every cause on every phone that is traced: a matrix of what was planted against what was charged.
#![expect(clippy::disallowed_methods, reason = "writes the page it is recorded on")]

use super::planted::{alone, charged, config, phone, record, truly};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::spec::{CauseSpec, CompositorSpec, Hold, Meanwhile, PhoneSpec};
use std::collections::BTreeMap;

/// Every kind, chains, and two in one frame.
pub fn causes() -> Vec<CauseSpec> {
    let kinds = [
        Hold::Lock,
        Hold::ArtLock,
        Hold::Mutex,
        Hold::Binder,
        Hold::Disk,
        Hold::Kernel,
        Hold::Gc,
        Hold::GcItself,
        Hold::Reclaim,
        Hold::Starved,
        Hold::StarvedByItself,
        Hold::Thread,
        Hold::SlowClock,
        Hold::Throttled,
        Hold::Inflate,
        Hold::Layout,
        Hold::Draw,
        Hold::Input,
        Hold::Animation,
        Hold::Compose,
        Hold::Decode,
        Hold::Class,
        Hold::Jit,
        Hold::Code,
        Hold::Message,
        Hold::Upload,
        Hold::Shader,
        Hold::Render,
        Hold::RenderStarved,
        Hold::Gpu,
        Hold::Unknown,
    ];
    let chain = |kind, meanwhile| CauseSpec { meanwhile, ..alone(kind) };
    let two = |kind, and| CauseSpec { and: Some(and), ..alone(kind) };
    let more = [
        chain(Hold::Lock, Meanwhile::Disk),
        chain(Hold::Lock, Meanwhile::Lock),
        chain(Hold::Lock, Meanwhile::Binder),
        chain(Hold::Lock, Meanwhile::Starved),
        chain(Hold::Binder, Meanwhile::Disk),
        chain(Hold::Binder, Meanwhile::Lock),
        chain(Hold::Binder, Meanwhile::Binder),
        chain(Hold::Binder, Meanwhile::Starved),
        chain(Hold::Thread, Meanwhile::Lock),
        two(Hold::Gc, Hold::Binder),
        two(Hold::Lock, Hold::Inflate),
        two(Hold::Disk, Hold::Upload),
        two(Hold::Message, Hold::Lock),
        two(Hold::Code, Hold::Gpu),
        two(Hold::Starved, Hold::Unknown),
    ];
    kinds.into_iter().map(alone).chain(more).collect()
}

/// Charged time, µs, by what was planted and what it was charged to.
#[derive(Default)]
pub struct Matrix {
    us: BTreeMap<(&'static str, String), i64>,
    pub frames: BTreeMap<&'static str, usize>,
    /// Causes, and those charged wrongly, in words.
    pub causes: usize,
    pub wrong: Vec<String>,
    /// Time of frames that are late for nothing that was planted, µs, by what it is charged to.
    unplanted: BTreeMap<String, i64>,
}

impl Matrix {
    pub fn take(
        &mut self,
        frame: &str,
        hitch: i64,
        planted: &BTreeMap<&'static str, i64>,
        charged: &BTreeMap<String, i64>,
    ) {
        let whole: i64 = planted.values().sum();
        if whole == 0 {
            charged.iter().for_each(|(by, us)| *self.unplanted.entry(by.clone()).or_default() += us);
            return;
        }
        let share = |ns: i64| (i128::from(hitch) * i128::from(ns) / i128::from(whole)) as i64;
        let mut lacking: BTreeMap<&'static str, i64> =
            planted.iter().map(|(by, ns)| (*by, share(*ns))).collect();
        for (by, ns) in planted {
            let (us, got) = (lacking[by], charged.get(*by).copied().unwrap_or(0));
            // A frame held up for 18 ms is shown a whole refresh of 22 ms later: both are right.
            let (least, most) = (us.min(ns / 1_000), us.max(ns / 1_000));
            let off = (least - got).max(got - most);
            self.causes += 1;
            *self.frames.entry(by).or_default() += 1;
            if off > 2_000.max(us / 10) {
                self.wrong.push(format!(
                    "{frame}, {hitch} µs late: {by} should be {us} and is {got}: {charged:?} of {planted:?}"
                ));
            }
        }
        let mut beyond = Vec::new();
        for (by, us) in charged {
            let right = lacking.get(by.as_str()).copied().unwrap_or(0).min(*us);
            if let Some((name, lacks)) = lacking.iter_mut().find(|(name, _)| **name == by) {
                *lacks -= right;
                *self.us.entry((name, by.clone())).or_default() += right;
            }
            beyond.push((by, us - right));
        }
        // What is charged to a kind beyond what was planted is lacking where another was.
        let all: i64 = lacking.values().sum();
        for (by, us) in beyond {
            for (name, lacks) in &lacking {
                *self.us.entry((name, by.clone())).or_default() += us * lacks / all.max(1);
            }
        }
    }

    /// Everything charged to one kind of what was planted of another, µs; of all kinds where none is named.
    pub fn sum(&self, planted: Option<&str>, found: Option<&str>) -> i64 {
        let wanted = |(by, to): &(&'static str, String)| {
            planted.is_none_or(|planted| planted == *by) && found.is_none_or(|found| found == to)
        };
        self.us.iter().filter(|(pair, _)| wanted(pair)).map(|(_, us)| us).sum()
    }

    pub fn right(&self) -> i64 {
        self.us.iter().filter(|((by, to), _)| by == to).map(|(_, us)| us).sum()
    }

    /// One frame's share of a kind, in percent.
    pub fn percent(&self, planted: &str, found: &str) -> f64 {
        100.0 * self.sum(Some(planted), Some(found)) as f64 / self.sum(Some(planted), None).max(1) as f64
    }

    /// As the page shows it.
    pub fn shown(&self, what: &str) -> String {
        let mut out =
            format!("{:<22} {what:>6} {:>10} {:>17}   to others\n", "planted", "ms", "charged to it");
        for (planted, frames) in &self.frames {
            let mut others: Vec<(&String, f64)> = self
                .us
                .keys()
                .filter(|(by, to)| by == planted && to != planted)
                .map(|(_, to)| (to, self.percent(planted, to)))
                .filter(|(_, percent)| *percent >= 0.05)
                .collect();
            others.sort_by(|one, other| other.1.total_cmp(&one.1));
            let others: Vec<String> =
                others.into_iter().take(2).map(|(to, percent)| format!("{to} {percent:.1} %")).collect();
            let (ms, right) = (self.sum(Some(planted), None) as f64 / 1e3, self.percent(planted, planted));
            let line =
                format!("{planted:<22} {frames:>6} {ms:>10.1} {right:>15.1} %   {}", others.join(", "));
            out.push_str(line.trim_end());
            out.push('\n');
        }
        let (all, right) = (self.sum(None, None), self.right());
        let share = 100.0 * right as f64 / all.max(1) as f64;
        let near = self.causes - self.wrong.len();
        out += &format!("{:<22} {:>6} {:>10.1} {share:>15.1} %\n", "all", "", all as f64 / 1e3);
        out + &format!("near what was planted: {near} of {} causes\n", self.causes)
    }
}

/// The page shows this below a heading; `FARMJANK_BLESS=1` writes it there.
pub fn recorded_on_the_page(heading: &str, shown: &str) {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/causes.md");
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(heading).expect("the heading");
    let (words, rest) = rest.split_once("```\n").expect("a block");
    let (text, after) = rest.split_once("```\n").expect("its end");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        let page = format!("{before}{heading}{words}```\n{shown}```\n{after}");
        std::fs::write(PAGE, page).expect("the page");
        return;
    }
    assert_eq!(shown, text, "{shown}");
}

/// Phones of every archetype that is traced: what holds apps up, and what holds up everybody.
fn phones() -> Vec<PhoneSpec> {
    let traced = || ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 31);
    let causes = causes();
    let apps = traced().map(|archetype| phone(archetype.name, &causes, |_| ()));
    let compositor = CompositorSpec {
        slow_cpu: 0.03,
        slow_gpu: 0.02,
        display_late: 0.02,
        longest: 3,
        ..CompositorSpec::default()
    };
    let late = traced().map(|archetype| {
        let smooth = phone(archetype.name, &[], |page| page.hitch_rate = 0.0);
        PhoneSpec { compositor, ..smooth }
    });
    apps.chain(late).collect()
}

#[test]
fn what_the_lab_planted_is_what_is_charged() {
    let config = config();
    let mut matrix = Matrix::default();
    for (spec, seed) in phones().iter().flat_map(|spec| (1..=4).map(move |seed| (spec, seed))) {
        let recorded = record(spec, seed, 10, &config);
        let (found, losses) = charged(&recorded.trace);
        assert!(losses.overrun.is_empty() && losses.unreadable == 0 && losses.disordered == 0, "{losses:?}");
        let truth = recorded.phone.truth();
        for late in &found.late {
            let planted = truly(&truth, late.frame.token, late.frame.hitch).expect("a frame of the truth");
            let (charges, _) = late.charges.as_ref().expect("nothing was lost");
            let mut by_word = BTreeMap::from([("unexplained".to_owned(), charges.unexplained_us)]);
            charges.charged.iter().for_each(|one| *by_word.entry(one.cause.word()).or_default() += one.us);
            let hitch = late.frame.hitch / 1_000;
            assert_eq!(by_word.values().sum::<i64>(), hitch, "to the microsecond");
            let name = format!("{} {seed} {}", spec.archetype, late.frame.token);
            matrix.take(&name, hitch, &planted, &by_word);
        }
    }
    let (all, right) = (matrix.sum(None, None), matrix.right());
    println!("{}\nframes nothing was planted in: {:?}", matrix.shown("frames"), matrix.unplanted);
    // Where both the app and the compositor are late, how much of a refresh is whose is a matter of taste.
    let (wrong, causes) = (&matrix.wrong, matrix.causes);
    assert!(500 * wrong.len() <= causes, "{} of {causes}: {wrong:#?}", wrong.len());
    assert!(100 * right >= 95 * all, "{right} of {all} µs");
    let told = all - matrix.sum(Some("unexplained"), None);
    let unexplained =
        matrix.sum(None, Some("unexplained")) - matrix.sum(Some("unexplained"), Some("unexplained"));
    assert!(10 * unexplained <= told, "{unexplained} of {told} µs that were told are unexplained");
    assert!(matrix.percent("unexplained", "unexplained") >= 90.0, "what nothing tells of is unexplained");
    let nothing: i64 = matrix.unplanted.values().sum();
    assert!(10 * matrix.unplanted["unexplained"] >= 9 * nothing, "{:?}", matrix.unplanted);
    // The compositor's and the display's own are told by the platform itself: the others have to do without them.
    let others = |right: bool| {
        let own = |by: &str| by.starts_with("sf.") || by.starts_with("display.");
        let wanted =
            |(pair, _): &(&(&'static str, String), &i64)| !own(pair.0) && (!right || pair.0 == pair.1);
        matrix.us.iter().filter(wanted).map(|(_, us)| us).sum::<i64>()
    };
    assert!(100 * others(true) >= 95 * others(false), "{} of {} µs", others(true), others(false));
    println!("without compositor and display {:.1} %", 100.0 * others(true) as f64 / others(false) as f64);
    for (planted, frames) in &matrix.frames {
        let percent = matrix.percent(planted, planted);
        assert!(*frames >= 5 && percent >= 90.0, "{planted}: {percent} % of {frames} frames");
    }
    recorded_on_the_page("## Planted and charged", &matrix.shown("frames"));
}
