#!/usr/bin/env python3
"""What a sweep of a whole lab costs: 1 000 virtual phones, one in ten of them in trouble, eight scenarios each, one run.

The table grows the lab step by step. The exit status is 1 where the largest takes five minutes or more, or 1 GB or more, where a
phone without trouble was not measured, where anything passed without proved frames, or where a phone that is gone for good passed every job.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, MEGABYTES = 300.0, 1_000.0
KINDS = ["pixel-6", "pixel-8", "galaxy-a14", "rog-phone-7", "pixel-9-pro"]
# What goes wrong with one phone in ten: some of it passes, some of it lasts.
PASSING = ["unplug, for: 9s", "offline, for: 20s", "wedge, for: 6s", "garble, for: 4s", "slow, factor: 6, for: 30s", "reboot, for: 40s"]
LASTING = ["unplug", "unauthorized", "offline"]
SCENARIO = """name: Sweep {number}
appId: com.example.shop
iterations: {iterations}
warmup: 0
pages: {{ feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }} }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: {times}, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 600ms }} ] }} }} ]
thresholds: {{ fps: 'mean >= 50%refresh' }}
"""


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--phones", default="10,100,300,1000", metavar="N,…", help="sizes of the lab [10,100,300,1000]")
    reader.add_argument("--scenarios", type=int, default=8, metavar="N", help="scenarios, each on every phone [8]")
    reader.add_argument("--iterations", type=int, default=1, metavar="N", help="iterations of each [1]")
    reader.add_argument("--seed", type=int, default=1, metavar="N", help="seed of lab and troubles [1]")
    reader.add_argument("--jobs", type=int, metavar="N", help="phones that work at once [as `farmjank run` has it]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    return reader.parse_args()


def binary(given, profile="release"):
    if given:
        return pathlib.Path(given).resolve()
    words = ["cargo", "build", "--profile", profile, "--quiet", "--package", "farmjank-cli", "--message-format", "json"]
    made = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    messages = (json.loads(line) for line in made.stdout.splitlines())
    made = [one["executable"] for one in messages if one.get("executable", None) and one["target"]["name"] == "farmjank"]
    return pathlib.Path(made[-1])


def laid_out(folder, phones, args):
    """Writes lab and scenarios; the serials with trouble that lasts, and those with trouble that passes."""
    scenarios_written(folder, args)
    return lab_written(folder, [f"S{phone:04}" for phone in range(phones)], args, 0)


def lab_written(folder, serials, args, begins):
    """Writes a lab of these phones, whose trouble begins so many seconds after it; as `laid_out`."""
    draw = random.Random(args.seed)
    troubled = draw.sample(serials, len(serials) // 10)
    lasting = {serial for serial in troubled if draw.random() < 0.3}
    lines = [f"name: sweep\nseed: {args.seed}\nlatency: hub\nphones:"]
    lines += [f"  - {{ archetype: {KINDS[at % len(KINDS)]}, serial: {serial} }}" for at, serial in enumerate(serials)]
    lines += ["faults:"] if troubled else []
    for serial in troubled:
        kind = draw.choice(LASTING if serial in lasting else PASSING)
        at = round(begins) + draw.randrange(2, 40)
        lines.append(f"  - {{ at: {at}s, phone: {serial}, kind: {kind} }}")
    (folder / "lab.yaml").write_text("\n".join(lines) + "\n")
    return lasting, set(troubled) - lasting


def scenarios_written(folder, args):
    (folder / "scenarios").mkdir()
    for number in range(args.scenarios):
        text = SCENARIO.format(number=number, iterations=args.iterations, times=3 + number % 4)
        (folder / "scenarios" / f"sweep-{number}.yaml").write_text(text)


def sweep(program, phones, args):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lasting, passing = laid_out(folder, phones, args)
        words = [program, "run", "scenarios", "--lab", "lab.yaml", "--out", "out", "--no-history", "-q"]
        words += ["--jobs", str(args.jobs)] if args.jobs else []
        began = time.monotonic()
        ran = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ran.stderr.read()
        _, status, usage = os.wait4(ran.pid, 0)
        took = time.monotonic() - began
        results = folder / "out" / "results.json"
        if not results.exists():
            sys.exit(f"{phones} phones: no results.json, status {status}: {said[-2000:]}")
        document = json.loads(results.read_text())
        size = sum(file.stat().st_size for file in (folder / "out").rglob("*") if file.is_file())
    return judged(document, lasting, passing, args), {
        "phones": phones,
        "jobs": phones * args.scenarios,
        "wall": took,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss / 1024,
        "bundle": size / 1e6,
        "busy": document["run"]["phones_busy_percent"],
    }


def judged(document, lasting, passing, args):
    """What is wrong with the results, and how many cells have which verdict."""
    wrong, counts, passed = [], {}, {}
    for cell in document["cells"]:
        serial, verdict = cell["device"], cell["verdict"]
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict == "broken" and serial not in lasting and serial not in passing:
            wrong.append(f"{serial} has no trouble and is broken: {cell['fault']}")
        if verdict == "pass":
            passed[serial] = passed.get(serial, 0) + 1
            coverage = cell["coverage"]
            if not (coverage and coverage["proved"] and coverage["frames_seen"] > 0):
                wrong.append(f"{serial} passed without proved frames: {coverage}")
    # Trouble that lasts begins before the last of its jobs can have ended.
    wrong += [f"{serial} is gone for good and passed every job" for serial in sorted(lasting) if passed.get(serial) == args.scenarios]
    return wrong, counts


def main():
    args = arguments()
    program = binary(args.farmjank)
    sizes = [int(size) for size in args.phones.split(",")]
    print(f"{'phones':>7} {'jobs':>6} {'wall s':>8} {'cpu s':>8} {'peak MB':>8} {'bundle MB':>10} {'busy %':>7}  verdicts")
    bad = []
    for phones in sizes:
        (wrong, counts), row = sweep(program, phones, args)
        busy = f"{row['busy']:.1f}" if row["busy"] is not None else "–"
        print(
            f"{row['phones']:>7} {row['jobs']:>6} {row['wall']:>8.1f} {row['cpu']:>8.1f} {row['peak']:>8.0f} {row['bundle']:>10.1f} {busy:>7}  "
            + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())),
            flush=True,
        )
        bad += [f"{phones} phones: {words}" for words in wrong]
        if sum(counts.values()) < row["jobs"]:
            bad.append(f"{phones} phones: {sum(counts.values())} cells for {row['jobs']} jobs")
        last = row
    if last["wall"] >= SECONDS or last["peak"] >= MEGABYTES:
        bad.append(f"{last['phones']} phones take {last['wall']:.0f} s and {last['peak']:.0f} MB; the limits are {SECONDS:.0f} s and {MEGABYTES:.0f} MB")
    for words in bad[:20]:
        print(words, file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
