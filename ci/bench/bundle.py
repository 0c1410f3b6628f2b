#!/usr/bin/env python3
"""How much room a run takes: 64 virtual phones of seven kinds, the gallery's windows twice over, 10 iterations each, one bundle.

The table tells bytes of every kind of file, on disk and as what they hold. The exit status is 1 where the bundle has 250 MB or more,
or where anything that was packed is not half of what it holds.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from sweep import ROOT, binary

MEGABYTES = 250.0
KINDS = ["pixel-6", "pixel-8", "galaxy-a14", "rog-phone-7", "pixel-9-pro", "oneplus-9", "redmi-note-7"]


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--phones", type=int, default=64, metavar="N", help="phones of the lab [64]")
    reader.add_argument("--iterations", type=int, default=10, metavar="N", help="iterations of each window [10]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    reader.add_argument("--keep", metavar="DIR", help="leave the bundle here")
    return reader.parse_args()


def laid_out(folder, args):
    """Writes the lab and eight scenarios: the gallery, and the gallery once more under other names."""
    lines = ["name: room", "seed: 1", "phones:"]
    lines += [f"  - {{ archetype: {KINDS[at % len(KINDS)]}, serial: S{at:04} }}" for at in range(args.phones)]
    (folder / "lab.yaml").write_text("\n".join(lines) + "\n")
    shutil.copytree(ROOT / "scenarios/gallery", folder / "scenarios")
    for file in sorted((folder / "scenarios").glob("*.yaml")):
        text = re.sub(r"(?m)^iterations: .*$", f"iterations: {args.iterations}", file.read_text())
        file.write_text(text)
        file.with_stem(file.stem + "-again").write_text(re.sub(r"(?m)^(name: .*)$", r"\1 again", text))


def kind(file, bundle):
    return file.name if file.parent == bundle else "*." + file.name.split(".", 1)[1]


def held(files):
    """Bytes that packed files hold, by the program of zstd's makers."""
    size = 0
    for at in range(0, len(files), 500):
        words = ["zstdcat", *map(str, files[at : at + 500])]
        unpack = subprocess.Popen(words, stdout=subprocess.PIPE)
        while piece := unpack.stdout.read(1 << 20):
            size += len(piece)
        if unpack.wait():
            sys.exit("zstdcat refuses a file of the bundle")
    return size


def main():
    args = arguments()
    if not shutil.which("zstdcat"):
        sys.exit("zstdcat is not here")
    program = binary(args.farmjank)
    bad = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        laid_out(folder, args)
        bundle = pathlib.Path(args.keep).resolve() if args.keep else folder / "out"
        words = [program, "run", "scenarios", "--lab", "lab.yaml", "--out", bundle, "--no-history", "-q"]
        began = time.monotonic()
        ran = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        took = time.monotonic() - began
        if not (bundle / "results.json").exists():
            sys.exit(f"no results.json, status {ran.returncode}: {ran.stderr[-2000:]}")
        files = collections.defaultdict(list)
        for file in bundle.rglob("*"):
            if file.is_file():
                files[kind(file, bundle)].append(file)
        rows = []
        for what, all_ in files.items():
            size = sum(file.stat().st_size for file in all_)
            rows.append((size, held(all_) if what.endswith(".zst") else size, len(all_), what))
    print(f"{args.phones} phones, 8 scenarios, {args.iterations} iterations: {took:.1f} s")
    print(f"{'files':>7} {'on disk, MB':>12} {'holds, MB':>10}  what")
    for size, holds, count, what in sorted(rows, reverse=True):
        print(f"{count:>7} {size / 1e6:>12.1f} {holds / 1e6:>10.1f}  {what}")
        if what.endswith(".zst") and 2 * size > holds:
            bad.append(f"{what}: {size} bytes for {holds}")
    total = sum(row[0] for row in rows) / 1e6
    print(f"{sum(row[2] for row in rows):>7} {total:>12.1f} {sum(row[1] for row in rows) / 1e6:>10.1f}  all")
    if total >= MEGABYTES:
        bad.append(f"the bundle has {total:.0f} MB; the limit is {MEGABYTES:.0f} MB")
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
