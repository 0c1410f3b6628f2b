//! The lab's traces before Perfetto's own reader, where it lies beside the repository: what it makes of them is what
//! ours does, and it finds nothing wrong. Where it is absent these tests say so and pass.
#![expect(clippy::disallowed_methods, reason = "writes files for a program of others")]

use super::matrix::causes;
use super::planted::{config, config_with_stacks, phone, record};
use farmjank_causes::fact::{Call, Fact, Segment};
use farmjank_frames::ftrace::{FtraceReader, Threads};
use farmjank_witnesses::perfetto::{reader, rows};
use std::collections::BTreeMap;
use std::path::Path;

/// Rows of a query, without the header: how often each is there.
fn asked(reader: &Path, trace: &Path, query: &str) -> BTreeMap<String, usize> {
    counted(rows(reader, trace, query).into_iter())
}

fn counted(rows: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    rows.for_each(|row| *all.entry(row).or_default() += 1);
    all
}

/// Ours: what a fact is as a row.
fn ours(trace: &[u8], row: impl Fn(&Threads, &Fact<'_>) -> Option<String>) -> BTreeMap<String, usize> {
    let mut rows = Vec::new();
    let mut each = |threads: &Threads, fact: Fact<'_>| rows.extend(row(threads, &fact));
    let mut reader = FtraceReader::default();
    trace.chunks(10_007).for_each(|piece| reader.feed(piece, &mut each));
    reader.finish(&mut each).expect("a trace of the kernel");
    counted(rows.into_iter())
}

fn same(what: &str, theirs: &BTreeMap<String, usize>, ours: &BTreeMap<String, usize>, least: usize) {
    let only = |one: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>| -> Vec<String> {
        one.iter()
            .filter(|(row, many)| other.get(*row) != Some(many))
            .map(|(row, _)| row.clone())
            .take(6)
            .collect()
    };
    assert!(theirs == ours, "{what}: theirs {:#?}, ours {:#?}", only(theirs, ours), only(ours, theirs));
    let all: usize = theirs.values().sum();
    assert!(all >= least, "{what}: {all}");
    println!("{what}: {all} rows");
}

fn dur(from: i64, to: Option<i64>) -> i64 {
    to.map_or(-1, |to| to - from)
}

/// A phone's trace, held against Perfetto's reader row by row.
fn judged(archetype: &str, config: &str) {
    let Some(reader) = reader() else { return };
    let trace = record(&phone(archetype, &causes(), |_| ()), 5, 6, config).trace;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.perfetto-trace");
    std::fs::write(&path, &trace).expect("a file");
    let wrong =
        asked(reader, &path, "select name || ' ' || value from stats where severity = 'error' and value > 0");
    assert_eq!(wrong, BTreeMap::new(), "{archetype}: it complains");
    let or = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
    // It takes nothing for granted of wakeups, and of wakings in full no interrupt: what it does not tell is not asked.
    let (wakings, compact) = (archetype != "pixel-6", config.contains("compact_sched"));
    let states = asked(
        reader,
        &path,
        "select printf('%d|%d|%d|%s|%s|%s|%s|%d', s.ts, s.dur, t.tid, s.state, ifnull(s.cpu, '-'),
           ifnull(s.io_wait, '-'), ifnull(w.tid, '-'), ifnull(s.irq_context, 0)) row
         from thread_state s join thread t using (utid) left join thread w on s.waker_utid = w.utid",
    );
    let told = ours(&trace, |threads, fact| {
        let Fact::State(Segment { thread, from, to, state, cpu, waker, interrupt, io }) = *fact else {
            return None;
        };
        let (dur, tid, letters) = (dur(from, to), threads.tid(thread), state.letters());
        let (cpu, io, waker) =
            (cpu.map(i64::from), io.map(i64::from), waker.map(|waker| i64::from(threads.tid(waker))));
        Some(format!(
            "{from}|{dur}|{tid}|{letters}|{}|{}|{}|{}",
            or(cpu),
            or(io),
            or(waker),
            i64::from(interrupt && compact)
        ))
    });
    if wakings {
        same(&format!("{archetype}: states"), &states, &told, 20_000);
    }
    let slices = asked(
        reader,
        &path,
        "select printf('%d|%d|%d|%d|%s', s.ts, s.dur, t.tid, s.depth, s.name) row
         from slice s join thread_track k on s.track_id = k.id join thread t using (utid)
         where s.name != 'mm_vmscan_direct_reclaim'",
    );
    let told = ours(&trace, |threads, fact| {
        let Fact::Slice { thread, from, to, depth, name } = *fact else { return None };
        let (tid, name) = (threads.tid(thread), String::from_utf8_lossy(name));
        Some(format!("{from}|{}|{tid}|{depth}|{name}", dur(from, to)))
    });
    same(&format!("{archetype}: slices"), &slices, &told, 4_000);
    judged_apart(archetype, (reader, &path), &trace);
}

