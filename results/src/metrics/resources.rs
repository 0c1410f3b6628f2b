//! What the app and its phone used beside the frames: CPU, memory, heat, the battery's current, network.
//!
//! What: counters and sensors of the phone, looked at as the window begins, once a second and as it ends. Formulas
//! below. Unit: ms/s, %, MB, °C, mA, kB. Better: lower. Needs: that somebody asks (`beside`, or a limit). Since Android
//! 7; what a phone refuses has its reason. Source: proc(5) for CPU and memory, Android's thermal and network services
//! (docs/design/phones.md#what-an-app-uses).

mod lines;

use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::resources::{Resource, ResourceSample, ResourceWatch};
use crate::window::Window;
pub use lines::lines;

/// What a metric is made of, for those who look only at what is asked for; none of metrics that need no look.
pub fn resource(key: &str) -> Option<Resource> {
    KEYS.iter().find(|(own, _)| *own == key).map(|(_, resource)| *resource)
}

fn told(
    window: &Window,
    resource: Resource,
    value: impl FnOnce(&ResourceWatch) -> Option<f64>,
    otherwise: &str,
) -> Reading {
    let Some(watch) = &window.beside.resources else {
        return Reading::Unmeasurable(not_asked(resource).into());
    };
    match watch.asked.get(&resource) {
        None => Reading::Unmeasurable(not_asked(resource).into()),
        Some(Some(why)) => Reading::Unmeasurable(why.as_str().into()),
        Some(None) => value(watch).map_or_else(|| Reading::Unmeasurable(otherwise.into()), Reading::Value),
    }
}

fn not_asked(resource: Resource) -> String {
    format!("nobody asked for it: `beside: [{resource}]`, or a limit on it")
}

/// The highest of what single looks tell.
fn highest(watch: &ResourceWatch, of: impl Fn(&ResourceSample) -> Option<f64>) -> Option<f64> {
    watch.samples.iter().filter_map(of).reduce(f64::max)
}

/// MB as Android counts them: 1024 kB.
fn megabytes(sample: &ResourceSample) -> Option<f64> {
    sample.rss_kb.map(|kb| kb as f64 / 1_024.0)
}

