//! Traces of the lab, opened by Perfetto's own messages (PyPI `perfetto`), where Python has them.
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "another program reads the file")]

use crate::packets::read;
use crate::tracing::recorded;
use farmjank_lab::archetype::ARCHETYPES;
use std::path::Path;
use std::process::Command;

/// Prints `cookie kind token end` of every slice, then the processes and the clock offset.
const SCRIPT: &str = r#"
import sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
if not hasattr(Trace().packet.add(), "frame_timeline_event"):
    sys.exit(7)
trace = Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
slices, offset, clock_of = {}, 0, {}
for packet in trace.packet:
    if packet.HasField("clock_snapshot"):
        clocks = {clock.clock_id: clock.timestamp for clock in packet.clock_snapshot.clocks}
        offset = clocks[6] - clocks[3]
    if packet.HasField("trace_packet_defaults"):
        clock_of[packet.trusted_packet_sequence_id] = packet.trace_packet_defaults.timestamp_clock_id
    for process in packet.process_tree.processes:
        print("process", process.pid, process.cmdline[0])
    if not packet.HasField("frame_timeline_event"):
        continue
    clock = packet.timestamp_clock_id or clock_of.get(packet.trusted_packet_sequence_id, 6)
    at = packet.timestamp - (offset if clock == 6 else 0)
    kind = packet.frame_timeline_event.WhichOneof("event")
    event = getattr(packet.frame_timeline_event, kind)
    if kind == "frame_end":
        slices[event.cookie][-1] = at
        continue
    name = getattr(event, "layer_name", "-") or "-"
    jank = getattr(event, "jank_type", 0)
    slices[event.cookie] = [kind, event.token if event.HasField("token") else 0, jank, name.replace(" ", "_"), at, None]
for cookie, slice in sorted(slices.items()):
    print("slice", cookie, *slice)
print("offset", offset)
"#;

#[test]
fn perfetto_s_own_messages_read_the_same_slices() {
    let ready = |code: &str| {
        Command::new("python3").args(["-c", code]).output().is_ok_and(|output| output.status.success())
    };
    let needed = "from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import FrameTimelineEvent";
    if !ready(needed) {
        println!("skipped: python3 has no `perfetto` with FrameTimelineEvent (pip install perfetto==0.14.0)");
        return;
    }
    for archetype in ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 31) {
        let file = recorded(archetype.name);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.pftrace", archetype.name));
        std::fs::write(&path, &file).expect("a file");
        let output = Command::new("python3").args(["-c", SCRIPT]).arg(&path).output().expect("python3");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}: {}", archetype.name, String::from_utf8_lossy(&output.stderr));
        let trace = read(&file);
        let kinds = ["", "expected_display", "actual_display", "expected_surface", "actual_surface"];
        let mut ours =
            trace.processes.iter().map(|(pid, name)| format!("process {pid} {name}\n")).collect::<Vec<_>>();
        ours.extend(trace.slices.iter().map(|(cookie, slice)| {
            let kind = format!("{}_frame_start", kinds[slice.kind as usize]);
            let jank = match slice.kind {
                2 => slice.number(7),
                4 => slice.number(9),
                _ => Some(0),
            };
            let layer = slice
                .said
                .get(&5)
                .filter(|_| slice.kind > 2)
                .map_or("-".into(), |said| said.1.replace(' ', "_"));
            let end = slice.end.map_or("None".to_owned(), |end| end.to_string());
            let (token, jank) = (slice.number(2).unwrap_or(0), jank.unwrap_or(0));
            format!("slice {cookie} {kind} {token} {jank} {layer} {} {end}\n", slice.start)
        }));
        ours.push(format!("offset {}\n", trace.offset));
        let mut theirs: Vec<String> = said.lines().map(|line| format!("{line}\n")).collect();
        theirs[..trace.processes.len()]
            .sort_by_key(|line| line.split(' ').nth(1).and_then(|pid| pid.parse::<u64>().ok()));
        assert!(ours == theirs, "{}: Perfetto's messages say something else", archetype.name);
        println!("{}: {} slices read alike", archetype.name, trace.slices.len());
    }
}