/// What lies beside states and slices: memory freed, calls, waits for locks.
fn judged_apart(archetype: &str, (reader, path): (&Path, &Path), trace: &[u8]) {
    let freed = asked(
        reader,
        path,
        "select printf('%d|%d|%d', s.ts, s.dur, t.tid) row from slice s join thread_track k on s.track_id = k.id
         join thread t using (utid) where s.name = 'mm_vmscan_direct_reclaim'",
    );
    let told = ours(trace, |threads, fact| {
        let Fact::Reclaim { thread, from, to } = *fact else { return None };
        Some(format!("{from}|{}|{}", to - from, threads.tid(thread)))
    });
    same(&format!("{archetype}: memory freed"), &freed, &told, 0);
    let calls = asked(
        reader,
        path,
        "include perfetto module android.binder;
         select printf('%d|%d|%d|%d|%d|%d', client_ts, client_dur, client_tid, server_ts, server_dur, server_tid) row
         from android_binder_txns",
    );
    let told = ours(trace, |threads, fact| match *fact {
        Fact::Call(Call { client, from, to: Some(to), served: Some((server, at, Some(end))) }) => Some(
            format!("{from}|{}|{}|{at}|{}|{}", to - from, threads.tid(client), end - at, threads.tid(server)),
        ),
        _ => None,
    });
    same(&format!("{archetype}: calls"), &calls, &told, 20);
    let contentions = asked(
        reader,
        path,
        "include perfetto module android.monitor_contention;
         select blocking_thread_name || ' ' || short_blocking_method row from android_monitor_contention",
    );
    let named = contentions.get("db-writer com.example.shop.ShopDb.flush").copied().unwrap_or(0);
    assert!(named > 10, "{contentions:?}");
}

/// Call stacks: of whom, when, and every call with its file.
#[test]
fn stacks_of_a_lab_phone_are_to_perfettos_own_reader_what_they_are_to_ours() {
    let Some(reader) = reader() else { return };
    for archetype in ["oneplus-9", "pixel-8"] {
        let mut spec = phone(archetype, &causes(), |_| ());
        spec.apps.iter_mut().for_each(|app| app.profileable = true);
        let trace = record(&spec, 5, 4, &config_with_stacks()).trace;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.perfetto-trace");
        std::fs::write(&path, &trace).expect("a file");
        let wrong =
            "select name || ' ' || value from stats where severity in ('error', 'data_loss') and value > 0";
        let wrong = asked(reader, &path, wrong);
        // What wakes main and may not be looked into is told as skipped.
        assert!(wrong.keys().all(|row| row.starts_with("perf_samples_skipped ")), "{archetype}: {wrong:?}");
        let theirs = asked(
            reader,
            &path,
            "with recursive up(sample, callsite, path) as (
               select id, callsite_id, '' from perf_sample where callsite_id is not null
               union all
               select up.sample, c.parent_id, up.path || '|' || f.name || '@' || m.name
               from up join stack_profile_callsite c on c.id = up.callsite
               join stack_profile_frame f on c.frame_id = f.id join stack_profile_mapping m on f.mapping = m.id)
             select printf('%d|%d', p.ts, t.tid) || up.path row from up join perf_sample p on p.id = up.sample
             join thread t using (utid) where up.callsite is null",
        );
        let mut scan = farmjank_frames::ftrace::Scan::default();
        trace.chunks(10_007).for_each(|piece| scan.feed(piece));
        let looks = scan.finish().stacks.looks();
        let row = |(tid, _, at, stack): (i32, farmjank_causes::stacks::Look, i64, u32)| {
            let calls = looks.recording.calls(stack).map(|call| format!("|{}@{}", call.name, call.file));
            format!("{at}|{tid}{}", calls.collect::<String>())
        };
        same(&format!("{archetype}: stacks"), &theirs, &counted(looks.iter().map(row)), 1_000);
    }
}

#[test]
fn a_lab_phones_trace_is_to_perfettos_own_reader_what_it_is_to_ours() {
    // Android 12 has no wakings, Android 13 no flags of interrupts, Android 15 both.
    for archetype in ["pixel-6", "oneplus-9", "pixel-8"] {
        judged(archetype, &config());
    }
}

#[test]
fn so_is_one_without_compact_events() {
    judged("pixel-8", &config().replace("compact_sched { enabled: true }", ""));
}
