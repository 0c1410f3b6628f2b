#!/usr/bin/env python3
"""Reads the same dumps with farmjank, devlib and SoloX, and prints how fast each was.

The dumps are written by farmjank's own benchmark (`plugins/frames/benches/throughput.rs`). devlib and SoloX are installed
with pip into a virtual environment that is thrown away, and their own parsers are called: what asks the phone is replaced
by what reads a file. A package that cannot be installed or called is named, and the rest goes on.

Standard library only. Exit status: 0 when everything that could be compared agrees and farmjank is fast enough, else 1.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ("devlib", "solox")
# MB/s of dump text on one core; the floor.
FLOOR = 100.0


def native(words):
    """Runs the native half; each line it prints becomes a word and a dictionary."""
    command = ["cargo", "bench", "--quiet", "-p", "farmjank-frames", "--bench", "throughput", "--", *words]
    told = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = []
    for line in told.splitlines():
        first, *rest = line.split()
        names = [word for word in rest if "=" not in word]
        lines.append((first, names[0] if names else "", dict(word.split("=", 1) for word in rest if "=" in word)))
    return lines


def environment(folder, packages):
    """A virtual environment with what of the packages can be installed, each by itself; its Python, and what is missing."""
    venv.create(folder, with_pip=True)
    python = pathlib.Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
    missing = {}
    for package in packages:
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            missing[package] = lines[-1] if lines else "pip failed"
    return python, missing


def rival(python, tool, path):
    """Times one tool over one file in a process of its own: seconds and frames, or why not."""
    command = [str(python), str(HERE / "rivals.py"), tool, str(path)]
    # Nothing of this checkout or of the user's settings is to be found by the other tools.
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=path.parent)
    answers = re.findall(r"^answer (\{.*\})$", done.stdout, re.M)
    if done.returncode or not answers:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return {"why": lines[-1] if lines else f"ended with status {done.returncode}"}
    return json.loads(answers[-1])


def compare(folder, python, tools):
    """One row per file: the name, its size, and of each tool seconds, frames, or why there are none."""
    wrote = {name: facts for word, name, facts in native(["write", str(folder)]) if word == "wrote"}
    timed = {name: facts for word, name, facts in native(["time", str(folder)]) if word == "timed"}
    rows = []
    for name, facts in wrote.items():
        own = {"seconds": float(timed[name]["seconds"]), "frames": int(timed[name]["frames"])}
        answers = {"farmjank": own}
        for tool in tools:
            answers[tool] = rival(python, tool, folder / name)
        rows.append((name, int(facts["bytes"]), int(facts["frames"]), answers))
    return rows


def table(rows, tools):
    """Prints the rows; true when all is as it should be."""
    good = True
    head = f"{'dumps':<20}{'MB':>7}{'frames':>9}{'farmjank MB/s':>15}"
    print(head + "".join(f"{tool + ' MB/s':>14}{'ratio':>8}{'frames':>9}" for tool in tools))
    for name, size, truth, answers in rows:
        speed = {tool: size / 1e6 / answer["seconds"] for tool, answer in answers.items() if "seconds" in answer}
        line = f"{name:<20}{size / 1e6:>7.1f}{answers['farmjank']['frames']:>9}{speed['farmjank']:>15.0f}"
        for tool in tools:
            if tool not in speed:
                line += f"{'-':>14}{'-':>8}{'-':>9}"
                continue
            ratio = speed["farmjank"] / speed[tool]
            line += f"{speed[tool]:>14.2f}{ratio:>7.0f}x{answers[tool]['frames']:>9}"
        print(line)
        good &= speed["farmjank"] >= FLOOR and answers["farmjank"]["frames"] == truth
    return good


def disagreements(rows, tools):
    """What differs from the frames that are really there, in words."""
    found = []
    for name, _, truth, answers in rows:
        for tool in ("farmjank", *tools):
            answer = answers[tool]
            if "why" in answer:
                found.append(f"{tool} could not read {name}: {answer['why']}")
            elif answer["frames"] != truth:
                found.append(f"{tool} finds {answer['frames']} frames in {name}, there are {truth}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trace-mb", type=int, default=1024, help="size of the trace that is streamed (MB, 0: none)")
    parser.add_argument("--keep", metavar="FOLDER", help="write the dumps here and keep them")
    options = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="farmjank-bench-"))
    try:
        python, missing = environment(scratch / "venv", PACKAGES)
        for package, why in missing.items():
            print(f"{package} could not be installed and is left out: {why}")
        tools = [package for package in PACKAGES if package not in missing]
        folder = pathlib.Path(options.keep).resolve() if options.keep else scratch / "dumps"
        rows = compare(folder, python, tools)
        good = table(rows, tools)
        differences = disagreements(rows, tools)
        print("\n".join(differences) or "every tool finds the same frames")
        if options.trace_mb:
            for word, _, facts in native(["trace", str(options.trace_mb)]):
                if word == "trace":
                    speed = int(facts["bytes"]) / 1e6 / float(facts["seconds"])
                    print(f"trace of {int(facts['bytes']) / 1e6:.0f} MB, {facts['frames']} frames: {speed:.0f} MB/s, "
                          f"peak memory {facts['peak_rss_kb']} kB")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0 if good and not differences else 1


if __name__ == "__main__":
    sys.exit(main())
