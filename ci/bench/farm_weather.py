"""Troubles of a farm that come between its ends, or are of its disks: cables, slow ways, full disks, power cuts."""

import heapq
import itertools
import json
import secrets
import shutil
import socket
import threading
import time

from farm_processes import Farm
from farm_troubles import Trouble, asked, is_root, told
from ports import HOME

# What is said of a way, seconds: there and back, and of what is lost and sent again.
THERE, AGAIN, LOST = 0.1, 0.3, 0.02


class Cable:
    """A network namespace with one cable to this computer. Root is needed."""

    def __init__(self):
        word = secrets.token_hex(3)
        self.space, self.here, there = f"fj-{word}", f"fj{word}a", f"fj{word}b"
        net = f"10.213.{secrets.randbelow(256)}"
        place = 4 * secrets.randbelow(64)
        self.address = f"{net}.{place + 1}"
        told("ip", "netns", "add", self.space)
        told("ip", "link", "add", self.here, "type", "veth", "peer", "name", there, "netns", self.space)
        told("ip", "address", "add", f"{self.address}/30", "dev", self.here)
        told("ip", "link", "set", self.here, "up")
        told("ip", "-n", self.space, "address", "add", f"{net}.{place + 2}/30", "dev", there)
        told("ip", "-n", self.space, "link", "set", there, "up")

    def set(self, state):
        told("ip", "link", "set", self.here, state)

    def end(self):
        asked("ip", "link", "delete", self.here)
        asked("ip", "netns", "delete", self.space)


class Cut(Trouble):
    """An agent is cut off for a while: mostly for less than its lease holds, at times for longer."""

    waits = True

    def lacks(self, program):
        if not is_root():
            return "network namespaces need root"
        try:
            Cable().end()
        except (OSError, ValueError, RuntimeError) as why:
            return f"no network namespaces: {why}"
        return None

    def end_of(self, seed, farm):
        return f"host-{seed.draw.randrange(farm.many)}"

    def farm(self, seed):
        self.cable = Cable()
        farm = Farm(seed.program, seed.folder, seed.draw.randrange(1, 5), "lab.yaml", listens="0.0.0.0")
        end = self.end_of(seed, farm)
        farm.reached[end] = (self.cable.address, farm.ports())
        farm.prefix[end] = ["ip", "netns", "exec", self.cable.space]
        farm.played()
        return farm

    def strike(self, seed, farm):
        self.cable.set("down")
        time.sleep(60.0 if seed.draw.random() < 0.25 else seed.draw.uniform(2, 20))
        self.cable.set("up")

    def over(self, seed, farm):
        self.cable.end()


class RunCut(Cut):
    """The run is."""

    def end_of(self, seed, farm):
        return "run"


class Relay:
    """A way to a port that takes its time, and loses something now and then, which is sent again."""

    def __init__(self, port, draw):
        self.to, self.draw, self.socket = port, draw, socket.create_server((HOME, 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.socket.accept()
                far = socket.create_connection((HOME, self.to))
            except OSError:
                return
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pass_on, args=(one, other), daemon=True).start()

    def pass_on(self, one, other):
        """What was read is written once its time has come, in order."""
        under_way, there, counted = [], threading.Condition(), itertools.count()

        def write():
            try:
                while True:
                    with there:
                        there.wait_for(lambda: under_way)
                        due, _, part = heapq.heappop(under_way)
                    time.sleep(max(0.0, due - time.monotonic()))
                    if not part:
                        other.shutdown(socket.SHUT_WR)
                        return
                    other.sendall(part)
            except OSError:
                one.close()

        threading.Thread(target=write, daemon=True).start()
        part, due = b"-", 0.0
        while part:
            try:
                part = one.recv(1 << 16)
            except OSError:
                part = b""
            late = AGAIN if self.draw.random() < LOST else 0.0
            due = max(due, time.monotonic() + THERE + late)
            with there:
                heapq.heappush(under_way, (due, next(counted), part))
                there.notify()

    def end(self):
        self.socket.close()


class Slow(Trouble):
    """Everybody is 200 ms from the server, and two parts of a hundred are lost and sent again."""

    waits = True

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, seed.draw.randrange(1, 5), "lab.yaml")
        self.relay = Relay(farm.servers[0].port, seed.draw)
        for end in ["run", *(f"host-{number}" for number in range(farm.many))]:
            farm.reached[end] = (HOME, [self.relay.port])
        farm.played()
        return farm

    def run(self, seed, farm):
        return farm.run(["scenarios"], "out")

    def over(self, seed, farm):
        self.relay.end()


class Full(Trouble):
    """The disk of an agent's state is full, until somebody makes room; its service begins it again where it ends. Numbers and verdicts are
    as they would be, and each file that is not is told."""

    def lacks(self, program):
        return None if is_root() else "a small disk needs root"

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, seed.draw.randrange(1, 5), "lab.yaml")
        self.number = seed.draw.randrange(farm.many)
        self.disk = seed.folder / f"state-{self.number}"
        self.disk.mkdir()
        told("mount", "-t", "tmpfs", "-o", f"size={seed.draw.randrange(16, 400)}k", "none", self.disk)
        farm.played()
        return farm

    def strike(self, seed, farm):
        time.sleep(seed.draw.uniform(1, 8))
        told("mount", "-o", "remount,size=64m", self.disk)
        if farm.agents[self.number].poll() is not None:
            farm.agents[self.number] = farm.agent(self.number)

    def unlike(self, seed, out):
        results = [json.loads((folder / "results.json").read_text()) for folder in (seed.expected, out)]
        for cell in results[0]["cells"] + results[1]["cells"]:
            # Which files there are, and whether they are whole.
            del cell["whole"], cell["evidence"]
        wrong = [f"{key} are others" for key in ("verdict", "counts", "cells") if results[0][key] != results[1][key]]
        said = (out / "events.ndjson").read_text()
        for file in sorted(seed.expected.glob("evidence/**/*.*")):
            name, other = file.relative_to(seed.expected), out / file.relative_to(seed.expected)
            if f"{name}: " not in said and not (other.exists() and other.read_bytes() == file.read_bytes()):
                wrong.append(f"{name} is another, and nobody says so")
        return wrong

    def over(self, seed, farm):
        asked("umount", "--lazy", self.disk)


class Power(Trouble):
    """The server's computer loses its power: what was not on its disk is lost."""

    def lacks(self, program):
        if not is_root():
            return "a disk in a file needs root"
        return None if shutil.which("mkfs.ext4") and asked("losetup", "--find") else "no ext4, or no loop devices"

    def farm(self, seed):
        self.place, image = seed.folder / "store-0", seed.folder / "disk"
        with open(image, "wb") as disk:
            disk.truncate(64 << 20)
        told("mkfs.ext4", "-q", image)
        self.place.mkdir()
        told("mount", "-o", "loop", image, self.place)
        return super().farm(seed)

    def strike(self, seed, farm):
        server = farm.servers[0]
        server.kill()
        # The image as it is on the disk: what the file system holds in memory is not in it.
        shutil.copyfile(seed.folder / "disk", seed.folder / "disk-after")
        told("umount", self.place)
        told("mount", "-o", "loop", seed.folder / "disk-after", self.place)
        server.begin()

    def over(self, seed, farm):
        asked("umount", "--lazy", self.place)


KINDS = {"cut": Cut, "run-cut": RunCut, "slow": Slow, "full": Full, "power": Power}
