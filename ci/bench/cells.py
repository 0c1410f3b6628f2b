#!/usr/bin/env python3
"""How long `farmjank compare` takes on many cells: a baseline of six nights against a new night, 20 000 cells by default.

The exit status is 1 where comparing takes 5 s or more (the fastest of three). Numbers are drawn from one seed.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT, ITERATIONS = 5.0, 15


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--cells", type=int, default=20_000, metavar="N", help="cells, a phone and a window each [20000]")
    reader.add_argument("--nights", type=int, default=6, metavar="N", help="nights of the baseline [6]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    return reader.parse_args()


def binary(given):
    if given:
        return pathlib.Path(given).resolve()
    words = ["cargo", "build", "--release", "--quiet", "--package", "farmjank-cli", "--message-format", "json"]
    made = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    messages = (json.loads(line) for line in made.stdout.splitlines())
    made = [one["executable"] for one in messages if one.get("executable", None) and one["target"]["name"] == "farmjank"]
    return pathlib.Path(made[-1])


def session(cell, night, draw):
    key = {
        "model": f"Phone {cell // 20}", "build": "maker/phone:14/AP1A/1:user/release-keys", "refresh": 60,
        "scenario": "Shop", "hash": "00", "window": f"window {cell % 20}", "metric": "hitch_ms_per_s",
        "metric_version": 1, "source": "surfaceflinger",
    }
    level = 5 + cell % 7 + draw.gauss(0, 1)
    values = [round(max(0.0, draw.gauss(level, 4)), 3) for _ in range(ITERATIONS)]
    return {
        "key": key, "run": f"night-{night}", "wall": f"2026-03-{night + 1:02}T01:00:00Z", "device": f"P{cell // 20}",
        "app_version": None, "values": values, "seconds": [20.0] * ITERATIONS, "void": [],
    }


def written(file, cells, nights):
    draw = random.Random(7)
    sessions = ",\n".join(json.dumps(session(cell, night, draw)) for cell in range(cells) for night in nights)
    moves = [{"wall": "2026-03-08T00:00:00Z", "by": "bench", "why": "bench", "runs": []}]
    file.write_text(f'{{"farmjank_baseline": 1, "name": "{file.stem}", "moves": {json.dumps(moves)}, "sessions": [\n{sessions}\n]}}')


def main():
    args = arguments()
    farmjank = binary(args.farmjank)
    with tempfile.TemporaryDirectory(prefix="farmjank-cells-") as name:
        folder = pathlib.Path(name)
        written(folder / "old.json", args.cells, range(args.nights))
        written(folder / "new.json", args.cells, [20])
        took = []
        for _ in range(3):
            began = time.time()
            ended = subprocess.run([farmjank, "compare", "old.json", "new.json", "--format", "json"], cwd=folder, capture_output=True)
            took.append(time.time() - began)
            cells = json.loads(ended.stdout)["cells"]
    print(f"{len(cells)} cells of {args.nights} nights: {min(took):.1f} s (limit {LIMIT:.0f} s)")
    sys.exit(0 if min(took) < LIMIT and len(cells) == args.cells else 1)


main()
