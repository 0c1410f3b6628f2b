#!/usr/bin/env python3
"""How much of the same phones devlib, SoloX, a polling script and farmjank see, beside the truth.

A virtual lab is served in real time behind a stock adb server: for each tool a phone of its own of each kind, with the same app, which
stalls for --held ms in every second fling. Each tool watches its phone while it is scrolled by `adb shell input swipe`, one after the
other so that none is in another's way; `farmjank run` scrolls by itself. Then the lab says which frames there were. devlib and SoloX are
installed with pip into an environment that is thrown away, and their own code is run (`peer.py`); one that cannot be is named and left
out.

Needs cargo, adb and pip; some ten minutes. Exit status: 1 where farmjank loses a frame, misses a stall or invents one. `--table` prints
last the table of the README, all phones of a tool in one row; `--form` prints what that table looks like, and measures nothing.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

import peer
from ports import free_port
from stillness import binary
from throughput import environment

HERE = pathlib.Path(__file__).resolve().parent
# What the README calls them.
KINDS = {"redmi-note-7": "60 Hz, Android 10", "galaxy-a14": "90 Hz, Android 14", "oneplus-9": "120 Hz, Android 13", "pixel-8": "120 Hz, Android 15"}
PACKAGES = {"devlib": "devlib==1.3.4", "solox": "solox==2.9.3"}
OWN = "farmjank"
SWIPE = {"from": (540, 1500), "to": (540, 500), "ms": 250}
PHONE = """\
  - archetype: {kind}
    serial: {serial}
    apps:
      - id: com.example.shop
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, wakes: false, cost_ms: 3, spread: 0.1, hitch_rate: 0, \
touch_stall: {{ every: 2, from: lift, after_ms: 120, ms: {held} }} }}
"""
SCENARIO = """\
name: Peers
appId: com.example.shop
iterations: 1
warmup: 0
steps:
  - openLink: 'shop://home'
  - wait: 1500ms
  - measure: scrolling
    steps: [ {{ repeat: {{ times: {times}, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: {wait}ms }} ] }} }}, {{ wait: 1500ms }} ]
