//! What the looks found: hostile text, bounded, of which what cannot be read is none.

use super::script::{ASKED, LOOK, OVER, SERVICES, hides_network};
use crate::text::{decode, shown};
use farmjank_results::resources::{Resource, ResourceSample, ResourceWatch};
use farmjank_results::time::{ClockMap, Span};
use farmjank_seams::sampling_loop::uptime;
use farmjank_seams::source::Unreadable;
use farmjank_seams::thermal::celsius;
use std::collections::BTreeMap;

/// Looks of one window at most: a quarter of an hour of them.
const MOST: usize = 1_000;
/// Length of the ticks `/proc` counts CPU time in, ns: USER_HZ is 100 on every Android.
const TICK: i64 = 10_000_000;
/// Sensors below the skin, among the kinds of sensors.
const SKIN: u8 = 3;

/// The looks at the beginning of a window, inside it and at its end.
pub(super) fn watch(mark: &[u8], bytes: &[u8], clock: Option<ClockMap>) -> Result<ResourceWatch, Unreadable> {
    let (begin, rest) = (decode(mark), decode(bytes));
    let texts = [&*begin, &*rest].map(String::from_utf8_lossy);
    let asked = texts[0].lines().find_map(|line| line.strip_prefix(ASKED));
    let Some(asked) = asked else {
        return Err(Unreadable::Garbled(format!(
            "no look at the phone's counters begins it: {}",
            shown(mark)
        )));
    };
    let mut words = asked.split_ascii_whitespace();
    let sdk: u32 = words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let asked: Vec<Resource> = words.filter_map(Resource::named).collect();
    let Some(clock) = clock else {
        return Err(Unreadable::Refused(
            "the phone's clocks are not known, so no look has a time".to_owned(),
        ));
    };
    let mut samples: Vec<ResourceSample> = texts
        .iter()
        .flat_map(|text| looks(text))
        .take(MOST)
        .filter_map(|look| sample(&look, clock))
        .collect();
    samples.sort_by_key(|sample| sample.at);
    fed_between(&mut samples);
    let why = |one: Resource| (one, refusal(one, &samples, sdk));
    let asked: BTreeMap<Resource, Option<String>> = asked.into_iter().map(why).collect();
    Ok(ResourceWatch { samples, asked })
}

/// What feeds the phone is asked at the ends of a window alone: where both say the same, it was so in between.
fn fed_between(samples: &mut [ResourceSample]) {
    let ends = samples.first().zip(samples.last()).map(|(first, last)| (first.fed, last.fed));
    let Some((Some(first), Some(last))) = ends else { return };
    for sample in samples.iter_mut().filter(|sample| sample.fed.is_none() && first == last) {
        sample.fed = Some(first);
    }
}

/// The lines of each whole look: one that was cut off, or that another begins in, is none.
fn looks(text: &str) -> Vec<Vec<&str>> {
    let mut whole = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        if line.starts_with(LOOK) {
            open = Some(vec![line]);
        } else if line == OVER {
            whole.extend(open.take());
        } else if let Some(look) = &mut open {
            look.push(line);
        }
    }
    whole
}

fn sample(look: &[&str], clock: ClockMap) -> Option<ResourceSample> {
    let (head, lines) = look.split_first()?;
    let mut head = head.strip_prefix(LOOK)?.split_ascii_whitespace();
    let at = clock.to_device(uptime(head.next()?)?);
    let mut sample = ResourceSample { at, ..ResourceSample::default() };
    sample.pid = head.next().and_then(|pid| pid.parse().ok());
    let services = lines.iter().position(|line| SERVICES.contains(line)).unwrap_or(lines.len());
    let (own, services) = lines.split_at(services);
    for (line, of_service) in
        own.iter().map(|line| (line, false)).chain(services.iter().map(|line| (line, true)))
    {
        let Some((word, rest)) = line.split_once(' ') else { continue };
        match word {
            // What a service prints may begin with any word.
            "cores" | "stat" | "VmRSS:" | "current" if of_service => {}
            "cores" => sample.cores = cores(rest),
            "stat" => sample.cpu = cpu(rest),
            "VmRSS:" => sample.rss_kb = rest.split_ascii_whitespace().next().and_then(|kb| kb.parse().ok()),
            "current" => sample.current = rest.trim().parse().ok(),
            "qtaguid" => {
                let (received, sent) = qtaguid(rest).unwrap_or_default();
                let before = sample.network.unwrap_or_default();
                sample.network = Some((before.0.saturating_add(received), before.1.saturating_add(sent)));
            }
            "netstats" => sample.network = netstats(rest),
            _ => {}
        }
    }
    let text = services.join("\n");
    let [thermal, battery] = SERVICES.map(|mark| text.split_once(mark).map(|(_, text)| text));
    sample.skin = thermal.and_then(|text| celsius(text, SKIN));
    if let Some(text) = battery {
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
            value.trim().parse::<i32>().ok()
        };
        let degrees = field("temperature:").map(|tenths| f64::from(tenths) / 10.0);
        sample.battery = degrees.filter(|degrees| (-40.0..=120.0).contains(degrees));
        // 2 charging, 4 not charging, 5 full: a phone in a rack is full and lives on its cable. 3 discharging.
        let powered = text.lines().any(|line| line.trim().ends_with(" powered: true"));
        let status = field("status:").filter(|status| (2..=5).contains(status));
        sample.fed = status.map(|status| powered || status != 3);
    }
    Some(sample)
}

