#!/usr/bin/env python3
"""A plugin of farmjank: badge.json, what a badge on a page says of the run (the endpoint format of shields.io).

    farmjank run --plugin badge='python3 badge.py' scenarios/
"""
import json
import sys

COLOURS = {"pass": "brightgreen", "fail": "red", "broken": "lightgrey", "undecided": "yellow"}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def badge(verdict, cells):
    passed = sum(1 for cell in cells.values() if cell == "pass")
    message = f"{passed} of {len(cells)} smooth" if cells else "nothing ran"
    return {"schemaVersion": 1, "label": "farmjank", "message": message, "color": COLOURS.get(verdict, "lightgrey")}


def main():
    verdict, cells = "undecided", {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        asked = message.get("farmjank")
        if asked == "hello":
            if 1 not in message["protocols"]:
                say({"plugin": "refuse", "why": "badge.py speaks protocol 1 alone"})
                return
            say({"plugin": "hello", "protocol": 1, "offers": ["reporter"], "patience_s": 5})
        elif asked == "conclude":
            text = json.dumps(badge(verdict, cells))
            say({"plugin": "file", "path": "badge.json", "text": text})
            say({"plugin": "done"})
        elif asked == "bye":
            return
        elif message.get("kind") == "cell_judged":
            # Told anew by a run that went on: the last word counts.
            cells[(message["job"], message["window"])] = message["verdict"]
        elif message.get("kind") == "run_judged":
            verdict = message["verdict"]


main()
