#!/usr/bin/env python3
"""Whether stillness stays stillness in real time: a served lab of every archetype behind a stock adb server, quiet and crowded.

The phones' `input` takes its real time, their app is flawless, or holds its main thread for --held ms at a set time of every touch:
under the finger, right at the lift, in the fling. `farmjank run` drags with rests and catches flings after 450 to 900 ms and just
before and after they end, first on the host as it is, then with four busy loops per core beside it, for which the phones' `input`
waits as well, as in an emulator on that host. The exit status is 1 where a flawless window has a hitch, a frozen frame or fails,
or where a planted stall is passed over or has another size. A window without a number is no such mistake (farmjank says why): it
is counted as refused.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHETYPES = ROOT / "plugins" / "lab" / "src" / "archetype" / "models.rs"
PLANTS = {"none": None, "finger": "down, after_ms: 120", "lift": "lift, after_ms: 0", "fling": "lift, after_ms: 120"}
# Waits after a swipe, ms. On phones whose `input` starts a Java machine, the next finger comes 0.3 to 1 s later still.
WAITS = {"sdk >= 31": [450, 600, 750, 900, 1100, 1250], "sdk <= 30": [50, 200, 450, 750]}
TOUCHES = 3
PHONE = """\
  - archetype: {name}
    serial: {name}
    input: {{ prompt: false, crowd: {crowd} }}
    apps:
      - id: com.example.shop
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, wakes: false, cost_ms: 3, spread: 0.1, hitch_rate: 0{stall} }}
"""
SCENARIO = """\
name: Stillness, {devices}
appId: com.example.shop
devices: '{devices}'
iterations: 1
warmup: 0
steps:
  - openLink: 'shop://home'
  - wait: 1500ms
{windows}thresholds: {{ hitch_ms: 'max <= 0', frozen_frames: 'max == 0' }}
"""
WINDOW = """\
  - measure: {name}
    steps: [ {{ repeat: {{ times: {times}, steps: [ {{ swipe: {{ direction: UP, duration: {swipe}ms }} }}, {{ wait: {wait}ms }} ] }} }}, \
{{ swipe: {{ direction: UP, duration: {swipe}ms }} }}, {{ wait: 1500ms }} ]
  - wait: 1s
