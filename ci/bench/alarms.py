#!/usr/bin/env python3
"""How often `farmjank ab` says that an unchanged app changed: the same build against itself, on thousands of virtual phones.

Every phone is one replicate of the whole path: installs in turn, warm-ups, gestures, dumps, stitching, windows, iterations in
blocks, the exact test. The share of two-sided p-values up to 5 % must lie between 3 % and 6 %; the exit status is 1 where it
does not, or where fewer than 2 000 phones were compared. Phones and seeds are fixed, so the figures are the same on every
machine. It needs cargo, ten minutes on two cores, 2 GB of memory and 1 GB of disk.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "scenarios" / "ab" / "shop-7.4.apk"
KINDS = ["galaxy-a14", "oneplus-9", "pixel-8", "redmi-note-7", "moto-edge-30"]
LEVEL, WITHIN, FEWEST = 0.05, (3.0, 6.0), 2_000
SCENARIO = """\
name: Home feed
appId: com.example.shop
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
setup: [ stopApp ]
steps:
  - launchApp: { clearState: false, cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 6, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ] } } ]
teardown: [ pressKey: HOME ]
thresholds: { fps: 'mean >= 10%refresh' }
"""


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--runs", type=int, default=8, metavar="N", help="runs, each with a seed of its own [8]")
    reader.add_argument("--phones", type=int, default=250, metavar="N", help="phones of a run, a multiple of 5 [250]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    reader.add_argument("--keep", metavar="FILE", help="write every p here: run, phone, p, state")
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


def run(farmjank, folder, seed):
    """The comparison of the deciding metric of every phone of one run, each by itself."""
    bundle = folder / f"run-{seed}"
    words = ["ab", BUILD, BUILD, "scenario.yaml", "--lab", "lab.yaml", "--seed", seed, "--iterations", 15,
             "--looks", 1, "--no-screen", "--no-witnesses", "--quiet", "--out", bundle]
    ended = subprocess.run([farmjank, *map(str, words)], cwd=folder, capture_output=True, text=True)
    results = bundle / "results.json"
    if not results.is_file():
        sys.exit(f"farmjank ended with {ended.returncode}:\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    told = json.loads(results.read_text())
    cells = [one for cell in told["cells"] for one in cell.get("comparisons", [])]
    subprocess.run(["rm", "-rf", bundle], check=True)
    return [one for one in cells if one["role"] in ("primary", "phone") and one["device"] is not None]


def main():
    args = arguments()
    farmjank = binary(args.farmjank)
    tallies, states, alarmed, kept = collections.defaultdict(lambda: [0, 0]), collections.Counter(), 0, []
    with tempfile.TemporaryDirectory(prefix="farmjank-alarms-") as name:
        folder = pathlib.Path(name)
        (folder / "scenario.yaml").write_text(SCENARIO)
        phones = "".join(f"  - {{ archetype: {kind}, count: {args.phones // len(KINDS)} }}\n" for kind in KINDS)
        (folder / "lab.yaml").write_text(f"name: A/A\nlatency: hub\nphones:\n{phones}")
        for seed in range(1, args.runs + 1):
            cells = run(farmjank, folder, seed)
            alarmed += any(one["state"] in ("regression", "improvement") for one in cells)
            for one in cells:
                states[one["state"]] += 1
                p = one["p_two_sided"]
                kept.append(f'{seed},{one["device"]},{p},{one["state"]}')
                for kind in (one["key"]["model"], "all phones"):
                    if p is not None:
                        tallies[kind][0] += p <= LEVEL
                        tallies[kind][1] += 1
            print(f"\rrun {seed} of {args.runs}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if args.keep:
        pathlib.Path(args.keep).write_text("run,device,p,state\n" + "\n".join(kept) + "\n")
    total = tallies.pop("all phones", [0, 0])
    print("| the same build twice, 15 + 15 iterations | compared | p ≤ 5 % | |\n| --- | ---: | ---: | --- |")
    for kind, (hits, count) in [*sorted(tallies.items()), ("all phones", total)]:
        share, error = 100 * hits / max(count, 1), 100 * (max(hits, 1) / max(count, 1) / max(count, 1)) ** 0.5
        print(f"| {kind} | {count} | {share:.1f} % | ± {error:.1f} % |")
    print("\nstates: " + ", ".join(f"{count} {state}" for state, count in states.most_common()))
    print(f"runs that flag any cell as changed: {alarmed} of {args.runs}")
    share = 100 * total[0] / max(total[1], 1)
    held = WITHIN[0] <= share <= WITHIN[1] and total[1] >= FEWEST
    print(f"{share:.2f} % of {total[1]}: {'holds' if held else 'OUTSIDE'} ({WITHIN[0]:.0f}–{WITHIN[1]:.0f} %)")
    sys.exit(0 if held else 1)


main()
