//! `simpleperf record --app`: a profiler that follows one app, in words of Android 10 to 12 (system/extras/simpleperf,
//! cmd_record.cpp and environment.cpp).
//!
//! Must not know shells or streams.

use super::super::command::{Answer, Running, Work};
use super::super::lab_time::LabTime;
use super::super::sessions::{Program, Session};
use super::super::state::{MS, Phone};
use crate::chance::{Draw, Stream};
use crate::dumps::perfetto::Config;
use crate::dumps::simpleperf::Profile;
use farmjank_results::time::Span;

/// The first release with it, and the first that looks into apps which say they may be.
const SDK: u32 = 28;
const PROFILEABLE: u32 = 29;
/// The first release that asks itself whose app it is, before its helper does.
const ASKS: u32 = 31;
/// Where a shell may have it write.
const FOLDER: &str = "/data/local/tmp/";

/// What was asked for, where to, and for how long, s.
struct Asked {
    profile: Profile,
    path: String,
    seconds: Option<f64>,
}

/// The program as the process `pid`. None: the phone has none.
pub(in crate::phone) fn simpleperf(
    phone: &mut Phone,
    now: LabTime,
    arguments: &[String],
    pid: u32,
) -> Option<Running> {
    if phone.sim.setup.archetype.sdk < SDK {
        return None;
    }
    phone.commands.starts += 1;
    let draw = Draw::of(phone.body.seed, Stream::Trace, phone.commands.starts);
    let takes = Span::from_ns(draw.whole(40 * MS, 90 * MS));
    let asked = match prepare(phone, arguments) {
        Ok(asked) => asked,
        Err(words) => return Some(Running { takes, work: Work::Say(Answer::failed(words, 1)) }),
    };
    let began = now.ns() + draw.next(1).whole(180 * MS, 420 * MS);
    let ended = asked.seconds.map(|seconds| began.saturating_add((seconds * 1e9) as i64));
    let writing = draw.next(2).whole(200 * MS, 900 * MS);
    let kept_from = Some(phone.sim.flinger.trace_begins());
    phone.tracing.sessions.insert(
        pid,
        Session {
            program: Program::Simpleperf(asked.profile),
            config: Config::default(),
            path: Some(asked.path),
            argv: arguments.to_vec(),
            began,
            ended,
            writing,
            kept_from,
        },
    );
    Some(Running { takes, work: Work::Trace(pid) })
}

/// What is asked for, if the phone does that.
fn prepare(phone: &Phone, arguments: &[String]) -> Result<Asked, String> {
    let mut words = arguments.iter().map(String::as_str);
    match words.next() {
        Some("record") => {}
        other => {
            let other = other.unwrap_or("help");
            return Err(format!(
                "simpleperf E command.cpp:239] malformed command line: unknown command '{other}'\n"
            ));
        }
    }
    let (mut app, mut path, mut seconds, mut event) = (None, "perf.data".to_owned(), None, "cpu-cycles");
    let mut profile = Profile {
        app: String::new(),
        hertz: 4_000,
        off_cpu: false,
        clock: "monotonic".to_owned(),
        most: usize::MAX,
    };
    while let Some(word) = words.next() {
        let mut value = || {
            words.next().ok_or_else(|| {
                format!(
                    "simpleperf E command.cpp:53] No argument following {word} option. Try \
                                                `simpleperf help record`\n"
                )
            })
        };
        let bad = |value: &str| {
            format!("simpleperf E command.cpp:69] Invalid argument for option {word}: {value}\n")
        };
        match word {
            "--app" => app = Some(value()?.to_owned()),
            "-o" => path = value()?.to_owned(),
            "-e" => event = value()?,
            "-f" => {
                let said = value()?;
                profile.hertz = said.parse().map_err(|_| bad(said))?;
            }
            "--clockid" => profile.clock = value()?.to_owned(),
            "--duration" => {
                let said = value()?;
                seconds = Some(said.parse().map_err(|_| bad(said))?);
            }
            "--size-limit" => {
                let said = value()?;
                profile.most = bytes(said).ok_or_else(|| bad(said))?;
            }
            "--trace-offcpu" => profile.off_cpu = true,
            "-g" | "--no-dump-kernel-symbols" => {}
            unknown => {
                return Err(format!(
                    "simpleperf E command.cpp:60] Unknown option for record command: '{unknown}'. Try `simpleperf help record`\n"
                ));
            }
        }
    }
    if profile.off_cpu && !["cpu-clock", "task-clock"].contains(&event) {
        return Err("simpleperf E cmd_record.cpp:1029] --trace-offcpu should be used with one of cpu-clock task-clock\n".to_owned());
    }
    profile.app = app.unwrap_or_default();
    may_be_looked_into(phone, &profile.app)?;
    if !path.starts_with(FOLDER) || path.contains("/../") {
        return Err(format!("simpleperf E environment.cpp:760] Failed to open {path}: Permission denied\n"));
    }
    Ok(Asked { profile, path, seconds })
}

