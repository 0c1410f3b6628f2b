#!/usr/bin/env python3
"""A plugin of farmjank with hooks: trials.csv, when each trial began and ended by this computer's clock, to cut the
record of a power meter or a camera. A run waits for its answers, so that is where such a thing is started and stopped.

    farmjank run --plugin stopwatch='python3 stopwatch.py' scenarios/
"""
import json
import sys
import time


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def row(began, asked):
    # A run that went on in another process may end what nobody here began.
    began = "" if began is None else f"{began:.3f}"
    return f"{asked['device']},{asked['job']},{asked['trial']},{began},{time.time():.3f}\n"


def main():
    running, rows = {}, ["device,job,trial,began,ended\n"]
    for line in sys.stdin.buffer:
        message = json.loads(line)
        asked = message.get("farmjank")
        if asked == "hello":
            if 1 not in message["protocols"]:
                say({"plugin": "refuse", "why": "stopwatch.py speaks protocol 1 alone"})
                return
            say({"plugin": "hello", "protocol": 1, "offers": ["reporter", "hooks"]})
        elif asked in ("before_job", "after_job", "before_trial", "after_trial"):
            if asked == "before_trial":
                running[message["job"]] = time.time()
            elif asked == "after_trial":
                rows.append(row(running.pop(message["job"], None), message))
            say({"plugin": "ready", "id": message["id"]})
        elif asked == "conclude":
            say({"plugin": "file", "path": "trials.csv", "text": "".join(rows)})
            say({"plugin": "done"})
        elif asked == "bye":
            return


main()
