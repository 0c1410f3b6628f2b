#!/usr/bin/env python3
"""A plugin of farmjank that computes metrics: how evenly frames follow one another, which games and video players care
about more than for single late frames. With a rate they mean to keep, such as `--fps 30`, frames are held against that;
without one, against the time each was due to take.

    farmjank run --plugin pacing='python3 pacing.py --fps 30' scenarios/

and in a scenario:

    thresholds:
      pacing.uneven: 'mean < 3%'
      pacing.change_p95: 'max < 20ms'
"""
import json
import sys

METRICS = [
    {"name": "uneven", "unit": "%", "better": "lower",
     "about": "share of frames that took over half a refresh more or less than they were to take"},
    {"name": "change_p95", "unit": "ms", "better": "lower",
     "about": "95th percentile of how much the time of a frame differs from that of the frame before"},
]
FEWEST = 10


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def measured(rows, fps):
    frames = [row for row in rows if row["what"] == "frame"]
    paced = [row for row in frames if row["period_ns"] > 0]
    values, why = {name["name"]: None for name in METRICS}, {}
    if len(paced) < FEWEST:
        why["uneven"] = f"{len(paced)} frames with a known refresh period are too few"
    else:
        uneven = 0
        for row in paced:
            target = 1e9 / fps if fps else row["period_ns"] * (row["vsyncs"] - row["late_vsyncs"])
            uneven += abs(row["to_ns"] - row["from_ns"] - target) > row["period_ns"] / 2
        values["uneven"] = 100 * uneven / len(paced)
    changes = sorted(
        abs((after["to_ns"] - after["from_ns"]) - (before["to_ns"] - before["from_ns"]))
        # What is no frame stands between them: a pause that was idle is no change of pace.
        for before, after in zip(rows, rows[1:])
        if before["what"] == after["what"] == "frame" and before["to_ns"] == after["from_ns"]
    )
    if len(changes) < FEWEST:
        why["change_p95"] = f"{len(changes)} frames that follow another are too few"
    else:
        values["change_p95"] = changes[-(-95 * len(changes) // 100) - 1] / 1e6
    return values, why


def main():
    fps = float(sys.argv[sys.argv.index("--fps") + 1]) if "--fps" in sys.argv else None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        asked = message.get("farmjank")
        if asked == "hello":
            if 1 not in message["protocols"]:
                say({"plugin": "refuse", "why": "pacing.py speaks protocol 1 alone"})
                return
            say({"plugin": "hello", "protocol": 1, "version": "1", "offers": ["reporter", "metrics"], "metrics": METRICS})
        elif asked == "measure":
            values, why = measured(message["frames"], fps)
            say({"plugin": "measured", "id": message["id"], "values": values, "why": why})
        elif asked == "conclude":
            say({"plugin": "done"})
        elif asked == "bye":
            return


main()