/// `64M`.
fn bytes(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) => {
            (number, [("K", 10), ("M", 20), ("G", 30)].iter().find(|(unit, _)| text.ends_with(unit))?.1)
        }
        None => (text, 0),
    };
    number.parse::<usize>().ok()?.checked_mul(1 << unit)
}

fn may_be_looked_into(phone: &Phone, name: &str) -> Result<(), String> {
    let sdk = phone.sim.setup.archetype.sdk;
    let app = phone.sim.setup.apps.iter().find(|app| app.id() == name);
    if app.is_some_and(|app| app.spec.debuggable || (sdk >= PROFILEABLE && app.spec.profileable)) {
        return Ok(());
    }
    Err(match (sdk, app) {
        (PROFILEABLE..ASKS, Some(_)) => {
            format!(
                "simpleperf_app_runner: package is neither debuggable nor profileable from shell: {name}\n"
            )
        }
        (PROFILEABLE..ASKS, None) => format!("simpleperf_app_runner: failed to find package {name}\n"),
        _ => format!(
            "simpleperf E environment.cpp:806] Package {name} doesn't exist or isn't debuggable/profileable.\n"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{AppSpec, PhoneSpec};

    /// What a phone says to this, with its status; none where it has no such program, or begins to record.
    fn said(archetype: &str, profileable: bool, line: &str) -> Option<(i32, String)> {
        let apps = vec![AppSpec { id: "com.shop".into(), profileable, ..AppSpec::default() }];
        let spec = PhoneSpec { archetype: archetype.into(), apps, ..PhoneSpec::default() };
        let mut phone = Phone::new(&spec, "TEST0001".into(), 1).expect("a phone");
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match phone.begin_fed(LabTime(0), &argv, &[], 7_001)?.work {
            Work::Say(answer) => Some((answer.status, String::from_utf8(answer.err).expect("text"))),
            _ => None,
        }
    }

    #[test]
    fn who_may_not_be_looked_into_is_refused_in_the_words_of_the_release() {
        let record =
            "simpleperf record --app com.shop -e cpu-clock -f 500 -g --trace-offcpu -o /data/local/tmp/p";
        let closed = |archetype| said(archetype, false, record).expect("a refusal");
        let own = "simpleperf E environment.cpp:806] Package com.shop doesn't exist or isn't debuggable/profileable.\n";
        assert_eq!(closed("pixel-6"), (1, own.to_owned()));
        let helper =
            "simpleperf_app_runner: package is neither debuggable nor profileable from shell: com.shop\n";
        assert_eq!(closed("redmi-note-7"), (1, helper.to_owned()));
        assert_eq!(said("pixel-6", true, record), None);
        // Android 7 has none.
        assert_eq!(said("galaxy-s7", true, record), None);
        let of =
            |from: &str, to: &str| said("pixel-6", true, &record.replace(from, to)).expect("a refusal").1;
        assert!(of("--app com.shop", "--app com.other").contains("com.other doesn't exist"));
        assert!(of("-g", "--fast").contains("Unknown option for record command: '--fast'"));
        assert!(of("cpu-clock", "cpu-cycles").contains("--trace-offcpu should be used with"));
        assert!(of("/data/local/tmp/p", "/sdcard/p").contains("Failed to open /sdcard/p"));
        assert!(of("-f 500", "-f fast").contains("Invalid argument for option -f: fast"));
    }

    #[test]
    fn sizes_are_told_with_their_unit() {
        assert_eq!(
            (bytes("64M"), bytes("3K"), bytes("7"), bytes("x")),
            (Some(64 << 20), Some(3 << 10), Some(7), None)
        );
    }
}