"""


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--kinds", default=",".join(KINDS), metavar="A,B", help="kinds of phones [%(default)s]")
    reader.add_argument("--tools", metavar="A,B", help="only tools whose name has one of these words, and farmjank")
    reader.add_argument("--swipes", type=int, default=12, metavar="N", help="swipes per phone [12]")
    reader.add_argument("--wait", type=int, default=500, metavar="MS", help="between one swipe and the next [500]")
    reader.add_argument("--held", type=int, default=250, metavar="MS", help="length of a planted stall [250]")
    reader.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the lab [1]")
    reader.add_argument("--adb", default="adb", metavar="FILE", help="the stock adb, which tools find as `adb` [adb]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    reader.add_argument("--table", action="store_true", help="print the table of the README last")
    reader.add_argument("--form", action="store_true", help="print its form, and measure nothing")
    reader.add_argument("--keep", metavar="FOLDER", help="keep the truth and what every tool left here")
    return reader.parse_args()


class Served:
    """The lab, and a stock adb server before it."""

    def __init__(self, args, farmjank, folder, serials):
        self.folder = folder
        phones = "".join(PHONE.format(kind=kind, serial=serial, held=args.held) for serial, (kind, _) in serials.items())
        (folder / "lab.yaml").write_text(f"name: peers\nphones:\n{phones}")
        self.lab = subprocess.Popen([farmjank, "lab", "serve", "--daemons", "--seed", str(args.seed), "--truth", "truth.json", "lab.yaml"],
                                    cwd=folder, stdout=subprocess.PIPE, text=True)
        self.addresses = {}
        for line in self.lab.stdout:
            if told := re.search(r"adb connect (\S+)\s+\((.+)\)", line):
                self.addresses[told[2]] = told[1]
            if len(self.addresses) == len(serials):
                break
        (folder / "bin").mkdir()
        (folder / "bin" / "adb").symlink_to(subprocess.run(["sh", "-c", 'command -v "$0"', args.adb], check=True, stdout=subprocess.PIPE,
                                                           text=True).stdout.strip())
        self.port = free_port()
        self.world = {**os.environ, "ADB_MDNS": "0", "HOME": str(folder), "ANDROID_ADB_SERVER_PORT": str(self.port),
                      "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        for name in ("ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_SERIAL"):
            self.world.pop(name, None)
        self.server = subprocess.Popen(["adb", "-P", str(self.port), "server", "nodaemon"], env=self.world,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        for address in self.addresses.values():
            said = self.adb("connect", address)
            if "connected" not in said:
                sys.exit(f"the stock adb does not reach the lab: {said}")

    def adb(self, *words):
        done = subprocess.run(["adb", *words], env=self.world, capture_output=True, text=True)
        return done.stdout + done.stderr

    def end(self):
        """Every frame there was, by serial."""
        self.server.kill()
        self.server.wait()
        self.lab.send_signal(2)
        self.lab.wait(60)
        return json.loads((self.folder / "truth.json").read_text())


def spent(usage):
    return usage.ru_utime + usage.ru_stime


def watched(args, served, python, tool, address):
    """What one other tool says of a phone that is scrolled meanwhile, and the processor time it took with all its clients."""
    served.adb("-s", address, "shell", "am start -W -a android.intent.action.VIEW -d shop://home")
    time.sleep(1.5)
    folder = tempfile.mkdtemp(dir=served.folder)
    child = subprocess.Popen([str(python), str(HERE / "peer.py"), tool, address, folder], env=served.world, cwd=folder,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in child.stdout:
        if line.strip() == "collecting":
            break
    (x, y), (to_x, to_y) = SWIPE["from"], SWIPE["to"]
    for _ in range(args.swipes):
        served.adb("-s", address, "shell", f"input swipe {x} {y} {to_x} {to_y} {SWIPE['ms']}")
        time.sleep(args.wait / 1000)
    time.sleep(1.5)
    before = spent(resource.getrusage(resource.RUSAGE_CHILDREN))
    out, err = child.communicate("")
    seconds = spent(resource.getrusage(resource.RUSAGE_CHILDREN)) - before
    answers = re.findall(r"^answer (\{.*\})$", out, re.M)
    if not answers:
        return {"why": (err.strip().splitlines() or [f"ended with status {child.returncode}"])[-1]}
    return {**json.loads(answers[-1]), "seconds": seconds}


def number(bytes_, at):
    """An unsigned LEB128 and where the next one is."""
    value = shift = 0
    while True:
        byte, at = bytes_[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def signed(value):
    return value >> 1 ^ -(value & 1)


def strip_presents(bytes_):
    """Presents in a frame log (docs/frame-log.md), ns: where bars begin and end that are no gap."""
    assert bytes_[:8] == b"fjstrip\x01", "another version of the frame log"
    origin, at = number(bytes_, 8)
    count, at = number(bytes_, at)
    clock, kept, found = 0, {"what": 0, "period": 0, "cadence": 1}, set()
    for _ in range(count):
        token, at = number(bytes_, at)
        skip, took = 0, None
        if token & 1:
            mask, at = bytes_[at], at + 1
            if mask & 1:
                skip, at = number(bytes_, at)
            for bit, name in ((2, "what"), (4, "phase")):
                if mask & bit:
                    kept[name], at = bytes_[at], at + 1
            for bit, name in ((8, "period"), (16, "cadence")):
                if mask & bit:
                    kept[name], at = number(bytes_, at)
            if mask & 32:
                took, at = number(bytes_, at)
            at += (mask >> 6 & 1) + (mask >> 7 & 1)
        vsyncs = took if took is not None else kept["cadence"] if kept["what"] == 0 else 0
        expected = (vsyncs * kept["period"] + 500) // 1000
        begin = clock + skip
        clock = begin + signed(token >> 1) + expected
        if kept["what"] != 3:
            found.update((begin, clock))
    return [signed(origin) + 1000 * one for one in sorted(found)]


def own(args, served, farmjank, address):
    """What farmjank says of a phone that it scrolls itself."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=served.folder))
    (folder / "peers.yaml").write_text(SCENARIO.format(times=args.swipes, wait=args.wait))
    before = spent(resource.getrusage(resource.RUSAGE_CHILDREN))
    ended = subprocess.run([farmjank, "run", "-s", address, "--quiet", "--out", "bundle", "peers.yaml"], cwd=folder, env=served.world,
                           capture_output=True, text=True)
    seconds = spent(resource.getrusage(resource.RUSAGE_CHILDREN)) - before
    if not (folder / "bundle" / "results.json").exists():
        return {"why": (ended.stdout + ended.stderr).strip()[-200:]}
    [cell] = [one for one in json.loads((folder / "bundle" / "results.json").read_text())["cells"] if one["window"] == "scrolling"]
    if not cell["coverage"]:
        return {"why": "; ".join(cell["reasons"])}
    [strip] = (folder / "bundle" / "evidence").rglob("*.strip")
    return {"presents": strip_presents(strip.read_bytes()), "fps": cell["metrics"]["fps"]["value"],
            "stalls": cell["metrics"]["frozen_frames"]["value"], "words": [cell["coverage"]["words"]], "seconds": seconds}


