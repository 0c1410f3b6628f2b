#!/usr/bin/env python3
"""What `farmjank causes OLD NEW` calls new, grown, shrunk and gone of builds that differ in nothing, or in one lock.

Two lab phones fling two pages; every run has a seed of its own and is diagnosed once. Runs of one build are held against each
other, and those of a build before with those of one whose feed waits for a lock as well, both ways. The exit status is 1 where
more than one in a hundred causes of an unchanged build has changed and is not marked as what may be chance, or where a lock that
was planted and costs 10 ms/s or more is not called new, or not gone after it.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "activity: {activity}, link: '{link}', hitch_rate: {rate}, causes: [ {causes} ]"
OLD = "{ kind: inflate }, { kind: gc }, { kind: binder }"
LOCKED = OLD + ", { kind: lock, meanwhile: disk }"
SCENARIO = """\
name: Shop
appId: com.example.shop
iterations: 1
warmup: 0
pages:
  calm: { link: 'shop://calm', ready: { activity: .CalmActivity } }
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
steps:
  - launchApp: { cold: true }
"""
MEASURE = """\
  - openPage: {page}
  - measure: fling the {page}
    steps: [ {{ repeat: {{ times: 8, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]
"""
DOUBTFUL = 0.01


def lab(rate, causes):
    pages = ["main: { activity: .MainActivity, link: 'shop://home', launcher: true }"]
    for page, activity, own in [("calm", ".CalmActivity", OLD), ("feed", ".FeedActivity", causes)]:
        pages.append(page + ": { " + PAGE.format(activity=activity, link=f"shop://{page}", rate=rate, causes=own) + " }")
    app = "apps: [ { id: com.example.shop, pages: { " + ", ".join(pages) + " } } ]"
    phones = [f"  - {{ archetype: {name}, serial: {name}, {app} }}" for name in ("pixel-8", "galaxy-a14")]
    return "name: causes\nphones:\n" + "\n".join(phones) + "\n"


def farmjank(program, folder, *args):
    env = dict(os.environ, ANDROID_ADB_SERVER_PORT="1", FARMJANK_CLAIMS=str(folder / "claims"))
    return subprocess.run([program, *args], cwd=folder, env=env, capture_output=True, text=True, check=False)


def night(program, folder, build, rate, causes, seed):
    name = f"{build}-{rate}-{seed}"
    (folder / f"{name}.yaml").write_text(lab(rate, causes))
    flags = ["--lab", f"{name}.yaml", "--seed", str(seed), "--out", name, "--quiet", "--causes=each", "--no-history"]
    ended = farmjank(program, folder, "run", "shop.yaml", *flags)
    if ended.returncode:
        sys.exit(f"{name}: {ended.stdout}{ended.stderr}")
    return name


def held(program, folder, old, new):
    ended = farmjank(program, folder, "causes", old, new, "--format", "json")
    if ended.returncode:
        sys.exit(ended.stderr)
    for window in json.loads(ended.stdout)["windows"]:
        for cause in window["causes"] or []:
            if max(cause["ms_per_s"][side] or 0 for side in ("old", "new")) >= 1:
                yield window, cause


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "farmjank"))
    parser.add_argument("--seeds", type=int, default=12, help="runs of each build and rate")
    args = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "shop.yaml").write_text(SCENARIO + MEASURE.format(page="calm") + MEASURE.format(page="feed"))
        for rate in (0.01, 0.03, 0.08):
            old = [night(args.program, folder, "old", rate, OLD, 1 + nth) for nth in range(args.seeds)]
            new = [night(args.program, folder, "new", rate, LOCKED, 1001 + nth) for nth in range(args.seeds)]
            same, planted = collections.Counter(), collections.Counter()
            for one, other in itertools.combinations(old, 2):
                for _, cause in held(args.program, folder, one, other):
                    doubtful = (cause["chance"] or 0) >= DOUBTFUL
                    same[f"{cause['state']}{', may be chance' if doubtful else ''}"] += 1
            for one, other in zip(old, new):
                for pair, wanted in (((one, other), "new"), ((other, one), "gone")):
                    for window, cause in held(args.program, folder, *pair):
                        if window["window"] == "fling the feed" and cause["kind"] == "lock.monitor":
                            large = max(cause["ms_per_s"].values()) >= 10
                            planted[cause["state"], wanted] += 1
                            failed |= large and cause["state"] != wanted
            changed = sum(count for state, count in same.items() if state in ("new", "gone", "grown", "shrunk"))
            failed |= 100 * changed > sum(same.values())
            print(f"rate {rate}: unchanged {dict(same.most_common())}")
            print(f"rate {rate}: the lock " + ", ".join(f"{count} × {state} (is {wanted})" for (state, wanted), count in planted.items()))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
