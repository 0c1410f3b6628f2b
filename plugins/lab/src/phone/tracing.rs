//! `perfetto` and `simpleperf`: sessions that live on their own, and the files they leave behind
//! (docs/design/trace.md#recording).
//!
//! A session records nothing: its file is written from the truth when it is over. Lab times in ns. Must not know shells
//! or streams.

mod options;
mod simpleperf;

use super::command::{Answer, Running, Work};
use super::lab_time::LabTime;
use super::sessions::{CONFIGS, Program, Session, TRACES};
use super::state::{MS, Phone};
use super::{files, replay};
use crate::chance::{Draw, Stream};
use crate::dumps::perfetto::{Capture, Config, FRAMETIMELINE, trace};
use crate::dumps::simpleperf::record;
use farmjank_results::time::Span;
use options::{Mode, Options};
pub(super) use simpleperf::simpleperf;

/// Most sessions of one user at once.
const MOST_SESSIONS: usize = 5;
/// `perfetto`, with its standard input; `pid` is the process it becomes. None: the phone has no such program.
pub(super) fn perfetto(
    phone: &mut Phone,
    now: LabTime,
    arguments: &[String],
    input: &[u8],
    pid: u32,
) -> Option<Running> {
    let sdk = phone.sim.setup.archetype.sdk;
    if sdk < 28 {
        return None;
    }
    phone.commands.starts += 1;
    let draw = Draw::of(phone.body.seed, Stream::Trace, phone.commands.starts);
    let connected = draw.whole(22 * MS, 60 * MS);
    let prepared = prepare(phone, now, arguments, input);
    let (options, config) = match prepared {
        Ok(prepared) => prepared,
        Err(answer) => {
            return Some(Running { takes: Span::from_ns(connected / 2), work: Work::Say(answer) });
        }
    };
    let started = connected + draw.next(1).whole(40 * MS, 140 * MS);
    let began = now.ns() + started;
    let length = config.duration_ms.filter(|ms| *ms > 0).map(|ms| ms.saturating_mul(MS as u64));
    let ended = length.map(|ns| began.saturating_add(i64::try_from(ns).unwrap_or(i64::MAX)));
    let writing = draw.next(2).whole(70 * MS, 220 * MS);
    let frames = phone.sim.setup.archetype.sdk >= 31 && config.buffer_of(FRAMETIMELINE).is_some();
    let kept_from = frames.then(|| phone.sim.flinger.trace_begins());
    let path = options.out.clone();
    let (program, argv) = (Program::Perfetto, arguments.to_vec());
    phone
        .tracing
        .sessions
        .insert(pid, Session { program, config, path, argv, began, ended, writing, kept_from });
    let work = match options.mode {
        Mode::Foreground => Work::Trace(pid),
        Mode::Background | Mode::BackgroundWait => Work::Say(Answer::said(format!("{pid}\n"))),
    };
    let takes = if options.mode == Mode::BackgroundWait { started } else { connected };
    Some(Running { takes: Span::from_ns(takes), work })
}

/// Everything that is checked before tracing begins.
fn prepare(
    phone: &Phone,
    now: LabTime,
    arguments: &[String],
    input: &[u8],
) -> Result<(Options, Config), Answer> {
    let options = Options::read(arguments, phone.sim.setup.archetype.sdk)?;
    if options.version {
        return Err(Answer::said("Perfetto v12.1 (N/A)\n"));
    }
    let failed = |text: String| Answer::failed(text, 1);
    if let Some(path) = &options.out
        && (!path.starts_with(TRACES) || path.len() == TRACES.len() || path.contains("/../"))
    {
        return Err(failed(format!(
            "Failed to open {path}. If you get permission denied in /data/misc/perfetto-traces, the file might have been \
             created by another user, try deleting it first.\n"
        )));
    }
    let bytes = match options.config.as_str() {
        "-" => input.to_vec(),
        path if path.starts_with(CONFIGS) || phone.sim.setup.archetype.sdk < 31 => {
            files::file(phone, now, path).ok_or_else(|| failed(format!("Could not open {path}\n")))?
        }
        path => return Err(failed(format!("Could not open {path}\n"))),
    };
    let invalid = "The trace config is invalid, bailing out.\n";
    if bytes.is_empty() {
        return Err(failed(format!("The config is empty\n{invalid}")));
    }
    if !options.text {
        // Binary configs come from tools; people who forget --txt get this.
        return Err(failed(invalid.to_owned()));
    }
    let config = Config::read(&String::from_utf8_lossy(&bytes), phone.sim.setup.archetype.sdk)
        .map_err(|complaint| failed(format!("{complaint}{invalid}")))?;
    if config.buffers.is_empty() || config.sources.iter().any(|(_, target)| *target >= config.buffers.len()) {
        return Err(failed(
            "EnableTracing() failed: a data source writes to a buffer that the config does not declare\n"
                .to_owned(),
        ));
    }
    if phone.tracing.faults.refused {
        return Err(failed(
            "Failed to connect to the traced service. If this is a user build, the tracing service may be off: \
             setprop persist.traced.enable 1\n"
                .to_owned(),
        ));
    }
    if phone.tracing.sessions.len() >= MOST_SESSIONS {
        return Err(failed(format!(
            "Service error: Too many concurrent tracing sesions ({MOST_SESSIONS}) for uid 2000 limit is {MOST_SESSIONS}\n"
        )));
    }
    Ok((options, config))
}

