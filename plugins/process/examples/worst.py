#!/usr/bin/env python3
"""A plugin of farmjank: worst.csv, a line for every limit that did not hold, those that missed by most first.

    farmjank run --plugin worst='python3 worst.py' scenarios/
"""
import csv
import io
import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


def missed(row):
    """How far a limit was missed, as a share of it; a measurement that is absent is worse than any."""
    actual, limit = row["actual"], row["limit"]
    if actual is None or not limit:
        return float("inf")
    return abs(actual - limit) / abs(limit)


def table(jobs, judged):
    rows = []
    for event in judged.values():
        job = jobs[event["job"]]
        for window in event["windows"]:
            for judgement in window["judgements"]:
                if judgement["outcome"] != "held":
                    rows.append({**judgement, **job, "window": window["window"]})
    rows.sort(key=missed, reverse=True)
    columns = ["device", "scenario", "window", "metric", "outcome", "actual", "limit", "unit"]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue(), len(rows)


jobs, judged = {}, {}
for line in sys.stdin.buffer:
    message = json.loads(line)
    match message.get("farmjank"), message.get("kind"):
        case "hello", _ if 1 in message["protocols"]:
            say(plugin="hello", protocol=1, offers=["reporter"])
        case "hello", _:
            say(plugin="refuse", why=f"this plugin speaks protocol 1, not {message['protocols']}")
            break
        case "conclude", _:
            text, rows = table(jobs, judged)
            say(plugin="file", path="worst.csv", text=text)
            say(plugin="console", text=f"{rows} limits did not hold, see worst.csv\n")
            say(plugin="done")
        case "bye", _:
            break
        case None, "plan_made":
            jobs = {job["job"]: {"scenario": job["scenario"], "device": job["device"]} for job in message["jobs"]}
        case None, "job_moved":
            jobs[message["job"]]["device"] = message["to"]
        case None, "job_judged":
            judged[message["job"]] = message
