"""What happens to a farm in the middle of a run. Each kind is a class: how its farm is made, and what happens to it then.

Whatever it is, the run's folder is to be that of a run on this computer, unless the kind says otherwise.
"""

import filecmp
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import farm_witness
from farm_processes import Farm

# An agent that is stopped for so long, seconds, is one that is gone to everybody else.
GONE = 60.0
# A lease ends by itself after 45 s.
TERM = 50.0


def differ(one, other):
    """The first difference of two folders; none where they are the same."""
    names = [sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()) for root in (one, other)]
    if names[0] != names[1]:
        return f"files: {sorted(set(names[0]) ^ set(names[1]))[:5]}"
    _, unlike, failed = filecmp.cmpfiles(one, other, names[0], shallow=False)
    return f"not the same: {(unlike + failed)[:5]}" if unlike or failed else None


def asked(*words):
    """Whether a program of the system does what it is asked."""
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def told(*words):
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)


def is_root():
    return os.geteuid() == 0


class Trouble:
    """A kind. `seed` is what a seed is run with: its draw, its folder, how it waits."""

    servers = 1
    # Most of its time it waits, so many of them run at once.
    waits = False
    # Seeds that stand for one: where each is many runs.
    heavy = 1

    def lacks(self, program):
        """What this computer or the program lacks for it, in words."""

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, seed.draw.randrange(1, 5), "lab.yaml", self.servers)
        farm.played()
        return farm

    def run(self, seed, farm):
        """The run that is to end well; what is done to it is done."""
        run = farm.run(["scenarios"], "out")
        seed.moment(farm, run)
        self.strike(seed, farm)
        return run

    def strike(self, seed, farm):
        raise NotImplementedError

    def judged(self, seed, farm, run, watch):
        """What is wrong with what came of it: with the folder, and with what a witness read on the server."""
        out = seed.folder / "out"
        if not (out / "results.json").exists():
            return [f"exit {run.returncode}, and no results"]
        for server in farm.servers:
            server.answers()
        wrong = self.unlike(seed, out) + farm_witness.exit_code(out, run.returncode) + self.advised(seed, farm, run)
        port = farm.servers[0].port
        wrong += farm_witness.judged(port, out, watch.end())
        # Agents that are told to end give up their leases; those that died have theirs until it ends by itself.
        farm.end_agents()
        return wrong + farm_witness.leases(port, TERM)

    def advised(self, seed, farm, run):
        """A run that could not say at its end that it is over says so, and what does. That is done; what is wrong with it."""
        advice = re.search(r"the farm does not know that the run is over: .*`--attach (\S+)` says so", farm.said())
        if not advice:
            return []
        again = farm.taken_up(advice[1], "again")
        seed.ended(again)
        return [] if again.returncode == run.returncode else [f"the advice at its end: exit {again.returncode}, {farm.said('again')[-300:]}"]

    def unlike(self, seed, out):
        """In what the folder is not as it is to be."""
        return [words for words in [differ(seed.expected, out)] if words]

    def over(self, seed, farm):
        """What is left behind of it on this computer is taken away."""


class Agent(Trouble):
    """An agent dies, and its service begins it again."""

    waits = True

    def strike(self, seed, farm):
        number = seed.draw.randrange(farm.many)
        farm.agents[number].kill()
        farm.agents[number].wait()
        farm.agents[number] = farm.agent(number)


class Dead(Trouble):
    """The server dies, and begins again."""

    def strike(self, seed, farm):
        server = farm.servers[0]
        server.kill()
        self.hurt(seed, server)
        time.sleep(seed.draw.uniform(0, 2))
        server.begin()

    def hurt(self, seed, server):
        pass


class Wiped(Dead):
    """The same, and its store is lost."""

    def hurt(self, seed, server):
        shutil.rmtree(server.store)


class Flipped(Dead):
    """The same, and one bit of its store is another."""

    def hurt(self, seed, server):
        blocks = [block for block in server.store.rglob("*.blk") if block.stat().st_size]
        block = seed.draw.choice(sorted(blocks))
        content = bytearray(block.read_bytes())
        content[seed.draw.randrange(len(content))] ^= 1 << seed.draw.randrange(8)
        block.write_bytes(content)


