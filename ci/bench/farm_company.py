"""Troubles of a farm that others bring: hosts of another release, phones that two have, runs beside runs."""

import itertools
import json
import re
import signal
import subprocess
import time

import farm_witness
from farm_processes import Farm, here
from farm_troubles import GONE, Trouble, differ

MANY = 50
# Iterations of a run whose agent stands still.
STOOD = 4
PHONES = "name: shared\nseed: 3\nphones: [ { archetype: pixel-6, serial: S1 }, { archetype: redmi-note-7, serial: S2 } ]\n"


def ended(run, code, what):
    """A complaint where it ends otherwise."""
    got = run.wait(120)
    return [] if got == code else [f"{what}: exit {got}, not {code}"]


class Protocol(Trouble):
    """A host speaks another protocol: one of the team is refused in words before anything runs, and changes nothing in the middle of a
    run; one of another team is nobody's concern."""

    def stranger(self, farm, headers, team="main"):
        connection = farm_witness.Connection(farm.servers[0].port)
        body = {"v": self.speaks, "tool": "farmjank 0.0.1", "who": "stranger", "team": team, "phones": "none"}
        told = connection.put("$KV.FJ_LEASES.agent.stranger", headers, b"" if headers else json.dumps(body).encode())
        connection.close()
        if "error" in told:
            raise AssertionError(f"the lease is not taken: {told}")

    def registered(self, farm):
        """Waits until every agent is there."""
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            connection = farm_witness.Connection(farm.servers[0].port)
            there = len(list(connection.messages(farm_witness.LEASES)))
            connection.close()
            if there >= farm.many:
                return
            time.sleep(0.1)
        raise TimeoutError("the agents are not there")

    def run(self, seed, farm):
        self.registered(farm)
        told = subprocess.run([farm.program, "--version", "--verbose"], capture_output=True, text=True, check=True).stdout
        own = int(re.search(r"^farm +version (\d+)$", told, re.M)[1])
        self.speaks, when = seed.draw.choice([own - 1, own + 1, 77]), seed.draw.choice(["before", "middle", "other team"])
        if when == "other team":
            self.stranger(farm, {}, "others")
        if when == "before":
            self.stranger(farm, {})
            refused = farm.begin("run", ["run", "scenarios", "--farm", farm.url(), "--lab", farm.lab, "--out", "refused"], "refused")
            seed.wrong += ended(refused, 3, "a host of another protocol")
            if f"speaks protocol {self.speaks}" not in farm.said("refused"):
                seed.wrong.append(f"it is not refused in words: {farm.said('refused')[-300:]}")
            self.stranger(farm, {"KV-Operation": "DEL"})
        # The stranger is there for longer than that.
        run = farm.run(["scenarios"], "out", "20s")
        if when == "middle":
            seed.moment(farm, run)
            self.stranger(farm, {})
        return run

    def judged(self, seed, farm, run, watch):
        self.stranger(farm, {"KV-Operation": "DEL"})
        return super().judged(seed, farm, run, watch)


class Many(Trouble):
    """Fifty runs are begun at once."""

    heavy = 10

    def run(self, seed, farm):
        lines = [line for line in (seed.folder / "lab.yaml").read_text().splitlines() if not re.search(r"S000[2-9]", line)]
        (seed.folder / "two.yaml").write_text("\n".join(lines[:-1]) + "\n")
        self.expected, _, _ = here(seed.program, seed.folder, ["scenarios"], "two.yaml")
        farm.end_agents()
        farm.lab, farm.many = "two.yaml", 1
        farm.played()
        runs = {f"out-{number}": farm.run(["scenarios"], f"out-{number}") for number in range(MANY - 1)}
        run = farm.run(["scenarios"], "out")
        for name, one in runs.items():
            seed.ended(one)
            seed.wrong += farm_witness.exit_code(seed.folder / name, one.returncode)
            seed.wrong += self.differs(seed, name)
        return run

    def differs(self, seed, name):
        # The folder's own name stands in it.
        (seed.folder / "junit.xml").write_text((seed.folder / name / "junit.xml").read_text().replace(f"{name}/", "out/"))
        (seed.folder / "junit.xml").replace(seed.folder / name / "junit.xml")
        found = differ(self.expected, seed.folder / name)
        return [f"{name}: {found}"] if found else []

    def judged(self, seed, farm, run, watch):
        wrong = self.differs(seed, "out") + farm_witness.exit_code(seed.folder / "out", run.returncode)
        watch.end()
        farm.end_agents()
        return wrong + farm_witness.leases(farm.servers[0].port, 50.0)


class Served:
    """A lab that is served in real time, as an adb server."""

    def __init__(self, seed, name):
        self.file = seed.folder / f"{name}.yaml"
        self.file.write_text(PHONES)
        words = [seed.program, "lab", "serve", self.file, "--truth", seed.folder / f"{name}.truth.json"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            found = re.search(r"ADB_SERVER_SOCKET=tcp:(\S+)", line)
            if found:
                self.adb = found[1]
                return
        raise AssertionError("the lab is not served")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)


class Real(Trouble):
    """Agents with phones in real time."""

    waits = True

    def agent_of(self, farm, name, served, state="state"):
        words = ["agent", "--farm", farm.url(), "--host", name, "--adb", served.adb, "--state", farm.folder / f"{state}-{name}"]
        return farm.begin(name, words, name)

    def run_of(self, farm, out, wait="60s", iterations=1):
        words = ["run", "scenarios", "--farm", farm.url(), "--out", out, "--no-history", "-q", "--iterations", str(iterations)]
        return farm.begin("run", [*words, "--wait-for-devices", wait], out)

    def unlike(self, seed, out):
        told = json.loads((out / "results.json").read_text())
        return [] if told["verdict"] == "pass" else [f"the run is {told['verdict']}"]