"""


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--archetypes", metavar="A,B", help="these kinds of phones [all]")
    reader.add_argument("--plants", default=",".join(PLANTS), metavar="A,B", help="of none, finger, lift, fling [all]")
    reader.add_argument("--loads", default="quiet,crowded", metavar="A,B", help="of quiet, crowded [both]")
    reader.add_argument("--per-core", type=int, default=4, metavar="N", help="busy loops per core of a crowded host [4]")
    reader.add_argument("--held", type=int, default=400, metavar="MS", help="length of a planted stall [400]")
    reader.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the lab [1]")
    reader.add_argument("--adb", default="adb", metavar="FILE", help="the stock adb between them [adb]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    reader.add_argument("--keep", metavar="FOLDER", help="keep labs, bundles and truths here")
    return reader.parse_args()


def binary(given):
    if given:
        return pathlib.Path(given).resolve()
    made = subprocess.run(
        ["cargo", "build", "--release", "--quiet", "--package", "farmjank-cli", "--message-format", "json"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
    )
    messages = (json.loads(line) for line in made.stdout.splitlines())
    made = [one["executable"] for one in messages if one.get("executable", None) and one["target"]["name"] == "farmjank"]
    return pathlib.Path(made[-1])


# Ends with whoever started it.
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(1_000_000): pass"


class Crowd:
    """Busy loops, as eager as everything else."""

    def __init__(self, count):
        self.count, self.loops = count, []

    def __enter__(self):
        self.loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(self.count)]

    def __exit__(self, *_):
        for one in self.loops:
            one.kill()
            one.wait()


class Served:
    """A lab behind a stock adb server of its own."""

    def __init__(self, args, farmjank, folder, plant, crowd):
        self.args, self.folder = args, folder
        stall = PLANTS[plant]
        stall = f", touch_stall: {{ every: 1, from: {stall}, ms: {args.held} }}" if stall else ""
        names = args.archetypes.split(",") if args.archetypes else re.findall(r'name: "([^"]+)"', ARCHETYPES.read_text())
        phones = "".join(PHONE.format(name=one, stall=stall, crowd=max(1, crowd)) for one in names)
        (folder / "lab.yaml").write_text(f"name: stillness\nphones:\n{phones}")
        self.lab = subprocess.Popen([farmjank, "lab", "serve", "--daemons", "--seed", str(args.seed), "--truth", "truth.json", "lab.yaml"],
                                    cwd=folder, stdout=subprocess.PIPE, text=True)
        self.port, self.names = free_port(), {}
        for line in self.lab.stdout:
            if told := re.search(r"adb connect (\S+)\s+\((.+)\)", line):
                self.names[told[1]] = told[2]
            if len(self.names) == len(names):
                break
        # A home of its own: what this server remembers is nobody else's.
        self.world = {**os.environ, "ADB_MDNS": "0", "HOME": str(folder)}
        self.server = subprocess.Popen([args.adb, "-P", str(self.port), "server", "nodaemon"], env=self.world,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        for address in self.names:
            said = subprocess.run([args.adb, "-P", str(self.port), "connect", address], env=self.world, capture_output=True, text=True)
            if "connected" not in said.stdout:
                sys.exit(f"the stock adb does not reach the lab: {said.stdout}{said.stderr}")

    def end(self):
        self.server.kill()
        self.server.wait()
        self.lab.send_signal(2)
        self.lab.wait(60)
        return json.loads((self.folder / "truth.json").read_text())


def scenarios(folder):
    names = []
    for number, (devices, waits) in enumerate(WAITS.items()):
        windows = WINDOW.format(name="dragged", times=TOUCHES - 1, swipe=900, wait=500)
        windows += "".join(WINDOW.format(name=f"caught {wait}", times=TOUCHES - 1, swipe=250, wait=wait) for wait in waits)
        names.append(f"stillness-{number}.yaml")
        (folder / names[-1]).write_text(SCENARIO.format(devices=devices, windows=windows))
    return names


def distances(truth):
    """How long after each lift of a phone the next finger came, and after the fling's end, ns."""
    touches = [touch for phone in truth.values() for touch in zip(phone["gestures"], phone["gestures"][1:])]
    return [(down - up, down - end) for (_, up, end), (down, _, _) in touches]


def stalls(truth, plant, nth):
    """Touches of a phone's window, the nth, with a stall to be seen: who is kept from a core when the finger should leave has
    stopped before, and nothing is late in a list at rest."""
    touches = truth["gestures"][nth * TOUCHES:(nth + 1) * TOUCHES]
    return {"none": 0, "finger": TOUCHES}.get(plant, sum(end > up for _, up, end in touches))


def measured(args, farmjank, folder, plant, load):
    """One row per window and phone: archetype, window, verdict, hitch ms, hitch ms per s, longest ms, frozen frames, why."""
    folder.mkdir(parents=True)
    per_core = args.per_core if load == "crowded" else 0
    served = Served(args, farmjank, folder, plant, per_core)
    with Crowd(per_core * os.cpu_count()):
        world = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(served.port)}
        for name in ("ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_SERIAL"):
            world.pop(name, None)
        ended = subprocess.run([farmjank, "run", "--quiet", "--out", "bundle", *scenarios(folder)], cwd=folder, env=world,
                               capture_output=True, text=True)
        truth = served.end()
    if not (folder / "bundle" / "results.json").exists():
        sys.exit(f"no results:\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}")
    rows, nth, told = [], collections.Counter(), json.loads((folder / "bundle" / "results.json").read_text())
    for cell in told["cells"]:
        value = {key: cell["metrics"].get(key, {}).get("value") for key in ("hitch_ms", "hitch_ms_per_s", "max_ms", "frozen_frames")}
        why = cell["metrics"].get("hitch_ms", {}).get("reason") or "; ".join(cell["reasons"])
        phone = served.names[cell["device"]]
        planted = args.held * stalls(truth[phone], plant, nth[phone])
        rows.append({"phone": phone, "window": cell["window"], "verdict": cell["verdict"], "why": why, "planted": planted, **value})
        nth[phone] += 1
    return ended.returncode, rows, distances(truth)


