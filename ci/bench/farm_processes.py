"""A farm as processes: NATS servers, agents, runs. What is measured and what is put in trouble is made of them."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import farm_witness
from ports import HOME, free_port

# Phones at work at once, here and on each host: a run here that has fewer than phones takes turns, and is another run.
ALL = "4000"


class Server:
    """One NATS server, by itself or as one of several."""

    def __init__(self, folder, name, routes, listens):
        self.folder, self.name, self.port = folder, name, free_port()
        self.store = folder / name
        lines = [f'listen: "{listens}:{self.port}"', f"server_name: {name}"]
        lines.append(f'jetstream {{ store_dir: "{self.store}", sync_interval: always }}')
        if routes:
            others = ", ".join(f'"nats://{HOME}:{port}"' for port in routes)
            lines.append(f'cluster {{ name: farm, listen: "{HOME}:{routes[int(name[-1])]}", routes: [ {others} ] }}')
        (folder / f"{name}.conf").write_text("\n".join(lines) + "\n")
        self.begin()

    def begin(self):
        words = [os.environ.get("NATS_SERVER", "nats-server"), "-c", self.folder / f"{self.name}.conf"]
        with open(self.folder / f"{self.name}.log", "a") as log:
            self.process = subprocess.Popen(words, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def answers(self):
        """Waits until it keeps what it is given: several are to have chosen a leader."""
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            try:
                connection = farm_witness.Connection(self.port)
                told = connection.api("INFO")
                connection.close()
                if "error" not in told:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise TimeoutError(f"{self.name} does not answer")


class Farm:
    """Servers and agents for one lab, in a folder."""

    def __init__(self, program, folder, agents, lab, servers=1, listens=HOME):
        self.program, self.folder, self.lab, self.many = program, folder, lab, agents
        self.agents, self.stopped = [], []
        # How agents and runs reach the servers, and what their commands begin with: for troubles that come between.
        self.reached, self.prefix, self.around, self.state_of = {}, {}, {}, lambda name: folder / name
        routes = [free_port() for _ in range(servers)] if servers > 1 else []
        self.servers = [Server(folder, f"store-{number}", routes, listens) for number in range(servers)]
        for server in self.servers:
            server.answers()

    def ports(self):
        return [server.port for server in self.servers]

    def url(self, end="run"):
        """The farm's address, as an end of it reaches it."""
        host, ports = self.reached.get(end, (HOME, self.ports()))
        return ",".join(f"nats://{host}:{port}" for port in ports)

    def begin(self, end, words, log, quiet=subprocess.DEVNULL):
        words = [*self.prefix.get(end, []), self.program, *words]
        around = {**os.environ, **self.around.get(end, {})}
        with open(self.folder / f"{log}.log", "a") as said:
            return subprocess.Popen(words, cwd=self.folder, stdout=quiet, stderr=said, env=around, text=True)

    def played(self):
        """All agents that play the lab."""
        self.agents = [self.agent(number) for number in range(self.many)]

    def agent(self, number, state="state"):
        end = f"host-{number}"
        words = ["agent", "--farm", self.url(end), "--host", end, "--lab", self.lab, "--part", f"{number + 1}/{self.many}"]
        return self.begin(end, [*words, "--state", self.state_of(f"{state}-{number}")], end)

    def run(self, scenarios, out, wait="120s"):
        words = ["run", *scenarios, "--farm", self.url(), "--lab", self.lab, "--wait-for-devices", wait]
        return self.begin("run", [*words, "--out", out, "--no-history", "-q", "--jobs", ALL], out)

    def left(self, scenarios):
        """A run that is begun and left: what it is called."""
        words = ["run", *scenarios, "--farm", self.url(), "--lab", self.lab, "--wait-for-devices", "120s", "--jobs", ALL]
        begun = self.begin("run", [*words, "--detach", "-q"], "out", subprocess.PIPE)
        name = begun.communicate()[0].strip()
        if begun.returncode:
            raise AssertionError(f"a run that is left ends with {begun.returncode}")
        return name

    def taken_up(self, run, out):
        words = ["run", "--farm", self.url(), "--attach", run, "--out", out, "--no-history", "-q"]
        return self.begin("run", words, out)

    def said(self, name="out"):
        log = self.folder / f"{name}.log"
        return log.read_text() if log.exists() else ""

    def peaks(self):
        """Most memory of each agent, MB."""
        told = [pathlib.Path(f"/proc/{agent.pid}/status").read_text() for agent in self.agents]
        return [int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024 for status in told]

    def end_agents(self):
        agents = self.agents + self.stopped
        for agent in agents:
            agent.send_signal(signal.SIGCONT)
            agent.send_signal(signal.SIGTERM)
        for agent in agents:
            try:
                agent.wait(20)
            except subprocess.TimeoutExpired:
                agent.kill()
                agent.wait()

    def end(self):
        self.end_agents()
        for server in self.servers:
            server.kill()
            shutil.rmtree(server.store, ignore_errors=True)


def here(program, folder, scenarios, lab):
    """A run on this computer: its folder, how long it took, and its memory, MB."""
    began = time.monotonic()
    words = [program, "run", *scenarios, "--lab", lab, "--out", "out", "--no-history", "-q", "--jobs", ALL]
    ran = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(ran.pid, 0)
    took = time.monotonic() - began
    (folder / "out").rename(folder / "here")
    return folder / "here", took, usage.ru_maxrss / 1024