class Serial(Real):
    """Two agents have phones of the same serials: a run is refused in words, until one of them is gone."""

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, 2, "lab.yaml")
        self.served = [Served(seed, name) for name in ("one", "two")]
        farm.agents = [self.agent_of(farm, name, served) for name, served in zip(("one", "two"), self.served)]
        return farm

    def run(self, seed, farm):
        Protocol.registered(self, farm)
        seed.wrong += ended(self.run_of(farm, "refused", "1s"), 3, "a serial of two hosts")
        if not re.search(r"S1 is a phone of host one and of host two", farm.said("refused")):
            seed.wrong.append(f"it is not refused in words: {farm.said('refused')[-300:]}")
        gone = farm.agents.pop(seed.draw.randrange(2))
        # Killed, it is there until its lease ends.
        gone.send_signal(seed.draw.choice([signal.SIGTERM, signal.SIGKILL]))
        gone.wait()
        return self.run_of(farm, "out")

    def over(self, seed, farm):
        for served in self.served:
            served.end()


class Local(Real):
    """A run on an agent's computer, on the same phones, beside one over the farm: they take turns."""

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, 1, "lab.yaml")
        # Its fingers are longer on the glass, by which a phone's own account tells whose they are.
        text = (seed.folder / "scenarios" / "feed.yaml").read_text()
        (seed.folder / "slow.yaml").write_text(text.replace("250ms", "500ms"))
        self.served = Served(seed, "one")
        farm.agents = [self.agent_of(farm, "one", self.served)]
        return farm

    def run(self, seed, farm):
        Protocol.registered(self, farm)
        words = ["run", "slow.yaml", "--adb", self.served.adb, "--out", "local", "--no-history", "-q", "--iterations", "1"]
        words += ["--wait-for-devices", "120s"]
        first = seed.draw.randrange(2)
        run = self.run_of(farm, "out") if first else None
        time.sleep(seed.draw.uniform(0, 6))
        self.local = farm.begin("local", words, "local")
        if not first:
            time.sleep(seed.draw.uniform(0, 6))
        return run or self.run_of(farm, "out")

    def judged(self, seed, farm, run, watch):
        seed.ended(self.local)
        wrong = ended(self.local, 0, "the run beside it")
        self.served.end()
        return wrong + self.touches(seed) + super().judged(seed, farm, run, watch)

    def touches(self, seed):
        """By what the phones know: both fingers of one run, then both of the other."""
        wrong = []
        for serial, phone in json.loads((seed.folder / "one.truth.json").read_text()).items():
            whose = ["local" if up - down > 375e6 else "farm" for down, up, _ in sorted(phone["gestures"])]
            if whose not in (["local"] * 2 + ["farm"] * 2, ["farm"] * 2 + ["local"] * 2):
                wrong.append(f"{serial}: the fingers were of {', '.join(whose)}")
        return wrong

    def over(self, seed, farm):
        if self.served.process.poll() is None:
            self.served.end()


class Stood(Real):
    """An agent stands still in the middle of its phones' work for longer than its lease, and another has its place by then, on the same
    phones: no phone has two at work on it, ever."""

    def farm(self, seed):
        farm = Farm(seed.program, seed.folder, 1, "lab.yaml")
        self.served = Served(seed, "one")
        farm.agents = [self.agent_of(farm, "one", self.served)]
        return farm

    def run(self, seed, farm):
        Protocol.registered(self, farm)
        run = self.run_of(farm, "out", "120s", STOOD)
        self.at_work(seed)
        time.sleep(seed.draw.uniform(0, 12))
        if run.poll() is not None:
            seed.wrong.append("the run was over before its agent stood still")
        farm.stopped = [farm.agents.pop()]
        farm.stopped[0].send_signal(signal.SIGSTOP)
        # Its service is sure that it is dead, and its state is on another disk.
        farm.agents = [self.agent_of(farm, "one", self.served, "other")]
        time.sleep(GONE)
        farm.stopped[0].send_signal(signal.SIGCONT)
        return run

    def at_work(self, seed):
        """Waits until what is measured lies in the agent's state."""
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            if any((seed.folder / "state-one").glob("shifts/*/evidence/*/*")):
                return
            time.sleep(0.1)
        raise TimeoutError("the agent does nothing")

    def judged(self, seed, farm, run, watch):
        self.served.end()
        return self.alone(seed) + super().judged(seed, farm, run, watch)

    def alone(self, seed):
        """By what the phones know: whoever begins the app moves two fingers over it, or is ended; nobody moves them over another's."""
        wrong = []
        for serial, phone in json.loads((seed.folder / "one.truth.json").read_text()).items():
            shown = [layer["presents"][0] for layer in phone["layers"] if "com.example.shop" in layer["name"] and layer["presents"]]
            marks = sorted([(at, "window") for at in shown] + [(down, "finger") for down, *_ in phone["gestures"]])
            fingers = [len(list(them)) for what, them in itertools.groupby(marks, lambda mark: mark[1]) if what == "finger"]
            # What was under way as it stood still is made once more.
            if not fingers or max(fingers) > 2 or not STOOD <= sum(number == 2 for number in fingers) <= STOOD + 1:
                wrong.append(f"{serial}: fingers between new windows: {fingers}")
        return wrong

    def over(self, seed, farm):
        if self.served.process.poll() is None:
            self.served.end()


KINDS = {"protocol": Protocol, "many": Many, "serial": Serial, "local": Local, "stood": Stood}
