#!/usr/bin/env python3
"""Whether `farmjank ab` ends: one build against itself, with the iterations that `farmjank plan` advises, over all virtual labs.

For every lab `farmjank calibrate` measures the noise once (with a seed no comparison has), `farmjank plan --format json` says how
many iterations it takes, and `farmjank ab` compares the build with itself, seed after seed. The exit status is 1 where fewer than
95 of 100 runs end with 0. Two labs have phones that are broken on purpose: of these the sound ones are compared, and the script
says which were left out. Labs take turns with the seeds; --every runs every lab with every seed.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "scenarios" / "ab" / "shop-7.4.apk"
LABS = ["demo", "rack", "fast", "adaptive", "old", "flaky", "overflow", "compositor", "big"]
# Phones that are unplugged for good, held up beyond what can be measured, hot, or lose frames: no number of theirs is proved.
BROKEN = {
    "flaky": "loose-2 is unplugged for good, hot-1 too hot, wedged-1 and slow-1 answer too late",
    "overflow": "overflow-1 and overflow-2 lose frames",
}
SOUND = {"flaky": "loose-1,rebooting-1", "overflow": "sound-1"}
WANTED = 0.95
CALIBRATION_SEED = 900_001
SCENARIO = """\
name: Feed
appId: com.example.shop
iterations: {iterations}
pages: {{ feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }} }}
setup: [ stopApp ]
steps:
  - launchApp: {{ clearState: false, cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: {flings}, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]
teardown: [ pressKey: HOME ]
"""


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--seeds", type=int, default=100, metavar="N", help="comparisons, one seed each [100]")
    reader.add_argument("--every", action="store_true", help="every lab with every seed, instead of labs in turn")
    reader.add_argument("--labs", default=",".join(LABS[:-1]), metavar="A,B", help="these labs [all but big, of 500 phones]")
    reader.add_argument("--flings", type=int, default=6, metavar="N", help="flings of a window, 1.15 s of motion each [6]")
    reader.add_argument("--iterations", type=int, default=15, metavar="N", help="iterations of the calibration [15]")
    reader.add_argument("--no-calibration", action="store_true", help="plan by the assumed noise")
    reader.add_argument("--no-witnesses", action="store_true", help="judge by the rings alone: quicker")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    reader.add_argument("--keep", metavar="FILE", help="write every run here: lab, seed, iterations, exit, states")
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


class Bench:
    def __init__(self, args, farmjank, folder):
        self.args, self.farmjank, self.folder = args, farmjank, folder
        self.store, self.advice = folder / "noise.sqlite", {}
        (folder / "scenario.yaml").write_text(SCENARIO.format(flings=args.flings, iterations=args.iterations))

    def call(self, *words, codes=(0,)):
        ended = subprocess.run([self.farmjank, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        if codes and ended.returncode not in codes:
            sys.exit(f"farmjank {words[0]} ended with {ended.returncode}:\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}")
        return ended

    def phones(self, lab):
        return ["-s", SOUND[lab]] if lab in SOUND else []

    def planned(self, lab):
        """Iterations that plan advises for a lab; calibrated the first time."""
        if lab not in self.advice:
            where = ["scenario.yaml", "--lab", lab, *self.phones(lab)]
            history = [] if self.args.no_calibration else ["--history", self.store]
            if history:
                quiet = ["--no-witnesses"] if self.args.no_witnesses else []
                self.call("calibrate", *where, *history, "--seed", CALIBRATION_SEED, *quiet, "--quiet",
                          "--out", self.folder / f"calibration-{lab}", codes=(0, 4))
            told = json.loads(self.call("plan", *where, *history, "--format", "json").stdout)
            self.advice[lab] = max(one["iterations"] for one in told["advice"])
        return self.advice[lab]

    def compared(self, lab, seed):
        """Exit code and states of one comparison of a build with itself."""
        count, bundle = self.planned(lab), self.folder / f"{lab}-{seed}"
        quiet = ["--no-witnesses"] if self.args.no_witnesses else []
        ended = self.call("ab", BUILD, BUILD, "scenario.yaml", "--lab", lab, *self.phones(lab), "--seed", seed,
                          "--iterations", count, *quiet, "--quiet", "--out", bundle, codes=())
        told = json.loads((bundle / "results.json").read_text())
        cells = [one for cell in told["cells"] for one in cell.get("comparisons", [])] + told["compared"].get("cells", [])
        deciding = {(one["key"]["model"], one["key"]["window"], one["device"]): one for one in cells if one["role"] == "primary"}
        states = collections.Counter(one["state"] for one in deciding.values())
        why = [one["sentence"] for one in deciding.values() if one["state"] not in ("pass", "improvement")]
        subprocess.run(["rm", "-rf", bundle], check=True)
        return ended.returncode, states, why


def main():
    args = arguments()
    farmjank, labs = binary(args.farmjank), args.labs.split(",")
    tallies, states, kept, began = collections.defaultdict(lambda: [0, 0]), collections.Counter(), [], time.time()
    with tempfile.TemporaryDirectory(prefix="farmjank-endings-") as name:
        bench = Bench(args, farmjank, pathlib.Path(name))
        runs = [(lab, seed) for seed in range(1, args.seeds + 1) for lab in (labs if args.every else [labs[seed % len(labs)]])]
        for at, (lab, seed) in enumerate(runs, 1):
            code, found, why = bench.compared(lab, seed)
            tallies[lab][0] += code == 0
            tallies[lab][1] += 1
            states += found
            kept.append(f'{lab},{seed},{bench.planned(lab)},{code},{dict(found)}')
            if code != 0:
                print(f"\n{lab} seed {seed}: exit {code} {dict(found)}", *why[:4], sep="\n  ", file=sys.stderr)
            print(f"\r{at} of {len(runs)}, {time.time() - began:.0f} s ", end="", file=sys.stderr, flush=True)
        advice = bench.advice
    print(file=sys.stderr)
    if args.keep:
        pathlib.Path(args.keep).write_text("lab,seed,iterations,exit,states\n" + "\n".join(kept) + "\n")
    print("| one build against itself | iterations a look | runs | exit 0 |\n| --- | ---: | ---: | ---: |")
    for lab, (good, count) in tallies.items():
        print(f"| {lab}{' (' + BROKEN[lab] + ')' if lab in BROKEN else ''} | {advice[lab]} | {count} | {good} |")
    good, count = (sum(part) for part in zip(*tallies.values()))
    print("\nstates: " + ", ".join(f"{number} {state}" for state, number in states.most_common()))
    held = good >= WANTED * count
    print(f"{good} of {count} end with 0: {'holds' if held else 'BELOW'} (at least {WANTED:.0%})")
    sys.exit(0 if held else 1)


main()