/// A signal for a tracing process: 2 and 15 end the trace, others the process. False when there is none.
pub fn signal(phone: &mut Phone, now: LabTime, pid: u32, signal: i32) -> bool {
    settle(phone, now);
    let Some(session) = phone.tracing.sessions.get_mut(&pid) else { return false };
    match signal {
        0 => {}
        2 | 15 => {
            let already = session.ended.is_some_and(|ended| ended <= now.ns());
            if !already {
                session.ended = Some(now.ns().max(session.began));
            }
        }
        _ => {
            let killed = phone.tracing.sessions.remove(&pid);
            release(phone, killed.as_ref());
        }
    }
    true
}

/// Sessions that are over by now leave their files.
pub fn settle(phone: &mut Phone, now: LabTime) {
    let over =
        |session: &Session| session.path.is_some() && session.done().is_some_and(|done| done <= now.ns());
    let pids: Vec<u32> =
        phone.tracing.sessions.iter().filter(|(_, session)| over(session)).map(|(pid, _)| *pid).collect();
    for pid in pids {
        if let Some(session) = phone.tracing.sessions.remove(&pid) {
            if matches!(session.program, Program::Simpleperf(_)) {
                phone.sim.advance(phone.monotonic_ns(now));
            }
            let bytes = traced(phone, &session);
            release(phone, Some(&session));
            if let Some(path) = &session.path {
                phone.storage.write(path, bytes);
            }
        }
    }
}

/// The answer of a tracing process in the foreground.
pub(super) fn finish_trace(phone: &mut Phone, now: LabTime, pid: u32) -> Answer {
    match phone.tracing.sessions.get(&pid).map(|session| session.path.is_none()) {
        Some(true) => {
            let session = phone.tracing.sessions.remove(&pid);
            let bytes = session.as_ref().map(|session| traced(phone, session)).unwrap_or_default();
            release(phone, session.as_ref());
            Answer::said(bytes)
        }
        _ => {
            settle(phone, now);
            Answer::default()
        }
    }
}

/// What was kept for a session is needed no more.
fn release(phone: &mut Phone, session: Option<&Session>) {
    if session.is_some_and(|session| session.kept_from.is_some()) {
        phone.sim.flinger.trace_ends();
    }
}

fn traced(phone: &Phone, session: &Session) -> Vec<u8> {
    let (began, ended) = (session.began, session.ended.unwrap_or(session.began));
    let done = phone.clocks.monotonic(ended.saturating_add(session.writing));
    let until = done.min(phone.sim.clock());
    // Only a frame that was on its way for long when tracing began is not among those kept: then all is gone through
    // once more.
    let truth = match session.kept_from {
        Some(kept) if kept < phone.clocks.monotonic(began) => replay::truth_kept(phone, until),
        _ => replay::truth_until(phone, until),
    };
    let fingerprint = phone.sim.setup.archetype.fingerprint();
    let monotonic = phone.clocks.monotonic(ended);
    let open = phone.sim.setup.apps.iter().filter(|app| app.spec.profileable || app.spec.debuggable);
    let profiled: Vec<String> = open.map(|app| app.id().to_owned()).collect();
    let capture = Capture {
        truth: &truth,
        sdk: phone.sim.setup.archetype.sdk,
        cores: phone.sim.setup.archetype.cores,
        config: &session.config,
        began: phone.clocks.monotonic(began),
        ended: monotonic,
        boot_offset: phone.clocks.slept,
        wall_offset: WALL_START + ended - monotonic,
        births: &phone.sim.activities.births,
        profiled: &profiled,
        build: &fingerprint,
        seed: phone.body.seed,
        loss: phone.tracing.faults.loss,
        kept: phone.tracing.faults.kept,
    };
    match &session.program {
        Program::Perfetto => trace(&capture),
        Program::Simpleperf(profile) => record(&capture, profile),
    }
}

/// Wall clock of every phone when the lab begins: 2026-01-01 00:00:00 UTC, ns since 1970.
const WALL_START: i64 = 1_767_225_600_000_000_000;