class Conductor(Trouble):
    """A run is begun and left, and whoever takes it up is killed, up to three times: some time later, or as soon as the log is
    opened anew."""

    def run(self, seed, farm):
        name = farm.left(["scenarios"])
        for turn in range(seed.draw.randrange(4)):
            before = self.openings(farm)
            conducts = farm.taken_up(name, f"killed-{turn}")
            if seed.draw.randrange(2):
                time.sleep(seed.draw.uniform(0.1, 2.0))
            else:
                self.opened(farm, conducts, before)
            conducts.kill()
            conducts.wait()
        return farm.taken_up(name, "out")

    def openings(self, farm):
        """Messages that open a generation of the log, by their subjects."""
        connection = farm_witness.Connection(farm.servers[0].port)
        asked = {"subjects_filter": f"fj.log.*.*.*.{farm_witness.OPENING}.*"}
        told = connection.api(f"STREAM.INFO.{farm_witness.LOGS}", asked)
        connection.close()
        return set(told["state"].get("subjects", {}))

    def opened(self, farm, conducts, before):
        """Waits until the log is opened anew. Who took the run up may have to wait for the lease of whoever was killed before."""
        ends = time.monotonic() + TERM
        while self.openings(farm) <= before and conducts.poll() is None and time.monotonic() < ends:
            time.sleep(0.002)


class Paused(Trouble):
    """An agent stands still for longer than its lease."""

    waits = True

    def strike(self, seed, farm):
        number = seed.draw.randrange(farm.many)
        stopped = farm.agents[number]
        stopped.send_signal(signal.SIGSTOP)
        self.meanwhile(farm, number)
        time.sleep(GONE)
        stopped.send_signal(signal.SIGCONT)

    def meanwhile(self, farm, number):
        pass


class Zombie(Paused):
    """The same, and another has its place by then: it finds that out."""

    def meanwhile(self, farm, number):
        farm.stopped.append(farm.agents[number])
        farm.agents[number] = farm.agent(number, "other")


class Node(Trouble):
    """One of three servers dies, and comes back."""

    servers, dying = 3, 1

    def strike(self, seed, farm):
        dying = seed.draw.sample(farm.servers, self.dying)
        for server in dying:
            server.kill()
        time.sleep(seed.draw.uniform(0, 8))
        for server in dying:
            server.begin()


class Nodes(Node):
    """Two of them."""

    dying = 2


class Objects(Trouble):
    """Whatever is stored beside the log, evidence and all, is deleted: all of it, or every second."""

    def strike(self, seed, farm):
        connection = farm_witness.Connection(farm.servers[0].port)
        every = seed.draw.randrange(1, 3)
        for number, (sequence, *_) in enumerate(list(connection.messages(farm_witness.OBJECTS))):
            if number % every == 0:
                connection.api(f"STREAM.MSG.DELETE.{farm_witness.OBJECTS}", {"seq": sequence, "no_erase": True})
        connection.close()


class Clock(Trouble):
    """An agent's clock is an hour wrong: from the beginning, or from the middle on."""

    def library(self):
        return next(iter(sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))), None)

    def lacks(self, program):
        if not self.library():
            return "no faketime (Debian's package of this name)"
        # A static one asks the kernel by itself, and its clock would be right all along.
        loaded = b"/ld-linux" in pathlib.Path(program).read_bytes()[:4096]
        return None if loaded else "a static program takes no clock from outside"

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, seed.draw.randrange(1, 5), "lab.yaml", self.servers)
        self.clock, self.shift = seed.folder / "clock", seed.draw.choice(["+3600", "-3600"])
        self.clock.write_text(seed.draw.choice(["+0", self.shift]) + "\n")
        wrong = {"LD_PRELOAD": str(self.library()), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1"}
        # Time that only grows is the kernel's own, and no clock that is set wrong changes it.
        wrong |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        farm.around[f"host-{seed.draw.randrange(farm.many)}"] = wrong
        farm.played()
        return farm

    def strike(self, seed, farm):
        self.clock.write_text(self.shift + "\n")


KINDS = {
    "agent": Agent,
    "server": Dead,
    "wiped": Wiped,
    "flipped": Flipped,
    "conductor": Conductor,
    "paused": Paused,
    "zombie": Zombie,
    "node": Node,
    "nodes": Nodes,
    "objects": Objects,
    "clock": Clock,
}
