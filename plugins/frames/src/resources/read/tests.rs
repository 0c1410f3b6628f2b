//! Texts as phones print them, and as they do not.

use super::*;
use farmjank_results::time::DeviceTime;

const CLOCK: ClockMap = ClockMap { offset: Span::ZERO, uncertainty: Span::ZERO };

const STAT: &str =
    "stat 4242 (a) b) c) S 612 612 0 0 -1 1077952832 41210 0 31 0 150 50 0 0 10 -10 42 0 90210";

fn read(mark: &str, rest: &str) -> ResourceWatch {
    watch(mark.as_bytes(), rest.as_bytes(), Some(CLOCK)).expect("looks")
}

/// A look at this many seconds with these lines.
fn look(seconds: &str, lines: &str) -> String {
    format!("{LOOK} {seconds} 4242\n{lines}\n{OVER}\n")
}

fn begin(asked: &str, lines: &str) -> String {
    format!("{ASKED} {asked}\n{}", look("100.50", lines))
}

#[test]
fn a_name_may_hold_anything_and_cpu_time_is_in_ticks() {
    let all = read(&begin("34 cpu", &format!("cores cpu  200 0 100 700 0 0 0 0 0 0\n{STAT}")), "");
    let sample = &all.samples[0];
    assert_eq!((sample.at, sample.pid), (DeviceTime::from_ns(100_500_000_000), Some(4242)));
    assert_eq!(sample.cpu, Some(Span::from_ms(2_000)));
    assert_eq!(sample.cores, Some((Span::from_ms(3_000), Span::from_ms(10_000))));
    assert_eq!(all.asked[&Resource::Cpu], None);
}

#[test]
fn half_a_look_and_a_look_that_another_begins_in_tell_nothing() {
    let cut = format!("{}{LOOK} 102.00 4242\n{STAT}\n{}", look("101.00", STAT), look("103.00", STAT));
    let rest = format!("{cut}{LOOK} 104.00 4242\n{STAT}");
    let seconds = |sample: &ResourceSample| sample.at.ns() / 1_000_000_000;
    let seen: Vec<i64> = read(&begin("34 cpu", STAT), &rest).samples.iter().map(seconds).collect();
    assert_eq!(seen, [100, 101, 103]);
}

#[test]
fn services_tell_of_heat_and_of_a_cable() {
    let [thermal, battery] = SERVICES;
    let lines = format!(
        "{thermal}\nCurrent temperatures from HAL:\n\tTemperature{{mValue=38.2, mType=3, mName=skin, mStatus=0}}\n\
         {battery}\n  status: 3\ncurrent now: 7\n  level: 80\n  temperature: 305"
    );
    let all = read(&begin("34 temperature battery", &format!("current -412000\n{lines}")), "");
    let sample = &all.samples[0];
    assert_eq!((sample.skin, sample.battery, sample.fed), (Some(38.2), Some(30.5), Some(false)));
    assert_eq!(sample.draws_ma(), Some(412.0));
    // Full, or slower charged than it is used: the battery tells a part of what the phone uses, or nothing.
    for said in ["status: 5", "status: 4", "USB powered: true\n  status: 3"] {
        let lines = format!("current -3000\n{}", lines.replace("status: 3", said));
        assert_eq!(read(&begin("34 temperature battery", &lines), "").samples[0].draws_ma(), None, "{said}");
    }
}

#[test]
fn a_phone_fed_by_its_battery_at_both_ends_was_so_in_between() {
    let [_, battery] = SERVICES;
    let end = |status: &str| format!("current -400000\n{battery}\n  status: {status}");
    let drawn = |first: &str, last: &str| {
        let rest = format!("{}{}", look("101.50", "current -700000"), look("102.50", &end(last)));
        let all = read(&begin("34 battery", &end(first)), &rest);
        all.samples.iter().map(ResourceSample::draws_ma).collect::<Vec<_>>()
    };
    assert_eq!(drawn("3", "3"), [Some(400.0), Some(700.0), Some(400.0)]);
    assert_eq!(drawn("3", "2"), [Some(400.0), None, None], "a cable came");
}

#[test]
fn network_is_that_of_the_table_and_of_both_halves_of_the_old_file() {
    let all = read(&begin("34 network", "netstats     10123 5000 4 700 2"), "");
    assert_eq!(all.samples[0].network, Some((5_000, 700)));
    let old = "qtaguid 2 wlan0 0x0 10123 0 1000 1 100 1 0\nqtaguid 3 wlan0 0x0 10123 1 3000 3 300 3 0\n\
               qtaguid 4 wlan0 0x1 10123 1 900 1 90 1 0";
    assert_eq!(read(&begin("26 network", old), "").samples[0].network, Some((4_000, 400)));
}

#[test]
fn what_a_phone_keeps_has_its_reason() {
    let why = |asked: &str, of: Resource, lines: &str| read(&begin(asked, lines), "").asked[&of].clone();
    let told = |asked: &str, of: Resource| why(asked, of, "").expect("a reason");
    assert!(told("34 cpu", Resource::Cpu).contains("/proc/PID/stat"));
    assert!(told("34 memory", Resource::Memory).contains("VmRSS"));
    assert!(told("34 battery", Resource::Battery).contains("current_now"));
    assert!(told("31 network", Resource::Network).starts_with("Android 10 to 12"));
    assert!(told("34 network", Resource::Network).contains("user id"));
    let [_, battery] = SERVICES;
    assert_eq!(
        why("34 battery", Resource::Battery, &format!("{battery}\nstatus: 2")),
        None,
        "its metric says it"
    );
    let absent = format!("{ASKED} 34 memory\n{LOOK} 1.00 \n{OVER}\n");
    assert_eq!(
        read(&absent, "").asked[&Resource::Memory].as_deref(),
        Some("the app did not run in this window")
    );
}

#[test]
fn what_is_no_look_is_refused_and_numbers_too_large_are_none() {
    assert!(matches!(watch(b"Permission denied\n", b"", Some(CLOCK)), Err(Unreadable::Garbled(_))));
    assert!(matches!(watch(begin("34 cpu", "").as_bytes(), b"", None), Err(Unreadable::Refused(_))));
    let huge = STAT.replace("150 50", "9223372036854775807 9223372036854775807");
    let all = read(
        &begin("34 cpu memory", &format!("{huge}\ncores cpu 9223372036854775807 9 9 9 9\nVmRSS: -3")),
        "",
    );
    let sample = &all.samples[0];
    assert_eq!((sample.cpu, sample.cores, sample.rss_kb), (None, None, None));
}

#[test]
fn looks_are_bounded() {
    let many: String = (0..3_000).map(|n| look(&format!("{n}.00"), "")).collect();
    assert_eq!(read(&begin("34 cpu", ""), &many).samples.len(), MOST);
}