# How far an instant may be from that of the same frame elsewhere: gfxinfo tells when a frame was drawn, not when it was shown.
NEAR = 60_000_000


def motions(gestures):
    """From finger to the end of its fling, joined where the next finger caught it."""
    joined = []
    for down, _, end in gestures:
        if joined and down <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([down, end])
    return joined


def judged(phone, answer):
    """Of one phone, while something moved: frames there were and were seen, frame rates, stalls that were found and invented."""
    moving = motions(phone["gestures"])
    moved = lambda begin, end: sum(max(0, min(end, last) - max(begin, first)) for first, last in moving)
    inside = lambda instants: [at for at in instants if any(first <= at <= last for first, last in moving)]
    layer = max(phone["layers"], key=lambda one: len(one["presents"]))
    true, long = inside(layer["presents"]), 5 * min(layer["periods"])
    pauses = lambda instants: [pair for pair in zip(instants, instants[1:]) if moved(*pair) > long]
    stalls = pauses(true)
    row = {"shown": len(true), "truth": len(true) * 1e9 / sum(last - first for first, last in moving), "stalls": len(stalls)}
    if "why" in answer:
        return {**row, "why": answer["why"]}
    seen = inside(sorted(set(answer["presents"])))
    found = pauses(seen)
    alike = lambda one, other: abs(one[0] - other[0]) < NEAR and abs(one[1] - other[1]) < NEAR
    return {**row, "seen": len(seen), "fps": answer["fps"], "words": answer["words"], "seconds": answer["seconds"],
            "found": sum(any(alike(stall, one) for one in found) for stall in stalls),
            "invented": sum(not any(alike(stall, one) for stall in stalls) for one in found)}


def line(kind, tool, row):
    if "why" in row:
        return f"| {kind} | {tool} | {row['shown']} | no answer: {row['why']} | | | | | |"
    lost = 100 * max(0, 1 - row["seen"] / row["shown"])
    rate = "none" if row["fps"] is None else f"{row['fps']:.1f} ({100 * (row['fps'] / row['truth'] - 1):+.0f} %)"
    words = "; ".join(row["words"]) or "nothing"
    return (f"| {kind} | {tool} | {row['shown']} | {row['seen']} ({lost:.0f} % lost) | {rate} of {row['truth']:.1f} | {row['found']} of "
            f"{row['stalls']} | {row['invented']} | {row['seconds']:.1f} | {words} |")


def titled(tool):
    """A tool, with the version that is installed."""
    for package in PACKAGES.values():
        name, version = package.split("==")
        if tool.lower().startswith(name):
            return f"{tool[:len(name)]} {version}{tool[len(name):]}"
    return tool


