"""Runs over a farm in trouble, many seeds side by side: each must leave what a run on this computer leaves, byte for byte, and what a
witness reads from outside must be right as well."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import threading
import time
import traceback

import farm_witness
from farm_company import KINDS as COMPANY
from farm_processes import here
from farm_troubles import KINDS as TROUBLES
from farm_weather import KINDS as WEATHER

KINDS = TROUBLES | WEATHER | COMPANY
LONGEST = 900.0
MODELS = ["pixel-6", "pixel-8", "galaxy-a14", "rog-phone-7", "pixel-9-pro"]
PHONES = 10
SCENARIO = """name: Feed
appId: com.example.shop
iterations: 2
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ] } } ]
thresholds: { fps: 'mean >= 50%refresh' }
"""


def laid_out(folder):
    """Writes the lab and its scenario: ten phones, two of them in trouble of their own."""
    lines = ["name: chaos", "seed: 7", "latency: hub", "phones:"]
    lines += [f"  - {{ archetype: {MODELS[at % len(MODELS)]}, serial: S{at:04} }}" for at in range(PHONES)]
    lines += ["faults:", "  - { at: 6s, phone: S0003, kind: unplug, for: 9s }", "  - { at: 4s, phone: S0006, kind: garble, for: 4s }"]
    (folder / "lab.yaml").write_text("\n".join(lines) + "\n")
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "feed.yaml").write_text(SCENARIO)


class Seed:
    """One seed of a kind: what is drawn for it, and what came of it. One field for each thing that is told or needed again."""

    def __init__(self, kind, number, program, expected):
        self.kind, self.number, self.program, self.expected = kind, number, program, expected
        self.draw, self.trouble = random.Random(f"{kind}{number}"), KINDS[kind]()
        self.objects = sum(1 for file in (expected / "evidence").rglob("*") if file.is_file())
        self.wrong, self.took, self.late, self.code, self.said = [], 0.0, False, None, ""

    def moment(self, farm, run):
        """Waits until the run has begun and some of what is measured is on the server: none of it, nearly all, or anything between."""
        wanted, connection = self.draw.randrange(self.objects), None
        while run.poll() is None:
            try:
                connection = connection or farm_witness.Connection(farm.servers[0].port)
                streams = [connection.api(f"STREAM.INFO.{name}") for name in (farm_witness.LOGS, farm_witness.OBJECTS)]
                lines, objects = (told.get("state", {}).get("messages", 0) for told in streams)
                if lines and objects >= wanted:
                    break
            except OSError:
                connection = None
            time.sleep(0.03)
        self.late = run.poll() is not None

    def play(self, turns, keep):
        with turns:
            with tempfile.TemporaryDirectory(prefix="farmjank-chaos-") as name:
                self.folder = pathlib.Path(name)
                laid_out(self.folder)
                began = time.monotonic()
                try:
                    self.played()
                except Exception:
                    self.wrong.append(traceback.format_exc(limit=4))
                self.took = time.monotonic() - began
                if self.wrong and keep:
                    shutil.copytree(self.folder, pathlib.Path(keep) / f"{self.kind}-{self.number}", dirs_exist_ok=True, symlinks=True)
        self.tell()

    def played(self):
        farm = self.trouble.farm(self)
        watch = farm_witness.Watch(farm.ports())
        watch.start()
        try:
            run = self.trouble.run(self, farm)
            self.ended(run)
            self.said = farm.said()[-1500:]
            self.wrong += self.trouble.judged(self, farm, run, watch)
        finally:
            watch.over.set()
            farm.end()
            self.trouble.over(self, farm)

    def ended(self, run):
        try:
            run.wait(LONGEST)
        except subprocess.TimeoutExpired:
            run.kill()
            self.wrong.append(f"not over after {LONGEST:.0f} s")
        self.code = run.wait()

    def tell(self):
        late = ", over before that" if self.late else ""
        words = f"{self.kind:>9} seed {self.number:>4}: exit {self.code}, {self.took:>6.1f} s{late}"
        print(f"{words}, {'as it is to be' if not self.wrong else 'WRONG: ' + '; '.join(self.wrong)}", flush=True)


def all_kinds(program, args):
    """Complaints: of each seed that went wrong, with what makes it happen again."""
    began, kinds, seeds = time.monotonic(), args.kinds.split(","), []
    # One thread of Go's for each server, as up to a hundred of them share a computer here: more look for work in vain, a sixth of all
    # CPU time.
    os.environ.setdefault("GOMAXPROCS", "1")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        laid_out(folder)
        expected, _, _ = here(program, folder, ["scenarios"], "lab.yaml")
        for kind in kinds:
            lacking = KINDS[kind]().lacks(program)
            if lacking:
                print(f"{kind:>9} is left out: {lacking}", flush=True)
                continue
            many = -(-args.chaos // KINDS[kind].heavy)
            seeds += [Seed(kind, number, program, expected) for number in range(args.first, args.first + many)]
        # Those that mostly wait have turns of their own: twice as many, beside the others.
        turns = {False: threading.Semaphore(args.jobs), True: threading.Semaphore(2 * args.jobs)}
        threads = [threading.Thread(target=seed.play, args=(turns[seed.trouble.waits], args.keep)) for seed in seeds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    table(kinds, seeds)
    print(f"all of it in {time.monotonic() - began:.0f} s, {args.jobs} at once")
    return [f"{seed.kind} seed {seed.number}: {'; '.join(seed.wrong)}\n{seed.said}" for seed in seeds if seed.wrong]


def table(kinds, seeds):
    print(f"\n{'kind':>9} {'seeds':>6} {'wrong':>6} {'late':>5} {'mean s':>7} {'most s':>7}")
    for kind in kinds:
        own = [seed for seed in seeds if seed.kind == kind]
        if own:
            took = [seed.took for seed in own]
            wrong, late = sum(bool(seed.wrong) for seed in own), sum(seed.late for seed in own)
            print(f"{kind:>9} {len(own):>6} {wrong:>6} {late:>5} {sum(took) / len(took):>7.1f} {max(took):>7.1f}")
