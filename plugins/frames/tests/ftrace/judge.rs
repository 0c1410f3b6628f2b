//! Row by row against Perfetto's own reader, on the trace of a real phone. Both lie beside the repository and are not
//! part of it; where one is absent these tests say so and pass.
#![expect(clippy::disallowed_methods, reason = "reads files beside the repository")]

use farmjank_causes::contention::monitor;
use farmjank_causes::fact::{Call, Fact, Segment};
use farmjank_frames::ftrace::{FtraceReader, Threads};
use farmjank_witnesses::perfetto::{reader, rows};
use std::path::{Path, PathBuf};

const TRACE: &str = "real-dumps/frametimeline/google-perfetto-api32-startup-warm.perfetto-trace";

fn beside(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if !path.is_file() {
        println!("skipped: {} is not on this machine", path.display());
        return None;
    }
    Some(path)
}

/// Sorted rows of a query, without the header.
fn asked(query: &str) -> Option<Vec<String>> {
    let (reader, trace) = (reader()?, beside(TRACE)?);
    let mut rows = rows(reader, &trace, query);
    rows.sort_unstable();
    Some(rows)
}

/// Sorted rows of ours: what a fact is as one.
fn ours(row: impl Fn(&Threads, &Fact<'_>) -> Option<String>) -> Option<Vec<String>> {
    let bytes = std::fs::read(beside(TRACE)?).expect("a file");
    let mut rows = Vec::new();
    let mut each = |threads: &Threads, fact: Fact<'_>| rows.extend(row(threads, &fact));
    let mut reader = FtraceReader::default();
    bytes.chunks(10_007).for_each(|piece| reader.feed(piece, &mut each));
    reader.finish(&mut each).expect("a trace of the kernel");
    rows.sort_unstable();
    Some(rows)
}

/// The same rows, or the first that differ.
fn same(theirs: &[String], ours: &[String]) {
    let missing: Vec<&String> = theirs.iter().filter(|row| ours.binary_search(row).is_err()).collect();
    let new: Vec<&String> = ours.iter().filter(|row| theirs.binary_search(row).is_err()).collect();
    let (missing, new) = (&missing[..missing.len().min(12)], &new[..new.len().min(12)]);
    assert!(
        theirs == ours,
        "{} rows of theirs, {} of ours; only theirs: {missing:#?}; only ours: {new:#?}",
        theirs.len(),
        ours.len()
    );
}

fn dur(from: i64, to: Option<i64>) -> i64 {
    to.map_or(-1, |to| to - from)
}

#[test]
fn states_of_threads_are_those_of_perfettos_reader() {
    let theirs = asked(
        "select printf('%d|%d|%d|%s|%s|%s|%s|%d', s.ts, s.dur, t.tid, s.state, ifnull(s.cpu, '-'),
           ifnull(s.io_wait, '-'), ifnull(w.tid, '-'), ifnull(s.irq_context, 0)) row
         from thread_state s join thread t using (utid) left join thread w on s.waker_utid = w.utid",
    );
    let ours = ours(|threads, fact| {
        let Fact::State(Segment { thread, from, to, state, cpu, waker, interrupt, io }) = *fact else {
            return None;
        };
        let or = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
        Some(format!(
            "{from}|{}|{}|{}|{}|{}|{}|{}",
            dur(from, to),
            threads.tid(thread),
            state.letters(),
            or(cpu.map(i64::from)),
            or(io.map(i64::from)),
            or(waker.map(|waker| i64::from(threads.tid(waker)))),
            i64::from(interrupt),
        ))
    });
    let (Some(theirs), Some(ours)) = (theirs, ours) else { return };
    assert!(theirs.len() > 20_000, "{}", theirs.len());
    same(&theirs, &ours);
}

#[test]
fn slices_of_threads_are_those_of_perfettos_reader() {
    let theirs = asked(
        "select printf('%d|%d|%d|%d|%s', s.ts, s.dur, t.tid, s.depth, s.name) row
         from slice s join thread_track k on s.track_id = k.id join thread t using (utid)",
    );
    let ours = ours(|threads, fact| {
        let Fact::Slice { thread, from, to, depth, name } = *fact else { return None };
        // What has no name is called so by them.
        let name = if name.is_empty() { b"[empty slice name]" } else { name };
        let (tid, name) = (threads.tid(thread), String::from_utf8_lossy(name));
        Some(format!("{from}|{}|{tid}|{depth}|{name}", dur(from, to)))
    });
    let (Some(theirs), Some(ours)) = (theirs, ours) else { return };
    assert!(theirs.len() > 9_000, "{}", theirs.len());
    same(&theirs, &ours);
}

#[test]
fn slices_of_processes_are_those_of_perfettos_reader() {
    let theirs = asked(
        "select printf('%d|%d|%s', s.ts, s.dur, s.name) row from slice s join track t on s.track_id = t.id
         where t.type glob 'atrace_async_slice*' and s.dur > 0",
    );
    let ours = ours(|_, fact| {
        let Fact::Async { from, to, name, .. } = *fact else { return None };
        Some(format!("{from}|{}|{}", to - from, String::from_utf8_lossy(name)))
    });
    let (Some(theirs), Some(ours)) = (theirs, ours) else { return };
    same(&theirs, &ours);
}

#[test]
fn calls_and_messages_are_those_of_perfettos_reader() {
    let theirs = asked(
        "include perfetto module android.binder;
         select printf('%d|%d|%d|%d|%d|%d', client_ts, client_dur, client_tid, server_ts, server_dur, server_tid) row
         from android_binder_txns",
    );
    let row = |(from, dur, client): (i64, i64, i32), (at, served, server): (i64, i64, i32)| {
        Some(format!("{from}|{dur}|{client}|{at}|{served}|{server}"))
    };
    let ours = ours(|threads, fact| match *fact {
        Fact::Call(Call { client, from, to: Some(to), served: Some((server, at, Some(end))) }) => {
            row((from, to - from, threads.tid(client)), (at, end - at, threads.tid(server)))
        }
        Fact::Message { sent: (client, from), taken: (server, at) } => {
            row((from, 0, threads.tid(client)), (at, 0, threads.tid(server)))
        }
        _ => None,
    });
    let (Some(theirs), Some(ours)) = (theirs, ours) else { return };
    assert!(theirs.len() > 900, "{}", theirs.len());
    same(&theirs, &ours);
}

#[test]
fn every_wait_for_a_lock_that_perfettos_reader_knows_is_read_as_it_reads_it() {
    let theirs = asked(
        "include perfetto module android.monitor_contention;
         select printf('%d|%d|%d|%s|%s|%s', ts, dur, blocked_thread_tid, blocking_thread_name, short_blocking_method,
           short_blocked_method) row from android_monitor_contention",
    );
    let ours = ours(|threads, fact| {
        let Fact::Slice { thread, from, to: Some(to), name, .. } = *fact else { return None };
        let name = String::from_utf8_lossy(name);
        let told = monitor(&name)?;
        let (holding, blocked) = (told.holding?, told.blocked?);
        Some(format!("{from}|{}|{}|{}|{holding}|{blocked}", to - from, threads.tid(thread), told.owner))
    });
    let (Some(theirs), Some(ours)) = (theirs, ours) else { return };
    // They pass over those with anything else inside: every row of theirs is one of ours.
    assert!(theirs.len() > 100 && ours.len() >= theirs.len(), "{} {}", theirs.len(), ours.len());
    let missing: Vec<&String> = theirs.iter().filter(|row| ours.binary_search(row).is_err()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