def head(kinds):
    lost = [KINDS.get(kind, kind) for kind in kinds]
    columns = ["tool", f"lost: {lost[0]}", *lost[1:], "rate off by", "stalls found", "invented", "CPU, s", "what it said of what it missed"]
    return [f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]


def lost(row):
    if "why" in row:
        return "no answer"
    share = 100 * max(0, 1 - row["seen"] / row["shown"])
    return "0" if share == 0 else "all" if share == 100 else f"{share:.0f} %" if share >= 1 else f"{share:.1f} %"


def spread(values):
    low, high = (f"{value:+.0f}" for value in (min(values), max(values)))
    return f"{low} %" if low == high else f"{low}…{high} %"


def whole(tool, rows):
    """All phones of a tool: a line of the README's table. Stalls are summed, processor time is that of one phone, rates are the worst of each side."""
    answered = [row for row in rows.values() if "why" not in row]
    rates = [100 * (row["fps"] / row["truth"] - 1) for row in answered if row["fps"] is not None]
    rate = spread(rates) if rates else "none said"
    if rates and len(rates) < len(rows):
        rate += f", none of {len(rows) - len(rates)} phone{'s' * (len(rows) - len(rates) > 1)}"
    said = {kind: re.sub(r"^[\d\s]+frames, ", "", "; ".join(row["words"])) for kind, row in rows.items() if "why" not in row}
    words = sorted(set(said.values()))
    if len(words) > 1:
        words = [f"{KINDS.get(kind, kind)}: {one}" for kind, one in said.items() if one]
    found, invented = (sum(row.get(name, 0) for row in rows.values()) for name in ("found", "invented"))
    seconds = sum(row["seconds"] for row in answered) / max(1, len(answered))
    cells = [titled(tool), *(lost(row) for row in rows.values()), rate, f"{found} of {sum(row['stalls'] for row in rows.values())}", str(invented),
             f"{seconds:.1f}", "; ".join(words) or "nothing"]
    return f"| {' | '.join(cells)} |"


def main():
    args = arguments()
    if args.form:
        print("\n".join([*head(KINDS), *(f"| {titled(tool)} |" for tool in [*peer.TOOLS, OWN])]))
        return 0
    farmjank, wrong = binary(args.farmjank), []
    with tempfile.TemporaryDirectory(prefix="farmjank-peers-") as name:
        home = pathlib.Path(args.keep or name).resolve()
        home.mkdir(parents=True, exist_ok=True)
        python, missing = environment(home / "venv", list(PACKAGES.values()))
        for package, why in missing.items():
            print(f"{package} could not be installed and is left out: {why}")
        tools = [tool for tool in peer.TOOLS if not any(tool.lower().startswith(one.split("==")[0]) for one in missing)]
        if args.tools:
            tools = [tool for tool in tools if any(word in tool for word in args.tools.split(","))]
        serials = {f"{kind}-{number}": (kind, tool) for kind in args.kinds.split(",") for number, tool in enumerate([*tools, OWN])}
        served, answers = Served(args, farmjank, home, serials), {}
        for serial, (kind, tool) in serials.items():
            address = served.addresses[serial]
            answers[serial] = own(args, served, farmjank, address) if tool == OWN else watched(args, served, python, tool, address)
        truth, judgements = served.end(), {}
        print("| phone | tool | frames shown | seen | FPS said, of | stalls found | invented | CPU, s | said of what it missed |\n"
              "| --- | --- | ---: | ---: | --- | --- | ---: | ---: | --- |")
        for serial, (kind, tool) in serials.items():
            row = judged(truth[serial], answers[serial])
            judgements.setdefault(tool, {})[kind] = row
            print(line(kind, tool, row), flush=True)
            if tool == OWN and ("why" in row or row["seen"] != row["shown"] or row["found"] != row["stalls"] or row["invented"]):
                wrong.append(kind)
    for kind in wrong:
        print(f"farmjank is wrong on {kind}")
    if args.table:
        print("", *head(args.kinds.split(",")), *(whole(tool, rows) for tool, rows in judgements.items()), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
