"""How long a gate waits for a phone that a sweep of the farm has: by the phone's own account of the fingers on its glass.

A lab is served in real time, an agent has its phones. First gates run over the idle farm: from being typed to the first finger of an
iteration. Then a sweep has the phones, and gates are typed at moments nobody chose. What they wait longer than over the idle farm may be
one iteration of the sweep, with what sets the phone back and lets go of it.
"""

import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

from farm_processes import Farm

SERIALS = ["S1", "S2"]
LAB = "name: gates\nseed: 3\nphones: [ { archetype: pixel-6, serial: S1 }, { archetype: redmi-note-7, serial: S2 } ]\n"
# Whose finger is on the glass is told by how long it stays there, ms.
HELD = {"gate": 250, "sweep": 450, "mark": 900}
SCENARIO = """name: {name}
appId: com.example.shop
iterations: {iterations}
warmup: 0
prepare: {{ animations: 1, stay_awake: true }}
pages: {{ feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }} }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: {times}, steps: [ {{ swipe: {{ direction: UP, duration: {held}ms }} }}, {{ wait: 600ms }} ] }} }} ]
"""
# What setting a phone back, letting go of it and noticing that may take beside the iteration, s: a phone that is waited for is asked for
# every second.
BETWEEN = 3.0
# Gates over the idle farm.
IDLE = 4


class Served:
    """A lab in real time, whose clock is known by a finger that nobody else has."""

    def __init__(self, program, folder):
        (folder / "lab.yaml").write_text(LAB)
        self.truth = folder / "truth.json"
        words = [program, "lab", "serve", folder / "lab.yaml", "--truth", self.truth]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.adb = next(found[1] for line in self.process.stdout if (found := re.search(r"ADB_SERVER_SOCKET=tcp:(\S+)", line)))

    def mark(self):
        """Puts that finger on every phone; when, by this computer's clock."""
        at = {}
        for serial in SERIALS:
            host, port = self.adb.split(":")
            swipe = f"input swipe 540 1500 540 1400 {HELD['mark']}"
            subprocess.run(["adb", "-H", host, "-P", port, "-s", serial, "shell", swipe], check=True)
            at[serial] = time.monotonic() - HELD["mark"] / 1000
        return at

    def touches(self, marked):
        """Of each phone, when fingers came down, s by this computer's clock, and whose they were."""
        self.process.send_signal(2)
        self.process.wait(60)
        told = {}
        for serial, phone in json.loads(self.truth.read_text()).items():
            whose = [(down / 1e9, min(HELD, key=lambda name: abs((up - down) / 1e6 - HELD[name]))) for down, up, _ in sorted(phone["gestures"])]
            zero = marked[serial] - next(at for at, name in whose if name == "mark")
            told[serial] = [(at + zero, name) for at, name in whose]
        return told


def iterations(touches, name, times):
    """When each of its iterations put its first finger down."""
    own = [at for at, whose in touches if whose == name]
    return own[::times]


def gate(farm, serial, out):
    """When it was typed, and how it ended."""
    typed = time.monotonic()
    words = ["run", "gate.yaml", "--farm", farm.url(), "-s", serial, "--priority", "gate", "--wait-for-devices", "120s", "--out", out]
    return typed, farm.begin("run", [*words, "--no-history", "-q"], out).wait(300)


def told(program, gates):
    """Waits of so many gates on each phone; complaints."""
    draw, bad = random.Random(gates), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for who, many, times in (("gate", 1, 1), ("sweep", 500, 4)):
            text = SCENARIO.format(name=who, iterations=many, times=times, held=HELD[who])
            (folder / f"{who}.yaml").write_text(text)
        served = Served(program, folder)
        farm = Farm(program, folder, 1, "lab.yaml")
        words = ["agent", "--farm", farm.url(), "--host", "rack", "--adb", served.adb, "--state", "state", "--wait-for-devices", "30s"]
        farm.agents = [farm.begin("rack", words, "rack")]
        marked, typed = served.mark(), {"idle": [], "sweep": []}
        try:
            for number in range(IDLE):
                typed["idle"].append((SERIALS[number % 2], *gate(farm, SERIALS[number % 2], f"idle-{number}")))
            words = ["run", "sweep.yaml", "--farm", farm.url(), "--priority", "nightly", "--out", "sweep", "--no-history", "-q"]
            sweep = farm.begin("run", words, "sweep")
            time.sleep(12)
            for number in range(gates):
                time.sleep(draw.uniform(3, 9))
                typed["sweep"].append((SERIALS[number % 2], *gate(farm, SERIALS[number % 2], f"gate-{number}")))
            time.sleep(8)
            sweep.send_signal(2)
            sweep.wait(120)
        finally:
            touches = served.touches(marked)
            said = farm.said("sweep") + farm.said("gate-0")
            farm.end()
    waited = {}
    for when, all_typed in typed.items():
        bad += [f"a gate ended with {code}, not 0: {said[-600:]}" for _, _, code in all_typed if code != 0]
        waited[when] = [
            min((at for at in iterations(touches[serial], "gate", 1) if at > at_typed), default=float("inf")) - at_typed
            for serial, at_typed, _ in all_typed
        ]
    idle = statistics.median(waited["idle"])
    spans = [later - at for serial in SERIALS for at, later in whole(touches[serial])]
    iteration, longest = statistics.median(spans), max(spans)
    print(f"one iteration of the sweep: {iteration:.1f} s, {len(spans)} of them, at most {longest:.1f} s")
    print(f"a gate over the idle farm, to its first finger: {idle:.1f} s, at most {max(waited['idle']):.1f} s")
    more = sorted(wait - idle for wait in waited["sweep"])
    print(f"a gate in the middle of the sweep, longer than that: median {statistics.median(more):.1f} s, at most {more[-1]:.1f} s, of {len(more)}")
    limit = longest + BETWEEN
    bad += [f"a gate waited {one:.1f} s longer than over an idle farm, more than {limit:.1f} s" for one in more if one > limit]
    after = [sum(1 for _, whose in touches[serial] if whose == "sweep") for serial in SERIALS]
    bad += [f"{serial} was given up by the sweep" for serial, many in zip(SERIALS, after) if many < 8]
    return bad


def whole(touches):
    """Begin and end of the sweep's iterations that nothing came between."""
    begins = [(at, number) for number, (at, whose) in enumerate(touches) if whose == "sweep"][::4]
    return [(at, later) for (at, number), (later, then) in zip(begins, begins[1:]) if then - number == 4]