fn mean(watch: &ResourceWatch, of: impl Fn(&ResourceSample) -> Option<f64>) -> Option<f64> {
    let all: Vec<f64> = watch.samples.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

macro_rules! resources {
    ($($name:ident $key:literal $resource:ident $unit:ident $since:literal $about:literal $formula:literal $origin:literal
        $otherwise:literal $value:expr;)*) => {
        /// Every metric of this file, and what it is made of.
        const KEYS: &[(&str, Resource)] = &[$(($key, Resource::$resource)),*];

        $(
            #[doc = $about]
            pub static $name: Metric = Metric {
                key: $key,
                unit: Unit::$unit,
                better: Better::Lower,
                needs: Needs::Resources,
                about: $about,
                formula: $formula,
                since: $since,
                origin: $origin,
                measure: |window| {
                    let value: fn(&ResourceWatch) -> Option<f64> = $value;
                    told(window, Resource::$resource, value, $otherwise)
                },
            };
        )*
    };
}

resources! {
    CPU_MS_PER_S "cpu_ms_per_s" Cpu MsPerS 7
        "CPU time of the app's process per second of the window; 1000 is one core busy all the time"
        "CPU time used from the first look to the last / time between them"
        "utime and stime of proc(5), all threads of the process named as the package; further processes of the app \
            are not in it. Ticks of 10 ms: in a window of 2 s it is known to 10 ms/s. A tenth of it is the percent of one \
            core that top shows; how fast the cores ran, it does not tell."
        "the app's process was not seen twice in this window"
        |watch| watch.cpu().map(|(used, span)| used.ms() / span.secs());
    DEVICE_CPU_PCT "device_cpu_pct" Cpu Percent 7
        "how busy all cores of the phone were together, with everything that ran on them"
        "100 (busy time / all time) of all cores from the first look to the last"
        "The first line of /proc/stat: everything but idle and iowait, farmjank's own looking included. Much of it that \
            is not the app's own CPU time tells that something else slowed the app."
        "the phone's own count of CPU time did not move"
        |watch| watch.busy().map(|share| share * 100.0);
    RSS_MB "rss_mb" Memory Mb 7
        "memory of the app's process in RAM (RSS) as the window ended"
        "VmRSS of the last look / 1024"
        "Pages shared with other processes count in full, so it is more than the PSS of dumpsys meminfo and moves like \
            it. It is read from /proc without touching the app; dumpsys meminfo halts the app while it walks its memory, so \
            it is never asked. MB of 1024 kB, as Android prints them."
        "the app's process did not run as the window ended"
        |watch| watch.samples.last().and_then(megabytes);
    RSS_PEAK_MB "rss_peak_mb" Memory Mb 7
        "the most memory of the app's process in RAM (RSS) that a look found in the window"
        "highest VmRSS of all looks / 1024"
        "As rss_mb; what came and went between two looks, a second apart, is not in it."
        "the app's process was not seen in this window"
        |watch| highest(watch, megabytes);
    SKIN_C "skin_c" Temperature Celsius 10
        "temperature below the phone's skin, the hottest sensor at either end of the window"
        "highest of type SKIN at the first and the last look"
        "Android's thermal service; makers place and name sensors as they like, and some estimate them, so compare \
            a phone with itself only. Phones begin to slow down by this temperature."
        "the phone has no sensor below its skin that it tells of"
        |watch| highest(watch, |sample| sample.skin);
    BATTERY_C "battery_c" Temperature Celsius 7
        "temperature of the battery, the higher of both ends of the window"
        "highest at the first and the last look"
        "In tenths of a degree, from dumpsys battery; it follows the rest of the phone by minutes."
        "the phone does not tell its battery's temperature"
        |watch| highest(watch, |sample| sample.battery);
    BATTERY_MA "battery_ma" Battery MilliAmp 7
        "current out of the battery, mean of the looks; of the whole phone, its display included"
        "mean of |current| of the looks, where nothing but the battery feeds the phone"
        "What the kernel tells of the battery; many builds for users keep it from a shell. A phone on a cable, full or not, has no such \
            number. The sign and the unit differ by maker: the sign is left out, and less than 20 mA, as µA read, are mA. Fuel \
            gauges tell a mean over some seconds: short windows follow each other's."
        "a cable feeds the phone, so what comes out of the battery is not what it uses: take it off (adb over Wi-Fi)"
        |watch| mean(watch, ResourceSample::draws_ma);
    NETWORK_RX_KB "network_rx_kb" Network Kb 7
        "data the app received over any network while the window was open"
        "bytes received at the last look - at the first, / 1024"
        "The kernel's counters of the app's user id, headers included; apps that share a user id share it. Android 10 to 12 \
            keep them from a shell."
        "the app's counters were not there at both ends of the window"
        |watch| watch.network().map(|(received, _)| received as f64 / 1_024.0);
    NETWORK_TX_KB "network_tx_kb" Network Kb 7
        "data the app sent over any network while the window was open"
        "bytes sent at the last look - at the first, / 1024"
        "The kernel's counters of the app's user id, as those of network_rx_kb."
        "the app's counters were not there at both ends of the window"
        |watch| watch.network().map(|(_, sent)| sent as f64 / 1_024.0);
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::time::{DeviceTime, Span};

    /// A look so many seconds after the first.
    fn look(seconds: i64, pid: u32, cpu_ms: i64) -> ResourceSample {
        let at = DeviceTime::from_ns(seconds * 1_000 * MS);
        ResourceSample { at, pid: Some(pid), cpu: Some(Span::from_ms(cpu_ms)), ..ResourceSample::default() }
    }

    fn beside(samples: Vec<ResourceSample>) -> Window {
        let mut window = window(P60, &[P60; 5]);
        let asked = Resource::ALL.into_iter().map(|one| (one, None)).collect();
        window.beside.resources = Some(ResourceWatch { samples, asked });
        window
    }

    fn value(metric: &Metric, window: &Window) -> Option<f64> {
        metric.measure(window).value()
    }

    #[test]
    fn cpu_time_is_that_between_the_looks_and_of_a_new_process_all_of_it() {
        let window = beside(vec![look(0, 7, 1_000), look(1, 7, 1_300), look(2, 9, 150), look(4, 9, 350)]);
        assert_eq!(value(&CPU_MS_PER_S, &window), Some((300.0 + 150.0 + 200.0) / 4.0));
        assert_eq!(value(&CPU_MS_PER_S, &beside(vec![look(0, 7, 1_000)])), None);
    }

    #[test]
    fn a_look_that_lacks_the_cpu_time_of_a_process_is_passed_over() {
        let silent = |seconds| ResourceSample { cpu: None, ..look(seconds, 7, 0) };
        let window = beside(vec![silent(0), look(1, 7, 9_000), silent(2), look(3, 7, 9_400), silent(4)]);
        assert_eq!(value(&CPU_MS_PER_S, &window), Some(200.0));
    }

    #[test]
    fn busy_cores_are_a_share_of_all_there_was() {
        let mut ends = vec![look(0, 1, 0), look(2, 1, 0)];
        ends[0].cores = Some((Span::from_ms(500), Span::from_ms(8_000)));
        ends[1].cores = Some((Span::from_ms(1_500), Span::from_ms(16_000)));
        assert_eq!(value(&DEVICE_CPU_PCT, &beside(ends)), Some(12.5));
    }

    #[test]
    fn memory_ends_with_the_window_and_peaks_inside() {
        let mut looks = vec![look(0, 1, 0), look(1, 1, 0), look(2, 1, 0)];
        for (look, mb) in looks.iter_mut().zip([100, 140, 120]) {
            look.rss_kb = Some(mb * 1_024);
        }
        let window = beside(looks);
        assert_eq!((value(&RSS_MB, &window), value(&RSS_PEAK_MB, &window)), (Some(120.0), Some(140.0)));
    }

    #[test]
    fn current_is_told_in_either_unit_and_never_while_it_is_charged() {
        let with = |current, fed| {
            let look = ResourceSample { current: Some(current), fed: Some(fed), ..look(0, 1, 0) };
            value(&BATTERY_MA, &beside(vec![look]))
        };
        assert_eq!(with(-412_000, false), Some(412.0));
        assert_eq!(with(412, false), Some(412.0));
        assert_eq!(with(-412_000, true), None);
    }

    #[test]
    fn counters_that_went_back_tell_nothing() {
        let with = |first, last| {
            let mut ends = vec![look(0, 1, 0), look(2, 1, 0)];
            (ends[0].network, ends[1].network) = (Some(first), Some(last));
            value(&NETWORK_RX_KB, &beside(ends))
        };
        assert_eq!(with((1_024, 0), (5_120, 0)), Some(4.0));
        assert_eq!(with((5_120, 0), (1_024, 0)), None);
    }

    #[test]
    fn what_nobody_asked_for_and_what_a_phone_refuses_have_their_reasons() {
        let mut window = beside(vec![look(0, 1, 0), look(1, 1, 0)]);
        let asked = &mut window.beside.resources.as_mut().expect("looks").asked;
        asked.remove(&Resource::Memory);
        asked.insert(Resource::Cpu, Some("refused".to_owned()));
        let why = |metric: &Metric| match metric.measure(&window) {
            Reading::Unmeasurable(why) => why.to_string(),
            told => panic!("{told:?}"),
        };
        assert_eq!(why(&CPU_MS_PER_S), "refused");
        assert!(why(&RSS_MB).contains("`beside: [memory]`"));
        assert!(KEYS.iter().all(|(key, own)| resource(key) == Some(*own)) && resource("fps").is_none());
    }
}