/// `PID (NAME) STATE …`: utime and stime are the 14th and 15th field, and the name may hold anything.
fn cpu(stat: &str) -> Option<Span> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<i64>().ok();
    ticks()?.checked_add(ticks()?)?.checked_mul(TICK).map(Span::from_ns)
}

/// `cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL …`: what was spent, and all.
fn cores(stat: &str) -> Option<(Span, Span)> {
    let fields = stat.strip_prefix("cpu")?.split_ascii_whitespace().take(8);
    let ticks: Vec<i64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let idle = ticks.get(3)?.checked_add(*ticks.get(4)?)?;
    let all = ticks.iter().try_fold(0_i64, |sum, ticks| sum.checked_add(*ticks))?;
    let span = |ticks: i64| ticks.checked_mul(TICK).map(Span::from_ns);
    span(all - idle).zip(span(all))
}

/// A line of `xt_qtaguid/stats`: `idx iface tag uid set rx_bytes rx_packets tx_bytes …`; those of tags are part of the
/// others.
fn qtaguid(line: &str) -> Option<(u64, u64)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let number = |nth: usize| fields.get(nth)?.parse::<u64>().ok();
    (*fields.get(2)? == "0x0").then(|| number(5).zip(number(7)))?
}

/// A line of `mAppUidStatsMap`: `uid rxBytes rxPackets txBytes txPackets`.
fn netstats(line: &str) -> Option<(u64, u64)> {
    let mut fields = line.split_ascii_whitespace().map(|field| field.parse::<u64>().ok());
    let received = fields.nth(1)??;
    Some((received, fields.nth(1)??))
}

/// Why none of the looks tells of it; none where one does, or where its metrics say it better.
fn refusal(of: Resource, samples: &[ResourceSample], sdk: u32) -> Option<String> {
    let any = |tells: &dyn Fn(&ResourceSample) -> bool| samples.iter().any(tells);
    let runs = any(&|sample| sample.pid.is_some());
    let absent = || "the app did not run in this window".to_owned();
    let told = match of {
        Resource::Cpu => any(&|sample| sample.cpu.is_some()),
        Resource::Memory => any(&|sample| sample.rss_kb.is_some()),
        Resource::Temperature => any(&|sample| sample.skin.is_some() || sample.battery.is_some()),
        Resource::Battery => any(&|sample| sample.current.is_some()),
        Resource::Network => any(&|sample| sample.network.is_some()),
    };
    if told || (of == Resource::Battery && any(&|sample| sample.fed == Some(true))) {
        return None;
    }
    Some(match of {
        Resource::Network if hides_network(sdk) => {
            "Android 10 to 12 tell a shell of no app what it sends and receives".to_owned()
        }
        Resource::Cpu | Resource::Memory | Resource::Network if !runs => absent(),
        Resource::Cpu => "this phone does not let a shell read /proc/PID/stat of apps".to_owned(),
        Resource::Memory => "this phone does not let a shell read VmRSS in /proc/PID/status of apps".to_owned(),
        Resource::Temperature => {
            "neither the thermal nor the battery service of this phone tells a temperature".to_owned()
        }
        Resource::Battery => {
            "this phone does not let a shell read /sys/class/power_supply/battery/current_now, as many builds for users do not"
                .to_owned()
        }
        Resource::Network => "this phone tells a shell no counters of the app's user id".to_owned(),
    })
}

#[cfg(test)]
mod tests;
