"""A second reader of events.ndjson, written from docs/design/log.md alone: log in, verdicts of cells and run out, as JSON."""
import json
import sys

WORST = ["pass", "undecided", "broken", "fail"]
CODES = {"pass": 0, "fail": 1, "broken": 3, "undecided": 4}
TOLD = ["job", "scenario", "device", "window", "verdict", "cause", "reasons", "fault", "against"]


def worst(verdicts):
    return max(verdicts, key=WORST.index, default="pass")


def lines(text):
    *whole, _torn = text.split(b"\n")  # what follows the last line break is empty, or half a line
    return [json.loads(line) for line in whole if line.strip()]


def law(holds, words):
    if not holds:
        sys.exit("a law is broken: " + words)


def read(events):
    cells, jobs, windows, run, nothing_compared, at = {}, {}, set(), None, False, 0
    homes, merged, tellers = {}, set(), set()
    for number, event in enumerate(events):
        kind = event["kind"]
        law(event["seq"] == number and event["at"] >= at, f"event {number} is out of order")
        law((kind == "run_started") == (number == 0), "run_started comes first and once")
        after = kind.startswith("delivery_") or kind in ("run_finished", "run_resumed")
        law(run is None or after, f"{kind} after run_judged")
        at = event["at"]
        if "shard" in event:
            tellers.add(event["shard"])
            own = homes.get(event.get("job"), event["shard"])
            law(own == event["shard"], f"shard {event['shard']} tells of a job of shard {own}")
        if kind == "plan_made":
            jobs = {job["job"]: None for job in event["jobs"]}
            windows = {(job["job"], window["name"]) for job in event["jobs"] for window in job["windows"]}
            shards = event.get("shards", {})
            homes = {job["job"]: job.get("shard") for job in event["jobs"]}
            merged = {one["shard"] for one in shards.get("merged", [])}
            law("own" not in shards or set(homes.values()) <= {shards["own"]}, "a job of another shard")
        elif kind == "run_resumed":
            cells, run, nothing_compared = {}, None, False
            jobs.update({job: None for job in event.get("again", []) + event.get("anew", [])})
        elif kind == "job_judged":
            law(jobs[event["job"]] is None, "a job is judged once")
            jobs[event["job"]] = event["verdict"]
            here = not merged or homes[event["job"]] in merged
            law(here or event["verdict"] == "broken", "a job nobody measured is not broken")
        elif kind == "run_compared":
            law(not cells, "the run is compared before its cells are judged")
            nothing_compared = not event["cells"]
        elif kind == "cell_judged":
            key = (event["job"], event["window"], event.get("whole", False))
            law(None not in jobs.values() and key not in cells, "a cell is judged once, after all jobs")
            cells[key] = {name: event.get(name) for name in TOLD} | {"whole": key[2]}
        elif kind == "run_judged":
            run = event
    law(tellers <= merged, "a shard tells that was not merged")
    if run is not None and jobs:
        law(windows <= {key[:2] for key in cells if not key[2]}, "a planned window was never judged")
        for job, verdict in jobs.items():
            own = [cell["verdict"] for key, cell in cells.items() if key[0] == job]
            law(own and worst([verdict, *own]) == worst(own), f"job {job} is worse than its cells")
        all_of_them = worst([cell["verdict"] for cell in cells.values()] + ["undecided"] * nothing_compared)
        law(run["verdict"] == all_of_them, f"the run is {run['verdict']}, its cells {all_of_them}")
        code = {None: CODES[run["verdict"]], "SIGTERM": 143}.get(run["interrupted"], 130)
        law(run["exit_code"] == code, f"exit code {run['exit_code']} is not {code}")
    return {"run": run and run["verdict"], "exit_code": run and run["exit_code"], "cells": list(cells.values())}


print(json.dumps(read(lines(sys.stdin.buffer.read()))))