def wrong(args, plant, row):
    """What is wrong with a window, or nothing."""
    if row["window"] == "whole scenario":
        return f"{row['verdict']}: {row['why']}" if row["verdict"] in ("fail", "broken") else None
    hitch, worst = row["hitch_ms"], row["max_ms"]
    if plant == "none":
        bad = row["verdict"] == "fail" or (hitch or 0) > 0 or (row["frozen_frames"] or 0) > 0
        return f"invented: hitch_ms {hitch}, frozen {row['frozen_frames']}" if bad else None
    if hitch is None:
        return "green" if row["verdict"] == "pass" else None
    planted = row["planted"]
    if not 0.8 * planted <= hitch <= 1.2 * TOUCHES * args.held + 100 or planted and (row["verdict"] == "pass" or worst < 0.8 * args.held):
        return f"{hitch:.0f} of {planted} ms found, the longest {worst:.0f} ms"
    return None


def main():
    args = arguments()
    farmjank, tally, wrongs, fingers = binary(args.farmjank), collections.Counter(), [], []
    with tempfile.TemporaryDirectory(prefix="farmjank-stillness-") as name:
        home = pathlib.Path(args.keep or name).resolve()
        print("| host | planted | phone | window | verdict | hitch ms/s | frozen | planted ms | found ms |\n"
              "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: |")
        for load in args.loads.split(","):
            for plant in args.plants.split(","):
                began = time.time()
                code, rows, touches = measured(args, farmjank, home / f"{load}-{plant}", plant, load)
                fingers += touches
                for row in rows:
                    shown = ["-" if row[key] is None else f"{row[key]:.0f}" for key in ("hitch_ms_per_s", "frozen_frames", "hitch_ms")]
                    shown.insert(2, str(row["planted"]))
                    print(" | ".join(["| " + load, plant, row["phone"], row["window"], str(row["verdict"]), *shown]) + " |")
                    tally[load, plant, "refused" if row["hitch_ms"] is None else row["verdict"]] += 1
                    if why := wrong(args, plant, row):
                        wrongs.append(f"{load}, {plant}, {row['phone']}, {row['window']}: {why}")
                    elif row["hitch_ms"] is None:
                        print(f"{load}, {plant}, {row['phone']}, {row['window']}: refused: {row['why']}", file=sys.stderr)
                print(f"{load}, {plant}: exit {code}, {time.time() - began:.0f} s, 1-minute load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    print("\n| host | planted | " + " | ".join(kinds := ["pass", "fail", "undecided", "broken", "refused"]) + " |\n| --- | --- |" + " ---: |" * len(kinds))
    for load, plant in dict.fromkeys((load, plant) for load, plant, _ in tally):
        print(f"| {load} | {plant} | " + " | ".join(str(tally[load, plant, kind]) for kind in kinds) + " |")
    caught = sum(450 <= lift / 1e6 <= 900 for lift, _ in fingers)
    ended = sum(0 <= end / 1e6 <= 250 for _, end in fingers)
    print(f"\nfingers: {len(fingers)}, 450 to 900 ms after a lift {caught}, within 250 ms after the end of a fling {ended}")
    print("\n".join([f"{len(wrongs)} wrong", *wrongs]))
    sys.exit(1 if wrongs else 0)


if __name__ == "__main__":
    main()
